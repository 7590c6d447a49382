"""Searching web archives whose answers vary: other statuses than 200, bodies in gzip, brotli and chunks."""
import shlex
import subprocess
from pathlib import Path

import answers
from contest import Contest, Contestant, Demand

BENCH = Path(__file__).resolve().parent
NOT_FOUND = "type: response and status: 404"
TEXT = "brail"  # stands in some pages
CRATE = "FastWARC crate"
ONE, TWO = "fonds search --count, 1 thread", "fonds search --count, 2 threads"


def count(tools, query, file, threads):
    argv = [tools.fonds, "search", "--count", "--threads", str(threads), query, str(file)]
    return Contestant(argv, answers.count, statuses=(0, 1))


def both(tools, query, file):
    return {ONE: count(tools, query, file, 1), TWO: count(tools, query, file, 2)}


def contest(corpus, layout, title, contestants, demands, hits):
    return Contest(title, contestants, demands, {"hits": hits}, corpus.path(layout), corpus.decoded_size())


def status(role, layout, title, bound):
    """The crate parses no head but those of responses, and holds no record longer than it must."""
    def build(tools, corpora):
        corpus = corpora[role]
        file = corpus.path(layout)
        crate = {CRATE: Contestant([str(tools.crate), "not-found", str(file)], answers.hits)} if tools.crate else {}
        hits = sum(row[1] == "response" and row[9] == "404" for row in corpus.rows)
        demands = [Demand("CPU, FastWARC crate / fonds", (CRATE, "cpu"), (ONE, "cpu"), at_least=bound)] if bound else []
        return contest(corpus, layout, title, {**both(tools, NOT_FOUND, file), **crate}, demands, hits)
    return build


def payload(role, layout, title):
    """The pipe sees no text that is coded in its record, and finds it in headers too: it does less, and its count is
    another one. The true one comes from payload_hits.py."""
    def build(tools, corpora):
        corpus = corpora[role]
        file = corpus.path(layout)
        ripgrep = Path(tools.peer_command("rg"))
        unpack, filtered = ("zcat" if layout == "record" else "zstd -dcq"), (shlex.quote(str(ripgrep)) if ripgrep.exists() else "grep")
        pipe = f"{unpack} | {'rg' if ripgrep.exists() else 'grep'} -a -c"
        piped = ["/bin/sh", "-c", f"{unpack} {shlex.quote(str(file))} | {filtered} -a -c {TEXT}"]
        demands = [
            Demand(f"CPU, {pipe} / fonds", (pipe, "cpu"), (ONE, "cpu"), at_least=2),
            Demand("wall, 1 thread / 2 threads", (ONE, "wall"), (TWO, "wall"), at_least=1.8),
        ] if layout == "record" else []
        return contest(corpus, layout, title, {
            **both(tools, f'type: response and payload: "*{TEXT}*"', file),
            pipe: Contestant(piped, answers.nothing),
        }, demands, hits_of(tools, corpus))
    return build


def hits_of(tools, corpus):
    """Counted once for a corpus."""
    known = corpus.index.with_suffix(f".{TEXT}")
    if not known.exists() or known.stat().st_mtime < corpus.index.stat().st_mtime:
        command = [tools.python, BENCH / "payload_hits.py", corpus.path(), corpus.index, "response", TEXT]
        known.write_bytes(subprocess.run(list(map(str, command)), check=True, capture_output=True).stdout)
    return int(known.read_text())


SETS = {
    "search-status10": status("varied10", "record", "Search by status, records of 10 KB on average", 3.5),
    "search-status30": status("varied30", "record", "Search by status, records of 30 KB on average", 6),
    "search-status-zstd": status("varied10", "zst", "Search by status, Zstandard frame per record", None),
    "search-payload10": payload("varied10", "record", "Search in payloads, records of 10 KB on average"),
    "search-payload30": payload("varied30", "record", "Search in payloads, records of 30 KB on average"),
    "search-payload-zstd": payload("varied10", "zst", "Search in payloads, Zstandard frame per record"),
}
