"""clp-s archives that are damaged or made to do harm: an error that names section and offset, no crash, little memory and time, and
records of tables that are whole are delivered."""
import os
import re
import resource
import struct
import subprocess

import clps_builder as clps
import pytest
from clps_builder import OBJECT, RECORDS, STRUCTURED_ARRAY, TABLES, small, tag, u8, u16, u32, u64
from program import BINARY, fonds, json_lines

BUDGET = 64 << 20
# What a process takes beside the budget: the program, its libraries, the windows and tables of zstd, text that is put together.
BESIDE = 64 << 20
SECONDS = 20  # of CPU
SANITIZED = b"__asan_init" in open(BINARY, "rb").read()
COMMANDS = [["cat"], ["cat", "--table-order"], ["ls"], ["search", "*"], ["search", "n > 1"], ["verify", "--json"], ["info", "--deep"]]


class Done:
    def __init__(self, status, stdout, stderr, peak, seconds):
        self.status, self.stdout, self.stderr, self.peak, self.seconds = status, stdout, stderr, peak, seconds


def run(tmp_path, *args, data=None, memory=BUDGET, most=None):
    """Runs the program with a memory limit, and measures what it took. `most`: bytes of output that are kept."""
    def limit():
        if not SANITIZED:
            resource.setrlimit(resource.RLIMIT_AS, (4 * memory + (2 << 30), 4 * memory + (2 << 30)))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with open(tmp_path / "out", "wb+") as out, open(tmp_path / "err", "wb+") as err, open(tmp_path / "in", "wb+") as given:
        given.write(data or b"")
        given.seek(0)
        source = given if data is None else subprocess.Popen(["cat"], stdin=given, stdout=subprocess.PIPE).stdout
        process = subprocess.Popen([BINARY, *map(str, args), "--memory", str(memory)], stdin=source, stdout=out, stderr=err, preexec_fn=limit)
        if data is not None:
            source.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        out.seek(0)
        err.seek(0)
        done = Done(os.waitstatus_to_exitcode(status), out.read(most), err.read(), usage.ru_maxrss << 10, usage.ru_utime + usage.ru_stime)
    assert 0 <= done.status <= 3, (args, done.status, done.stderr)
    if not SANITIZED:
        # A child counts what this process held when it was forked.
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
        assert done.peak < max(memory + BESIDE, own + (1 << 20)), (args, done.peak)
        assert done.seconds < SECONDS
    return done


def changed(change):
    archive = small()
    change(archive)
    return archive.file()


def section(name, change, stored=False):
    return changed(lambda archive: archive.edit(name, change, stored))


def at(place, octets):
    """Octets written over those at a place; counted from the end if it is negative."""
    def replace(data):
        begin = place if place >= 0 else len(data) + place
        assert begin + len(octets) <= len(data)
        return data[:begin] + octets + data[begin + len(octets):]
    return replace


def field(name, value):
    return changed(lambda archive: setattr(archive, name, value))


def node(number, value):
    return changed(lambda archive: archive.nodes.__setitem__(number, value))


def schema(number, ordered, unordered=()):
    return changed(lambda archive: archive.schemas.__setitem__(number, (number, list(ordered), list(unordered))))


def table(stream, number, change, records=None):
    def replace(archive):
        id, before, columns = archive.streams[stream][number]
        archive.streams[stream][number] = (id, before if records is None else records, change(columns))
    return changed(replace)


def same(data):
    return data


def packets(change):
    return field("packets", change)


def packet(kind, payload):
    """The packet of a kind replaced; a new one at the end if there is none."""
    def replace(usual):
        given = [(k, payload if k == kind else p) for k, p in usual]
        return given if any(k == kind for k, _ in usual) else [*given, (kind, payload)]
    return packets(replace)


