"""Small archives for tests/test_rules.py: good ones, and one change that breaks one rule."""
import base64
import gzip
import hashlib
import struct

NAME = "TEST-20200101000000-00000-host"
HELLO = "sha1:" + hashlib.sha1(b"hello").hexdigest()
HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\n"


def uid(last):
    return f"<urn:uuid:00000000-0000-4000-8000-00000000000{last}>"


def replaced(data, old, new):
    assert data.count(old) == 1, (old, data.count(old))
    return data.replace(old, new)


def lines(*texts):
    return "".join(text + "\r\n" for text in texts)


# --- WARC with named fields

TARGET, IP = "WARC-Target-URI: http://a.example/", "WARC-IP-Address: 192.0.2.1"
REFERS, ORIGIN = f"WARC-Refers-To: {uid(1)}", f"WARC-Segment-Origin-ID: {uid(7)}"
HTTP = "Content-Type: application/http;msgtype=response"
PROFILE = "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/"
MODERN = {
    "warcinfo": ("0", lines("Content-Type: application/warc-fields"), "software: test\r\n"),
    "response": ("1", lines(TARGET, IP, HTTP, f"WARC-Warcinfo-ID: {uid(0)}", f"WARC-Payload-Digest: {HELLO}",
                            "WARC-Identified-Payload-Type: text/plain", "X-More: any"), HEAD + "hello"),
    "request": ("2", lines(TARGET, IP, "Content-Type: application/http;msgtype=request", f"WARC-Concurrent-To: {uid(1)}"),
                "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"),
    "metadata": ("3", lines(TARGET, REFERS, "Content-Type: application/warc-fields"), "via: http://b.example/\r\n"),
    "resource": ("4", lines("WARC-Target-URI: dns:a.example", IP, "Content-Type: text/dns"), "20200101000000\n"),
    "revisit": ("5", lines(TARGET, IP, HTTP, REFERS, "WARC-Refers-To-Target-URI: http://a.example/",
                           "WARC-Refers-To-Date: 2020-01-01T00:00:00Z", "WARC-Truncated: length",
                           PROFILE + "identical-payload-digest", f"WARC-Payload-Digest: {HELLO}"), HEAD),
    "conversion": ("6", lines(TARGET, REFERS, "Content-Type: text/plain"), "HELLO"),
    "response#first": ("7", lines(TARGET, IP, HTTP, "WARC-Segment-Number: 1"), HEAD + "h"),
    "continuation#second": ("8", lines(TARGET, ORIGIN, "WARC-Segment-Number: 2"), "el"),
    "continuation#last": ("9", lines(TARGET, ORIGIN, "WARC-Segment-Number: 3", f"WARC-Segment-Total-Length: {len(HEAD) + 5}"), "lo"),
}


def modern_records(record=None, old="", new="", version="WARC/1.1", records=None, digest=True):
    """[bytes] of the records. In one of them `old` becomes `new`; an empty `old` is the end of its header."""
    made = []
    for name, (last, fields, block) in (records or MODERN).items():
        head = lines(f"WARC-Type: {name.split('#')[0]}", f"WARC-Record-ID: {uid(last)}", "WARC-Date: 2020-01-01T00:00:00Z") + fields
        if name == record:
            if not old:
                head += new
            elif old in head:
                head = replaced(head, old, new)
            else:
                block = replaced(block, old, new)
        octets = block.encode("latin-1")
        if digest and "WARC-Block-Digest" not in head:
            head += f"WARC-Block-Digest: sha1:{base64.b32encode(hashlib.sha1(octets).digest()).decode()}\r\n"
        if "Content-Length" not in head:
            head += f"Content-Length: {len(octets)}\r\n"
        made.append(f"{version}\r\n{head}\r\n".encode("latin-1") + octets + b"\r\n\r\n")
    return made


def modern(*args, **kwargs):
    return b"".join(modern_records(*args, **kwargs))


# --- WARC 00.11

def positional(record=None, old="", new="", edit=lambda text: text):
    start = "20070101000000 urn:x:"
    sha1 = lambda block: f"Checksum: sha1:{hashlib.sha1(block.encode()).hexdigest()}"  # noqa: E731
    records = {
        "info": (start + "0 w1\r\n" + lines("type: warcinfo", "content-type: application/warc-fields"), "software: test\r\n"),
        "response": (start + "1 w1\r\n" + lines("type: http-response http://a.example/",
                     "content-type: application/http;msgtype=response", "Warcinfo-ID: urn:x:0"), "HTTP/1.1 200 OK\r\n\r\nhello"),
        "dns": (start + "3 w1\r\n" + lines("type: dns-response dns:a.example", "content-type: text/dns"), "20070101000000\n"),
        "conversion": (start + "5 w1\r\n" + lines("type: conversion urn:x:1 noenvelope", "content-type: text/plain"), "hello"),
        "data": (start + "6 w1\r\n" + lines("type: data", "content-type: text/plain", "Related-Resource: IsPartOf urn:x:1"), "data"),
        "p1": (start + "7 p1\r\n" + lines("type: data", "content-type: text/plain"), "one"),
        "p2": (start + "8 p2\r\n" + lines("Segment-Origin-ID: urn:x:7"), "two"),
        "w3": (start + "9 w3\r\n" + lines("Segment-Origin-ID: urn:x:7"), "three"),
    }
    data = ""
    for name, (head, block) in records.items():
        if name not in ("p2", "w3"):
            head += sha1(block) + "\r\n"
        if name == record:
            head = head + new if not old else replaced(head, old, new)
        rest = f" {head}\r\n{block}"
        text = f"warc/00.11 {len('warc/00.11 ') + 8 + len(rest):08}{rest}\r\n\r\n"
        data += edit(text) if name == record else text
    return data.encode("latin-1")


