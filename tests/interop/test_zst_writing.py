"""What we write as WARC-Zstandard keeps the specification's rules, and others read the same records in it."""
import gzip
import hashlib
import io
import json
import shutil
import struct
import subprocess

import fastwarc.warc
import pytest
import zstandard
from program import FIXTURES, WARC, fonds
from zst_rules import broken_rules, contents

EMPTY = zstandard.ZstdCompressor(level=1, write_checksum=True).compress(b"")


def page(n, body=b""):
    body = body or b"".join(hashlib.sha256(b"%d %d" % (n % 7, i)).hexdigest().encode() for i in range(40)) + b"%d" % n
    return (b"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\n"
            b"WARC-Date: 2024-01-01T00:00:00Z\r\nWARC-Target-URI: http://example.com/%d\r\nContent-Type: text/plain\r\n"
            b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (n, n, len(body), body))


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """Archives to be converted, by name."""
    folder = tmp_path_factory.mktemp("sources")
    pages = folder / "pages.warc"
    pages.write_bytes(b"".join(page(n) for n in range(300)))
    packed = folder / "pages.warc.gz"
    packed.write_bytes(b"".join(gzip.compress(page(n)) for n in range(300)))
    large = folder / "large.warc"
    large.write_bytes(page(1) + page(2, b"0123456789abcdef" * 20000) + page(3))
    return {"pages": pages, "pages-gz": packed, "large": large, "ok-three": WARC / "own/ok-three.warc",
            "per-record": WARC / "own/gz-per-record.warc.gz", "chunked": WARC / "own/http-chunked.warc",
            "third-party": WARC / "third-party/warcio-example.warc.gz"}


@pytest.fixture(scope="module")
def dictionary(sources, tmp_path_factory):
    path = tmp_path_factory.mktemp("dictionary") / "pages.dict"
    assert fonds("train", "-o", path, "--size", "32K", sources["pages"]).returncode == 0
    return path


def decoded(source):
    data = source.read_bytes()
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def converted(source, folder, *options):
    out = folder / "out.warc.zst"
    done = fonds("convert", "-f", "-o", out, *options, source)
    assert done.returncode == 0, done.stderr
    return out


def by_fastwarc(stream):
    return [(r.record_id, r.headers.get("WARC-Type"), r.headers.get("WARC-Target-URI"), hashlib.sha1(r.reader.read()).hexdigest())
            for r in fastwarc.warc.ArchiveIterator(stream, parse_http=False)]


def check(out, source, folder, dictionary=None):
    """The rules, and the same bytes by python-zstandard, the zstd command and FastWARC."""
    data, want = out.read_bytes(), decoded(source)
    assert broken_rules(data, out.name) == []
    assert b"".join(contents(data)) == want
    if shutil.which("zstd"):
        with_dictionary = ["-D", str(dictionary)] if dictionary else []
        assert subprocess.run(["zstd", "-dc", *with_dictionary, str(out)], capture_output=True, check=True).stdout == want
    theirs = by_fastwarc(io.BytesIO(out.read_bytes()))
    assert theirs and theirs == by_fastwarc(io.BytesIO(want))
    assert fonds("compare", "--strict", source, out).returncode == 0


SOURCES = ["pages", "pages-gz", "large", "ok-three", "per-record", "chunked", "third-party"]
EXTENSIONS = {"none": [], "size-prefix": ["--extension", "size-prefix"], "seek-table": ["--extension", "seek-table"]}


@pytest.mark.parametrize("extension", EXTENSIONS)
@pytest.mark.parametrize("level", [-7, 1, 3, 9, 19, 22])
@pytest.mark.parametrize("name", SOURCES)
def test_archives_without_a_dictionary_keep_the_rules(name, level, extension, sources, tmp_path):
    out = converted(sources[name], tmp_path, f"--level={level}", *EXTENSIONS[extension])
    check(out, sources[name], tmp_path)


@pytest.mark.parametrize("stored", [[], ["--raw-dictionary"]], ids=["compressed", "raw"])
@pytest.mark.parametrize("extension", EXTENSIONS)
@pytest.mark.parametrize("level", [1, 3, 19])
@pytest.mark.parametrize("name", SOURCES)
def test_archives_with_a_dictionary_keep_the_rules(name, level, extension, stored, sources, dictionary, tmp_path):
    out = converted(sources[name], tmp_path, f"--level={level}", "--dictionary", dictionary, *stored, *EXTENSIONS[extension])
    check(out, sources[name], tmp_path, dictionary)


@pytest.mark.parametrize("level", [1, 3, 9])
def test_a_trained_dictionary_keeps_the_rules_and_saves(level, sources, tmp_path):
    plain = converted(sources["pages"], tmp_path, f"--level={level}").stat().st_size
    out = converted(sources["pages"], tmp_path, f"--level={level}", "--dictionary", "train")
    assert out.stat().st_size < plain
    assert broken_rules(out.read_bytes()) == []
    assert b"".join(contents(out.read_bytes())) == decoded(sources["pages"])
    assert by_fastwarc(io.BytesIO(out.read_bytes())) == by_fastwarc(io.BytesIO(decoded(sources["pages"])))


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_a_record_in_several_frames_keeps_the_rules(extension, sources, tmp_path):
    out = converted(sources["large"], tmp_path, "--frame-size", "64K", *EXTENSIONS[extension])
    check(out, sources["large"], tmp_path)
    assert len([c for c in contents(out.read_bytes()) if c]) == 2 + 5


