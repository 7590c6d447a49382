"""Peers read the same archives, our listing and our output, and see the same records.

Compared are the files for which the manifests say that the peer is right."""
import collections
import json
import subprocess
import sys

import pytest
from peers import by_fastwarc, by_warcio, model_type, types_by_jwarc
from program import ROOT, WARC, codes, fonds, ls

OWN = json.loads((WARC / "own/expected.json").read_text())["files"]
THIRD = json.loads((WARC / "third-party.json").read_text())["files"]
NO_OFFSETS = {"gz-empty-members.warc.gz"}  # peers count an empty member to the record behind it
NO_LENGTH = {"jwat-invalid-warcfile-lonely-revisit.warc"}  # no Content-Length: each reader has its rule


def right(peer):
    """The files that the peer reads wholly and rightly."""
    own = [(WARC / "own" / n, e) for n, e in OWN.items() if peer in e.get("confirmed_by", [])]
    third = [(WARC / "third-party" / n, e) for n, e in THIRD.items() if e.get("agree")]
    return [pytest.param(path, id=path.name) for path, entry in own + third
            if path.exists() and "error" not in entry["peers"][peer]]


def ours(path):
    return [(r["offset"], model_type(r.get("type")), r["length"], r.get("inner", 0)) for r in ls(path, "--full")[0]]


def same(path, theirs):
    """Offsets count where a record begins with its unit; for ARC each reader has types of its own."""
    mine = ours(path)
    assert len(mine) == len(theirs)
    for (offset, kind, length, inner), (their_offset, their_kind, their_length) in zip(mine, theirs):
        if not inner and path.name not in NO_OFFSETS:
            assert offset == their_offset
        if ".arc" not in path.name:
            assert kind == their_kind
        if their_length is not None and path.name not in NO_LENGTH:
            assert length == their_length


@pytest.mark.parametrize("path", right("warcio"))
def test_warcio_lists_the_same_records(path):
    with open(path, "rb") as stream:
        same(path, list(by_warcio(stream)))


@pytest.mark.parametrize("path", right("fastwarc"))
def test_fastwarc_lists_the_same_records(path):
    with open(path, "rb") as stream:
        same(path, list(by_fastwarc(stream)))


@pytest.mark.parametrize("path", [p for p in right("warcio") if p.values[0].name not in NO_OFFSETS])
def test_warcio_reads_each_record_at_the_offset_that_we_list(path):
    for record in ls(path)[0]:
        if record.get("inner"):
            continue
        with open(path, "rb") as stream:
            stream.seek(record["offset"])
            _, kind, length = next(by_warcio(stream))
        assert kind == model_type(record.get("type")) or ".arc" in path.name
        assert length in (None, record["length"]) or path.name in NO_LENGTH


@pytest.mark.parametrize("path", right("warcio"))
def test_warcio_reads_what_cat_wrote(path, tmp_path):
    records = ls(path, "--full")[0]
    if any(codes(r) & {"trailer-missing", "bad-length", "length-suspect"} for r in records) or path.name in NO_LENGTH:
        pytest.skip("warcio needs exact framing where nothing is compressed")
    plain = tmp_path / "plain"
    plain.write_bytes(fonds("cat", path).stdout)
    with open(plain, "rb") as stream:
        theirs = [length for _, _, length in by_warcio(stream)]
    assert theirs == [None if their is None else r["length"] for r, their in zip(records, theirs, strict=True)]


LAYOUTS = [("1.0", "record"), ("1.0", "stream"), ("1.0", "plain"), ("1.1", "record"), ("1.1", "plain"),
           ("0.18", "stream"), ("0.18", "plain")]


@pytest.fixture(scope="module", params=LAYOUTS, ids="-".join)
def corpus(request, tmp_path_factory):
    dialect, compression = request.param
    path = tmp_path_factory.mktemp("corpus") / ("c.warc" if compression == "plain" else "c.warc.gz")
    options = ["--dialect", dialect, "--compression", compression, "--size", "20M" if compression == "stream" else "2M", "--seed", "7", "--jobs", "1"]
    if dialect == "1.1":
        options += ["--statuses", "--encodings", "gzip,br,chunked"]
    elif dialect == "1.0":
        options += ["--style", "crawl"]
    subprocess.run([sys.executable, ROOT / "bench/make_warc.py", path, *options, "--index", f"{path}.tsv"],
                   check=True, capture_output=True)
    return path, dialect, compression


def test_a_made_crawl_is_listed_as_its_index_says(corpus):
    path, _, compression = corpus
    rows = [line.split("\t") for line in open(f"{path}.tsv")]
    records = ls(path)[0]
    assert [r["type"] for r in records] == [row[1] for row in rows]
    place = {"record": lambda r: r["offset"], "plain": lambda r: r["offset"], "stream": lambda r: r.get("inner", 0)}
    assert [place[compression](r) for r in records] == [int(row[4 if compression == "stream" else 6]) for row in rows]


def test_peers_and_we_list_a_made_crawl_alike(corpus):
    path, dialect, compression = corpus
    for peer in ([by_fastwarc] if dialect != "0.18" else []) + ([by_warcio] if compression != "stream" else []):
        with open(path, "rb") as stream:
            same(path, list(peer(stream)))


def test_a_made_crawl_verifies(corpus):
    path, dialect, _ = corpus
    done = fonds("verify", "--json", path)
    assert json.loads(done.stdout.splitlines()[-1])["errors"] == 0, dialect


def test_jwarc_counts_the_same_records_by_type(jwarc):
    for param in right("jwarc"):
        path = param.values[0]
        # It never ends on .zst, has types of its own for ARC, and its driver none for a missing type.
        if path.suffix == ".zst" or ".arc" in path.name or path.name == "unknown-type.warc":
            continue
        assert types_by_jwarc(jwarc, path) == collections.Counter(kind for _, kind, *_ in ours(path)), path.name
