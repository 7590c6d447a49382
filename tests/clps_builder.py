"""Small clp-s archives, built from docs/formats/clp-s.md, and every part of them changed at will."""
import struct

import zstandard

MEMBERS = ["/schema_tree", "/schema_ids", "/table_metadata", "/var.dict", "/log.dict", "/array.dict", "/0"]
INTEGER, FLOAT, CLP_STRING, VAR_STRING, BOOLEAN, OBJECT, UNSTRUCTURED_ARRAY, NULL, DATE_STRING, STRUCTURED_ARRAY, METADATA, DELTA_INTEGER, \
    FORMATTED_FLOAT, DICTIONARY_FLOAT, TIMESTAMP = range(15)
COLUMNS = {INTEGER, FLOAT, CLP_STRING, VAR_STRING, BOOLEAN, UNSTRUCTURED_ARRAY, DATE_STRING, DELTA_INTEGER, FORMATTED_FLOAT,
           DICTIONARY_FLOAT, TIMESTAMP}


def u8(*values):
    return struct.pack(f"<{len(values)}B", *values)


def u16(*values):
    return struct.pack(f"<{len(values)}H", *values)


def u32(*values):
    return struct.pack(f"<{len(values)}I", *values)


def i32(*values):
    return struct.pack(f"<{len(values)}i", *values)


def u64(*values):
    return struct.pack(f"<{len(values)}Q", *(value & (1 << 64) - 1 for value in values))


def f64(*values):
    return struct.pack(f"<{len(values)}d", *values)


def sized(data):
    """Octets behind their number."""
    return u64(len(data)) + data


def tag(kind, length):
    return kind << 24 | length


def deltas(*values):
    return u64(*(value - before for value, before in zip(values, (0, *values))))


def cells(*cells):
    """The words of (log type, first variable)."""
    return u64(*(first << 24 | log_type for log_type, first in cells))


def msgpack(value):
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        return struct.pack(">Bq", 0xD3, value) if value < 0 else u8(value) if value < 128 else struct.pack(">BQ", 0xCF, value)
    if isinstance(value, float):
        return struct.pack(">Bd", 0xCB, value)
    if isinstance(value, str):
        data = value.encode()
        return (u8(0xA0 | len(data)) if len(data) < 32 else struct.pack(">BI", 0xDB, len(data))) + data
    if isinstance(value, bytes):
        return struct.pack(">BI", 0xC6, len(value)) + value
    if isinstance(value, list):
        return struct.pack(">BI", 0xDD, len(value)) + b"".join(map(msgpack, value))
    return struct.pack(">BI", 0xDF, len(value)) + b"".join(msgpack(part) for pair in value.items() for part in pair)


def zstd(data, level=3):
    """A frame without a content size, as a stream is written; nothing for nothing."""
    if not data:
        return b""
    packer = zstandard.ZstdCompressor(level=level, write_content_size=False).compressobj()
    return packer.compress(data) + packer.flush()


def zeros(gigabytes, value=0):
    """A frame of so many GiB of one octet, in 32 KiB each: blocks that say an octet and how often it comes."""
    block = (128 << 10) << 3 | 1 << 1
    count = int(gigabytes * 8192)
    blocks = (struct.pack("<I", block)[:3] + u8(value)) * (count - 1) + struct.pack("<I", block | 1)[:3] + u8(value)
    return u32(0xFD2FB528) + u8(0x00, 0x58) + blocks


