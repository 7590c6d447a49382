"""Damaged files: no crash, no hang, nothing silent, and every record outside the damage is delivered.

Variants are written to a folder and given to one process in batches, so that thousands cost seconds."""
import os
import subprocess
import zlib

import pytest
from program import BINARY, FIXTURES, WARC, codes, fonds, json_lines, ls, verify

SMALL = [WARC / "own" / name for name in (
    "ok-three.warc", "gz-per-record.warc.gz", "gz-single-member.warc.gz", "zst-per-record.warc.zst",
    "lz4-per-record.warc.lz4", "bz2-whole.warc.bz2", "xz-whole.warc.xz", "arc-v1.arc", "arc-v1.arc.gz",
    "arc-v2.arc", "http-chunked.warc")] + [WARC / "0011/02-minimal.warc", WARC / "0011/06-segments-gz-b.warc.gz"]
BATCH = 200
KEYS = ("offset", "inner", "type", "id", "uri", "length")


def run(folder, variants, *command):
    """The JSON objects of `command` over all variants ({name: bytes}), by name."""
    found = {name: [] for name in variants}
    names = sorted(variants)
    for start in range(0, len(names), BATCH):
        batch = names[start : start + BATCH]
        for name in batch:
            (folder / name).write_bytes(variants[name])
        done = fonds(*command, *batch, cwd=folder, timeout=120)
        for line in json_lines(done.stdout):
            found[line["archive"]].append(line)
        for name in batch:
            (folder / name).unlink()
    return found


def told(lines):
    """Whether verify told of damage; an archive that cannot be opened has no line on stdout."""
    return not lines or lines[-1]["errors"] > 0


def view(records):
    return [[r.get(key) for key in KEYS] for r in records]


def cuts(path):
    data = path.read_bytes()
    return {f"{n:05}": data[:n] for n in range(1, len(data))}


def flips(path, step=1):
    data = path.read_bytes()
    for n in range(0, len(data), step):
        for kind, mask in (("bit", 1 << (n % 8)), ("all", 0xFF)):
            yield f"{n:05}-{kind}", data[:n] + bytes([data[n] ^ mask]) + data[n + 1 :]


def record_ends(path, records):
    """Where each record's stored bytes end: at the next unit, or at the end of the file."""
    starts = [r["offset"] for r in records] + [path.stat().st_size]
    return [min(s for s in starts if s > r["offset"]) for r in records]


def by_id(paths):
    return [pytest.param(path, id=path.name) for path in paths if path.exists()]


@pytest.mark.parametrize("path", by_id(SMALL))
def test_cut_anywhere_every_whole_record_is_delivered(path, tmp_path):
    whole, _ = ls(path, "--full")
    ends = record_ends(path, whole)
    one_unit = len({r["offset"] for r in whole}) == 1
    for name, records in run(tmp_path, cuts(path), "ls", "--json", "--full").items():
        kept = 0 if one_unit else sum(end <= int(name) for end in ends)
        assert view(records)[:kept] == view(whole)[:kept], name


@pytest.mark.parametrize("path", by_id([p for p in SMALL if p.suffix in (".gz", ".lz4", ".zst", ".xz", ".bz2")]))
def test_cut_inside_a_unit_is_never_silent(path, tmp_path):
    borders = {r["offset"] for r in ls(path, "--full")[0]}
    for name, lines in run(tmp_path, cuts(path), "verify", "--json").items():
        assert int(name) in borders or told(lines), name


def test_cut_inside_a_plain_block_is_never_silent(tmp_path):
    path = WARC / "own/ok-three.warc"
    insides = [range(r["offset"] + 12, r["offset"] + r["header_length"] + r["length"])
               for r in ls(path, "--full", "--headers")[0]]
    for name, lines in run(tmp_path, cuts(path), "verify", "--json").items():
        if any(int(name) in inside for inside in insides):
            assert told(lines), name


@pytest.mark.parametrize("path", by_id([
    WARC / "own" / n for n in ("gz-per-record.warc.gz", "lz4-per-record.warc.lz4", "zst-per-record.warc.zst", "arc-v1.arc.gz")]))