@pytest.mark.parametrize("target", ["warc/1.1", "warc/1.0"])
def test_an_arc_becomes_a_good_warc_zst(target, tmp_path):
    out = converted(WARC / "own/arc-v1.arc.gz", tmp_path, "--to", target, "--compression", "zstd")
    assert broken_rules(out.read_bytes()) == []


# --- the script itself: it finds nothing wrong in good files, and what is wrong in bad ones

@pytest.mark.parametrize("path", sorted((FIXTURES / "warc-zst").glob("ok-*.zst")), ids=lambda p: p.name)
def test_the_script_finds_nothing_in_good_fixtures(path):
    # Some writers of the fixtures store dictionaries without a size or a checksum, or use other ids than advised.
    assert set(broken_rules(path.read_bytes(), path.name)) <= {"zd-id"}


def compress(text, checksum=True, size=True, dictionary=None, dict_id=True, **more):
    return zstandard.ZstdCompressor(dict_data=dictionary, compression_params=zstandard.ZstdCompressionParameters(
        compression_level=3, write_checksum=checksum, write_content_size=size, write_dict_id=dict_id, **more)).compress(text)


def skippable(magic, content):
    return struct.pack("<II", magic, len(content)) + content


def changed(data, at, value):
    return data[:at] + bytes([value]) + data[at + 1:]


@pytest.fixture(scope="module")
def parts(dictionary):
    """Good pieces of files, to be put together wrongly."""
    raw = dictionary.read_bytes()
    full = zstandard.ZstdCompressionDict(raw, dict_type=zstandard.DICT_TYPE_FULLDICT)
    other_raw = raw[:4] + struct.pack("<I", full.dict_id() ^ 1) + raw[8:]
    other = zstandard.ZstdCompressionDict(other_raw, dict_type=zstandard.DICT_TYPE_FULLDICT)
    return {"raw": raw, "frame": skippable(0x184D2A5D, raw), "packed": compress(raw), "dictionary": full, "other": other,
            "one": compress(page(1)), "two": compress(page(2)), "with": compress(page(1), dictionary=full)}


BROKEN = {
    "zs-start": lambda p: skippable(0x184D2A50, b"x") + p["one"],
    "zs-frames": lambda p: p["one"] + b"garbage",
    "zs-trunc": lambda p: p["one"] + p["two"][:-5],
    "zs-dict-pos": lambda p: p["one"] + p["frame"],
    "zs-record": lambda p: EMPTY,
    "zs-warc": lambda p: compress(b"no WARC at all"),
    "zr-one": lambda p: compress(page(1) + page(2)),
    "zf-size": lambda p: compress(page(1), size=False),
    "zf-size-value": lambda p: changed(p["one"], 5 + 1, p["one"][6] ^ 1),
    "zf-checksum": lambda p: compress(page(1), checksum=False),
    "zf-checksum-value": lambda p: changed(p["one"], len(p["one"]) - 1, p["one"][-1] ^ 1),
    "zf-dictid": lambda p: p["frame"] + compress(page(1), dictionary=p["dictionary"], dict_id=False),
    "zf-dictid-match": lambda p: p["frame"] + compress(page(1), dictionary=p["other"]),
    "zf-nodict": lambda p: p["with"],
    "zf-standard": lambda p: changed(p["one"], 4, p["one"][4] | 8),
    "zd-form": lambda p: skippable(0x184D2A5D, b"no dictionary") + p["one"],
    "zd-one-frame": lambda p: skippable(0x184D2A5D, p["packed"] + skippable(0x184D2A50, b"")) + p["with"],
    "zd-nodict": lambda p: skippable(0x184D2A5D, compress(p["raw"], dictionary=p["other"])) + p["with"],
    "zd-size": lambda p: skippable(0x184D2A5D, compress(p["raw"], size=False)) + p["with"],
    "zd-checksum": lambda p: skippable(0x184D2A5D, compress(p["raw"], checksum=False)) + p["with"],
    "zd-format": lambda p: skippable(0x184D2A5D, p["raw"][:8] + b"\xff" * 200) + p["with"],
    "zd-id": lambda p: skippable(0x184D2A5D, p["raw"][:4] + struct.pack("<I", 5) + p["raw"][8:]) + compress(
        page(1), dictionary=zstandard.ZstdCompressionDict(p["raw"][:4] + struct.pack("<I", 5) + p["raw"][8:])),
    "zl-window": lambda p: compress(page(1, b"ab" * (5 << 20)), window_log=24),
    "zl-dict-stored": lambda p: skippable(0x184D2A5D, p["raw"] + bytes(9 << 20)) + p["with"],
    "zl-dict-decoded": lambda p: skippable(0x184D2A5D, compress(p["raw"] + bytes(9 << 20), window_log=20)) + p["with"],
}


@pytest.mark.parametrize("rule", BROKEN)
def test_the_script_finds_the_rule_that_is_broken(rule, parts):
    assert rule in broken_rules(BROKEN[rule](parts))


def test_the_script_finds_a_wrong_name(parts):
    assert broken_rules(parts["one"], "crawl.zst") == ["zn-name"]


@pytest.mark.parametrize("data", [["one"], ["one", "two"], ["frame", "with"]], ids="+".join)
def test_the_script_finds_nothing_in_good_files(data, parts):
    assert broken_rules(b"".join(parts[name] for name in data)) == []


# What is no WARC at all is no archive to verify.
@pytest.mark.parametrize("rule", sorted(set(BROKEN) - {"zs-warc"}))
def test_verify_names_the_rule_too(rule, parts, tmp_path):
    path = tmp_path / "broken.warc.zst"
    path.write_bytes(BROKEN[rule](parts))
    found = {json.loads(line).get("code") for line in fonds("verify", "--strict", "--json", path).stdout.splitlines()}
    assert rule in found
