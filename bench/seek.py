"""Seek indexes: checkpoints of one long gzip member, and CDXJ of a member a record.

Peers: bench/peers/irds.py, gzidx.py, cdxj_fastwarc.py, and commands as they are (igzip, rapidgzip,
cdxj-indexer). Drivers that print what they took leave out the start of the interpreter."""
import json
import random
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import answers
from contest import Contest, Contestant, Demand

BENCH = Path(__file__).resolve().parent
NAME = "ClueWeb12_00/0000tw/0000tw-00.warc.gz"  # where ir_datasets looks for the ids that the corpus has
DENSE = ["--sparse", "--spacing", "1100K"]
DOCUMENTS, COLD, FROM_START, LOOKUPS = 200, 20, 10, 1000
LENGTH_PREFIXED = ["--part", "block", "--length-prefixed"]


class Trees:
    """The corpus under the names of ClueWeb12, once for each kind of companion beside it."""

    def __init__(self, tools, corpora):
        self.corpus = corpora["clueweb"]
        self.source = self.corpus.path()
        self.directory = corpora.directory / f"seek-{self.corpus.name}"
        self.python, self.fonds = tools.python, tools.fonds
        self.out = self.directory / "out"
        self.out.mkdir(parents=True, exist_ok=True)
        self.documents = [row for row in self.corpus.rows if row[1] == "response"]

    def archive(self, kind):
        """`plain` has no companion, `reference` the checkpoints of ir_datasets, `dense` ours."""
        link = self.directory / kind / NAME
        if not link.is_symlink():
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(self.source)
        checkpoints = self.checkpoints(kind)
        if kind == "reference" and not checkpoints.exists():
            subprocess.run([self.python, str(BENCH / "peers/irds.py"), "build", str(self.source), str(checkpoints)], check=True,
                           stdout=subprocess.DEVNULL)
        if kind == "dense":  # anew, since it is fonds that is measured
            _try([self.fonds, "index", "--type", "checkpoint", *DENSE, "-f", "-o", str(checkpoints), str(self.source)])
        return link

    def checkpoints(self, kind):
        return self.directory / kind / f"{NAME}.chk.lz4"

    def number_of_checkpoints(self, kind):
        done = subprocess.run([self.python, str(BENCH / "peers/irds.py"), "describe", str(self.checkpoints(kind))], check=True,
                              capture_output=True)
        return json.loads(done.stdout)["checkpoints"]

    def picks(self, count):
        """Documents at random; the same ones in each run."""
        return random.Random(count).sample(self.documents, count)

    def spread(self, count):
        """Documents at even distances, so that half of the file lies before one on average."""
        step = len(self.documents) / count
        return [self.documents[int((i + 0.5) * step)] for i in range(count)]

    def keys(self, rows):
        """A file of keys for bench/each_key.py."""
        path = self.out / f"{len(rows)}.keys"
        path.write_text("".join(f"id:{row[2]}\n" for row in rows))
        return path

    def irds(self, rows, checkpoints):
        self.archive("plain")
        return [self.python, str(BENCH / "peers/irds.py"), "get", str(self.directory / "plain"),
                str(self.directory / checkpoints) if checkpoints else "-", *(row[2] for row in rows)]

    def contest(self, title, contestants, demands, rows=None):
        expected = answers.blocks_digest(row[8] for row in rows) if rows else {}
        return Contest(title, contestants, demands, expected, self.source, 0 if rows else self.corpus.decoded_size())


def _try(argv):
    """Makes a file that a set needs. Whether it worked is seen in the set."""
    try:
        subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError) as problem:
        print(f"bench: {problem}", file=sys.stderr)


def reported(argv, answer=answers.reported_blocks, **more):
    return Contestant([str(word) for word in argv], answer, reported=True, **more)


def fonds_documents(tools, archive, rows, *options):
    argv = [tools.fonds, "cat", *options]
    keys = [str(archive), *(f"id:{row[2]}" for row in rows)]
    return Contestant([*argv, *keys], answers.fonds_blocks, [*argv, *LENGTH_PREFIXED, *keys])


