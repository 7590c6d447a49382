"""convert --to clp-s --exact: the original bytes come back."""
import gzip
import json
import random
import re
import struct

import pytest
from clps_peer import generate, tool
from program import FIXTURES, fonds

INPUTS = sorted((FIXTURES / "clp-s").glob("in-*.jsonl"))
VERSIONS = ("0.5.0", "0.4.1", "0.3.1")
ODD = (
    b'{"b": 1, "a":"x y","u":"\\u00e9\\/\\ud83d\\ude00","d":[1, 2],"n":null}\r\n\n  junk\n{"a":"x y","b":2}{"a":"q","b":3} \n'
    b'{ "b" : 1,\n "a":{"z":[ {"k": 1.50 } , {"k":[ ]}], "e":{ } } }\n{"a":1,"a":2}\n[1]\n{"t":"2024-01-01T00:00:00\\u005a"}\n'
    b'{"x":-0,"y":1e5,"t":true,"i":123456789012345678901234567890}\n\xff\xfe{"bad"\n{"":{"":[{"":{}}]}}\n{}\n{"c":"\\ud800"}\n\t\n'
    b'{"t":"2024-01-01T00:00:00.000Z","f":1.10,"g":1E+05,"h":0.0000001}\n{"t":1700000000,"big":1e300}'
)


def pack(out, inputs, *options, version="0.5.0", status=(0, 1)):
    done = fonds("convert", "--to", f"clp-s/{version}", "--exact", "--force", *options, "-o", out, *inputs)
    assert done.returncode in status, done.stderr
    return sorted(out.parent.glob(out.stem + "-*.clps")) or [out]


def bytes_of(paths):
    return b"".join(fonds("cat", path).stdout for path in paths)


def spelled(rng, value, depth=0):
    """JSON of a value with odd blanks, escapes and keys that come twice."""
    def blank():
        return rng.choice(["", "", " ", "  ", "\n", "\t", "\r\n"] if depth < 9 else [""])

    if isinstance(value, dict):
        members = []
        for key, inner in rng.sample(list(value.items()), len(value)):
            members += [blank() + json.dumps(key, ensure_ascii=rng.random() < 0.5) + blank() + ":" + blank() +
                        spelled(rng, inner, depth + 1) + blank()]
            if rng.random() < 0.03:
                members += members[-1:]
        return "{" + (",".join(members) or blank()) + "}"
    if isinstance(value, list):
        return "[" + (",".join(blank() + spelled(rng, inner, depth + 1) + blank() for inner in value) or blank()) + "]"
    if isinstance(value, str):
        text = json.dumps(value, ensure_ascii=rng.random() < 0.3)
        return text.replace("/", "\\/") if rng.random() < 0.2 else text
    return json.dumps(value)


def random_text(seed, documents=120):
    rng = random.Random(seed)
    made = generate.Documents(rng, generate.Shape(fresh=seed % 2 == 0))
    text = b"\xef\xbb\xbf" if seed % 5 == 0 else b""
    for document in made.documents(documents):
        try:
            value = json.loads(document)
            if rng.random() < 0.7:
                document = spelled(rng, value) if rng.random() < 0.5 else json.dumps(value, indent=rng.choice([None, 2]))
        except ValueError:
            pass
        text += document.encode("utf-8", "surrogatepass")
        text += rng.choice([b"\n"] * 12 + [b"\r\n", b"\n\n\n", b" \n", b"", b"\nno event\n", b"\n{\"cut\":\n", b"\n[1,2]\n"])
    return text.rstrip() if seed % 3 == 0 else text


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_fixtures_come_back(path, version, tmp_path):
    for options in ([], ["--structurize-arrays"], ["--timestamp-key", "ts"], ["--no-retain-float-format"]):
        made = pack(tmp_path / "a.clps", [path], *options, version=version)
        assert bytes_of(made) == path.read_bytes(), options
        assert fonds("verify", *made).returncode == 0


