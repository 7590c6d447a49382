"""`fonds search` and what else the commands do with archives of events: options, answers, statuses."""
import hashlib
import json
import os
import shutil
import signal
import subprocess

import pytest
from program import BINARY, FIXTURES, fonds, json_lines

CLPS = FIXTURES / "clp-s"
SERVICE = CLPS / "v050-service.clps"
FORMER = CLPS / "v031-service.clps"
DIRECTORY = CLPS / "v041-service-b.dir"
SCALARS = CLPS / "v050-scalars.clps"
TWO = CLPS / "v050-two-files.clps"
DAMAGED = CLPS / "bad-float-word.clps"
WEB = FIXTURES / "warc/third-party/warcio-example.warc.gz"
EVENTS = [json.loads(line) for line in (CLPS / "v050-service.ordered.jsonl").read_bytes().splitlines()]
TEXT = (CLPS / "v050-service.ordered.jsonl").read_bytes()


def search(*args, **options):
    return fonds("search", *args, **options)


def lines_of(done):
    return done.stdout.decode().splitlines()


# --- records

def test_prints_matching_records_as_cat_gives_them():
    done = search("level: ERROR", SERVICE)
    assert done.stdout == b"".join(line for line in TEXT.splitlines(keepends=True) if b'"level":"ERROR"' in line)
    assert done.returncode == 0 and not done.stderr


@pytest.mark.parametrize("archive", [SERVICE, FORMER, DIRECTORY], ids=lambda p: p.name)
@pytest.mark.parametrize("threads", [1, 2, 7])
def test_everything_matches_the_star_in_log_order(archive, threads):
    done = search("--threads", threads, "*", archive)
    assert done.stdout == fonds("cat", archive).stdout and done.returncode == 0


def test_table_order_is_the_order_on_disk():
    assert search("--table-order", "*", SERVICE).stdout == (CLPS / "v050-service.table.jsonl").read_bytes()


def test_standard_input_is_searched():
    done = search("level: ERROR", "-", input=SERVICE.read_bytes())
    assert done.stdout == search("level: ERROR", SERVICE).stdout and done.returncode == 0


@pytest.mark.parametrize("limit", [0, 1, 5, 39, 40, 41])
def test_limit_holds_over_all_archives(limit):
    done = search("--limit", limit, "*", SERVICE, SERVICE)
    assert done.stdout.splitlines() == (TEXT + TEXT).splitlines()[:limit]


def test_projection_shows_keys_within_what_encloses_them():
    done = search("--projection", "level,ctx.id", "--projection", "n", "ctx.id: *", SERVICE)
    wanted = [{"level": e["level"], "n": e["n"], "ctx": {"id": e["ctx"]["id"]}} for e in EVENTS if "ctx" in e]
    assert json_lines(done.stdout) == wanted


def test_projection_of_keys_with_commas_and_dots():
    done = search("--projection", r'"a,b",a\.b', "*", CLPS / "v050-keys.clps")
    assert done.returncode == 0 and all(set(record) <= {"a,b", "a.b"} for record in json_lines(done.stdout))


def test_ignore_case():
    assert search("-i", "level: error", SERVICE).stdout == search("level: ERROR", SERVICE).stdout
    assert search("level: error", SERVICE).returncode == 1


def test_times_are_milliseconds_or_iso():
    ms = search("--since", "1709251200000", "--until", "1709254800000", "*", SERVICE)
    iso = search("--since", "2024-03-01T00:00:00Z", "--until", "2024-03-01T02:00:00+01:00", "*", SERVICE)
    former = search("--tge=1709251200000", "--tle=1709254800000", "*", SERVICE)
    assert ms.stdout == iso.stdout == former.stdout
    assert 0 < len(ms.stdout.splitlines()) < 40


# --- answers that are no records

