"""The rules of docs/reference/rules.md: each code in its tables is in the program, and a small archive that breaks just that rule
gives just that code."""
import gzip
import hashlib
import re
import struct
import zlib

import clps_builder as clps
import pytest
from program import FIXTURES, ROOT, fonds, json_lines, verify
from rule_files import (HEAD, HELLO, IP, MODERN, NAME, ORIGIN, PROFILE, REFERS, TARGET, XML, arc, chunk, frame, gzipped, lines,
                        modern, modern_records, positional, replaced, skippable, uid)

RULES = (ROOT / "docs/reference/rules.md").read_text(encoding="utf-8")
FINDINGS = (ROOT / "docs/reference/findings.md").read_text(encoding="utf-8")
# code -> severity; a test beside src/base/finding.cpp holds this page and the program's table together.
PROGRAM = dict(re.findall(r"^### `([a-z0-9-]+)`\n+(note|warning|error) · ", FINDINGS, re.M))
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in RULES.splitlines() if re.match(r"\| [^-]", line)]
TABLES = [row for row in ROWS if len(row) == 5 and row[0] != "clause"]
CODE = re.compile(r"`([a-z0-9]+(?:-[a-z0-9]+)*)`")
TABLED = {code for row in TABLES for code in CODE.findall(row[3])}
ELSEWHERE = set(CODE.findall(RULES.split("## Codes of other documents")[1].split("\n## ")[0]))


def codes_of(path, *options):
    *findings, _ = json_lines(fonds("verify", "--json", *options, path).stdout)
    return {f["code"] for f in findings}


MILDER = {"refers-to-missing": "note"}  # that a record lies in an archive elsewhere is no fault


# --- the page

def test_tables_have_their_five_columns():
    assert len(TABLES) > 150
    assert {row[1] for row in TABLES} <= {"must", "should", "may", "ruling"}


@pytest.mark.parametrize("row", TABLES, ids=lambda row: row[2][:40])
def test_a_row_has_a_code_and_its_severity_or_says_why_not(row):
    codes = CODE.findall(row[3])
    assert set(codes) <= set(PROGRAM)
    if not codes:
        assert row[3] and row[4] == "", "a rule without a code says why it has none"
        return
    for code in codes:
        assert row[4] == MILDER.get(code, PROGRAM[code])


def test_each_code_of_the_program_is_in_a_table_or_of_another_document():
    assert set(PROGRAM) - TABLED - ELSEWHERE == set()
    assert TABLED & ELSEWHERE == set()
    assert ELSEWHERE <= set(PROGRAM)


def test_each_code_of_a_table_has_an_archive_that_breaks_it():
    assert TABLED - set(CASES) - set(NOT_BY_VERIFY) == set()
    assert set(CASES) - TABLED == set()


# --- archives: code -> (name, octets), or a function that makes companions as well

def warc(*args, **kwargs):
    return NAME + ".warc", modern(*args, **kwargs)


def draft(*args, **kwargs):
    return NAME + ".warc", positional(*args, **kwargs)


def old(*args, **kwargs):
    return "a.arc", arc(*args, **kwargs)


def plain(data):
    return NAME + ".warc", data


def zipped(data):
    return NAME + ".warc.gz", data


def zst(frames):
    return NAME + ".warc.zst", b"".join(frames)


def only(*names):
    return {name: MODERN[name] for name in names}


def http(head="", body="", old_head="", request=False):
    """A response whose HTTP message is changed."""
    last, fields, _ = MODERN["response"]
    fields = fields.replace(f"WARC-Payload-Digest: {HELLO}\r\n", "")
    block = head + body
    return warc(records={"warcinfo": MODERN["warcinfo"], "response": (last, fields, block)})


def frames(*changed, **kwargs):
    """One frame a record; the last with what is given."""
    records = modern_records(records=only("warcinfo", "response", "resource"))
    return [frame(record) for record in records[:-1]] + [*changed, frame(records[-1], **kwargs)]


def dictionary_of(name):
    data = (FIXTURES / "warc-zst" / name).read_bytes()
    return data[8 : 8 + struct.unpack_from("<I", data, 4)[0]]


