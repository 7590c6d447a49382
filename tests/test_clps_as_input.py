"""clp-s archives as inputs of `convert`, `merge` and `split`, and `verify --against`."""
import json
from pathlib import Path

import pytest
from packing import LINES, events, inside, pack, random_log, text_of
from program import ROOT, fonds, json_lines

# --- archives as inputs

def test_archives_become_other_versions(inside):
    fonds("convert", "--to", "clp-s/0.4.1", "-o", "old.clps", "in.jsonl")
    pack("-o", "new.clps", "old.clps", "--directory")
    assert json.loads(fonds("info", "--json", "new.clps").stdout)["version"] == "0.5.0"
    assert events("new.clps") == LINES
    assert fonds("verify", "--against", "old.clps", "new.clps").returncode == 0
    pack("-f", "-o", "piped.clps", "-", input=Path("old.clps").read_bytes())
    assert events("piped.clps") == LINES
    pack("-o", "mixed.clps", "in.jsonl", "new.clps", "in.jsonl")
    assert events("mixed.clps") == LINES * 3


def test_damage_of_an_archive_ends_the_work(inside):
    pack("-o", "good.clps", "in.jsonl")
    data = bytearray(Path("good.clps").read_bytes())
    data[-30] ^= 0xff
    Path("bad.clps").write_bytes(data)
    if fonds("verify", "bad.clps").returncode == 0:
        pytest.skip("nothing noticed")
    pack("-o", "out.clps", "bad.clps", status=1)
    assert not Path("out.clps").exists()


def test_merge(inside):
    Path("b.jsonl").write_bytes(b'{"n":4}\n{"n":5}\n')
    pack("--timestamp-key", "ts", "-o", "a.clps", "in.jsonl")
    pack("--directory", "-o", "b.clps", "b.jsonl")
    done = fonds("merge", "-o", "out.clps", "a.clps", "b.clps")
    assert done.returncode == 0, done.stderr
    assert events("out.clps") == [*LINES, {"n": 4}, {"n": 5}]
    assert fonds("verify", "--against", "in.jsonl", "--against", "b.jsonl", "out.clps").returncode == 0
    assert fonds("cat", "--source", "b.jsonl", "out.clps").stdout == b'{"n":4}\n{"n":5}\n'
    done = fonds("search", "--count", "--since", "2024-01-02T03:04:06Z", "*", "out.clps")
    assert done.stdout == b"2\n", done.stderr


def test_merge_of_other_times(inside):
    pack("--timestamp-key", "ts", "-o", "a.clps", "in.jsonl")
    Path("b.jsonl").write_bytes(b'{"t":"2024-01-02T03:04:05Z"}\n')
    pack("--timestamp-key", "t", "-o", "b.clps", "b.jsonl")
    done = fonds("merge", "-o", "out.clps", "a.clps", "b.clps")
    assert done.returncode == 2 and b"--timestamp-key" in done.stderr and not Path("out.clps").exists()


def test_split(inside):
    random_log("log", 1)
    pack("-o", "whole.clps", "log")
    size = Path("whole.clps").stat().st_size // 4
    done = fonds("split", "--size", size, "-o", "part", "whole.clps")
    assert done.returncode == 0, done.stderr
    parts = sorted(str(p) for p in Path().glob("part-*.clps"))
    assert len(parts) >= 4 and parts[0] == "part-00000.clps"
    assert all(Path(p).stat().st_size <= size for p in parts)
    assert fonds("verify", "--against", "log", *parts).returncode == 0


def test_split_into_too_small_parts(inside):
    random_log("log", 1)
    pack("-o", "whole.clps", "log")
    done = fonds("split", "--size", "100", "-o", "part", "whole.clps")
    parts = sorted(Path().glob("part*"))
    if done.returncode == 0:  # only a single record may be larger than a part
        assert all(len(events(part)) == 1 for part in parts)
    else:
        assert done.returncode == 2 and b"100 bytes" in done.stderr and not parts


