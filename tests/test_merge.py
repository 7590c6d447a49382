"""merge of web archives as a program: its bytes, what other readers make of them, and what it refuses."""
import base64
import hashlib
import json
import shutil
import subprocess

import pytest
from program import FIXTURES, WARC, fonds, ls, verify

ZST = FIXTURES / "warc-zst"
fastwarc = pytest.importorskip("fastwarc.warc")
warcio = pytest.importorskip("warcio.archiveiterator")

LAYOUTS = {"plain": "none", "gz": "gzip", "zst": "zstd", "lz4": "lz4"}


def digest(data):
    return hashlib.sha1(data).hexdigest()


def by_fastwarc(path):
    with open(path, "rb") as stream:
        return [(r.headers.get("WARC-Type"), r.headers.get("WARC-Record-ID"), digest(r.reader.read()))
                for r in fastwarc.ArchiveIterator(stream, parse_http=False)]


def by_warcio(path):
    with open(path, "rb") as stream:
        return [(r.rec_type, r.rec_headers.get_header("WARC-Record-ID"), digest(r.raw_stream.read()))
                for r in warcio.ArchiveIterator(stream, no_record_parse=True)]


def record(name, kind, block, more=""):
    uri = "" if kind == "warcinfo" else f"WARC-Target-URI: http://example.com/{name}\r\n"
    return (f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{name:0>12}>\r\n"
            f"WARC-Date: 2020-01-01T00:00:00Z\r\n{uri}Content-Type: text/plain\r\n{more}"
            f"Content-Length: {len(block)}\r\n\r\n").encode() + block + b"\r\n\r\n"


@pytest.fixture
def two(tmp_path):
    """Makes two archives in one layout."""
    def make(layout):
        paths = []
        for n in (1, 2):
            plain = tmp_path / f"in{n}.warc"
            plain.write_bytes(record(f"{n}0", "warcinfo", b"software: x\r\n") +
                              b"".join(record(f"{n}{i}", "resource", b"block %d " % i * 99) for i in range(1, 9)))
            paths.append(tmp_path / f"{n}.warc.{layout}")
            done = fonds("convert", "--compression", LAYOUTS[layout], "-o", paths[-1], plain)
            assert done.returncode == 0, done.stderr
        return paths
    return make


def merge(out, *paths, status=0):
    done = fonds("merge", "-o", out, *paths)
    assert done.returncode == status, done.stderr
    return done


@pytest.mark.parametrize("layout", LAYOUTS)
def test_whole_archives_are_concatenated_and_read_alike_by_peers(layout, two, tmp_path):
    a, b = two(layout)
    out = tmp_path / f"out.warc.{layout}"
    merge(out, a, b)
    assert out.read_bytes() == a.read_bytes() + b.read_bytes()
    assert by_fastwarc(out) == by_fastwarc(a) + by_fastwarc(b)
    assert len(by_fastwarc(out)) == 18
    if layout in ("plain", "gz"):
        assert by_warcio(out) == by_warcio(a) + by_warcio(b) == by_fastwarc(out)
    findings, closing, status = verify(out)
    assert status == 0 and closing["ok"] and not [f for f in findings if f["severity"] != "note"]


@pytest.mark.parametrize("names", [
    ("ok-dict-raw", "ok-dict-compressed"), ("ok-nodict", "ok-dict-raw"), ("ok-dict-raw", "ok-nodict"),
    ("ok-extension-frames", "ok-empty-frames", "ok-multi-frame-records"), ("ok-dict-extension", "ok-dict-raw")])
def test_zstandard_keeps_its_rules_and_its_records(names, tmp_path):
    paths = [ZST / f"{name}.warc.zst" for name in names]
    out = tmp_path / "out.warc.zst"
    merge(out, *paths)
    assert by_fastwarc(out) == [r for path in paths for r in by_fastwarc(path)]
    assert not [f for f in verify(out)[0] if f["severity"] == "error"]
    assert fonds("cat", out).stdout == b"".join(fonds("cat", path).stdout for path in paths)