def entry(stream, place, value):
    """A number of the list of tables: of the streams' (offset, size), or of the tables' (stream, offset, id, records)."""
    def replace(plain):
        tables = 8 + 2 * 16 + 16
        begin, size = (8 + 16 * stream + 8 * place, 8) if stream >= 0 else (tables + 28 * (-1 - stream) + [0, 8, 16, 20][place],
                                                                           4 if place == 2 else 8)
        return plain[:begin] + (u64(value) if size == 8 else u32(value)) + plain[begin + size:]
    return section("/table_metadata", replace)


def files(change):
    """The list of files changed: name -> offset."""
    def replace(archive):
        members = archive.members()
        offsets, offset = [], 0
        for name, data in members.items():
            offsets.append([name, offset])
            offset += len(data)
        listed = [{"n": name, "o": place} for name, place in change(offsets)]
        archive.packets = lambda usual: [usual[0], (1, clps.msgpack({"files": listed})), *usual[2:]]
    return changed(replace)


HUGE = (1 << 64) - 1
EVERYTHING = (0, 1, 2, 3)
NOTHING = ()
# name -> (octets, what a message names, tables that are delivered)
CASES = {
    # 1: header and members
    "no-magic": (section("header", at(0, b"\xfc"), True), "", None),
    "compression-1": (section("header", at(60, u16(1)), True), "compression type 1", None),
    "metadata-size-huge": (section("header", at(56, u32(0xFFFFFFFF)), True), "metadata|header", None),
    "metadata-size-0": (section("header", at(56, u32(0)), True), "metadata", None),
    "metadata-size-less": (section("header", lambda head: head[:56] + u32(struct.unpack_from("<I", head, 56)[0] - 9) + head[60:], True),
                           "metadata", None),
    "size-0": (section("header", at(16, u64(0)), True), "header", None),
    "size-huge": (section("header", at(16, u64(HUGE)), True), "the header says 18446744073709551615", EVERYTHING),
    "size-less": (section("header", lambda head: head[:16] + u64(struct.unpack_from("<Q", head, 16)[0] - 20) + head[24:], True),
                  "/0: stream 1", (0,)),
    "member-behind-end": (files(lambda offsets: [*offsets[:-1], ["/0", 1 << 40]]), "/0", None),
    "member-offset-huge": (files(lambda offsets: [*offsets[:-1], ["/0", HUGE]]), "/0", None),
    "members-descend": (files(lambda offsets: [["/schema_tree", 9], *offsets[1:2], *[[name, 0] for name, _ in offsets[2:]]]), "/table_metadata", None),
    "member-twice": (files(lambda offsets: [*offsets, offsets[-1]]), "/0 is listed twice", None),
    "no-tree": (files(lambda offsets: offsets[1:]), "/schema_tree is missing", None),
    "no-files": (files(lambda offsets: []), "/schema_tree is missing", None),
    # 2: frames
    "tree-is-no-frame": (section("/schema_tree", lambda stored: b"x" * len(stored), True), "/schema_tree", None),
    "tree-is-cut": (section("/schema_tree", lambda stored: stored[:-9], True), "/schema_tree", None),
    "tree-is-empty": (section("/schema_tree", lambda stored: b"", True), "/schema_tree", None),
    "schemas-are-empty": (section("/schema_ids", lambda stored: b"", True), "/schema_ids", None),
    "tables-are-empty": (section("/table_metadata", lambda stored: b"", True), "/table_metadata", None),
    "stream-is-no-frame": (section("stream 0", lambda stored: b"x" * len(stored), True), "/0: stream 0", (1, 2, 3)),
    "stream-is-cut": (section("stream 0", lambda stored: stored[:-9], True), "/0: stream 0", (1, 2, 3)),
    "last-stream-is-cut": (section("stream 1", lambda stored: stored[:-3], True), "/0: stream 1", (0,)),
    "stream-longer": (entry(1, 1, 10**6), "stream 1|table 3", (0, 1, 2)),
    "stream-shorter": (entry(0, 1, 100), "stream 0|table 0", (1, 2, 3)),
    "stream-size-huge": (entry(1, 1, HUGE), "stream 1|table 3", (0, 1, 2)),
    # 2 and 7: counts
    "nodes-huge": (section("/schema_tree", at(0, u64(HUGE))), "/schema_tree: it claims", None),
    "nodes-more": (section("/schema_tree", at(0, u64(19))), "/schema_tree", None),
    "key-huge": (section("/schema_tree", at(12, u64(HUGE))), "/schema_tree: node 0", None),
    "key-long": (node(3, (2, b"k" * ((1 << 20) + 1), clps.INTEGER)), "/schema_tree: node 3", None),
    "schemas-huge": (section("/schema_ids", at(0, u64(HUGE))), "/schema_ids: it claims", None),
    "schemas-more": (section("/schema_ids", at(0, u64(5))), "/schema_ids", None),
    "schema-entries-huge": (section("/schema_ids", at(12, u32(0xFFFFFFFF))), "/schema_ids: schema 0", None),
    "schema-ordered-more-than-all": (section("/schema_ids", at(16, u32(5))), "/schema_ids: schema 0", None),
    "streams-huge": (section("/table_metadata", at(0, u64(HUGE))), "/table_metadata: it claims", None),
    "tables-huge": (section("/table_metadata", at(48, u64(HUGE))), "/table_metadata: it claims", None),
    "separate-columns": (section("/table_metadata", at(40, u64(1))), "/table_metadata: it claims 1", None),
    "variables-huge": (section("/var.dict", at(0, u64(HUGE))), "/var.dict: it claims 18446744073709551615", EVERYTHING),
    "variables-more": (section("/var.dict", at(0, u64(5))), "/var.dict: it claims 5", EVERYTHING),
    "variable-huge": (section("/var.dict", at(8, u64(HUGE))), "/var.dict: entry 0", NOTHING),
    "variable-longer": (section("/var.dict", at(17, u64(1 << 40))), "/var.dict: entry 1", (1,)),
    "log-types-cut": (section("/log.dict", lambda stored: stored[:-3], True), "/log.dict", (1, 2, 3)),
    "log-types-4-bytes": (section("/log.dict", lambda stored: stored[:4], True), "/log.dict", (1, 2, 3)),
    "array-types-cut": (section("/array.dict", lambda stored: stored[:-3], True), "/array.dict", (0, 1, 2)),
    # 3: packets
    "packets-more": (section("metadata", at(0, u8(9))), "metadata section: packet", None),
    "packet-size-huge": (section("metadata", at(2, u32(0xFFFFFFFF))), "metadata section: packet 0", None),
    "packet-twice": (packets(lambda usual: [*usual, usual[0]]), "metadata section: two packets", None),
    "num-segments-2": (packet(0, clps.msgpack({"num_segments": 2})), "num_segments", None),
    "num-segments-missing": (packet(0, clps.msgpack({})), "num_segments", None),
    "msgpack-cut": (packet(1, clps.msgpack({"files": [{"n": "/0", "o": 0}]})[:-3]), "ArchiveFileInfo", None),
    "msgpack-deep": (packet(3, b"\x91" * 10**6 + b"\xc0"), "RangeIndex", None),
    "msgpack-long": (packet(3, b"\xdd\xff\xff\xff\xff"), "RangeIndex", None),
    "msgpack-values": (packet(3, b"\xdd\x00\x0f\x00\x00" + b"\x90" * 0xF0000), "RangeIndex", None),
    "range-no-array": (packet(3, clps.msgpack({})), "RangeIndex", None),
    "range-backwards": (packet(3, clps.msgpack([{"s": 3, "e": 1, "f": {}}])), "RangeIndex", None),
    "range-negative": (packet(3, clps.msgpack([{"s": -1, "e": 1, "f": {}}])), "RangeIndex", None),
    "range-properties": (packet(3, clps.msgpack([{"s": 0, "e": 1, "f": []}])), "RangeIndex", None),
    "times-cut": (packet(2, u64(1)), "TimestampDictionary", None),
    "times-ranges-huge": (packet(2, u64(HUGE, 0, 0)), "TimestampDictionary", None),
    "times-key-huge": (packet(2, u64(1, HUGE, 0, 0, 0)), "TimestampDictionary", None),
    "times-nodes-huge": (packet(2, u64(1, 0, HUGE, 0, 0)), "TimestampDictionary", None),
    "times-encoding": (packet(2, u64(1, 0, 0, 3, 0)), "TimestampDictionary", None),
    "times-patterns-huge": (packet(2, u64(0, HUGE)), "TimestampDictionary", None),
    "times-pattern-twice": (packet(2, u64(0, 2, 7, 0, 7, 0)), "TimestampDictionary", None),
    # 4: tree
    "parent-itself": (node(4, (4, b"msg", clps.CLP_STRING)), "/schema_tree: node 4", None),
    "parent-behind": (node(4, (5, b"msg", clps.CLP_STRING)), "/schema_tree: node 4", None),
    "parent-huge": (node(4, (1 << 30, b"msg", clps.CLP_STRING)), "/schema_tree: node 4", None),
    "parent-below-0": (node(4, (-2, b"msg", clps.CLP_STRING)), "/schema_tree: node 4", None),
    "parent-is-leaf": (node(4, (3, b"msg", clps.CLP_STRING)), "/schema_tree: node 4", None),
    "node-type": (node(4, (2, b"msg", 15)), "/schema_tree: node 4", None),
    "node-unknown": (node(4, (2, b"msg", 255)), "/schema_tree: node 4", None),
    "deep": (changed(lambda archive: archive.nodes.extend((17 + max(n, 0), b"", OBJECT) if n else (2, b"deep", OBJECT) for n in range(2000))),
             "/schema_tree: node 1", None),
    # 5: schemas
    "schema-node-behind": (schema(0, [1, 3, 4, 18]), "schema 0 in /schema_ids", (1, 2, 3)),
    "schema-node-negative": (schema(0, [-1, 3, 4, 5]), "schema 0 in /schema_ids", (1, 2, 3)),
    "schema-descends": (schema(0, [1, 4, 3, 5]), "schema 0 in /schema_ids", (1, 2, 3)),
    "schema-tag-ordered": (schema(0, [1, 3, 4, tag(OBJECT, 1)]), "schema 0 in /schema_ids", (1, 2, 3)),
    "schema-array-ordered": (schema(0, [1, 3, 4, 6]), "schema 0 in /schema_ids", (1, 2, 3)),
    "schema-id-twice": (changed(lambda archive: archive.schemas.append((2, [1], []))), "/schema_ids: two schemas", None),
    "tag-of-object": (schema(1, [1, 3], [tag(OBJECT, 3), tag(OBJECT, 1), 8, 9]), "schema 1 in /schema_ids", (0, 2, 3)),
    "tag-type-7": (schema(1, [1, 3], [tag(7, 3), tag(OBJECT, 1), 8, 9]), "schema 1 in /schema_ids", (0, 2, 3)),
    "tag-longer": (schema(1, [1, 3], [tag(STRUCTURED_ARRAY, 4), tag(OBJECT, 1), 8, 9]), "schema 1 in /schema_ids", (0, 2, 3)),
    "tag-longest": (schema(1, [1, 3], [tag(STRUCTURED_ARRAY, (1 << 24) - 1), tag(OBJECT, 1), 8, 9]), "schema 1 in /schema_ids", (0, 2, 3)),
    "tag-of-0": (schema(1, [1, 3], [tag(STRUCTURED_ARRAY, 3), tag(OBJECT, 0), 8, 9]), "schema 1 in /schema_ids", (0, 2, 3)),
    "tag-inner-longer": (schema(1, [1, 3], [tag(STRUCTURED_ARRAY, 3), tag(OBJECT, 3), 8, 9]), "schema 1 in /schema_ids", (0, 2, 3)),
    "tag-of-tags": (schema(1, [1, 3], [tag(STRUCTURED_ARRAY, 2), tag(OBJECT, 1), tag(OBJECT, 1)]), "schema 1 in /schema_ids", (0, 2, 3)),
    "tags-deep": (schema(1, [1, 3], [tag(STRUCTURED_ARRAY, 5000 - n) for n in range(5000)] + [9]), "schema 1 in /schema_ids", (0, 2, 3)),
    "tag-elsewhere": (schema(1, [1, 3], [tag(STRUCTURED_ARRAY, 1), 10]), "schema 1 in /schema_ids", (0, 2, 3)),
    "array-no-array": (schema(1, [1, 3], [8]), "schema 1 in /schema_ids", (0, 2, 3)),
    # 6: tables
    "stream-behind": (entry(1, 0, 1 << 40), "stream 1|/0", (0,)),
    "streams-descend": (entry(1, 0, -5), "stream 1|/0", NOTHING),
    "table-in-no-stream": (entry(-4, 0, 2), "table 3", (0, 1)),
    "table-streams-descend": (entry(-3, 0, 0), "table 2", (3,)),
    "table-offset-huge": (entry(-4, 1, HUGE), "table", (0, 1)),
    "table-offset-descends": (entry(-4, 1, 8), "table", (0, 1)),
    "table-no-schema": (entry(-3, 2, 9), "table 2: there is no schema 9", (0, 1, 3)),
    "table-schema-twice": (entry(-4, 2, 0), "table 3: schema 0", (0, 1, 2)),
    "records-more": (entry(-1, 3, 3), "table 0", (1, 2, 3)),
    "records-fewer": (entry(-1, 3, 1), "table 0", (1, 2, 3)),
    "records-huge": (entry(-1, 3, HUGE), "table 0", (1, 2, 3)),
    "records-overflow": (entry(-1, 3, 1 << 61), "table 0", (1, 2, 3)),
    "table-longer": (table(1, 1, lambda data: data + u64(1)), "table 2", (0, 1, 3)),
    "table-shorter": (table(1, 1, lambda data: data[:-8]), "table 2", (0, 1, 3)),
    "variables-of-column-huge": (table(0, 0, at(48, u64(HUGE))), "table 0", (1, 2, 3)),
    "variables-of-column-more": (table(0, 0, at(48, u64(4))), "table 0", (1, 2, 3)),
    "variables-of-column-overflow": (table(0, 0, at(48, u64(1 << 61))), "table 0", (1, 2, 3)),
    # 7: cells; records of TABLES[0] are lost one by one
    "string-id": (table(1, 1, at(8, u64(4))), "table 2, record 0: a variable", (0, 1, 3)),
    "string-id-huge": (table(1, 1, at(8, u64(HUGE))), "table 2, record 0: a variable", (0, 1, 3)),
    "number-id-huge": (table(1, 2, at(-17, u64(HUGE))), "table 3, record 0: a variable", (0, 1, 2)),
    "log-type-id": (table(0, 0, at(32, clps.cells((2, 0), (2, 1)))), "table 0, record 1: its log type", (1, 2, 3)),
    "log-type-id-last": (table(0, 0, at(32, clps.cells((0xFFFFFF, 0), (0xFFFFFF, 0)))), "table 0, record 0: its log type", (1, 2, 3)),
    "array-type-id": (table(1, 2, at(8, clps.cells((1, 0)))), "table 3, record 0: its log type", (0, 1, 2)),
    "first-variable-behind": (table(0, 0, at(32, clps.cells((0, 3), (1, 2)))), "table 0, record 1: its variables", (1, 2, 3)),
    "first-variable-last": (table(0, 0, at(32, clps.cells((0, (1 << 40) - 1), (1, (1 << 40) - 1)))), "table 0, record 0: its variables", (1, 2, 3)),
    "variable-id": (table(0, 0, lambda data: at(56, u64(0x8, 4))(data)), "table 0, record [01]", (1, 2, 3)),
    "float-word": (table(0, 0, lambda data: at(32, clps.cells((0, 0), (0, 1)))(at(56, u64(0xFA29, 0xFFFFFFFFFFFFFFFF))(data))), "table 0, record 1: a float",
                   (1, 2, 3)),
    "float-format": (table(1, 2, at(-19, u16(0xFFFF))), "table 3, record 0: the format", (0, 1, 2)),
    "pattern-id": (table(0, 0, at(-16, u64(9, HUGE))), "table 0, record 1: its time pattern", (1, 2, 3)),
    "no-fraction": (table(0, 0, at(-32, u64(0, 0))), "table 0, record 1: its time pattern", (1, 2, 3)),
    "bad-pattern": (field("patterns", [(0, rb'"\Y\Y"')]), "table 0, record 0: its time pattern", (1, 2, 3)),
}
# Such messages have no offset: the file is no archive, or the place is the whole of it.
NO_OFFSET = {"no-magic"}


