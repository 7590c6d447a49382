"""KV-IR streams: what the format's own tool made of the fixtures, every command, damage, and our streams in the hands of the real clp-s."""
import json
import math
import random
import struct

import pytest
from clps_peer.tool import Tool, binary
from program import FIXTURES, ROOT, fonds, json_lines, verify

CLPS = FIXTURES / "clp-s"
FOUR, EIGHT = CLPS / "in-kvir-four-byte.clp", CLPS / "in-kvir-eight-byte.clp"
STREAMS = {"v050-kvir": FOUR, "v050-kvir8": EIGHT}
# Inputs whose keys keep their order and whose floats their spelling.
EXACT = ["arrays", "clpstrings", "nested", "scalars", "service", "ts_iso"]
OTHERS = ["floats", "keys", "manytables", "varstrings"]
needs_clps = pytest.mark.skipif(binary() is None, reason="the package yscope-clp-core is not installed")


def events(path, *options):
    done = fonds("cat", *options, path)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def rounded(value):
    """As archives of KV-IR print it: floats have six decimals there."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    return float(f"{value:f}") if isinstance(value, float) else value


def convert(out, *inputs, to="kv-ir", options=()):
    done = fonds("convert", "--to", to, *options, "-o", out, *inputs)
    assert done.returncode == 0, done.stderr
    return done.stderr.decode()


def from_lines(out, lines, to="kv-ir", options=()):
    source = out.with_suffix(".in")
    source.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return convert(out, source, to=to, options=["--format", "lines", *options])


# --- reading

@pytest.mark.parametrize("name", STREAMS)
def test_events_are_those_that_the_original_reads(name):
    printed = [json.loads(line) for line in (CLPS / f"{name}.ordered.jsonl").read_bytes().splitlines()]
    assert [rounded(event) for event in events(STREAMS[name])] == printed


@pytest.mark.parametrize("compression", ["gzip", "zstd", "lz4", "bzip2", "xz"])
def test_a_compressed_stream_is_recognized(compression, tmp_path):
    import bz2
    import lzma
    if compression in ("bzip2", "xz"):
        (tmp_path / "s").write_bytes({"bzip2": bz2, "xz": lzma}[compression].compress(FOUR.read_bytes()))
    else:
        convert(tmp_path / "s", FOUR, options=["--compression", compression])
    assert events(tmp_path / "s") == events(FOUR)


def test_a_pipe_is_read():
    done = fonds("cat", "-", input=FOUR.read_bytes())
    assert done.stdout == fonds("cat", FOUR).stdout


def test_info_tells_version_encoding_and_metadata():
    facts, = json_lines(fonds("info", "--json", "--deep", FOUR).stdout)
    assert (facts["format"], facts["version"], facts["records"]) == ("kv-ir", "0.1.0", 12)
    assert facts["kv_ir"]["encoding"] == "four-byte"
    assert ["app", '"demo"'] in facts["kv_ir"]["metadata"]
    assert facts["kv_ir"]["generated_values"] == 16
    assert {"field": "@lvl.no", "type": "integer", "records": 5} in facts["kv_ir"]["fields"]


def test_a_record_is_found_by_its_offset():
    listed = json_lines(fonds("ls", "--json", FOUR).stdout)
    assert [record["index"] for record in listed] == list(range(12))
    found = fonds("cat", FOUR, f"offset:{listed[3]['offset']}").stdout
    assert found == fonds("cat", FOUR).stdout.splitlines(keepends=True)[3]


def test_a_record_of_a_compressed_stream_is_found_by_its_offset(tmp_path):
    convert(tmp_path / "s", FOUR)
    record = json_lines(fonds("ls", "--json", tmp_path / "s").stdout)[3]
    found = fonds("cat", tmp_path / "s", f"offset:{record['offset']}+{record['inner']}").stdout
    assert found == fonds("cat", FOUR).stdout.splitlines(keepends=True)[3]


@pytest.mark.parametrize("query,count", [("i > 1000", 3), ("msg: *user1*", 1), ("@lvl.no: *", 5), ("$app: demo", 12),
                                         ("o.x.y: str", 5), ("nothing: 1", 0)])
def test_search_finds_events(query, count):
    done = fonds("search", query, FOUR)
    assert len(done.stdout.splitlines()) == count
    assert done.returncode == (0 if count else 1)
    counted, = json_lines(fonds("search", "--json", "--count", query, FOUR).stdout)
    assert counted["count"] == count


def test_search_gives_answers_that_are_no_events():
    events = json_lines(fonds("cat", FOUR).stdout)
    rows = json_lines(fonds("search", "--json", "--unique", "i", "*", FOUR).stdout)
    assert sorted(row["value"] for row in rows) == sorted({event["i"] for event in events if isinstance(event.get("i"), int)})
    wanted = [{"msg": event["msg"], "i": event["i"]} for event in events if isinstance(event.get("i"), int) and "msg" in event]
    assert wanted and json_lines(fonds("search", "--projection", "i,msg", "i: * and msg: *", FOUR).stdout) == wanted


def test_what_a_stream_does_not_tell_must_be_told():
    done = fonds("search", "--since", "2024-01-01", "*", FOUR)
    assert done.returncode == 2 and b"--timestamp-key" in done.stderr
    done = fonds("search", "--compat", "clp-s", "*", FOUR)
    assert done.returncode == 3 and b"clp-s archives" in done.stderr


# --- damage

def test_cut_at_any_octet_whole_events_are_given_and_the_end_is_an_error(tmp_path):
    data, whole = EIGHT.read_bytes(), fonds("cat", EIGHT).stdout.splitlines()
    for size in range(150, len(data), 5):
        (tmp_path / "cut.clp").write_bytes(data[:size])
        done = fonds("cat", tmp_path / "cut.clp")
        assert done.returncode in (1, 3)
        assert done.stdout.splitlines() == whole[: len(done.stdout.splitlines())]
        assert b"ends" in done.stderr


def test_verify_names_the_damage_and_its_place(tmp_path):
    data = EIGHT.read_bytes()
    (tmp_path / "s.clp").write_bytes(data[:-1])
    findings, closing, status = verify(tmp_path / "s.clp")
    assert [(f["code"], f["offset"]) for f in findings] == [("kvir-truncated", len(data) - 1)]
    assert (closing["records"], status) == (2, 1)
    (tmp_path / "s.clp").write_bytes(data[:-1] + b"\x01")
    assert [f["code"] for f in verify(tmp_path / "s.clp")[0]] == ["kvir-stream"]
    (tmp_path / "s.clp").write_bytes(data + b"\0")
    findings, closing, status = verify(tmp_path / "s.clp")
    assert ([f["code"] for f in findings], status) == (["kvir-extra-bytes"], 0)


def test_convert_stops_at_damage_unless_it_is_to_be_left_out(tmp_path):
    (tmp_path / "s.clp").write_bytes(FOUR.read_bytes()[:-1])
    done = fonds("convert", "--to", "kv-ir", "-o", tmp_path / "out", tmp_path / "s.clp")
    assert done.returncode != 0 and not (tmp_path / "out").exists()
    done = fonds("convert", "--to", "kv-ir", "--skip-damaged", "-o", tmp_path / "out", tmp_path / "s.clp")
    assert done.returncode == 1
    assert events(tmp_path / "out") == events(FOUR)


def preamble(version="0.1.0"):
    metadata = json.dumps({"VERSION": version}).encode()
    return b"\xfd\x2f\xb5\x29\x01\x11" + bytes([len(metadata)]) + metadata


def test_the_old_ir_of_text_is_refused_in_one_sentence(tmp_path):
    (tmp_path / "old.clp").write_bytes(preamble("0.0.2") + b"\x21\x01x\0")
    done = fonds("cat", tmp_path / "old.clp")
    assert done.returncode == 3
    assert b"older IR of unstructured text" in done.stderr


@pytest.mark.parametrize("unit", [b"\x71\x60\x00\x43\x7f\xff\xff\xff", b"\x74\x60\x00\x41\x01a\x65\x01\x43\x1f\xff\xff\xff",
                                  b"\x74\x60\x00\x41\x01a\x65\x01\x59\x23\x7f\xff\xff\xff", b"\x71\x62\x7f\xff\xff\xff\x41\x01a",
                                  b"\x67\x7f\xff\xff\xff\x51\x00", b"".join(b"\x76\x61" + struct.pack(">h", i) + b"\x41\x01k" for i in range(5000))])
def test_huge_claims_end_the_stream_and_take_no_memory(unit, tmp_path):
    (tmp_path / "s.clp").write_bytes(preamble() + b"\x5e" + unit)
    done = fonds("cat", "--memory", "64M", tmp_path / "s.clp")
    assert (done.stdout, done.returncode != 0) == (b"{}\n", True)


# --- writing

@pytest.mark.parametrize("layout", ["four-byte", "eight-byte"])
@pytest.mark.parametrize("name", EXACT)
def test_events_come_back_octet_for_octet(name, layout, tmp_path):
    source = CLPS / f"in-{name}.jsonl"
    convert(tmp_path / "out.clp.zst", source, to=f"kv-ir/{layout}", options=["--format", "lines"])
    assert fonds("cat", tmp_path / "out.clp.zst").stdout == source.read_bytes()
    assert verify(tmp_path / "out.clp.zst")[2] == 0


@pytest.mark.parametrize("name", OTHERS)
def test_values_come_back_where_texts_do_not(name, tmp_path):
    source = CLPS / f"in-{name}.jsonl"
    convert(tmp_path / "out.clp.zst", source, options=["--format", "lines"])
    assert events(tmp_path / "out.clp.zst") == [json.loads(line) for line in source.read_bytes().splitlines()]


def test_a_stream_of_a_stream_keeps_generated_keys_and_metadata(tmp_path):
    convert(tmp_path / "out.clp.zst", FOUR, to="kv-ir/eight-byte", options=["--header", "more:int64=7"])
    assert events(tmp_path / "out.clp.zst") == events(FOUR)
    before, = json_lines(fonds("info", "--json", "--deep", FOUR).stdout)
    after, = json_lines(fonds("info", "--json", "--deep", tmp_path / "out.clp.zst").stdout)
    assert after["kv_ir"]["encoding"] == "eight-byte"
    assert after["kv_ir"]["metadata"] == [*before["kv_ir"]["metadata"], ["more", "7"]]
    assert after["kv_ir"]["generated_values"] == before["kv_ir"]["generated_values"]


def test_metadata_of_further_streams_are_counted(tmp_path):
    from_lines(tmp_path / "other", ['{"a":1}'], options=["--header", "app=else"])
    assert "user metadata of further streams (1)" in convert(tmp_path / "out", FOUR, tmp_path / "other")
    assert events(tmp_path / "out") == [*events(FOUR), {"a": 1}]
    assert "user metadata" not in convert(tmp_path / "twice", FOUR, FOUR)


def test_clp_s_archives_become_streams(tmp_path):
    archive = CLPS / "v050-service.clps"
    convert(tmp_path / "out.clp.zst", archive)
    assert events(tmp_path / "out.clp.zst") == events(archive)


def test_changes_are_counted(tmp_path):
    said = from_lines(tmp_path / "out", ['{"a":1,"a":2}', '{"b":1.50,"c":9223372036854775808}', r'{"s":"\ud800"}'])
    assert "keys that stood twice in an object, of which the last counts (1)" in said
    assert "floats in another spelling (1)" in said
    assert "integers beyond 64 bits, which are floats now (1)" in said
    assert "halves of surrogate pairs, which are U+FFFD now (1)" in said
    (tmp_path / "in").write_text('{"a":1,"a":2}\n')
    done = fonds("convert", "--strict", "--format", "lines", "--to", "kv-ir", "-o", tmp_path / "strict", tmp_path / "in")
    assert done.returncode == 1 and not (tmp_path / "strict").exists()


def test_a_line_that_is_no_event_stops_unless_it_is_to_be_left_out(tmp_path):
    (tmp_path / "in").write_text('{"a":1}\n{"a":\n{"a":2}\n')
    command = ["convert", "--format", "lines", "--to", "kv-ir", "-o", tmp_path / "out", tmp_path / "in"]
    done = fonds(*command)
    assert done.returncode != 0 and b"record 1" in done.stderr and not (tmp_path / "out").exists()
    assert b"records that are no events" in fonds(*command, "--skip-damaged").stderr
    assert events(tmp_path / "out") == [{"a": 1}, {"a": 2}]


def test_the_same_events_give_the_same_bytes(tmp_path):
    made = []
    for threads in (1, 2, 7):
        out = tmp_path / str(threads)
        convert(out, CLPS / "in-service.jsonl", options=["--format", "lines", "--threads", threads])
        made.append(out.read_bytes())
    assert made[0] == made[1] == made[2]


def test_a_check_leaves_out_events_that_could_not_be_carried_over(tmp_path):
    """A key that comes first in another event comes first in all."""
    lines = ['{"a": 1}', '{"z": 1, "a": 2}', '{"b": 1}'] * 2
    said = from_lines(tmp_path / "s", [line.replace(" ", "") for line in lines], options=["--check"])
    assert "checked: 4 records are in the output" in said
    assert "events whose keys come in another order (2)" in said
    assert [list(event) for event in events(tmp_path / "s")][1] == ["a", "z"]


# --- the real clp-s

def random_value(rng, depth):
    kind = rng.randrange(9 if depth else 7)
    if kind == 0:
        return rng.choice([0, -1, 127, 128, -129, 2**31, -2**31 - 1, 2**63 - 1, -2**63, rng.randrange(10**9)])
    if kind == 1:
        return rng.choice([0.5, -2.25, 1e300, -0.0, 123456789.125, rng.random() * 1000])
    if kind == 2:
        return rng.choice([True, False, None])
    if kind in (3, 4):
        words = ["took", "7", "-170.0", "0.00000001", "99999999.5", "3000000000", "deadbeef", "id77", "a=b1", "\\", "\x11", "é", "", "00", "-", "x/y"]
        return rng.choice(["", " "]).join(rng.choice(words) for _ in range(rng.randrange(6)))
    if kind == 5:
        return [rng.randrange(100), "a b", {"k": None}][: rng.randrange(4)]
    return random_object(rng, depth - 1) if depth else {}


def random_object(rng, depth):
    return {key: random_value(rng, depth) for key in rng.sample(["a", "b", "c.d", "é", "", "$f", "k" * 300], rng.randrange(5))}


@needs_clps
@pytest.mark.parametrize("layout", ["four-byte", "eight-byte"])
@pytest.mark.parametrize("compression", ["none", "zstd"])
@pytest.mark.parametrize("seed", range(5))
def test_the_real_clp_s_reads_our_streams(seed, compression, layout, tmp_path):
    rng = random.Random(seed)
    given = [random_object(rng, 3) for _ in range(60)]
    stream = tmp_path / "s.clp"
    from_lines(stream, [json.dumps(event) for event in given], to=f"kv-ir/{layout}", options=["--compression", compression])
    assert events(stream) == given
    tool = Tool()
    archive = tool.compress(tmp_path / "archive", stream)
    printed = [json.loads(line) for line in tool.decompress(archive, ordered=True).splitlines()]
    assert [rounded(event) for event in given] == [rounded(event) for event in printed]


@needs_clps
@pytest.mark.parametrize("name", [*EXACT, *OTHERS])
def test_the_real_clp_s_reads_our_streams_of_the_fixtures(name, tmp_path):
    stream = tmp_path / "s.clp"
    convert(stream, CLPS / f"in-{name}.jsonl", options=["--format", "lines"])
    archive = Tool().compress(tmp_path / "archive", stream)
    printed = [json.loads(line) for line in Tool().decompress(archive, ordered=True).splitlines()]
    assert [rounded(event) for event in events(stream)] == [rounded(event) for event in printed]


def test_floats_are_the_shortest_text_that_reads_back(tmp_path):
    rng = random.Random(3)
    numbers = [struct.unpack("<d", rng.randbytes(8))[0] for _ in range(300)] + [1e16, 1e15, 123456.0, 1e-5, 0.0001, 5e-324]
    numbers = [number for number in numbers if math.isfinite(number)]
    from_lines(tmp_path / "s", [json.dumps({"f": number}) for number in numbers])
    assert [json.loads(line)["f"] for line in fonds("cat", tmp_path / "s").stdout.splitlines()] == numbers
    assert fonds("cat", tmp_path / "s").stdout.decode().splitlines() == [f'{{"f":{number!r}}}' for number in numbers]


def test_the_fuzz_seed_is_a_stream(tmp_path):
    (tmp_path / "s.clp").write_bytes(preamble() + (ROOT / "fuzz/seeds/kvir_fuzz/all-values").read_bytes())
    assert events(tmp_path / "s.clp") == [{"o": {"s": "7 id 1.5"}, "f": 1.5, "l": [1], "b": True}, {"o": None}, {}]
