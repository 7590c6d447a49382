"""Objects of S3 at a server that checks signatures: read as files are, and written whole or not at all."""
import json
import random
import re
import shutil
import signal
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from program import BINARY, ROOT, await_handler, fonds
from remote.fault_proxy import LOST_REPLIES, LOST_REQUESTS, FaultProxy
from remote.versitygw import KEY, SECRET, VersityGw, program

pytestmark = pytest.mark.skipif(program() is None, reason="needs versitygw; script/test builds it")
DATA = ROOT / "tests/data"
ARCHIVE = DATA / "checkpoint/record-at-a-time.warc.gz"
PARTS = 3  # of what is larger than two parts of 8 MiB


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = VersityGw(tmp_path_factory.mktemp("s3"))
    for bucket in ("crawls", "out"):
        server.make_bucket(bucket)
    server.put("crawls", "a.warc.gz", ARCHIVE.read_bytes())
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def empty_bucket(server):
    yield
    server.clear("out")


@pytest.fixture
def proxy(server):
    proxy = FaultProxy("127.0.0.1", server.port)
    proxy.endpoint = f"http://127.0.0.1:{proxy.port}"
    yield proxy
    proxy.stop()


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """An archive of 20 MB that does not compress."""
    path, rng = tmp_path_factory.mktemp("large") / "large.warc", random.Random(7)
    with open(path, "wb") as file:
        for number in range(200):
            block = rng.randbytes(100_000 + rng.randrange(1000))
            file.write(b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:%d>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
                       b"WARC-Target-URI: http://a.example/%d\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n" % (number, number, len(block), block))
    return path


def by(server, proxy, **changes):
    return server.environment(proxy.endpoint, **changes)


def merge(archive, url, env, *options):
    """Copies an archive as it is stored."""
    return fonds("merge", "-o", url, "--retry-wait", "1", *options, archive, env=env)


def left(server, bucket="out"):
    """What a bucket holds: objects, and uploads that have not ended."""
    return server.keys(bucket), server.uploads(bucket)


# ---- reading

@pytest.mark.parametrize("command", [["ls", "--json"], ["cat"], ["search", "type: response", "--count"], ["verify"],
                                     ["cat", "--part", "header"]], ids=" ".join)
def test_an_object_gives_what_the_file_gives(server, command):
    def run(name):
        place = 2 if command[0] == "search" else 1
        return fonds(*command[:place], name, *command[place:], env=server.environment())
    local, remote = run(ARCHIVE), run("s3://crawls/a.warc.gz")
    assert (remote.returncode, remote.stderr) == (local.returncode, local.stderr.replace(bytes(ARCHIVE), b"s3://crawls/a.warc.gz"))
    assert remote.stdout == local.stdout.replace(bytes(ARCHIVE), b"s3://crawls/a.warc.gz") and remote.stdout


def test_lists_go_on_where_a_page_ends(server):
    """A page has a thousand keys, or prefixes."""
    server.make_bucket("many")
    record = b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
    for number in range(1003):
        folder = server.data / f"many/in/{number:04}"
        folder.mkdir(parents=True)
        (folder / "a.warc").write_bytes(record)
    for name in ("z1.warc", "z2.warc"):
        server.put("many", f"in/{name}", record)
    server.put("many", "inside.warc", record)

    def archives(*options):
        done = fonds("ls", "--json", "--no-index", *options, env=server.environment())
        assert done.returncode == 0, done.stderr
        return [json.loads(line)["archive"] for line in done.stdout.splitlines()]
    assert archives("s3://many/in/") == ["s3://many/in/z1.warc", "s3://many/in/z2.warc"]
    assert archives("-r", "s3://many/in/") == [f"s3://many/in/{n:04}/a.warc" for n in range(1003)] + archives("s3://many/in/")


def test_companions_in_a_prefix_are_no_archives(server):
    server.make_bucket("indexed")
    server.put("indexed", "in/a.warc.gz", ARCHIVE.read_bytes())
    made = fonds("index", "s3://indexed/in/a.warc.gz", env=server.environment())
    assert (made.returncode, server.keys("indexed")) == (0, ["in/a.warc.gz", "in/a.warc.gz.cdxj"]), made.stderr
    done = fonds("info", "--json", "s3://indexed/in/", env=server.environment())
    assert (done.returncode, [json.loads(line)["archive"] for line in done.stdout.splitlines()]) == (0, ["s3://indexed/in/a.warc.gz"])


