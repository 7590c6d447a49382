"""convert, merge, split, repair and index as programs: what they write, refuse, leave behind, and their exit statuses."""
import json
import signal
import subprocess
import time

import pytest
from program import BINARY, WARC, await_handler, fonds

TEXT = b"one\n\n\xff\xfe\nlast \"quoted\" line\n"
ITEMS = [{"data": "one"}, {"data": ""}, {"data_base64": "//4="}, {"data": 'last "quoted" line'}]
COMMANDS = ("convert", "merge", "split", "repair", "index")


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "in.txt"
    path.write_bytes(TEXT)
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_has_examples(command):
    done = fonds(command, "--help")
    assert (done.returncode, done.stderr) == (0, b"")
    assert f"fonds {command} ".encode() in done.stdout.split(b"Examples:")[1]


def test_text_goes_through_json_lines_and_back(text, tmp_path):
    out = tmp_path / "out.jsonl"
    assert fonds("convert", "-o", out, "--format", "lines", "--to", "jsonl", text).returncode == 0
    assert [json.loads(line) for line in out.read_bytes().splitlines()] == ITEMS
    assert fonds("convert", "-o", "-", "--format", "jsonl", "--to", "lines", out).stdout == TEXT


@pytest.mark.parametrize("layout", ["recordio", "recordio/legacy", "recordio/packed"])
def test_text_goes_through_recordio_and_back(layout, text, tmp_path):
    out = tmp_path / "out.rio"
    assert fonds("convert", "-o", out, "--format", "lines", "--to", layout, text).returncode == 0
    assert fonds("convert", "-o", "-", "--to", "lines", out).stdout == TEXT
    assert fonds("cat", "--newline", out).stdout == TEXT
    assert fonds("cat", "--newline", "--tail", "1", out).stdout == TEXT.splitlines(keepends=True)[-1]


def test_an_output_that_is_there_is_replaced_only_by_force(text, tmp_path):
    out = tmp_path / "out"
    out.write_bytes(b"old")
    command = ["convert", "-o", out, "--format", "lines", "--to", "lines", text]
    done = fonds(*command)
    assert done.returncode == 3 and b"--force" in done.stderr and out.read_bytes() == b"old"
    assert fonds(*command, "-f").returncode == 0 and out.read_bytes() == TEXT


def test_damage_leaves_no_output_unless_it_may_be_skipped(tmp_path):
    damaged, out = tmp_path / "in.jsonl", tmp_path / "out"
    damaged.write_bytes(b'{"data":"a"}\nnothing\n{"data":"b"}\n')
    command = ["convert", "-o", out, "--format", "jsonl", "--to", "lines", damaged]
    done = fonds(*command)
    assert done.returncode == 1 and b"offset 13" in done.stderr and b"--skip-damaged" in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.jsonl"]
    done = fonds(*command, "--skip-damaged")
    assert done.returncode == 1 and b"[jsonl-line]" in done.stderr
    assert out.read_bytes() == b"a\nb\n"


def test_what_cannot_be_carried_over_is_listed_and_an_error_with_strict(tmp_path):
    out = tmp_path / "out.jsonl"
    command = ["convert", "-o", out, "--to", "jsonl", WARC / "own/ok-three.warc"]
    done = fonds(*command, "--strict")
    assert done.returncode == 1 and b"record headers (3)" in done.stderr and not out.exists()
    done = fonds(*command)
    assert done.returncode == 0 and b"record headers (3)" in done.stderr and len(out.read_bytes().splitlines()) == 3


@pytest.mark.parametrize("args,hint", [
    (["convert", "IN", "--format", "lines"], b"-o OUT"), (["convert", "-o", "-", "--to", "nonsense", "IN", "--format", "lines"], b"jsonl"),
    (["convert", "-o", "-", "--to", "lines", "--compression", "zstd", "IN", "--format", "lines"], b"compression"),
    (["convert", "-o", "-", "--header", "x", "IN", "--format", "lines"], b"KEY=VALUE"),
    (["split", "-o", "p", "IN", "--format", "lines", "--oversize", "cut"], b"--oversize"), (["split", "--size", "1", "-o", "-", "IN"], b"file names"),
    (["cat", "--newline", "--null", "IN", "--format", "lines"], b"exclude"),
    (["cat", "--tail", "0", "IN", "--format", "lines"], b"at least 1"),
    (["cat", "--undo", "nonsense", "IN", "--format", "lines"], b"NAME=COMMAND")])
def test_wrong_usage_is_status_2_and_says_what_is_missing(args, hint, text):
    done = fonds(*[text if a == "IN" else a for a in args])
    assert (done.returncode, done.stdout) == (2, b"") and hint in done.stderr


def test_ctrl_c_leaves_nothing_behind(tmp_path):
    process = subprocess.Popen([BINARY, "convert", "-o", tmp_path / "out", "--format", "lines", "--to", "lines", "-"],
                               stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(b"one\n" * 100000)
    process.stdin.flush()
    deadline = time.monotonic() + 2  # a file without a name is never seen
    await_handler(process, signal.SIGINT)
    while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    process.stdin.close()
    assert not list(tmp_path.iterdir())
