"""Logs, and packing them with `convert --to clp-s`."""
import json
import random
from pathlib import Path

import pytest
from clps_peer import tool
from program import fonds, json_lines

MEMBERS = {"header", "schema_tree", "schema_ids", "table_metadata", "var.dict", "log.dict", "array.dict", "0"}
SEVERAL = ["--target-encoded-size", "100K"]  # of random_log()
LINES = [{"ts": "2024-01-02T03:04:05.123Z", "level": "INFO", "msg": "request took 12 ms", "n": 1, "tags": ["a", 1]},
         {"ts": "2024-01-02T03:04:06.500Z", "level": "WARN", "msg": "request took 900 ms", "n": 2, "x": 1.50},
         {"ts": "2024-01-02T03:04:07.250Z", "level": "INFO", "msg": "done", "n": 3, "ctx": {"id": None, "ok": True}}]


@pytest.fixture(scope="module")
def peer():
    if tool.binary() is None:
        pytest.skip("there is no clp-s here")
    return tool.Tool()


@pytest.fixture
def inside(tmp_path, monkeypatch):
    """A folder with a log, in which the test runs."""
    monkeypatch.chdir(tmp_path)
    Path("in.jsonl").write_bytes(text_of(LINES))
    return tmp_path


def text_of(objects):
    return b"".join(json.dumps(o, separators=(",", ":")).encode() + b"\n" for o in objects)


def pack(*args, status=0, **options):
    done = fonds("convert", "--to", "clp-s", "--no-progress", *args, **options)
    assert done.returncode == status, done.stderr
    return done


def events(*archives):
    """The records; with line ends in arrays one may take several lines."""
    done = [fonds("cat", archive) for archive in archives]
    assert not [d.stderr for d in done if d.returncode]
    text, found = "".join(d.stdout.decode() for d in done).strip(), []
    while text:
        value, end = json.JSONDecoder().raw_decode(text)
        found.append(value)
        text = text[end:].lstrip()
    return found


def in_any_order(objects):
    return sorted(json.dumps(o, sort_keys=True) for o in objects)


def stats(*args, **options):
    return json_lines(pack("--print-archive-stats", *args, **options).stdout)


def names(*args, **options):
    """What the inputs are called in the archive."""
    return [entry["f"]["_filename"] for archive in stats("-f", "-o", "named.clps", *args, **options) for entry in archive["range_index"]]


def random_log(path, megabytes):
    rng = random.Random(1)
    with open(path, "wb") as file:
        for number in range(megabytes * 5000):
            file.write(b'{"n":%d,"id":"%s","msg":"user %d did %s"}\n' %
                       (number, rng.randbytes(50).hex().encode(), rng.randrange(1000), rng.randbytes(10).hex().encode()))
