"""Checkpoint files and seek indexes that ir_datasets and indexed_gzip share with us, both ways."""
import gzip
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import zlib

import pytest
from program import FIXTURES, ROOT, fonds

CHECKPOINTS = FIXTURES / "checkpoint"
SPACING = 96 << 10
LOOKS = {  # the options of make_warc.py, and where the collection has the file
    "clueweb12": (["--dialect", "1.0"], "ClueWeb12_00/0000tw/0000tw-00.warc.gz"),
    "clueweb09": (["--dialect", "0.18"], "ClueWeb09_English_1/en0000/00.warc.gz"),
    "clueweb09-quirks": (["--dialect", "0.18", "--quirks", "--sep", "2"], "ClueWeb09_English_1/en0000/00.warc.gz"),
}
# ir_datasets can loop for ever, so it runs in a process of its own. Reads a job as JSON, writes an answer as JSON.
DRIVER = """
import hashlib, json, sys
from ir_datasets.datasets.clueweb09 import ClueWeb09Docs
from ir_datasets.datasets.clueweb12 import ClueWeb12Docs
from ir_datasets.indices.clueweb_warc import ClueWebWarcDocstore, ClueWebWarcIndex
class Folder:
    def __init__(self, path): self.root = path
    def path(self, force=True): return self.root
job = json.load(sys.stdin)
if job["do"] == "build":
    ClueWebWarcIndex(job["source"], job["out"], warc_cw09=job["cw09"]).build(checkpoint_freq=job["spacing"])
    print("[]")
else:
    docs = (ClueWeb09Docs if job["cw09"] else ClueWeb12Docs)(Folder(job["docs"]), Folder(job["checkpoints"]))
    store = ClueWebWarcDocstore(docs)
    asked = [job["ids"]] if job["together"] else [[doc_id] for doc_id in job["ids"]]
    found = [[d.doc_id, hashlib.sha256(d.body).hexdigest()] for ids in asked for d in store.get_many_iter(ids)]
    print(json.dumps(found))
"""


def ir_datasets(home, **job):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", DRIVER], input=json.dumps(job).encode(),
                          capture_output=True, timeout=120, env={**os.environ, "IR_DATASETS_HOME": str(home)})
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return json.loads(done.stdout)


@pytest.fixture(scope="session")
def peer():
    for module in ("zlib_state", "lz4.frame", "warc", "warc3_wet_clueweb09", "ir_datasets.indices"):
        pytest.importorskip(module)


class Collection:
    """A made collection of one file: its folder, its documents, where checkpoints go."""

    def __init__(self, folder, look):
        options, name = LOOKS[look]
        self.folder, self.cw09 = folder, look != "clueweb12"
        self.source, self.checkpoints = folder / "docs" / name, folder / "chk"
        self.checkpoint = self.checkpoints / f"{name}.chk.lz4"
        for path in (self.source, self.checkpoint):
            path.parent.mkdir(parents=True)
        subprocess.run([sys.executable, ROOT / "bench/make_warc.py", self.source, *options, "--compression", "stream",
                        "--size", "6M", "--seed", "11", "--jobs", "1", "--index", folder / "rows.tsv"],
                       check=True, capture_output=True)
        self.decoded = gzip.decompress(self.source.read_bytes())
        rows = [line.rstrip("\n").split("\t") for line in open(folder / "rows.tsv")]
        self.records = {row[2]: self.decoded[int(row[4]):int(row[4]) + int(row[5])] for row in rows if row[1] != "warcinfo"}

    def bodies(self):
        """[id, digest of the body] of every document, as ir_datasets gives it: what follows the first empty line of
        the block."""
        found = []
        for doc_id, record in self.records.items():
            block = record[record.index(b"HTTP/1."):]
            body = re.split(rb"\r?\n\r?\n", block, maxsplit=1)[1]
            found.append([doc_id, hashlib.sha256(body).hexdigest()])
        return found

    def read_by_peer(self, ids, together=False):
        return ir_datasets(self.folder, do="read", cw09=self.cw09, docs=str(self.source.parents[2]),
                           checkpoints=str(self.checkpoints), ids=ids, together=together)

    def build_by_peer(self, out, spacing):
        ir_datasets(self.folder, do="build", cw09=self.cw09, source=str(self.source), out=str(out), spacing=spacing)