def lines_of(tables):
    return {RECORDS[number] for one in tables for number in TABLES[one]}


@pytest.fixture
def archive(request, tmp_path):
    path = tmp_path / "a.clps"
    path.write_bytes(request.param)
    return path


@pytest.mark.parametrize("name", CASES)
def test_damage_is_told_with_its_place_and_the_rest_is_delivered(name, tmp_path):
    data, named, delivered = CASES[name]
    path = tmp_path / "a.clps"
    path.write_bytes(data)
    for command in COMMANDS:
        done = run(tmp_path, *command, path)
        told = (done.stderr + (done.stdout if command[0] == "verify" else b"")).decode()
        if delivered is None:
            assert done.status == (1 if command[0] == "verify" and name != "no-magic" else 3), (command, told)
        else:
            assert done.status in ((1,) if command != ["search", "n > 1"] and command[0] != "info" else (0, 1)), (command, told)
        if done.status == 1 and not told and command[0] in ("search", "info"):
            continue  # what is damaged was not looked at
        if command[0] not in ("info",) and command != ["search", "n > 1"]:
            assert re.search(named, told), (command, told)
            assert name in NO_OFFSET or "offset" in told, (command, told)
        if command[0] == "cat":
            lines = set(done.stdout.splitlines())
            assert lines >= lines_of(delivered or ()), (command, told)
            assert lines <= set(RECORDS) or name in ("variable-longer", "log-type-id", "first-variable-behind", "variable-id", "float-word"), lines
            if delivered is None:
                assert not lines


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case[2] is not None])
def test_skipping_what_is_damaged_delivers_the_other_tables(name, tmp_path):
    path = tmp_path / "a.clps"
    path.write_bytes(CASES[name][0])
    for order in ([], ["--table-order"]):
        done = run(tmp_path, "cat", "--skip-damaged", *order, path)
        assert done.status == 1
        assert set(done.stdout.splitlines()) >= lines_of(CASES[name][2])