def with_dictionary(stored, id=None, plain=None):
    plain = dictionary_of("ok-dict-raw.warc.zst") if plain is None else plain
    id = struct.unpack_from("<I", plain, 4)[0] if id is None else id
    return zst([skippable(stored, 0xD), *[frame(record, dictionary=id) for record in modern_records()]])


RAW = dictionary_of("ok-dict-raw.warc.zst")
RAW_ID = struct.unpack_from("<I", RAW, 4)[0]


def framed(**kwargs):
    return frame(RAW, **kwargs)


def padded(made):
    """The frame with so many empty blocks before its first that it has more than 8 MiB."""
    return made[:10] + bytes(3 << 20) * 3 + made[10:]


def of_id(number):
    return RAW[:4] + struct.pack("<I", number) + RAW[8:]


# A member in which each document begins at a border between deflate blocks.
def document(n, text):
    kind = "resource" if n else "warcinfo"
    return (f"WARC/1.0\r\nWARC-Type: {kind}\r\n{f'WARC-Target-URI: http://a.example/{n}' if n else 'X-None: 0'}\r\nWARC-Record-ID: {uid(n)}\r\n"
            f"WARC-Date: 2020-01-01T00:00:00Z\r\nWARC-TREC-ID: clueweb12-0000tw-00-0000{n}\r\n"
            f"Content-Type: {'text/plain' if n else 'application/warc-fields'}\r\nContent-Length: {len(text)}\r\n\r\n{text}\r\n\r\n").encode()


def one_member(flush):
    """The octets, and the stored and decoded offset of each document but the first."""
    packer, stored, decoded, places = zlib.compressobj(6, zlib.DEFLATED, -15), b"", b"", []
    for n in range(4):
        if n:
            stored += packer.flush(flush)
            places.append((10 + len(stored), len(decoded)))
        text = document(n, f"text: a text that all documents have, and so is referred to; number {n} ")
        stored += packer.compress(text)
        decoded += text
    stored += packer.flush()
    return (b"\x1f\x8b\x08\0\0\0\0\0\0\3" + stored + struct.pack("<II", zlib.crc32(decoded), len(decoded))), decoded, places


def lz4_frame(data):
    pieces = [data[at : at + 65536] for at in range(0, len(data), 65536)]
    return b"\x04\x22\x4d\x18\x40\x40\xc0" + b"".join(struct.pack("<I", len(p) | 1 << 31) + p for p in pieces) + b"\0\0\0\0"


def checkpoints(edit=lambda chunks: None, flush=zlib.Z_SYNC_FLUSH, write=lambda chunks: b"".join(map(lz4_frame, chunks)), bits=0):
    """Makes an archive and its checkpoints, which `edit` changes as dictionaries of their fields."""
    def make(folder):
        data, decoded, places = one_member(flush)
        chunks, last = [], 0
        for n, (stored, plain) in enumerate(places, 1):
            stored += bits > 0
            chunks.append({"id": f"clueweb12-0000tw-00-0000{n}".encode(), "document": n, "delta": stored - last,
                           "window": decoded[:plain][-32768:], "bits": bits, "byte": data[stored - 1]})
            last = stored
        edit(chunks)
        path = folder / (NAME + ".warc.gz")
        path.write_bytes(data)
        index = folder / "a.chk.lz4"
        index.write_bytes(write([chunk(**one) for one in chunks]))
        return path, ["--index", index]
    return make


def change(n, **fields):
    return lambda chunks: chunks[n].update(**fields)


def captures(edit=lambda text: text, records=("warcinfo", "response"), options=()):
    def make(folder):
        path = folder / (NAME + ".warc")
        path.write_bytes(modern(records=only(*records)))
        index = folder / "a.cdxj"
        index.write_text(edit(fonds("index", "--type", "cdxj", "-o", "-", *options, path).stdout.decode()))
        return path, ["--index", index]
    return make