@pytest.mark.parametrize("options", [[], ["--structurize-arrays"], ["--keep-unparsed"], ["--timestamp-key", "t"],
                                     ["--no-retain-float-format"], ["--timestamp-key", "t", "--structurize-arrays"]], ids=" ".join)
@pytest.mark.parametrize("version", VERSIONS)
def test_odd_documents_come_back(options, version, tmp_path):
    for name, text in (("a", ODD), ("b", b""), ("c", b"\n{}"), ("d", ODD + b"\r\n \n"), ("e", b"\xef\xbb\xbf{}\n")):
        (tmp_path / f"{name}.jsonl").write_bytes(text)
    inputs = sorted(tmp_path.glob("*.jsonl"))
    made = pack(tmp_path / "x.clps", inputs, *options, version=version)
    assert bytes_of(made) == b"".join(path.read_bytes() for path in inputs)
    assert fonds("verify", *made).returncode == 0
    done = fonds("verify", *[part for path in inputs for part in ("--against", path)], *made)
    assert done.returncode == 0, done.stdout
    back = tmp_path / "back"
    assert fonds("convert", "--to", "jsonl", "-o", f"{back}/", *made).returncode == 0
    files = {path.name: path.read_bytes() for path in back.rglob("*.jsonl") if path.name != "manifest.jsonl"}
    assert files == {path.name: path.read_bytes() for path in inputs}


@pytest.mark.parametrize("seed", range(20))
def test_random_texts_come_back_for_any_number_of_threads(seed, tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_bytes(random_text(seed))
    options = [["--structurize-arrays"], [], ["--timestamp-key", "ts"]][seed % 3]
    made = [pack(tmp_path / f"t{threads}.clps", [path], *options, "--threads", threads, version=VERSIONS[seed % 3])[0]
            for threads in (1, 2, 7)]
    assert len({one.read_bytes() for one in made}) == 1
    assert bytes_of(made[:1]) == path.read_bytes()
    assert fonds("verify", "--against", path, made[0]).returncode == 0


def test_archives_of_one_input_hold_it_together(tmp_path):
    inputs = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    inputs[0].write_bytes(b"".join(b'{"n":%d, "m":"\\u0041 %d"}\n \n' % (n, n * n) for n in range(20000)) + b"junk\n\n" * 3000)
    inputs[1].write_bytes(random_text(4))
    made = pack(tmp_path / "s.clps", inputs, "--target-encoded-size", 60000)
    assert len(made) > 3
    assert bytes_of(made) == inputs[0].read_bytes() + inputs[1].read_bytes()
    assert fonds("verify", "--against", inputs[0], "--against", inputs[1], *made).returncode == 0


def test_a_compressed_input_comes_back_decompressed(tmp_path):
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(ODD))
    made = pack(tmp_path / "a.clps", [tmp_path / "a.jsonl.gz"])
    assert bytes_of(made) == ODD
    assert fonds("verify", "--against", tmp_path / "a.jsonl.gz", *made).returncode == 0


@pytest.mark.parametrize("change", [lambda t: t.replace(b'"b": 1', b'"b":  1', 1), lambda t: t + b"\n", lambda t: t[:-1],
                                    lambda t: t.replace(b"junk", b"junc"), lambda t: t.replace(b"\\/", b"/")])
def test_against_sees_every_octet(change, tmp_path):
    (tmp_path / "a.jsonl").write_bytes(ODD)
    made = pack(tmp_path / "a.clps", [tmp_path / "a.jsonl"])
    (tmp_path / "a.jsonl").write_bytes(change(ODD))
    done = fonds("verify", "--against", tmp_path / "a.jsonl", *made)
    assert done.returncode == 1 and b"differs: " in done.stdout