@pytest.mark.parametrize("name", CASES)
def test_verify_as_json_tells_it_as_a_finding_with_a_code(name, tmp_path):
    if name == "no-magic":
        return
    path = tmp_path / "a.clps"
    path.write_bytes(CASES[name][0])
    done = run(tmp_path, "verify", "--json", path)
    *findings, closing = json_lines(done.stdout)
    errors = [f for f in findings if f["severity"] == "error"]
    assert errors and not closing["ok"] and closing["errors"] == len(errors)
    assert all(f["code"].startswith("clps-") or f["code"] == "limit-exceeded" for f in findings)
    assert all(f["offset"] is not None for f in errors), errors
    assert done.stderr == b""


@pytest.mark.parametrize("name", CASES)
def test_damage_in_a_pipe_is_told_too(name, tmp_path):
    data, named, delivered = CASES[name]
    done = run(tmp_path, "cat", "-", data=data)
    told = done.stderr.decode()
    if name == "size-huge":  # where a pipe ends is known only then
        assert set(done.stdout.splitlines()) == set(RECORDS)
        return
    assert done.status == (3 if delivered is None else 1), told
    assert re.search(named, told), told
    assert set(done.stdout.splitlines()) >= lines_of(delivered or ())
    verified = run(tmp_path, "verify", "--json", "-", data=data)
    assert verified.status == (3 if name == "no-magic" else 1)


