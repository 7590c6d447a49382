"""The records of an archive as warcio reads them."""
import bz2
import dataclasses
import io
import lzma
import re
import zlib

import lz4.frame
import zstandard
from warcio.archiveiterator import ArchiveIterator


@dataclasses.dataclass(frozen=True)
class Raw:
    version: str    # "WARC/1.0", "ARC/1.0"
    headers: tuple  # of (name, value), in order
    block: bytes

    def get(self, name):
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


def decoded(data):
    """Without an outer compression; warcio undoes gzip itself, member by member."""
    if data[:4] == b"\x28\xb5\x2f\xfd":
        with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as stream:
            return stream.read()
    for magic, undo in ((b"\x04\x22\x4d\x18", frames), (b"BZh", bz2.decompress), (b"\xfd7zXZ", lzma.decompress)):
        if data.startswith(magic):
            return undo(data)
    return data


def frames(data):
    out = b""
    while data:
        context = lz4.frame.LZ4FrameDecompressor()
        out += context.decompress(data)
        data = context.unused_data
    return out


# warcio's own names for the columns of an ARC record, and those of the format's document.
ARC_NAMES = {"uri": "URL", "ip-address": "IP-address", "archive-date": "Archive-date", "content-type": "Content-type",
             "length": "Archive-length"}


def definitions(data):
    """The two lines that begin each ARC version block, which warcio takes for its own."""
    plain = b""
    while data.startswith(b"\x1f\x8b"):
        member = zlib.decompressobj(31)
        plain, data = plain + member.decompress(data), member.unused_data
    for found in re.finditer(rb"^filedesc:[^\n]*\n([^\n]*\n[^\n]*\n)", plain + data, re.MULTILINE):
        yield found[1]


def read(path):
    found = []
    with open(path, "rb") as file:
        data = decoded(file.read())
    left_out = definitions(data)
    # Blocks of ARC version blocks and of odd records are read as they lie: no HTTP here.
    for record in ArchiveIterator(io.BytesIO(data), no_record_parse=True):
        arc = record.format == "arc"
        headers = [(ARC_NAMES[name] if arc else name, value) for name, value in record.rec_headers.headers]
        version = "ARC/1.0" if arc else record.rec_headers.protocol
        block = record.raw_stream.read()
        if arc and headers[0][1].startswith("filedesc:"):
            block = next(left_out) + block
        found.append(Raw(version, tuple(headers), block))
    return found