def test_count():
    wanted = sum(e["level"] == "ERROR" for e in EVENTS)
    assert search("--count", "level: ERROR", SERVICE).stdout == f"{wanted}\n".encode()
    assert lines_of(search("-c", "level: ERROR", SERVICE, TWO)) == [f"{SERVICE}:{wanted}", f"{TWO}:0"]
    assert json_lines(search("-c", "--json", "level: ERROR", SERVICE, TWO).stdout) == [
        {"archive": str(SERVICE), "count": wanted}, {"archive": str(TWO), "count": 0}]
    assert search("-c", "--total", "level: ERROR", SERVICE, FORMER).stdout == f"{2 * wanted}\n".encode()


def test_count_of_nothing_is_zero_and_status_1():
    done = search("--count", "level: NONE", SERVICE)
    assert done.stdout == b"0\n" and done.returncode == 1


def test_count_by_time():
    rows = [line.split("\t") for line in lines_of(search("--count-by-time", "2h", "*", SERVICE))]
    assert sum(int(count) for _, count in rows) == 40
    assert [begin for begin, _ in rows] == sorted(f"2024-03-01T{h:02}:00:00Z" for h in range(0, 10, 2))
    objects = json_lines(search("--count-by-time", "7200000", "--json", "*", SERVICE).stdout)
    assert [o["timestamp"] for o in objects] == [1709251200000 + i * 7200000 for i in range(5)]
    assert [(o["date"], str(o["count"])) for o in objects] == [tuple(row) for row in rows]
    total = json_lines(search("--count-by-time", "2h", "--json", "--total", "*", SERVICE, FORMER).stdout)
    assert [o["count"] for o in total] == [2 * o["count"] for o in objects]


def test_extremes():
    assert search("--max", "n", "*", SERVICE).stdout == b"%d\n" % max(e["n"] for e in EVENTS)
    assert search("--min", "n", "*", SERVICE).stdout == b"%d\n" % min(e["n"] for e in EVENTS)
    assert json_lines(search("--min", "ctx.id", "--json", "*", SERVICE).stdout) == [
        {"archive": str(SERVICE), "field": "ctx.id", "min": min(e["ctx"]["id"] for e in EVENTS if "ctx" in e)}]


def test_unique_values():
    wanted = {level: sum(e["level"] == level for e in EVENTS) for level in ("ERROR", "INFO", "WARN")}
    assert lines_of(search("--unique", "level", "*", SERVICE)) == [f'{n}\t"{level}"' for level, n in wanted.items()]
    objects = json_lines(search("--unique", "level", "--json", "--total", "*", SERVICE, FORMER).stdout)
    assert {o["value"]: o["count"] for o in objects} == {level: 2 * n for level, n in wanted.items()}


def test_files_with_matches():
    done = search("-l", "level: ERROR", SERVICE, TWO, FORMER)
    assert lines_of(done) == [str(SERVICE), str(FORMER)] and done.returncode == 0
    assert json_lines(search("-l", "--json", "level: ERROR", SERVICE).stdout) == [{"archive": str(SERVICE)}]


def test_list_fields():
    rows = [line.split("\t") for line in lines_of(search("--list-fields", SERVICE))]
    assert ["40", "string", "level"] in rows and ["40", "timestamp", "ts"] in rows
    assert [str(sum("ctx" in e for e in EVENTS)), "boolean", "ctx.ok"] in rows
    objects = json_lines(search("--list-fields", "--json", SERVICE).stdout)
    assert [[str(o["records"]), o["type"], o["field"]] for o in objects] == rows


def test_every_listed_field_can_be_asked_for():
    """The paths are written as queries take them, whatever the keys are."""
    for archive in sorted(CLPS.glob("v050-*.clps")):
        for field in json_lines(search("--list-fields", "--json", archive).stdout):
            done = search("--count", f"{field['field']}: *", archive)
            assert done.returncode == 0 and int(done.stdout) >= field["records"], (archive, field)


# --- directories

