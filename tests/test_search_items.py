"""`search` and `--where` on RecordIO: written queries against the second evaluator (search_oracle)."""
import functools
import json

import pytest
from program import FIXTURES, fonds, json_lines
from recordio_files import FOLDER, items_of
from search_oracle import evaluate, fields

FILES = ["v2-plain.rio", "v2-zstd.rio", "v2-flate.rio", "v2-stacked.rio", "v2-manyblocks.rio", "v2-multichunk.rio", "v2-emptyrecs.rio",
         "legacy-plain.grail-rio", "legacy-packed-flate.grail-rpk-gz"]
QUERIES = ["*", "not *", "format: recordio", "format: warc", "index: 3", "index >= 2 and index < 5", "not index < 4", "length: 5", "length > 4",
           "length: 0", "length: *", "payload: alpha", "payload: \"\"", "payload: *a", "payload: *sigma*", "payload: rec-00000?*",
           "payload: (*beta* *omega*)", "payload: (and *beta* *omega*)", "payload: *beta* and not payload: *omega*", "payload: *",
           "not payload: *alpha*", "payload: *alpha*omega*", "payload: ?????", "body: *", "type: *", "not type: *", "*: 5", "alpha",
           "length < 100 or payload: *zeta*", "index: 0 or payload: \"*omega *\""]


def evaluator(items):
    number = evaluate.records.Number
    archive = evaluate.Archive.__new__(evaluate.Archive)
    archive.records = [fields.Record({"format": ["recordio"], "index": [number(index)], "length": [number(len(item))]}, (), (), None, item)
                       for index, item in enumerate(items)]
    return archive


@functools.lru_cache(maxsize=None)
def oracle(file):
    return evaluator(items_of(FOLDER / file))


def found(path, query, *options, **how):
    done = fonds("search", *options, "--", query, path, **how)
    assert done.returncode == (0 if done.stdout else 1), done.stderr
    return [record["index"] for record in json_lines(done.stdout)]


@pytest.mark.parametrize("file", FILES)
def test_search_finds_the_items_of_the_oracle(file):
    path = FOLDER / file
    hits = 0
    for query in QUERIES:
        wanted = oracle(file).answer(query)
        assert found(path, query) == wanted, query
        hits += 0 < len(wanted) < len(oracle(file).records)
    assert hits


@pytest.mark.parametrize("file", FILES)
def test_letter_case_threads_pipes_and_other_commands(file):
    path = FOLDER / file
    for query in ("payload: *SIGMA* or payload: ALPHA", "length > 4 and payload: *a*"):
        wanted = oracle(file).answer(query, ignore_case=True)
        for threads in (1, 2, 7):
            assert found(path, query, "-i", "--threads", threads) == wanted
        assert found("-", query, "-i", input=path.read_bytes()) == wanted
        assert [record["index"] for record in json_lines(fonds("ls", "--json", "-i", "--where", query, path).stdout)] == wanted
        items = [record.block for index, record in enumerate(oracle(file).records) if index in wanted]
        assert fonds("cat", "-i", "--where", query, "--null", path).stdout == b"".join(item + b"\0" for item in items)


def test_items_that_are_json_are_asked_by_their_keys(tmp_path):
    lines = [line for line in (FIXTURES / "kql/docs.jsonl").read_bytes().split(b"\n") if line]
    (tmp_path / "docs.jsonl").write_bytes(b"\n".join([*lines, b"[1, {\"n\": 42}]", b"7"]) + b"\n")
    archive = tmp_path / "docs.rio"
    done = fonds("convert", "--format", "lines", "--to", "recordio", "-o", archive, tmp_path / "docs.jsonl")
    assert done.returncode == 0, done.stderr
    answers = evaluator(items_of(archive))
    assert len(answers.records) == len(lines) + 2
    hits = 0
    for case in json.loads((FIXTURES / "kql/cases.json").read_text())["cases"]:
        if case["docs"] != "docs.jsonl" or case.get("args") or case.get("sane_exit") == 2 or case["query"].lstrip("( ").startswith(("$", "@", "not $")):
            continue
        query = f"body: {{{case['query']}}}"
        try:
            wanted = answers.answer(query)
        except evaluate.language.QueryError:
            assert fonds("search", "--", query, archive).returncode == 2
            continue
        assert found(archive, query) == wanted, query
        hits += bool(wanted)
    assert hits > 100
    assert found(archive, "body.n: 42 and body: *") == answers.answer("body.n: 42 and body: *")
    assert found(archive, "body: 7") == [len(lines) + 1]
