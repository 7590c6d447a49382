"""What each command asks of a server: how many requests, and how many bytes they bring. The table of the manual says the same."""
import gzip
import json
import random
import re
import shutil

import pytest

from program import FIXTURES, ROOT, fonds, json_lines
from remote.fault_proxy import FaultProxy
from remote.nginx import Nginx, program

pytestmark = pytest.mark.skipif(program() is None, reason="needs nginx")
PAGE = ROOT / "docs/how-to/read-from-a-server.md"
FIRST = 64 << 10  # what opening an archive brings
BEHIND = 4096     # what comes along behind a record whose length an index tells
CHECKPOINTED = FIXTURES / "checkpoint/0000tw-00.warc.gz"


def used(done):
    """Requests and bytes that `--verbose` tells of."""
    found = re.search(rb"(\d+) requests, (\d+) bytes fetched", done.stderr)
    return int(found[1]), int(found[2])


def asked(*command):
    """The finished process, its requests and bytes."""
    done = fonds(*command, "--verbose")
    return (done, *used(done))


def records(rng, count):
    for number in range(count):
        block = rng.randbytes(rng.randrange(60_000))
        yield (b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:%d>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
               b"WARC-Target-URI: http://a.example/%d\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n"
               % (number, number, len(block), block))


def make_web(folder):
    """One crawl of 6 MB, stored in several ways, each with its CDXJ."""
    (folder / "crawl.warc").write_bytes(b"".join(records(random.Random(11), 200)))
    plain = folder / "crawl.warc"
    assert fonds("convert", "--compression", "gzip", "-o", folder / "crawl.warc.gz", plain).returncode == 0
    assert fonds("train", "-o", folder / "dictionary", plain).returncode == 0
    assert fonds("convert", "--compression", "zstd", "--dictionary", folder / "dictionary", "-o", folder / "crawl.warc.zst", plain).returncode == 0
    assert (folder / "crawl.warc.zst").read_bytes().startswith(b"\x5d\x2a\x4d\x18")
    (folder / "crawl.joined.warc.gz").write_bytes(3 * (folder / "crawl.warc.gz").read_bytes())
    for name in ("crawl.warc", "crawl.warc.gz", "crawl.warc.zst"):
        assert fonds("index", folder / name, "-o", folder / f"{name}.cdxj").returncode == 0
    assert fonds("index", "--type", "zipnum", "--block-lines", "20", folder / "crawl.warc.gz", "-o", folder / "zip.idx").returncode == 0


def make_long_index(folder):
    """The CDXJ of the crawl among 120 000 lines of others: 20 MB."""
    lines = (folder / "crawl.warc.gz.cdxj").read_text().splitlines()
    rest = '20200101000000 {"url": "http://x.example/", "mime": "text/html", "status": "200", "offset": "1", "length": "2", "filename": "other.warc.gz"}'
    lines += [f"example,a)/{number:06d}/{'x' * (number % 40)} {rest}" for number in range(60_000)]
    lines += [f"org,example,z)/{number:06d} {rest}" for number in range(60_000)]
    (folder / "long.cdxj").write_text("\n".join(sorted(lines)) + "\n")


def make_logs(folder):
    """Ten archives of events, each with a time range of its own, and one that takes more than opening brings."""
    rng = random.Random(3)
    (folder / "logs").mkdir()
    for archive in range(10):
        events = "".join(json.dumps({"ts": 1_700_000_000_000 + archive * 1_000_000 + n, "level": rng.choice(("INFO", "WARN")),
                                     "message": f"request {rng.randrange(10**9)} of {rng.randbytes(12).hex()} took {n} ms"}) + "\n" for n in range(800))
        source = folder / "in.jsonl"
        source.write_text(events)
        assert fonds("convert", "--to", "clp-s", "--timestamp-key", "ts", "-o", folder / f"logs/{archive}.clps", source).returncode == 0
    source.write_text("".join(json.dumps({"ts": n, "id": rng.randbytes(40).hex(), "n": n, "message": f"word{n % 7} {rng.randbytes(20).hex()}"}) + "\n"
                              for n in range(30_000)))
    assert fonds("convert", "--to", "clp-s", "--timestamp-key", "ts", "-o", folder / "large.clps", source).returncode == 0
    source.write_text("".join(json.dumps({"ts": n, rng.randbytes(40).hex(): n}) + "\n" for n in range(3000)))
    assert fonds("convert", "--to", "clp-s", "--timestamp-key", "ts", "-o", folder / "wide.clps", source).returncode == 0
    source.write_text("".join(json.dumps({"n": 2 * n, f"of{n % 6}": n}) + "\n" for n in range(600_000)))
    assert fonds("convert", "--to", "clp-s", "-o", folder / "tables.clps", source).returncode == 0


