"""`--no-search-data`, and what is there without it: ranges and dictionary entries by table. They change no answer, old readers pass over them, and what is not
true of them `verify` tells."""
import json
import random
import struct

import clps_builder as clps
import pytest
from clps_peer import cases, language, tool
from clps_write import generate
from clps_write.sections import Cursor, inflate
from clps_write.writer import Options, write
from program import fonds
from test_kql_properties import SEEDS, Corpus, difference, told

DATA, PLAIN = (), ("--no-search-data",)
RANGES, ENTRIES = 0x52, 0x46
RANGES_MAGIC, ENTRIES_MAGIC = b"fonds-r1", b"fonds-e1"
UNKNOWN = b"\xff\xff\xff\xff"


def lines(data):
    return data.split(b"\n")[:-1]


def packets(archive):
    """Type and payload of each packet of an archive."""
    data = archive.read_bytes()
    cursor = Cursor(inflate(data[64:64 + struct.unpack_from("<I", data, 56)[0]]))
    return [(cursor.take("B"), cursor.octets(cursor.take("I"))) for _ in range(cursor.take("B"))]


# --- answers ---

@pytest.fixture(scope="module", params=["0.5.0", "0.5.0 structurized", "0.4.1", "0.3.1"])
def pairs(request, tmp_path_factory):
    """Archives of a case's documents, without and with search data."""
    version, *structurized = request.param.split()
    folder, made = tmp_path_factory.mktemp("kql"), {}

    def of(case):
        key = case["docs"], case.get("timestamp_key")
        if key not in made:
            made[key] = [write(folder / f"{len(made)}-{len(more)}", [key[0]],
                               Options(version=version, structurize_arrays=bool(structurized), timestamp_key=key[1], min_table_size=1,
                                       more=more), cwd=cases.KQL) for more in (PLAIN, DATA)]
        return made[key]
    return of


@pytest.mark.parametrize("case", cases.CASES, ids=lambda case: case["id"])
def test_every_case_has_the_same_answer(case, pairs):
    options = cases.Options(case.get("args", [])).ours()
    for more in ((), ("--compat", "clp-s"), ("--count",)):
        if "--count" in more and "--projection" in case.get("args", []):
            continue
        plain, data = (fonds("search", *more, *options, case["query"], archive) for archive in pairs(case))
        assert (data.returncode, data.stdout) == (plain.returncode, plain.stdout), more


class OurCorpus(Corpus):
    """The documents of a seed as an archive of our own."""

    def archive(self, structurized):
        return write(self.folder / f"ours-{structurized}", [f"in-{number}.jsonl" for number in range(len(self.inputs))],
                     Options(timestamp_key=self.key, structurize_arrays=structurized, min_table_size=1, log_order=self.forms["log_order"],
                             more=DATA), cwd=self.folder)


@pytest.mark.parametrize("structurized", [False, True], ids=["default", "structurized"])
@pytest.mark.parametrize("seed", SEEDS)
def test_random_queries_find_what_the_naive_evaluator_finds(seed, structurized, tmp_path):
    corpus = OurCorpus(seed, tmp_path)
    archive, differences = corpus.archive(structurized), []
    assert {RANGES, ENTRIES} <= {kind for kind, _ in packets(archive)}
    assert fonds("verify", archive).returncode == 0
    given_back = lines(fonds("cat", archive).stdout)
    texts = [line.decode() for line in given_back]
    for asked in corpus.asked:
        if asked.options.projection:
            continue
        done = fonds("search", *asked.options.ours(), "--", asked.query, archive)
        try:
            found = cases.answer(asked.query, asked.options, texts, corpus.key, corpus.metadata)
        except language.QueryError:
            wanted = 2, []
        else:
            wanted = (0 if found else 1), [given_back[position] for position, _ in found]
        differences.append(difference(asked, wanted, done))
    differences = [one for one in differences if one]
    assert not differences, told(differences, len(corpus.asked))


# --- what is written ---

@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    path = tmp_path_factory.mktemp("texts") / "in.json"
    rng, shapes = random.Random(8), generate.Documents(random.Random(8), times=True).input(40)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(shapes)
        for n in range(4000):
            kind = rng.randrange(8)
            event = {f"n{kind}": n, "id": f"{rng.getrandbits(64):x}", "msg": f"kind {kind} took {rng.random():.3f} ms for u{n % 50}"}
            file.write(json.dumps(event | {"f": rng.random() * kind}) + "\n")
    return path