def with_bits(folder):
    """Checkpoints inside a byte; where the block ends in it is found out."""
    for bits in range(1, 8):
        path, options = checkpoints(lambda chunks: (chunks.__delitem__(slice(1, None)), chunks[0].update(byte=chunks[0]["byte"] ^ 255)),
                                    flush=zlib.Z_BLOCK, bits=bits)(folder)
        if "chk-border" not in codes_of(path, *options):
            return path, options
    raise AssertionError("no block ends inside a byte")


def large(folder):
    path = folder / (NAME + ".warc")
    head, n = modern(records=only("warcinfo")), 10**9
    fields = lines("WARC/1.1", "WARC-Type: resource", f"WARC-Record-ID: {uid(4)}", "WARC-Date: 2020", "WARC-Target-URI: urn:x:y",
                   "Content-Type: application/octet-stream", "WARC-Block-Digest: unknown:x", f"Content-Length: {n}", "")
    with open(path, "wb") as file:
        file.write(head + fields.encode())
        file.seek(n, 1)
        file.write(b"\r\n\r\n")
    return path, []


R = modern_records()
SHORT = modern_records(records=only("warcinfo", "response", "resource"))
GOOD = b"".join(R)
MEMBERS = gzipped(R)
DAMAGED = gzip.compress(R[5], mtime=0)

