"""Writing clp-s archives that ends badly: the old output stays or the new one is whole, never something between.

FONDS_CLPS_WRITE_KILLS=N kills each way of writing so often, instead of a few times."""
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest
from clps_write import generate
from clps_write.writer import Options
from test_faults import in_small_disk
from program import BINARY, ROOT, await_handler, fonds

KILLS = int(os.environ.get("FONDS_CLPS_WRITE_KILLS", 8))
WAYS = {
    "file": Options(), "directory": Options(single_file=False), "several": Options(target_encoded_size=1_500_000),
    "several directories": Options(target_encoded_size=1_500_000, single_file=False), "0.3.1": Options(version="0.3.1"),
}


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """Logs for some tenths of a second of writing."""
    path = tmp_path_factory.mktemp("text") / "in.jsonl"
    subprocess.run([sys.executable, ROOT / "bench/make_logs.py", "--out", path, "--size-mb", "6"], check=True, capture_output=True)
    return path


def command(way, text, out, *more):
    return [BINARY, "convert", "--quiet", "--no-progress", *WAYS[way].words(), *more, "-o", str(out), str(text)]


def content(folder):
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}


def archives(found):
    """The files of each archive, by the entry of the folder that it is."""
    by_entry = {}
    for name, digest in found.items():
        by_entry.setdefault(name.split("/")[0], {})[name] = digest
    return by_entry


def is_temporary(name):
    """What a killed run may leave: its name says that it is no archive."""
    return name.startswith(".") or name.endswith((".tmp", ".part")) or ".tmp" in name or ".part" in name


@pytest.mark.parametrize("way", WAYS)
def test_killed_at_random_moments(text, way, tmp_path):
    whole, rng = tmp_path / "whole", random.Random(way)
    whole.mkdir()
    began = time.monotonic()
    subprocess.run(command(way, text, whole / "out"), check=True, capture_output=True)
    seconds, wanted = time.monotonic() - began, archives(content(whole))
    assert wanted
    for number in range(KILLS):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        process = subprocess.Popen(command(way, text, folder / "out"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0, seconds * 1.1))
        process.send_signal(signal.SIGKILL)
        process.wait()
        for entry, files in archives(content(folder)).items():
            assert is_temporary(entry) or files == wanted.get(entry), entry
        shutil.rmtree(folder)


@pytest.mark.parametrize("way", ["file", "directory"])
def test_killed_over_an_old_archive(text, way, tmp_path):
    old, rng = tmp_path / "old", random.Random(way)
    (tmp_path / "old.jsonl").write_text('{"old":true}\n')
    subprocess.run(command(way, tmp_path / "old.jsonl", old), check=True, capture_output=True)
    new = tmp_path / "new"
    began = time.monotonic()
    subprocess.run(command(way, text, new), check=True, capture_output=True)
    seconds = time.monotonic() - began
    states = [fonds("cat", archive).stdout for archive in (old, new)]
    for number in range(KILLS):
        out = tmp_path / f"{number}" / "out"
        out.parent.mkdir()
        (shutil.copy if way == "file" else shutil.copytree)(old, out)
        process = subprocess.Popen(command(way, text, out, "-f"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0, seconds * 1.1))
        process.send_signal(signal.SIGKILL)
        process.wait()
        # A directory cannot be put in the place of another one everywhere at once.
        assert (way == "directory" and not out.exists()) or fonds("cat", out).stdout in states
        shutil.rmtree(out.parent)


@pytest.mark.parametrize("way", WAYS)
def test_interrupted(text, way, tmp_path):
    """Ctrl-C takes the temporary files away."""
    process = subprocess.Popen(command(way, text, tmp_path / "out"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    await_handler(process, signal.SIGINT)
    time.sleep(0.03)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode in (130, 0)
    assert not [name for name in os.listdir(tmp_path) if is_temporary(name)]
    assert process.returncode == 0 or way.startswith("several") or not os.listdir(tmp_path)


@pytest.mark.parametrize("way", ["file", "0.3.1"])
def test_disk_full(text, way, tmp_path):
    probe = in_small_disk(tmp_path, "64k", ["true"])
    if probe.returncode:
        pytest.skip("no mounts here: " + probe.stderr.decode())
    done = in_small_disk(tmp_path, "128k", command(way, text, tmp_path / "out", "-f"))
    assert done.returncode == 3, done.stderr
    assert b"No space left on device" in done.stderr
    assert done.stdout == b"out\nwhat was there before"


def test_disk_full_in_a_directory_archive(text, tmp_path):
    probe = in_small_disk(tmp_path, "64k", ["true"])
    if probe.returncode:
        pytest.skip("no mounts here: " + probe.stderr.decode())
    done = in_small_disk(tmp_path, "128k", command("directory", text, tmp_path / "folder"))
    assert done.returncode == 3, done.stderr
    assert b"No space left on device" in done.stderr
    assert done.stdout == b"out\nwhat was there before"


@pytest.mark.parametrize("way", WAYS)
def test_an_output_that_is_there_is_kept_without_force(text, way, tmp_path):
    out = tmp_path / "out"
    out.write_text("old")
    done = subprocess.run(command(way, text, out), capture_output=True)
    assert done.returncode in (2, 3) and b"out" in done.stderr
    assert out.read_text() == "old"


@pytest.mark.parametrize("way", WAYS)
def test_a_directory_that_is_not_there(text, way, tmp_path):
    done = subprocess.run(command(way, text, tmp_path / "missing/out"), capture_output=True)
    assert done.returncode in (2, 3) and b"missing" in done.stderr
    assert not list(tmp_path.iterdir())


def test_an_input_that_is_not_there(tmp_path):
    done = subprocess.run(command("file", tmp_path / "missing.jsonl", tmp_path / "out"), capture_output=True)
    assert done.returncode == 3 and b"missing.jsonl" in done.stderr
    assert not list(tmp_path.iterdir())


def test_an_input_that_grows_while_it_is_read(tmp_path):
    """What was there at the end of reading is whole: the last document may be cut."""
    rng, path = random.Random(1), tmp_path / "in.jsonl"
    documents = [document.replace("\n", " ").replace("\r", " ") for document in generate.Documents(rng).documents(400)]
    path.write_text("\n".join(documents[:200] * 100) + "\n", encoding="utf-8")
    with open(path, "a", encoding="utf-8") as more:
        process = subprocess.Popen(command("file", path, tmp_path / "out"), stderr=subprocess.PIPE)
        while process.poll() is None:
            more.write("\n".join(documents[200:]) + "\n")
            more.flush()
            time.sleep(0.005)
        process.communicate()
    assert process.returncode in (0, 1)
    assert len(fonds("cat", tmp_path / "out").stdout.splitlines()) >= 20_000
    assert fonds("verify", tmp_path / "out").returncode == 0
