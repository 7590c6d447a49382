"""Faults of servers: whatever one does, the answer is right after further tries, or an error says what is missing."""
import re
import shutil

import pytest
from program import ROOT, fonds
from remote import versitygw
from remote.archives import make_log, make_warc
from remote.fault_proxy import LASTING, PASSING, STALLS, ByRequest, FaultProxy
from remote.nginx import Nginx, free_port, program

pytestmark = pytest.mark.skipif(program() is None, reason="needs nginx")

# The URL, what was asked for, why it is not there, how often it was tried.
TOLD = re.compile(rb"(?:http|s3)\S+: (?:(?:offset|record) [^:]+: )?(?:bytes \d+-\d+|the object|the list of objects) "
                  rb"cannot be fetched: .+ \(\d+ tr(?:y|ies)\)")
BROKEN_OFF = re.compile(rb"http\S+: (?:(?:offset|record) [^:]+: )?cannot be fetched further: .+ gives no ranges"
                        rb"|http\S+: keys need a file; a pipe can only be read from start to end")  # its first reply had no range


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """A folder with an archive of each kind, and an index beside some."""
    folder = tmp_path_factory.mktemp("archives")
    make_warc(folder / "a.warc")
    small = folder / "small.warc"
    small.write_bytes((folder / "a.warc").read_bytes()[:1_500_000].rpartition(b"WARC/1.0\r\n")[0])
    make_log(folder / "log.jsonl")
    for name in ("00.warc.gz", "00.warc.gz.chk.lz4"):
        shutil.copy(ROOT / "tests/data/checkpoint" / name, folder)
    fonds("train", "-o", folder / "dict", small)
    with_dictionary = ["--compression", "zstd", "--dictionary", folder / "dict"]
    log, rio = folder / "log.jsonl", folder / "log.rio"
    for command in (["convert", "--compression", "gzip", "-o", folder / "b.warc.gz", small],
                    ["convert", *with_dictionary, "-o", folder / "c.warc.zst", small],
                    ["index", folder / "b.warc.gz"],
                    ["convert", "--to", "recordio", "--compression", "zstd", "--format", "lines", "-o", rio, log],
                    ["convert", "--to", "clp-s", "-o", folder / "log.clps", log],
                    ["convert", "--to", "kv-ir", "-o", folder / "log.clp", log]):
        done = fonds(*command)
        assert done.returncode == 0, (command, done.stderr)
    return folder


@pytest.fixture(scope="module")
def server(archives, tmp_path_factory):
    nginx = Nginx(tmp_path_factory.mktemp("nginx"), archives)
    yield nginx
    nginx.stop()


# name: the words of the command, the file, how many faults at least
JOBS = {
    "warc": (["cat"], "a.warc", 110),
    "warc-gzip": (["ls", "--full", "--hash"], "b.warc.gz", 50),
    "warc-zstd-dictionary": (["cat", "--no-index"], "c.warc.zst", 60),
    "by-cdxj": (["cat", "uri:http://a.example/77"], "b.warc.gz", 60),
    "by-checkpoints": (["cat", "index:40"], "00.warc.gz", 60),
    "recordio": (["cat", "--newline"], "log.rio", 60),
    "clp-s": (["search", "level: ERROR"], "log.clps", 60),
    "kv-ir": (["search", "level: ERROR"], "log.clp", 60),
    "jsonl": (["search", "level: ERROR"], "log.jsonl", 60),
    "no-ranges": (["cat"], "small.warc", 20),
}


def words_of(command, path, *options):
    head, *keys = command
    if head == "search":
        return [head, *options, *keys, path]
    flags = [key for key in keys if key.startswith("-")]
    return [head, *flags, *options, path, *[key for key in keys if not key.startswith("-")]]


def judge(done, wanted, what):
    """Whether it was given whole; never wrong bytes, and an error in so many words."""
    if done.returncode == 0:
        assert done.stdout == wanted.stdout, what
        return True
    assert done.returncode == 3, (what, done.returncode, done.stderr)
    assert TOLD.search(done.stderr) or BROKEN_OFF.search(done.stderr), (what, done.stderr)
    assert wanted.stdout.startswith(done.stdout), what
    return False


@pytest.mark.parametrize("name", JOBS)
def test_faults_never_change_a_byte(archives, server, name):
    command, file, least = JOBS[name]
    wanted = fonds(*words_of(command, archives / file))
    assert wanted.returncode == 0 and wanted.stdout, wanted.stderr
    faults = whole = seed = 0
    while faults < least:
        share = (0.1, 0.3, 0.6)[seed % 3]
        lasting = LASTING if seed % 4 == 3 else ()
        proxy = FaultProxy("127.0.0.1", server.port, ByRequest(seed, share, PASSING + lasting))
        url = proxy.url(file, "whole" if name == "no-ranges" else "files")
        done = fonds(*words_of(command, url, "--threads", "1", "--tries", "8", "--retry-wait", "1"))
        proxy.stop()
        whole += judge(done, wanted, (name, seed))
        faults += len(proxy.faults)
        seed += 1
        assert seed < 40 * least, "the faults do not reach what is read"
    assert whole, "no run went to its end"