# --- bombs

def with_tree(archive, plain):
    archive.edit("/schema_tree", lambda stored: plain, stored=True)


def bomb(name):
    """An archive with 1 GiB of one octet in a section, and what a message names."""
    archive = small()
    if name == "metadata":
        archive.edit("metadata", lambda stored: clps.zeros(1), stored=True)
    elif name.endswith(".dict"):
        archive.edit(name, lambda stored: stored[:8] + clps.zeros(1), stored=True)
    elif name.startswith("stream"):
        archive.edit("stream 1", lambda stored: clps.zeros(1), stored=True)
        if name == "stream told":
            archive.edit("/table_metadata", at(8 + 16 + 8, u64(1 << 30)))
    else:
        archive.edit(name, lambda stored: clps.zeros(1), stored=True)
    return archive.file()


@pytest.mark.parametrize("name", ["metadata", "/schema_tree", "/schema_ids", "/table_metadata", "/var.dict", "/log.dict", "/array.dict",
                                  "stream", "stream told"])
@pytest.mark.parametrize("pipe", [False, True], ids=["file", "pipe"])
def test_a_bomb_is_an_error_and_takes_little(name, pipe, tmp_path):
    data = bomb(name)
    assert len(data) < 40000
    path = tmp_path / "a.clps"
    path.write_bytes(data)
    for command in [["cat"], ["cat", "--table-order"], ["search", "*"], ["verify"], ["ls"]]:
        done = run(tmp_path, *command, *(["-"] if pipe else [path]), data=data if pipe else None)
        assert done.status in (1, 3), (command, done.stderr)
        told = (done.stderr + done.stdout).decode()
        assert re.search("metadata section|" + re.escape(name.split()[0].replace("stream", "/0")) + "|table 3", told), (command, told)