# --- verify --against

def test_against_tells_the_first_difference(inside):
    pack("-o", "out.clps", "in.jsonl")
    other = [*LINES[:2], {**LINES[2], "n": 4}]
    Path("other").write_bytes(text_of(other))
    done = fonds("verify", "--json", "--against", "other", "out.clps")
    assert done.returncode == 1
    last = json_lines(done.stdout)[-1]
    assert (last["against"], last["input"], last["offset"], last["archive"], last["index"]) == \
        (False, "other", len(text_of(other[:2])), "out.clps", 2)
    assert last["message"] == "n: 4 in the input, 3 in the archive"


@pytest.mark.parametrize("lines", [LINES[:2], [*LINES, LINES[0]], LINES[1:], []], ids=["shorter", "longer", "shifted", "empty"])
def test_against_other_numbers_of_events(inside, lines):
    pack("-o", "out.clps", "in.jsonl")
    Path("other").write_bytes(text_of(lines))
    assert fonds("verify", "--against", "other", "out.clps").returncode == 1


def test_against_documents_that_are_too_deep(inside):
    Path("deep").write_bytes(b'{"a":1}\n' + b'{"a":' * 2000 + b"1" + b"}" * 2000 + b'\n{"a":2}\n')
    pack("-o", "out.clps", "deep", status=1)
    done = fonds("verify", "--json", "--against", "deep", "out.clps")
    assert json_lines(done.stdout)[-1] == {"against": False, "records": 2, "unparsed": 0, "rejected": 1}
    pack("-f", "--keep-unparsed", "-o", "out.clps", "deep")
    assert fonds("verify", "--against", "deep", "out.clps").returncode == 0


def test_many_keys(inside):
    """A table for each record: nothing may take the square of them."""
    Path("keys").write_bytes(b"".join(b'{"k%d":%d}\n' % (n, n) for n in range(100_000)))
    pack("-o", "out.clps", "keys")
    assert fonds("verify", "--against", "keys", "out.clps", timeout=30).returncode == 0


def test_against_what_cannot_be_compared(inside):
    assert fonds("verify", "--against", "in.jsonl", ROOT / "tests/data/warc/own/gz-per-record.warc.gz").returncode == 3
    pack("--disable-log-order", "-o", "out.clps", "in.jsonl")
    done = fonds("verify", "--against", "in.jsonl", "out.clps")
    assert done.returncode == 3 and b"order" in done.stderr
    assert fonds("verify", "--against", "missing", "out.clps").returncode == 3


@pytest.mark.parametrize("name", ["in-kvir-four-byte.clp", "in-kvir-eight-byte.clp"])
@pytest.mark.parametrize("options", [(), ("--exact",), ("--structurize-arrays",)], ids=" ".join)
def test_an_archive_of_a_stream_is_compared_with_it(name, options, inside):
    stream = ROOT / "tests/data/clp-s" / name
    pack("-o", "out.clps", *options, stream)
    done = fonds("verify", "--against", stream, "out.clps")
    assert done.returncode == 0, done.stdout
    other = ROOT / "tests/data/clp-s" / next(n for n in ("in-kvir-four-byte.clp", "in-kvir-eight-byte.clp") if n != name)
    assert fonds("verify", "--against", other, "out.clps").returncode == 1
    assert fonds("verify", "--against", stream, "--against", stream, "out.clps").returncode == 1


def test_the_order_of_keys_counts_for_exact_archives_only(inside):
    Path("one.jsonl").write_text('{"a":1,"b":{"c":2,"d":[3]}}\n')
    Path("other.jsonl").write_text('{"b":{"d":[3],"c":2},"a":1}\n')
    for options, status in (((), 0), (("--exact",), 1)):
        pack("-f", "-o", "out.clps", *options, "one.jsonl")
        assert fonds("verify", "--against", "other.jsonl", "out.clps").returncode == status