def fonds_one_by_one(trees, tools, archive, rows, *options):
    keys = trees.keys(rows)
    one = fonds_documents(tools, archive, rows, *options)
    argv = [sys.executable, BENCH / "each_key.py", "each", keys, tools.fonds, "cat", *options, archive]
    return reported(argv, answers.fonds_blocks, check_argv=one.check_argv)


def usable(trees, tools, path, out):
    """Checkpoints that were just written: whether ir_datasets finds twenty documents through them."""
    del out
    root = path.parent / (path.name + ".d")
    shutil.rmtree(root, ignore_errors=True)
    target = root / f"{NAME}.chk.lz4"
    target.parent.mkdir(parents=True)
    shutil.copyfile(path, target)
    trees.archive("plain")
    argv = [tools.python, str(BENCH / "peers/irds.py"), "get", str(trees.directory / "plain"), str(root),
            *(row[2] for row in trees.picks(COLD))]
    return {"blocks": json.loads(subprocess.run(argv, check=True, capture_output=True).stdout)["blocks"]}


def build(tools, corpora):
    trees = Trees(tools, corpora)
    source = trees.source

    def ours(words, *options):
        out = trees.out / words
        return Contestant([tools.fonds, "index", *options, "--threads", "1", "-f", "-o", str(out), str(source)],
                          partial(usable, trees, tools, out) if "checkpoint" in options else answers.nothing, written=out)

    # As far apart as 8 MiB of stored bytes are on average.
    spacing = int((8 << 20) * trees.corpus.decoded_size() / source.stat().st_size)
    igzip = shutil.which("igzip")
    limit = "igzip -dc" if igzip else "ISA-L alone"
    contestants = {
        "fonds, whole windows": ours("whole.chk.lz4", "--type", "checkpoint"),
        "fonds, sparse windows": ours("sparse.chk.lz4", "--type", "checkpoint", "--sparse"),
        "fonds, densest": ours("dense.chk.lz4", "--type", "checkpoint", *DENSE),
        "fonds, gzidx": ours("fonds.gzidx", "--type", "gzidx"),
        **({"igzip -dc": Contestant([igzip, "-dc", str(source)], answers.nothing)} if igzip else {}),
        "ISA-L alone": tools.limit("limit_stream", source),
        "ir_datasets": reported([tools.python, BENCH / "peers/irds.py", "build", source, trees.out / "irds.chk.lz4"], answers.nothing),
        "indexed_gzip": reported([tools.python, BENCH / "peers/gzidx.py", "build", source, trees.out / "peer.gzidx", spacing],
                                 answers.nothing),
        "rapidgzip -P 1": Contestant([tools.peer_command("rapidgzip"), "-P", "1", "--export-index", str(trees.out / "rapid.gzidx"), "-f",
                                      "--count", str(source)], answers.nothing, written=trees.out / "rapid.gzidx"),
    }
    contestants["ISA-L alone"].answer = answers.nothing
    whole, sparse = ("fonds, whole windows", "cpu"), "fonds, sparse windows"
    percent = source.stat().st_size / 1e8
    made = trees.contest("Checkpoints: building", contestants, [
        Demand(f"CPU, fonds / {limit}", whole, (limit, "cpu"), at_most=1.3),
        Demand("CPU, ir_datasets / fonds", ("ir_datasets", "cpu"), whole, at_least=4),
        Demand("CPU, indexed_gzip / fonds", ("indexed_gzip", "cpu"), whole, at_least=1.5),
        Demand("size, fonds / ir_datasets", ("fonds, whole windows", "file_mb"), ("ir_datasets", "file_mb"), at_most=1),
        Demand("size of whole windows, share of the source", ("fonds, whole windows", "file_mb"), percent, at_most=0.14, unit=" %"),
        Demand("size of sparse windows, share of the source", (sparse, "file_mb"), percent, at_most=0.058, unit=" %"),
        Demand("size of the densest, share of the source", ("fonds, densest", "file_mb"), percent, at_most=0.4, unit=" %"),
    ])
    made.expected = answers.blocks_digest(row[8] for row in trees.picks(COLD))
    return made


