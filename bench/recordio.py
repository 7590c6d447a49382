"""RecordIO: fonds through its library against the Go library, on the same files; and libzstd alone.

The drivers take the time themselves, so that starting up, and reading items or an index into memory
before the work, count for nobody: bench/recordio_driver.cpp and tests/interop/recordio_go/measure.go."""
import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import answers
from contest import Contest, Contestant, Demand

ROOT = Path(__file__).resolve().parent.parent
SIZES = {"100 B": 100, "2 KB": 2000, "200 KB": 200000}
TRANSFORMERS = {"none": [], "flate": ["-t", "flate"], "zstd": ["-t", "zstd"]}  # Go's usual levels: 6 and 5
BLOCK = ["-block", str(1 << 20)]
PICKS, CACHED_PICKS = 1000, 100000
# A fraction of the blocks, so that hardly an item is found in a cached block.
COLD = ["-memory", str(4 << 20)]
GO = str(ROOT / "build/go/recordio_go")


class Files:
    """Items, and the files that the Go library makes of them; made when first asked for, kept between runs."""

    def __init__(self, directory, quick):
        self.total = 64_000_000 if quick else 500_000_000
        self._directory = directory / f"recordio-{self.total // 1_000_000}m"

    def items(self, size):
        return self._made(f"{size}.items", lambda out: [GO, "measure-gen", "-size", size, "-total", self.total, "-out", out])

    def answer(self, size):
        """What every reader and writer of these items must have seen."""
        self.items(size)
        line = json.loads((self._directory / f"{size}.items.json").read_text())
        return {key: line[key] for key in ("records", "bytes", "last_byte_sum")}

    def file(self, size, transformer):
        return self._made(f"{size}-{transformer}.rio", lambda out: [
            GO, "measure-write", "-in", self.items(size), *BLOCK, *TRANSFORMERS[transformer], "-out", out,
            "-index", self.index(size, transformer)])

    def index(self, size, transformer):
        return self._directory / f"{size}-{transformer}.idx"

    def written(self, words):
        return self._directory / f"{words}.out"

    def _made(self, name, command):
        out, said = self._directory / name, self._directory / f"{name}.json"
        if not said.exists():
            print(f"bench: making {self._directory.name}/{name}", file=sys.stderr, flush=True)
            self._directory.mkdir(exist_ok=True)
            said.write_bytes(subprocess.run([str(word) for word in command(out)], check=True, capture_output=True).stdout)
        return out


def seen(out):
    """The line of a driver: how many items and bytes, and the sum of their last bytes."""
    line = json.loads(out.read())
    return {key: line[key] for key in ("records", "bytes", "last_byte_sum")}


def read_back(path, out):
    """What the Go library finds in a file that was just written."""
    del out
    done = subprocess.run([GO, "measure-scan", "-in", str(path)], check=True, capture_output=True)
    path.unlink()
    return {key: json.loads(done.stdout)[key] for key in ("records", "bytes", "last_byte_sum")}


def driver(argv, answer=seen, expected=None):
    return Contestant([str(word) for word in argv], answer, reported=True, expected=expected)


def one_processor(size):
    """In a demand: Go as it is measured, always on one processor, which costs it the least CPU."""
    return f"Go, 1 thread, {size}"


def read(transformer, title):
    def build(tools, files):
        contestants, demands = {}, []
        for words, size in SIZES.items():
            file, expected = files.file(size, transformer), files.answer(size)
            ours = [tools.recordio, "scan", "-in", file, "-threads"]
            contestants |= {
                f"fonds, 1 thread, {words}": driver([*ours, 1], expected=expected),
                f"fonds, 2 threads, {words}": driver([*ours, 2], expected=expected),
                f"Go, 1 thread, {words}": driver([GO, "measure-scan", "-in", file, "-procs", 1], expected=expected),
            }
            if transformer == "zstd":
                limit = [tools.limits / "limit_recordio_zstd", file]
                contestants[f"libzstd alone, {words}"] = driver([*limit, "joined"], answers.nothing)
                contestants[f"libzstd and joining of chunks, {words}"] = driver(limit, answers.nothing)
                demands.append(Demand(f"CPU, fonds / libzstd alone, {words}", (f"fonds, 1 thread, {words}", "cpu"),
                                      (f"libzstd alone, {words}", "cpu"), at_most=1.1))
            bound = {"none": 2 if size == 100 else None, "flate": 4, "zstd": None}[transformer]
            if bound:
                demands.append(Demand(f"CPU, Go / fonds, {words}", (one_processor(words), "cpu"), (f"fonds, 1 thread, {words}", "cpu"),
                                      at_least=bound))
            if transformer != "none":
                demands.append(Demand(f"wall, 1 thread / 2 threads, {words}", (f"fonds, 1 thread, {words}", "wall"),
                                      (f"fonds, 2 threads, {words}", "wall"), at_least=1.8))
        return Contest(title, contestants, demands, decoded_size=files.total)
    return build


