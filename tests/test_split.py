"""`fonds split` of web archives: sizes, names, what peers read in the parts, faults."""
import base64
import gzip
import hashlib
import io
import os
import random
import resource
import signal
import subprocess
import time

import pytest
from program import BINARY, WARC, fonds, ls, verify

warcio = pytest.importorskip("warcio.archiveiterator")

HTML = b"<p>a line like all the others, number %d</p>\n"


def digest(data):
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def record(kind, number, block, more=""):
    target = "" if kind == "warcinfo" else f"WARC-Target-URI: http://example.com/{number}\r\n"
    head = (f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012d}>\r\n"
            f"WARC-Date: 2020-01-02T03:{number // 60 % 60:02d}:{number % 60:02d}Z\r\n{target}{more}"
            f"WARC-Block-Digest: {digest(block)}\r\nContent-Length: {len(block)}\r\n\r\n")
    return head.encode() + block + b"\r\n\r\n"


def response(number, body, mime="text/html"):
    return record("response", number, b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (mime.encode(), len(body)) + body,
                  "Content-Type: application/http;msgtype=response\r\nWARC-IP-Address: 127.0.0.1\r\n")


def warcinfo():
    return record("warcinfo", 0, b"software: a test\r\n", "WARC-Filename: source.warc.gz\r\nContent-Type: application/warc-fields\r\n")