def test_a_list_of_schemas_that_would_take_much_memory_is_refused_before_it_does(tmp_path):
    archive = small().edit("/schema_ids", lambda plain: u64(2_000_000) + bytes(24_000_000))
    path = tmp_path / "a.clps"
    path.write_bytes(archive.file())
    done = run(tmp_path, "cat", path)
    assert (done.status, b"/schema_ids: 2000000 schemas would exceed the memory limit" in done.stderr) == (3, True), done.stderr


def test_lists_of_tables_and_nodes_likewise(tmp_path):
    for name, plain in [("/table_metadata", u64(0, 0, 1_000_000) + bytes(28_000_000)),
                        ("/table_metadata", u64(1_500_000) + bytes(24_000_016)),
                        ("/schema_tree", u64(1_900_000) + (clps.i32(-1) + u64(0) + u8(5)) * 1_900_000)]:
        path = tmp_path / "a.clps"
        path.write_bytes(small().edit(name, lambda _: plain).file())
        done = run(tmp_path, "cat", path)
        assert (done.status, b"would exceed the memory limit" in done.stderr) == (3, True), (name, done.stderr)


def wide(cells):
    """A record whose text takes its one variable, of a megabyte, so often."""
    archive = small()
    archive.variables[1] = b"x" * (1 << 20)
    archive.log_types[0] = b"\x12" * cells
    schema, _, columns = archive.streams[0][0]
    archive.streams[0][0] = (schema, 2, columns[:32] + clps.cells((0, 0), (0, 0)) + u64(cells) + u64(*[1] * cells) + columns[80:])
    return archive