@pytest.fixture
def archives(tmp_path):
    folder = tmp_path / "archives"
    folder.mkdir()
    shutil.copy(SERVICE, folder / "b")
    shutil.copytree(DIRECTORY, folder / "a")
    return folder


def test_directory_of_archives_is_searched(archives):
    done = search("-c", "*", archives)
    assert lines_of(done) == [f"{archives}/a:40", f"{archives}/b:40"] and done.returncode == 0


def test_directories_within_need_recursive(archives):
    deep = archives / "deep"
    deep.mkdir()
    shutil.copytree(DIRECTORY, deep / "c")
    assert len(lines_of(search("-c", "*", archives))) == 2
    assert lines_of(search("-c", "-r", "*", archives))[-1] == f"{deep}/c:40"
    assert len(lines_of(fonds("ls", "-r", archives))) == 3 * 40


@pytest.mark.parametrize("command", ["info", "ls", "cat", "verify"])
def test_archive_that_is_a_directory_needs_no_flag(command):
    plain, recursive = fonds(command, DIRECTORY), fonds(command, "-r", DIRECTORY)
    assert plain.returncode == recursive.returncode == 0, plain.stderr
    assert plain.stdout == recursive.stdout != b""


def test_directory_of_archives_needs_a_flag_for_other_commands(archives):
    done = fonds("ls", archives)
    assert done.returncode == 3 and b"-r reads the archives in it" in done.stderr


def test_directory_without_header_says_what_it_is(tmp_path):
    former = tmp_path / "former"
    shutil.copytree(DIRECTORY, former)
    (former / "header").unlink()
    done = fonds("cat", former)
    assert done.returncode == 3 and b"without a file `header`" in done.stderr and not done.stdout


def test_directory_with_a_missing_member_is_damage_not_a_crash(tmp_path):
    for member in ("schema_tree", "schema_ids", "table_metadata", "var.dict", "log.dict", "0"):
        cut = tmp_path / member
        shutil.copytree(DIRECTORY, cut)
        (cut / member).unlink()
        done = fonds("cat", cut)
        assert done.returncode in (1, 3) and done.stderr, member


# --- statuses and messages

@pytest.mark.parametrize("query,column", [("a: 1 or", 7), ("", 0), ("a: (1", 5), ("level > abc", 8), ("a..b: 1", 2)])
def test_wrong_query_points_at_the_fault_and_opens_nothing(query, column):
    done = search(query, "/nonexistent")
    assert done.returncode == 2 and not done.stdout
    first, line, caret = done.stderr.decode().splitlines()[:3]
    assert first.startswith("fonds: ") and line == f"  {query}" and caret == " " * (column + 2) + "^"


@pytest.mark.parametrize("args,words", [
    (["--since", "yesterday", "*"], "is no time"),
    (["--since", "5", "--until", "4", "*"], "nothing lies between"),
    (["--count-by-time", "5x", "*"], "is no duration"),
    (["--count", "--unique", "a", "*"], "exclude each other"),
    (["--count", "--limit", "1", "*"], "gives no records"),
    (["--total", "*"], "--total is for"),
    (["--compat", "lucene", "*"], "--compat takes clp-s"),
    (["--projection", "a,a", "*"], "given twice"),
    (["--projection", "a.*", "*"], "wildcard"),
    (["--projection", "a..b", "*"], "--projection a..b"),
    (["--min", "", "*"], "--min"),
    (["--list-fields", "--count"], "--list-fields asks for no records"),
    (["--limit", "x", "*"], "whole number"),
])
def test_wrong_usage_is_status_2(args, words):
    done = search(*args, SERVICE)
    assert done.returncode == 2 and words in done.stderr.decode() and not done.stdout


def test_without_query_or_archive():
    assert (done := search()).returncode == 2 and b"no query given" in done.stderr
    assert (done := search("*")).returncode == 2 and b"no archive given" in done.stderr


