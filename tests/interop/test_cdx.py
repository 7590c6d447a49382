"""Our CDX and CDXJ against those of cdxj-indexer, line by line over all fixtures; our keys against those of surt.

Every difference is listed here with its reason, and no other one is there. docs/formats/cdx.md tells more of each."""
import contextlib
import importlib
import io
import json
import socket
import urllib.parse

import pytest
import surt
from cdxj_indexer.main import CDX11Indexer, CDXJIndexer
from program import FIXTURES, WARC, fonds
from urls import Urls

MODES = {
    "cdxj": (CDXJIndexer, {}, []),
    "all": (CDXJIndexer, {"records": "all"}, ["--all"]),
    "post": (CDXJIndexer, {"post_append": True}, ["--post-append"]),
    "cdx11": (CDX11Indexer, {}, []),
}
# With post-append the peer computes missing digests of streams that it has read already.
EMPTY_DIGEST = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
COLUMNS = {"cdx11": "key ts url mime status digest redirect robots length offset filename".split()}

DIFFERENCES = {
    # Control characters in a column of a CDX are percent-encoded.
    "arc-control-in-url.arc": "122: url",
    # The line end behind the definition of an ARC is no part of it.
    "arc-crlf.arc": "0: length",
    "warcio-example-space-in-url.arc": "0: length",
    "warcio-example.arc": "0: length",
    # What a date leaves open is its start, not its end; a blank in an ARC column; no capture without a date.
    "arc-dates.arc": "0: ts, 1052: key, 1052: ts, 1052: url, 1164-, 120: ts, 230: ts, 919-",
    # Line ends before a record do not hide it.
    "arc-leading-newlines.arc": "127+",
    "extra-newlines.warc": "265+, 485+, 707+",
    # A blank in an ARC column.
    "arc-mime-with-space.arc": "122: key, 122: ts, 122: url",
    # ARC columns in the wrong order.
    "arc-transposed.arc": "122: ts",
    # ARC 2 has ten columns.
    "arc-v2.arc": "0: mime, 0: ts, 187: key, 187: ts, 187: url, 351: key, 351: ts, 351: url",
    # An empty member belongs to no record.
    "gz-empty-members.warc.gz": "0-, 20+, 217-, 257+",
    # What lies behind a member up to the next one counts to its length.
    "gz-garbage-between.warc.gz": "0: length",
    "gz-zero-padding.warc.gz": "197: length",
    # Plain records behind gzip members count their closing line ends.
    "gz-tail-plain.warc.gz": "431: length, 709: length",
    # The letter case of WARC-Type does not matter.
    "header-case.warc": "221+, 221: mime",
    "jwat-valid-warcfile-upper-lower-case.warc": "1045+, 1045: mime, 1351+, 1351: mime",
    # A block without a status line is all payload; line ends before a status line are passed over.
    "http-variants.warc": "2973: digest, 2973: status, 4959: digest, 4959: status",
    # Wrong lengths are set right by what follows.
    "length-missing.warc": "249: digest, 249: length, 458+",
    "length-twice-differ.warc": "249: digest, 249: length",
    "warcio-bad.arc": "0: length, 202: digest",
    # An HTTP head is looked for where Content-Type says so, not where the URL does.
    "unknown-type.warc": "665: digest",
    "nodewarc-parseMe.warc.gz": "48136: mime, 48136: status",
    # An empty column is a dash.
    "jwat-invalid-warcfile-digest-fields.warc": "1093: digest",
    # Text of five words is no ARC record.
    "jwat-invalid-warcfile-fields-empty.warc": "198-",
    "jwat-invalid-warcfile-fields-invalidformat.warc": "276-",
    "jwat-invalid-warcfile-record-then-garbage.warc": "1135-",
    # No capture without a date.
    "jwat-test-arc-1.0-dashed-fields.arc": "0-",
    "jwat-test-arc-1.0-invalid-fields.arc": "0-",
    # A member that goes on behind its record has no length of the record alone.
    "warcio-example-wrong-chunks.warc.gz": "0: length",
}


def parse(lines, mode):
    """Captures by their place: offset, and what lies between it and the record."""
    found = {}
    for line in lines:
        if line.startswith(" CDX"):
            continue
        if mode in COLUMNS:
            columns = line.split(" ")
            if len(columns) < len(COLUMNS[mode]):
                continue  # where the peer gave up
            members = dict(zip(COLUMNS[mode], columns, strict=True))
        else:
            key, ts, members = line.split(" ", 2)
            members = {"key": key, "ts": ts} | json.loads(members)
        place = members.get("offset"), members.get("inner")
        assert place not in found or found[place] == members
        found[place] = members
    return found


def theirs(path, mode):
    """Their captures, and why they gave up, if they did."""
    kind, options, _ = MODES[mode]
    out, gave_up = io.StringIO(), ""
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        try:
            kind(out, [str(path)], **options).process_all()
        except Exception as e:
            gave_up = str(e) or repr(e)
    if "non-chunked gzip" in gave_up:
        return {}, gave_up  # a member of several records: offsets and lengths are wrong even before
    return parse(out.getvalue().split("\n")[:-1], mode), gave_up


def index(path, kind, *options):
    return fonds("index", "--type", kind, *options, "-o", "-", path).stdout