@pytest.mark.skipif(shutil.which("zstd") is None, reason="no zstd command")
def test_the_zstd_command_decodes_what_was_merged(two, tmp_path):
    a, b = two("zst")
    out = tmp_path / "out.warc.zst"
    merge(out, a, b)
    assert subprocess.run(["zstd", "-dc", out], capture_output=True, check=True).stdout == fonds("cat", out).stdout
    merge(tmp_path / "dict.warc.zst", ZST / "ok-nodict.warc.zst", ZST / "ok-dict-raw.warc.zst")
    data = (tmp_path / "dict.warc.zst").read_bytes()
    dictionary = tmp_path / "dictionary"
    dictionary.write_bytes(data[8:8 + int.from_bytes(data[4:8], "little")])
    done = subprocess.run(["zstd", "-dc", "-D", dictionary, tmp_path / "dict.warc.zst"], capture_output=True, check=True)
    assert done.stdout == fonds("cat", tmp_path / "dict.warc.zst").stdout


def archives():
    left_out = {"README.md"}
    for folder in (WARC / "own", WARC / "0011", WARC / "third-party", ZST):
        for path in sorted(folder.iterdir()):
            if path.is_file() and path.name not in left_out and not path.name.endswith(".json"):
                yield pytest.param(path, id=path.name)


@pytest.mark.parametrize("path", list(archives()))
def test_one_archive_gives_its_own_bytes_or_stops(path, tmp_path):
    out = tmp_path / "out"
    done = fonds("merge", "-o", out, path)
    if b"is no archive that fonds knows" in done.stderr:
        pytest.skip("no archive")
    if done.returncode == 0:
        assert out.read_bytes() == path.read_bytes()
    else:
        assert done.returncode == 1 and not out.exists()
        assert fonds("merge", "--skip-damaged", "-o", out, path).returncode in (0, 1)


def test_empty_archives_add_nothing(two, tmp_path):
    a, _ = two("gz")
    empty = tmp_path / "empty.warc.gz"
    empty.write_bytes(b"")
    merge(tmp_path / "out", empty, a, empty)
    assert (tmp_path / "out").read_bytes() == a.read_bytes()
    merge(tmp_path / "nothing", empty, empty)
    assert (tmp_path / "nothing").read_bytes() == b""


def test_standard_input_can_be_merged_but_not_searched_for_segments(two, tmp_path):
    a, b = two("gz")
    done = fonds("merge", "-o", "-", a, "-", input=b.read_bytes())
    assert done.returncode == 0 and done.stdout == a.read_bytes() + b.read_bytes()
    done = fonds("merge", "--join-segments", "-o", tmp_path / "out", a, "-", input=b.read_bytes())
    assert done.returncode == 3 and b"pipe" in done.stderr and not (tmp_path / "out").exists()


def test_other_codec_is_refused_and_names_convert(two, tmp_path):
    a, _ = two("gz")
    b, _ = two("zst")
    done = merge(tmp_path / "out", a, b, status=2)
    assert b"fonds convert" in done.stderr and not (tmp_path / "out").exists()


def test_output_that_is_an_input_is_refused_or_replaced_whole(two, tmp_path):
    a, b = two("gz")
    before = a.read_bytes()
    done = fonds("merge", "-o", a, a, b)
    assert done.returncode == 3 and a.read_bytes() == before
    merged = before + b.read_bytes()
    assert fonds("merge", "-f", "-o", a, a, b).returncode == 0 and a.read_bytes() == merged


def test_damage_stops_or_is_listed(two, tmp_path):
    a, b = two("gz")
    data = bytearray(a.read_bytes())
    records, _ = ls(a)
    data[records[3]["offset"] - 6] ^= 0xFF
    a.write_bytes(data)
    done = merge(tmp_path / "out", a, b, status=1)
    assert b"--skip-damaged" in done.stderr and not (tmp_path / "out").exists()
    done = fonds("merge", "--skip-damaged", "-o", tmp_path / "out", a, b)
    assert done.returncode == 1 and b"member-crc" in done.stderr and b"1 records" in done.stderr
    left = bytes(data[:records[2]["offset"]] + data[records[3]["offset"]:])
    assert (tmp_path / "out").read_bytes() == left + b.read_bytes()


def test_records_without_warcinfo_behind_another_one_are_told(two, tmp_path):
    a, _ = two("plain")
    alone = tmp_path / "alone.warc"
    alone.write_bytes(record("77", "resource", b"alone"))
    done = merge(tmp_path / "out", a, alone)
    assert b"[warcinfo-changed]" in done.stderr
    assert b"[warcinfo-changed]" not in merge(tmp_path / "other", alone, a).stderr


