"""`search`, `ls --where` and `cat --where` on web archives: options, answers that are no records, and what is refused."""
import json
import subprocess

import pytest
from program import BINARY, ROOT, fonds, json_lines

EXAMPLE = ROOT / "tests/data/warc/third-party/warcio-example.warc.gz"
ARC = ROOT / "tests/data/warc/own/arc-v1.arc"
LOGS = ROOT / "tests/data/clp-s/v050-service.clps"
EVENTS = ROOT / "tests/data/recordio/v2-tiny.rio"


def said(done):
    return done.stderr.decode()


def test_search_prints_what_ls_prints():
    listed = fonds("ls", "--json", "--headers", EXAMPLE).stdout
    assert fonds("search", "*", EXAMPLE).stdout == listed
    assert fonds("ls", "--json", "--headers", "--where", "*", EXAMPLE).stdout == listed


def test_a_table_has_the_lines_of_the_whole_table():
    lines = fonds("ls", EXAMPLE).stdout.splitlines(keepends=True)
    chosen = fonds("ls", "--where", "type: (response revisit)", EXAMPLE).stdout.splitlines(keepends=True)
    assert chosen == [line for line in lines if line.split(b"\t")[3] in (b"response", b"revisit")]


def test_limits_count_what_matches():
    every = json_lines(fonds("search", "type: re*", EXAMPLE).stdout)
    assert json_lines(fonds("search", "--limit", "2", "type: re*", EXAMPLE).stdout) == every[:2]
    assert json_lines(fonds("ls", "--json", "--headers", "--limit", "2", "--where", "type: re*", EXAMPLE).stdout) == every[:2]
    last = fonds("cat", "--tail", "1", "--where", "type: re*", EXAMPLE).stdout
    assert last == fonds("cat", EXAMPLE, f"index:{every[-1]['index']}").stdout
    done = fonds("search", "--limit", "3", "--count", "*", EXAMPLE)
    assert done.returncode == 2 and "--limit has no meaning" in said(done)


def test_files_with_what_was_found(tmp_path):
    assert fonds("cat", "--where", "type: response", "--part", "block", "-o", tmp_path / "out", EXAMPLE).returncode == 0
    (row,) = json_lines((tmp_path / "out/manifest.jsonl").read_bytes())
    wanted = json_lines(fonds("search", "type: response", EXAMPLE).stdout)[0]
    assert (row["index"], row["uri"]) == (wanted["index"], wanted["uri"])


def test_answers_that_are_no_records():
    def answer(*options):
        done = fonds("search", *options, EXAMPLE)
        assert done.returncode == 0, said(done)
        return done.stdout.decode()

    records = json_lines(fonds("ls", "--json", EXAMPLE).stdout)
    assert answer("--count", "*") == f"{len(records)}\n"
    types = sorted({record["type"] for record in records})
    assert answer("--unique", "type", "*") == "".join(
        f'{sum(record["type"] == kind for record in records)}\t"{kind}"\n' for kind in types)
    assert answer("--max", "length", "*") == f"{max(record['length'] for record in records)}\n"
    assert answer("--min", "date", "*") == f'"{min(record["date"] for record in records)}"\n'
    days = [row.split("\t") for row in answer("--count-by-time", "1d", "*").splitlines()]
    assert sum(int(count) for _, count in days) == len(records)
    assert answer("--files-with-matches", "type: response") == f"{EXAMPLE}\n"


def test_the_total_of_several_archives():
    done = fonds("search", "--total", "--count", "--json", "type: response", EXAMPLE, ARC)
    assert json.loads(done.stdout) == {"count": 3}


def test_since_and_until_are_both_included():
    dates = [record["date"] for record in json_lines(fonds("search", "*", EXAMPLE).stdout)]
    first, last = min(dates), max(dates)
    assert first < last
    found = json_lines(fonds("search", "--since", last, "*", EXAMPLE).stdout)
    assert [record["date"] for record in found] == [date for date in dates if date >= last]
    found = json_lines(fonds("search", "--until", first, "*", EXAMPLE).stdout)
    assert [record["date"] for record in found] == [date for date in dates if date <= first]


def test_a_projection_has_the_keys_that_are_asked_for_and_there():
    done = fonds("search", "--projection", "index,http.status", "--projection", "uri,nosuch,archive", "*", ARC)
    rows = json_lines(done.stdout)
    assert rows[0] == {"index": 0, "uri": rows[0]["uri"], "archive": str(ARC)}
    assert rows[2]["http"] == {"status": 200}
    assert list(rows[2]) == ["index", "http", "uri", "archive"]


def test_listed_fields_are_found():
    for row in json_lines(fonds("search", "--list-fields", "--json", EXAMPLE).stdout):
        done = fonds("search", "--count", f"{row['field']}: *", EXAMPLE)
        assert done.stdout == f"{row['records']}\n".encode(), row


def test_nothing_found_is_status_1():
    done = fonds("search", "status: 404", ARC)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")
    assert fonds("ls", "--where", "status: 404", ARC).returncode == 0


