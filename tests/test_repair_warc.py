"""`fonds repair` of WARC and ARC, read back by other programs."""
import gzip
import hashlib
import random

import pytest
from program import WARC, fonds, json_lines, verify

GOOD = [WARC / "own" / name for name in (
    "ok-three.warc", "gz-per-record.warc.gz", "gz-single-member.warc.gz", "gz-two-per-member.warc.gz",
    "gz-record-over-members.warc.gz", "gz-empty-members.warc.gz", "gz-tail-plain.warc.gz", "gz-double.warc.gz",
    "gz-all-header-fields.warc.gz", "zst-per-record.warc.zst", "lz4-per-record.warc.lz4", "lz4-single-frame.warc.lz4",
    "bz2-whole.warc.bz2", "xz-whole.warc.xz", "extra-newlines.warc", "bom.warc", "header-lf-only.warc", "versions.warc",
    "arc-v1.arc", "arc-v1.arc.gz", "arc-v2.arc", "arc-then-warc.warc", "dates.warc", "folded.warc")]


def repair(path, out, *options):
    done = fonds("repair", "--json", "-o", out, *options, path)
    *lost, closing = json_lines(done.stdout)
    return lost, closing, done.returncode


def record(number, block):
    head = (f"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:{number:08}-0000-4000-8000-000000000000>\r\n"
            f"WARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Target-URI: http://a.example/{number}\r\n"
            f"Content-Type: text/plain\r\nContent-Length: {len(block)}\r\n\r\n")
    return head.encode() + block + b"\r\n\r\n"


def read_with_warcio(path):
    archiveiterator = pytest.importorskip("warcio.archiveiterator")
    with open(path, "rb") as stream:
        return [(r.rec_headers.get_header("WARC-Target-URI"), r.content_stream().read())
                for r in archiveiterator.ArchiveIterator(stream)]


def read_with_fastwarc(path):
    warc = pytest.importorskip("fastwarc.warc")
    with open(path, "rb") as stream:
        return [(r.headers["WARC-Target-URI"], r.reader.read()) for r in warc.ArchiveIterator(stream, parse_http=False)]


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.name)
def test_a_good_file_does_not_change(path, tmp_path):
    lost, closing, status = repair(path, tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == path.read_bytes()
    assert (lost, status, closing["ok"], closing["changes"]) == ([], 0, True, {})


@pytest.mark.parametrize("read", [read_with_warcio, read_with_fastwarc])
def test_peers_read_what_was_saved(read, tmp_path):
    rng = random.Random(1)
    blocks = [rng.randbytes(rng.randrange(3000)) for _ in range(20)]
    blocks[13] = b" ".join(b"%d" % rng.randrange(10**9) for _ in range(300))  # bytes that deflate does not just store
    members = [gzip.compress(record(i, block), mtime=0) for i, block in enumerate(blocks)]
    bad = bytearray(members[4])
    bad[-8] ^= 1  # checksum
    members[4] = bytes(bad)
    members[9] = b"stray octets" + members[9]
    members[13] = members[13][: len(members[13]) // 2]
    damaged, out = tmp_path / "damaged.warc.gz", tmp_path / "out.warc.gz"
    damaged.write_bytes(b"".join(members) + bytes(500))
    lost, closing, status = repair(damaged, out)
    assert status == 1 and closing["lost_bytes"] == sum(range_["length"] for range_ in lost)
    assert verify(out)[1]["errors"] == 0
    found = dict(read(out))
    for i, block in enumerate(blocks):
        uri = f"http://a.example/{i}"
        if i == 13:
            assert uri not in found or block.startswith(found[uri])
        else:
            assert found[uri] == block, i


@pytest.mark.parametrize("read", [read_with_warcio, read_with_fastwarc])
def test_a_whole_stream_becomes_a_member_for_each_record(read, tmp_path):
    blocks = [b"block %d" % i * i for i in range(9)]
    whole, out = tmp_path / "whole.warc.gz", tmp_path / "out.warc.gz"
    whole.write_bytes(gzip.compress(b"".join(record(i, block) for i, block in enumerate(blocks)), mtime=0))
    _, closing, status = repair(whole, out, "--per-record")
    assert status == 0 and closing["changes"] == {"records were compressed anew": 9}
    assert [block for _, block in read(out)] == blocks


def test_wrong_lengths_and_missing_line_ends_are_mended_for_warcio(tmp_path):
    data = record(0, b"first").replace(b"Content-Length: 5", b"Content-Length: 2")
    data += record(1, b"second")[:-4] + record(2, b"third")
    (tmp_path / "in.warc").write_bytes(data)
    _, closing, status = repair(tmp_path / "in.warc", tmp_path / "out.warc")
    assert status == 0
    assert closing["changes"] == {"records got the right length": 1, "records got their closing line ends": 1}
    assert [block for _, block in read_with_warcio(tmp_path / "out.warc")] == [b"first", b"second", b"third"]


@pytest.mark.parametrize("name", ["iagowarc-corrupted-mid-record.warc.gz.open",
                                  "iagowarc-corrupted-trailing-bytes.warc.gz.open"])
def test_an_open_file_of_a_crawler_loses_only_its_tail(name, tmp_path):
    path = WARC / "third-party" / name
    lost, closing, status = repair(path, tmp_path / "out.warc.gz")
    kept = (tmp_path / "out.warc.gz").read_bytes()
    assert status == 1 and path.read_bytes().startswith(kept)
    assert [range_["offset"] for range_ in lost] == [len(kept)]
    assert closing["lost_bytes"] == path.stat().st_size - len(kept)
    assert len(read_with_fastwarc(tmp_path / "out.warc.gz")) == closing["records"]


def test_the_decoys_of_wrong_lengths_stay_inside_their_block(tmp_path):
    path = WARC / "0011/11-bad-lengths.warc"
    _, closing, _ = repair(path, tmp_path / "out.warc")
    assert closing["records"] == 7 and closing["changes"]["records got the right length"] == 2
    assert b"urn:uuid:decoy w1\r\n\r\nstill the block\r\n\r\n" in (tmp_path / "out.warc").read_bytes()


def test_the_input_stays_as_it_is(tmp_path):
    path = tmp_path / "in.warc"
    path.write_bytes(record(0, b"x") + b"garbage")
    before = hashlib.sha256(path.read_bytes()).digest()
    assert fonds("repair", "-o", path, path).returncode == 2
    assert fonds("repair", "-f", "-o", tmp_path / "out.warc", path).returncode == 1
    assert hashlib.sha256(path.read_bytes()).digest() == before


def test_a_pipe_is_refused_with_a_way_out(tmp_path):
    done = fonds("repair", "-o", tmp_path / "out.warc", "-", input=record(0, b"x"))
    assert done.returncode == 3 and b"save it to a file" in done.stderr
    assert not (tmp_path / "out.warc").exists()


def test_an_empty_file_stays_empty(tmp_path):
    (tmp_path / "in.warc").write_bytes(b"")
    done = fonds("repair", "--format", "warc", "-o", tmp_path / "out.warc", tmp_path / "in.warc")
    assert done.returncode == 0 and (tmp_path / "out.warc").read_bytes() == b""


def test_json_and_the_archive_cannot_share_standard_output(tmp_path):
    (tmp_path / "in.warc").write_bytes(record(0, b"x"))
    assert fonds("repair", "--json", "-o", "-", tmp_path / "in.warc").returncode == 2
    assert fonds("repair", "-o", "-", tmp_path / "in.warc").stdout == record(0, b"x")