CASES = {
    # WARC with named fields: framing and header
    "trailer-missing": plain(GOOD[:-2]),
    "closing-line-ends": plain(GOOD[:-4] + b"\n\n"),
    "unknown-version": warc(version="WARC/1.7"),
    "version-token-case": plain(replaced(GOOD, R[6][:8] + R[6][8:60], b"warc/1.1" + R[6][8:60])),
    "lf-only-header": plain(GOOD.replace(R[6], R[6].replace(b"\r\n", b"\n", R[6].count(b"\r\n") - 2))),
    "mixed-eol": plain(GOOD.replace(R[6], R[6].replace(b"\r\n", b"\n", 2))),
    "space-before-colon": warc("response", "X-More:", "X-More :"),
    "line-without-colon": warc("response", "X-More: any", "X-More"),
    "continuation-without-field": plain(GOOD.replace(R[6], replaced(R[6], b"WARC/1.1\r\n", b"WARC/1.1\r\n more\r\n"))),
    "blank-line-in-header": plain(GOOD.replace(R[6], replaced(R[6], b"Content-Type", b"\r\nContent-Type"))),
    "non-utf8": warc("response", "X-More: any", "X-More: \xff"),
    "bad-field-name": warc("response", "X-More", "X(More"),
    "bad-field-value": warc("response", "any", "a\x01ny"),
    "byte-order-mark": plain(b"\xef\xbb\xbf" + GOOD),
    "duplicate-field": warc("response", "", lines(TARGET)),
    "missing-mandatory-field": warc("conversion", TARGET + "\r\n", ""),
    "forbidden-field": warc("warcinfo", "", lines(TARGET)),
    "non-uri-id": warc("conversion", uid(6), "<6>"),
    "bad-uri": warc("metadata", "http://a.example/", "http://a.example/ b"),
    "uri-brackets": warc("metadata", "http://a.example/", "<http://a.example/>"),
    "bad-length": warc("conversion", "", "Content-Length: x\r\n", records={**MODERN, "conversion": (*MODERN["conversion"][:2], "")}),
    "odd-length": warc("conversion", "", "Content-Length: +5\r\n"),
    "duplicate-length-differs": warc("conversion", "", "Content-Length: 5\r\nContent-Length: 6\r\n"),
    "length-suspect": warc("conversion", "", "Content-Length: 4\r\nWARC-Block-Digest: sha1:"
                           + hashlib.sha1(b"HELL").hexdigest() + "\r\n"),
    "resync": plain(R[0] + b"x" * 100 + b"".join(R[1:])),
    "resync-short": plain(R[0] + b"x" * 10 + b"\r\n" + b"".join(R[1:])),
    "trailing-garbage": plain(GOOD + b"garbage"),
    "truncated-block": plain(b"".join(R[:5]) + R[6][:-6]),
    "truncated-header": plain(b"".join(R[:5]) + R[6][:60]),
    "no-record": plain(b"\r\n\r\n"),
    "date-form": warc("conversion", "00Z", "00"),
    "date-invalid": warc("conversion", "2020-01-01T", "2020-13-01T"),
    "date-day-of-year": warc("conversion", "2020-01-01T", "2020-03-65T"),
    "bad-ip-address": warc("response", "192.0.2.1", "192.0.2.256"),
    "bad-media-type": warc("conversion", "text/plain", "text"),
    "missing-content-type": warc("conversion", "Content-Type: text/plain\r\n", ""),
    "content-type-differs": warc("resource", "text/dns", "text/plain"),
    "unknown-truncated-reason": warc("resource", "", "WARC-Truncated: tired\r\n"),
    "missing-recommended-field": warc("response", IP + "\r\n", ""),
    "type-case": warc("response", "WARC-Type: response", "WARC-Type: Response"),
    "unknown-type": warc("resource", "WARC-Type: resource", "WARC-Type: other"),
    "warc-fields-syntax": warc("warcinfo", "software: test", "software test"),
    "warcinfo-not-first": warc(records=only("resource")),
    # digests
    "digest-absent": warc(records=only("warcinfo", "resource"), digest=False),
    "digest-malformed": warc("resource", "", "WARC-Block-Digest: sha1:xyz\r\n"),
    "digest-unsupported": warc("resource", "", "WARC-Block-Digest: other:xyz\r\n"),
    "digest-mismatch": warc("resource", "", f"WARC-Block-Digest: {HELLO}\r\n"),
    "digest-mismatch-truncated": warc("resource", "", f"WARC-Block-Digest: {HELLO}\r\nWARC-Truncated: time\r\n"),
    # revisits, segments, references
    "revisit-payload-not-checked": warc(),
    "unknown-profile": warc("revisit", "identical-payload-digest", "other"),
    "revisit-not-truncated": warc("revisit", "WARC-Truncated: length\r\n", ""),
    "revisit-digest-differs": warc("revisit", HELLO, HELLO[:-1] + "0"),
    "revisit-original-differs": warc("revisit", "To-Date: 2020", "To-Date: 2019"),
    "segment-number-mismatch": warc("resource", "", "WARC-Segment-Number: 2\r\n"),
    "segment-number-zero": warc("response#first", "Number: 1", "Number: 0"),
    "segment-missing": warc(records={name: one for name, one in MODERN.items() if name != "continuation#last"}),
    "segment-orphan": warc(records={name: one for name, one in MODERN.items() if name not in ("response#first", "continuation#second")}),
    "segment-duplicate": plain(GOOD + R[8].replace(uid(8).encode(), uid("b").encode())),
    "segment-duplicate-differs": plain(GOOD + modern_records("continuation#second", "", "", records={
        "continuation#second": ("b", MODERN["continuation#second"][1], "xx")})[0]),
    "segment-field": warc("continuation#second", "", "Content-Type: text/plain\r\n"),
    "segment-target-differs": warc("continuation#second", "http://a.example/", "http://b.example/"),
    "segment-total-mismatch": warc("continuation#last", f"Total-Length: {len(HEAD) + 5}", "Total-Length: 4"),
    "segment-total-misplaced": warc("continuation#second", "", "WARC-Segment-Total-Length: 43\r\n"),
    "segmented-type": warc("metadata", "", "WARC-Segment-Number: 1\r\n", records={**MODERN, "continuation#of-metadata": (
        "b", lines(TARGET, f"WARC-Segment-Origin-ID: {uid(3)}", "WARC-Segment-Number: 2", f"WARC-Segment-Total-Length: {len(MODERN['metadata'][2]) + 1}"), "x")}),
    "missing-segment-origin-id": warc(records={**MODERN, "continuation#stray": ("b", lines(TARGET, "WARC-Segment-Number: 2"), "x")}),
    "duplicate-record-id": warc(records={**MODERN, "conversion": ("4", *MODERN["conversion"][1:])}),
    "refers-to-missing": warc("metadata", uid(1), uid("f")),
    "reference-wrong-type": warc("response", f"Warcinfo-ID: {uid(0)}", f"Warcinfo-ID: {uid(2)}"),
    "reference-to-itself": warc("metadata", uid(1), uid(3), records={**MODERN, "metadata": ("3", *MODERN["metadata"][1:])}),
    "concurrent-date-differs": warc("request", "2020-01-01T", "2020-01-02T"),
    # HTTP in records
    "digest-match-after-decoding": warc(records={"warcinfo": MODERN["warcinfo"], "response": (
        "1", MODERN["response"][1], "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")}),
    # files
    "file-name": ("a.warc", GOOD),
    "file-size": large,
    "not-per-record": zipped(gzip.compress(GOOD, mtime=0)),
    "plain-after-compressed": zipped(gzipped(R[:-1]) + R[-1]),
    "double-compression": zipped(gzip.compress(gzip.compress(R[0], mtime=0), mtime=0)),
    # WARC 00.11
    "date-not-14-digits": draft("data", "20070101000000", "2007010100000"),
    "segment-code-case": draft("data", "w1", "W1"),
    "extra-header-line-tokens": draft("data", "w1", "w1 more"),
    "data-length-smaller-than-header": draft("conversion", edit=lambda text: re.sub(
        r"Checksum[^\r]*\r\n\r\nhello", "\r\n", re.sub(r"00\.11 \d+", "00.11 00000012", text))),
    "dns-request-alias": draft("dns", "dns-response", "dns-request"),
    "bad-type-parameter": draft("conversion", "noenvelope", "envelope"),
    "missing-type-parameter": draft("conversion", " noenvelope", ""),
    "extra-type-parameter": draft("data", "type: data", "type: data more"),
    "related-resource-comma": draft("data", "IsPartOf urn:x:1", "IsPartOf,urn:x:1"),
    "related-resource-trailing-dash": draft("data", "IsPartOf urn:x:1", "IsPartOf urn:x:1 -"),
    "bad-revisit-comparison": draft("data", "", "revisit: - often\r\n"),
    "segment-without-id": draft("p1", "urn:x:7", "-"),
    "type-on-continuation": draft("p2", "", "type: data\r\n"),
    "old-draft": plain(positional() + b"warc/0.9 60 data http://a.example/ 20060101000000 text/plain urn:x:1\r\n\r\n"),
    # ARC
    "arc-no-filedesc": ("a.arc", arc()[arc().index(b"http:"):]),
    "arc-definition": old("filedesc", "URL IP-address", "URL Address"),
    "arc-metadata": old(version="1 1"),
    "arc-line-ends": ("a.arc", arc().replace(b"text/html 24\n", b"text/html 24\r\n")),
    "arc-content-type": old("page", "text/html", "text/html;charset=x"),
    "arc-swapped-columns": old("page", "192.0.2.1 20070101000000", "20070101000000 192.0.2.1"),
    "arc-v1-in-v2": old("page", " 200 - - @ a.arc", "", version="2 0"),
    "arc-offset": old("page", "@", "7", version="2 0"),
    # WARC-Zstandard
    "zs-start": zst([skippable(b"x"), *frames()]),
    "zs-frames": zst([*frames(), b"garbage"]),
    "zs-trunc": zst([*frames(), skippable(b"12345678")[:-3]]),
    "zs-dict-pos": zst([*frames(), skippable(RAW, 0xD)]),
    "zs-record": zst([frame(b"")]),
    "arc-zstd": ("a.arc.zst", b"".join(map(frame, re.split(rb"(?=http:|dns:)", arc())))),
    "zs-warc": ("a.warc.zst", b"".join(map(frame, re.split(rb"(?=http:|dns:)", arc())))),
    "zr-one": zst([frame(R[0] + R[1]), *map(frame, R[2:])]),
    "zf-size": zst(frames(size=False)),
    "zf-size-value": zst(frames(wrong_size=1)),
    "zf-checksum": zst(frames(checksum=False)),
    "zf-checksum-value": zst(frames(wrong_sum=1)),
    "zf-dictid": zst([skippable(RAW, 0xD), *[frame(r, dictionary=RAW_ID) for r in SHORT[:-1]], frame(SHORT[-1])]),
    "zf-dictid-match": zst([skippable(RAW, 0xD), *[frame(r, dictionary=RAW_ID) for r in SHORT[:-1]],
                            frame(SHORT[-1], dictionary=40000)]),
    "zf-nodict": zst(frames(dictionary=40000)),
    "zf-standard": zst(frames(reserved=1)),
    "zd-form": with_dictionary(b"neither of the two"),
    "zd-one-frame": with_dictionary(framed() + skippable(b"x")),
    "zd-nodict": with_dictionary(framed(dictionary=40000)),
    "zd-size": with_dictionary(framed(size=False)),
    "zd-checksum": with_dictionary(framed(checksum=False)),
    "zd-format": with_dictionary(RAW[:60]),
    "zd-id": with_dictionary(of_id(5), 5),
    "zl-window": zst(frames(window=0x70)),
    "zl-dict-stored": with_dictionary(padded(framed(window=0x68))),
    "zl-dict-decoded": (NAME + ".warc.zst", (FIXTURES / "warc-zst/bad-dict-bomb.warc.zst").read_bytes()),
    "zn-name": (NAME + ".zst", b"".join(frames())),
    "zn-ext": zst([*frames(), skippable(b"x")]),
    "zn-empty": zst([*frames(), frame(b"")]),
    "zr-split": zst([*map(frame, R[:-1]), frame(R[-1][:-4]), frame(R[-1][-4:])]),
    # checkpoints
    "chk-bits": checkpoints(change(1, bits=9)),
    "chk-border": checkpoints(lambda chunks: chunks[2].update(delta=chunks[2]["delta"] + 1)),
    "chk-byte": with_bits,
    "chk-empty-file": checkpoints(write=lambda chunks: b""),
    "chk-frames": checkpoints(write=lambda chunks: lz4_frame(b"".join(chunks))),
    "chk-landing": checkpoints(change(1, id=b"clueweb12-0000tw-00-00002x"[:25], skip=30)),
    "chk-landing-near": checkpoints(change(0, skip=2)),
    "chk-lz4": checkpoints(write=lambda chunks: b"".join(map(lz4_frame, chunks[:2])) + b"\x04\x22\x4d\x18\xff\xff\xff\xff\xff\xff"),
    "chk-order": checkpoints(change(2, document=1)),
    "chk-position": checkpoints(change(2, delta=1 << 30)),
    "chk-sparse": checkpoints(change(1, window=b""), flush=zlib.Z_FULL_FLUSH),
    "chk-truncated": checkpoints(write=lambda chunks: lz4_frame(chunks[0]) + lz4_frame(chunks[1][:-100])),
    "chk-window": checkpoints(change(1, window=b"")),
    # indexes of captures
    "cdx-line": captures(lambda text: text + "no capture\n"),
    "cdx-order": captures(lambda text: "".join(reversed(text.splitlines(True))), records=("warcinfo", "response", "revisit")),
    "cdx-stale": captures(lambda text: re.sub(r'"offset": "\d+"', '"offset": "5"', text)),
    "cdx-differs": captures(lambda text: text.replace(HELLO, HELLO[:-1] + "0")),
    "cdx-key": captures(lambda text: "com,other" + text[text.index(")"):]),
    "cdx-member": captures(lambda text: re.sub(r'"status": "200", ', "", text)),
}