@pytest.mark.parametrize("set_name", ["05-segments", "06-segments-gz"])
def test_segments_of_the_draft_become_the_logical_records(set_name, tmp_path):
    expected = json.loads((WARC / "0011" / f"{set_name}.expected.json").read_text())
    paths = [WARC / "0011" / file["file"] for file in expected["files"]]
    out = tmp_path / "out"
    done = fonds("merge", "--join-segments", "-o", out, *reversed(paths))
    complete = [r for r in expected["logical_records"] if r["complete"]]
    whole = {r["id"]: r for r in ls(out)[0] if "id" in r}
    assert complete and done.returncode == (0 if len(complete) == len(expected["logical_records"]) else 1)
    for logical in complete:
        found = whole[logical["origin_id"]]
        block = fonds("cat", "--part", "block", out, f"id:{logical['origin_id']}").stdout
        assert found["length"] == logical["block_length"] == len(block)
        assert "sha1:" + base64.b32encode(hashlib.sha1(block).digest()).decode() == logical["block_sha1"]
        assert found["segment"]["number"] == 1 and found.get("truncated") == logical["truncated"]


def test_continuation_records_become_one_that_peers_read(tmp_path):
    paths = [WARC / "own" / f"segmented-{n}.warc" for n in (3, 1, 2)]
    out = tmp_path / "out.warc"
    done = fonds("merge", "--join-segments", "-o", out, *paths)
    assert done.returncode == 0 and b"1 records were put together" in done.stderr
    parts = {(r["segment"]["number"]): path for path in paths for r in ls(path)[0] if "segment" in r}
    whole = b"".join(fonds("cat", "--part", "block", parts[n], "index:0").stdout for n in sorted(parts))
    assert [(kind, block) for kind, _, block in by_fastwarc(out)] == [("response", digest(whole))]
    assert by_warcio(out) == by_fastwarc(out)
    findings, closing, _ = verify(out)
    assert closing["ok"] and not [f for f in findings if f["severity"] != "note"]


def test_level_out_of_range_is_a_mistake_of_usage(tmp_path):
    paths = [ZST / "ok-dict-raw.warc.zst", ZST / "ok-nodict.warc.zst"]
    assert fonds("merge", "--level", "99", "-o", tmp_path / "out", *paths).returncode == 2
    assert fonds("merge", "--level", "x", "-o", tmp_path / "out", *paths).returncode == 2
    assert fonds("merge", "--level", "19", "-o", tmp_path / "out", *paths).returncode == 0


@pytest.mark.parametrize("part", ["record", "header", "block", "http", "body", "payload", "decoded"])
def test_cat_gives_the_parts_of_the_whole_record(part, tmp_path):
    first, *others = [WARC / "own" / f"segmented-{n}.warc" for n in (1, 2, 3)]
    out = tmp_path / "whole.warc"
    merge_all = fonds("merge", "--join-segments", "-o", out, first, *others)
    assert merge_all.returncode == 0
    done = fonds("cat", "--join-segments", "--part", part, first, "index:0", "--with", others[1], "--with", others[0])
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == fonds("cat", "--part", part, out).stdout != b""


def test_cat_of_everything_gives_logical_records_and_tells_what_is_missing():
    a, b = (WARC / "0011" / f"06-segments-gz-{n}.warc.gz" for n in "ab")
    done = fonds("cat", "--join-segments", "--part", "header", a, "--with", b)
    assert done.returncode == 0 and done.stdout.count(b"warc/00.11") == 1 and b" 54321 z1\r\n" in done.stdout
    done = fonds("cat", "--join-segments", "--part", "header", b, "--with", a)
    assert done.returncode == 1 and b"[segment-missing]" in done.stderr
    assert done.stdout.count(b"Segment-Origin-ID") == 2  # those that belong to no whole record


def test_cat_joins_segments_of_files_of_one_format_only(tmp_path):
    path = WARC / "0011/06-segments-gz-a.warc.gz"
    assert fonds("cat", "--with", path, path).returncode == 2
    assert fonds("cat", "--join-segments", "--with", tmp_path / "none", path).returncode == 3
    done = fonds("cat", "--join-segments", "-", input=path.read_bytes())
    assert done.returncode == 3 and b"pipe" in done.stderr
    done = fonds("cat", "--join-segments", "--with", FIXTURES / "recordio/v2-manyblocks.rio", path)
    assert done.returncode == 3 and b"one format" in done.stderr