# --- ARC

XML = ('<?xml version="1.0"?>\n<arcmetadata xmlns="http://archive.org/arc/1.0/"><arc:software>test</arc:software>'
       "<!-- a > b --><arc:robots/></arcmetadata>\n")


def arc(record=None, old="", new="", version="1 0", xml="", gap="\n"):
    two = version.startswith("2")
    more = " 200 - - @ a.arc" if two else ""
    names = "URL IP-address Archive-date Content-type " + ("Result-code Checksum Location Offset Filename " if two else "") + "Archive-length"
    records = [("filedesc", "filedesc://a.arc 0.0.0.0 20070101000000 text/plain" + more, f"{version} Maker\n{names}\n{xml}"),
               ("page", "http://a.example/ 192.0.2.1 20070101000000 text/html" + more, "HTTP/1.1 200 OK\r\n\r\nhello"),
               ("dns", "dns:a.example 192.0.2.1 20070101000000 text/dns" + more, "20070101000000\n")]
    data = ""
    for name, head, block in records:
        if name == record:
            if old in head:
                head = replaced(head, old, new)
            else:
                block = replaced(block, old, new)
        data += f"{head.replace('@', str(len(data)))} {len(block)}\n{block}{gap if name == 'page' else chr(10)}"
    return data.encode("latin-1")


# --- Zstandard frames, written by hand: their blocks are stored, so that every field can be chosen

MASK = (1 << 64) - 1
P1, P2, P3, P4, P5 = (11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579, 2870177450012600261)


def rotated(value, bits):
    return ((value << bits) | (value >> (64 - bits))) & MASK


def xxh64(data):
    def mixed(acc, lane):
        return rotated((acc + lane * P2) & MASK, 31) * P1 & MASK

    at, n = 0, len(data)
    if n >= 32:
        lanes = [(P1 + P2) & MASK, P2, 0, -P1 & MASK]
        while n - at >= 32:
            lanes = [mixed(acc, lane) for acc, lane in zip(lanes, struct.unpack_from("<4Q", data, at))]
            at += 32
        h = sum(rotated(acc, bits) for acc, bits in zip(lanes, (1, 7, 12, 18))) & MASK
        for acc in lanes:
            h = ((h ^ mixed(0, acc)) * P1 + P4) & MASK
    else:
        h = P5
    h = (h + n) & MASK
    for at in range(at, n - 7, 8):
        h = (rotated(h ^ mixed(0, struct.unpack_from("<Q", data, at)[0]), 27) * P1 + P4) & MASK
    at = n - n % 8
    if n - at >= 4:
        h = (rotated(h ^ struct.unpack_from("<I", data, at)[0] * P1 & MASK, 23) * P2 + P3) & MASK
        at += 4
    for octet in data[at:]:
        h = rotated(h ^ octet * P5 & MASK, 11) * P1 & MASK
    h = (h ^ h >> 33) * P2 & MASK
    h = (h ^ h >> 29) * P3 & MASK
    return h ^ h >> 32


def frame(data, size=True, checksum=True, dictionary=None, window=None, reserved=0, wrong_size=0, wrong_sum=0, block_type=0):
    """A frame of stored blocks. `dictionary` is its id; `window` a Window_Descriptor, otherwise the frame is a single segment."""
    ids = {None: 0}.get(dictionary, 3)
    single = size and window is None
    descriptor = (0x80 if size else 0) | (0x20 if single else 0) | reserved << 3 | (4 if checksum else 0) | ids
    made = struct.pack("<IB", 0xFD2FB528, descriptor)
    if not single:
        made += bytes([0x38 if window is None else window])
    if dictionary is not None:
        made += struct.pack("<I", dictionary)
    if size:
        made += struct.pack("<I", len(data) + wrong_size)
    pieces = [data[at : at + 65536] for at in range(0, len(data), 65536)] or [b""]
    for i, piece in enumerate(pieces):
        made += struct.pack("<I", len(piece) << 3 | block_type << 1 | (i + 1 == len(pieces)))[:3] + piece
    return made + (struct.pack("<I", (xxh64(data) + wrong_sum) & 0xFFFFFFFF) if checksum else b"")


def skippable(data, number=0):
    return struct.pack("<II", 0x184D2A50 + number, len(data)) + data


def gzipped(records, member=lambda record: gzip.compress(record, mtime=0)):
    return b"".join(member(record) for record in records)


# --- checkpoints

def chunk(id=b"clueweb12-0000tw-00-00001", document=1, delta=0, bits=0, byte=0, window=b"", skip=0):
    return id + struct.pack("<IIBB", document, delta, bits, byte) + window.rjust(32768, b"\0") + struct.pack("<I", skip)