@pytest.mark.parametrize("version", ["0.5.0", "0.4.1"])
def test_all_else_is_as_without(texts, version, tmp_path):
    plain, data = (write(tmp_path / f"{len(more)}", [texts], Options(version=version, more=more)) for more in (PLAIN, DATA))
    usual = packets(plain)
    assert packets(data)[:len(usual)] == usual
    assert [kind for kind, _ in packets(data)[len(usual):]] == [RANGES, ENTRIES]
    metadata = [struct.unpack_from("<I", archive.read_bytes(), 56)[0] for archive in (plain, data)]
    assert data.read_bytes()[64 + metadata[1]:] == plain.read_bytes()[64 + metadata[0]:]
    assert fonds("cat", data).stdout == fonds("cat", plain).stdout
    verified = fonds("verify", "--against", texts, data)
    assert verified.returncode == 0, verified.stdout


def test_the_same_octets_for_any_number_of_threads(texts, tmp_path):
    made = [write(tmp_path / f"{threads}", [texts], Options(timestamp_key="ts", min_table_size=1, threads=threads, more=DATA)).read_bytes()
            for threads in (1, 2, 7)]
    assert made[0] == made[1] == made[2]


def test_clp_s_reads_and_searches_them(tmp_path):
    peer = tool.Tool()
    if peer.path is None:
        pytest.skip("yscope-clp-core is not installed")
    (tmp_path / "in.jsonl").write_text("".join(f'{{"n":{n},"level":"{"WARN" if n % 5 else "INFO"}","msg":"took {n} ms"}}\n' for n in range(50)))
    archive = write(tmp_path / "a", [tmp_path / "in.jsonl"], Options(more=DATA))
    assert sorted(lines(peer.decompress(archive))) == sorted(lines(fonds("cat", archive).stdout))
    for query, hits in [("n > 47", 2), ("level: INFO", 10), ('msg: "*took 7 ms*"', 1), ("n: 400", 0)]:
        assert len(peer.search(archive, query).lines) == hits, query


def test_tables_that_cannot_match_are_not_looked_at(tmp_path):
    """Their columns are damaged, which only a search that reads them would tell."""
    (tmp_path / "in.jsonl").write_text('{"n":5,"w":"one"}\n{"n":7,"w":"two"}\n')
    plain, data = (write(tmp_path / f"{len(more)}", [tmp_path / "in.jsonl"], Options(more=more)) for more in (PLAIN, DATA))
    for archive in (plain, data):
        octets = bytearray(archive.read_bytes())
        begin = octets.rindex(b"\x28\xb5\x2f\xfd")  # the frame of the last stream
        octets[begin + 4:] = b"\xff" * (len(octets) - begin - 4)
        archive.write_bytes(octets)
    for query in ("n: 8", "n < 5", "n: 8 and w: one"):
        done = fonds("search", query, data)
        assert (done.returncode, done.stdout, done.stderr) == (1, b"", b""), query
        assert fonds("search", query, plain).stderr != b"", query
    assert fonds("search", "n: 5", data).stderr != b""


# --- what is not so ---

def ranges(*tables):
    return RANGES_MAGIC + clps.u64(len(tables)) + b"".join(
        clps.u32(len(table)) + b"".join(clps.u32(column) + clps.u64(low, high) for column, low, high in table) for table in tables)