@pytest.mark.parametrize("key", ["a b+c&d=e?f#g%20h:ü(1)'!*,;@$~.warc.gz", "x//y", "=", "日本/語 .warc", "%", "+"])
def test_keys_are_any_text(server, proxy, key):
    if "//" in key:  # which folders cannot hold: it is enough that it comes as it is
        assert fonds("ls", "s3://crawls/a//../b/./c", env=by(server, proxy)).returncode == 3
        assert proxy.log[0][1] == "/crawls/a//../b/./c"
        return
    done = merge(ARCHIVE, f"s3://out/{key}", server.environment())
    assert done.returncode == 0, done.stderr
    assert fonds("cat", f"s3://out/{key}", env=server.environment()).stdout == fonds("cat", ARCHIVE).stdout
    assert server.get("out", key) == ARCHIVE.read_bytes()


REFUSED = [  # as they are read, and as they are written
    ("s3://crawls/missing.warc", {}, b"HTTP status 404, NoSuchKey: ", None),
    ("s3://nowhere/a.warc", {}, b"HTTP status 404, NoSuchBucket: ", b"HTTP status 404, NoSuchBucket: "),
    ("s3://crawls/a.warc.gz", {"AWS_SECRET_ACCESS_KEY": "wrong-secret"}, b"403, SignatureDoesNotMatch: ", b"403, SignatureDoesNotMatch: "),
    ("s3://crawls/a.warc.gz", {"AWS_ACCESS_KEY_ID": "wrong-id"}, b"access key ID", b"access key ID"),
    ("s3://crawls/a.warc.gz", {"AWS_SESSION_TOKEN": "wrong-secret-token"}, b"400, InvalidToken: ", b"400, InvalidToken: "),
    ("s3://crawls/a.warc.gz", {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None}, b"403, AccessDenied: ", b"403, AccessDenied: "),
    ("s3://crawls/a.warc.gz", {"AWS_REGION": "eu-north-7"}, b"AuthorizationHeaderMalformed: ", b"AuthorizationHeaderMalformed: "),
    ("s3://nowhere/", {}, b"HTTP status 404, NoSuchBucket: ", None),
    ("s3://crawls/", {"AWS_SECRET_ACCESS_KEY": "wrong-secret"}, b"SignatureDoesNotMatch: ", None)]


def is_refused(done, url, words):
    assert done.returncode == 3 and not done.stdout
    assert url.encode() in done.stderr and words in done.stderr and b"(1 try)" in done.stderr, done.stderr
    assert b"wrong-secret" not in done.stderr and SECRET.encode() not in done.stderr


@pytest.mark.parametrize("url,changes,words,_", REFUSED)
def test_why_nothing_is_read_is_said_in_the_servers_words(server, url, changes, words, _):
    is_refused(fonds("ls", url, env=server.environment(**changes)), url, words)


@pytest.mark.parametrize("url,changes,_,words", [case for case in REFUSED if case[3]])
def test_why_nothing_is_written_is_said_in_the_servers_words(server, url, changes, _, words):
    is_refused(merge(ARCHIVE, url, server.environment(**changes), "--force"), url, words)
    assert server.get("crawls", "a.warc.gz") == ARCHIVE.read_bytes()


def test_who_may_not_look_is_told_so(server):
    env = server.environment(AWS_ACCESS_KEY_ID=None, AWS_SECRET_ACCESS_KEY=None)
    done = merge(ARCHIVE, "s3://out/a", env)
    assert done.returncode == 3 and b"s3://out/a: may be there already" in done.stderr and b"--force" in done.stderr


def test_with_tls(tmp_path_factory, large):
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    secure = VersityGw(folder / "s3", region="eu-central-1", tls=(certificate, key))
    try:
        secure.make_bucket("out")
        env = secure.environment()
        for archive in (ARCHIVE, large):
            assert merge(archive, f"s3://out/{archive.name}", env, "--ca-file", certificate).returncode == 0
            assert secure.get("out", archive.name) == archive.read_bytes()
        done = merge(ARCHIVE, "s3://out/b", env)
        assert done.returncode == 3 and b"certificate" in done.stderr.lower() and secure.get("out", "b") is None
    finally:
        secure.stop()


# ---- writing