def test_what_only_an_archive_shows_is_status_2_and_the_others_are_searched():
    done = search("--since", "0", "*", SCALARS, SERVICE)
    assert done.returncode == 2 and done.stdout == TEXT
    assert f"fonds: {SCALARS}: ".encode() in done.stderr and b"timestamp" in done.stderr


@pytest.mark.parametrize("query", ["nosuch: 1", "level: NONE", "not *"])
def test_nothing_matched_is_status_1(query):
    done = search(query, SERVICE)
    assert done.returncode == 1 and not done.stdout and not done.stderr


def test_match_in_one_of_several_archives_is_status_0():
    assert search("level: ERROR", TWO, SERVICE).returncode == 0


def test_unreadable_input_is_status_3_and_the_others_are_searched(tmp_path):
    done = search("*", tmp_path / "nothing", SERVICE)
    assert done.returncode == 3 and done.stdout == TEXT and b"nothing: cannot be opened" in done.stderr


def test_in_an_empty_file_nothing_matches(tmp_path):
    (tmp_path / "empty").touch()
    for done in (search("*", tmp_path / "empty"), search("*", "-", input=b"")):
        assert done.returncode == 1 and not done.stdout and not done.stderr
    assert search("-c", "*", tmp_path / "empty").stdout == b"0\n"


def test_damage_is_told_and_the_rest_is_given():
    done = search("*", DAMAGED)
    assert done.returncode == 1 and len(done.stdout.splitlines()) == 3 and b"[clps-cell]" in done.stderr


def test_closed_pipe_is_no_error():
    done = subprocess.run(["bash", "-o", "pipefail", "-c", '"$0" search "*" "$@" | head -n 1', BINARY] + [str(SERVICE)] * 200,
                          capture_output=True, timeout=60)
    assert done.stdout == TEXT.splitlines(keepends=True)[0] and not done.stderr and done.returncode == 0