def make_items(folder):
    (folder / "items").mkdir()
    rng = random.Random(4)
    for number in range(30):
        (folder / f"items/{number}").write_bytes(rng.randbytes(30_000))
    (folder / "trailer").write_bytes(b"the end" * 100)
    assert fonds("create", "--trailer", folder / "trailer", "-o", folder / "items.rio", *(folder / f"items/{n}" for n in range(30))).returncode == 0


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("objects")
    make_web(folder)
    make_long_index(folder)
    make_logs(folder)
    make_items(folder)
    shutil.copy(CHECKPOINTED, folder)
    nginx = Nginx(tmp_path_factory.mktemp("nginx"), folder)
    nginx.root = folder
    yield nginx
    nginx.stop()


@pytest.fixture
def elsewhere(server, tmp_path):
    """A folder without archives: what lies in it is no companion."""
    def copy(name):
        return shutil.copy(server.root / name, tmp_path / name)
    return copy


def listed(server, name):
    return json_lines(fonds("ls", "--json", "--no-index", server.root / name).stdout)


def offset_and_length(server, name, number):
    lines = listed(server, name)
    return lines[number]["offset"], lines[number + 1]["offset"] - lines[number]["offset"]


# --- single records ---

@pytest.mark.parametrize("name", ["crawl.warc", "crawl.warc.gz"])
@pytest.mark.parametrize("number", [1, 57, 120, 198])
def test_a_record_by_its_offset_is_one_range(server, name, number):
    offset, length = offset_and_length(server, name, number)
    wanted = fonds("cat", server.root / name, f"offset:{offset}").stdout
    done, requests, size = asked("cat", server.url(name), f"offset:{offset}")
    assert done.stdout == wanted and done.returncode == 0
    assert (requests, size) == (1, min(FIRST, (server.root / name).stat().st_size - offset)), length


@pytest.mark.parametrize("name", ["crawl.warc", "crawl.warc.gz"])
@pytest.mark.parametrize("number", [1, 57, 120, 198])
def test_a_record_by_an_index_on_this_machine_is_one_range_of_its_length(server, elsewhere, name, number):
    _, length = offset_and_length(server, name, number)
    key = f"uri:http://a.example/{listed(server, name)[number]['uri'].rsplit('/', 1)[1]}"
    wanted = fonds("cat", server.root / name, key).stdout
    done, requests, size = asked("cat", "--index", elsewhere(f"{name}.cdxj"), server.url(name), key)
    assert done.stdout == wanted and done.returncode == 0
    assert requests == 1 and size <= length + BEHIND


def test_each_further_record_is_one_range_more(server, elsewhere):
    lines = listed(server, "crawl.warc.gz")
    keys = [f"uri:{lines[n]['uri']}" for n in (150, 3, 77, 40)]
    wanted = fonds("cat", server.root / "crawl.warc.gz", *keys).stdout
    done, requests, size = asked("cat", "--index", elsewhere("crawl.warc.gz.cdxj"), server.url("crawl.warc.gz"), *keys)
    assert done.stdout == wanted
    assert requests == len(keys) and size <= sum(lines[n + 1]["offset"] - lines[n]["offset"] + BEHIND for n in (150, 3, 77, 40))