# --- clp-s: one thing changed in a small archive that breaks no rule

def clp(change):
    archive = clps.small()
    changed = change(archive)
    return "a.clps", (archive if changed is None else changed).file()


def clp_section(section, change, stored=False):
    return clp(lambda archive: archive.edit(section, change, stored))


def clp_directory(folder):
    path = clps.small().directory(folder / "a.dir")
    with open(path / "schema_tree", "ab") as file:
        file.write(struct.pack("<II", 0x184D2A50, 0))
    return path, []


def clp_field(name, value):
    return clp(lambda archive: setattr(archive, name, value))


def clp_table(stream, table, change):
    """The octets of a table's columns changed."""
    def replace(archive):
        schema, records, columns = archive.streams[stream][table]
        archive.streams[stream][table] = (schema, records, change(columns))
    return clp(replace)


def word_at(at, value):
    return lambda data: data[:at] + clps.u64(value) + data[at + 8:]


def clp_more_nodes(*nodes):
    """Nodes in place of the last one, the Float, whose table is left out."""
    def replace(archive):
        archive.nodes[-1:] = nodes
        archive.schemas[3] = (3, [1, *range(11, 17 + len(nodes))], [])
        schema, records, columns = archive.streams[1][2]
        archive.streams[1][2] = (schema, records, columns[:-8] + b"".join(clps.f64(2) for node in nodes if node[2] == clps.FLOAT)
                                 + b"".join(clps.u64(0) for node in nodes if node[2] in clps.COLUMNS - {clps.FLOAT}))
    return clp(replace)