@pytest.mark.parametrize("options", [[], ["--full"]], ids=["skimming", "full"])
def test_a_flip_costs_at_most_the_records_of_its_unit(path, options, tmp_path):
    whole, _ = ls(path, "--full")
    ends = record_ends(path, whole)
    for name, records in run(tmp_path, dict(flips(path)), "ls", "--json", *options).items():
        place = int(name[:5])
        ours = view(records)
        for record, expected, end in zip(whole, view(whole), ends, strict=True):
            if not record["offset"] <= place < end:
                assert expected in ours, (name, record["offset"])


@pytest.mark.parametrize("path,header", [
    pytest.param(WARC / "own/gz-per-record.warc.gz", 10, id="gzip"),
    pytest.param(WARC / "own/lz4-per-record.warc.lz4", 0, id="lz4"),
])
def test_a_flip_behind_the_unit_header_is_never_silent(path, header, tmp_path):
    starts = [r["offset"] for r in ls(path, "--full")[0]]
    for name, lines in run(tmp_path, dict(flips(path)), "verify", "--json").items():
        inside = min(int(name[:5]) - s for s in starts if s <= int(name[:5]))
        assert inside < header or told(lines), name


def test_a_flip_in_a_checked_zstd_frame_is_never_silent(tmp_path):
    path = FIXTURES / "warc-zst/ok-nodict.warc.zst"
    starts = [r["offset"] for r in ls(path, "--full")[0]]
    for name, lines in run(tmp_path, dict(flips(path, step=7)), "verify", "--json").items():
        inside = min(int(name[:5]) - s for s in starts if s <= int(name[:5]))
        assert inside in (4, 5) or told(lines), name


def test_a_flip_in_a_plain_file_costs_at_most_its_record(tmp_path):
    path = WARC / "own/ok-three.warc"
    whole, _ = ls(path, "--full")
    ends = record_ends(path, whole)
    for name, records in run(tmp_path, dict(flips(path)), "ls", "--json", "--skip-damaged").items():
        ours = view(records)
        for record, expected, end in zip(whole, view(whole), ends, strict=True):
            if not record["offset"] <= int(name[:5]) < end:
                assert expected in ours, (name, record["offset"])


@pytest.mark.parametrize("path", by_id(SMALL))
def test_flips_never_crash_a_command(path, tmp_path):
    variants = dict(flips(path, step=3))
    run(tmp_path, variants, "ls", "--json", "--full", "--headers", "--skip-damaged")
    run(tmp_path, variants, "verify", "--json")
    run(tmp_path, variants, "info", "--json", "--deep")


def record(content_length, block=b"some text"):
    length = b"" if content_length is None else b"Content-Length: " + content_length + b"\r\n"
    return (b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n"
            b"WARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Target-URI: http://a.example/\r\n"
            b"Content-Type: text/plain\r\n" + length + b"\r\n" + block + b"\r\n\r\n")


WRONG_LENGTHS = {"short": b"3", "long": b"50", "negative": b"-1", "2^63": b"9223372036854775808",
                 "2^64": b"18446744073709551616", "forty-digits": b"9" * 40, "empty": b"", "text": b"nine",
                 "hex": b"0x9", "missing": None}


@pytest.mark.parametrize("value", WRONG_LENGTHS.values(), ids=WRONG_LENGTHS)
def test_a_wrong_content_length_is_found_and_the_next_record_too(value, tmp_path):
    path = tmp_path / "a.warc"
    path.write_bytes(record(value) + record(b"4", b"next") * 2)
    findings, closing, status = verify(path)
    assert findings and (closing["errors"] == 0 or status == 1)
    records, _ = ls(path, "--skip-damaged")
    assert [r["length"] for r in records][-2:] == [4, 4]


@pytest.mark.parametrize("data", [b"", b"\r\n\n\r\n"], ids=["empty", "only-line-ends"])
def test_an_empty_file_has_no_records(data, tmp_path):
    path = tmp_path / "a.warc"
    path.write_bytes(data)
    assert ls(path) == ([], 0)