def test_what_is_written_is_what_a_file_gets(server, tmp_path):
    """All commands that write one file."""
    lines = tmp_path / "lines.jsonl"
    lines.write_text("".join(f'{{"n":{n},"t":"2020-01-01T00:00:{n % 60:02}Z"}}\n' for n in range(500)))
    page = tmp_path / "page.html"
    page.write_text("<p>page")
    damaged = tmp_path / "damaged.warc.gz"
    damaged.write_bytes(ARCHIVE.read_bytes()[:-100])
    recordio = DATA / "recordio/v2-manyblocks.rio"
    runs = [("convert", "--to", "warc/1.0", "-o", "OUT.warc.gz", ARCHIVE), ("convert", "--to", "recordio", "-o", "OUT.grail", recordio),
            ("convert", "--to", "clp-s", "-o", "OUT.clps", lines), ("merge", "-o", "OUT.warc.gz", ARCHIVE, ARCHIVE),
            ("repair", "-o", "OUT.warc.gz", damaged), ("dedup", "-o", "OUT.warc.gz", ARCHIVE, ARCHIVE),
            ("create", "-o", "OUT.warc.gz", page), ("index", "-o", "OUT.cdxj", ARCHIVE), ("train", "-o", "OUT.dict", lines)]
    for number, run in enumerate(runs):
        def named(prefix):
            return [str(word).replace("OUT", f"{prefix}/{number}") if str(word).startswith("OUT") else word for word in run]
        env = server.environment(SOURCE_DATE_EPOCH="1600000000")
        local, remote = fonds(*named(tmp_path), env=env), fonds(*named("s3://out"), env=env)
        assert remote.returncode == local.returncode, (run, remote.stderr, local.stderr)
        name = next(word.rsplit("/", 1)[1] for word in named("s3://out") if str(word).startswith("s3:"))
        assert server.get("out", name) == (tmp_path / name).read_bytes(), run
    assert left(server)[1] == []


def test_indexes_lie_beside_objects(server, tmp_path):
    env = server.environment()
    assert fonds("index", "s3://crawls/a.warc.gz", env=env).returncode == 0
    shutil.copy(ARCHIVE, tmp_path / "a.warc.gz")
    assert server.get("crawls", "a.warc.gz.cdxj") == fonds("index", "-o", "-", tmp_path / "a.warc.gz").stdout
    assert fonds("index", "s3://crawls/a.warc.gz", env=env).returncode == 3
    assert fonds("index", "--type", "zipnum", "s3://crawls/a.warc.gz", env=env).returncode == 0
    for key in [key for key in server.keys("crawls") if key != "a.warc.gz"]:
        assert server.ask("DELETE", f"/crawls/{key}")[0] == 204


def test_large_objects_go_in_parts(server, proxy, large):
    done = merge(large, "s3://out/large.warc", by(server, proxy), "--verbose")
    assert done.returncode == 0, done.stderr
    assert server.get("out", "large.warc") == large.read_bytes()
    sent = [(method, re.sub("uploadId=.*", "", path)) for method, path, _ in proxy.log if method != "GET"]
    parts = [("PUT", f"/out/large.warc?partNumber={n}&") for n in range(1, PARTS + 1)]
    assert sent[0] == ("POST", "/out/large.warc?uploads=") and sorted(sent[1:-1]) == parts and sent[-1] == ("POST", "/out/large.warc?")
    assert b" bytes sent" in done.stderr
    assert left(server) == (["large.warc"], [])


def test_what_is_there_stays_without_force(server, large):
    env = server.environment()
    assert merge(ARCHIVE, "s3://out/a", env).returncode == 0
    done = merge(large, "s3://out/a", env)
    assert done.returncode == 3 and b"s3://out/a: is there already; --force replaces it" in done.stderr
    assert server.get("out", "a") == ARCHIVE.read_bytes()
    assert merge(large, "s3://out/a", env, "--force").returncode == 0
    assert server.get("out", "a") == large.read_bytes()
    assert left(server) == (["a"], [])


@pytest.mark.parametrize("size", ["small", "large"])
def test_what_came_meanwhile_stays_without_force(server, proxy, large, size):
    def somebody_else(method, path):
        if method == "PUT" and server.get("out", "a") is None:
            server.put("out", "a", b"of somebody else")
    proxy.upload_plan = somebody_else
    done = merge(large if size == "large" else ARCHIVE, "s3://out/a", by(server, proxy))
    assert done.returncode == 3 and b"s3://out/a: has come to be there meanwhile; --force replaces it" in done.stderr
    assert server.get("out", "a") == b"of somebody else"
    assert left(server) == (["a"], [])


