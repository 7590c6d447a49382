"""`convert --where`: what is written is what `search`, `ls --where` and `cat --where` find."""
import pytest
from program import FIXTURES, ROOT, fonds, json_lines, ls, verify
from recordio_files import FOLDER as RECORDIO
from search_oracle import cases

WARC = FIXTURES / "warc"
CLPS = FIXTURES / "clp-s"
EXAMPLE = WARC / "third-party/warcio-example.warc.gz"
ARC = WARC / "own/arc-v1.arc"
CASES = list(cases.parse(cases.FILE.read_text()))
FILES = list(dict.fromkeys(case.file for case in CASES))
KVIR = CLPS / "in-kvir-four-byte.clp"
LOG = CLPS / "in-service.jsonl"
EVENTS = [CLPS / "v050-service.clps", CLPS / "v041-service-b.dir", CLPS / "v050-clpstrings.clps", KVIR, LOG]


def convert(out, *options, status=0, **how):
    done = fonds("convert", "-f", "-o", out, *options, **how)
    assert done.returncode == status, done.stderr
    return done.stderr.decode()


def found(path, *query):
    done = fonds("search", *query, path)
    assert done.returncode == (0 if done.stdout else 1), done.stderr
    return done.stdout


# --- records

@pytest.mark.parametrize("file", FILES)
def test_what_is_written_is_what_cat_gives(file, tmp_path):
    path, out = cases.DATA / file, tmp_path / "out"
    # By the version block of an ARC the others are understood: it stays.
    stays = " or type: warcinfo" if ".arc" in file else ""
    for case in [case for case in CASES if case.file == file][::3]:
        said = convert(out, *case.options(), "--where", case.query, path)
        assert f"{len(case.records)} records match" in said, case
        wanted = fonds("cat", *case.options(), "--where", f"({case.query}){stays}", path).stdout
        assert fonds("cat", out).stdout == wanted, case