CASES |= {
    "clps-header": clp_field("reserved", bytes(31) + b"\1"),
    "clps-version": clp_field("version", (0, 6, 0)),
    "clps-truncated": clp_section("header", lambda plain: plain[:16] + clps.u64(struct.unpack_from("<Q", plain, 16)[0] + 5) + plain[24:], stored=True),
    "clps-extra-bytes": clp_field("behind", b"more"),
    "clps-directory-size": clp_directory,
    "clps-members": clp(lambda archive: archive.names.remove("/log.dict")),
    "clps-metadata": clp(lambda archive: setattr(archive, "packets", lambda usual: [(0, clps.msgpack({"num_segments": 2})), *usual[1:]])),
    "clps-originals": clp(lambda archive: setattr(archive, "packets", lambda usual: [*usual, (0x45, clps.u8(1, 0, 0, 0))])),
    "clps-range-index": clp(lambda archive: archive.inputs.__setitem__(2, (2, 4, {}))),
    "clps-time-range": clp_field("time_ranges", [(b"t", [5], 1, clps.MS, clps.MS + 1219)]),
    # A range of the column of "n" in the first table, which is too narrow.
    "clps-search-data": clp(lambda archive: setattr(archive, "packets", lambda usual: [
        *usual, (0x52, b"fonds-r1" + clps.u64(4) + clps.u32(1, 1) + clps.u64(2, 2) + clps.u32(0, 0, 0))])),
    "clps-schema-tree": clp(lambda archive: archive.nodes.__setitem__(4, (4, b"msg", clps.CLP_STRING))),
    "clps-duplicate-node": clp_more_nodes((2, b"g", clps.FLOAT), (2, b"g", clps.FLOAT)),
    "clps-namespace": clp_more_nodes((2, b"g", clps.FLOAT), (-1, b"$", clps.OBJECT), (18, b"g", clps.FLOAT)),
    "clps-schemas": clp(lambda archive: archive.schemas.append((0, [1], []))),
    "clps-table-metadata": clp_section("/table_metadata", lambda plain: clps.u64(1000) + plain[8:]),
    "clps-table": clp(lambda archive: archive.schemas.__setitem__(2, (2, [1, 18], []))),
    "clps-stream": clp_section("stream 0", lambda plain: plain + b"more"),
    "clps-dictionary": clp_section("/array.dict", lambda plain: clps.u64(2) + plain[8:]),
    "clps-log-type": clp(lambda archive: archive.log_types.__setitem__(0, b"took \x13 ms\\")),
    "clps-variables": clp_table(0, 0, lambda data: data[:32] + clps.cells((0, 1), (1, 0)) + clps.u64(2, 1, 0xFA21) + data[80:]),
    "clps-cell": clp_table(1, 1, word_at(8, 4)),
    "clps-time-pattern": clp_field("patterns", [(0, clps.PATTERN), (1, rb'"\Q"')]),
    "clps-log-order": clp_table(0, 0, lambda data: clps.deltas(0, 1) + data[16:]),
    "clps-record-json": clp(lambda archive: archive.variables.__setitem__(3, b"1e")),
    "clps-array-json": clp(lambda archive: archive.array_types.__setitem__(0, b"[\x11,]")),
    "clps-utf8": clp(lambda archive: archive.variables.__setitem__(2, b"\xff")),
    "clps-unused": clp(lambda archive: archive.variables.append(b"more")),
}