def test_a_record_that_few_bytes_ask_to_be_long_is_lost_and_told(tmp_path):
    path = tmp_path / "a.clps"
    path.write_bytes(wide(20_000).file())
    for command in [["cat"], ["cat", "--threads", 2], ["search", "*"], ["verify"], ["search", "msg: *yx*"], ["search", "--unique", "msg", "*"]]:
        done = run(tmp_path, *command, path)
        assert done.status in (0, 1), (command, done.stderr)
        assert "--unique" in command or re.search(b"longer than a record may be|^$", done.stderr + done.stdout), (command, done.stderr)


def test_log_types_of_many_placeholders_count_against_the_memory(tmp_path):
    archive = small()
    archive.log_types = [b"\x11" * (1 << 20) + b"%d" % n for n in range(8)]
    schema, _, columns = archive.streams[0][0]
    rows = 8
    archive.streams[0][0] = (schema, rows, clps.deltas(*range(5, 5 + rows)) + bytes(8 * rows) + clps.cells(*[(n, 0) for n in range(rows)]) +
                             u64(1 << 20) + bytes(8 << 20) + clps.deltas(*[clps.MS * 10**6] * rows) + bytes(8 * rows))
    path = tmp_path / "a.clps"
    path.write_bytes(archive.file())
    for command in [["cat"], ["search", "*"]]:
        done = run(tmp_path, *command, path)
        assert done.status in (0, 1, 3)