def documents(tools, corpora):
    trees = Trees(tools, corpora)
    rows = trees.picks(DOCUMENTS)
    # As many points as the densest checkpoints have.
    gzidx, spacing = trees.out / "dense.gzidx", trees.corpus.decoded_size() // 200
    if not gzidx.exists():
        _try([tools.python, str(BENCH / "peers/gzidx.py"), "build", str(trees.source), str(gzidx), str(spacing)])
    ours, densest = "fonds cat, checkpoints of ir_datasets", "fonds cat, densest checkpoints"
    return trees.contest(f"Checkpoints: {DOCUMENTS} random documents, one process", {
        ours: fonds_documents(tools, trees.archive("reference"), rows),
        densest: fonds_documents(tools, trees.archive("dense"), rows),
        "ir_datasets": reported(trees.irds(rows, "reference")),
        "indexed_gzip, 200 points": reported([tools.python, BENCH / "peers/gzidx.py", "get", trees.source, gzidx,
                                              *(f"{row[4]}:{row[5]}" for row in rows)]),
    }, [
        Demand("CPU, ir_datasets / fonds", ("ir_datasets", "cpu"), (ours, "cpu"), at_least=4.5),
        Demand("CPU of a document, densest checkpoints", (densest, "cpu"), DOCUMENTS / 1e3, at_most=5, unit=" ms"),
    ], rows)


def cold(tools, corpora):
    trees = Trees(tools, corpora)
    rows = trees.picks(COLD)
    keys = trees.out / f"{COLD}.ids"
    keys.write_text("".join(f"{row[2]}\n" for row in rows))
    theirs = trees.irds(rows, "reference")
    fonds, peer = "fonds cat", "ir_datasets"
    return trees.contest(f"Checkpoints: {COLD} random documents, a process each", {
        fonds: fonds_one_by_one(trees, tools, trees.archive("reference"), rows),
        peer: reported([sys.executable, BENCH / "each_key.py", "each", keys, *theirs[:-COLD]], check_argv=theirs),
    }, [Demand("CPU, ir_datasets / fonds", (peer, "cpu"), (fonds, "cpu"), at_least=10)], rows)


def from_start(tools, corpora):
    trees = Trees(tools, corpora)
    rows = trees.spread(FROM_START)
    archive = trees.archive("reference")
    entered, scanned, peer = "fonds cat", "fonds cat --no-index", "ir_datasets without checkpoints"
    possible = (trees.number_of_checkpoints("reference") + 1) / 2
    return trees.contest(f"Checkpoints: {FROM_START} documents at even distances, with them and without", {
        entered: fonds_one_by_one(trees, tools, archive, rows),
        scanned: fonds_one_by_one(trees, tools, archive, rows, "--no-index"),
        peer: reported(trees.irds(rows, None)),
    }, [
        Demand("CPU, ir_datasets without checkpoints / fonds", (peer, "cpu"), (entered, "cpu"), at_least=40),
        Demand("CPU, from the start / with N checkpoints", (scanned, "cpu"), (entered, "cpu"), at_least=round(0.8 * possible, 1)),
    ], rows)


def scan(tools, corpora):
    trees = Trees(tools, corpora)
    archive, plain = trees.archive("reference"), trees.archive("plain")
    made = trees.contest("Checkpoints: full scan", {
        f"fonds ls --full, {threads} thread{'s' if threads > 1 else ''}": tools.fonds_ls(archive, "--full", "--threads", str(threads))
        for threads in (1, 2)
    } | {"fonds ls --full, 2 threads, no checkpoints": tools.fonds_ls(plain, "--full", "--threads", "2")}, [
        Demand("wall, 1 thread / 2 threads", ("fonds ls --full, 1 thread", "wall"), ("fonds ls --full, 2 threads", "wall"), at_least=1.8),
    ])
    made.expected = {"records": len(trees.corpus.rows), "types": trees.corpus.types, "bad": 0}
    return made


