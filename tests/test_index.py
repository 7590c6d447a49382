"""Indexes and what uses them: found beside the archive, checked, and left alone if they are wrong."""
import hashlib
import json
import shutil
import signal
import subprocess
import time

import pytest
from faults import TEMPORARY
from program import BINARY, FIXTURES, fonds

CHECKPOINTS = FIXTURES / "checkpoint"
LONG = "0000tw-00.warc.gz"
CRAWL = FIXTURES / "warc/third-party/wac-IAH-urls-wget.warc.gz"


def sha(data):
    return hashlib.sha256(data).hexdigest()


def document(archive, key, *options):
    return fonds("cat", *options, archive, key)


def ids_of(archive):
    lines = fonds("ls", "--json", "--no-index", archive).stdout.splitlines()
    return [record["trec_id"] for record in map(json.loads, lines) if "trec_id" in record]


@pytest.fixture
def long_archive(tmp_path):
    return shutil.copy(CHECKPOINTS / LONG, tmp_path / LONG)


@pytest.mark.parametrize("companion", sorted(path.name for path in CHECKPOINTS.glob("*.chk.lz4")))
def test_no_checkpoint_file_gives_a_wrong_document(tmp_path, companion):
    """Good, damaged and foreign ones, on every archive."""
    for source in (LONG, "00.warc.gz", "01.warc.gz"):
        archive = tmp_path / source
        shutil.copy(CHECKPOINTS / source, archive)
        for document_id in ids_of(archive)[3::9]:
            wanted = document(archive, f"id:{document_id}", "--no-index")
            got = document(archive, f"id:{document_id}", "--index", str(CHECKPOINTS / companion))
            assert sha(got.stdout) == sha(wanted.stdout), (source, document_id)
            assert got.returncode == 0


@pytest.mark.parametrize("companion", sorted(path.name for path in CHECKPOINTS.glob("*.chk.lz4")))
def test_reading_on_many_threads_does_not_depend_on_checkpoints(tmp_path, companion):
    for source in (LONG, "00.warc.gz", "01.warc.gz"):
        archive = tmp_path / source
        shutil.copy(CHECKPOINTS / source, archive)
        for command in (["ls", "--full", "--json"], ["cat"]):
            plain = fonds(*command, "--no-index", "--threads", "1", archive)
            with_points = fonds(*command, "--index", str(CHECKPOINTS / companion), "--threads", "3", archive)
            assert with_points.stdout == plain.stdout, (source, command)
            assert with_points.returncode == plain.returncode


def test_foreign_checkpoints_are_named(tmp_path, long_archive):
    shutil.copy(CHECKPOINTS / "01.warc.gz.chk.lz4", f"{long_archive}.chk.lz4")
    other = tmp_path / "clueweb09.warc.gz"
    shutil.copy(CHECKPOINTS / "00.warc.gz", other)
    shutil.copy(CHECKPOINTS / "00.warc.gz.chk.lz4", f"{long_archive}.chk.lz4")
    done = document(long_archive, "id:clueweb12-0000tw-00-00030")
    assert done.returncode == 0
    assert b"clueweb12-0000tw-00-00030" in done.stdout
    verified = fonds("verify", long_archive)
    assert verified.returncode == 1
    assert b"chk-" in verified.stdout


def test_a_key_that_is_nowhere_is_not_found_whatever_the_checkpoints_say(long_archive):
    shutil.copy(CHECKPOINTS / f"{LONG}.chk.lz4", f"{long_archive}.chk.lz4")
    for key in ("id:clueweb12-0000tw-00-99999", "id:clueweb12-0000tw-00-00013x", "id:clueweb11-0000tw-00-00000"):
        done = document(long_archive, key)
        assert (done.returncode, done.stdout) == (1, b""), key
        assert b"no record" in done.stderr


def test_uris_are_found_by_cdxj_as_without_it(tmp_path):
    archive = shutil.copy(CRAWL, tmp_path / "crawl.warc.gz")
    records = [json.loads(line) for line in fonds("ls", "--json", archive).stdout.splitlines()]
    uris = sorted({record["uri"] for record in records if "uri" in record})
    assert len(uris) > 5
    plain = {uri: document(archive, f"uri:{uri}").stdout for uri in uris}
    for kind in ("cdxj", "cdx11", "cdx9", "zipnum"):
        for beside in tmp_path.glob("crawl.warc.gz.*"):
            beside.unlink()
        assert fonds("index", "--type", kind, archive).returncode == 0
        for uri in uris:
            done = document(archive, f"uri:{uri}")
            assert done.stdout == plain[uri], (kind, uri)
        assert fonds("verify", archive).returncode == fonds("verify", "--no-index", archive).returncode


def test_a_stale_cdxj_is_named_and_does_no_harm(tmp_path):
    archive = shutil.copy(CRAWL, tmp_path / "crawl.warc.gz")
    key = "uri:http://www.archive.org/robots.txt"
    wanted = document(archive, key).stdout
    assert fonds("index", archive).returncode == 0
    index = tmp_path / "crawl.warc.gz.cdxj"
    lines = [line for line in index.read_text().splitlines() if "robots.txt" in line]
    for offset in ("0", "1", "818", "99999999999"):
        moved = [json.loads(line.split(" ", 2)[2]) | {"offset": offset} for line in lines]
        index.write_text("".join(f"{' '.join(line.split(' ', 2)[:2])} {json.dumps(capture)}\n"
                                 for line, capture in zip(lines, moved)))
        done = document(archive, key)
        assert (done.stdout, done.returncode) == (wanted, 0), offset
        assert b"companion-stale" in done.stderr
        assert fonds("verify", archive).returncode == 1
    index.write_text("this is no index\n")
    done = document(archive, key)
    assert (done.stdout, done.returncode) == (wanted, 0)
    assert b"companion-stale" in done.stderr


@pytest.mark.parametrize("kind", ["cdxj", "zipnum", "checkpoint", "gzidx"])
def test_a_killed_index_leaves_nothing(tmp_path, kind):
    """SIGKILL at moments from start to end: the index is whole or not there."""
    archive = tmp_path / "big.warc.gz"
    archive.write_bytes((CHECKPOINTS / LONG).read_bytes() * 40)
    assert fonds("index", "--type", kind, archive).returncode == 0
    whole = {path.name: sha(path.read_bytes()) for path in tmp_path.iterdir()}
    for path in set(tmp_path.iterdir()) - {archive}:
        path.unlink()
    killed = 0
    for delay in [n * 0.008 for n in range(25)]:
        running = subprocess.Popen([BINARY, "index", "--type", kind, "-f", archive], stderr=subprocess.DEVNULL)
        time.sleep(delay)
        running.send_signal(signal.SIGKILL)
        killed += running.wait() == -signal.SIGKILL
        for path in tmp_path.iterdir():
            digest = sha(path.read_bytes())  # just before it replaces a file it is whole under a name of its own
            assert whole.get(path.name) == digest or TEMPORARY.search(path.name) and digest in whole.values(), path.name
            if path != archive:
                path.unlink()
    assert killed > 0


def test_what_cannot_be_indexed_is_said(tmp_path):
    text = tmp_path / "text"
    text.write_text("no archive\n")
    assert fonds("index", text).returncode == 3
    assert fonds("index", "--type", "nonsense", CRAWL).returncode == 2
    done = fonds("index", "--type", "checkpoint", "-o", tmp_path / "x", FIXTURES / "warc/own/gz-single-member.warc.gz")
    assert done.returncode != 0
    assert b"25" in done.stderr
    assert not (tmp_path / "x").exists()
