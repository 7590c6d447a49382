"""`search --index`: the same answers as without, without reading what a CDXJ rules out."""
import json
import subprocess

import pytest
from program import FIXTURES, fonds, json_lines, verify
from search_oracle import cases

WARC = FIXTURES / "warc"
EXAMPLE = WARC / "third-party/warcio-example.warc.gz"
CASES = list(cases.parse(cases.FILE.read_text()))
QUERIES = ["status: 200", "not status: 200", "type: response and status >= 300", "uri: *example*",
           "host: example.com and mime: text/html", "mime: (text/html text/plain) or offset < 1000",
           'date > 2010 and not date: "2017-03-06T04:03:48Z"', "index >= 2 and mime: *", "*"]


def archives():
    for folder in (WARC / "own", WARC / "third-party", WARC / "0011", WARC.parent / "warc-zst"):
        for path in sorted(folder.iterdir()):
            other = path.name.endswith((".cdx", ".json", ".md"))
            if not other and (".arc" in path.name or ".warc" in path.name):
                yield pytest.param(path, id=f"{folder.name}-{path.name}")


def indexed(path, out, *options):
    done = fonds("index", "--type", "cdxj", "-f", "-o", out, *options, path)
    return done.returncode == 0 and out.exists() and out.stat().st_size > 0


def answer(*arguments):
    done = fonds("search", *arguments)
    return done.stdout, done.returncode


@pytest.mark.parametrize("path", list(archives()))
def test_answers_are_those_without_an_index(path, tmp_path):
    cdxj = tmp_path / "a.cdxj"
    damaged = any(finding["severity"] == "error" for finding in verify(path)[0])
    if not indexed(path, cdxj) or json.loads(fonds("info", "--json", path).stdout)["compression"] in ("bzip2", "xz"):
        pytest.skip("no index of it")
    for query in QUERIES:
        without = answer(query, path)
        found = fonds("search", "--index", cdxj, query, path)
        if b"--index is for web archives" in found.stderr:  # compressed twice
            assert found.returncode == 3
            return
        if damaged and b"was it made of this archive?" in found.stderr:
            continue  # a record with a wrong length does not end where the next one begins
        assert found.stdout == without[0], query
        if not damaged:
            assert found.returncode == without[1], query


@pytest.mark.parametrize("file", list(dict.fromkeys(case.file for case in CASES)))
def test_written_cases(file, tmp_path):
    cdxj = tmp_path / "a.cdxj"
    if not indexed(cases.DATA / file, cdxj, "--all"):
        pytest.skip("no index of it")
    for case in [case for case in CASES if case.file == file]:
        found, _ = answer(*case.options(), "--index", cdxj, "--", case.query, cases.DATA / file)
        assert tuple(record["index"] for record in json_lines(found)) == case.records, case


def crawl(path):
    """Twenty responses, each with a request behind it; every fifth is not found."""
    source = path.with_suffix(".in.warc")
    with open(source, "wb") as out:
        for number in range(20):
            status = b"404 Not Found" if number % 5 == 0 else b"200 OK"
            page = b"Content-Type: text/html\r\n\r\n" + b"body %d" % number * 50
            for kind, block in ((b"response", b"HTTP/1.1 " + status + b"\r\n" + page),
                                (b"request", b"GET /%d HTTP/1.1\r\n\r\n" % number)):
                out.write(b"WARC/1.1\r\nWARC-Type: " + kind + b"\r\nWARC-Record-ID: <urn:x:" + kind + b"%d>\r\n" % number +
                          b"WARC-Date: 2020-01-01T00:00:%02dZ\r\n" % (number + 1) +
                          b"WARC-Target-URI: http://a.example/%d\r\n" % number +
                          b"Content-Type: application/http;msgtype=" + kind + b"\r\n" +
                          b"Content-Length: %d\r\n\r\n" % len(block) + block + b"\r\n\r\n")
    assert fonds("convert", "-o", path, source).returncode == 0
    return path


@pytest.mark.parametrize("ending", [".warc", ".warc.gz", ".warc.zst", ".warc.lz4"])
def test_each_container(ending, tmp_path):
    path, cdxj = crawl(tmp_path / f"a{ending}"), tmp_path / "other.cdxj"
    assert indexed(path, cdxj)
    for query in QUERIES:
        assert answer("--index", cdxj, query, path) == answer(query, path), query


def test_the_word_of_an_index_is_taken(tmp_path):
    path, cdxj = crawl(tmp_path / "a.warc"), tmp_path / "a.cdxj"
    assert indexed(path, cdxj)
    before = answer("status: 404", path)
    assert len(before[0].splitlines()) == 4
    path.write_bytes(path.read_bytes().replace(b"HTTP/1.1 200 OK", b"HTTP/1.1 404 OK"))
    assert len(answer("status: 404", path)[0].splitlines()) == 20
    assert answer("--index", cdxj, "status: 404", path) == before


