#!/usr/bin/env python3
"""Counts the records of a type whose payload, all codings undone, holds a text: the slow way, over the index of make_warc.py.

usage: payload_hits.py FILE.warc.gz INDEX.tsv TYPE TEXT"""
import sys
import zlib

import brotli


def payload(record, codings):
    body = record.split(b"\r\n\r\n", 2)[2][:-4]
    for coding in reversed(codings):
        if coding == "chunked":
            whole, rest = b"", body
            while size := int(rest.partition(b"\r\n")[0], 16):
                begin = rest.index(b"\r\n") + 2
                whole, rest = whole + rest[begin:begin + size], rest[begin + size + 2:]
            body = whole
        else:
            body = zlib.decompress(body, 31) if coding == "gzip" else brotli.decompress(body)
    return body


def main():
    archive, index, kind, text = sys.argv[1:]
    hits = 0
    with open(archive, "rb") as file, open(index, encoding="utf-8") as rows:
        for row in (line.rstrip("\n").split("\t") for line in rows):
            if row[1] == kind:
                file.seek(int(row[6]))
                record = zlib.decompress(file.read(int(row[7])), 31)
                hits += text.encode() in payload(record, row[10].split("+") if row[10] != "-" else [])
    print(hits)


main()