@pytest.mark.parametrize("out", ["http://127.0.0.1:1/a.warc", "https://me:hidden@127.0.0.1:1/a.warc", "s3://out/", "s3://out/x/"])
def test_other_urls_are_no_outputs(server, out):
    done = merge(ARCHIVE, out, server.environment())
    assert done.returncode == 3 and (b"s3://BUCKET/KEY" in done.stderr) and b"hidden" not in done.stderr


@pytest.mark.parametrize("arguments", [["cat", "-o", "s3://out/x", ARCHIVE], ["split", "-o", "s3://out/x", ARCHIVE],
                                       ["create", "--append", "-o", "s3://out/x", ARCHIVE], ["convert", "--check", "-o", "s3://out/x", ARCHIVE],
                                       ["convert", "--to", "clp-s", "--directory", "-o", "s3://out/x", ARCHIVE]], ids=lambda a: a[0])
def test_directories_and_parts_are_written_here(server, arguments):
    done = fonds(*arguments, env=server.environment())
    assert done.returncode == 2 and b"-o takes " in done.stderr and not done.stdout
    assert left(server) == ([], [])


# ---- what goes wrong meanwhile

def test_a_run_that_stops_leaves_nothing(server, tmp_path, large):
    spoiled = tmp_path / "spoiled.warc"
    spoiled.write_bytes(large.read_bytes()[:-5000])
    for options in ((), ("--strict",)):
        done = merge(spoiled, "s3://out/a", server.environment(), *options)
        assert done.returncode == 1, done.stderr
        assert left(server) == ([], [])


@pytest.mark.parametrize("signals", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda s: s.name)
def test_a_run_that_is_ended_shows_nothing(server, proxy, large, signals):
    reached, go_on = threading.Event(), threading.Event()

    def hold(method, path):
        if "partNumber=2" in path:
            reached.set()
            go_on.wait(60)
    proxy.upload_plan = hold
    process = subprocess.Popen([BINARY, "merge", "-o", "s3://out/a", large], env=by(server, proxy), stderr=subprocess.PIPE)
    assert reached.wait(60)
    await_handler(process, signal.SIGINT)
    process.send_signal(signals)
    _, words = process.communicate(timeout=60)
    go_on.set()
    assert process.returncode == (-9 if signals == signal.SIGKILL else 130), words
    keys, uploads = left(server)
    assert keys == [] and uploads == (["a"] if signals == signal.SIGKILL else [])


class Faults:
    """The faults of a run: each request that changes something is spoiled with some probability, by a seed."""

    def __init__(self, seed, share, kinds):
        self.rng, self.share, self.kinds, self.lock = random.Random(seed), share, kinds, threading.Lock()

    def __call__(self, method, path):
        with self.lock:
            return self.rng.choice(self.kinds) if self.rng.random() < self.share else None


@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize("share,least", [(0.2, 10), (0.5, 40), (0.8, 40)])
def test_faults_never_show_half_an_object(server, proxy, large, share, least, size):
    """Each run ends with the whole object, or with an error and none."""
    archive = large if size == "large" else ARCHIVE
    wanted, seed, whole = archive.read_bytes(), 0, 0
    while len(proxy.faults) < least:
        proxy.upload_plan = Faults(seed, share, LOST_REPLIES + LOST_REQUESTS)
        done = merge(archive, f"s3://out/{seed}", by(server, proxy), "--tries", "6")
        there = server.get("out", str(seed))
        if done.returncode == 0:
            whole += 1
            assert there == wanted, seed
        else:
            # An answer that was lost for good leaves open whether the server did what it was asked for.
            assert done.returncode == 3 and there in (None, wanted) and b"(" in done.stderr, (seed, done.stderr)
            assert re.search(rb"cannot be written: .* \(6 tries\)|has come to be there|does not answer", done.stderr), (seed, done.stderr)
        seed += 1
    assert whole or share > 0.5