@pytest.fixture(scope="module", params=LOOKS)
def collection(request, tmp_path_factory):
    return Collection(tmp_path_factory.mktemp("collection"), request.param)


def index(path, kind, out, *options):
    done = fonds("index", path, "--type", kind, "-f", "-o", out, *options)
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize("options", [[], ["--sparse"]], ids=["whole", "sparse"])
def test_ir_datasets_reads_every_document_by_our_checkpoints(peer, collection, options):
    index(collection.source, "checkpoint", collection.checkpoint, "--spacing", SPACING, *options)
    wanted = collection.bodies()
    ids = [doc_id for doc_id, _ in wanted]
    assert collection.read_by_peer(ids) == wanted
    assert collection.read_by_peer(ids, together=True) == wanted


def test_ours_are_about_as_many_as_those_of_ir_datasets_or_more(peer, collection, tmp_path):
    index(collection.source, "checkpoint", collection.checkpoint, "--spacing", SPACING)
    collection.build_by_peer(tmp_path / "theirs", SPACING)
    count = lambda path: path.read_bytes().count(b"\x04\x22\x4d\x18\x40\x40\xc0")
    # A later end of a block, nearer to its document, is taken where there are several.
    assert count(collection.checkpoint) >= 0.8 * count(tmp_path / "theirs") > 4


def test_sparse_windows_take_less_than_half_of_the_room(collection, tmp_path):
    index(collection.source, "checkpoint", tmp_path / "whole", "--spacing", SPACING)
    index(collection.source, "checkpoint", tmp_path / "sparse", "--spacing", SPACING, "--sparse")
    assert 2 * (tmp_path / "sparse").stat().st_size < (tmp_path / "whole").stat().st_size


def beside(source, folder):
    """A link to the archive in a folder of its own, where a companion can be put beside it."""
    link = folder / source.name
    if not link.exists():
        os.link(source, link)
    return link


def test_we_read_every_document_by_their_checkpoints(peer, collection, tmp_path):
    archive = beside(collection.source, tmp_path)
    collection.build_by_peer(f"{archive}.chk.lz4", SPACING)
    for doc_id, record in random.Random(1).sample(sorted(collection.records.items()), 40):
        done = fonds("cat", archive, f"id:{doc_id}")
        assert (done.returncode, done.stdout.rstrip(b"\r\n")) == (0, record.rstrip(b"\r\n")), doc_id
        assert b"stale" not in done.stderr, done.stderr


def test_we_read_every_document_by_our_checkpoints(collection, tmp_path):
    archive = beside(collection.source, tmp_path)
    index(archive, "checkpoint", f"{archive}.chk.lz4", "--spacing", SPACING, "--sparse")
    for doc_id, record in random.Random(2).sample(sorted(collection.records.items()), 40):
        done = fonds("cat", archive, f"id:{doc_id}")
        assert (done.returncode, done.stdout.rstrip(b"\r\n")) == (0, record.rstrip(b"\r\n")), doc_id
        assert b"stale" not in done.stderr, done.stderr


def test_an_id_that_is_not_there_is_not_found(collection, tmp_path):
    archive = beside(collection.source, tmp_path)
    index(archive, "checkpoint", f"{archive}.chk.lz4", "--spacing", SPACING)
    doc_id = max(collection.records)
    for other in (doc_id[:-5] + "99999", doc_id[:-6] + ".00000", doc_id + "0"):
        done = fonds("cat", archive, f"id:{other}")
        assert (done.returncode, done.stdout) == (1, b""), other


@pytest.mark.parametrize("spacing", [32 << 10, SPACING, 1 << 20, 8 << 20])
def test_the_reference_layout_compares_equal(peer, collection, tmp_path, spacing):
    collection.build_by_peer(tmp_path / "theirs", spacing)
    index(collection.source, "checkpoint", tmp_path / "ours", "--spacing", spacing, "--layout", "reference")
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