def entries(*sets):
    return ENTRIES_MAGIC + clps.u64(len(sets) // 2) + b"".join(UNKNOWN if one is None else clps.u32(len(one)) + one for one in sets)


NS = 10**6
TRUE_RANGES = [(0, 0, 2), (1, 1, 2), (3, clps.MS * NS, (clps.MS + 1220) * NS)], [(0, 1, 1), (1, 3, 3), (3, 7, 7)], [(0, 3, 3)], [(0, 4, 4)]
# v; id7; word; of runs (gap, length - 1)
TRUE_ENTRIES = b"\1\0", b"\0\1", b"\0\0", b"", b"\2\0", b"", b"", b""


def archive_with(tmp_path, *more):
    archive = clps.small()
    archive.packets = lambda usual: [*usual, *more]
    (tmp_path / "a.clps").write_bytes(archive.file())
    return tmp_path / "a.clps"


def codes(path):
    done = fonds("verify", "--json", path)
    return {finding["code"] for line in lines(done.stdout) for finding in findings(json.loads(line))}


def findings(value):
    if isinstance(value, dict):
        if "code" in value:
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from findings(part)


def test_what_is_true_is_no_finding(tmp_path):
    assert codes(archive_with(tmp_path, (RANGES, ranges(*TRUE_RANGES)), (ENTRIES, entries(*TRUE_ENTRIES)))) == set()


def test_more_than_there_is_may_be_told(tmp_path):
    wide = [[(0, 0, 100)], [(1, -7 & (1 << 64) - 1, 9)], [], []]
    assert codes(archive_with(tmp_path, (RANGES, ranges(*wide)), (ENTRIES, entries(*[b"\0\x7f", None] * 4)))) == set()


@pytest.mark.parametrize("table, column, low, high", [(0, 0, 1, 2), (0, 1, 1, 1), (0, 1, 2, 2), (1, 3, 8, 9), (0, 3, 0, clps.MS * NS)])
def test_a_range_that_is_not_so_is_told(tmp_path, table, column, low, high):
    lie = [[(column, low, high)] if number == table else [] for number in range(4)]
    assert codes(archive_with(tmp_path, (RANGES, ranges(*lie)))) == {"clps-search-data"}


@pytest.mark.parametrize("place, runs", [(0, b""), (0, b"\0\0"), (1, b"\0\0"), (2, b"\1\2"), (4, b"\0\1"), (4, b"\2"), (0, b"\x80")])
def test_entries_that_are_not_so_are_told(tmp_path, place, runs):
    lie = list(TRUE_ENTRIES)
    lie[place] = runs
    assert codes(archive_with(tmp_path, (ENTRIES, entries(*lie)))) == {"clps-search-data"}


QUERIES = ["n: 1", "n >= 2", "msg: *took*", "msg: *id7*", "w: word", "list.k: v", "f: 1.5", "g: 2", 't: "2024*"', "not n: 1", "*"]


def damaged_packets():
    good = [(RANGES, ranges(*TRUE_RANGES)), (ENTRIES, entries(*TRUE_ENTRIES))]
    for number, (kind, payload) in enumerate(good):
        for size in range(8, len(payload), 7):
            yield f"{kind:x} cut at {size}", [(kind, payload[:size])]
        yield f"{kind:x} longer", [(kind, payload + b"\0")]
        yield f"{kind:x} twice", [good[number], good[number]]
        yield f"{kind:x} many tables", [(kind, payload[:8] + clps.u64(1 << 60) + payload[16:])]
    yield "range of strings", [(RANGES, ranges([(2, 0, 1)], [], [], []))]
    yield "range of no column", [(RANGES, ranges([(9, 0, 1)], [], [], []))]
    yield "range that ends first", [(RANGES, ranges([(1, 9, 1)], [], [], []))]


@pytest.mark.parametrize("more", [pytest.param(more, id=name) for name, more in damaged_packets()])
def test_damaged_packets_are_told_and_change_nothing(more, tmp_path):
    path = archive_with(tmp_path, *more)
    assert codes(path) == {"clps-search-data"}
    assert lines(fonds("cat", path).stdout) == clps.RECORDS
    (tmp_path / "plain.clps").write_bytes(clps.small().file())
    for query in QUERIES:
        done, wanted = (fonds("search", query, one) for one in (path, tmp_path / "plain.clps"))
        assert (done.returncode, done.stdout) == (wanted.returncode, wanted.stdout), query


def test_packets_of_others_with_these_types_are_passed_over(tmp_path):
    assert codes(archive_with(tmp_path, (RANGES, b"anything"), (ENTRIES, b""))) == set()


@pytest.mark.parametrize("seed", range(4))
def test_any_octets_are_told_or_change_nothing(seed, tmp_path):
    """An archive that passes has the right answers."""
    rng = random.Random(seed)
    (tmp_path / "plain.clps").write_bytes(clps.small().file())
    wanted = {query: fonds("search", query, tmp_path / "plain.clps").stdout for query in QUERIES}
    for _ in range(25):
        more = [(RANGES, bytearray(ranges(*TRUE_RANGES))), (ENTRIES, bytearray(entries(*TRUE_ENTRIES)))]
        for _, payload in more:
            for _ in range(rng.randrange(3)):
                payload[rng.randrange(16, len(payload))] = rng.choice([0, 1, 2, 0x7F, 0x80, 0xFF, rng.randrange(256)])
        path = archive_with(tmp_path, *((kind, bytes(payload)) for kind, payload in more))
        status = fonds("verify", path).returncode
        assert status in (0, 1)
        for query in QUERIES:
            done = fonds("search", query, path)
            assert done.returncode in (0, 1)
            assert status == 1 or done.stdout == wanted[query], (query, more)