def test_a_dictionary_is_a_second_range(server, elsewhere):
    _, length = offset_and_length(server, "crawl.warc.zst", 57)
    key = f"uri:{listed(server, 'crawl.warc.zst')[57]['uri']}"
    done, requests, size = asked("cat", "--index", elsewhere("crawl.warc.zst.cdxj"), server.url("crawl.warc.zst"), key)
    assert done.stdout == fonds("cat", server.root / "crawl.warc.zst", key).stdout
    dictionary = int.from_bytes((server.root / "crawl.warc.zst").read_bytes()[4:8], "little") + 8
    assert requests <= 4 and size <= length + BEHIND + dictionary + 5 * FIRST


def test_an_index_beside_the_archive_is_looked_for_when_a_key_needs_it(server):
    line = listed(server, "crawl.warc.gz")[57]
    _, length = offset_and_length(server, "crawl.warc.gz", 57)
    index = (server.root / "crawl.warc.gz.cdxj").stat().st_size
    done, requests, size = asked("cat", server.url("crawl.warc.gz"), f"uri:{line['uri']}")
    assert done.stdout == fonds("cat", server.root / "crawl.warc.gz", f"uri:{line['uri']}").stdout
    assert requests == 2 and size <= min(index, FIRST) + length + BEHIND
    _, requests, _ = asked("cat", server.url("crawl.warc.gz"), f"offset:{line['offset']}")
    assert requests == 1  # which needs none


