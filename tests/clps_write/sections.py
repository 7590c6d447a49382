"""Takes clp-s archives apart, by docs/formats/clp-s.md alone and trusting them: what two writers made of one input."""
import dataclasses
import itertools
import struct
from pathlib import Path

import zstandard
from clps_builder import (BOOLEAN, CLP_STRING, DATE_STRING, DELTA_INTEGER, DICTIONARY_FLOAT, FLOAT, FORMATTED_FLOAT, INTEGER, TIMESTAMP,
                          UNSTRUCTURED_ARRAY, VAR_STRING)

MEMBERS = ("/schema_tree", "/schema_ids", "/table_metadata", "/var.dict", "/log.dict", "/array.dict", "/0")


def inflate(data):
    """All frames one after the other."""
    if not data:
        return b""
    with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(data, read_across_frames=True) as reader:
        return reader.read()


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values[0] if len(values) == 1 else values

    def octets(self, count):
        self.at += count
        assert self.at <= len(self.data), "cut short"
        return self.data[self.at - count:self.at]

    def sized(self):
        return self.octets(self.take("Q"))

    def ends(self):
        assert self.at == len(self.data), f"{len(self.data) - self.at} octets too many"


def msgpack(cursor):
    """The forms that occur in archives."""
    first = cursor.take("B")
    if first < 0x80:
        return first
    if first >= 0xE0:
        return first - 256
    if first < 0x90:
        return {msgpack(cursor): msgpack(cursor) for _ in range(first & 15)}
    if first < 0xA0:
        return [msgpack(cursor) for _ in range(first & 15)]
    if first < 0xC0:
        return cursor.octets(first & 31).decode()
    big = lambda size, signed=False: int.from_bytes(cursor.octets(size), "big", signed=signed)  # noqa: E731
    if first in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[first]
    if first in (0xCA, 0xCB):
        return struct.unpack(">f" if first == 0xCA else ">d", cursor.octets(4 if first == 0xCA else 8))[0]
    if 0xCC <= first <= 0xD3:
        return big(1 << (first & 3), signed=first >= 0xD0)
    if 0xD9 <= first <= 0xDB:
        return cursor.octets(big(1 << (first - 0xD9))).decode()
    if first in (0xDC, 0xDD):
        return [msgpack(cursor) for _ in range(big(2 if first == 0xDC else 4))]
    assert first in (0xDE, 0xDF), hex(first)
    return {msgpack(cursor): msgpack(cursor) for _ in range(big(2 if first == 0xDE else 4))}


@dataclasses.dataclass(frozen=True)
class Table:
    stream: int
    offset: int
    schema: int
    records: int
    columns: bytes


