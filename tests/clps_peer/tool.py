"""Runs the real clp-s: the binary inside the Python package, not its launcher.

Every run is a process of its own and keeps nothing; a small archive takes some 15 ms."""
import contextlib
import dataclasses
import importlib.util
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from program import ROOT

VERSION = "0.12.1b0"
OLD_VERSIONS = ("0.9.1b1", "0.7.1b0")  # write archives of 0.4.1 and cannot be installed beside each other
OLD_FOLDER = ROOT / "build/peers/clp-s"


def binary():
    """The clp-s of the installed package; None without the package."""
    package = importlib.util.find_spec("yscope_clp_core")
    if package is None:
        return None
    path = Path(package.submodule_search_locations[0], "bin/clp-s")
    return path if os.access(path, os.X_OK) else None


def old_binary(version):
    """The clp-s of an older package, fetched by pip once into build/peers; None where pip cannot."""
    folder = OLD_FOLDER / version
    if not folder.exists():
        OLD_FOLDER.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=OLD_FOLDER) as new:
            done = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
                                   "--disable-pip-version-check", "--dest", new, f"yscope-clp-core=={version}"],
                                  capture_output=True, timeout=120)
            wheels = list(Path(new).glob("*.whl"))
            if done.returncode or not wheels:
                return None
            zipfile.ZipFile(wheels[0]).extractall(Path(new, "unpacked"))
            with contextlib.suppress(OSError):  # another process was first
                os.rename(Path(new, "unpacked"), folder)
    found = next(folder.glob("*/bin/clp-s"), None)
    if found:
        found.chmod(found.stat().st_mode | stat.S_IXUSR)
    return found


@dataclasses.dataclass(frozen=True)
class Found:
    """What a search printed: its lines without line ends, in its order."""
    lines: list
    status: int  # negative: it was killed by that signal, as by its own crash
    messages: str

    @property
    def crashed(self):
        return self.status < 0 or self.status > 1


class ToolFailed(Exception):
    pass


class Tool:
    """One clp-s binary. Archives and outputs go where the caller says."""

    def __init__(self, path=None):
        self.path = path or binary()

    def run(self, *args, cwd=None, timeout=60):
        return subprocess.run([self.path, *map(str, args)], cwd=cwd, timeout=timeout, stdin=subprocess.DEVNULL,
                              capture_output=True)

    def compress(self, archive, *inputs, timestamp_key=None, structurize_arrays=False, single_file=True,
                 log_order=True, min_table_size=None, retain_float_format=True, level=None, cwd=None):
        """Makes one archive of the inputs, at exactly the path `archive`: a file, or a folder unless `single_file`.

        Inputs are named in it as they are given here, relative to `cwd`."""
        options = []
        if timestamp_key is not None:
            options += ["--timestamp-key", timestamp_key]
        if min_table_size is not None:
            options += ["--min-table-size", min_table_size]
        if level is not None:
            options += ["--compression-level", level]
        for wanted, option in ((structurize_arrays, "--structurize-arrays"), (single_file, "--single-file-archive"),
                               (not log_order, "--disable-log-order"), (not retain_float_format, "--no-retain-float-format")):
            if wanted:
                options.append(option)
        archive = Path(archive)
        with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
            done = self.run("c", *options, folder, *inputs, cwd=cwd)
            made = [path for path in Path(folder).iterdir() if path.suffix != ".tmp"]
            if done.returncode or len(made) != 1:
                raise ToolFailed(f"{len(made)} archives, status {done.returncode}: {done.stderr.decode(errors='replace')}")
            if archive.is_dir():
                shutil.rmtree(archive)
            os.rename(made[0], archive)
        return archive

    def decompress(self, archive, ordered=False):
        """The JSON Lines: in the order of the tables, or of the log."""
        with tempfile.TemporaryDirectory() as folder:
            done = self.run("x", *(["--ordered"] if ordered else []), archive, folder)
            if done.returncode:
                raise ToolFailed(f"status {done.returncode}: {done.stderr.decode(errors='replace')}")
            return b"".join(path.read_bytes() for path in sorted(Path(folder).iterdir()))

    def search(self, archive, query, *, ignore_case=False, since_ms=None, until_ms=None, projection=()):
        """The lines that match; `archive` may be a folder of archives."""
        options = ["-i"] if ignore_case else []
        if since_ms is not None:
            options += ["--tge", since_ms]
        if until_ms is not None:
            options += ["--tle", until_ms]
        if projection:
            options += ["--projection", *projection]
        if query.startswith("-"):  # would be taken for an option, even behind `--`
            query = " " + query
        done = self.run("s", archive, query, *options)
        return Found(done.stdout.split(b"\n")[:-1], done.returncode, done.stderr.decode(errors="replace"))