@pytest.mark.parametrize("name", ["0000tw-00.warc.gz", "00.warc.gz", "01.warc.gz"])
def test_the_reference_layout_is_that_of_the_fixtures(tmp_path, name):
    if not CHECKPOINTS.is_dir():
        pytest.skip("no checkpoint fixtures")
    index(CHECKPOINTS / name, "checkpoint", tmp_path / "ours", "--spacing", SPACING, "--layout", "reference")
    assert (tmp_path / "ours").read_bytes() == (CHECKPOINTS / f"{name}.chk.lz4").read_bytes()


# --- indexed_gzip ---

def members(data, *cuts):
    """The data as gzip members that end at these places."""
    ends = [0, *cuts, len(data)]
    return b"".join(gzip.compress(data[a:b], 6) for a, b in zip(ends, ends[1:]))


@pytest.fixture(scope="module")
def text():
    words = random.Random(3)
    vocabulary = ["".join(words.choices("abcdefghijklmnop", k=words.randrange(2, 12))) for _ in range(5000)]
    return " ".join(words.choices(vocabulary, k=900_000)).encode()


@pytest.fixture(params=["one", "many"])
def stored(request, text, tmp_path):
    """A gzip file that is no archive."""
    path = tmp_path / "text.gz"
    path.write_bytes(members(text) if request.param == "one" else members(text, 1000, 40_000, 2_000_000, 2_000_001))
    return path


def check_reads(peer_file, text):
    places = random.Random(4)
    for _ in range(100):
        at, n = places.randrange(len(text)), places.randrange(1, 200_000)
        peer_file.seek(at)
        assert peer_file.read(n) == text[at:at + n], (at, n)
    assert peer_file.seek(0, os.SEEK_END) == len(text)


@pytest.mark.parametrize("spacing", [64 << 10, 1 << 20, 4 << 20])
def test_indexed_gzip_seeks_by_our_index(stored, text, spacing):
    indexed_gzip = pytest.importorskip("indexed_gzip")
    index(stored, "gzidx", f"{stored}.gzidx", "--spacing", spacing)
    with indexed_gzip.IndexedGzipFile(stored, index_file=f"{stored}.gzidx", auto_build=False) as file:
        check_reads(file, text)
        points = [decoded for decoded, _ in file.seek_points()]
    with indexed_gzip.IndexedGzipFile(stored, spacing=spacing) as file:
        file.build_full_index()
        theirs = [decoded for decoded, _ in file.seek_points()]
    assert 0.75 * len(theirs) - 1 <= len(points) <= len(theirs) + 2
    assert (points[0], points[-1]) == (theirs[0], theirs[-1])


@pytest.mark.parametrize("cuts", [[], [700_000, 700_300, 3_000_000]], ids=["one", "many"])
def test_we_read_by_their_index(collection, tmp_path, cuts):
    indexed_gzip = pytest.importorskip("indexed_gzip")
    archive = tmp_path / "a.warc.gz"
    archive.write_bytes(members(collection.decoded, *cuts))
    with indexed_gzip.IndexedGzipFile(archive, spacing=256 << 10) as file:
        file.build_full_index()
        file.export_index(f"{archive}.gzidx")
    plain = fonds("ls", "--json", collection.source).stdout
    ids = [json.loads(line).get("trec_id") for line in plain.splitlines()]
    assert [json.loads(line).get("trec_id") for line in fonds("ls", "--json", archive).stdout.splitlines()] == ids
    for doc_id, record in random.Random(5).sample(sorted(collection.records.items()), 10):
        done = fonds("cat", archive, f"id:{doc_id}")
        assert (done.returncode, done.stdout.rstrip(b"\r\n")) == (0, record.rstrip(b"\r\n")), doc_id
        assert b"stale" not in done.stderr, done.stderr
    full = fonds("cat", "--threads", "2", archive).stdout
    assert zlib.crc32(full) == zlib.crc32(fonds("cat", "--threads", "1", collection.source).stdout)


def test_verify_is_silent_about_good_companions(collection, tmp_path):
    archive = beside(collection.source, tmp_path)
    index(archive, "checkpoint", f"{archive}.chk.lz4", "--spacing", SPACING)
    done = fonds("verify", "--json", archive)
    assert b"chk-" not in done.stdout, done.stdout[-2000:]