def test_search_and_limited_cat_print_records(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(ODD)
    made = pack(tmp_path / "a.clps", [tmp_path / "a.jsonl"])
    assert fonds("search", "b: 3", *made).stdout == b'{"b":3,"a":"q"}\n'
    assert fonds("cat", "--limit", 2, *made).stdout.count(b"\n") == 2


def test_the_order_of_the_log_is_needed(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b"{}\n")
    done = fonds("convert", "--to", "clp-s", "--exact", "--disable-log-order", "-o", tmp_path / "a.clps", tmp_path / "a.jsonl")
    assert done.returncode not in (0, 1) and b"order of the log" in done.stderr
    assert not (tmp_path / "a.clps").exists()


def test_size_is_about_the_same(tmp_path):
    rng = random.Random(1)
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"ts": n * 17, "level": rng.choice("IWE"), "msg": f"took {rng.random():.3f} ms id{n}"}) + "\n"
                            for n in range(20000)))
    exact = pack(tmp_path / "e.clps", [path])[0].stat().st_size
    assert fonds("convert", "--to", "clp-s", "-o", tmp_path / "p.clps", path).returncode == 0
    assert exact < 1.25 * (tmp_path / "p.clps").stat().st_size


@pytest.mark.skipif(tool.binary() is None, reason="the clp-s package is not installed")
def test_clp_s_reads_and_searches_such_archives(tmp_path):
    clps = tool.Tool()
    for seed in range(6):
        path = tmp_path / "a.jsonl"
        path.write_bytes(random_text(seed))
        exact = pack(tmp_path / "e.clps", [path])[0]
        done = fonds("convert", "--to", "clp-s", "--force", "-o", tmp_path / "p.clps", path)
        assert done.returncode in (0, 1)
        assert clps.decompress(exact, ordered=True) == clps.decompress(tmp_path / "p.clps", ordered=True)
        assert sorted(clps.search(exact, "*").lines) == sorted(clps.search(tmp_path / "p.clps", "*").lines)


def packet_of(data):
    """The metadata section's plain bytes, where the packet begins in them, and its size."""
    zstandard = pytest.importorskip("zstandard")
    size = struct.unpack_from("<I", data, 56)[0]
    plain = zstandard.ZstdDecompressor().decompressobj().decompress(data[64:64 + size])
    at = 1
    while plain[at] != 0x45:
        at += 5 + struct.unpack_from("<I", plain, at + 1)[0]
    return plain, at + 5, struct.unpack_from("<I", plain, at + 1)[0], size


def with_packet(data, packet):
    zstandard = pytest.importorskip("zstandard")
    plain, at, old, size = packet_of(data)
    plain = plain[:at - 4] + struct.pack("<I", len(packet)) + packet + plain[at + old:]
    stored = zstandard.ZstdCompressor().compress(plain)
    head = bytearray(data[:64])
    struct.pack_into("<I", head, 56, len(stored))
    struct.pack_into("<Q", head, 16, len(data) - size + len(stored))
    return bytes(head) + stored + data[64 + size:]


def test_a_damaged_packet_is_told_and_records_come_as_json(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(ODD)
    whole = pack(tmp_path / "a.clps", [path])[0].read_bytes()
    plain, at, size, _ = packet_of(whole)
    packet = plain[at:at + size]
    rng, told = random.Random(5), 0
    assert fonds("convert", "--to", "clp-s", "--force", "-o", tmp_path / "p.clps", path).returncode == 1
    records = fonds("cat", tmp_path / "p.clps").stdout
    damaged = [packet[:n] for n in range(0, size, 7)] + [packet + b"\0", b"\xff" * 40, b"\x01" + b"\xff" * 9 + b"\x01"]
    for _ in range(60):
        changed = bytearray(packet)
        changed[rng.randrange(size)] = rng.randrange(256)
        damaged.append(bytes(changed))
    for changed in damaged:
        (tmp_path / "d.clps").write_bytes(with_packet(whole, changed))
        done = fonds("cat", tmp_path / "d.clps")
        if b"original texts" in done.stderr:
            told += 1
            assert done.returncode == 1 and done.stdout == records
            assert re.search(rb"clps-originals|original texts", fonds("verify", tmp_path / "d.clps").stdout)
        else:
            assert len(changed) == size
    assert told >= size // 7