def test_a_long_index_at_a_url_is_searched_by_halves(server):
    size_of_index = (server.root / "long.cdxj").stat().st_size
    assert size_of_index > 100 * FIRST
    for number in (1, 57, 198):
        _, length = offset_and_length(server, "crawl.warc.gz", number)
        key = f"uri:{listed(server, 'crawl.warc.gz')[number]['uri']}"
        done, requests, size = asked("cat", "--index", server.url("long.cdxj"), server.url("crawl.warc.gz"), key)
        assert done.stdout == fonds("cat", server.root / "crawl.warc.gz", key).stdout and done.returncode == 0
        # Opening, the end, a probe of 8 KiB a half, the last 64 KiB, the record.
        halves = (size_of_index // FIRST).bit_length()
        assert requests <= halves + 5 and size <= length + BEHIND + 3 * FIRST + (halves + 1) * 8192


def test_blocks_of_a_zipnum_are_one_range_each(server):
    _, length = offset_and_length(server, "crawl.warc.gz", 57)
    key = f"uri:{listed(server, 'crawl.warc.gz')[57]['uri']}"
    blocks = (server.root / "zip.cdx.gz").stat().st_size
    done, requests, size = asked("cat", "--index", server.url("zip.idx"), server.url("crawl.warc.gz"), key)
    assert done.stdout == fonds("cat", server.root / "crawl.warc.gz", key).stdout and done.returncode == 0
    assert requests <= 4 and size <= length + BEHIND + (server.root / "zip.idx").stat().st_size + blocks


def test_an_index_that_leads_elsewhere_changes_no_answer(server, tmp_path):
    """Wrong lengths and wrong offsets cost requests, and never a byte of the answer."""
    line = listed(server, "crawl.warc.gz")[57]
    text = (server.root / "crawl.warc.gz.cdxj").read_text()
    wanted = fonds("cat", server.root / "crawl.warc.gz", f"uri:{line['uri']}").stdout
    entry = next(row for row in text.splitlines() if f'"{line["uri"]}"' in row)
    length = re.search(r'"length": "?(\d+)', entry)[1]
    for change in (lambda row: row.replace(length, "1"), lambda row: row.replace(length, "99999999"), lambda row: row.replace(str(line["offset"]), "17"),
                   lambda row: row.replace(str(line["offset"]), "99999999")):
        (tmp_path / "x.cdxj").write_text(text.replace(entry, change(entry)))
        assert change(entry) != entry
        done = fonds("cat", "--index", tmp_path / "x.cdxj", server.url("crawl.warc.gz"), f"uri:{line['uri']}")
        assert done.stdout == wanted and done.returncode == 0, done.stderr


def test_a_record_of_several_members_is_given_whole(server):
    """Its first member alone is not the record."""
    data = b"".join(records(random.Random(12), 5))
    cut = data.index(b"WARC/1.0", 10)
    folder = server.root / "several"
    folder.mkdir()
    (folder / "a.warc.gz").write_bytes(gzip.compress(data[:cut]) + gzip.compress(data[cut: cut + 700]) + gzip.compress(data[cut + 700:]))
    offset = len(gzip.compress(data[:cut]))
    wanted = fonds("cat", folder / "a.warc.gz", f"offset:{offset}").stdout
    assert wanted and fonds("cat", server.url("several/a.warc.gz"), f"offset:{offset}").stdout == wanted


def test_keys_behind_the_end_or_of_nothing_are_not_found(server):
    for key in ("offset:999999999", "offset:1", "uri:http://nowhere.example/"):
        local, remote = fonds("cat", server.root / "crawl.warc.gz", key), fonds("cat", server.url("crawl.warc.gz"), key)
        assert (remote.returncode, remote.stdout) == (local.returncode, local.stdout) == (1, b""), (key, remote.stderr)


def test_a_document_by_checkpoints_is_one_range(server):
    companion = f"{CHECKPOINTED}.chk.lz4"
    size_of_archive = CHECKPOINTED.stat().st_size
    ids = [line["trec_id"] for line in listed(server, CHECKPOINTED.name) if "trec_id" in line]
    for document in ids[5::40]:
        wanted = fonds("cat", CHECKPOINTED, f"id:{document}").stdout
        done, requests, size = asked("cat", "--index", companion, server.url(CHECKPOINTED.name), f"id:{document}")
        assert done.stdout == wanted and done.returncode == 0
        assert requests <= 6 and size <= size_of_archive


# --- containers ---

def test_the_trailer_of_recordio_is_one_range(server):
    done, requests, size = asked("cat", "--trailer", server.url("items.rio"))
    assert done.stdout == (server.root / "trailer").read_bytes()
    assert requests == 2 and size <= 2 * FIRST


@pytest.mark.parametrize("name,most", [("logs/3.clps", 1), ("large.clps", 1), ("wide.clps", 2)])
def test_info_of_clp_s_reads_the_front(server, name, most):
    done, requests, size = asked("info", "--json", server.url(name))
    local = json.loads(fonds("info", "--json", server.root / name).stdout)
    assert json.loads(done.stdout) | {"archive": ""} == local | {"archive": "", "companions": []}
    front = next(offset + length for section, offset, length in local["clp_s"]["sections"] if section == "/table_metadata")
    assert requests == most and size <= max(FIRST, front)


@pytest.mark.parametrize("query", ["nosuchkey: 1", 'ts >= timestamp("2030-01-01T00:00:00.000Z")'])
@pytest.mark.parametrize("name", ["large.clps", "wide.clps"])
def test_a_search_that_can_find_nothing_reads_the_front(server, query, name):
    done, requests, size = asked("search", query, server.url(name))
    assert done.returncode == 1 and not done.stdout
    sections = {section: offset + length for section, offset, length in json.loads(fonds("info", "--json", server.root / name).stdout)["clp_s"]["sections"]}
    assert requests == (1 if sections["/table_metadata"] <= FIRST else 2) and size <= max(FIRST, sections["/table_metadata"])


def test_a_search_reads_what_it_needs(server):
    """The bytes of an archive once at most, and of another column nothing."""
    sections = {name: (offset, length) for name, offset, length in json.loads(fonds("info", "--json", server.root / "large.clps").stdout)["clp_s"]["sections"]}
    whole = (server.root / "large.clps").stat().st_size
    strings = sections["/var.dict"][1]
    assert strings > whole / 2
    for query, most in ((["--count", "n: 17"], whole - strings + FIRST), (["n: 17"], whole), (['message: "word3 *"'], whole)):
        done, requests, size = asked("search", *query, server.url("large.clps"))
        local = fonds("search", *query, server.root / "large.clps").stdout
        assert done.stdout.replace(server.url("large.clps").encode(), b"") == local.replace(bytes(server.root / "large.clps"), b"") and local
        assert requests <= 6 and size <= most, (query, requests, size, sections)


def urls_of(server, names):
    return [server.url(name) for name in names]


def test_searches_of_many_archives_wait_for_their_requests_together(server):
    """A proxy keeps the first replies back until requests for others are there; one after the other would never end."""
    names = [f"logs/{n}.clps" for n in range(10)]
    proxy = FaultProxy("127.0.0.1", server.port, wait_for=4)
    try:
        done, requests, _ = asked("search", "--count", "nosuchkey: 1", *[proxy.url(name) for name in names])
    finally:
        proxy.stop()
    assert done.returncode == 1 and requests <= 2 * len(names) and not proxy.waited_in_vain
    assert [line.rsplit(b":", 1)[1] for line in done.stdout.splitlines()] == [b"0"] * len(names)


def test_answers_of_many_archives_come_in_their_order(server):
    names = [f"logs/{n}.clps" for n in (4, 1, 9, 0, 3, 2, 8, 5, 7, 6)]
    wanted = fonds("search", "level: WARN", *[server.root / name for name in names])
    done = fonds("search", "level: WARN", *urls_of(server, names))
    assert done.stdout == wanted.stdout and done.returncode == 0
    missing = fonds("search", "--count", "level: WARN", "--tries", "1", server.url(names[0]), server.url("logs/none"), server.url(names[1]))
    assert missing.returncode == 3 and len(missing.stdout.splitlines()) == 2 and b"logs/none" in missing.stderr


def test_reading_everything_fetches_everything_once(server):
    for name in ("crawl.warc", "crawl.warc.gz", "crawl.warc.zst"):
        done, requests, size = asked("ls", "--full", server.url(name))
        assert size == (server.root / name).stat().st_size and requests <= 20, name


def test_an_index_that_would_help_is_one_that_can_be_made(server, tmp_path):
    url = server.url("crawl.warc")
    done = fonds("cat", "--no-index", url, "uri:http://a.example/7")
    hint = re.search(rb"`(fonds index --type cdxj -o FILE .*)` makes an index that would make it direct, if it lay beside it\n", done.stderr)
    assert done.returncode == 0 and hint, done.stderr
    words = hint[1].decode().replace("FILE", str(tmp_path / "made.cdxj")).split()[1:]
    assert fonds(*words).returncode == 0
    assert (tmp_path / "made.cdxj").read_bytes() == (server.root / "crawl.warc.cdxj").read_bytes()


def test_a_scan_has_much_on_its_way_from_its_second_request_on(server):
    """A proxy keeps all replies but the first back until three more requests are there; one after the other would never end."""
    proxy = FaultProxy("127.0.0.1", server.port, wait_for=4, at_once=1)
    try:
        done, requests, size = asked("ls", "--full", proxy.url("crawl.joined.warc.gz"))
    finally:
        proxy.stop()
    stored = (server.root / "crawl.joined.warc.gz").stat().st_size
    assert stored > 3 * (4 << 20) and not proxy.waited_in_vain
    assert done.stdout == fonds("ls", "--full", server.root / "crawl.joined.warc.gz").stdout
    assert size == stored and requests == 2 + (stored - FIRST) // (4 << 20)


def test_what_stops_early_does_not_have_much_on_its_way(server):
    done, requests, size = asked("ls", "--limit", "1", server.url("crawl.joined.warc.gz"))
    assert done.returncode == 0 and requests <= 2 and size <= 6 * FIRST


@pytest.mark.parametrize("threads", ["1", "2"])
def test_a_search_asks_for_its_streams_together(server, threads):
    """The front, then all streams and no dictionary: of a number that lies between those that are there."""
    streams = json.loads(fonds("info", "--json", server.root / "tables.clps").stdout)["clp_s"]["streams"]
    assert streams >= 4
    proxy = FaultProxy("127.0.0.1", server.port, wait_for=1 + streams, at_once=1)
    try:
        done, requests, _ = asked("search", "--threads", threads, "n: 100007", proxy.url("tables.clps"))
    finally:
        proxy.stop()
    assert done.returncode == 1 and not done.stdout and not proxy.waited_in_vain
    assert requests == 1 + streams


# --- the table of the manual ---

def test_the_table_of_the_manual(server, elsewhere):
    """Each row is run: a number of requests is met just so, one behind "up to" is not exceeded. So are the bytes."""
    line = listed(server, "crawl.warc.gz")[57]
    key = f"uri:{line['uri']}"
    document = [record["trec_id"] for record in listed(server, CHECKPOINTED.name) if "trec_id" in record][45]
    commands = {
        "cat URL offset:N": ["cat", server.url("crawl.warc.gz"), f"offset:{line['offset']}"],
        "cat --index FILE.cdxj URL uri:X": ["cat", "--index", elsewhere("crawl.warc.gz.cdxj"), server.url("crawl.warc.gz"), key],
        "cat URL uri:X, URL.cdxj of up to 64 KiB beside it": ["cat", server.url("crawl.warc.gz"), key],
        "cat --index URL.cdxj URL uri:X, an index of 20 MB": ["cat", "--index", server.url("long.cdxj"), server.url("crawl.warc.gz"), key],
        "cat --index URL.idx URL uri:X (ZipNum)": ["cat", "--index", server.url("zip.idx"), server.url("crawl.warc.gz"), key],
        "the same of a Zstandard archive with a dictionary": ["cat", "--index", elsewhere("crawl.warc.zst.cdxj"), server.url("crawl.warc.zst"), key],
        "cat --index FILE.chk.lz4 URL id:X": ["cat", "--index", f"{CHECKPOINTED}.chk.lz4", server.url(CHECKPOINTED.name), f"id:{document}"],
        "cat --trailer URL (RecordIO)": ["cat", "--trailer", server.url("items.rio")],
        "info URL (WARC)": ["info", server.url("crawl.warc.gz")],
        "info URL (clp-s)": ["info", server.url("wide.clps")],
        "search QUERY URL (clp-s), a key or a time that the archive does not have": ["search", "nosuchkey: 1", server.url("wide.clps")],
    }
    def size_of(name):
        return (server.root / name).stat().st_size
    record = line["stored_length"] + BEHIND
    zstd = listed(server, "crawl.warc.zst")[57]["stored_length"] + BEHIND
    least_and_most = {
        "64 KiB": (FIRST, FIRST),
        "the record, and 4 KiB behind it": (record, record),
        "the index, the record": (size_of("crawl.warc.gz.cdxj") + record,) * 2,
        "68 KiB of its ends, 8 KiB for each half, 64 KiB where that ends, the record": (FIRST + 4096 + record, 2 * FIRST + 4096 + 12 * 8192 + record),
        "the secondary index as above, a block, the record": (size_of("zip.idx") + record + 1, size_of("zip.idx") + FIRST + record),
        "the record, 320 KiB in front for the dictionary, 256 KiB behind the record": (zstd + size_of("dictionary"), zstd + 9 * FIRST),
        "what recognizes the archive, and from one checkpoint to the next": (FIRST, size_of(CHECKPOINTED.name) * 2 // 3),
        "the first and the last 64 KiB": (2 * FIRST, 2 * FIRST),
        "64 KiB, or the first two records if they are longer": (FIRST, FIRST),
        "header and metadata, up to the tables'": (FIRST, size_of("wide.clps") - 1),
    }
    least_and_most["the same"] = least_and_most["header and metadata, up to the tables'"]
    rows = [[cell.strip().replace("`", "") for cell in row.split("|")[1:-1]] for row in PAGE.read_text().splitlines() if row.startswith("| ")]
    told = {row[0]: row[1:] for row in rows if len(row) == 3 and re.fullmatch(r"(up to )?\d+", row[1])}
    assert told.keys() == commands.keys()
    for words, command in commands.items():
        _, requests, size = asked(*command)
        number = int(told[words][0].split()[-1])
        assert requests == number if told[words][0].isdigit() else 0 < requests <= number, (words, requests)
        least, most = least_and_most[told[words][1]]
        assert least <= size <= most, (words, size)