def test_faults_of_an_s3_server(archives, tmp_path):
    if versitygw.program() is None:
        pytest.skip("needs versitygw")
    gateway = versitygw.VersityGw(tmp_path / "s3")
    try:
        gateway.make_bucket("logs")
        for number in range(3):
            gateway.put("logs", f"2024/{number}.clps", (archives / "log.clps").read_bytes())
        environment = gateway.environment()
        wanted = fonds("search", "level: ERROR", *[archives / "log.clps"] * 3)
        faults = whole = seed = 0
        while faults < 60:
            proxy = FaultProxy("127.0.0.1", gateway.port, ByRequest(seed, (0.1, 0.3, 0.6)[seed % 3]))
            done = fonds("search", "--threads", "1", "--tries", "8", "--retry-wait", "1", "level: ERROR", "s3://logs/2024/",
                         env={**environment, "AWS_ENDPOINT_URL_S3": f"http://127.0.0.1:{proxy.port}"})
            proxy.stop()
            whole += judge(done, wanted, seed)
            faults += len(proxy.faults)
            seed += 1
            assert versitygw.SECRET.encode() not in done.stderr
        assert whole
    finally:
        gateway.stop()


def test_a_server_that_drops_every_third_connection(archives, server):
    proxy = FaultProxy("127.0.0.1", server.port, drop_every=3)
    done = [fonds("cat", "--retry-wait", "1", proxy.url("a.warc")) for _ in range(3)]
    proxy.stop()
    wanted = (archives / "a.warc").read_bytes()
    assert proxy.dropped > 2 and all(one.returncode == 0 and one.stdout == wanted for one in done)


@pytest.mark.parametrize("fault", STALLS)
def test_a_stall_is_waited_for_and_tried_again(archives, server, fault):
    stalls = {2}
    proxy = FaultProxy("127.0.0.1", server.port, lambda number, path, span: fault if number in stalls else None)
    done = fonds("cat", "--timeout", "1", "--retry-wait", "1", proxy.url("a.warc"))
    proxy.stop()
    assert proxy.faults == [fault] and done.returncode == 0 and done.stdout == (archives / "a.warc").read_bytes()


def test_a_head_that_is_cut_off_is_no_empty_object(archives, server):
    proxy = FaultProxy("127.0.0.1", server.port, lambda number, path, span: "cut-head" if number == 1 else None)
    done = fonds("cat", "--retry-wait", "1", proxy.url("small.warc", "whole"))
    proxy.stop()
    assert proxy.faults == ["cut-head"] and done.returncode == 0 and done.stdout == (archives / "small.warc").read_bytes()


def test_a_server_that_stalls_for_good_is_an_error(archives, server):
    faults = {1: None, 2: "stall"}  # one that gives something each time is gone on with
    proxy = FaultProxy("127.0.0.1", server.port, lambda number, path, span: faults.get(number, "stall-head"))
    done = fonds("cat", "--timeout", "1", "--tries", "2", "--retry-wait", "1", proxy.url("a.warc"))
    proxy.stop()
    assert done.returncode == 3 and TOLD.search(done.stderr) and b"(2 tries)" in done.stderr
    assert (archives / "a.warc").read_bytes().startswith(done.stdout)


CHANGED = b"the object has changed while it was read (1 try)"


@pytest.mark.parametrize("fault,words", [
    ("status-403", b"HTTP status 403 (1 try)"), ("status-404", b"HTTP status 404 (1 try)"),
    ("status-503", b"HTTP status 503 (3 tries)"), ("status-416", CHANGED), ("ignored-range", CHANGED),
    ("replaced", CHANGED), ("wrong-range", b'claims to be "bytes 7-8/9" (3 tries)'), ("cut", b"(3 tries)"), ("reset", b"(3 tries)")])
def test_what_fails_behind_the_beginning_is_said_once(archives, server, fault, words):
    """The URL without its secrets, the range, the reason, the tries; and everything that was there before is given."""
    proxy = FaultProxy("127.0.0.1", server.port, lambda number, path, span: fault if number > 2 else None)
    url = f"http://me:hunter2@127.0.0.1:{proxy.port}/files/a.warc?X-Amz-Signature=hunter2"
    done = fonds("cat", "--tries", "3", "--retry-wait", "1", url)
    proxy.stop()
    assert done.returncode == 3 and words in done.stderr and TOLD.search(done.stderr), done.stderr
    assert b"hunter2" not in done.stderr and done.stderr.count(b"cannot be fetched") == 1
    assert done.stdout and (archives / "a.warc").read_bytes().startswith(done.stdout)


@pytest.mark.parametrize("host", ["http://no-such-host.invalid", "http://127.0.0.1:{free}", "https://127.0.0.1:{tls}"])
def test_a_server_that_is_not_reached_is_an_error(server, host):
    """No name, nobody who listens, a certificate that nobody trusts."""
    url = host.format(free=free_port(), tls=server.tls_port) + "/files/a.warc"
    done = fonds("cat", "--tries", "2", "--retry-wait", "1", url)
    assert done.returncode == 3 and not done.stdout and TOLD.search(done.stderr) and url.encode() in done.stderr
