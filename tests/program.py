"""Runs the built program, and finds the files that the tests read."""
import json
import os
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BINARY = os.environ.get("FONDS_BINARY", str(ROOT / "build/release/fonds"))
SHARED = ROOT.parent / "shared/fixtures"
FIXTURES = Path(os.environ.get("FONDS_FIXTURES", SHARED if SHARED.is_dir() else ROOT / "tests/data"))
WARC = FIXTURES / "warc"
DIGEST_CODES = {"digest-mismatch", "digest-malformed", "digest-unsupported", "digest-match-after-decoding",
                "digest-mismatch-truncated", "revisit-payload-not-checked"}


def fonds(*args, input=None, timeout=300, **options):
    """The finished process; stdout and stderr are bytes. The time is against hanging only: machines can be busy."""
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    if input is None and "stdin" not in options:
        options["stdin"] = subprocess.DEVNULL
    done = subprocess.run([BINARY, *map(str, args)], input=input, timeout=timeout, **options)
    assert 0 <= done.returncode <= 3, (args, done.returncode, done.stderr)
    return done


def await_handler(process, signal):
    """Waits until the program catches the signal, or has ended: before that it would just die of it."""
    while process.poll() is None:
        with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
            caught = next((line.split()[1] for line in status if line.startswith("SigCgt:")), "0")
        if int(caught, 16) >> (signal - 1) & 1:
            return
        time.sleep(0.001)


def json_lines(data):
    return [json.loads(line) for line in data.decode("utf-8").splitlines()]


def ls(path, *options):
    """The objects of `ls --json`, and the exit status."""
    done = fonds("ls", "--json", *options, path)
    return json_lines(done.stdout), done.returncode


def verify(path, *options):
    """The findings of `verify --json`, its closing line, and the exit status."""
    done = fonds("verify", "--json", *options, path)
    *findings, closing = json_lines(done.stdout)
    return findings, closing, done.returncode


def cat(path, key, part):
    return fonds("cat", path, key, "--part", part).stdout


def codes(record):
    return {problem["code"] for problem in record.get("problems", [])}


def blocks(path, records, *options):
    """The blocks of all records: one `cat`, cut by the lengths that `ls` gave, or one each where a length is unknown."""
    if any(record["length"] is None for record in records):
        return [fonds("cat", path, f"index:{r['index']}", "--part", "block", *options).stdout for r in records]
    data, found = fonds("cat", path, "--part", "block", *options).stdout, []
    for record in records:
        found.append(data[: record["length"]])
        data = data[record["length"] :]
    assert not data, f"{len(data)} bytes more than the lengths say"
    return found