# What cannot be broken alone, and why.
WITH_IT = {
    "length-suspect": ({"resync-short"}, "what the length leaves over has to be passed over"),
    "old-draft": ({"resync"}, "the record is passed over"),
    "segment-without-id": ({"segment-missing", "segment-orphan"}, "its segments cannot name it"),
    "file-size": ({"digest-unsupported"}, "a real digest of so many octets takes long"),
    "zs-record": ({"no-record", "zn-empty"}, "a WARC file needs a record too; a frame without data is empty"),
    "zd-form": ({"frame-damaged", "no-record", "zs-record"}, "without a dictionary no frame is decoded"),
    "zd-format": ({"frame-damaged", "no-record", "zs-record"}, "without a dictionary no frame is decoded"),
    "zd-nodict": ({"frame-damaged", "no-record", "zs-record"}, "without a dictionary no frame is decoded"),
    "zs-start": ({"zn-ext"}, "an extension frame is what a WARC file in zstd can wrongly begin with"),
    "zs-trunc": ({"truncated-frame", "zn-ext"}, "the decoder says it of frames in any file; other frames would lose a record"),
    "zl-dict-stored": ({"frame-damaged", "limit-exceeded"}, "such a dictionary is not read"),
    "clps-time-pattern": ({"clps-unused"}, "with it a record would be damaged"),
    "zl-dict-decoded": ({"frame-damaged", "limit-exceeded"}, "such a dictionary is not read"),
}
NOT_BY_VERIFY = {
    "chk-not-needed": "`index` says it, of an archive that needs no checkpoints",
}
AMBIENT = {"revisit-payload-not-checked"}


