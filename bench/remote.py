"""Archives at URLs: a server on the loopback interface, and a proxy that adds 20 ms to each request (limits/delay_proxy.cpp).

The server's log says what each contestant asked for: the metrics `requests` and `fetched_kb`."""
import atexit
import hashlib
import os
import shlex
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import answers
import clps
from contest import Contest, Contestant, Demand

LATENCY_MS = 20
ARCHIVES = 100
BEHIND_KB = 64  # that may be fetched beyond a record
FONDS, THEIRS, THEIRS_AT_ONCE = "fonds", "clp-s", "clp-s, 8 at once"
CONFIG = """
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
worker_processes 1;
{user}
events {{ worker_connections 512; }}
http {{
  log_format counted '$body_bytes_sent';
  access_log {folder}/access.log counted;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  default_type application/octet-stream;
  sendfile on;
  keepalive_requests 1000000;
  server {{
    listen 127.0.0.1:{port};
    location = /connections {{ stub_status; access_log off; }}
    location / {{ root {root}; }}
  }}
}}
"""


def nginx():
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


class Server:
    """Serves a directory, with the proxy in front; until the benchmark ends."""

    def __init__(self, tools, root):
        self.folder = root / "server"
        self.folder.mkdir(exist_ok=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        config = self.folder / "nginx.conf"
        config.write_text(CONFIG.format(folder=self.folder, root=root, port=port, user="user root;" if os.getuid() == 0 else ""))
        (self.folder / "pid").unlink(missing_ok=True)
        server = subprocess.Popen([nginx(), "-p", self.folder, "-c", config], stdin=subprocess.DEVNULL)
        atexit.register(server.terminate)
        while not (self.folder / "pid").exists():
            if server.poll() is not None:
                raise SystemExit(f"bench: nginx does not start; see {self.folder}/error.log")
            time.sleep(0.01)
        proxy = subprocess.Popen([tools.limits / "delay_proxy", str(LATENCY_MS), "127.0.0.1", str(port)], stdout=subprocess.PIPE, text=True)
        atexit.register(proxy.terminate)
        self.root, self.port = root, int(proxy.stdout.readline())
        self.status = f"http://127.0.0.1:{port}/connections"
        self.begin()

    def url(self, path):
        return f"http://127.0.0.1:{self.port}/{path.relative_to(self.root)}"

    def begin(self):
        self.settle()
        self.seen = self._log().stat().st_size if self._log().exists() else 0

    def count(self):
        """What was asked for since begin(). Of replies that were broken off, what the server had sent by then."""
        self.settle()
        with open(self._log(), encoding="ascii") as log:
            log.seek(self.seen)
            sizes = [int(line) for line in log]
        return {"requests": len(sizes), "fetched_kb": sum(sizes) / 1000}

    def settle(self):
        """Waits until nobody but this has a connection: a reply is logged when it ends."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            with urllib.request.urlopen(self.status) as reply:
                if reply.read().startswith(b"Active connections: 1 "):
                    return
            time.sleep(0.002)
        raise SystemExit("bench: connections to the server stay open")

    def contestant(self, argv, answer, **options):
        return Contestant(argv, answer, before=self.begin, counts=self.count, **options)

    def _log(self):
        return self.folder / "access.log"


SERVERS = {}


def server(tools, corpora):
    if corpora.directory not in SERVERS:
        SERVERS[corpora.directory] = Server(tools, corpora.directory)
    return SERVERS[corpora.directory]


def one_record(tools, corpora):
    """By its URI, by way of a CDXJ on this machine, out of records stored plain: a file of 1 GB."""
    corpus, at = corpora["varied10"], server(tools, corpora)
    file = corpus.path("plain")
    index = corpora.directory / "server" / f"{file.name}.cdxj"
    if not index.exists() or index.stat().st_mtime < file.stat().st_mtime:
        subprocess.run([tools.fonds, "index", "--force", "-o", index, file], check=True, stdout=subprocess.DEVNULL)
    row = [row for row in corpus.rows if row[1] == "response"][-2]
    uri, offset, length = row[3], int(row[4]), int(row[5])
    curl = [shutil.which("curl") or "curl", "-s", "-r", f"{offset}-{offset + length - 1}", at.url(file)]
    expected = subprocess.run([tools.fonds, "cat", "--index", index, file, f"uri:{uri}"], check=True, capture_output=True).stdout
    return Contest("One record of a remote archive by its URI", {
        FONDS: at.contestant([tools.fonds, "cat", "--index", str(index), at.url(file), f"uri:{uri}"], answers.content),
        "curl, the range alone": at.contestant(curl, answers.nothing),
    }, [
        Demand("requests", (FONDS, "requests"), 1, at_most=1),
        Demand(f"bytes / (record + {BEHIND_KB} KiB)", (FONDS, "fetched_kb"), (length + BEHIND_KB * 1024) / 1000, at_most=1),
    ], {"sha256": hashlib.sha256(expected).hexdigest()}, file)


def beginning(corpus, least):
    """The first records of the corpus, as many as take that many bytes: a file, and what it decodes to."""
    last = next(row for row in corpus.rows if int(row[6]) >= least)
    file = corpus.path().parent / "server" / f"{corpus.name}-{least >> 20}m.warc.gz"
    if not file.exists() or file.stat().st_size != int(last[6]):
        with open(corpus.path(), "rb") as whole:
            file.write_bytes(whole.read(int(last[6])))
    return file, int(last[4])


def full_scan(tools, corpora):
    corpus = corpora["varied10"]
    return scan(tools, server(tools, corpora), "Full scan of a remote archive", corpus.path(), corpus.decoded_size())


def short_scan(tools, corpora):
    at = server(tools, corpora)
    return scan(tools, at, "Full scan of a small remote archive", *beginning(corpora["varied10"], 8 << 20))


def scan(tools, at, title, file, decoded_size):
    url = at.url(file)
    words = "curl | fonds ls -"
    listed = [tools.fonds, "ls", "--full", "--fields", "index,offset,type,length,target"]
    local = subprocess.run([*listed, file], check=True, stdout=subprocess.PIPE).stdout
    return Contest(title, {
        FONDS: at.contestant([*listed, url], answers.content),
        words: at.contestant(["/bin/sh", "-c", f"curl -s {shlex.quote(url)} | {shlex.join(listed)} -"], answers.content),
    }, [
        Demand("speed, fonds URL / curl | fonds ls -", (words, "wall"), (FONDS, "wall"), at_least=0.9),
    ], {"sha256": hashlib.sha256(local).hexdigest()}, file, decoded_size)


def pieces(logs):
    """The corpus of logs as many small archives."""
    def make(out):
        out.mkdir()
        data = logs.corpus().read_bytes()
        for number in range(ARCHIVES):
            begin, end = (data.rfind(b"\n", 0, len(data) * n // ARCHIVES) + 1 for n in (number, number + 1))
            part = out / "part.jsonl"
            part.write_bytes(data[begin: end if number + 1 < ARCHIVES else len(data)])
            clps.run(logs.tools.fonds, "convert", "--to", "clp-s", "--timestamp-key", "ts", "-o", out / f"{number:03}.clps", part)
        part.unlink()
    return sorted(logs.made("pieces", make).glob("*.clps"))


def pruned(tools, corpora):
    logs, at = clps.Logs(tools, corpora.directory, corpora.quick), server(tools, corpora)
    urls = [at.url(path) for path in pieces(logs)]
    query = logs.queries("pruned")[0]["query"]
    return Contest(f"A search that {ARCHIVES} remote archives rule out", {
        FONDS: at.contestant([tools.fonds, "search", query, *urls], clps.lines, statuses=(0, 1)),
        **theirs(logs, at, query, urls, THEIRS),
        **theirs(logs, at, query, urls, THEIRS_AT_ONCE, at_once=8),
    }, [
        Demand("requests an archive", (FONDS, "requests"), ARCHIVES, at_most=2),
        Demand(f"wall / {ARCHIVES} requests one after the other", (FONDS, "wall"), ARCHIVES * LATENCY_MS / 1000, at_most=0.5),
        Demand("wall, clp-s / fonds", ((THEIRS, THEIRS_AT_ONCE), "wall"), (FONDS, "wall"), at_least=2),
        Demand("bytes, fonds / clp-s", (FONDS, "fetched_kb"), (THEIRS, "fetched_kb"), at_most=1),
    ], {"lines": 0})


def theirs(logs, at, query, urls, name, at_once=1):
    """clp-s, a run an archive; nothing where it is not installed."""
    if not logs.clps:
        return {}
    search = [str(logs.clps), "s", "--auth", "none"]
    if len(urls) == 1:
        return {name: at.contestant([*search, *urls, query], clps.lines)}
    command = f"printf '%s\\n' {shlex.join(urls)} | xargs -P {at_once} -I URL {shlex.join(search)} URL {shlex.quote(query)}"
    return {name: at.contestant(["/bin/sh", "-c", command], clps.lines)}


def searches(tools, corpora):
    logs, at = clps.Logs(tools, corpora.directory, corpora.quick), server(tools, corpora)
    if not logs.clps:
        return Contest("Searching a remote clp-s archive", {}, [Demand("yscope-clp-core is not installed", ("clp-s", "cpu"), 1, at_least=1)])
    contestants, demands = {}, []
    for query in logs.queries("none", "hits", "number"):
        local = subprocess.run([logs.clps, "s", logs.archives(), query["query"]], check=True, capture_output=True).stdout
        expected = clps.lines(local.splitlines(keepends=True))
        url, name = at.url(logs.archive()), query["name"]
        mine, other = f"{name}: {FONDS}", f"{name}: {THEIRS}"
        contestants[mine] = at.contestant([tools.fonds, "search", query["query"], url], clps.lines, statuses=(0, 1), expected=expected)
        contestants |= theirs(logs, at, query["query"], [url], other)
        contestants[other].expected = expected
        demands += [Demand(f"wall, clp-s / fonds, {name}", (other, "wall"), (mine, "wall"), at_least=2),
                    Demand(f"bytes, fonds / clp-s, {name}", (mine, "fetched_kb"), (other, "fetched_kb"), at_most=1)]
    return Contest("Searching a remote clp-s archive", contestants, demands, {}, logs.archive())


def with_server(build, title):
    """A set of bench/sets.py. Without nginx nothing is measured."""
    def built(tools, corpora):
        if not nginx():
            print("bench: nginx is not installed; archives at URLs are not measured", file=sys.stderr)
            return Contest(title, {}, [Demand("nginx is not installed", (FONDS, "wall"), 1, at_least=1)])
        return build(tools, corpora)
    return built


SETS = {name: with_server(build, name) for name, build in {
    "remote-record": one_record,
    "remote-scan": full_scan,
    "remote-scan-small": short_scan,
    "remote-pruned": pruned,
    "remote-search": searches,
}.items()}
