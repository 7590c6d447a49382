"""What the Go RecordIO library writes, we read; what we write, it reads; without transformer both write the same bytes."""
import base64
import hashlib
import json
import random
import subprocess

import pytest
from program import ROOT, fonds, json_lines, verify
from recordio_files import EXPECTED, FOLDER, XOR, contents, header_of, info_of, items_of, listed, options, prefixed

DRIVER = ROOT / "build/go/recordio_go"
SEEDS = range(40)


@pytest.fixture(scope="session", autouse=True)
def driver():
    """Built by script/test; here only where somebody runs pytest alone."""
    if not DRIVER.exists():
        made = subprocess.run(["bash", "-c", ". script/common.sh; find_go >/dev/null || exit 77; make_go_driver"], cwd=ROOT, timeout=600)
        if made.returncode == 77:
            pytest.skip("needs go; script/install-deps installs it")
        assert made.returncode == 0


def ask(op, **request):
    """One request to the driver in a process of its own, since the library keeps buffers between uses."""
    line = json.dumps({"op": op} | {key: str(v) if hasattr(v, "suffix") else v for key, v in request.items()})
    done = subprocess.run([DRIVER], input=line.encode(), capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return json.loads(done.stdout)


def go_write(path, items, **request):
    raw = path.with_suffix(".items")
    raw.write_bytes(prefixed(items))
    made = ask("write", out=path, items=raw, **request)
    assert "error" not in made and "panic" not in made, made
    return made


def go_scan(path, **request):
    found = ask("scan", **{"in": path}, **request)
    assert "error" not in found and "panic" not in found, found
    return found


def b64(data):
    return base64.b64encode(data if isinstance(data, bytes) else data.encode()).decode()


def as_info_shows(data):
    """Bytes that are not UTF-8 as \\xNN."""
    text = data.decode("utf-8", "surrogateescape")
    return "".join(f"\\x{ord(c) - 0xDC00:02x}" if 0xDC80 <= ord(c) <= 0xDCFF else c for c in text)


def of_go(entries):
    """Header entries of a scan, as (key, type, value) in bytes where they are text."""
    return [(base64.b64decode(key), kind, base64.b64decode(value) if kind == "string" else value) for key, kind, value in entries]


def of_go_as_info(entries):
    return [(as_info_shows(key), kind, as_info_shows(value) if kind == "string" else value) for key, kind, value in of_go(entries)]


def digests(items):
    return [[len(item), hashlib.sha256(item).hexdigest()] for item in items]


def convert(path, items, *given, to="recordio"):
    """Writes items with `fonds convert` from JSON lines."""
    lines = path.with_suffix(".jsonl")
    with open(lines, "w", encoding="utf-8") as out:
        for n, item in enumerate(items):
            try:
                line = {"block": 0, "item": n, "data": item.decode("utf-8")}
            except UnicodeDecodeError:
                line = {"block": 0, "item": n, "data_base64": b64(item)}
            out.write(json.dumps(line, ensure_ascii=n % 2 == 0) + "\n")
    done = fonds("convert", "-o", path, "--force", "--format", "jsonl", "--to", to, *given, lines)
    assert (done.returncode, done.stderr) == (0, b""), done.stderr.decode()


def made_items(seed, least=0, most=60):
    """Items of the sizes that matter: none, few bytes, around a chunk's payload, several chunks; text and noise."""
    rng = random.Random(f"items {seed}")
    items = []
    for _ in range(rng.randint(least, most)):
        kind = rng.randrange(20)
        if kind == 0:
            items.append(b"")
        elif kind == 1:
            items.append(rng.randbytes(rng.choice([32735, 32736, 32737, 32739, 32740, 32741, 65480, 100000])))
        elif kind < 8:
            items.append(rng.randbytes(rng.randrange(300)))
        else:
            items.append(" ".join(rng.choice(["grüße", "log", "error", "世界", "id=7"]) for _ in range(rng.randrange(1, 200))).encode())
    return items


SOME = made_items("some", least=70, most=70) + [b"", b"x" * 32736, b"", random.Random(3).randbytes(100000), b"last"]
ALL_TYPES = [("flag", "bool", "true"), ("no", "bool", "false"), ("a", "int", "-1"), ("b", "int8", "-128"), ("c", "int16", "32767"),
             ("d", "int32", "-2147483648"), ("e", "int64", "-9223372036854775808"), ("f", "uint", "7"), ("g", "uint8", "255"),
             ("h", "uint16", "65535"), ("i", "uint32", "4294967295"), ("j", "uint64", "18446744073709551615"),
             ("k", "string", b"text"), ("", "string", b""), ("k", "string", "zweimal, grüße".encode()), (b"\xffraw", "string", b"\x00\xfe\\")]


def go_header(entries):
    return [[b64(key), kind, b64(value) if kind == "string" else value] for key, kind, value in entries]


# --- Go writes, we read

GO_WRITES = {
    "plain": {},
    "no-items": {"none": True},
    "flate": {"transformers": ["flate"]}, "flate-huffman": {"transformers": ["flate -2"]},
    "flate-stored": {"transformers": ["flate 0"]}, "flate-9": {"transformers": ["flate 9"], "max_items": 3},
    "zstd": {"transformers": ["zstd"], "max_items": 5}, "zstd-19": {"transformers": ["zstd 19"]},
    "flate-zstd": {"transformers": ["flate 1", "zstd 3"], "max_items": 9},
    "zstd-flate": {"transformers": ["zstd 3", "flate 6"], "max_items": 9},
    "xor": {"transformers": ["xor 77"], "max_items": 30}, "zstd-xor": {"transformers": ["zstd", "xor 5"], "max_items": 40},
    "one-item-blocks": {"flush_after": list(range(100))}, "small-blocks": {"max_items": 1},
    "flushes": {"flush_after": [0, 0, 1, 5, 5, 20]}, "one-after-another": {"max_items": 4, "parallel": 1},
    "header": {"header": go_header(ALL_TYPES)}, "long-header": {"header": go_header([("long", "string", b"0123456789" * 9000)])},
    "trailer": {"promise_trailer": True, "trailer": b64(b"the index")},
    "empty-trailer": {"promise_trailer": True, "trailer": ""},
    "long-trailer": {"promise_trailer": True, "trailer": b64(random.Random(1).randbytes(70000)), "transformers": ["zstd"]},
}


@pytest.mark.parametrize("request_", GO_WRITES.values(), ids=GO_WRITES)
def test_we_read_what_go_writes(request_, tmp_path):
    path, request = tmp_path / "go.rio", dict(request_)
    items = [] if request.pop("none", False) else SOME
    made = go_write(path, items, **request)
    xor = ["--undo", XOR] if any("xor" in name for name in request.get("transformers", [])) else []
    rows, status = listed(path, *xor)
    assert (contents(rows), [row[:2] for row in rows], status) == (digests(items), made["locations"], 0)
    assert header_of(info_of(path, *xor)) == of_go_as_info(go_scan(path)["header"] if len(request.get("transformers", [])) < 2
                                                           else go_header([("transformer", "string", n.encode()) for n in request["transformers"]]))
    assert [f for f in verify(path, *xor)[0] if f["severity"] != "note"] == []
    if "trailer" in request:
        assert fonds("cat", "--trailer", path).stdout == base64.b64decode(request["trailer"])


def test_we_read_a_file_that_go_went_on_with(tmp_path):
    path = tmp_path / "go.rio"
    go_write(path, SOME[:20], transformers=["zstd"])
    go_write(path, SOME[20:], transformers=["zstd"], skip_header=True, append=True)
    assert contents(listed(path)[0]) == digests(SOME)
    assert verify(path)[2] == 0


LEGACY = {"plain": {"layout": "plain"}, "plain-objects": {"layout": "plain", "marshal": True},
          "packed": {"layout": "packed", "max_items": 7}, "packed-objects": {"layout": "packed", "marshal": True, "flush_after": [3, 3, 9]},
          "packed-bytes": {"layout": "packed", "max_bytes": 110000},
          "packed-flate": {"layout": "packed", "max_items": 7, "transformers": ["flate"]},
          "packed-flate-stored": {"layout": "packed", "max_items": 11, "transformers": ["flate 0"]}}


@pytest.mark.parametrize("request_", LEGACY.values(), ids=LEGACY)
def test_we_read_what_the_legacy_writers_write(request_, tmp_path):
    path = tmp_path / "go.rio"
    made = go_write(path, SOME, **request_)
    rows, status = listed(path)
    assert (contents(rows), status) == (digests(SOME), 0)
    records = [call[1:] for call in made["calls"] if call[0] == "record"]
    assert sorted({row[0] for row in rows}) == [record[0] for record in records]
    if request_["layout"] == "packed":
        assert [sum(row[0] == record[0] for row in rows) for record in records] == [record[2] for record in records]
    assert [f for f in verify(path)[0] if f["severity"] != "note"] == []


# --- we write, Go reads

WE_WRITE = {
    "plain": [], "no-items": [], "small-blocks": ["--block-items", "3"], "one-item-blocks": ["--block-items", "1"],
    "byte-blocks": ["--block-size", "40000"],
    "flate": ["--compression", "flate"], "flate-huffman": ["--compression", "flate", "--level", "-2", "--block-items", "9"],
    "flate-stored": ["--compression", "flate", "--level", "0"], "flate-9": ["--compression", "flate", "--level", "9", "--block-items", "4"],
    "zstd": ["--compression", "zstd", "--block-items", "5"], "zstd-1": ["--compression", "zstd", "--level", "1"],
    "zstd-19": ["--compression", "zstd", "--level", "19"],
    "zstd-threads": ["--compression", "zstd", "--block-items", "2", "--threads", "2"],
    # The Go library cannot always read stacks in files of several blocks.
    "flate-zstd": ["--compression", "flate", "--compression", "zstd", "--level", "3", "--block-size", "1G"],
    "zstd-flate": ["--compression", "zstd", "--compression", "flate", "--level", "3", "--block-size", "1G"],
    "xor": ["--compression", "xor 77", "--apply", XOR, "--block-items", "20"],
    "header": ["--header", "note=grüße", "--header", "n:int64=-9223372036854775808", "--header", "u:uint64=18446744073709551615",
               "--header", "yes:bool=true", "--header", "no:bool=false", "--header", "note=again", "--header", "empty="],
}
WRITTEN_HEADER = [("note", "string", "grüße"), ("n", "int64", "-9223372036854775808"), ("u", "uint64", "18446744073709551615"),
                  ("yes", "bool", "true"), ("no", "bool", "false"), ("note", "string", "again"), ("empty", "string", "")]


def shard_counts(path):
    """Numbers of parts for which the Go library does not lose the last block by rounding."""
    chunks = path.stat().st_size // 32768 - 1
    return [n for n in (1, 2, 3, 5, 8) if int(n * (chunks / n)) == chunks]


def go_reads(path, items, header=None, stacked=False):
    """Asserts that the Go library reads it in every way it has."""
    found = go_scan(path)
    assert (found["items"], found["version"]) == (digests(items), 2)
    if header is not None:
        assert [e for e in of_go_as_info(found["header"]) if e[0] not in ("transformer", "trailer")] == header
    if stacked:
        return
    rows = listed(path, "--undo", XOR)[0]
    picked = random.Random(len(items)).sample(rows, min(10, len(rows)))
    got = ask("get", **{"in": path}, locations=[row[:2] for row in picked])["items"]
    assert got == [{"items": [row[2:]]} for row in picked]
    for n in shard_counts(path):
        parts = go_scan(path, shards=n)["shards"]
        assert [item for part in parts for item in part["items"]] == digests(items), n


@pytest.mark.parametrize("name", WE_WRITE)
def test_go_reads_what_we_write(name, tmp_path):
    path = tmp_path / "ours.rio"
    items = [] if name == "no-items" else SOME
    convert(path, items, *WE_WRITE[name])
    go_reads(path, items, WRITTEN_HEADER if name == "header" else [], stacked=WE_WRITE[name].count("--compression") > 1)
    assert verify(path, "--undo", XOR)[2] == 0


@pytest.mark.parametrize("trailer", [b"", b"the index", random.Random(2).randbytes(100000)], ids=["empty", "short", "long"])
@pytest.mark.parametrize("compression", [[], ["--compression", "zstd"]], ids=["plain", "zstd"])
def test_go_reads_our_trailer(trailer, compression, tmp_path):
    path = tmp_path / "ours.rio"
    (tmp_path / "trailer").write_bytes(trailer)
    convert(path, SOME, "--trailer", tmp_path / "trailer", *compression)
    answer = ask("trailer", **{"in": path})
    assert base64.b64decode(answer["trailer"] or "") == trailer and "error" not in answer
    go_reads(path, SOME)


@pytest.mark.parametrize("to,given,transformer", [
    ("recordio/legacy", [], ""), ("recordio/packed", ["--block-items", "7"], ""), ("recordio/packed", ["--block-size", "110000"], ""),
    ("recordio/packed", ["--block-items", "7", "--compression", "flate"], "flate"),
    ("recordio/packed", ["--compression", "flate", "--level", "9"], "flate"), ("recordio/packed", ["--compression", "none"], "")],
    ids=["plain", "packed", "packed-bytes", "packed-flate", "packed-flate-9", "packed-none"])
def test_go_reads_our_legacy_layouts(to, given, transformer, tmp_path):
    path = tmp_path / "ours.rio"
    convert(path, SOME, *given, to=to)
    found = go_scan(path, legacy_transformer=transformer)
    assert (found["items"], found["version"]) == (digests(SOME), 1)
    rows = listed(path)[0]
    got = ask("get", **{"in": path}, locations=[row[:2] for row in rows[::7]], legacy_transformer=transformer)["items"]
    assert got == [{"items": [row[2:]]} for row in rows[::7]]


@pytest.mark.parametrize("to", ["recordio", "recordio/legacy", "recordio/packed"])
@pytest.mark.parametrize("name", ["v2-multichunk.rio", "v2-stacked.rio", "v2-custom-transformer.rio", "legacy-mixed.grail-rio",
                                  "legacy-packed-flate.grail-rpk-gz"])
def test_go_reads_other_layouts_made_of_its_files(name, to, tmp_path):
    path = tmp_path / "ours.rio"
    done = fonds("convert", "-o", path, "--to", to, "--compression", "none", *options(name), FOLDER / name)
    assert done.returncode == 0, done.stderr
    assert go_scan(path)["items"] == contents(EXPECTED[name]["records"]["list"])


@pytest.mark.parametrize("transformers", [[], ["zstd"], ["flate 9"]], ids=["plain", "zstd", "flate"])
def test_go_reads_what_was_merged_and_split(transformers, tmp_path):
    for n in range(3):
        go_write(tmp_path / f"{n}.rio", SOME[n * 20 : n * 20 + 20], transformers=transformers, max_items=4)
    whole = tmp_path / "whole.rio"
    assert fonds("merge", "-o", whole, *(tmp_path / f"{n}.rio" for n in range(3))).returncode == 0
    assert go_scan(whole)["items"] == digests(SOME[:60])
    assert fonds("split", "--size", "100K", "-o", tmp_path / "part", whole).returncode == 0
    parts = sorted(tmp_path.glob("part-*"))
    assert len(parts) > 1
    assert [item for part in parts for item in go_scan(part)["items"]] == digests(SOME[:60])


@pytest.mark.parametrize("name", ["v2-corrupt-chunk.rio", "v2-corrupt-two.rio", "v2-zstd-flip.rio", "v2-flate-short.rio", "v2-item-count.rio",
                                  "v2-noheader.rio", "v2-behind-trailer.rio", "v2-concatenated.rio", "legacy-packed-long.grail-rpk"])
def test_go_reads_what_was_repaired(name, tmp_path):
    out = tmp_path / "out.rio"
    fonds("repair", "-o", out, FOLDER / name)
    assert go_scan(out)["items"] == contents(listed(out)[0]) != []


# --- the same bytes

def flush_points(items, most_items, most_bytes):
    """Where our limits close a block: behind the item that reaches one."""
    points, count, size = [], 0, 0
    for n, item in enumerate(items, 1):
        count, size = count + 1, size + len(item)
        if (most_items and count == most_items) or (most_bytes and size >= most_bytes):
            points.append(n)
            count = size = 0
    return points


@pytest.mark.parametrize("most_items,most_bytes", [(0, 0), (1, 0), (7, 0), (0, 1), (0, 50000), (5, 40000)])
def test_without_transformer_both_write_the_same_v2_file(most_items, most_bytes, tmp_path):
    path, ours = tmp_path / "go.rio", tmp_path / "ours.rio"
    go_write(path, SOME, flush_after=flush_points(SOME, most_items, most_bytes))
    convert(ours, SOME, *(["--block-items", str(most_items)] if most_items else []), *(["--block-size", str(most_bytes)] if most_bytes else []))
    assert ours.read_bytes() == path.read_bytes()


def test_without_transformer_both_write_the_same_header_and_trailer(tmp_path):
    path, ours = tmp_path / "go.rio", tmp_path / "ours.rio"
    (tmp_path / "trailer").write_bytes(b"the index")
    entries = [(key, kind, value.encode() if kind == "string" else value) for key, kind, value in WRITTEN_HEADER]
    go_write(path, SOME, header=go_header(entries), promise_trailer=True, trailer=b64(b"the index"))
    convert(ours, SOME, *WE_WRITE["header"], "--trailer", tmp_path / "trailer")
    assert ours.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("to,given,request_", [
    ("recordio/legacy", [], {"layout": "plain"}),
    ("recordio/packed", ["--block-items", "7"], {"layout": "packed", "max_items": 7}),
    ("recordio/packed", ["--block-size", "110000"], {"layout": "packed", "max_bytes": 110000}),
    ("recordio/packed", [], {"layout": "packed"})], ids=["plain", "packed-items", "packed-bytes", "packed"])
def test_without_transformer_both_write_the_same_legacy_file(to, given, request_, tmp_path):
    path, ours = tmp_path / "go.rio", tmp_path / "ours.rio"
    go_write(path, SOME, **request_)
    convert(ours, SOME, *given, to=to)
    assert ours.read_bytes() == path.read_bytes()


def test_an_item_above_the_limit_of_packed_records_is_refused_by_both(tmp_path):
    items = [b"short", b"x" * 1001]
    raw = tmp_path / "raw"
    raw.write_bytes(prefixed(items))
    assert "error" in ask("write", out=tmp_path / "go.rio", items=raw, layout="packed", max_bytes=1000)
    (tmp_path / "in.txt").write_bytes(b"short\n" + b"x" * 1001 + b"\n")
    done = fonds("convert", "-o", tmp_path / "ours.rio", "--format", "lines", "--to", "recordio/packed", "--block-size", "1000", tmp_path / "in.txt")
    assert done.returncode == 3 or done.returncode == 1
    assert b"1001" in done.stderr and not (tmp_path / "ours.rio").exists()


@pytest.mark.parametrize("entry", ["transformer=zstd", "trailer:bool=true"])
def test_reserved_header_keys_are_refused(entry, tmp_path):
    (tmp_path / "in.txt").write_bytes(b"a\n")
    done = fonds("convert", "-o", tmp_path / "ours.rio", "--format", "lines", "--to", "recordio", "--header", entry, tmp_path / "in.txt")
    assert done.returncode == 2 and entry.partition(":")[0].partition("=")[0].encode() in done.stderr
    assert not (tmp_path / "ours.rio").exists()


# --- random items, headers and limits, both ways

def random_header(rng, keys):
    entries = []
    for _ in range(rng.randrange(6)):
        kind = rng.choice(["bool", "int64", "uint64", "string"])
        value = {"bool": lambda: rng.choice(["true", "false"]),
                 "int64": lambda: str(rng.choice([0, -1, 2**63 - 1, -2**63, rng.getrandbits(rng.randrange(1, 63)), -rng.getrandbits(40)])),
                 "uint64": lambda: str(rng.getrandbits(rng.randrange(1, 65))),
                 "string": lambda: "".join(rng.choice("aä世 =:,\"\n\t") for _ in range(rng.randrange(40))).encode()}[kind]()
        entries.append((rng.choice(keys), kind, value))
    return entries


@pytest.mark.parametrize("seed", SEEDS)
def test_random_files_of_go_are_read(seed, tmp_path):
    rng, items, path = random.Random(f"go {seed}"), made_items(f"go {seed}"), tmp_path / "go.rio"
    layout = rng.choice(["v2", "v2", "v2", "plain", "packed"])
    request = {"layout": layout, "flush_after": sorted(rng.choices(range(len(items) + 1), k=rng.randrange(4)))}
    if layout == "v2":
        request |= {"max_items": rng.choice([0, 1, 2, 9]), "parallel": rng.choice([0, 1, 3]), "promise_trailer": rng.random() < 0.4,
                    "header": go_header(random_header(rng, ["a", "", b"\xff", "key with blanks", "ä"])),
                    "transformers": rng.sample(["flate", "flate 9", "zstd", "zstd 1", "xor 9"], rng.randrange(3))}
        if request["promise_trailer"]:
            request["trailer"] = b64(rng.randbytes(rng.choice([0, 5, 40000])))
    elif layout == "packed":
        request |= {"max_items": rng.choice([0, 1, 5]), "transformers": rng.choice([[], ["flate"]])}
    made = go_write(path, items, **request)
    rows, status = listed(path, "--undo", XOR)
    assert (contents(rows), status) == (digests(items), 0)
    assert items_of(path, "--undo", XOR) == items
    assert [f for f in verify(path, "--undo", XOR)[0] if f["severity"] != "note"] == []
    if layout != "v2" or path.stat().st_size == 0:
        return
    assert [row[:2] for row in rows] == made["locations"]
    entries = [e for e in header_of(info_of(path, "--undo", XOR)) if e[0] not in ("transformer", "trailer")]
    assert entries == of_go_as_info(request["header"])
    if "trailer" in request:
        assert fonds("cat", "--trailer", "--undo", XOR, path).stdout == base64.b64decode(request["trailer"])


@pytest.mark.parametrize("seed", SEEDS)
def test_random_files_of_ours_are_read_by_go(seed, tmp_path):
    rng, items, path = random.Random(f"ours {seed}"), made_items(f"ours {seed}"), tmp_path / "ours.rio"
    header = random_header(rng, ["a", "ä", "key with blanks", "k-1"])
    transformers = rng.choice([[], [], ["flate"], ["zstd"], ["xor 9"], ["flate", "zstd"], ["zstd", "xor 200"]])
    most_items, most_bytes = rng.choice([1, 2, 10, 1000]), rng.choice([1, 5000, 70000, 1 << 20])
    if len(transformers) > 1:
        most_items, most_bytes = 1000, 1 << 30
    given = [word for name in transformers for word in ("--compression", name)] + ["--apply", XOR, "--threads", rng.choice("12")]
    given += [word for key, kind, value in header for word in ("--header", f"{key}:{kind}={value.decode() if kind == 'string' else value}")]
    if trailer := rng.choice([None, None, b"short", rng.randbytes(33000)]):
        (tmp_path / "trailer").write_bytes(trailer)
        given += ["--trailer", tmp_path / "trailer"]
    convert(path, items, "--block-items", most_items, "--block-size", most_bytes, *given)
    go_reads(path, items, of_go_as_info(go_header(header)), stacked=len(transformers) > 1)
    if trailer:
        assert base64.b64decode(ask("trailer", **{"in": path})["trailer"]) == trailer
    if not transformers:
        twin = tmp_path / "go.rio"
        go_write(twin, items, flush_after=flush_points(items, most_items, most_bytes), header=go_header(header), promise_trailer=bool(trailer),
                 **({"trailer": b64(trailer)} if trailer else {}))
        assert path.read_bytes() == twin.read_bytes()


def test_jsonl_and_lines_go_there_and_back(tmp_path):
    path, back = tmp_path / "ours.rio", tmp_path / "back"
    items = [b"one", b"", "zwei grüße".encode(), b"three"]
    convert(path, items)
    assert fonds("convert", "-o", back, "--to", "lines", path).returncode == 0
    assert back.read_bytes() == b"\n".join(items) + b"\n"
    again = tmp_path / "again.rio"
    assert fonds("convert", "-o", again, "--format", "lines", "--to", "recordio", back).returncode == 0
    assert again.read_bytes() == path.read_bytes()
    assert fonds("convert", "-o", "-", "--to", "jsonl", path).stdout == fonds("cat", "--jsonl", path).stdout
    assert [line["data"].encode() for line in json_lines(fonds("cat", "--jsonl", path).stdout)] == items