def crawl(seed=1, count=120, most=3000):
    rng = random.Random(seed)
    records = [warcinfo()]
    for i in range(1, count):
        kind = rng.choice(["text/html", "image/png", "application/json"])
        body = rng.randbytes(rng.randrange(most)) if kind == "image/png" else b"".join(HTML % j for j in range(rng.randrange(most) // 40))
        records.append(response(i, body, kind))
    return records


def stored(path, records):
    path.write_bytes(b"".join(gzip.compress(r) if path.name.endswith(".gz") else r for r in records))
    return path


@pytest.fixture
def archive(tmp_path):
    return stored(tmp_path / "source.warc.gz", crawl())


def split(archive, folder, *options):
    """The parts in their order."""
    folder.mkdir(exist_ok=True)
    done = fonds("split", "-o", folder / "part", *options, archive)
    assert done.returncode == 0, done.stderr
    return sorted(folder.iterdir())


def by_warcio(paths):
    """(type, id, content) of all records, as warcio reads them."""
    found = []
    for path in paths:
        with open(path, "rb") as stream:
            for r in warcio.ArchiveIterator(stream, no_record_parse=True):
                found.append((r.rec_type, r.rec_headers.get_header("WARC-Record-ID"), r.raw_stream.read()))
    return found


def by_fastwarc(paths):
    fastwarc = pytest.importorskip("fastwarc.warc")
    found = []
    for path in paths:
        with open(path, "rb") as stream:
            for r in fastwarc.ArchiveIterator(io.BytesIO(stream.read()), parse_http=False):
                found.append((str(r.record_type).split(".")[-1], r.record_id, r.reader.read()))
    return found


def without_info(records):
    return [r for r in records if r[0] != "warcinfo"]


@pytest.mark.parametrize("size", ["5000", "20K", "1M"])
@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_peers_read_the_records_of_the_source_in_parts_of_the_right_size(name, size, tmp_path):
    source = stored(tmp_path / name, crawl())
    parts = split(source, tmp_path / "parts", "--size", size)
    limit = {"5000": 5000, "20K": 20480, "1M": 1 << 20}[size]
    assert max(p.stat().st_size for p in parts) <= limit
    assert [p.name for p in parts] == [f"part-{i:05}{name[1:]}" for i in range(len(parts))]
    assert without_info(by_warcio(parts)) == without_info(by_warcio([source]))
    assert without_info(by_fastwarc(parts)) == without_info(by_fastwarc([source]))


@pytest.mark.parametrize("codec", ["none", "gzip", "zstd", "lz4"])
def test_each_part_is_a_good_archive(codec, archive, tmp_path):
    for part in split(archive, tmp_path / "parts", "--size", "15K", "--compression", codec):
        findings, closing, status = verify(part)
        assert status == 0 and closing["errors"] == closing["warnings"] == 0, findings
        first = ls(part)[0][0]
        assert first["type"] == "warcinfo"


def test_units_of_one_record_are_copied(archive, tmp_path):
    parts = split(archive, tmp_path / "parts", "--size", "10K", "--no-warcinfo")
    assert len(parts) > 3 and b"".join(p.read_bytes() for p in parts) == archive.read_bytes()


def test_zstd_parts_are_read_by_fastwarc(archive, tmp_path):
    parts = split(archive, tmp_path / "parts", "--size", "30K", "--compression", "zstd")
    assert without_info(by_fastwarc(parts)) == without_info(by_fastwarc([archive]))


def joined(paths):
    """Blocks of logical records by the id of their first segment."""
    blocks, totals = {}, {}
    for path in paths:
        with open(path, "rb") as stream:
            for r in warcio.ArchiveIterator(stream, no_record_parse=True):
                get = r.rec_headers.get_header
                origin = get("WARC-Segment-Origin-ID") or get("WARC-Record-ID")
                block = r.raw_stream.read()
                assert get("WARC-Block-Digest") is None or get("WARC-Block-Digest") == digest(block)
                blocks.setdefault(origin, []).append(block)
                if get("WARC-Segment-Number"):
                    assert int(get("WARC-Segment-Number")) == len(blocks[origin])
                if get("WARC-Segment-Total-Length"):
                    totals[origin] = int(get("WARC-Segment-Total-Length"))
    blocks = {key: b"".join(parts) for key, parts in blocks.items()}
    assert all(len(blocks[key]) == total for key, total in totals.items())
    return blocks, totals


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_segments_put_together_give_the_blocks(name, tmp_path):
    rng = random.Random(1)
    records = [warcinfo(), response(1, b"small"), response(2, rng.randbytes(200_000)),
               response(3, b"".join(HTML % i for i in range(60_000))), response(4, b"last")]
    source = stored(tmp_path / name, records)
    parts = split(source, tmp_path / "parts", "--size", "40000", "--oversize", "segment")
    assert max(p.stat().st_size for p in parts) <= 40000
    blocks, totals = joined(parts)
    wanted, _ = joined([source])
    assert {k: v for k, v in blocks.items() if k in wanted} == wanted and len(totals) == 2
    done = fonds("verify", *parts)
    assert done.returncode == 0 and b"error:" not in done.stdout and b"warning:" not in done.stdout


def test_records_are_truncated_if_asked(tmp_path):
    source = stored(tmp_path / "a.warc.gz", [warcinfo(), response(1, random.Random(1).randbytes(200_000))])
    folder = tmp_path / "parts"
    folder.mkdir()
    done = fonds("split", "--size", "40000", "--oversize", "truncate", "-o", folder / "p", source)
    assert done.returncode == 0 and b"1 records truncated" in done.stderr
    parts = sorted(folder.iterdir())
    assert max(p.stat().st_size for p in parts) <= 40000
    (cut,) = [r for p in parts for r in ls(p)[0] if r["type"] == "response"]
    assert cut["truncated"] == "length" and 38000 < cut["length"] < 40000
    assert fonds("verify", *parts).returncode == 0


def test_names_by_the_convention(archive, tmp_path):
    parts = split(archive, tmp_path / "parts", "--timestamp", "20200102030405", "--crawlhost", "host.example", "--first-serial", "12")
    assert [p.name for p in parts] == ["part-20200102030405-00012-host.example.warc.gz"]
    parts = split(archive, tmp_path / "first", "--timestamp", "first", "--size", "20K")
    dates = [ls(p)[0][1]["date"] for p in parts[1:]]
    assert [p.name.split("-")[1] for p in parts[1:]] == ["".join(c for c in d if c.isdigit()) for d in dates]


@pytest.mark.parametrize("options", [["--timestamp", "yesterday"], ["--timestamp", "2020"], ["--oversize", "cut"], ["--by", "size"],
                                     ["--crawlhost", "a/b"], ["--size", "much"], ["--compression", "rar"], ["--level", "99"],
                                     ["--dictionary", "train", "--compression", "gzip"]], ids=" ".join)
def test_wrong_usage(options, archive, tmp_path):
    before = sorted(tmp_path.iterdir())
    done = fonds("split", *options, "-o", tmp_path / "p", archive)
    assert done.returncode == 2 and done.stdout == b"" and b"fonds help split" in done.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_by_media_type_with_dictionaries(tmp_path):
    records = [warcinfo()] + [response(i, b"<html><head><title>Page %d of this site</title></head>"
                                       b"<body class=main><div id=navigation></div></body></html>" % (i * 7919)) for i in range(1, 400)]
    records += [response(i, random.Random(i).randbytes(300), "image/png") for i in range(400, 500)]
    random.Random(1).shuffle(records[1:])
    source = stored(tmp_path / "a.warc.gz", records)
    parts = split(source, tmp_path / "parts", "--by", "mime", "--dictionary", "train")
    assert [p.name for p in parts] == ["part-image-png-00000.warc.zst", "part-other-00000.warc.zst", "part-text-html-00000.warc.zst"]
    html = parts[2]
    assert html.read_bytes()[:4] == b"\x5d\x2a\x4d\x18"
    plain = split(source, tmp_path / "plain", "--by", "mime", "--compression", "zstd")
    assert html.stat().st_size < plain[2].stat().st_size * 3 // 4
    assert sorted(without_info(by_fastwarc(parts))) == sorted(without_info(by_fastwarc([source])))
    assert fonds("verify", *parts).returncode == 0
    assert {r["http"]["content_type"] for r in ls(html)[0] if "http" in r} <= {"text/html"}


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_the_same_input_gives_the_same_parts(codec, archive, tmp_path):
    env = {**os.environ, "SOURCE_DATE_EPOCH": "1600000000"}
    seen = []
    for threads in ("1", "2", "5"):
        folder = tmp_path / threads
        folder.mkdir()
        assert fonds("split", "--size", "20K", "--compression", codec, "--level", "4", "--threads", threads, "--timestamp", "now",
                     "-o", folder / "p", archive, env=env).returncode == 0
        seen.append({p.name: p.read_bytes() for p in folder.iterdir()})
    assert seen[0] == seen[1] == seen[2] and all("-20200913122640-" in name for name in seen[0])


def test_arc_parts_name_themselves(tmp_path):
    source = WARC / "own/arc-v1.arc.gz"
    parts = split(source, tmp_path / "parts", "--size", "400")
    assert len(parts) > 1
    for part in parts:
        first = ls(part)[0][0]
        assert first["type"] == "warcinfo" and part.name in first["uri"]
    assert len([r for p in parts for r in ls(p)[0][1:]]) == len(ls(source)[0]) - 1


# --- faults

def test_a_file_that_is_there_stays(archive, tmp_path):
    there = tmp_path / "p-00001.warc.gz"
    there.write_bytes(b"mine")
    command = ["split", "--size", "20K", "-o", tmp_path / "p", archive]
    done = fonds(*command)
    assert done.returncode == 3 and b"--force" in done.stderr and there.read_bytes() == b"mine"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["p-00001.warc.gz", "source.warc.gz"]
    assert fonds(*command, "--force").returncode == 0 and there.read_bytes() != b"mine"


def test_an_output_that_is_the_input_is_refused(tmp_path):
    source = stored(tmp_path / "p-00000.warc.gz", crawl())
    before = source.read_bytes()
    assert fonds("split", "-o", tmp_path / "p", source).returncode == 3
    assert source.read_bytes() == before


def test_a_pipe_is_refused(archive, tmp_path):
    done = fonds("split", "-o", tmp_path / "p", "-", input=archive.read_bytes())
    assert done.returncode == 3 and b"pipe" in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["source.warc.gz"]


def test_damage_leaves_nothing_unless_it_may_be_left_out(tmp_path):
    records = crawl()
    members = [gzip.compress(r) for r in records]
    members[5] = members[5][:-8] + bytes([members[5][-8] ^ 1]) + members[5][-7:]
    source = tmp_path / "a.warc.gz"
    source.write_bytes(b"".join(members))
    folder = tmp_path / "parts"
    folder.mkdir()
    assert fonds("split", "--size", "20K", "-o", folder / "p", source).returncode == 1
    assert not list(folder.iterdir())
    assert fonds("split", "--size", "20K", "--skip-damaged", "-o", folder / "p", source).returncode == 1
    ids = {r["id"] for p in folder.iterdir() for r in ls(p)[0] if r["type"] != "warcinfo"}
    assert len(ids) == len(records) - 2


def test_a_full_disk_leaves_nothing(archive, tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))

    done = fonds("split", "--size", "20K", "-o", folder / "p", archive, preexec_fn=limit)
    assert done.returncode == 3 and not list(folder.iterdir())


def test_a_killed_run_leaves_nothing(tmp_path):
    source = stored(tmp_path / "a.warc", crawl(count=4000, most=20000))
    folder = tmp_path / "parts"
    folder.mkdir()
    for i in range(12):
        process = subprocess.Popen([BINARY, "split", "--size", "1M", "--compression", "gzip", "--level", "9", "-o", str(folder / "p"), str(source)],
                                   stderr=subprocess.DEVNULL)
        time.sleep(0.02 * i)
        process.kill()
        if process.wait() == 0:
            break
        names = [p.name for p in folder.iterdir()]
        assert not [n for n in names if not n.endswith(".warc.gz")], names


def test_memory_is_bounded_by_its_option(tmp_path):
    source = tmp_path / "a.warc.gz"
    big = record("resource", 1, bytes(50_000_000) + random.Random(1).randbytes(3_000_000))
    source.write_bytes(gzip.compress(warcinfo(), 1) + gzip.compress(big, 1))
    folder = tmp_path / "parts"
    folder.mkdir()
    command = [BINARY, "split", "--size", "1M", "--oversize", "segment", "--memory", "64M", "--threads", "1", "-o", str(folder / "p"), str(source)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
                peak = max([peak] + [int(line.split()[1]) for line in status if line.startswith("VmHWM")])
        except (FileNotFoundError, ProcessLookupError):
            break
        time.sleep(0.05)
    assert process.wait() == 0 and peak < 100 * 1024
    assert sum(r["length"] for p in folder.iterdir() for r in ls(p)[0] if r["type"] != "warcinfo") == 53_000_000