class Lines:
    """CDXJ of the crawl corpus, by cdxj-indexer, and many more lines around them."""

    def __init__(self, tools, corpora):
        self.corpus = corpora["crawl"]
        self.directory = corpora.directory / f"seek-{self.corpus.name}"
        self.directory.mkdir(exist_ok=True)
        self.count = 1_000_000 if corpora.quick else 10_000_000
        self.real = self._made("real.cdxj", lambda out: [tools.peer_command("cdxj-indexer"), "-s", "-o", out, self.corpus.path()])

    def among_many(self):
        return self._made(f"{self.count}.cdxj", lambda out: [sys.executable, BENCH / "make_cdxj.py", self.real, self.count, out])

    def _made(self, name, command):
        out = self.directory / name
        if not out.exists():
            print(f"bench: making {self.directory.name}/{name}", file=sys.stderr, flush=True)
            new = out.with_name("new-" + name)
            subprocess.run([str(word) for word in command(new)], check=True)
            new.replace(out)
        return out


def cdxj(tools, corpora):
    lines = Lines(tools, corpora)
    file = lines.corpus.path()
    expected = answers.sorted_cdxj(lines.real, None)

    def into(words, argv, answer):
        out = lines.directory / f"{words}.cdxj"
        return Contestant([str(word) for word in argv(out)], partial(answer, out))

    def ours(threads):
        return into(f"fonds-{threads}", lambda out: [tools.fonds, "index", "--threads", threads, "-f", "-o", out, file], answers.sorted_cdxj)

    made = Contest("CDXJ: building, gzip member per record", {
        "fonds index, 1 thread": ours(1),
        "fonds index, 2 threads": ours(2),
        "cdxj-indexer -s": into("peer", lambda out: [tools.peer_command("cdxj-indexer"), "-s", "-o", out, file], answers.sorted_cdxj),
        "FastWARC, unsorted": into("fastwarc", lambda out: [tools.python, BENCH / "peers/cdxj_fastwarc.py", file, out], answers.cdxj),
    }, [
        Demand("CPU, cdxj-indexer -s / fonds", ("cdxj-indexer -s", "cpu"), ("fonds index, 1 thread", "cpu"), at_least=12),
        Demand("CPU, FastWARC, unsorted / fonds", ("FastWARC, unsorted", "cpu"), ("fonds index, 1 thread", "cpu"), at_least=4),
        Demand("wall, 1 thread / 2 threads", ("fonds index, 1 thread", "wall"), ("fonds index, 2 threads", "wall"), at_least=1.8),
    ], expected, file, lines.corpus.decoded_size())
    return made


def lookup(tools, corpora):
    lines = Lines(tools, corpora)
    index, file = lines.among_many(), lines.corpus.path()
    rows = {row[6]: row for row in lines.corpus.rows if row[1] == "response"}
    captures = []
    with open(lines.real, encoding="utf-8") as real:
        for line in real:
            _, time, members = line.split(" ", 2)
            members = json.loads(members)
            if members["offset"] in rows:
                captures.append((f"uri:{members['url']}@{time}", rows[members["offset"]]))
    captures = random.Random(LOOKUPS).sample(captures, min(LOOKUPS, len(captures)))
    keys = lines.directory / "lookups.keys"
    keys.write_text("".join(f"{key}\n" for key, _ in captures))
    command = [tools.fonds, "cat", "--index", str(index)]
    searched = "fonds cat uri:X@TIME"
    return Contest(f"CDXJ: looking up, {lines.count // 1_000_000} million lines", {
        searched: reported([sys.executable, BENCH / "each_key.py", "marginal", keys, *command, file], answers.fonds_blocks,
                           check_argv=[*command, *LENGTH_PREFIXED, str(file), *(key for key, _ in captures)]),
        "fonds cat offset:N": reported([sys.executable, BENCH / "each_key.py", "marginal", _offsets(lines, captures), tools.fonds, "cat", file],
                                       answers.nothing),
    }, [
        Demand("CPU of a look-up, the record read too", (searched, "cpu"), (len(captures) - 1) / 1e3, at_most=1, unit=" ms"),
    ], answers.blocks_digest(row[8] for _, row in captures), index)


def _offsets(lines, captures):
    """The same records by key of their place: what reading them costs without a search."""
    keys = lines.directory / "offsets.keys"
    keys.write_text("".join(f"offset:{row[6]}\n" for _, row in captures))
    return keys


SETS = {f"seek-{name}": made for name, made in {
    "build": build, "documents": documents, "cold": cold, "from-start": from_start, "scan": scan, "cdxj": cdxj, "lookup": lookup}.items()}
