"""Damaged files: no crash, no hang, nothing silent, and every record outside the damage is delivered.

Variants are written to a folder and given to one process in batches, so that thousands cost seconds."""
import subprocess
import tempfile
import time
import zlib

import pytest
from program import BINARY, FIXTURES, WARC, codes, fonds, json_lines, ls, verify

SMALL = [WARC / "own" / name for name in (
    "ok-three.warc", "gz-per-record.warc.gz", "gz-single-member.warc.gz", "zst-per-record.warc.zst",
    "lz4-per-record.warc.lz4", "bz2-whole.warc.bz2", "xz-whole.warc.xz", "arc-v1.arc", "arc-v1.arc.gz",
    "arc-v2.arc", "http-chunked.warc")] + [WARC / "0011/02-minimal.warc", WARC / "0011/06-segments-gz-b.warc.gz"]
PER_RECORD = [WARC / "own" / name for name in (
    "gz-per-record.warc.gz", "lz4-per-record.warc.lz4", "zst-per-record.warc.zst", "arc-v1.arc.gz")]
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
    """Whether verify told of anything; an archive that cannot be opened has no line on stdout."""
    return not lines or lines[-1]["errors"] + lines[-1]["warnings"] > 0


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


def lost_elsewhere(found, whole, ends):
    """The variants that lack a record although its unit is untouched."""
    lost = []
    for name, records in found.items():
        ours, place = view(records), int(name[:5])
        missing = [record["index"] for record, expected, end in zip(whole, view(whole), ends, strict=True)
                   if not record["offset"] <= place < end and expected not in ours]
        if missing:
            lost.append((name, missing))
    return lost


def silent(found):
    return [name for name, lines in found.items() if not told(lines)]


def place_in_unit(name, starts):
    return min(int(name[:5]) - start for start in starts if start <= int(name[:5]))


def by_id(paths):
    return [pytest.param(path, id=path.name) for path in paths if path.exists()]


@pytest.mark.parametrize("path", by_id(SMALL))
def test_cut_anywhere_every_whole_record_is_delivered(path, tmp_path):
    whole, _ = ls(path, "--full")
    ends = record_ends(path, whole)
    one_unit = len({r["offset"] for r in whole}) == 1
    wrong = []
    for name, records in run(tmp_path, cuts(path), "ls", "--json", "--full").items():
        kept = 0 if one_unit else sum(end <= int(name) for end in ends)
        if view(records)[:kept] != view(whole)[:kept]:
            wrong.append(name)
    assert wrong == []


@pytest.mark.parametrize("path", by_id([p for p in SMALL if p.suffix in (".gz", ".lz4", ".zst", ".xz", ".bz2")]))
def test_cut_inside_a_unit_is_never_silent(path, tmp_path):
    borders = {r["offset"] for r in ls(path, "--full")[0]}
    found = run(tmp_path, cuts(path), "verify", "--json")
    assert [name for name, lines in found.items() if int(name) not in borders and not told(lines)] == []


def test_cut_inside_a_plain_block_is_never_silent(tmp_path):
    path = WARC / "own/ok-three.warc"
    insides = [range(r["offset"] + 12, r["offset"] + r["header_length"] + r["length"])
               for r in ls(path, "--full", "--headers")[0]]
    found = run(tmp_path, cuts(path), "verify", "--json")
    cut_inside = [name for name in found if any(int(name) in inside for inside in insides)]
    assert [name for name in cut_inside if not told(found[name])] == []


@pytest.mark.parametrize("path", by_id(PER_RECORD))
def test_a_flip_costs_at_most_the_records_of_its_unit(path, tmp_path):
    whole, _ = ls(path, "--full")
    found = run(tmp_path, dict(flips(path)), "ls", "--json", "--skip-damaged")
    assert lost_elsewhere(found, whole, record_ends(path, whole)) == []


@pytest.mark.parametrize("path", by_id(PER_RECORD))
@pytest.mark.parametrize("options", [[], ["--full"]], ids=["skimming", "full"])
def test_without_searching_a_flip_costs_no_record_before_it(path, options, tmp_path):
    """A length that was made too long may swallow what follows; see formats, rule R16, read mode."""
    whole, _ = ls(path, "--full")
    ends = record_ends(path, whole)
    found = run(tmp_path, dict(flips(path)), "ls", "--json", *options)
    before = {name: sum(end <= int(name[:5]) for end in ends) for name in found}
    assert [n for n, records in found.items() if view(records)[: before[n]] != view(whole)[: before[n]]] == []


@pytest.mark.parametrize("path,step,unchecked", [
    pytest.param(WARC / "own/gz-per-record.warc.gz", 1, range(4, 10), id="gzip"),  # time, flags, system
    pytest.param(WARC / "own/lz4-per-record.warc.lz4", 1, (), id="lz4"),
    pytest.param(FIXTURES / "warc-zst/ok-nodict.warc.zst", 7, (), id="zstd"),
])
def test_a_flip_under_a_checksum_is_told_unless_the_content_is_the_same(path, step, unchecked, tmp_path):
    starts = [r["offset"] for r in ls(path, "--full")[0]]
    content = fonds("cat", path).stdout
    variants = dict(flips(path, step))
    quiet = [name for name in silent(run(tmp_path, variants, "verify", "--json"))
             if place_in_unit(name, starts) not in unchecked]
    changed = [name for name in quiet if fonds("cat", "-", input=variants[name]).stdout != content]
    assert changed == []


def test_a_flip_in_a_plain_file_costs_at_most_its_record(tmp_path):
    path = WARC / "own/ok-three.warc"
    whole, _ = ls(path, "--full")
    ends = record_ends(path, whole)
    found = run(tmp_path, dict(flips(path)), "ls", "--json", "--skip-damaged")
    lost = lost_elsewhere(found, whole, ends)
    # Without its empty line a header reaches to the next one, and takes the evidence of rule R16 with it.
    ends_of_headers = [r["offset"] + r["header_length"] for r in ls(path, "--headers")[0]]
    assert [(n, m) for n, m in lost if not any(end - 3 <= int(n[:5]) < end for end in ends_of_headers)] == []


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
    """Output, status and peak resident set. rusage would count what the parent held before exec."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen([BINARY, *command, str(path)], stdout=out, stderr=subprocess.DEVNULL)
        peak = 0
        while child.poll() is None:
            with open(f"/proc/{child.pid}/status") as status:
                peak = max([peak] + [int(line.split()[1]) for line in status if line.startswith("VmHWM")])
            time.sleep(0.002)
        out.seek(0)
        return out.read(), child.returncode, peak / 1024


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
