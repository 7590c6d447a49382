"""Archives at URLs: what is read from a server is what is read from the file, with few requests, and never wrong bytes."""
import os
import re
import shutil

import pytest

from program import ROOT, fonds
from remote.archives import make_warc
from remote.fault_proxy import FaultProxy
from remote.nginx import Nginx, program

DATA = ROOT / "tests/data"
pytestmark = pytest.mark.skipif(program() is None, reason="needs nginx")


def chosen():
    """A few of each folder of fixtures: the table of laws has them all."""
    files = []
    for folder in sorted({path.parent for path in DATA.rglob("*") if path.is_file()}):
        here = sorted(path for path in folder.iterdir() if path.suffix in (".gz", ".warc", ".arc", ".zst", ".rio", ".grail", ".clps", ".lz4"))
        files += here[:3]
    return [str(path.relative_to(DATA)) for path in files]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    nginx = Nginx(tmp_path_factory.mktemp("nginx"), DATA)
    yield nginx
    nginx.stop()


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    """A file of 12 MB in a folder of its own, and its server."""
    folder = tmp_path_factory.mktemp("big")
    make_warc(folder / "a.warc")
    nginx = Nginx(tmp_path_factory.mktemp("nginx"), folder)
    nginx.path = folder / "a.warc"
    yield nginx
    nginx.stop()



def used(done):
    """Requests and bytes that `--verbose` tells of."""
    found = re.search(rb"(\d+) requests, (\d+) bytes fetched", done.stderr)
    return int(found[1]), int(found[2])


def unnamed(output, *names):
    for name in names:
        output = output.replace(str(name).encode(), b"NAME")
    return output


@pytest.mark.parametrize("way", ["files", "whole"])
@pytest.mark.parametrize("name", chosen())
@pytest.mark.parametrize("command", [["ls", "--fields", "index,offset,type,length,target"], ["cat"]], ids=lambda c: c[0])
def test_a_server_gives_what_the_file_gives(server, command, name, way):
    """As the program puts it out; the law of servers compares everything, of all archives (test_served.py)."""
    path, url = DATA / name, server.url(name, way)
    local, remote = fonds(*command, "--no-index", path), fonds(*command, "--no-index", url)
    assert remote.returncode == local.returncode, remote.stderr
    assert unnamed(remote.stdout, url) == unnamed(local.stdout, path)


@pytest.mark.parametrize("name", ["gz-garbage-between.warc.gz", "zst-per-record.warc.zst", "garbage-before.warc"])
def test_repair_saves_what_lies_at_a_url(server, name, tmp_path):
    path, url = DATA / "warc/own" / name, server.url(f"warc/own/{name}")
    local, remote = fonds("repair", "-o", tmp_path / "a", path), fonds("repair", "-o", tmp_path / "b", url)
    assert remote.returncode == local.returncode, remote.stderr
    assert unnamed(remote.stderr, url, tmp_path / "b") == unnamed(local.stderr, path, tmp_path / "a")
    assert (tmp_path / "b").read_bytes() == (tmp_path / "a").read_bytes()


@pytest.mark.parametrize("name", ["clp-s/v050-service.clps", "clp-s/in-service.jsonl", "warc/third-party/warcio-example.warc.gz"])
def test_logs_and_catalogs_are_made_of_urls(server, name, tmp_path):
    url, archive = server.url(name, user="me:secret-word@"), tmp_path / "a.clps"
    done = fonds("convert", "--to", "clp-s", "--normalize-paths", "-o", archive, url)
    assert done.returncode == 0, done.stderr
    local = tmp_path / "b.clps"
    assert fonds("convert", "--to", "clp-s", "-o", local, DATA / name).returncode == 0
    given = fonds("cat", archive).stdout
    assert unnamed(given, server.url(name)) == unnamed(fonds("cat", local).stdout, DATA / name) != b""
    assert b"secret-word" not in given + fonds("info", archive).stdout
    assert fonds("convert", "--to", "clp-s", "-o", tmp_path / "c.clps", server.url("missing.jsonl")).returncode == 3


def test_reading_on_takes_few_requests(big):
    done = fonds("cat", "--verbose", "--threads", "1", big.url("a.warc"))
    assert done.stdout == big.path.read_bytes()
    requests, size = used(done)
    assert requests < 25 and size == len(done.stdout)


def test_ways_to_be_let_in(server, tmp_path):
    name = chosen()[0]
    wanted = fonds("cat", DATA / name).stdout
    assert fonds("cat", server.url(name, "private", user="me:pass%3Aword@")).stdout == wanted
    for user in ("", "me:secret-word@"):
        done = fonds("cat", server.url(name, "private", user=user))
        assert done.returncode == 3 and not done.stdout and b"HTTP status 401" in done.stderr and b"secret" not in done.stderr
    assert fonds("cat", server.url(name, "moved")).stdout == wanted
    done = fonds("cat", server.url(name, tls=True))
    assert done.returncode == 3 and not done.stdout and b"certificate" in done.stderr.lower()
    assert fonds("cat", "--ca-file", server.certificate, server.url(name, tls=True)).stdout == wanted


@pytest.mark.parametrize("url,words", [
    ("http://no-such-host.invalid/a.warc", b"no-such-host.invalid"),
    ("http://127.0.0.1:1/a.warc", b"127.0.0.1"),
    ("SERVER/files/missing.warc", b"HTTP status 404"),
    ("SERVER/status/x", b"HTTP status 403"),
    ("http://", b"no host")])
def test_what_cannot_be_read_is_said(server, url, words):
    done = fonds("ls", "--tries", "1", url.replace("SERVER", f"http://127.0.0.1:{server.port}"))
    assert done.returncode == 3 and not done.stdout and words in done.stderr and b"[" not in done.stderr


def test_an_object_that_is_replaced_is_an_error(big, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    shutil.copy(big.path, root / "a.warc")
    (tmp_path / "nginx").mkdir()
    nginx = Nginx(tmp_path / "nginx", root)
    try:
        def plan(number, path, span):
            if number == 3:
                data = big.path.read_bytes()
                (root / "new").write_bytes(data[:-4] + b"ABCD")
                os.utime(root / "new", (1, 1))  # of which and of the size nginx makes the ETag
                (root / "new").rename(root / "a.warc")
        proxy = FaultProxy("127.0.0.1", nginx.port, plan)
        done = fonds("cat", "--threads", "1", proxy.url("a.warc"))
        proxy.stop()
    finally:
        nginx.stop()
    assert done.returncode == 3 and b"has changed while it was read" in done.stderr
    assert big.path.read_bytes().startswith(done.stdout)
