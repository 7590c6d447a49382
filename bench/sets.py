"""Who runs against whom in each set, and the ratios that are demanded of fonds."""
import hashlib
import zlib
from pathlib import Path

import answers
import clps
import clps_write
import recordio
import remote
import search
import seek
import writing
from contest import Contest, Contestant, Demand

BENCH = Path(__file__).resolve().parent
CRATE, WHEEL = "FastWARC crate", "FastWARC wheel"
FASTWARC = (CRATE, WHEEL)  # in a demand: the faster of the two, as far as they ran


class Tools:
    """The programs; `crate` is None where no cargo is new enough."""

    def __init__(self, fonds, limits, python, crate):
        self.fonds, self.limits, self.python, self.crate = str(fonds), limits, str(python), crate
        self.recordio = limits / "recordio_driver"

    def fonds_ls(self, file, *options):
        argv = [self.fonds, "ls", *options, str(file)]
        return Contestant(argv, answers.fonds_ls, argv + ["--json"])

    def fonds_verify(self, file, *options):
        argv = [self.fonds, "verify", *options, str(file)]
        return Contestant(argv, answers.fonds_verify, argv + ["--json"])

    def limit(self, name, *arguments):
        return Contestant([str(self.limits / name), *map(str, arguments)])

    def walk(self, library, operation, file):
        return Contestant([self.python, str(BENCH / "peers/walk.py"), library, operation, str(file)], answers.python_walk)

    def fastwarc(self, operation, file):
        """Both forms of FastWARC, as far as they are here."""
        crate_answer = answers.crate_digest if operation == "digest" else answers.json_line
        crate = {CRATE: Contestant([str(self.crate), operation, str(file)], crate_answer)} if self.crate else {}
        return crate | {WHEEL: self.walk("fastwarc", operation, file)}

    def peer_command(self, name):
        return str(Path(self.python).parent / name)


def contest(corpus, layout, title, contestants, demands, **expected):
    known = {"records": len(corpus.rows), "types": corpus.types, "bytes": corpus.decoded_size(), "bad": 0}
    return Contest(title, contestants, demands, known | expected, corpus.path(layout), corpus.decoded_size())


def full_scan(tools, corpora):
    corpus = corpora["crawl"]
    file, units = corpus.path(), corpus.units("record")
    return contest(corpus, "record", "Full scan, gzip member per record", {
        "fonds ls --full, 1 thread": tools.fonds_ls(file, "--full", "--threads", "1"),
        "fonds ls --full, 2 threads": tools.fonds_ls(file, "--full", "--threads", "2"),
        "libdeflate alone": tools.limit("limit_gzip", file, units),
        **tools.fastwarc("headers", file),
        "warcio, HTTP heads parsed": tools.walk("warcio", "http", file),
        "warcio, WARC headers only": tools.walk("warcio", "headers", file),
    }, [
        Demand("CPU, fonds / libdeflate alone", ("fonds ls --full, 1 thread", "cpu"), ("libdeflate alone", "cpu"), at_most=1.15),
        Demand("CPU, FastWARC / fonds", (FASTWARC, "cpu"), ("fonds ls --full, 1 thread", "cpu"), at_least=1.2),
        # `ls` shows the HTTP status, so the first is what does the same work; the second does less.
        *(Demand(f"CPU, {warcio} / fonds", (warcio, "cpu"), ("fonds ls --full, 1 thread", "cpu"), at_least=5)
          for warcio in ("warcio, HTTP heads parsed", "warcio, WARC headers only")),
        Demand("wall, 1 thread / 2 threads", ("fonds ls --full, 1 thread", "wall"),
               ("fonds ls --full, 2 threads", "wall"), at_least=1.85),
    ])