@pytest.mark.parametrize("code", sorted(CASES))
def test_breaking_one_rule_gives_just_its_code(code, tmp_path):
    case, options, before = CASES[code], [], set()
    if callable(case):
        path, options = case(tmp_path)
        before = codes_of(path, "--no-index")
        assert before - AMBIENT <= {"not-per-record", "digest-absent"} or not options  # one member, and a short way of writing it
    else:
        path = tmp_path / case[0]
        path.write_bytes(case[1])
    found = codes_of(path, *(options or ["--no-index"]))
    expected = {code} | WITH_IT.get(code, (set(),))[0]
    if options:
        found -= before
    assert found - (AMBIENT - {code}) == expected


def test_the_digest_of_a_block_in_place_of_that_of_its_payload_is_a_warning(tmp_path):
    fields, block = MODERN["response"][1], HEAD + "hello"
    fields = replaced(fields, HELLO, "sha1:" + hashlib.sha1(block.encode()).hexdigest())
    path = tmp_path / (NAME + ".warc")
    path.write_bytes(modern(records={"warcinfo": MODERN["warcinfo"], "response": ("1", fields, block)}))
    findings, closing, status = verify(path)
    assert [(f["code"], f["severity"]) for f in findings] == [("digest-mismatch", "warning")]
    assert (closing["errors"], status) == (0, 0)


@pytest.mark.parametrize("name,data", [warc(), draft(), old(), old(version="2 0"), old(version="1 1", xml=XML), zipped(MEMBERS), zst(frames()),
                                       with_dictionary(RAW), with_dictionary(framed()), clp(lambda archive: None)],
                         ids=["1.1", "00.11", "ARC 1", "ARC 2", "ARC 1.1", "gzip", "zstd", "dictionary", "compressed dictionary", "clp-s"])
def test_the_archives_before_the_change_have_no_findings(name, data, tmp_path):
    (tmp_path / name).write_bytes(data)
    assert codes_of(tmp_path / name) <= AMBIENT


@pytest.mark.parametrize("make", [checkpoints(), checkpoints(flush=zlib.Z_FULL_FLUSH), captures()], ids=["checkpoints", "flushed", "captures"])
def test_the_companions_before_the_change_have_no_findings(make, tmp_path):
    path, options = make(tmp_path)
    assert codes_of(path, *options) == codes_of(path, "--no-index")
