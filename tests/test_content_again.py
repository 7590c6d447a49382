"""Records that a query has read, given from their start: behind damage inside of a member or frame too, and told as without a query."""
import gzip
import random

import lz4.frame
import pytest
from program import fonds

RECORDS = 300


def record(number):
    rng = random.Random(number)
    block = f"hello {number} ".encode() + bytes(rng.choices(b"abcdefghij", k=rng.randrange(200, 4000)))
    kind = b"revisit" if number == RECORDS - 1 else b"resource"
    extra = b"WARC-Refers-To: <urn:uuid:%08d-0000-4000-8000-000000000000>\r\n" % (RECORDS - 50) if kind == b"revisit" else b""
    return (b"WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:uuid:%08d-0000-4000-8000-000000000000>\r\n"
            b"WARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Target-URI: http://example.com/%d\r\n%sContent-Type: text/plain\r\n"
            b"Content-Length: %d\r\n\r\n%s\r\n\r\n") % (kind, number, number, extra, len(block), block)


def blocks_damaged():
    """One frame of independent blocks, two of which do not decode."""
    stored = bytearray(lz4.frame.compress(b"".join(map(record, range(RECORDS))), block_size=lz4.frame.BLOCKSIZE_MAX64KB,
                                          block_linked=False, content_checksum=False))
    at, block = 7 + (8 if stored[4] & 8 else 0), 0
    while (size := int.from_bytes(stored[at:at + 4], "little") & 0x7FFFFFFF) > 0:
        if block in (2, 5):
            stored[at + 4:at + 44] = b"\xff" * 40
        at, block = at + 4 + size, block + 1
    assert block > 7
    return bytes(stored)


def trailer_damaged():
    """One member that only its checksum says something against."""
    stored = bytearray(gzip.compress(b"".join(map(record, range(RECORDS))), 6))
    stored[-8] ^= 1
    return bytes(stored)


def member_damaged():
    """Two members, the first of which cannot be decoded behind its middle."""
    middle = RECORDS // 2
    first = bytearray(gzip.compress(b"".join(map(record, range(middle))), 6))
    at = len(first) // 2
    first[at:at + 16] = bytes(16)
    return bytes(first) + gzip.compress(b"".join(map(record, range(middle, RECORDS))), 6)


@pytest.fixture(scope="module", params=["lz4", "gzip-trailer", "gzip-member"])
def archive(request, tmp_path_factory):
    stored = {"lz4": blocks_damaged, "gzip-trailer": trailer_damaged, "gzip-member": member_damaged}[request.param]()
    path = tmp_path_factory.mktemp("again") / f"a.warc.{'lz4' if request.param == 'lz4' else 'gz'}"
    path.write_bytes(stored)
    return path


# Whatever damage has left of the content.
HEADER, CONTENT = "type: resource", "type: resource and (payload: *hello* or not payload: *hello*)"


@pytest.mark.parametrize("command", [
    ["cat"], ["cat", "--threads", "1"], ["cat", "--part", "payload"], ["cat", "--skip-damaged"], ["cat", "--tail", "7", "--skip-damaged"],
    ["cat", "--jsonl"], ["ls", "--hash"], ["ls", "--hash", "--json", "--skip-damaged"]])
def test_what_content_chooses_is_what_the_header_chooses(command, archive):
    by_header = fonds(*command, "--where", HEADER, archive)
    by_content = fonds(*command, "--where", CONTENT, archive)
    assert by_header.stdout and by_content.stdout == by_header.stdout
    assert by_content.stderr == by_header.stderr and by_content.returncode == by_header.returncode


@pytest.mark.parametrize("number", [3, RECORDS - 60, RECORDS - 2])
def test_one_record_is_given_from_its_start(number, archive):
    wanted = record(number)
    block = wanted[wanted.index(b"hello"):-4]
    given = fonds("cat", "--skip-damaged", "--part", "payload", "--where", f'payload: "hello {number} *"', archive).stdout
    assert given == block
    assert fonds("cat", "--skip-damaged", "--part", "payload", archive, f"uri:http://example.com/{number}").stdout == block


def test_an_original_behind_damage_is_found(archive):
    wanted = record(RECORDS - 50)
    given = fonds("cat", "--skip-damaged", "--resolve", "--part", "payload", "--where", "type: revisit", archive).stdout
    assert given == wanted[wanted.index(b"hello"):-4]


def test_the_last_records_are_the_last(archive):
    last = fonds("cat", "--skip-damaged", "--tail", "2", "--part", "payload", archive).stdout
    assert last == b"".join(record(n)[record(n).index(b"hello"):-4] for n in (RECORDS - 2, RECORDS - 1))


def test_a_conversion_keeps_the_same_records(archive, tmp_path):
    said = [fonds("convert", "--skip-damaged", "--to", "warc/1.1", "-o", tmp_path / name, "--where", query, archive)
            for name, query in (("header.warc", HEADER), ("content.warc", CONTENT))]
    assert (tmp_path / "header.warc").read_bytes() == (tmp_path / "content.warc").read_bytes() != b""
    assert said[0].stderr.replace(b"header.warc", b"content.warc") == said[1].stderr


# --- what kept a query from reading content

@pytest.fixture
def coded(tmp_path):
    """Record 2 has a coding that ends too early behind much content."""
    path = tmp_path / "a.warc"
    with open(path, "wb") as out:
        for number in range(4):
            body = gzip.compress(random.Random(number).randbytes(100_000), 1)
            http = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + (body[:-30] if number == 2 else body)
            out.write(b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:%08d-0000-4000-8000-000000000000>\r\n"
                      b"WARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Target-URI: http://example.com/%d\r\n"
                      b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n"
                      % (number, number, len(http), http))
    return path


@pytest.mark.parametrize("options", [[], ["--threads", "1"], ["--part", "decoded"], ["--tail", "4"], ["--tail", "1"]])
def test_it_is_told_once_with_its_place(options, coded):
    done = fonds("cat", "-v", *options, "--where", "not payload: nothing", coded)
    told = [line for line in done.stderr.decode().splitlines() if "coding-truncated" in line]
    assert len(told) == 1 and "a.warc: " in told[0] and "(record 2)" in told[0], told


@pytest.mark.parametrize("tail", ["1", "4"])
def test_strict_ends_the_last_records_as_all(tail, coded):
    assert fonds("cat", "--strict", "--tail", tail, "--where", "not payload: nothing", coded).returncode == 1