def skim(role, title, bound):
    def build(tools, corpora):
        corpus = corpora[role]
        file = corpus.path()
        return contest(corpus, "record", title, {
            "fonds ls, 1 thread": tools.fonds_ls(file, "--threads", "1"),
            "fonds ls, 2 threads": tools.fonds_ls(file, "--threads", "2"),
            **tools.fastwarc("headers", file),
        }, [
            Demand("CPU, FastWARC / fonds", (FASTWARC, "cpu"), ("fonds ls, 1 thread", "cpu"), at_least=bound),
            Demand("wall, 1 thread / 2 threads", ("fonds ls, 1 thread", "wall"), ("fonds ls, 2 threads", "wall"), at_least=1.8),
        ])
    return build


def digests(layout, which, title):
    def build(tools, corpora):
        corpus = corpora["crawl"]
        file, units = corpus.path(layout), corpus.units(layout)
        # The generator gives no block digest to warcinfo and revisit records.
        blocks = sum(corpus.types[name] for name in ("request", "response", "metadata"))
        payloads = corpus.types["response"] if which == "all" else 0
        fastwarc = tools.fastwarc("digest", file)
        made = contest(corpus, layout, title, {
            "fonds verify, 1 thread": tools.fonds_verify(file, "--threads", "1"),
            "libdeflate + SHA-1 alone": tools.limit("limit_gzip_sha1", file, units, which),
            **({} if which == "all" else fastwarc),
            "warcio": tools.walk("warcio", "digest", file),
        }, [
            Demand("CPU, fonds / libdeflate + SHA-1 alone", ("fonds verify, 1 thread", "cpu"),
                   ("libdeflate + SHA-1 alone", "cpu"), at_most=1.1),
        ], digests=blocks + payloads)
        if layout != "record":
            made.expected.pop("bytes")
        return made
    return build


def zstd(layout, title, bound):
    def build(tools, corpora):
        corpus = corpora["crawl"]
        file, units = corpus.path(layout), corpus.units(layout)
        return contest(corpus, layout, title, {
            "fonds ls --full, 1 thread": tools.fonds_ls(file, "--full", "--threads", "1"),
            "libzstd alone": tools.limit("limit_zstd", file, units),
            **tools.fastwarc("headers", file),
        }, [
            Demand("CPU, fonds / libzstd alone", ("fonds ls --full, 1 thread", "cpu"), ("libzstd alone", "cpu"), at_most=1.2),
            Demand("CPU, FastWARC / fonds", (FASTWARC, "cpu"), ("fonds ls --full, 1 thread", "cpu"), at_least=bound),
        ])
    return build


def plain(tools, corpora):
    corpus = corpora["crawl"]
    file = corpus.path("plain")
    walk = "fonds ls --fields type,length, 1 thread"
    return contest(corpus, "plain", "Header walk, plain file in the page cache", {
        "fonds ls, 1 thread": tools.fonds_ls(file, "--threads", "1"),
        walk: tools.fonds_ls(file, "--threads", "1", "--fields", "type,length"),
        "one byte of every page": tools.limit("limit_read", file, "pages"),
        "every byte": tools.limit("limit_read", file, "bytes"),
        **tools.fastwarc("headers", file),
    }, [
        Demand("GB/s of wall", file.stat().st_size / 1e9, ("fonds ls, 1 thread", "wall"), at_least=3, unit=" GB/s"),
        Demand("CPU, FastWARC / fonds, as much parsed", (FASTWARC, "cpu"), (walk, "cpu"), at_least=2),
        Demand("CPU, FastWARC / fonds, HTTP heads and rows too", (FASTWARC, "cpu"), ("fonds ls, 1 thread", "cpu"), at_least=1),
    ])


def one_member(tools, corpora):
    corpus = corpora["crawl"]
    file = corpus.path("stream")
    return contest(corpus, "stream", "Full scan, one gzip member for all", {
        "fonds ls --full, 1 thread": tools.fonds_ls(file, "--full", "--threads", "1"),
        "ISA-L alone": tools.limit("limit_stream", file),
        **tools.fastwarc("headers", file),
    }, [
        Demand("CPU, fonds / ISA-L alone", ("fonds ls --full, 1 thread", "cpu"), ("ISA-L alone", "cpu"), at_most=1.15),
    ])


