"""Writing commands under faults: the old output stays or the new one is whole, never something between."""
import os
import random
import shutil
import subprocess
import time

import pytest
from faults import COMMANDS, OLD, Bench, Run, content, environment, prepare, words
from program import BINARY, WARC, fonds


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return Bench(tmp_path_factory.mktemp("faults"), "6M")


@pytest.mark.parametrize("name", COMMANDS)
def test_killed_at_random_moments(bench, name):
    run, rng = Run(bench, name), random.Random(name)
    for _ in range(6):
        assert run.is_sound(run.kill(rng.uniform(0, run.seconds)))


def in_small_disk(folder, size, command):
    """Runs a command in a mount namespace where `folder` is a disk of this size; what it says, and what the disk holds then."""
    script = (f'mount -t tmpfs -o size={size} none "$0" && cd "$0" && printf "%s" "{OLD.decode()}" > out && "$@"; '
              'status=$?; ls -A; cat out; exit $status')
    return subprocess.run(["unshare", "--mount", *([] if os.getuid() == 0 else ["--user", "--map-root-user"]), "sh", "-c", script,
                           folder, *command], capture_output=True, env=environment())


@pytest.mark.parametrize("name", [n for n in COMMANDS if n not in ("append", "split", "index", "train")])
def test_disk_full(bench, name, tmp_path):
    probe = in_small_disk(tmp_path, "64k", ["true"])
    if probe.returncode:
        pytest.skip("no mounts here: " + probe.stderr.decode())
    done = in_small_disk(tmp_path, "256k", words(bench, name, tmp_path / "out"))
    assert done.returncode == 3, done.stderr
    assert b"No space left on device" in done.stderr
    assert done.stdout == b"out\n" + OLD


@pytest.mark.parametrize("name", COMMANDS)
def test_a_directory_that_is_not_there(bench, name, tmp_path):
    done = subprocess.run(words(bench, name, tmp_path / "missing" / "out"), env=environment(), capture_output=True)
    assert done.returncode in (2, 3) and b"missing" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", COMMANDS)
def test_a_directory_that_cannot_be_written(bench, name):
    done = subprocess.run(words(bench, name, "/proc/out"), env=environment(), capture_output=True)
    assert done.returncode in (2, 3) and b"/proc/out" in done.stderr, done.stderr


@pytest.mark.parametrize("name", [n for n in COMMANDS if n not in ("append", "split")])
def test_an_output_that_is_there_is_kept_without_force(bench, name, tmp_path):
    out = tmp_path / "out"
    prepare(bench, name, out)
    done = subprocess.run([w for w in words(bench, name, out) if w != "-f"], env=environment(), capture_output=True)
    assert done.returncode in (2, 3) and b"--force" in done.stderr
    assert content(tmp_path) == content(tmp_path) and out.read_bytes() == OLD


@pytest.mark.parametrize("command", [["convert", "--compression", "gzip"], ["merge"], ["repair"], ["dedup"]], ids=lambda c: c[0])
def test_output_that_is_the_input(command, bench, tmp_path):
    """Refused, or the new one takes its place when it is whole."""
    both = tmp_path / "both.warc.gz"
    shutil.copy(bench.archive, both)
    before = both.read_bytes()
    done = fonds(*command, "-f", "-o", both, both)
    if done.returncode in (2, 3):
        assert both.read_bytes() == before and done.stderr
    else:
        assert fonds("compare", both, bench.archive).returncode == 0 or command[0] == "dedup"
    assert [p.name for p in tmp_path.iterdir()] == ["both.warc.gz"]


@pytest.mark.parametrize("name", ["convert", "convert-dialect", "merge", "repair", "recordio"])
def test_a_pipe_that_closes(bench, name):
    command = bench.command(name, "-")
    process = subprocess.Popen([BINARY, *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.read(1000)
    process.stdout.close()
    said = process.stderr.read()
    assert process.wait(timeout=60) in (0, 1, 141, -13) and b"terminate" not in said


@pytest.mark.parametrize("name", ["convert", "merge", "repair", "dedup", "split", "recordio"])
def test_an_input_that_gets_shorter_meanwhile(bench, name, tmp_path):
    """Found by whoever still reads; nothing is written of what is no longer there."""
    folder = tmp_path / "out"
    folder.mkdir()
    source = tmp_path / "in.warc.gz"
    out = folder / "out"
    for delay in (0.005, 0.02, 0.05):
        shutil.copy(bench.archive, source)
        prepare(bench, name, out)
        command = [w if w not in (str(bench.archive), str(bench.damaged)) else str(source) for w in words(bench, name, out)]
        process = subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(delay)
        os.truncate(source, 4096)
        said = process.communicate(timeout=60)[1]
        assert process.returncode in (0, 1, 3), (process.returncode, said)
        for path in folder.iterdir():
            if path.read_bytes() != OLD:
                assert fonds("verify", path).returncode == 0 or process.returncode == 1
            path.unlink()


def test_a_dictionary_that_is_too_large(tmp_path):
    large = tmp_path / "large.dict"
    large.write_bytes(b"\x37\xa4\x30\xec" + bytes(9 << 20))
    done = fonds("convert", "--compression", "zstd", "--dictionary", large, "-o", tmp_path / "out", WARC / "own/ok-three.warc")
    assert done.returncode == 3 and b"8388608" in done.stderr
    assert not (tmp_path / "out").exists()