def write(transformer, title):
    def build(tools, files):
        contestants, demands = {}, []
        for words, size in SIZES.items():
            items, expected = files.items(size), files.answer(size)
            arguments = ["-in", items, *BLOCK, *TRANSFORMERS[transformer]]

            def writer(program, name, more, arguments=arguments, expected=expected):
                out = files.written(name)
                return driver([*program, *arguments, *more, "-out", out], partial(read_back, out), expected)

            contestants |= {
                f"fonds, 1 thread, {words}": writer([tools.recordio, "write"], "fonds", ["-threads", 1]),
                f"fonds, 2 threads, {words}": writer([tools.recordio, "write"], "fonds-2", ["-threads", 2]),
                f"Go, 1 thread, {words}": writer([GO, "measure-write"], "go", ["-procs", 1, "-par", 1]),
            }
            bound = {"none": 1.5 if size == 100 else None, "flate": 2.5, "zstd": 1.15}[transformer]
            ours, theirs = f"fonds, 1 thread, {words}", one_processor(words)
            if bound:
                demands.append(Demand(f"CPU, Go / fonds, {words}", (theirs, "cpu"), (ours, "cpu"), at_least=bound))
            if transformer != "none":
                demands.append(Demand(f"wall, 1 thread / 2 threads, {words}", (ours, "wall"),
                                      (f"fonds, 2 threads, {words}", "wall"), at_least=1.8))
            if transformer == "flate":
                demands.append(Demand(f"size of the file, fonds / Go, {words}", (ours, "file_mb"), (theirs, "file_mb"), at_most=1))
        return Contest(title, contestants, demands, decoded_size=files.total)
    return build


def get(transformer, title):
    def build(tools, files):
        contestants, demands = {}, []
        for words, size in SIZES.items():
            file, index = files.file(size, transformer), files.index(size, transformer)
            picks = ["-in", file, "-index", index, "-n"]
            theirs = [GO, "measure-get", *picks, PICKS, "-procs", 1]
            # The picks depend on the seed alone; what the Go library gets is what is to be got.
            expected = json.loads(subprocess.run([str(word) for word in theirs], check=True, capture_output=True).stdout)
            contestants |= {
                f"fonds, {words}": driver([tools.recordio, "get", *picks, PICKS, *COLD], expected=expected),
                f"Go, {words}": driver(theirs, expected=expected),
                f"fonds, cached block, {words}": driver([tools.recordio, "get", *picks, CACHED_PICKS, "-cached"],
                                                        expected={"records": CACHED_PICKS, "bytes": CACHED_PICKS * size}),
            }
            bound = {"none": 4 if size == 200000 else 20, "flate": 4, "zstd": 2}[transformer]
            demands += [
                Demand(f"CPU, Go / fonds, {words}", (f"Go, {words}", "cpu"), (f"fonds, {words}", "cpu"), at_least=bound),
                Demand(f"an item of a cached block, {words}", (f"fonds, cached block, {words}", "wall"), CACHED_PICKS * 1e-6,
                       at_most=5, unit=" µs"),
            ]
        return Contest(title, contestants, demands)
    return build


def memory(tools, files):
    contestants, demands = {}, []
    for transformer in TRANSFORMERS:
        commands = {"read": ["scan", "-in", files.file(100, transformer)],
                    "write": ["write", "-in", files.items(100), *BLOCK, *TRANSFORMERS[transformer], "-out", "/dev/null"]}
        for operation, arguments in commands.items():
            for threads in (1, 2):
                name = f"{operation}, {transformer}, {threads} thread{'s' if threads > 1 else ''}"
                argv = [str(word) for word in [tools.recordio, *arguments, "-threads", threads]]
                contestants[name] = Contestant(argv, answers.nothing, sampled=True)
                # A few blocks of 1 MiB, stored and decoded. The writer's driver lists all items first.
                if operation == "read":
                    demands.append(Demand(f"anonymous memory a thread, {name}", (name, "anonymous_mib"), threads, at_most=8, unit=" MiB"))
    return Contest("RecordIO: memory", contestants, demands)


def with_files(build):
    """A set of bench/sets.py. Without the Go library there are no files, and its demands are not measured."""
    def built(tools, corpora):
        if not Path(GO).exists():
            return Contest("RecordIO", {}, [Demand("the Go library is not built", ("Go", "cpu"), 1, at_least=1)])
        return build(tools, Files(corpora.directory, corpora.quick))
    return built


WORDS = {"none": "no transformer", "flate": "flate", "zstd": "zstd"}
SETS = {f"recordio-{operation.__name__}-{transformer}": with_files(operation(transformer, f"RecordIO: {words}, {WORDS[transformer]}"))
        for operation, words in ((read, "reading"), (write, "writing"), (get, f"{PICKS} random items"))
        for transformer in TRANSFORMERS} | {"recordio-memory": with_files(memory)}