def ours(path, mode):
    lines = index(path, mode if mode in COLUMNS else "cdxj", *MODES[mode][2]).decode().split("\n")[:-1]
    assert lines == sorted(set(lines), key=str.encode)
    return parse(lines, mode)


def differences(path, mode):
    """"offset: member" of what differs, "offset+" of what only we have, "offset-" of what only they have."""
    their, gave_up = theirs(path, mode)
    our = {} if gave_up and not their else ours(path, mode)
    for place in sorted(their.keys() | our.keys(), key=str):
        offset = place[0] if place[1] is None else f"{place[0]}/{place[1]}"
        if place not in our:
            yield f"{offset}-"
        elif place not in their:
            if not gave_up:
                yield f"{offset}+"
        else:
            a, b = their[place], our[place]
            for member in sorted(a.keys() | b.keys()):
                known = member == "digest" and mode == "post" and a.get(member) == EMPTY_DIGEST
                if a.get(member) != b.get(member) and not known:
                    yield f"{offset}: {member}"


def archives():
    """What the peer can read at all: no drafts of WARC before 0.17, no other compression than gzip, and that once."""
    return [pytest.param(path, id=path.name) for folder in ("own", "third-party") for path in sorted((WARC / folder).iterdir())
            if (".warc" in path.name or ".arc" in path.name) and path.name != "gz-double.warc.gz" if path.suffix not in (".zst", ".lz4", ".bz2", ".xz", ".cdx")]


@pytest.mark.parametrize("path", archives())
def test_captures_are_those_of_cdxj_indexer(path):
    found = {difference for mode in MODES for difference in differences(path, mode)}
    assert found == set(filter(None, DIFFERENCES.get(path.name, "").split(", ")))


STORED = [folder for folder in (WARC / "index", FIXTURES / "index") if folder.is_dir()][:1]


@pytest.mark.parametrize("expected", [path for folder in STORED for path in sorted(folder.glob("*.cdx*")) if path.suffix != ".gz"],
                         ids=lambda path: path.name)
def test_indexes_are_the_stored_ones(expected):
    archive = WARC / "third-party" / expected.stem.removesuffix(".all").removesuffix(".post")
    if not archive.exists():
        pytest.skip(f"{archive.name} is not among the fixtures")
    options = ["--all"] * (".all." in expected.name) + ["--post-append"] * (".post." in expected.name)
    assert index(archive, expected.suffix[1:], *options) == expected.read_bytes()


def without_network():
    """The peer asks the system's resolver what inet_aton() alone should tell."""
    def resolve(host):
        try:
            return host, [], [socket.inet_ntoa(socket.inet_aton(host.decode()))]
        except OSError:
            raise socket.gaierror from None

    class Resolver:
        gaierror, herror = socket.gaierror, socket.herror
        inet_ntoa, gethostbyname_ex = staticmethod(socket.inet_ntoa), staticmethod(resolve)

    importlib.import_module("surt.GoogleURLCanonicalizer").socket = Resolver


def as_it_is(url):
    """Without anything that breaks a line."""
    return "".join(c if " " < c < "\x7f" else urllib.parse.quote(c) for c in url)


def their_key(url):
    without_network()
    try:
        return as_it_is(surt.surt(url))
    except Exception:
        return as_it_is(url)  # as cdxj-indexer does


def our_keys(urls, folder):
    archive = folder / "urls.warc"
    records = ("WARC/1.0\r\nWARC-Type: resource\r\nWARC-Date: 2020-01-02T03:04:05Z\r\nContent-Type: text/plain\r\n"
               f"WARC-Payload-Digest: sha1:x\r\nWARC-Target-URI: {url}\r\nContent-Length: 0\r\n\r\n\r\n\r\n" for url in urls)
    archive.write_text("".join(records), encoding="utf-8", newline="")
    lines = index(archive, "cdxj", "--no-sort").decode().split("\n")[:-1]
    return [line.split(" ", 1)[0] for line in lines]


@pytest.mark.parametrize("seed", range(4))
def test_keys_are_those_of_surt(seed, tmp_path):
    make = Urls(seed)
    urls = [url.strip().replace(" ", "%20") for url in (make.url() for _ in range(3000))]
    urls = [url for url in urls if url and not (url[0] == "<" and url[-1] == ">")]
    assert dict(zip(urls, our_keys(urls, tmp_path), strict=True)) == {url: their_key(url) for url in urls}


@pytest.mark.parametrize("name, reason", [
    ("ä:8", "a character that no name may have"),
    ("-ä", "a hyphen at the start or the end"),
    ("ab--ä", "hyphens in third and fourth place"),
    ("\u0301ä", "a combining mark at the start"),
    ("a\u00a8b", "a character that stands for others that no name may have"),
    ("שלום1", "the package wants all letters of a label to run one way, by IDNA 2003"),
    ("\u13a0ä", "letters that had no lower case in Unicode 3.2"),
])
def test_keys_of_odd_names_differ(name, reason, tmp_path):
    """One of the two has the name in its `xn--` form, the other percent-encoded or mapped otherwise."""
    url = f"http:///{name}/"
    assert our_keys([url], tmp_path)[0] != their_key(url)
