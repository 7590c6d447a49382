"""`convert --to clp-s` of web archives: a catalog that says of each record what `ls` says, and where `cat` finds it."""
import gzip
import json
import random
import shutil

import pytest
from clps_peer import tool
from clps_write import peers
from clps_write.writer import Options, came_back
from program import ROOT, codes, fonds, json_lines, ls, verify

OWN = ROOT / "tests/data/warc/own"
ZST = ROOT / "tests/data/warc-zst"
PLAIN = ("gz-per-record.warc.gz", "gz-two-per-member.warc.gz", "arc-v1.arc.gz", "arc-v2.arc", "dates.warc", "header-repeat.warc",
         "header-non-utf8.warc", "gz-single-member.warc.gz", "http-chunked.warc")


def catalog(out, *inputs, **run):
    """Makes a catalog that must succeed; its events."""
    done = fonds("convert", "--no-progress", "--to", "clp-s", "-o", out, *inputs, **run)
    assert done.returncode == 0, done.stderr
    return events(out)


def events(archive):
    return [json.loads(line) for line in fonds("cat", archive).stdout.split(b"\n")[:-1]]


def grouped(pairs):
    """An object of fields; those that are repeated have a list."""
    fields = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in fields.items()}


def as_event(listed):
    """What `ls` says of a record, in the shape of an event."""
    event = {name: value for name, value in listed.items() if name not in ("header_length", "headers")}
    event["key"] = f"offset:{listed['offset']}" + (f"+{listed['inner']}" if "inner" in listed else "")
    return {**event, "headers": grouped(listed["headers"])} if listed["headers"] else event


def says(event, wanted):
    """The part of an event that `wanted` speaks of."""
    return {name: says(event[name], value) if name == "http" else event[name] for name, value in wanted.items() if name in event}


