"""HTTP messages of records: head, and the body without its codings."""
import dataclasses
import re
import zlib

import brotli
import zstandard


@dataclasses.dataclass(frozen=True)
class Message:
    protocol: str
    status: int | None
    reason: str
    method: str
    target: str
    headers: tuple
    body: bytes  # as stored

    def get(self, name):
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")

    def joined(self, name):
        return ", ".join(value for key, value in self.headers if key.lower() == name.lower())


def parse(block, request):
    """Nothing if the block does not begin with a start line."""
    end = b"\r\n" if b"\r\n\r\n" in block else b"\n"
    head, _, body = block.partition(end * 2)
    lines = [line.rstrip("\r") for line in text(head).split("\n")]
    response = re.fullmatch(r"(HTTP(?:/[0-9.]+)?) +([0-9]{3})(?: +(.*?))? *", lines[0], re.IGNORECASE)
    asked = re.fullmatch(r"([A-Z]+) +(\S+) +(HTTP/[0-9.]+)", lines[0])
    if response is None and (asked is None or not request):
        return None
    headers = tuple((name.strip(), value.strip()) for name, colon, value in (line.partition(":") for line in lines[1:]) if colon)
    if response:
        return Message(response[1], int(response[2]), response[3] or "", "", "", headers, body)
    return Message(asked[3], None, "", asked[1], asked[2], headers, body)


def text(data):
    """As archives' texts are shown: Latin-1 where they are no UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def dechunked(body):
    out, at = b"", 0
    while True:
        line = re.compile(rb"([0-9a-fA-F]+)[ \t]*(?:;[^\n]*)?\r?\n").match(body, at)
        if line is None:
            return out if at else body  # crawlers store the decoded body with the old head
        size, begin = int(line[1], 16), line.end()
        at = begin + size
        if size == 0:
            return out
        if not out and at < len(body) and not re.compile(rb"\r?\n|[0-9a-fA-F]+[ \t]*\r?\n").match(body, at):
            return body
        out += body[begin:at]
        at += 2 if body[at:at + 2] == b"\r\n" else 1 if body[at:at + 1] == b"\n" else 0


def inflated(body, bits):
    out, rest = b"", body
    while rest:
        stream = zlib.decompressobj(bits)
        try:
            out += stream.decompress(rest) + stream.flush()
        except zlib.error:
            return out or None
        if not stream.eof:
            break
        rest = stream.unused_data
        if bits != 31 or not rest.startswith(b"\x1f\x8b"):
            break
    return out


def undone(coding, body):
    """Nothing if the body does not have the coding."""
    if coding in ("gzip", "x-gzip"):
        return inflated(body, 31) if body.startswith(b"\x1f\x8b") else None
    if coding == "deflate":
        return next((out for bits in (15, -15, 31) if (out := inflated(body, bits)) is not None), None)
    try:
        if coding == "br":
            return brotli.decompress(body)
        return zstandard.ZstdDecompressor().decompressobj().decompress(body)
    except (brotli.error, zstandard.ZstdError):
        return None


def decoded(message):
    body = message.body
    for coding in codings(message, "transfer-encoding") + codings(message, "content-encoding"):
        if coding == "chunked":
            body = dechunked(body)
        elif coding in ("gzip", "x-gzip", "deflate", "br", "zstd") and body:
            out = undone(coding, body)
            body = body if out is None else out
    return body


def codings(message, name):
    """The last one that was applied comes first."""
    return [word.strip().lower() for word in message.joined(name).split(",")][::-1]