class Sections:
    """Everything of an archive, decompressed. `stored` has the members as they lie on the disk."""

    def __init__(self, path):
        path = Path(path)
        head = (path / "header" if path.is_dir() else path).read_bytes()
        self.magic, patch, minor, major, self.raw_size, self.size = struct.unpack_from("<4sHBBQQ", head)
        self.version = major, minor, patch
        self.reserved, metadata_size, self.compression, last = head[24:56], *struct.unpack_from("<IHH", head, 56)
        self.metadata = head[64:64 + metadata_size]
        self._packets(Cursor(inflate(self.metadata)))
        self.offsets = {entry["n"]: entry["o"] for entry in self.packets[1]["files"]}
        if path.is_dir():
            self.stored = {name: (path / name[1:]).read_bytes() for name in MEMBERS}
            self.behind = b""
            self.stored_size = len(head) + sum(map(len, self.stored.values()))
        else:
            starts = [64 + metadata_size + self.offsets[name] for name in MEMBERS] + [self.size]
            self.stored = {name: head[begin:end] for name, begin, end in zip(MEMBERS, starts, starts[1:])}
            self.behind = head[self.size:]
            self.stored_size = len(head)
        self.plain = {name: inflate(self.stored[name]) for name in MEMBERS[:3]}
        self.dictionaries = {name: self._dictionary(self.stored[name]) for name in MEMBERS[3:6]}
        self._tables(Cursor(self.plain["/table_metadata"]))

    def _packets(self, cursor):
        self.packets, self.raw_packets = {}, {}
        for _ in range(cursor.take("B")):
            kind, size = cursor.take("BI")
            payload = cursor.octets(size)
            self.raw_packets[kind] = payload
            self.packets[kind] = msgpack(Cursor(payload)) if kind in (0, 1, 3) else self._times(Cursor(payload)) if kind == 2 else payload
        cursor.ends()

    @staticmethod
    def _times(cursor):
        ranges, patterns = [], {}
        for _ in range(cursor.take("Q")):
            key, nodes = cursor.sized(), [cursor.take("i") for _ in range(cursor.take("Q"))]
            encoding = cursor.take("Q")
            ranges.append((key, tuple(nodes), encoding, *(cursor.take("dd" if encoding == 2 else "qq") if encoding else ())))
        for _ in range(cursor.take("Q")):
            number = cursor.take("Q")
            patterns[number] = cursor.sized()
        cursor.ends()
        return {"ranges": sorted(ranges), "patterns": patterns}

    @staticmethod
    def _dictionary(stored):
        count, cursor = struct.unpack_from("<Q", stored)[0], Cursor(inflate(stored[8:]))
        entries = [cursor.sized() for _ in range(count)]
        cursor.ends()
        return entries

    def _tables(self, cursor):
        streams = [cursor.take("QQ") for _ in range(cursor.take("Q"))]
        assert cursor.take("Q") == 0
        rows = [cursor.take("QQiQ") for _ in range(cursor.take("Q"))]
        cursor.ends()
        ends = [offset for offset, _ in streams[1:]] + [len(self.stored["/0"])]
        self.streams = [inflate(self.stored["/0"][offset:end]) for (offset, _), end in zip(streams, ends)]
        assert [len(stream) for stream in self.streams] == [size for _, size in streams]
        self.tables = []
        for row, behind in zip(rows, [*rows[1:], (None,)]):
            stream, offset, schema, records = row
            end = behind[1] if behind[0] == stream else len(self.streams[stream])
            self.tables.append(Table(stream, offset, schema, records, self.streams[stream][offset:end]))

    def nodes(self):
        """(parent, key, type) of each node."""
        cursor = Cursor(self.plain["/schema_tree"])
        found = [(cursor.take("i"), cursor.sized(), cursor.take("B")) for _ in range(cursor.take("Q"))]
        cursor.ends()
        return found

    def log_indices(self):
        """Of each table, the places of its records in the log."""
        def of(table):
            values = struct.unpack_from(f"<{table.records}q", table.columns)
            return list(values) if self.version < (0, 3, 2) else list(itertools.accumulate(values))
        return map(of, self.tables)

    def schemas(self):
        """The entries of each schema: (ordered ones, unordered ones)."""
        cursor, found = Cursor(self.plain["/schema_ids"]), {}
        for _ in range(cursor.take("Q")):
            number, count, ordered = cursor.take("iII")
            entries = [cursor.take("i") for _ in range(count)]
            found[number] = tuple(entries[:ordered]), tuple(entries[ordered:])
        cursor.ends()
        return found

    def values(self):
        """Of each table, by its schema: how many records, and of each column the node and its values, with the entries of dictionaries
        in place of their numbers."""
        return {table.schema: (table.records, list(self._columns(table))) for table in self.tables}

    def _columns(self, table):
        nodes, cursor, count = self.nodes(), Cursor(table.columns), table.records
        many = lambda form: struct.unpack(f"<{count}{form}", cursor.octets(struct.calcsize(f"<{count}{form}")))  # noqa: E731
        variables = self.dictionaries["/var.dict"]
        for node in itertools.chain(*self.schemas()[table.schema]):
            kind = nodes[node][2] if 0 <= node < 1 << 24 else None
            if kind in (INTEGER, DELTA_INTEGER):
                yield node, many("q")
            elif kind == FLOAT:
                yield node, many("d")
            elif kind in (CLP_STRING, UNSTRUCTURED_ARRAY):
                words = many("Q")
                held = [cursor.take("q") for _ in range(cursor.take("Q"))]
                log_types = self.dictionaries["/log.dict" if kind == CLP_STRING else "/array.dict"]
                yield node, [self._text(log_types[word & 0xFFFFFF], held, word >> 24) for word in words]
            elif kind in (VAR_STRING, DICTIONARY_FLOAT):
                yield node, [variables[id] for id in many("Q")]
            elif kind == BOOLEAN:
                yield node, many("B")
            elif kind == FORMATTED_FLOAT:
                yield node, list(zip(many("d"), many("H")))
            elif kind in (DATE_STRING, TIMESTAMP):
                yield node, list(zip(many("q"), many("Q")))
        cursor.ends()

    def _text(self, log_type, held, first):
        """The log type of a cell, and its variables."""
        values, escaped = [], False
        for c in log_type:
            if escaped or c not in b"\\\x11\x12\x13":
                escaped = False
            elif c == 0x5C:
                escaped = True
            else:
                value = held[first + len(values)]
                values.append(self.dictionaries["/var.dict"][value] if c == 0x12 and self.version >= (0, 4, 0) else
                              self._old_variable(value) if c == 0x11 and self.version < (0, 4, 0) else value)
        return log_type, values

    def _old_variable(self, value):
        return self.dictionaries["/var.dict"][value - 2**62] if 2**62 <= value < 2**63 - 1 else value