@pytest.mark.parametrize("fault", LOST_REPLIES + LOST_REQUESTS)
@pytest.mark.parametrize("at", ["PUT one", "partNumber=2", "uploads=", "uploadId="])
def test_one_fault_is_mended(server, proxy, large, at, fault):
    hit = []

    def once(method, path):
        here = ("?" not in path) if at == "PUT one" else at in path and (at != "uploadId=" or method == "POST")
        if here and not hit:
            hit.append(path)
            return fault
        return None
    archive = ARCHIVE if at == "PUT one" else large
    proxy.upload_plan = once
    done = merge(archive, "s3://out/a", by(server, proxy))
    if fault == "flip" and at == "uploads=":  # which has no body
        assert not proxy.faults or done.returncode == 0
    assert hit and done.returncode == 0, done.stderr
    assert server.get("out", "a") == archive.read_bytes()


@pytest.mark.parametrize("at", ["partNumber=", "uploadId="])
def test_a_server_that_never_does_it_ends_the_run(server, proxy, large, at):
    proxy.upload_plan = lambda method, path: "refuse-error-200" if at in path and method != "DELETE" else None
    done = merge(large, "s3://out/a", by(server, proxy), "--tries", "2")
    assert done.returncode == 3 and b"cannot be written: HTTP status 200, InternalError: " in done.stderr and b"(2 tries)" in done.stderr
    assert left(server) == ([], [])


def test_what_cannot_be_taken_back_is_said(server, proxy, large):
    proxy.upload_plan = lambda method, path: "refuse-503" if "partNumber=2" in path or method == "DELETE" else None
    done = merge(large, "s3://out/a", by(server, proxy), "--tries", "2")
    assert done.returncode == 3 and b"unfinished upload" in done.stderr
    assert left(server)[0] == []


# ---- keys that the machine lends

class Lender:
    """What a container's or an instance's service says; keys that soon expire if `soon`."""

    def __init__(self, soon=False):
        lender = self
        self.asked = []

        class Reply(BaseHTTPRequestHandler):
            def log_message(self, *args):
                pass

            def give(self, text, status=200):
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            def do_PUT(self):
                lender.asked.append(self.path)
                self.give("session-of-the-instance" if self.headers.get("X-aws-ec2-metadata-token-ttl-seconds") else "")

            def do_GET(self):
                lender.asked.append(self.path)
                let_in = self.headers.get("Authorization") == "let me in" or self.headers.get("X-aws-ec2-metadata-token") == "session-of-the-instance"
                if not let_in:
                    return self.give("no", 401)
                if self.path.endswith("security-credentials/"):
                    return self.give("role")
                self.give(json.dumps({"AccessKeyId": KEY, "SecretAccessKey": SECRET,
                                      "Expiration": "2020-01-01T00:00:00Z" if soon else "2099-01-01T00:00:00Z"}))

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Reply)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.mark.parametrize("soon", [False, True], ids=["lasting", "expiring"])
@pytest.mark.parametrize("who", ["container", "instance"])
def test_keys_that_the_machine_lends(server, who, soon):
    lender = Lender(soon)
    variables = {"container": {"AWS_CONTAINER_CREDENTIALS_FULL_URI": lender.url + "/keys", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "let me in"},
                 "instance": {"AWS_EC2_METADATA_SERVICE_ENDPOINT": lender.url, "AWS_EC2_METADATA_DISABLED": None}}[who]
    env = server.environment(AWS_ACCESS_KEY_ID=None, AWS_SECRET_ACCESS_KEY=None, **variables)
    done = fonds("cat", "--threads", "1", "s3://crawls/a.warc.gz", env=env)
    lender.stop()
    assert done.stdout == fonds("cat", ARCHIVE).stdout
    last = {"container": "/keys", "instance": "/latest/meta-data/iam/security-credentials/role"}[who]
    assert (lender.asked.count(last) > 1) == soon  # ones about to expire are not used again


def test_a_container_that_lends_no_keys_is_an_error(server):
    lender = Lender()
    env = server.environment(AWS_ACCESS_KEY_ID=None, AWS_SECRET_ACCESS_KEY=None, AWS_CONTAINER_CREDENTIALS_FULL_URI=lender.url + "/keys",
                             AWS_CONTAINER_AUTHORIZATION_TOKEN="wrong word")
    done = fonds("ls", "s3://crawls/a.warc.gz", env=env)
    lender.stop()
    assert done.returncode == 3 and b"the keys of the container cannot be fetched: HTTP status 401" in done.stderr and b"wrong word" not in done.stderr