@pytest.mark.parametrize("path", [EXAMPLE, ARC, WARC / "0011/01-all-types.warc"], ids=lambda path: path.name)
@pytest.mark.parametrize("to", ["warc/1.1", "warc/1.0", "warc/00.11", "arc/1.1"])
def test_another_dialect_has_the_records_that_match(path, to, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1500000000")
    some = fonds("cat", "--part", "block", "--where", "type: response", path).stdout
    every, chosen = tmp_path / "every/out.warc.gz", tmp_path / "chosen/out.warc.gz"
    every.parent.mkdir()
    chosen.parent.mkdir()
    convert(chosen, "--to", to, "--no-warcinfo", "--where", "type: response", path)
    assert fonds("cat", "--part", "block", "--where", "type: response", chosen).stdout == some
    # The version block of an ARC becomes two records.
    assert {record["type"] for record in ls(chosen)[0]} <= {"response", "warcinfo", *(["metadata"] if path == ARC else [])}
    convert(every, "--to", to, path)
    convert(chosen, "--to", to, "--where", "*", path)
    assert chosen.read_bytes() == every.read_bytes()


@pytest.mark.parametrize("file", ["v2-plain.rio", "v2-zstd.rio", "v2-stacked.rio", "legacy-packed-flate.grail-rpk-gz"])
def test_items(file, tmp_path):
    path, out = RECORDIO / file, tmp_path / "out.rio"
    for query in ("payload: *beta*", "index >= 2 and length > 4", "not *"):
        convert(out, "--where", query, path)
        items = fonds("cat", "--length-prefixed", "--where", query, path).stdout
        assert fonds("cat", "--length-prefixed", out).stdout == items, query


@pytest.mark.parametrize("form,text", [("lines", b"one\ntwo\n\nthree\n"),
                                       ("jsonl", b'{"data":"one"}\n{"data":"two"}\n{"data":"three"}\n')])
def test_text(form, text, tmp_path):
    (tmp_path / "in").write_bytes(text)
    convert(tmp_path / "out.rio", "--format", form, "--where", "payload: t*", tmp_path / "in")
    assert fonds("cat", "--newline", tmp_path / "out.rio").stdout == b"two\nthree\n"


# --- events

@pytest.mark.parametrize("path", EVENTS, ids=lambda path: path.name)
@pytest.mark.parametrize("query", [["*"], ["level: INFO or ctx.*: *"], ["-i", "*: *err*"], ["nosuch: *"]], ids=" ".join)
def test_events_are_those_that_search_finds(path, query, tmp_path):
    wanted = found(path, *query)
    where = [*query[:-1], "--where", query[-1]]
    for to, name in (("jsonl", "out.jsonl"), ("kv-ir", "out.clp.zst"), ("clp-s", "out.clps")):
        said = convert(tmp_path / name, "--to", to, *where, path)
        assert "could not be carried over" not in said
        if to == "jsonl":
            assert (tmp_path / name).read_bytes() == wanted
        else:
            assert json_lines(fonds("cat", tmp_path / name).stdout) == json_lines(wanted)
    convert(tmp_path / "out.rio", "--to", "recordio", *where, path)
    assert fonds("cat", "--newline", tmp_path / "out.rio").stdout == wanted


@pytest.mark.parametrize("path", EVENTS, ids=lambda path: path.name)
@pytest.mark.parametrize("to", ["jsonl", "kv-ir", "recordio"])
def test_all_events_are_what_a_conversion_without_a_query_writes(path, to, tmp_path):
    convert(tmp_path / "every", "--check", "--to", to, path)
    said = convert(tmp_path / "all", "--check", "--to", to, "--where", "*", path)
    assert (tmp_path / "all").read_bytes() == (tmp_path / "every").read_bytes()
    assert "checked: " in said


def test_keys_of_the_system_stay_with_events_of_kvir(tmp_path):
    lines = found(CLPS / "v050-service.clps", "*").splitlines()
    source = tmp_path / "in.clp"
    convert(source, "--to", "kv-ir", "--header", "host=h1", CLPS / "v050-service.clps")
    convert(tmp_path / "out.clp", "--to", "kv-ir", "--where", '$host: h1 and level: INFO', source)
    assert found(tmp_path / "out.clp", "$host: h1") == found(source, "level: INFO") != b""
    assert len(found(tmp_path / "out.clp", "*").splitlines()) < len(lines)


def test_a_catalog_of_the_records_that_match(tmp_path):
    every, some = tmp_path / "every.clps", tmp_path / "some.clps"
    convert(every, "--to", "clp-s", EXAMPLE)
    for query in ("type: response", "status: 200", "payload: *Example*", "type: nosuch"):
        convert(some, "--to", "clp-s", "--where", query, EXAMPLE)
        indexes = [record["index"] for record in json_lines(found(EXAMPLE, query))]
        wanted = [line for line in json_lines(fonds("cat", every).stdout) if line["index"] in indexes]
        assert json_lines(fonds("cat", some).stdout) == wanted, query


def test_the_time_of_events_that_do_not_tell_it(tmp_path):
    query = 'ts >= timestamp("2024-03-01T00:00:10Z")'
    (tmp_path / "in.jsonl").write_text("".join(f'{{"ts":"2024-03-01T00:00:{n:02}Z","n":{n}}}\n' for n in range(20)))
    wanted = found(tmp_path / "in.jsonl", "--timestamp-key", "ts", query)
    assert len(wanted.splitlines()) == 10
    convert(tmp_path / "out.clps", "--to", "clp-s", "--timestamp-key", "ts", "--where", query, tmp_path / "in.jsonl")
    assert fonds("cat", tmp_path / "out.clps").stdout == wanted
    assert found(tmp_path / "out.clps", query) == wanted


# --- how

def test_threads_and_pipes_give_the_same(tmp_path):
    for path, query in ((EXAMPLE, "type: re*"), (LOG, "level: INFO")):
        made = set()
        for threads in (1, 2, 7):
            convert(tmp_path / "out", "--threads", threads, "--where", query, path)
            made.add((tmp_path / "out").read_bytes())
        convert(tmp_path / "out", "--where", query, "-", input=path.read_bytes())
        assert made == {(tmp_path / "out").read_bytes()}


def test_content_of_a_pipe_is_refused(tmp_path):
    said = convert(tmp_path / "out", "--where", "payload: *a*", "-", input=EXAMPLE.read_bytes(), status=3)
    assert "can be read once" in said and not (tmp_path / "out").exists()


def test_each_archive_is_asked_and_a_check_reads_what_was_written(tmp_path):
    out = tmp_path / "out.warc.gz"
    said = convert(out, "--check", "--where", "payload: *Example* and status: 200", EXAMPLE, EXAMPLE)
    one = json_lines(found(EXAMPLE, "payload: *Example* and status: 200"))
    assert one and f"{2 * len(one)} records match" in said and f"checked: {2 * len(one)} records" in said
    assert [record["uri"] for record in ls(out)[0]] == 2 * [record["uri"] for record in one]
    assert not [finding for finding in verify(out)[0] if finding["severity"] == "error"]


def test_a_dictionary_is_made_of_what_is_written(tmp_path):
    source, some, both = tmp_path / "in.warc", tmp_path / "some.warc.zst", tmp_path / "both.warc.zst"
    convert(source, *[EXAMPLE] * 90)
    convert(tmp_path / "responses.warc", "--where", "type: response", source)
    said = convert(some, "--dictionary", "train", "--where", "type: response", source)
    assert "dictionary " in said
    convert(both, "--dictionary", "train", tmp_path / "responses.warc")
    assert some.read_bytes() == both.read_bytes()


def test_nothing_matches(tmp_path):
    said = convert(tmp_path / "out.rio", "--where", "payload: nothing", RECORDIO / "v2-plain.rio")
    assert "0 records match" in said
    assert fonds("ls", tmp_path / "out.rio").stdout == b""


def test_damage_counts_wherever_it_is(tmp_path):
    path, out = WARC / "own/gz-bad-deflate.warc.gz", tmp_path / "out.warc"
    convert(out, "--where", "type: warcinfo", path, status=1)
    assert not out.exists()
    convert(out, "--skip-damaged", "--where", "type: warcinfo", path, status=1)
    assert fonds("cat", out).stdout == fonds("cat", "--where", "type: warcinfo", path).stdout
    (tmp_path / "in.jsonl").write_text('{"a":1}\n{"a":\n{"a":2}\n')
    said = convert(tmp_path / "out.jsonl", "--to", "jsonl", "--where", "a: *", tmp_path / "in.jsonl", status=1)
    assert "[jsonl-line]" in said and not (tmp_path / "out.jsonl").exists()
    convert(tmp_path / "out.jsonl", "--skip-damaged", "--to", "jsonl", "--where", "a: *", tmp_path / "in.jsonl", status=1)
    assert (tmp_path / "out.jsonl").read_text() == '{"a":1}\n{"a":2}\n'


@pytest.mark.parametrize("options,path,words", [
    (["--source", "x"], EVENTS[0], "--source and --where exclude each other"),
    (["--range", "1:2"], EVENTS[0], "--range and --where exclude each other"),
    (["--to", "clp-s", "--exact"], LOG, "--exact keeps inputs whole"),
])
def test_what_excludes_a_query(options, path, words, tmp_path):
    said = convert(tmp_path / "out", *options, "--where", "a: 1", path, status=2)
    assert words in said and not (tmp_path / "out").exists()


def test_a_directory_of_the_original_files_takes_no_query(tmp_path):
    said = convert(f"{tmp_path}/", "--to", "jsonl", "--where", "level: INFO", EVENTS[0], status=2)
    assert "--where has no meaning for a directory" in said


def test_a_wrong_query_is_shown_with_its_place(tmp_path):
    for more in ([], ["--to", "clp-s"]):
        said = convert(tmp_path / "out", *more, "--where", "a > b", ROOT / "tests/data/warc/own/arc-v1.arc", status=2)
        assert said.endswith("  a > b\n      ^\n")
