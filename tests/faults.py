"""What is left when a writing command ends badly: killed, out of space, its input gone.

`python3 tests/faults.py 200` kills each command so many times at random moments and prints what was found."""
import hashlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from program import BINARY, ROOT, fonds  # noqa: E402


def make_archive(path, size="16M"):
    """A crawl as gzip members."""
    subprocess.run([sys.executable, ROOT / "bench/make_warc.py", path, "--style", "crawl", "--dialect", "1.0", "--compression", "record",
                    "--size", size, "--seed", "3", "--jobs", "1"], check=True, capture_output=True)
    return path


def damage(path, out):
    data = bytearray(path.read_bytes())
    for at in range(1000, len(data), 1 << 20):
        data[at:at + 16] = bytes(16)
    out.write_bytes(data)
    return out


class Bench:
    """Inputs for all commands, in one folder."""

    def __init__(self, folder, size="16M"):
        self.folder = Path(folder)
        self.archive = make_archive(self.folder / "in.warc.gz", size)
        self.damaged = damage(self.archive, self.folder / "damaged.warc.gz")
        self.files = self.folder / "files"
        self.files.mkdir()
        for n in range(40):
            (self.files / f"{n}.bin").write_bytes(random.Random(n).randbytes(200_000))
        self.items = self.folder / "in.rio"
        fonds("convert", "--to", "recordio", "--compression", "flate", "-o", self.items, self.archive, timeout=120)
        self.log = self.folder / "log.jsonl"
        with open(self.log, "wb") as log:
            for n in range(40_000):
                log.write(b'{"n":%d,"id":"%s","msg":"user %d did it"}\n' % (n, random.Random(n).randbytes(60).hex().encode(), n % 99))
        self.existing = self.folder / "existing.warc.gz"
        shutil.copy(self.archive, self.existing)

    def command(self, name, out):
        """The words that write `out`, and whether out is there before."""
        return {
            "convert": ["convert", "--compression", "zstd", "-o", out, self.archive],
            "convert-dialect": ["convert", "--to", "warc/1.1", "-o", out, self.archive],
            "convert-check": ["convert", "--check", "--compression", "lz4", "-o", out, self.archive],
            "merge": ["merge", "-o", out, self.archive, self.archive],
            "repair": ["repair", "-o", out, self.damaged],
            "create": ["create", "-o", out, self.files],
            "append": ["create", "--append", "-o", out, self.files],
            "dedup": ["dedup", "-o", out, self.archive],
            "train": ["train", "-o", out, self.archive],
            "index": ["index", "-o", out, self.archive],
            "recordio": ["convert", "--to", "recordio", "--compression", "zstd", "-o", out, self.archive],
            "recordio-merge": ["merge", "-o", out, self.items, self.items],
            "clp-s": ["convert", "--to", "clp-s", "-o", out, self.log],
            "split": ["split", "--size", "2M", "-o", out, self.archive],
        }[name]


COMMANDS = ["convert", "convert-dialect", "convert-check", "merge", "repair", "create", "append", "dedup", "train", "index",
            "recordio", "recordio-merge", "clp-s", "split"]
OLD = b"what was there before"
TEMPORARY = re.compile(r"\.fonds-\d+\.tmp$")


def environment():
    return {**os.environ, "SOURCE_DATE_EPOCH": "1500000000"}


def prepare(bench, name, out):
    """The output as it is before: an archive for --append, else other bytes."""
    if name == "append":
        shutil.copy(bench.existing, out)
    elif name != "split":
        out.write_bytes(OLD)


def words(bench, name, out):
    return [BINARY, *map(str, bench.command(name, out)), *([] if name == "append" else ["-f"]), "--no-progress", "--quiet"]


def content(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


class Run:
    """One command: what its folder holds before and after a run that nobody disturbs."""

    def __init__(self, bench, name):
        self.bench, self.name = bench, name
        with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
            out = Path(folder) / "out"
            prepare(bench, name, out)
            self.before = content(Path(folder))
            began = time.monotonic()
            done = subprocess.run(words(bench, name, out), env=environment(), capture_output=True)
            self.seconds = time.monotonic() - began
            self.after = content(Path(folder))
            assert done.returncode in (0, 1), (name, done.stderr)
            assert self.after != self.before, name

    def is_sound(self, found):
        """Nothing happened, or all; of parts some may be there, each of them whole. A file that replaces another has a name
        of its own for a moment, under which a kill just then leaves it, whole."""
        found = {name: digest for name, digest in found.items()
                 if not (TEMPORARY.search(name) and digest in self.after.values())}
        if self.name == "split":
            return set(found.items()) <= set(self.after.items())
        return found in (self.before, self.after)

    def kill(self, after):
        """What is found when the command is killed so many seconds after it began."""
        with tempfile.TemporaryDirectory(dir=self.bench.folder) as folder:
            out = Path(folder) / "out"
            prepare(self.bench, self.name, out)
            process = subprocess.Popen(words(self.bench, self.name, out), env=environment(), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            time.sleep(after)
            process.send_signal(signal.SIGKILL)
            process.wait()
            return content(Path(folder))


def campaign(kills, names=COMMANDS):
    rng = random.Random(6)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder)
        for name in names:
            run = Run(bench, name)
            counts = {"old": 0, "new": 0, "between": 0}
            for _ in range(kills):
                found = run.kill(rng.uniform(0, run.seconds * 1.5))
                kind = "old" if found == run.before else "new" if found == run.after else "between"
                counts[kind] += 1
                assert run.is_sound(found), (name, found)
            print(f"{name}: {kills} kills within {run.seconds:.2f} s: {counts['old']} times the old state, {counts['new']} the new"
                  + (f", {counts['between']} some whole parts" if counts["between"] else ""), flush=True)


if __name__ == "__main__":
    campaign(int(sys.argv[1]), sys.argv[2:] or COMMANDS)
