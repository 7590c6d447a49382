"""The corpora of the benchmark: made when a set first asks for them, kept between runs."""
import collections
import os
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parent

# name: arguments of make_warc.py. A change here makes the corpus anew.
GENERATED = {
    "crawl-128m": "--style crawl --dialect 1.0 --compression record --size 128M --seed 8",
    "crawl-1g": "--style crawl --dialect 1.0 --compression record --size 1G --seed 8",
    "default-128m": "--dialect 1.0 --compression record --size 128M --seed 9",
    "default-1g": "--dialect 1.0 --compression record --size 1G --seed 9",
    "clueweb-128m": "--dialect 1.0 --compression stream --size 128M --seed 9",
    "clueweb-1g": "--dialect 1.0 --compression stream --size 1G --seed 9",
    # Coded bodies and short answers make the file half as large as it is asked to be, and records a third.
    "varied10-128m": "--style crawl --dialect 1.0 --compression record --size 256M --median 36000 --seed 8 --statuses --encodings",
    "varied10-1g": "--style crawl --dialect 1.0 --compression record --size 2G --median 36000 --seed 8 --statuses --encodings",
    "varied30-128m": "--dialect 1.0 --compression record --size 256M --median 36000 --seed 9 --statuses --encodings",
    "varied30-1g": "--dialect 1.0 --compression record --size 2G --median 36000 --seed 9 --statuses --encodings",
    "arc-128m": "--dialect arc --compression record --size 128M --seed 9",
    "arc-256m": "--dialect arc --compression record --size 256M --seed 9",
}


class Corpus:
    """One set of records in one or more layouts. `path(layout)` is a file, made now if it must be."""

    def __init__(self, name, directory, python, list_units):
        self.name = name
        self._directory = directory
        self._python = python
        self._list_units = list_units
        self._suffix = ".arc.gz" if name.startswith("arc") else ".warc.gz"
        self.index = directory / f"{name}.tsv"
        self._make_base()
        self.rows = [line.rstrip("\n").split("\t") for line in open(self.index, encoding="utf-8")]
        self.types = dict(collections.Counter(row[1] for row in self.rows))

    def path(self, layout="record"):
        """Layouts: record (a member a record), block-only, plain, zst, zst-dict, stream (one member)."""
        if layout == "record":
            return self._directory / (self.name + self._suffix)
        if layout == "block-only":
            out = self._directory / f"{self.name}-block.warc.gz"
            self._once(out.name, "make_block_only.py", [out], lambda temporary: self._run(
                sys.executable, BENCH / "make_block_only.py", self.path(), self.index, temporary[0]))
            return out
        self._make_variants()
        suffix = {"plain": ".warc", "zst": ".warc.zst", "zst-dict": "-dict.warc.zst", "stream": "-stream.warc.gz"}
        return self._directory / (self.name + suffix[layout])

    def units(self, layout):
        """The list of known member or frame boundaries that the limit drivers take."""
        file = self.path(layout)
        out = file.with_name(file.name + ".units")
        if not out.exists() or max(file.stat().st_mtime, os.stat(self._list_units).st_mtime) > out.stat().st_mtime:
            self._run(self._list_units, file, out)
        return out

    def decoded_size(self):
        """Bytes of all records, with the line ends after the last one, which the index does not count."""
        separator = 1 if self._suffix == ".arc.gz" else 4
        return int(self.rows[-1][4]) + int(self.rows[-1][5]) + separator

    def _make_base(self):
        arguments = GENERATED[self.name]
        self._once(self.name, arguments, [self._directory / (self.name + self._suffix), self.index],
                   lambda temporary: self._run(self._python, BENCH / "make_warc.py", temporary[0], *arguments.split(),
                                               "--index", temporary[1]))

    def _make_variants(self):
        stem = self._directory / self.name
        outs = [Path(f"{stem}{suffix}") for suffix in (".warc", ".warc.zst", "-dict.warc.zst", "-stream.warc.gz")]
        stamp = self._directory / f"{self.name}-variants.stamp"
        wanted = GENERATED[self.name]
        if all(out.exists() for out in outs) and stamp.exists() and stamp.read_text() == wanted:
            return
        self._say(f"making the layouts of {self.name}")
        stamp.unlink(missing_ok=True)
        self._run(self._python, BENCH / "peers" / "make_variants.py", stem)
        stamp.write_text(wanted)

    def _once(self, name, wanted, outs, make):
        """Calls `make` with temporary names for `outs`, unless a stamp says that they are there."""
        stamp = self._directory / f"{name}.stamp"
        if all(out.exists() for out in outs) and stamp.exists() and stamp.read_text() == wanted:
            return
        self._say(f"making {name}")
        stamp.unlink(missing_ok=True)
        temporary = [out.with_name("new-" + out.name) for out in outs]
        make(temporary)
        for new, out in zip(temporary, outs):
            new.replace(out)
        stamp.write_text(wanted)

    @staticmethod
    def _run(*command):
        subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)

    @staticmethod
    def _say(words):
        print(f"bench: {words}", file=sys.stderr, flush=True)


class Corpora:
    """The corpora by role; --quick takes the 128 MB ones."""

    def __init__(self, directory, quick, python, list_units):
        self.directory, self.quick = directory, quick
        self._names = {"crawl": "crawl-128m" if quick else "crawl-1g",
                       "default": "default-128m" if quick else "default-1g",
                       "clueweb": "clueweb-128m" if quick else "clueweb-1g",
                       "arc": "arc-128m" if quick else "arc-256m",
                       "varied10": "varied10-128m" if quick else "varied10-1g",
                       "varied30": "varied30-128m" if quick else "varied30-1g"}
        self._arguments = (directory, python, list_units)
        self._made = {}

    def __getitem__(self, role):
        if role not in self._made:
            self._made[role] = Corpus(self._names[role], *self._arguments)
        return self._made[role]