class Clps:
    """An archive in parts. Its fields may be changed before, or any section's octets by `edit` when it is put together."""

    def __init__(self, version=(0, 5, 0)):
        self.version, self.size, self.reserved, self.compression = version, 1000, bytes(32), u16(0, 0)
        self.nodes = []      # (parent, key, type)
        self.schemas = []    # (id, ordered, unordered)
        self.streams = [[]]  # of tables: (schema, records, columns)
        self.variables, self.log_types, self.array_types = [], [], []
        self.time_ranges = []  # (key, nodes, encoding, begin, end)
        self.patterns = []     # (id, pattern)
        self.inputs = None     # of (begin, end, fields)
        self.packets = None    # (type, payload), in place of the usual ones
        self.edits = {}        # section, or "metadata" -> change of its plain octets
        self.stored_edits = {} # the same of the stored ones
        self.names = list(MEMBERS)
        self.behind = b""

    def edit(self, section, change, stored=False):
        (self.stored_edits if stored else self.edits)[section] = change
        return self

    def _plain(self, section, data):
        return self.edits.get(section, lambda plain: plain)(data)

    def _stored(self, section, data):
        return self.stored_edits.get(section, lambda stored: stored)(data)

    def _dictionary(self, section, entries):
        plain = self._plain(section, u64(len(entries)) + b"".join(map(sized, entries)))
        return self._stored(section, plain[:8] + zstd(plain[8:]))

    def members(self):
        """The stored octets of each member."""
        made, streams, tables, offset = {}, b"", b"", 0
        for number, stream in enumerate(self.streams):
            at = 0
            for schema, records, columns in stream:
                tables += u64(number, at) + i32(schema) + u64(records)
                at += len(columns)
            plain = b"".join(columns for _, _, columns in stream)
            streams += u64(offset, at)
            stored = self._stored(f"stream {number}", zstd(self._plain(f"stream {number}", plain)))
            made.setdefault("/0", []).append(stored)
            offset += len(stored)
        metadata = u64(len(self.streams)) + streams + u64(0, sum(map(len, self.streams))) + tables
        tree = u64(len(self.nodes)) + b"".join(i32(parent) + sized(key) + u8(kind) for parent, key, kind in self.nodes)
        schemas = u64(len(self.schemas)) + b"".join(
            i32(id) + u32(len(ordered) + len(unordered), len(ordered)) + i32(*ordered, *unordered) for id, ordered, unordered in self.schemas)
        for name, data in [("/schema_tree", tree), ("/schema_ids", schemas), ("/table_metadata", metadata)]:
            made[name] = self._stored(name, zstd(self._plain(name, data)))
        made["/var.dict"] = self._dictionary("/var.dict", self.variables)
        made["/log.dict"] = self._dictionary("/log.dict", self.log_types)
        made["/array.dict"] = self._dictionary("/array.dict", self.array_types)
        made["/0"] = self._stored("/0", b"".join(made["/0"]))
        return {name: made[name] for name in self.names if name in made}

    def times(self):
        ranges = b""
        for key, nodes, encoding, *bounds in self.time_ranges:
            ranges += sized(key) + u64(len(nodes)) + i32(*nodes) + u64(encoding) + (f64 if encoding == 2 else u64)(*bounds)
        return u64(len(self.time_ranges)) + ranges + u64(len(self.patterns)) + b"".join(u64(id) + sized(text) for id, text in self.patterns)

    def usual_packets(self, members):
        offset, files = 0, []
        for name, data in members.items():
            files.append({"n": name, "o": offset})
            offset += len(data)
        packets = [(0, msgpack({"num_segments": 1})), (1, msgpack({"files": files})), (2, self.times())]
        if self.inputs is not None:
            packets.append((3, msgpack([{"e": end, "f": fields, "s": begin} for begin, end, fields in self.inputs])))
        return packets

    def metadata(self, members):
        packets = self.usual_packets(members)
        if self.packets is not None:
            packets = self.packets(packets)
        plain = u8(len(packets)) + b"".join(u8(kind) + u32(len(payload)) + payload for kind, payload in packets)
        return self._stored("metadata", zstd(self._plain("metadata", plain)))

    def header(self, metadata, rest):
        major, minor, patch = self.version
        plain = b"\xfd\x2f\xc5\x30" + u16(patch) + u8(minor, major) + u64(self.size, 64 + len(metadata) + rest) + self.reserved
        return self._stored("header", plain + u32(len(metadata)) + self.compression)

    def file(self):
        members = self.members()
        metadata = self.metadata(members)
        return self.header(metadata, sum(map(len, members.values()))) + metadata + b"".join(members.values()) + self.behind

    def directory(self, path):
        """Writes the files of a directory archive."""
        path.mkdir()
        members = self.members()
        metadata = self.metadata(members)
        (path / "header").write_bytes(self.header(metadata, sum(map(len, members.values()))) + metadata)
        for name, data in members.items():
            (path / name[1:]).write_bytes(data)
        return path


MS = 1704164645120  # 2024-01-02T03:04:05.12Z
PATTERN = rb'"\Y-\m-\dT\H:\M:\S.\TZ"'
# What the small archive holds, in log order.
RECORDS = [
    b'{"n":1,"msg":"took 2.50 ms","t":"2024-01-02T03:04:05.12Z"}',
    b'{"n":3,"list":[{"k":"v"},7]}',
    b'{"n":2,"msg":"id7 took 3 ms","t":"2024-01-02T03:04:06.34Z"}',
    b'{"w":"word"}',
    b'{"a":[1, "x y"],"f":1.5,"d":1e400,"b":true,"z":null,"e":{},"g":2.000000}',
]
# Records of each table, by their places in RECORDS.
TABLES = [[0, 2], [1], [3], [4]]


def small():
    """Five records with values of almost all types, in four tables of two streams."""
    a = Clps()
    a.nodes = [(-1, b"", METADATA), (0, b"log_event_idx", DELTA_INTEGER), (-1, b"", OBJECT), (2, b"n", INTEGER), (2, b"msg", CLP_STRING),
               (2, b"t", TIMESTAMP), (2, b"list", STRUCTURED_ARRAY), (6, b"", OBJECT), (7, b"k", VAR_STRING), (6, b"", INTEGER),
               (2, b"w", VAR_STRING), (2, b"a", UNSTRUCTURED_ARRAY), (2, b"f", FORMATTED_FLOAT), (2, b"d", DICTIONARY_FLOAT),
               (2, b"b", BOOLEAN), (2, b"z", NULL), (2, b"e", OBJECT), (2, b"g", FLOAT)]
    a.schemas = [(0, [1, 3, 4, 5], []), (1, [1, 3], [tag(STRUCTURED_ARRAY, 3), tag(OBJECT, 1), 8, 9]), (2, [1, 10], []),
                 (3, [1, 11, 12, 13, 14, 15, 16, 17], [])]
    a.variables = [b"v", b"id7", b"word", b"1e400"]
    a.log_types = [b"took \x13 ms", b"\x12 took \x11 ms"]
    a.array_types = [b'[\x11, "x y"]']
    first = deltas(0, 2) + u64(1, 2) + cells((0, 0), (1, 1)) + u64(3) + u64(0xFA21, 1, 3) + \
        deltas(MS * 10**6, (MS + 1220) * 10**6) + u64(0, 0)
    last = deltas(4) + cells((0, 0)) + u64(1, 1) + f64(1.5) + u16(0x0020) + u64(3) + u8(1) + f64(2)
    a.streams = [[(0, 2, first)], [(1, 1, deltas(1) + u64(3) + u64(0) + u64(7)), (2, 1, deltas(3) + u64(2)), (3, 1, last)]]
    a.time_ranges = [(b"t", [5], 1, MS, MS + 1220)]
    a.patterns = [(0, PATTERN)]
    a.inputs = [(0, 2, {"_filename": "a.jsonl", "_file_split_number": 0}), (2, 2, {"_filename": "empty"}), (2, 5, {"_filename": "b.jsonl"})]
    return a
