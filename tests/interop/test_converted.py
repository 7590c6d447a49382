"""Peers read what `convert` wrote, and see the same records."""
import collections
import hashlib

import fastwarc.warc
import pytest
import warcio.archiveiterator
from peers import model_type, types_by_jwarc
from program import WARC, blocks, fonds, ls

SOURCES = ["own/gz-per-record.warc.gz", "own/arc-v1.arc.gz", "own/arc-v2.arc", "own/versions.warc", "own/segmented-1.warc",
           "own/http-chunked.warc", "0011/01-all-types.warc", "0011/04-folding-charset.warc", "0011/12-mixed-versions.warc",
           "third-party/warcio-example.warc.gz", "third-party/cc-whirlwind.warc.gz"]
# To where, and what it is read by. jwarc refuses letters of 00.11 that are no token; 1.x is for all.
TARGETS = ["warc/1.1", "warc/1.0"]


def of_ours(path):
    records = ls(path, "--full")[0]
    return [(model_type(r.get("type")), hashlib.sha256(block).hexdigest())
            for r, block in zip(records, blocks(path, records), strict=True)]


def of_warcio(path):
    with open(path, "rb") as stream:
        return [(model_type(r.rec_type), hashlib.sha256(r.raw_stream.read()).hexdigest())
                for r in warcio.archiveiterator.ArchiveIterator(stream, no_record_parse=True)]


def of_fastwarc(path):
    with open(path, "rb") as stream:
        return [(model_type(r.headers.get("WARC-Type")), hashlib.sha256(r.reader.read()).hexdigest())
                for r in fastwarc.warc.ArchiveIterator(stream, parse_http=False)]


@pytest.fixture(scope="module", params=[(s, t, e) for s in SOURCES for t in TARGETS for e in ("", ".gz", ".zst", ".lz4")],
                ids=lambda p: "-".join(p).replace("/", "-"))
def converted(request, tmp_path_factory):
    source, target, ending = request.param
    if not (WARC / source).exists():
        pytest.skip("not among these fixtures")
    out = tmp_path_factory.mktemp("converted") / f"out.warc{ending}"
    done = fonds("convert", "--to", target, "-o", out, WARC / source)
    assert done.returncode == 0, done.stderr
    return out


def test_fastwarc_reads_the_same_records(converted):
    assert of_fastwarc(converted) == of_ours(converted)


def test_warcio_reads_the_same_records(converted):
    if converted.suffix in (".zst", ".lz4"):
        pytest.skip("warcio reads neither")
    assert of_warcio(converted) == of_ours(converted)


def test_jwarc_reads_the_same_types(converted, jwarc):
    if converted.suffix in (".zst", ".lz4"):
        pytest.skip("jwarc never ends on zstd and does not read lz4")
    assert types_by_jwarc(jwarc, converted) == collections.Counter(kind for kind, _ in of_ours(converted))