@pytest.mark.parametrize("name", [path.name for path in sorted(OWN.iterdir()) if "arc" in path.name])
def test_an_event_says_what_ls_says(name, tmp_path):
    listed, status = ls(OWN / name, "--headers")
    done = fonds("convert", "--no-progress", "--to", "clp-s", "-o", tmp_path / "out", OWN / name)
    assert done.returncode == status, done.stderr
    found = events(tmp_path / "out")
    assert len(found) == len(listed)
    for event, record in zip(found, listed):
        wanted = as_event(record)
        assert says(event, wanted) == wanted


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    """Large enough to be read by several threads."""
    rng, out = random.Random(11), tmp_path_factory.mktemp("crawl") / "crawl.warc.gz"
    with open(out, "wb") as file:
        for number in range(1500):
            body = rng.randbytes(rng.choice((10, 2000, 4000)))
            http = (f"HTTP/1.1 {rng.choice((200, 200, 301, 404))} OK\r\nServer: s{number % 3}\r\nContent-Type: text/html; charset=x\r\n"
                    f"Set-Cookie: a={number}\r\nset-cookie: b=1\r\n\r\n").encode() + body
            head = (f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{rng.getrandbits(128):032x}>\r\n"
                    f"WARC-Date: 2024-03-{number // 60 + 1:02}T{number % 24:02}:00:00Z\r\nWARC-Target-URI: http://h{number % 7}.example/{number}\r\n"
                    f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n").encode()
            file.write(gzip.compress(head + http + b"\r\n\r\n", 1, mtime=0))
    assert out.stat().st_size > 2 << 20
    return out


@pytest.mark.parametrize("options", [(), ("--directory",), ("--target-encoded-size", "100K"), ("--structurize-arrays",)], ids=" ".join)
def test_the_same_octets_for_any_number_of_threads(crawl, options, tmp_path):
    made = {}
    for threads in (1, 2, 7):
        folder = tmp_path / str(threads)
        folder.mkdir()
        done = fonds("convert", "--no-progress", "--to", "clp-s", "--threads", threads, *options, "-o", folder / "out", crawl, OWN / "arc-v1.arc")
        assert done.returncode == 0, done.stderr
        made[threads] = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert made[1] == made[2] == made[7]


@pytest.mark.skipif(tool.binary() is None, reason="the real clp-s is not here")
@pytest.mark.parametrize("options", [Options(timestamp_key="date"), Options(version="0.4.1", timestamp_key="date"),
                                     Options(single_file=False, structurize_arrays=True, timestamp_key="date")], ids=str)
def test_the_real_clp_s_reads_it_back(options, tmp_path):
    done = fonds("convert", "--no-progress", *options.words(), "-o", tmp_path / "out", *(OWN / name for name in PLAIN))
    assert done.returncode == 0, done.stderr
    peers.decompressed_alike(tmp_path / "out", options, came_back(fonds("cat", tmp_path / "out").stdout))


@pytest.mark.skipif(tool.binary() is None, reason="the real clp-s is not here")
def test_the_real_clp_s_finds_the_same(crawl, tmp_path):
    catalog(tmp_path / "out", crawl)
    for query in ("http.status: 404", "uri: *h3.example*", 'type: response AND index < 17', "http.content_type: text*", "date: *"):
        wanted = came_back(fonds("search", query, tmp_path / "out").stdout)
        found = came_back(b"".join(line + b"\n" for line in tool.Tool(tool.binary()).search(tmp_path / "out", query).lines))
        assert peers.any_order(found) == peers.any_order(wanted), query
        assert wanted, query


@pytest.mark.parametrize("name", PLAIN)
def test_cat_fetches_what_an_event_names(name, tmp_path):
    for number, event in enumerate(catalog(tmp_path / "out", OWN / name)):
        record = fonds("cat", event["archive"], event["key"])
        assert record.returncode == 0, record.stderr
        assert record.stdout == fonds("cat", OWN / name, f"index:{number}").stdout


def test_every_container_of_web_archives(tmp_path):
    paths = [OWN / "arc-v1.arc", OWN / "arc-v1.arc.gz", OWN / "gz-per-record.warc.gz", *sorted(ZST.glob("ok-dict*.warc.zst"))[:2], OWN / "bz2-whole.warc.bz2"]
    done = fonds("convert", "--no-progress", "--to", "clp-s", "-o", tmp_path / "out", *paths)
    assert done.returncode == 0, done.stderr
    assert [(e["archive"], e["index"]) for e in events(tmp_path / "out")] == [(str(p), r["index"]) for p in paths for r in ls(p)[0]]


def test_directories_lists_and_names(tmp_path):
    folder = tmp_path / "crawls" / "a"
    folder.mkdir(parents=True)
    for name in ("arc-v1.arc", "gz-per-record.warc.gz"):
        shutil.copy(OWN / name, folder)
    found = catalog(tmp_path / "out", folder, "--remove-path-prefix", tmp_path, "--remove-leading-slash")
    assert {e["archive"] for e in found} == {"crawls/a/arc-v1.arc", "crawls/a/gz-per-record.warc.gz"}
    (tmp_path / "list").write_text(f"{folder / 'arc-v1.arc'}\n")
    assert {e["archive"] for e in catalog(tmp_path / "listed", "--files-from", tmp_path / "list")} == {str(folder / "arc-v1.arc")}


def test_indexes_beside_archives_are_no_inputs(tmp_path):
    shutil.copy(OWN / "gz-single-member.warc.gz", tmp_path / "a.warc.gz")
    for kind in ("cdxj", "cdx11", "gzidx"):
        made = fonds("index", "--type", kind, "a.warc.gz", cwd=tmp_path)
        assert made.returncode == 0, made.stderr
    assert len(list(tmp_path.iterdir())) == 4
    found = catalog(tmp_path.parent / f"{tmp_path.name}.out", tmp_path)
    assert {e["archive"] for e in found} == {str(tmp_path / "a.warc.gz")}
    done = fonds("verify", "--against", tmp_path, tmp_path.parent / f"{tmp_path.name}.out")
    assert done.returncode == 0 and b"no events" not in done.stdout


def test_a_pipe_to_a_pipe():
    given = (OWN / "gz-per-record.warc.gz").read_bytes()
    made = fonds("convert", "--no-progress", "--to", "clp-s", "-o", "-", "-", input=given)
    assert made.returncode == 0, made.stderr
    found = json_lines(fonds("cat", "-", input=made.stdout).stdout)
    wanted = json_lines(fonds("ls", "--json", "-", input=given).stdout)
    assert [(e["archive"], e["key"], e["type"]) for e in found] == [("-", f"offset:{r['offset']}", r["type"]) for r in wanted]


def test_beside_logs(tmp_path):
    (tmp_path / "log.json").write_text('{"date":"2024-01-01T00:00:00Z","a":1}\n')
    found = catalog(tmp_path / "out", OWN / "arc-v1.arc", tmp_path / "log.json")
    assert found[-1] == {"date": "2024-01-01T00:00:00Z", "a": 1} and len(found) == 5


def test_dates_are_times(crawl, tmp_path):
    catalog(tmp_path / "out", crawl)
    days = [line.split("\t") for line in fonds("search", "*", "--count-by-time", "1d", tmp_path / "out").stdout.decode().splitlines()]
    assert [int(count) for _, count in days] == [60] * 25
    count = fonds("search", "*", "--count", "--since", "2024-03-02", "--until", "2024-03-03T23:00:00Z", tmp_path / "out").stdout
    assert int(count) == 120
    other = catalog(tmp_path / "other", "--timestamp-key", "headers.WARC-Date", crawl)
    assert other == events(tmp_path / "out")


DAMAGED = ("gz-truncated-last.warc.gz", "gz-bad-deflate.warc.gz", "truncated-block.warc", "arc-truncated.arc", "truncated-header.warc")


@pytest.mark.parametrize("name", DAMAGED)
def test_what_is_readable_of_a_damaged_archive_goes_in(name, tmp_path):
    listed, status = ls(OWN / name)
    done = fonds("convert", "--no-progress", "--to", "clp-s", "-o", tmp_path / "out", OWN / name)
    assert done.returncode == status == 1
    told = {line for line in fonds("ls", OWN / name).stderr.splitlines() if line.startswith(b"error")}
    assert told <= set(done.stderr.splitlines())
    found = events(tmp_path / "out")
    assert [(e["key"], codes(e)) for e in found] == [(f"offset:{r['offset']}", codes(r)) for r in listed]


@pytest.mark.parametrize("name", DAMAGED)
def test_strict_stops_at_damage_and_names_the_archive(name, tmp_path):
    done = fonds("convert", "--no-progress", "--strict", "--to", "clp-s", "-o", tmp_path / "out", OWN / "gz-per-record.warc.gz", OWN / name)
    assert done.returncode == 1
    assert name.encode() in done.stderr.splitlines()[-1]
    assert not (tmp_path / "out").exists()


def test_what_a_catalog_cannot_be(tmp_path):
    exact = fonds("convert", "--no-progress", "--exact", "--to", "clp-s", "-o", tmp_path / "out", OWN / "arc-v1.arc")
    assert exact.returncode == 2 and b"--exact" in exact.stderr
    items = fonds("convert", "--no-progress", "--to", "clp-s", "-o", tmp_path / "out", ROOT / "tests/data/recordio/v2-tiny.rio")
    assert items.returncode == 3 and b"convert --to jsonl" in items.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_archive_without_records_is_a_catalog_without_events(tmp_path):
    (tmp_path / "empty.warc").write_bytes(b"")
    assert catalog(tmp_path / "out", tmp_path / "empty.warc") == []


def test_a_hostile_header_is_text(tmp_path):
    fields = "".join(f"X-{n}: {n}\r\n" for n in range(3000)) + 'A".$@!#\\b: "\x01\u00e9\u2028\r\n: nameless\r\n'
    block = "HTTP/1.1 200 OK\r\n" + "".join(f"H{n}: v\r\n" for n in range(3000)) + "a.b.$: \xff\x00\r\n\r\n"
    warc = tmp_path / "hostile.warc"
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a/\r\nContent-Type: application/http\r\n{fields}"
    octets = block.encode("latin-1")
    warc.write_bytes(f"{head}Content-Length: {len(octets)}\r\n\r\n".encode() + octets + b"\r\n\r\n")
    fonds("convert", "--no-progress", "--to", "clp-s", "-o", tmp_path / "out", warc)
    (event,) = events(tmp_path / "out")
    assert len(event["headers"]) > 3000 and event["headers"]["X-2999"] == "2999"
    assert verify(tmp_path / "out")[2] == 0


# --- the same question asked of the crawl and of its catalog ---

QUERIES = ("*: *", "type: response", "type: response and status: 404", "status: 200 or status: 301", "not status: *", "http.status >= 300",
           "uri: *h3.example/1*", "host: h3.example or host: example.com", "mime: text/html", "mime: image*", "http.server: s1", "http.set-cookie: b=1",
           "http.set-cookie: *=17", "headers.WARC-Type: re*", "content_type: *http*", "length > 1000 and length < 3000", "ip: 192.0.2.*",
           'id: "urn:uuid:00000000*"', "version: ARC*", "format: arc", "index: 3", "offset > 200 and offset < 400", "method: GET", "http.reason: OK",
           "date: *", 'date > timestamp("2024-03-01T12:30:00Z")', 'date < timestamp("2021-01-01T00:00:00Z")', "date: 2024*", "filename: *", "trec_id: *",
           "segment.number: 1", "concurrent_to: *", "truncated: *", "http.content_type: *charset*", "not host: *", "warcinfo_id: *")


@pytest.fixture(scope="module")
def both(crawl, tmp_path_factory):
    """Archives, and the catalog of them. Their dates are instants: a catalog knows no year and no day as a time."""
    paths = [crawl, *(OWN / name for name in PLAIN if name != "dates.warc"), *sorted(OWN.glob("segment*")), *sorted(OWN.glob("revisit*"))]
    out = tmp_path_factory.mktemp("both") / "out"
    done = fonds("convert", "--no-progress", "--to", "clp-s", "-o", out, *paths)
    assert done.returncode == 0, done.stderr
    return paths, out


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_finds_the_same_in_both(query, both):
    paths, out = both
    there, here = (fonds("search", query, *where) for where in (paths, [out]))
    assert {there.returncode, here.returncode} <= {0, 1}, (there.stderr, here.stderr)
    there, here = ([json.loads(line) for line in done.stdout.split(b"\n")[:-1]] for done in (there, here))
    assert [(e["archive"], e["index"]) for e in here] == [(r["archive"], r["index"]) for r in there]


def test_the_queries_tell_records_apart(both):
    counts = [int(fonds("search", "--count", query, both[1]).stdout) for query in QUERIES]
    assert len(set(counts)) > 15 and counts.count(0) < 8, counts


@pytest.mark.parametrize("times", [("--since", "2024-03-05"), ("--until", "2024-03-02T10:00:00Z"), ("--since", "2020-01-02T03:04:05Z", "--until", "2020-01-02T03:04:06Z")],
                         ids=" ".join)
def test_a_span_of_time_holds_the_same_in_both(times, both):
    counts = [int(fonds("search", "--count", "--total", *times, "type: response", *paths).stdout) for paths in (both[0], [both[1]])]
    assert counts[0] == counts[1] > 0


# --- verify --against ---

def test_a_catalog_holds_what_its_crawl_says(crawl, tmp_path):
    catalog(tmp_path / "out", crawl, OWN / "arc-v1.arc.gz", OWN / "gz-two-per-member.warc.gz")
    inputs = [word for path in (crawl, OWN / "arc-v1.arc.gz", OWN / "gz-two-per-member.warc.gz") for word in ("--against", path)]
    done = fonds("verify", *inputs, tmp_path / "out")
    assert done.returncode == 0, done.stdout
    assert b"records are as in the input" in done.stdout


def test_a_crawl_that_was_moved_is_the_same(tmp_path):
    catalog(tmp_path / "out", OWN / "arc-v1.arc")
    (tmp_path / "moved").mkdir()
    shutil.copy(OWN / "arc-v1.arc", tmp_path / "moved")
    assert fonds("verify", "--against", tmp_path / "moved/arc-v1.arc", tmp_path / "out").returncode == 0
    shutil.copy(OWN / "arc-v1.arc", tmp_path / "moved/other.arc")
    done = fonds("verify", "--against", tmp_path / "moved/other.arc", tmp_path / "out")
    assert done.returncode == 1 and b"archive: " in done.stdout


def test_a_crawl_that_was_changed_is_another(tmp_path):
    catalog(tmp_path / "out", OWN / "arc-v1.arc")
    changed = tmp_path / "arc-v1.arc"
    changed.write_bytes((OWN / "arc-v1.arc").read_bytes().replace(b"img.gif", b"img.png"))
    done = fonds("verify", "--against", changed, tmp_path / "out")
    assert done.returncode == 1
    assert b"offset 336" in done.stdout and b"img.png in the input" in done.stdout
    cut = tmp_path / "cut" / "arc-v1.arc"
    cut.parent.mkdir()
    cut.write_bytes((OWN / "arc-v1.arc").read_bytes()[:336])
    assert b"end before this record" in fonds("verify", "--against", cut, tmp_path / "out").stdout
    report = fonds("verify", "--json", "--against", changed, tmp_path / "out").stdout.splitlines()[-1]
    assert json.loads(report)["against"] is False
