"""`convert` between the dialects of web archives and between their compressions."""
import functools
import json
import re

import pytest
from program import ROOT, WARC, blocks, cat, fonds, ls, verify

TARGETS = ["warc/1.1", "warc/1.0", "warc/0.18", "warc/00.11", "arc/1.1"]
CODECS = ["gzip", "zstd", "lz4", "none"]
ENV = {"SOURCE_DATE_EPOCH": "1500000000"}
SETS = [json.loads(path.read_text()) for path in sorted((WARC / "0011").glob("*.expected.json"))]


def archives():
    folders = [WARC / "0011", WARC / "own", WARC / "third-party", WARC.parent / "warc-zst"]
    names = [path for folder in folders for path in sorted(folder.glob("*"))
             if re.search(r"\.w?arc(\.(gz|zst|lz4|bz2|xz))?$", path.name)]
    return [pytest.param(path, id=f"{path.parent.name}-{path.name}") for path in names]


def convert(out, *args, status=0):
    done = fonds("convert", "--no-progress", "-f", "-o", out, *args)
    assert done.returncode == status, done.stderr
    return done.stderr.decode()


@functools.cache
def is_damaged(path):
    return any(record["severity"] == "error" for record in verify(path)[0])


@functools.cache
def lacks_a_length(path):
    """Some record has no Content-Length: it gets one, so it does not stay what it was."""
    return any(r["length"] is None or "Content-Length" not in {name.title() for name, value in r["headers"] if value}
               for r in ls(path, "--headers")[0] if r["version"].upper() != "WARC/00.11" and not r["version"].startswith("ARC"))


def octets(path):
    """The octets of all records, without the line ends between them: header and block of each."""
    records, _ = ls(path, "--full", "--headers")
    headers, found = fonds("cat", path, "--part", "header").stdout, []
    for record, block in zip(records, blocks(path, records), strict=True):
        found.append((record.get("type"), headers[:record["header_length"]], block))
        headers = headers[record["header_length"]:]
    assert not headers
    return found