# --- every byte

DATA = small().file()


@pytest.mark.parametrize("command", [["cat"], ["ls"], ["verify"], ["search", "*"]], ids=lambda command: command[0])
def test_cut_at_every_byte_no_command_loses_records_in_silence(command, tmp_path):
    path = tmp_path / "a.clps"
    whole = len(DATA)
    path.write_bytes(DATA)
    for size in range(whole - 1, 3, -1):
        os.truncate(path, size)
        done = fonds(*command, path)
        assert done.returncode in (1, 3), (size, done.stderr)
        told = (done.stderr + done.stdout).decode()
        assert "offset" in told, (size, told)
        if command[0] in ("cat", "search"):
            assert set(done.stdout.splitlines()) <= set(RECORDS)


def test_cut_pipes_are_told_too():
    for size in range(4, len(DATA), 7):
        done = fonds("cat", "-", input=DATA[:size])
        assert done.returncode in (1, 3), (size, done.stderr)
        assert set(done.stdout.splitlines()) <= set(RECORDS)


@pytest.mark.parametrize("flip", [0xFF, 0x01, 0x80])
def test_every_byte_changed_no_command_crashes(flip, tmp_path):
    path = tmp_path / "a.clps"
    commands = [["cat"], ["verify"], ["search", "msg: took* OR n > 2"], ["ls"]]
    for place in range(len(DATA)):
        path.write_bytes(DATA[:place] + bytes([DATA[place] ^ flip]) + DATA[place + 1:])
        done = fonds(*commands[place % len(commands)], path, timeout=10 * SECONDS)
        assert 0 <= done.returncode <= 3


def test_a_directory_that_lacks_a_file_says_so(tmp_path):
    for name in ["schema_ids", "table_metadata", "var.dict", "log.dict", "0"]:
        path = small().directory(tmp_path / name)
        (path / name).unlink()
        done = fonds("cat", path)
        assert done.returncode == 3 and f"the file {name} is missing".encode() in done.stderr, done.stderr
        verified = json_lines(fonds("verify", "--json", path).stdout)
        assert [f["code"] for f in verified[:-1]] == ["clps-members"]


def test_a_directory_whose_files_are_cut_is_told(tmp_path):
    for name in ["header", "schema_tree", "schema_ids", "table_metadata", "var.dict", "log.dict", "array.dict", "0"]:
        path = small().directory(tmp_path / name)
        os.truncate(path / name, (path / name).stat().st_size - 2)
        done = fonds("cat", path)
        assert done.returncode in (1, 3) and b"offset" in done.stderr, (name, done.stderr)
