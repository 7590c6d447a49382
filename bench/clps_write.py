"""Making clp-s archives: fonds against the clp-s of YScope's Python package, at the same options.

Corpora: the logs of clps.py by their time, and what a PostgreSQL says of all it does, without (clp-s gives up at its
times). The answer of a run is what `fonds cat` prints of its archive: of clp-s's the same, with --exact the input."""
import hashlib
import subprocess
import sys
from functools import partial

import answers
import clps
from contest import Contest, Contestant, Demand

PEER, ONE, TWO, EXACT, ZSTD = "clp-s c", "fonds convert, 1 thread", "fonds convert, 2 threads", "fonds convert --exact, 1 thread", "zstd"
POSTGRES_MB, POSTGRES_QUICK_MB = 200, 20


class Logs(clps.Logs):
    options = ("--timestamp-key", "ts")


class Postgres(clps.Logs):
    options = ()

    def __init__(self, tools, directory, quick):
        super().__init__(tools, directory, quick)
        self.megabytes = POSTGRES_QUICK_MB if quick else POSTGRES_MB
        self.directory = directory / f"clps-postgres-{self.megabytes}m"
        self.directory.mkdir(exist_ok=True)

    def corpus(self):
        return self.made("corpus.jsonl", lambda out: clps.run(
            sys.executable, clps.BENCH / "make_postgres_logs.py", "--out", out, "--size-mb", self.megabytes))

    def archives(self):
        return self.made("archive", lambda out: clps.run(
            self.clps, "c", "--single-file-archive", out, self.corpus().name, cwd=self.directory))


class Race:
    """Contestants over one corpus, each with a directory for its archive."""

    def __init__(self, tools, logs, level):
        self.tools, self.logs, self.level = tools, logs, str(level)

    def writing(self, name, command):
        """`command(directory)` gives the words that write the one file of the directory."""
        directory = self.logs.written(f"{name}-{self.level}")
        made = Contestant([str(word) for word in command(directory)], before=partial(clps.start_empty, directory),
                          answer=partial(self.printed, directory), written=directory)
        return made

    def peer(self):
        return self.writing("clp-s", lambda directory: [
            self.logs.clps, "c", "--single-file-archive", "--compression-level", self.level, *self.logs.options, directory, self.logs.corpus()])

    def fonds(self, name, *options):
        return self.writing(name, lambda directory: [
            self.tools.fonds, "convert", "--quiet", "--to", "clp-s", "--level", self.level, *self.logs.options, *options,
            "-o", directory / "archive", self.logs.corpus()])

    def exact(self):
        made = self.fonds("fonds-exact", "--exact", "--threads", "1")
        with open(self.logs.corpus(), "rb") as corpus:
            made.expected = {"sha256": hashlib.file_digest(corpus, "sha256").hexdigest()}
        return made

    def zstd(self):
        made = self.writing("zstd", lambda directory: ["/usr/bin/env", "zstd", "-q", f"-{self.level}", self.logs.corpus(), "-o", directory / "zst"])
        made.answer = answers.nothing
        return made

    def limit(self):
        """libzstd alone over what the members of clp-s's archive hold."""
        made = clps.limit(self.logs, *clps.DICTIONARIES, "/0")
        made.argv[1:1] = ["--compress", self.level]
        return made

    def printed(self, directory, out):
        del out
        return self.digest(next(directory.iterdir()))

    def digest(self, archive):
        digest = hashlib.sha256()
        with subprocess.Popen([self.tools.fonds, "cat", str(archive)], stdout=subprocess.PIPE) as cat:
            while piece := cat.stdout.read(1 << 20):
                digest.update(piece)
        if cat.returncode:
            raise ValueError(f"fonds cat ended with {cat.returncode}")
        return {"sha256": digest.hexdigest()}

    def contest(self, title, contestants, demands):
        corpus = self.logs.corpus()
        return Contest(title, contestants, demands, self.digest(self.logs.archive()), corpus, corpus.stat().st_size)


def size(name, bottom, at_most, text):
    return Demand(text, (name, "file_mb"), (bottom, "file_mb"), at_most=at_most)


def compress(title):
    def build(tools, logs):
        race = Race(tools, logs, 3)
        return race.contest(title, {
            PEER: race.peer(),
            ONE: race.fonds("fonds-1", "--threads", "1"),
            TWO: race.fonds("fonds-2", "--threads", "2"),
            EXACT: race.exact(),
            "libzstd alone, dictionaries and streams": race.limit(),
        }, [
            Demand("CPU, clp-s / fonds", (PEER, "cpu"), (ONE, "cpu"), at_least=2),
            Demand("wall, clp-s / fonds on 2 threads", (PEER, "wall"), (TWO, "wall"), at_least=3.5),
            Demand("peak memory, fonds on 1 thread / clp-s", (ONE, "rss_mib"), (PEER, "rss_mib"), at_most=1),
            Demand("peak memory, fonds on 2 threads / clp-s", (TWO, "rss_mib"), (PEER, "rss_mib"), at_most=1),
            size(ONE, PEER, 1, "size, fonds / clp-s"),
            size(EXACT, ONE, 1.25, "size, with --exact / without"),
        ])
    return build


def compress_well(title):
    def build(tools, logs):
        race = Race(tools, logs, 9)
        return race.contest(title, {
            PEER: race.peer(),
            ONE: race.fonds("fonds-1", "--threads", "1"),
            TWO: race.fonds("fonds-2", "--threads", "2"),
            ZSTD: race.zstd(),
            "libzstd alone, dictionaries and streams": race.limit(),
        }, [
            size(ONE, PEER, 1, "size, fonds / clp-s"),
            size(ONE, ZSTD, 1, "size, fonds / zstd -9"),
        ])
    return build


def with_logs(kind, build, title):
    """Without clp-s, or without PostgreSQL, its demands are not measured."""
    def built(tools, corpora):
        logs = kind(tools, corpora.directory, corpora.quick)
        if not logs.clps:
            return Contest(title, {}, [Demand("yscope-clp-core is not installed", (PEER, "cpu"), 1, at_least=1)])
        try:
            logs.corpus()
        except subprocess.CalledProcessError:
            return Contest(title, {}, [Demand("its corpus cannot be made here", (PEER, "cpu"), 1, at_least=1)])
        return build(title)(tools, logs)
    return built


SETS = {name: with_logs(*words) for name, words in {
    "clps-write-logs": (Logs, compress, "clp-s: compressing logs of five services"),
    "clps-write-logs-9": (Logs, compress_well, "clp-s: compressing logs of five services, level 9"),
    "clps-write-postgres": (Postgres, compress, "clp-s: compressing logs of PostgreSQL"),
    "clps-write-postgres-9": (Postgres, compress_well, "clp-s: compressing logs of PostgreSQL, level 9"),
}.items()}