def arc(tools, corpora):
    corpus = corpora["arc"]
    file, units = corpus.path(), corpus.units("record")
    warctools = Contestant([tools.python, str(BENCH / "walk_arc.py"), str(file)])
    made = contest(corpus, "record", "Full scan, ARC, gzip member per record", {
        "fonds ls --full, 1 thread": tools.fonds_ls(file, "--full", "--threads", "1"),
        "libdeflate alone": tools.limit("limit_gzip", file, units),
        "warctools": warctools,
    }, [
        Demand("CPU, warctools / fonds", ("warctools", "cpu"), ("fonds ls --full, 1 thread", "cpu"), at_least=3),
    ])
    # The record model calls the version block `warcinfo`, warctools `filedesc`.
    made.expected.pop("types")
    return made


def lookup(tools, corpora):
    corpus = corpora["crawl"]
    file = corpus.path()
    row = [row for row in corpus.rows if row[1] == "response"][-2]
    stored_offset, stored_length = int(row[6]), int(row[7])
    with open(file, "rb") as source:
        source.seek(stored_offset)
        record = zlib.decompress(source.read(stored_length), 31)
    made = contest(corpus, "record", "One record near the end, by offset", {
        "fonds cat FILE offset:N": Contestant([tools.fonds, "cat", str(file), f"offset:{stored_offset}"],
                                              answers.content, repeats=50),
        "fastwarc extract": Contestant([tools.peer_command("fastwarc"), "extract", str(file), str(stored_offset)],
                                       answers.nothing, repeats=5),
        "warcio extract": Contestant([tools.peer_command("warcio"), "extract", str(file), str(stored_offset)],
                                     answers.nothing, repeats=5),
    }, [
        Demand("CPU of a run", ("fonds cat FILE offset:N", "cpu"), 0.001, at_most=5, unit=" ms"),
    ])
    made.expected = {"sha256": hashlib.sha256(record).hexdigest()}
    made.decoded_size = 0
    return made


def memory(tools, corpora):
    corpus = corpora["crawl"]
    commands = {}
    for threads in (1, 2):
        count = ("--threads", str(threads))
        words = f"{threads} thread{'s' if threads > 1 else ''}"
        commands |= {(f"ls, {words}", threads): tools.fonds_ls(corpus.path(), *count),
                     (f"ls --full, {words}", threads): tools.fonds_ls(corpus.path(), "--full", *count),
                     (f"verify, {words}", threads): tools.fonds_verify(corpus.path(), *count)}
    for layout, words in (("zst-dict", "zstd with a dictionary"), ("stream", "one gzip member"), ("plain", "plain")):
        commands[(f"ls --full, {words}", 1)] = tools.fonds_ls(corpus.path(layout), "--full", "--threads", "1")
    for command in commands.values():
        command.sampled = True
        command.answer, command.check_argv = answers.nothing, None
    return Contest("Memory", {name: command for (name, _), command in commands.items()},
                   [Demand(f"anonymous memory a thread, {name}", (name, "anonymous_mib"), threads, at_most=32, unit=" MiB")
                    for name, threads in commands])


SETS = {
    "fullscan": full_scan,
    "skim10": skim("crawl", "Skim, records of 10 KB on average", 4.5),
    "skim30": skim("default", "Skim, records of 30 KB on average", 8),
    "digests": digests("block-only", "block", "Block digests, gzip member per record"),
    "digests-all": digests("record", "all", "Block and payload digests, gzip member per record"),
    "zstd": zstd("zst", "Full scan, Zstandard frame per record", 1.8),
    "zstd-dict": zstd("zst-dict", "Full scan, Zstandard with a dictionary", 3.5),
    "plain": plain,
    "one-member": one_member,
    "arc": arc,
    "lookup": lookup,
    "memory": memory,
} | search.SETS | recordio.SETS | seek.SETS | writing.SETS | clps.SETS | clps_write.SETS | remote.SETS

# Names for several sets at once.
GROUPS = {"search": list(search.SETS), "recordio": list(recordio.SETS), "seek": list(seek.SETS), "write": list(writing.SETS),
          "clps": list(clps.SETS), "clps-write": list(clps_write.SETS), "remote": list(remote.SETS)}
