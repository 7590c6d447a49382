#!/usr/bin/env python3
"""make_block_only.py IN.warc.gz INDEX.tsv OUT.warc.gz: the same records, one member each, without
their WARC-Payload-Digest, so that a verifier has exactly one digest a record to compute."""
import re
import sys
import zlib

PAYLOAD_DIGEST = re.compile(rb"^WARC-Payload-Digest:[^\n]*\n", re.MULTILINE)


def main():
    source_path, index_path, out_path = sys.argv[1:4]
    with open(source_path, "rb") as source, open(index_path, encoding="utf-8") as index, open(out_path, "wb") as out:
        for line in index:
            stored_offset, stored_length = map(int, line.split("\t")[6:8])
            source.seek(stored_offset)
            header, blank, rest = zlib.decompress(source.read(stored_length), 31).partition(b"\r\n\r\n")
            packer = zlib.compressobj(6, zlib.DEFLATED, 31)
            out.write(packer.compress(PAYLOAD_DIGEST.sub(b"", header + b"\r\n") + blank[2:] + rest) + packer.flush())


main()
