"""clp-s archives: fonds against the clp-s of YScope's Python package, the binary itself and not the launcher.

Corpus: make_logs.py; archive: what clp-s makes of it. What clp-s finds is what fonds must find: the same lines, in
any order. The queries and how many lines match in the full corpus are log_queries.json."""
import hashlib
import json
import shlex
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import answers
from contest import Contest, Contestant, Demand

BENCH = Path(__file__).resolve().parent
FULL_MB, QUICK_MB = 320, 32
PRUNED_RUNS = 10  # averaged into one: they take milliseconds
ONE_ID_AFTER = 300_000  # lines; REQUEST_ID is that of the first record from there that has one


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)


class Logs:
    """Corpus, archive and queries; made when first asked for, kept between runs."""

    def __init__(self, tools, directory, quick):
        self.tools, self.quick = tools, quick
        self.clps = next(Path(tools.python).parent.parent.glob("lib/python*/site-packages/yscope_clp_core/bin/clp-s"), None)
        self.megabytes = QUICK_MB if quick else FULL_MB
        self.directory = directory / f"clps-{self.megabytes}m"
        self.directory.mkdir(exist_ok=True)

    def corpus(self):
        return self.made("corpus.jsonl", lambda out: run(
            sys.executable, BENCH / "make_logs.py", "--out", out, "--size-mb", self.megabytes))

    def compressed(self):
        """For the pipe that does without an archive."""
        return self.made("corpus.jsonl.zst", lambda out: run("zstd", "-q", "-f", "-3", self.corpus(), "-o", out))

    def archives(self):
        """A directory with one archive, as clp-s names it."""
        # The archive holds the name of its input as it was given.
        return self.made("archive", lambda out: run(
            self.clps, "c", "--single-file-archive", "--timestamp-key", "ts", out, self.corpus().name, cwd=self.directory))

    def archive(self):
        return next(self.archives().iterdir())

    def queries(self, *kinds):
        listed = json.loads((BENCH / "log_queries.json").read_text(encoding="utf-8"))["queries"]
        return [{key: value.replace("REQUEST_ID", self._request_id()) if isinstance(value, str) else value
                 for key, value in query.items()} for query in listed if query["kind"] in kinds]

    def sections(self):
        """Where each member of the archive lies: name: (offset, length)."""
        said = subprocess.run([self.tools.fonds, "info", "--json", str(self.archive())], check=True, capture_output=True)
        return {name: (offset, length) for name, offset, length in json.loads(said.stdout)["clp_s"]["sections"]}

    def written(self, name):
        return self.directory / "out" / name

    def _request_id(self):
        skipped = ONE_ID_AFTER * self.megabytes // FULL_MB
        with open(self.corpus(), encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if number > skipped and (found := json.loads(line).get("request_id")):
                    return found
        raise SystemExit("bench: no record of the log corpus has a request_id")

    def made(self, name, make):
        out = self.directory / name
        if not out.exists():
            print(f"bench: making {self.directory.name}/{name}", file=sys.stderr, flush=True)
            new = self.directory / f"new-{name}"
            shutil.rmtree(new, ignore_errors=True)
            make(new)
            new.replace(out)
        return out


def shell(command, out=None, **options):
    """A contestant that is a pipe, or writes its output to the file `out`."""
    redirected = f"exec {command} > {shlex.quote(str(out))}" if out else command
    return Contestant(["/bin/sh", "-c", redirected], **options)


# --- decompressing ---

def start_empty(directory):
    """clp-s writes behind what it finds; and freeing an old file is nobody's work."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)


def file_digest(directory, out):
    """Of the one file that was written into the directory."""
    del out
    with open(next(directory.iterdir()), "rb") as file:
        return {"sha256": hashlib.file_digest(file, "sha256").hexdigest()}


def limit(logs, *names):
    """libzstd alone over members of the archive; a dictionary has 8 octets in front of its stream."""
    sections = logs.sections()
    parts = [f"{offset + 8}:{length - 8}" if name.endswith(".dict") else f"{offset}:{length}"
             for name in names for offset, length in [sections[name]] if not (name.endswith(".dict") and length == 8)]
    return Contestant([str(logs.tools.limits / "limit_clps"), str(logs.archive()), *parts], answers.nothing, reported=True)


DICTIONARIES = ("/var.dict", "/log.dict", "/array.dict")


def extract(order, title, bound):
    ordered = order == "log"

    def build(tools, logs):
        def writing(name, command):
            directory = logs.written(name)
            made = command(directory)
            made.before, made.answer = partial(start_empty, directory), partial(file_digest, directory)
            return made

        def fonds(threads):
            words = [tools.fonds, "cat", "--threads", str(threads), *([] if ordered else ["--table-order"]), str(logs.archive())]
            return writing(f"fonds-{threads}", lambda directory: shell(shlex.join(words), directory / "out.jsonl"))

        one, two, theirs = "fonds cat, 1 thread", "fonds cat, 2 threads", "clp-s x"
        clps = writing("clp-s", lambda directory: Contestant(
            [str(logs.clps), "x", str(logs.archives()), str(directory), *(["--ordered"] if ordered else [])]))
        clps.before()
        run(*clps.argv)
        expected = clps.answer(None)
        return Contest(title, {
            one: fonds(1),
            theirs: clps,
            two: fonds(2),
            "libzstd alone, dictionaries and streams": limit(logs, *DICTIONARIES, "/0"),
        }, [
            Demand("CPU, clp-s / fonds", (theirs, "cpu"), (one, "cpu"), at_least=bound),
            Demand("wall, 1 thread / 2 threads", (one, "wall"), (two, "wall"), at_least=1.7),
            Demand("peak memory, fonds on 1 thread / clp-s", (one, "rss_mib"), (theirs, "rss_mib"), at_most=1),
            Demand("peak memory, fonds on 2 threads / clp-s", (two, "rss_mib"), (theirs, "rss_mib"), at_most=1),
        ], expected, logs.archive(), logs.corpus().stat().st_size)
    return build


# --- searching ---

def lines(out):
    """How many, and a sum over their digests, which does not depend on their order."""
    count = total = 0
    for line in out:
        count += 1
        total += int.from_bytes(hashlib.blake2b(line, digest_size=8).digest(), "little")
    return {"lines": count, "sum": f"{total % (1 << 64):016x}"}


def count(out):
    return {"lines": int(out.read())}


class Race:
    """The contestants and demands of one query after the other."""

    def __init__(self, logs):
        self.logs, self.contestants, self.demands = logs, {}, []

    def fonds(self, query, threads, *options, answer=lines):
        """Status 1 is that nothing matches."""
        argv = [self.logs.tools.fonds, "search", "--threads", str(threads), *options, query["query"], str(self.logs.archive())]
        return Contestant(argv, answer, statuses=(0, 1))

    def run(self, query, repeats=1):
        """clp-s and fonds printing, on one thread and on two."""
        theirs = [str(self.logs.clps), "s", str(self.logs.archives()), query["query"]]
        found = subprocess.run(theirs, check=True, capture_output=True).stdout.splitlines(keepends=True)
        expected = lines(found) | ({} if self.logs.quick else {"lines": query["hits"]})
        self.add(query, "clp-s", Contestant(theirs, lines), expected, repeats)
        self.add(query, "fonds, 1 thread", self.fonds(query, 1), expected, repeats)
        self.add(query, "fonds, 2 threads", self.fonds(query, 2), expected, repeats)
        return expected

    def add(self, query, words, contestant, expected, repeats=1):
        contestant.expected, contestant.repeats = expected, repeats
        self.contestants[self.name(query, words)] = contestant

    @staticmethod
    def name(query, words):
        return f"{query['name']}: {words}"

    def side(self, query, words, metric="cpu"):
        return self.name(query, words), metric

    def faster(self, query, bound, words="fonds, 1 thread"):
        printing = ", printing" if words == "fonds, 1 thread" and query["kind"] == "number" else ""
        counting = ", counting" if "count" in words else printing
        self.demands.append(Demand(f"CPU, clp-s / fonds, {query['name']}{counting}", self.side(query, "clp-s"),
                                   self.side(query, words), at_least=bound))

    def two_threads(self, queries):
        for query in queries:
            self.demands.append(Demand(f"wall, 1 thread / 2 threads, {query['name']}", self.side(query, "fonds, 1 thread", "wall"),
                                       self.side(query, "fonds, 2 threads", "wall"), at_least=1.6))

    def memory(self, queries):
        for query in queries:
            self.demands.append(Demand(f"peak memory, fonds on 2 threads / clp-s, {query['name']}",
                                       self.side(query, "fonds, 2 threads", "rss_mib"), self.side(query, "clp-s", "rss_mib"), at_most=1))

    def contest(self, title, *limits):
        for words, names in limits:
            self.contestants[f"libzstd alone, {words}"] = limit(self.logs, *names)
        return Contest(title, self.contestants, self.demands, {}, self.logs.archive())


DICTIONARIES_ALONE, STREAMS_ALONE = ("dictionaries", DICTIONARIES), ("streams", ("/0",))


def pruned(tools, logs):
    del tools
    race, queries = Race(logs), logs.queries("pruned")
    for query in queries:
        race.run(query, PRUNED_RUNS)
        for metric, words in (("cpu", "fonds, 1 thread"), ("wall", "fonds, 2 threads")):
            race.demands.append(Demand(f"{metric.replace('cpu', 'CPU')} of a run, {query['name']}", race.side(query, words, metric), 0.001,
                                       at_most=5, unit=" ms"))
    race.memory(queries)
    return race.contest("clp-s: searching, nothing but metadata is needed")


def nothing_found(tools, logs):
    del tools
    race, queries = Race(logs), logs.queries("none")
    for query in queries:
        race.run(query)
        race.faster(query, 3)
    race.two_threads(queries)
    race.memory(queries)
    return race.contest("clp-s: searching what is not there", DICTIONARIES_ALONE)


def numbers(tools, logs):
    del tools
    race, queries = Race(logs), logs.queries("number")
    counting = "fonds --count, 1 thread"
    for query in queries:
        expected = race.run(query)
        race.add(query, counting, race.fonds(query, 1, "--count", answer=count), expected)
        race.faster(query, 6, counting)
        race.faster(query, 2.2)
    race.two_threads(queries)
    race.memory(queries)
    return race.contest("clp-s: searching numbers", DICTIONARIES_ALONE, STREAMS_ALONE)


def hits(tools, logs):
    del tools
    race, queries = Race(logs), logs.queries("hits")
    for query in queries:
        race.run(query)
        race.faster(query, 3 if query["name"] == "rare-any-key" else 2)
    race.demands.append(Demand("CPU, clp-s / fonds, geometric mean", [race.side(query, "clp-s") for query in queries],
                               [race.side(query, "fonds, 1 thread") for query in queries], at_least=2.5))
    race.two_threads(queries)
    race.memory(queries)
    for query in logs.queries("all"):
        race.run(query)
    return race.contest("clp-s: searching strings, and printing what is found", DICTIONARIES_ALONE, STREAMS_ALONE)


def grep(tools, logs):
    """Without an archive. The pipe finds the literal anywhere, also under other keys; so its lines are not compared."""
    race = Race(logs)
    ripgrep = Path(tools.peer_command("rg"))
    # grep would stop at the first line if it wrote to /dev/null itself.
    words, filtered = ("zstd -dc | rg", f"{shlex.quote(str(ripgrep))} -F -e") if ripgrep.exists() else ("zstd -dc | grep -F", "grep -F -e")
    for query in (query for query in logs.queries("none", "hits", "number") if query["literal"]):
        race.run(query)
        command = f"zstd -dcq {shlex.quote(str(logs.compressed()))} | {filtered} {shlex.quote(query['literal'])} | cat"
        race.add(query, words, shell(command, answer=answers.nothing), {})
        if query["name"] == "rare-any-key":
            race.demands += [
                Demand(f"CPU, {words} / fonds, {query['name']}", race.side(query, words), race.side(query, "fonds, 1 thread"), at_least=1),
                Demand(f"wall, {words} / fonds on 2 threads, {query['name']}", race.side(query, words, "wall"),
                       race.side(query, "fonds, 2 threads", "wall"), at_least=1),
            ]
    return race.contest("clp-s: searching against zstd and grep")


def with_logs(build, title):
    """A set of bench/sets.py. Without clp-s there is no archive, and its demands are not measured."""
    def built(tools, corpora):
        logs = Logs(tools, corpora.directory, corpora.quick)
        if not logs.clps:
            return Contest(title, {}, [Demand("yscope-clp-core is not installed", ("clp-s", "cpu"), 1, at_least=1)])
        return build(tools, logs)
    return built


SETS = {name: with_logs(build, f"clp-s: {name}") for name, build in {
    "clps-table-order": extract("table", "clp-s: decompressing, records as they lie in the archive", 3),
    "clps-log-order": extract("log", "clp-s: decompressing, records as they were logged", 2.5),
    "clps-pruned": pruned,
    "clps-none": nothing_found,
    "clps-number": numbers,
    "clps-hits": hits,
    "clps-grep": grep,
}.items()}
