"""RecordIO in the tests: the fixtures, what must be in them, and how our lists of items look."""
import hashlib
import json
import struct

from program import FIXTURES, ROOT, fonds, json_lines

FOLDER = FIXTURES / "recordio" if (FIXTURES / "recordio").is_dir() else ROOT / "tests/data/recordio"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())
CHUNK = 32768
# Undoes and applies the transformer "xor N": every byte XOR N.
XOR = ("xor=python3 -c 'import sys; k = int(sys.argv[1]); "
       "sys.stdout.buffer.write(bytes(b ^ k for b in sys.stdin.buffer.read()))' \"$1\"")


def options(name):
    """What a reader must be told to read this fixture."""
    return ["--undo", XOR] if name == "v2-custom-transformer.rio" else []


def digest(data):
    return hashlib.sha256(data).hexdigest()


def listed(path, *options):
    """[[block, item, length, SHA-256]] as `ls` gives them, and the exit status."""
    done = fonds("ls", "--json", "--hash", *options, path)
    rows = json_lines(done.stdout)
    return [[r["block"], r["item"], r["length"], r["sha256"]] for r in rows], done.returncode


def contents(rows):
    """Length and SHA-256 of items, wherever they lie."""
    return [row[2:] for row in rows]


def prefixed(items):
    """Items as `cat --length-prefixed` writes them."""
    return b"".join(struct.pack("<Q", len(item)) + item for item in items)


def split_prefixed(data):
    items = []
    while data:
        size = struct.unpack_from("<Q", data)[0]
        assert len(data) >= 8 + size
        items.append(data[8 : 8 + size])
        data = data[8 + size :]
    return items


def items_of(path, *options):
    return split_prefixed(fonds("cat", "--length-prefixed", *options, path).stdout)


def header_of(info):
    """Header entries of `info --json` as (key, type, text)."""
    return [(key, kind, str(value).lower() if kind == "bool" else str(value)) for key, kind, value in info["recordio"]["header"]]


def info_of(path, *options):
    return json_lines(fonds("info", "--json", *options, path).stdout)[0]


def chunks(data):
    """(start, payload size, chunks of the block, number in it) of each chunk of a good v2 file."""
    return [(at, *struct.unpack_from("<3I", data, at + 16)) for at in range(0, len(data), CHUNK)]


def legacy_records(data):
    """(start, end, end of header and table) of each record of a good legacy file."""
    found, at = [], 0
    while at < len(data):
        size = struct.unpack_from("<Q", data, at + 8)[0]
        table = at + 20
        if data[at] == 0x2E:
            count, table = varint(data, at + 24)
            for _ in range(count):
                _, table = varint(data, table)
        found.append((at, at + 20 + size, table))
        at += 20 + size
    return found


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