def test_a_name_that_is_nearly_a_field_is_told():
    done = fonds("search", "statsu: 200", ARC)
    assert (done.returncode, said(done)) == (1, f"fonds: {ARC}: no record has a field statsu; did you mean status?\n")
    assert not fonds("search", "nosuch: 200", ARC).stderr
    assert not fonds("search", "statsu: 200 or type: response", ARC).stderr


@pytest.mark.parametrize("command", [
    ["ls"], ["ls", "--threads", "7"], ["cat"], ["cat", "--tail", "2"], ["convert", "-o", "-"], ["convert", "--to", "clp-s", "-o", "-"]], ids=" ".join)
def test_a_name_that_is_nearly_a_field_is_told_by_all(command):
    told = f"fonds: {ARC}: no record has a field statsu; did you mean status?\n"
    assert told in said(fonds(*command, "--where", "statsu: 200", ARC))
    if command[0] != "cat":  # which takes one archive
        assert told + told.replace(str(ARC), str(EXAMPLE)) in said(fonds(*command, "--where", "statsu: 200", ARC, EXAMPLE))
    for query in ("nosuch: 200", "statsu: 200 or type: response", "status: 404"):
        assert "did you mean" not in said(fonds(*command, "--where", query, ARC)), query


@pytest.mark.parametrize("threads", [1, 7])
def test_columns_that_no_record_has_are_told(threads):
    def told(fields, path, *options):
        return said(fonds("ls", "--threads", threads, "--fields", fields, *options, path))
    assert told("index,foo,uri,warc-type", ARC) == (
        f"fonds: {ARC}: no record has an attribute foo (--fields)\n"
        f"fonds: {ARC}: no record has an attribute warc-type (--fields)\n")
    known = "archive,index,offset,length,stored_length,media_type,status,target,trailing,problems,format,ip,truncated,segment.number"
    assert told(known, ARC) == told("sha256,type", ARC, "--hash") == told("timestamp,source,schema,length", LOGS) == ""
    assert told("foo", ARC, "--where", "status: 404") == ""


@pytest.mark.parametrize("command", [["search", "a > b"], ["ls", "--where", "a > b"], ["cat", "--where", "a > b"]], ids=lambda c: c[0])
def test_a_wrong_query_is_shown_with_its_place(command):
    done = fonds(*command, ARC)
    assert done.returncode == 2
    assert said(done) == "fonds: expected a number or a timestamp after '>', found 'b'\n  a > b\n      ^\n"


@pytest.mark.parametrize("arguments, words", [
    (["ls", "--where", "level: INFO", LOGS], "`fonds search`"),
    (["cat", "--where", "level: INFO", LOGS], "`fonds search`"),
    (["search", "--compat", "clp-s", "type: response", ARC], "--compat is for clp-s"),
    (["search", "--table-order", "type: response", ARC], "--table-order"),
    (["cat", "--where", "type: response", ARC, "index:1"], "exclude each other"),
    (["search", "--projection", "payload", "*", ARC], "content"),
    (["search", "--unique", "body.a", "*", ARC], "content"),
])
def test_what_has_no_meaning_is_refused(arguments, words):
    done = fonds(*arguments)
    assert done.returncode in (2, 3) and not done.stdout
    assert words in said(done)


def test_ranges_over_dates_are_for_records_with_dates():
    assert fonds("search", 'date > "2019-12-31"', ARC).returncode == 0
    done = fonds("search", 'ts > "2019-12-31"', LOGS)
    assert done.returncode == 2 and "expected a number or a timestamp" in said(done)


def test_content_of_a_pipe():
    script = f"cat {EXAMPLE} | {BINARY} search --count 'payload: *Example*' -"
    searched = subprocess.run(["sh", "-c", script], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert searched.stdout == fonds("search", "--count", "payload: *Example*", EXAMPLE).stdout
    refused = fonds("cat", "--where", "payload: *Example*", "-", input=EXAMPLE.read_bytes())
    assert refused.returncode == 3 and "can be read once" in said(refused)


def test_damage_is_told_as_ls_tells_it():
    path = ROOT / "tests/data/warc/own/gz-bad-deflate.warc.gz"
    listed, found = fonds("ls", "--json", "--headers", path), fonds("search", "*", path)
    assert (found.stdout, found.stderr, found.returncode) == (listed.stdout, listed.stderr, listed.returncode)
    strict, found = fonds("ls", "--strict", "--json", "--headers", path), fonds("search", "--strict", "*", path)
    assert (found.stdout, found.returncode) == (strict.stdout, strict.returncode)


@pytest.mark.parametrize("threads", [2, 7])
def test_every_fixture_gives_the_same_on_several_threads(threads):
    paths = sorted(path for path in (ROOT / "tests/data/warc/own").iterdir() if ".warc" in path.name)
    one = fonds("search", "not nosuch: *", "--threads", "1", *paths)
    many = fonds("search", "not nosuch: *", "--threads", threads, *paths)
    assert many.stdout == one.stdout and one.stdout