def test_records_that_an_index_does_not_list_are_found(tmp_path):
    path, cdxj = crawl(tmp_path / "a.warc.gz"), tmp_path / "a.cdxj"
    assert indexed(path, cdxj)
    lines = cdxj.read_text().splitlines(keepends=True)
    for kept in (lines[::2], lines[5:], []):
        cdxj.write_text("".join(kept) or "!OpenWayback-CDXJ 1.0\n")
        for query in ("status: 404", "status: 200 and index > 3", "type: request"):
            if kept:
                assert answer("--index", cdxj, query, path) == answer(query, path), query


def test_an_index_of_another_archive_is_told(tmp_path):
    path, cdxj = crawl(tmp_path / "a.warc.gz"), tmp_path / "a.cdxj"
    assert indexed(path, cdxj)
    short = tmp_path / "b/a.warc.gz"
    short.parent.mkdir()
    short.write_bytes(path.read_bytes()[:-200])
    done = fonds("search", "--index", cdxj, "status: 404", short)
    assert done.returncode == 3 or b"was it made of this archive?" in done.stderr or done.returncode == 1
    assert b"was it made of this archive?" in done.stderr
    shifted = tmp_path / "c/a.warc.gz"
    shifted.parent.mkdir()
    shifted.write_bytes(EXAMPLE.read_bytes() + path.read_bytes())
    assert b"was it made of this archive?" in fonds("search", "--index", cdxj, "status: 404", shifted).stderr


@pytest.mark.parametrize("ending", [".warc", ".warc.gz"])
def test_offsets_behind_the_archive_are_told(ending, tmp_path):
    """Each record ends before the next line's begins, and no byte of either is there."""
    path, cdxj = crawl(tmp_path / f"a{ending}"), tmp_path / "a.cdxj"
    assert indexed(path, cdxj)
    last = cdxj.read_text().splitlines()[-1]
    fields = json.loads(last[last.index("{"):])
    with open(cdxj, "a", encoding="ascii") as out:
        for offset in (10**9, 2 * 10**9, 2**62):
            out.write(f"{last[:last.index('{')]}{json.dumps({**fields, 'offset': str(offset)})}\n")
    done = fonds("search", "--index", cdxj, "status: 404", path)
    assert b"was it made of this archive?" in done.stderr


def test_counts_limits_and_numbers(tmp_path):
    path, cdxj = crawl(tmp_path / "a.warc.gz"), tmp_path / "a.cdxj"
    assert indexed(path, cdxj)
    for options in (["--count"], ["--limit", "2"], ["--unique", "status"], ["--max", "index"], ["--files-with-matches"],
                    ["--threads", "2"], ["--projection", "index,uri"], ["--since", "2020-01-01T00:00:11Z"]):
        arguments = [*options, "status: 404 or index: 7", path]
        assert answer("--index", cdxj, *arguments) == answer(*arguments), options


@pytest.mark.parametrize("arguments,words", [
    (["--index", "{cdx}", "status: 404", "{warc}"], b"is no CDXJ"),
    (["--index", "{cdxj}", "level: INFO", FIXTURES / "clp-s/v050-service.clps"], b"--index is for web archives"),
    (["--index", "{cdxj}", "length: 5", FIXTURES / "recordio/v2-plain.rio"], b"--index is for web archives"),
    (["--index", "/nonexistent.cdxj", "status: 404", "{warc}"], b"nonexistent.cdxj"),
])
def test_what_has_no_meaning_is_refused(arguments, words, tmp_path):
    warc, cdxj, cdx = crawl(tmp_path / "a.warc.gz"), tmp_path / "a.cdxj", tmp_path / "a.cdx"
    assert indexed(warc, cdxj) and fonds("index", "--type", "cdx11", "-o", cdx, warc).returncode == 0
    done = fonds("search", *[str(a).format(warc=warc, cdxj=cdxj, cdx=cdx) for a in arguments])
    assert done.returncode in (2, 3) and words in done.stderr and not done.stdout


def test_pipes_are_refused(tmp_path):
    cdxj = tmp_path / "a.cdxj"
    assert indexed(EXAMPLE, cdxj)
    done = subprocess.run([fonds.__globals__["BINARY"], "search", "--index", cdxj, "*", "-"], input=EXAMPLE.read_bytes(),
                          capture_output=True, check=False)
    assert done.returncode == 3 and b"--index is for web archives that are files" in done.stderr