@pytest.mark.parametrize("data", [b"Dear reader,\nthis is a letter.\n" * 50, bytes(range(256)) * 40, b"\0" * 5000, b"W", b"\x1f\x8b"],
                         ids=["text", "binary", "zeros", "one-letter", "two-octets-of-gzip"])
def test_what_is_no_archive_is_said_with_its_name(data, tmp_path):
    path = tmp_path / "letter.warc"
    path.write_bytes(data)
    for command in (["ls", "--json"], ["info"], ["cat"], ["verify"]):
        done = fonds(*command, path)
        assert done.returncode in (1, 3), command
        assert b"letter.warc" in done.stdout + done.stderr, command


def gzip_of(pieces):
    packer = zlib.compressobj(9, wbits=31)
    return b"".join([packer.compress(piece) for piece in pieces] + [packer.flush()])


def peak_mib(path, *command):
    """Runs the command in a child of its own; its status and its peak resident set."""
    child = subprocess.Popen([BINARY, *command, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, _ = child.stdout.read(), child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return out, child.returncode, usage.ru_maxrss / 1024


def test_a_gzip_bomb_stays_within_the_memory_limit(tmp_path):
    size = 512 << 20
    head = record(str(size).encode(), b"").removesuffix(b"\r\n\r\n")
    zeros = bytes(1 << 20)
    path = tmp_path / "bomb.warc.gz"
    path.write_bytes(gzip_of([head] + [zeros] * 512 + [b"\r\n\r\n"]) + gzip_of([record(b"4", b"next")]))
    for command in (["ls", "--json"], ["ls", "--json", "--full"], ["verify", "--json"]):
        out, status, mib = peak_mib(path, *command, "--memory", "64M", "--threads", "2")
        lines = json_lines(out)
        assert status in (0, 1) and mib < 160, (command, status, mib)
        if command[0] == "ls":
            assert [r["length"] for r in lines] == [size, 4], command


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_a_huge_header_line_is_refused_without_holding_it(packed, tmp_path):
    line = [b"WARC/1.0\r\nX-Long: "] + [b"a" * (1 << 20)] * 128 + [b"\r\nContent-Length: 0\r\n\r\n\r\n\r\n"]
    good = record(b"4", b"next")
    path = tmp_path / "long.warc"
    path.write_bytes(gzip_of(line) + gzip_of([good]) if packed else b"".join(line) + good)
    out, status, mib = peak_mib(path, "ls", "--json", "--full", "--threads", "1")
    assert status == 1
    assert packed is False or mib < 160
    assert json_lines(out)[-1]["length"] == 4
    assert "header-too-long" in {f["code"] for f in verify(path)[0]}


def test_damage_is_told_once_on_stderr_with_its_place(tmp_path):
    done = fonds("ls", "--full", WARC / "own/gz-bad-crc.warc.gz")
    lines = [line for line in done.stderr.decode().splitlines() if "[member-crc]" in line]
    assert done.returncode == 1
    assert len(lines) == 1 and "gz-bad-crc.warc.gz: offset 197 (record 1): " in lines[0]


def test_strict_stops_at_the_first_error():
    done = fonds("ls", "--json", "--full", "--strict", WARC / "own/gz-bad-crc.warc.gz")
    assert done.returncode == 1
    assert len(json_lines(done.stdout)) <= 2


def test_problems_carry_code_severity_message_and_offset():
    found = [p for r in ls(WARC / "own/gz-bad-crc.warc.gz", "--full")[0] for p in r.get("problems", [])]
    assert [set(p) for p in found] == [{"code", "severity", "message", "offset"}]
    assert (found[0]["code"], found[0]["severity"], found[0]["offset"]) == ("member-crc", "error", 197)


def test_a_record_with_a_damaged_member_is_listed_with_its_problem():
    record = ls(WARC / "own/gz-bad-crc.warc.gz", "--full")[0][1]
    assert codes(record) == {"member-crc"}