def test_interrupt_ends_the_search(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen([BINARY, "search", "*", tmp_path / "pipe"], stdout=subprocess.PIPE) as process:
        with open(tmp_path / "pipe", "wb"):  # waits until the program reads
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 130


# --- cat, ls, convert

def test_cat_of_a_range():
    lines = TEXT.splitlines(keepends=True)
    for given, wanted in [("3:7", lines[3:7]), (":4", lines[:4]), ("36:", lines[36:]), ("5:5", []), ("40:50", [])]:
        assert fonds("cat", "--range", given, SERVICE).stdout == b"".join(wanted), given
    for wrong in ("", ":", "5", "7:3", "a:b", "1:2:3", "-1:2"):
        assert fonds("cat", "--range", wrong, SERVICE).returncode == 2, wrong


def test_cat_of_one_source():
    b = [json.loads(line) for line in (CLPS / "in-two_b.jsonl").read_bytes().splitlines()]
    assert len(json_lines(fonds("cat", "--source", "in-two_b.jsonl", TWO).stdout)) == len(b)
    done = fonds("cat", "--source", "nosuch", TWO)
    assert done.returncode == 3 and b"nosuch" in done.stderr and not done.stdout


def test_sources_of_an_archive_without_log_order_are_told_only_where_they_are_certain():
    known = fonds("ls", "--fields", "source", CLPS / "v031-service-noorder.dir")
    assert set(known.stdout.splitlines()) == {b"in-service.jsonl"}


@pytest.mark.parametrize("limit", [1, 2, 39, 40, 100])
def test_cat_with_limit(limit):
    assert fonds("cat", "--limit", limit, SERVICE).stdout.splitlines() == TEXT.splitlines()[:limit]


def test_flags_of_events_are_refused_for_other_formats():
    for args in (["cat", "--table-order"], ["cat", "--source", "x"], ["ls", "--range", "1:2"],
                 ["convert", "-o", "-", "--table-order"]):
        done = fonds(*args, WEB)
        assert done.returncode == 3 and b"is for clp-s" in done.stderr, args


def test_ls_has_the_fields_of_the_contract():
    records = json_lines(fonds("ls", "--json", SERVICE).stdout)
    assert [r["index"] for r in records] == list(range(40))
    assert all(r["format"] == "clp-s" and r["source"] == "in-service.jsonl" for r in records)
    assert records[0]["timestamp"] == 1709251200000 and all(isinstance(r["schema"], int) for r in records)
    assert [r["length"] for r in records] == [len(line) for line in TEXT.splitlines()]


def test_info_has_version_sources_and_keys():
    (info,) = json_lines(fonds("info", "--deep", "--json", FORMER).stdout)
    assert info["format"] == "clp-s" and info["version"] == "0.3.1" and info["records"] == 40
    assert {"field": "ctx.ok", "type": "boolean", "records": 14} in info["clp_s"]["fields"]
    shown = fonds("info", "--deep", FORMER).stdout.decode()
    assert "  keys\n    ts " in shown and "\n    ctx " in shown and "\n      ok " in shown


def test_convert_to_json_lines_keeps_records_as_they_are(tmp_path):
    assert fonds("convert", "--to", "jsonl", "-o", tmp_path / "out", SERVICE).returncode == 0
    assert (tmp_path / "out").read_bytes() == TEXT


def test_convert_to_a_directory_gives_the_original_files(tmp_path):
    out = tmp_path / "out"
    assert fonds("convert", "--to", "jsonl", "-o", f"{out}/", TWO, FORMER).returncode == 0
    both = (CLPS / "v050-two-files.ordered.jsonl").read_bytes().splitlines(keepends=True)
    assert (out / "in-two_a.jsonl").read_bytes() == b"".join(both[:12])
    assert (out / "in-two_b.jsonl").read_bytes() == b"".join(both[12:])
    manifest = json_lines((out / "manifest.jsonl").read_bytes())
    assert {entry["name"] for entry in manifest} | {"manifest.jsonl"} == set(os.listdir(out))
    for entry in manifest:
        content = (out / entry["name"]).read_bytes()
        assert entry["input"] == entry["name"] and entry["records"] == content.count(b"\n")
        assert entry["size"] == len(content) and entry["sha256"] == hashlib.sha256(content).hexdigest()
    again = fonds("convert", "--to", "jsonl", "-o", out, TWO)
    assert again.returncode == 3 and b"--force" in again.stderr
    assert fonds("convert", "--to", "jsonl", "--force", "-o", out, TWO).returncode == 0


def test_convert_to_a_directory_leaves_nothing_behind_damage(tmp_path):
    out = tmp_path / "out"
    done = fonds("convert", "-o", f"{out}/", DAMAGED)
    assert done.returncode == 1 and os.listdir(out) == []
    done = fonds("convert", "-o", f"{out}/", "--skip-damaged", DAMAGED)
    assert done.returncode == 1 and sum(p.read_bytes().count(b"\n") for p in out.iterdir()) == 3 + 1


def test_events_without_input_get_the_name_of_their_archive(tmp_path):
    out = tmp_path / "out"
    assert fonds("convert", "-o", f"{out}/", CLPS / "v050-service-noorder.dir").returncode == 0
    assert (out / "v050-service-noorder.dir.jsonl").read_bytes() == (CLPS / "v050-service-noorder.table.jsonl").read_bytes()


def test_convert_writes_through_no_link(tmp_path):
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    out.mkdir()
    elsewhere.write_bytes(b"mine")
    (out / "in-two_a.jsonl").symlink_to(elsewhere)
    assert fonds("convert", "-o", out, TWO).returncode == 3
    assert fonds("convert", "--force", "-o", out, TWO).returncode == 0
    assert elsewhere.read_bytes() == b"mine" and not (out / "in-two_a.jsonl").is_symlink()
