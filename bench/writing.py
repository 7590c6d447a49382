"""Writing web archives: other compressions, other dialects, dictionaries, repair.

Peers: `fastwarc recompress`, `warcio recompress`. A run's answer is what `fonds ls` finds in its output."""
import shlex

import answers
from contest import Contest, Contestant, Demand


class Outputs:
    def __init__(self, tools, corpora, role="crawl"):
        self.tools, self.corpus = tools, corpora[role]
        self.directory = corpora.directory / "writing"
        self.directory.mkdir(exist_ok=True)
        self.file = str(self.corpus.path())

    def contestant(self, name, command, ending):
        """`command(out)` gives the words that write `out`."""
        out = self.directory / f"{name}{ending}"
        argv = [str(word) for word in command(str(out))]
        check = f"{shlex.join(argv)} >/dev/null 2>&1 && {shlex.join([self.tools.fonds, 'ls', '--json', str(out)])}"
        return Contestant(argv, answers.fonds_ls, ["sh", "-c", check], written=out)

    def fonds(self, name, *options, ending=".warc.gz", command="convert"):
        return self.contestant(name, lambda out: [self.tools.fonds, command, "-f", "--quiet", *options, "-o", out, self.file], ending)

    def limit(self, codec, level):
        return self.contestant(f"limit-{codec}", lambda out: [
            self.tools.limits / "limit_recompress", self.file, self.corpus.units("record"), codec, level, out], f".warc.{codec}")

    def fastwarc(self, codec, level):
        return self.contestant(f"fastwarc-{codec}-{level}", lambda out: [
            self.tools.peer_command("fastwarc"), "recompress", "-q", "-c", codec, "-l", level, self.file, out], f".warc.{codec}")

    def warcio(self, ending=".warc.gz"):
        return self.contestant("warcio", lambda out: [self.tools.peer_command("warcio"), "recompress", self.file, out], ending)

    def contest(self, title, contestants, demands):
        known = {"records": len(self.corpus.rows), "types": self.corpus.types, "bad": 0}
        return Contest(title, contestants, demands, known, self.corpus.path(), self.corpus.decoded_size())


def threads(n):
    return ["--threads", str(n)]


def two_threads(one, two):
    return Demand("wall, 1 thread / 2 threads", (one, "wall"), (two, "wall"), at_least=1.8)


def to_zstd(tools, corpora):
    files = Outputs(tools, corpora)
    one, two = "fonds convert, 1 thread", "fonds convert, 2 threads"
    options = ["--compression", "zstd", "--level", "3"]
    return files.contest("gzip to Zstandard, level 3, a frame a record", {
        one: files.fonds("zstd", *options, *threads(1), ending=".warc.zst"),
        two: files.fonds("zstd-2", *options, *threads(2), ending=".warc.zst"),
        "libdeflate + libzstd alone": files.limit("zstd", 3),
        "FastWARC recompress": files.fastwarc("zstd", 3),
    }, [
        Demand("CPU, FastWARC / fonds", ("FastWARC recompress", "cpu"), (one, "cpu"), at_least=7),
        Demand("CPU, fonds / libdeflate + libzstd alone", (one, "cpu"), ("libdeflate + libzstd alone", "cpu"), at_most=1.15),
        two_threads(one, two),
    ])


def to_gzip(tools, corpora):
    files = Outputs(tools, corpora)
    one, two = "fonds convert, 1 thread", "fonds convert, 2 threads"
    return files.contest("gzip to gzip, level 6, a member a record", {
        one: files.fonds("gzip", "--level", "6", *threads(1)),
        two: files.fonds("gzip-2", "--level", "6", *threads(2)),
        "libdeflate alone, both ways": files.limit("gzip", 6),
        "FastWARC recompress, level 6": files.fastwarc("gzip", 6),
        "FastWARC recompress, level 9": files.fastwarc("gzip", 9),
        "warcio recompress": files.warcio(),
    }, [
        Demand("CPU, FastWARC level 6 / fonds", ("FastWARC recompress, level 6", "cpu"), (one, "cpu"), at_least=1.35),
        Demand("CPU, warcio / fonds", ("warcio recompress", "cpu"), (one, "cpu"), at_least=3.5),
        Demand("size, fonds / zlib's level 9", (one, "file_mb"), ("FastWARC recompress, level 9", "file_mb"), at_most=1),
        two_threads(one, two),
    ])


def from_arc(tools, corpora):
    files = Outputs(tools, corpora, "arc")
    one, two = "fonds convert, 1 thread", "fonds convert, 2 threads"
    options = ["--to", "warc/1.0"]
    contest = files.contest("ARC to WARC, gzip", {
        one: files.fonds("arc", *options, *threads(1)),
        two: files.fonds("arc-2", *options, *threads(2)),
        "warcio recompress": files.warcio(),
    }, [
        Demand("CPU, warcio / fonds", ("warcio recompress", "cpu"), (one, "cpu"), at_least=3),
        two_threads(one, two),
    ])
    # Each has a way of its own to keep the version block: only the records proper are counted alike.
    for contestant in contest.contestants.values():
        contestant.answer = responses
    contest.expected = responses_of(files.corpus)
    return contest


def responses(out):
    return {"responses": answers.fonds_ls(out)["types"].get("response", 0)}


def responses_of(corpus):
    return {"responses": corpus.types.get("response", 0)}


def dictionary(tools, corpora):
    files = Outputs(tools, corpora)
    contestants, demands = {}, []
    for level, bound in ((3, 24), (9, 30)):
        plain, trained = f"level {level}", f"level {level}, dictionary trained"
        options = ["--compression", "zstd", "--level", str(level)]
        contestants[plain] = files.fonds(f"plain-{level}", *options, ending=".warc.zst")
        contestants[trained] = files.fonds(f"trained-{level}", *options, "--dictionary", "train", ending=".warc.zst")
        demands.append(Demand(f"size at level {level}, with a dictionary / without", (trained, "file_mb"), (plain, "file_mb"),
                              at_most=1 - bound / 100))
    return files.contest("Zstandard with a dictionary made from the records", contestants, demands)


def check(tools, corpora):
    files = Outputs(tools, corpora)
    verify = tools.fonds_verify(files.file, *threads(1))
    scan = "libdeflate + SHA-1 alone"
    contest = files.contest("Verify and repair, 1 thread", {
        "fonds verify": verify,
        "fonds repair": files.fonds("repaired", *threads(1), command="repair"),
        scan: Contestant([str(tools.limits / "limit_gzip_sha1"), files.file, str(files.corpus.units("record")), "all"]),
    }, [
        Demand("CPU, verify / libdeflate + SHA-1 alone", ("fonds verify", "cpu"), (scan, "cpu"), at_most=1.15),
        Demand("CPU, repair / libdeflate + SHA-1 alone", ("fonds repair", "cpu"), (scan, "cpu"), at_most=1.15),
    ])
    contest.expected = {"records": len(files.corpus.rows), "bad": 0}
    return contest


SETS = {"write-zstd": to_zstd, "write-gzip": to_gzip, "write-arc": from_arc, "write-dictionary": dictionary, "write-check": check}