@pytest.fixture(autouse=True)
def same_time(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", ENV["SOURCE_DATE_EPOCH"])


# --- 00.11 to 1.1: the lists of the fixtures

@pytest.mark.parametrize("one", SETS, ids=lambda one: one["set"])
def test_fields_of_0011_in_1_1(one, tmp_path):
    files = [WARC / "0011" / file["file"] for file in one["files"]]
    if any(is_damaged(path) for path in files):
        pytest.skip("damaged on purpose: what of it can be converted depends on --skip-damaged")
    out = tmp_path / "out.warc"
    convert(out, "--to", "warc/1.1", "--no-warcinfo", *files)
    expected = [record for file in one["files"] for record in file["records"]]
    ours, _ = ls(out, "--headers", "--full")
    assert len(ours) == len(expected)
    for r, e, block in zip(ours, expected, blocks(out, ours), strict=True):
        if "to_warc_1_1" in e:
            assert r["headers"] == [[name, value.strip()] for name, value in e["to_warc_1_1"]], f"record {r['index']}"
        assert len(block) == e["block_length"]


def test_the_lists_are_there():
    assert sum("to_warc_1_1" in r for one in SETS for file in one["files"] for r in file["records"]) > 60


# --- there and back

@pytest.mark.parametrize("path", archives())
def test_a_change_of_compression_keeps_every_octet(path, tmp_path):
    if is_damaged(path) or lacks_a_length(path):
        pytest.skip("damaged on purpose, or without a length")
    before = fonds("cat", path).stdout
    # What stands before the first record and between records belongs to none.
    records = [header + block for _, header, block in octets(path)]
    source = path
    for codec in CODECS:
        out = tmp_path / f"out.{codec}"
        convert(out, "--check", "--compression", codec, source)
        after = fonds("cat", out).stdout
        assert [r["length"] for r in ls(out)[0]] == [r["length"] for r in ls(path, "--full")[0]]
        at = 0
        for record in records:
            assert after[at:at + len(record)] == record
            at += len(record)
            at += len(after[at:at + 64]) - len(after[at:at + 64].lstrip(b"\r\n"))
        source = out
    assert len(after) >= len(before) - 64 * len(records)


@pytest.mark.parametrize("target", [t for t in TARGETS if not t.startswith("arc")])
@pytest.mark.parametrize("path", archives())
def test_back_from_another_dialect_every_record_is_what_it_was(path, target, tmp_path):
    versions = {r.get("version", "").upper() for r in ls(path)[0]}
    own = {v.upper() for v in ("WARC/1.1", "WARC/1.0", "WARC/0.18", "warc/00.11", "ARC/1.1")} & versions
    if is_damaged(path) or lacks_a_length(path) or len(versions) != 1 or not own:
        pytest.skip("damaged, or of several dialects, or of one that is not written")
    if target.upper() in own:
        pytest.skip("an odd spelling of the version would be mended")
    there, back = tmp_path / "there.warc.gz", tmp_path / "back.warc.gz"
    convert(there, "--to", target, path)
    convert(back, "--to", own.pop().lower(), there)
    assert octets(back) == octets(path)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("path", archives())
def test_what_was_converted_is_valid_and_has_the_same_blocks(path, target, tmp_path):
    if is_damaged(path) or lacks_a_length(path):
        pytest.skip("damaged on purpose, or without a length")
    if target == "warc/00.11" and "segment-number-continuation" in path.name:
        pytest.skip("a continuation that calls itself the first segment has no form in 00.11")
    out = tmp_path / "out.warc"
    said = convert(out, "--to", target, "--no-warcinfo", path)
    skipped = sum(int(n) for n in re.findall(r"could not be carried over: [\w-]+ records? \((\d+)\)", said))
    source, made = ls(path, "--full")[0], ls(out, "--full")[0]
    found = [f for f in verify(out)[0] if f["severity"] == "error"]
    assert not found
    left = list(blocks(path, source))
    for block in blocks(out, made):
        if block in left:
            left.remove(block)
    assert len(left) <= skipped + sum(r["version"].startswith("ARC") and r["type"] == "warcinfo" for r in source)


def test_a_record_without_a_length_gets_one(tmp_path):
    source = WARC / "own/length-missing.warc"
    for target in [[], ["--to", "warc/1.1", "--no-warcinfo"], ["--compression", "gzip"]]:
        out = tmp_path / "out.warc"
        convert(out, "--check", *target, source)
        before, after = ls(source, "--full")[0], ls(out, "--headers", "--full")[0]
        assert blocks(out, after) == blocks(source, before)
        assert all(dict(r["headers"])["Content-Length"] == str(r["length"]) for r in after)


# --- what the options do

def small(tmp_path):
    path = tmp_path / "in.warc"
    path.write_bytes((WARC / "own/ok-three.warc").read_bytes())
    return path


def test_a_warcinfo_says_what_was_converted(tmp_path):
    convert(tmp_path / "out.warc", "--to", "warc/1.0", WARC / "0011/01-all-types.warc")
    first = ls(tmp_path / "out.warc", "--headers")[0][0]
    assert (first["type"], first["filename"], first["date"]) == ("warcinfo", "out.warc", "2017-07-14T02:40:00Z")
    assert ["WARC-Converted-From", "warc/00.11"] in first["headers"]
    assert b"converted from warc/00.11" in cat(tmp_path / "out.warc", "index:0", "block")


def test_original_headers_are_kept_once(tmp_path):
    convert(tmp_path / "1.0.warc", "--to", "warc/1.0", WARC / "0011/01-all-types.warc")
    convert(tmp_path / "1.1.warc", "--to", "warc/1.1", tmp_path / "1.0.warc")
    for record in ls(tmp_path / "1.1.warc", "--headers")[0]:
        assert sum(name == "WARC-Original-Header" for name, _ in record["headers"]) <= 1


def test_original_headers_can_be_left_out(tmp_path):
    said = convert(tmp_path / "out.warc", "--to", "warc/1.1", "--no-original-header", WARC / "0011/01-all-types.warc")
    assert b"WARC-Original-Header" not in (tmp_path / "out.warc").read_bytes()
    assert "could not be carried over" in said


def test_octets_that_belong_to_no_record_are_not_lost_silently(tmp_path):
    said = convert(tmp_path / "out.arc", WARC / "own/arc-length-minus1.arc")
    assert "octets that belong to no record" in said
    assert "octets that belong to no record" not in convert(tmp_path / "out.arc", WARC / "own/arc-v1.arc")


def test_ids_become_legal(tmp_path):
    convert(tmp_path / "out.warc", "--to", "warc/1.1", "--legal-ids", WARC / "0011/06-segments-gz-a.warc.gz")
    ids = [r["id"] for r in ls(tmp_path / "out.warc")[0]]
    assert ids and all(":" in i for i in ids)
    assert b"WARC-Original-ID: 54321" in (tmp_path / "out.warc").read_bytes()


def test_what_arc_cannot_hold_is_counted_and_strict_refuses(tmp_path):
    source = WARC / "own/gz-per-record.warc.gz"
    kinds = [r["type"] for r in ls(source)[0]]
    said = convert(tmp_path / "out.arc.gz", "--to", "arc/1.1", source)
    lost = len([k for k in kinds if k in ("request", "metadata", "revisit", "conversion", "continuation")])
    assert (f"({lost})" in said) == (lost > 0)
    if lost:
        convert(tmp_path / "strict.arc.gz", "--strict", "--to", "arc/1.1", source, status=1)
        assert not (tmp_path / "strict.arc.gz").exists()


def test_the_ending_of_the_output_chooses_the_compression(tmp_path):
    for ending, codec in [(".warc.gz", "gzip"), (".warc.zst", "zstd"), (".warc.lz4", "lz4"), (".warc", "none")]:
        out = tmp_path / f"out{ending}"
        convert(out, small(tmp_path))
        assert json.loads(fonds("info", "--json", out).stdout)["compression"].startswith(codec)


def test_one_member(tmp_path):
    out = tmp_path / "out.warc.gz"
    convert(out, "--one-member", small(tmp_path))
    assert {r["offset"] for r in ls(out)[0]} == {0}


def test_skip_lengths(tmp_path):
    out = tmp_path / "out.warc.gz"
    convert(out, "--skip-lengths", "--to", "warc/00.11", WARC / "0011/01-all-types.warc")
    data = out.read_bytes()
    for record in ls(out)[0]:
        member = data[record["offset"]:]
        assert member[3] & 4 and member[12:14] == b"sl"
        assert int.from_bytes(member[16:20], "little") == record["stored_length"]


@pytest.mark.parametrize("options", [["--compression", "gzip", "--level", "13"], ["--compression", "zstd", "--level", "23"],
                                     ["--compression", "lz4", "--level", "13"], ["--compression", "none", "--level", "1"],
                                     ["--compression", "brotli"], ["--to", "warc/2.0"], ["--per-record", "--one-member"],
                                     ["--compression", "zstd", "--one-member"], ["--compression", "gzip", "--dictionary", "x"]],
                         ids=" ".join)
def test_wrong_options_are_refused_and_leave_nothing(options, tmp_path):
    (tmp_path / "x").write_bytes(b"no dictionary")
    said = fonds("convert", *options, "-o", tmp_path / "out.warc", small(tmp_path), cwd=tmp_path)
    assert said.returncode == 2 and said.stderr
    assert not (tmp_path / "out.warc").exists()


def test_output_is_the_same_for_any_number_of_threads(tmp_path):
    source = tmp_path / "in.warc.gz"
    convert(source, *[WARC / "own/gz-per-record.warc.gz"] * 50)
    for codec in ("gzip", "zstd", "lz4"):
        made = set()
        for threads in (1, 2, 7):
            convert(tmp_path / "out", "--threads", threads, "--compression", codec, "--to", "warc/1.0", source)
            made.add((tmp_path / "out").read_bytes())
        assert len(made) == 1, codec


def test_damage_stops_and_leaves_what_was_there(tmp_path):
    out = tmp_path / "out.warc"
    out.write_bytes(b"old")
    convert(out, WARC / "own/gz-bad-deflate.warc.gz", status=1)
    assert out.read_bytes() == b"old"
    convert(out, "--skip-damaged", WARC / "own/gz-bad-deflate.warc.gz", status=1)
    assert not is_damaged(out) and len(ls(out)[0]) > 0


def test_into_a_pipe_and_from_one(tmp_path):
    source = small(tmp_path).read_bytes()
    made = fonds("convert", "--compression", "zstd", "-o", "-", "-", input=source)
    assert made.returncode == 0
    back = fonds("convert", "--compression", "none", "-o", "-", "-", input=made.stdout)
    assert back.stdout == source


def test_output_that_is_an_input(tmp_path):
    source = small(tmp_path)
    before = source.read_bytes()
    convert(source, "--compression", "none", source)  # -f: it is replaced when the new one is whole
    assert source.read_bytes() == before


def test_an_empty_file_becomes_an_empty_archive(tmp_path):
    empty = tmp_path / "empty.warc"
    empty.write_bytes(b"")
    done = fonds("convert", "--to", "warc/1.1", "-o", tmp_path / "out.warc", empty)
    assert done.returncode in (0, 3), done.stderr
