#!/usr/bin/env python3
"""indexed_gzip, and what it took without the imports, as a line of JSON.

  gzidx.py build SOURCE INDEX SPACING           SPACING in decoded bytes
  gzidx.py get SOURCE INDEX OFFSET:LENGTH...    records at decoded offsets, without their line ends
"""
import hashlib
import json
import os
import resource
import sys
import time

import indexed_gzip


def build(source, out, spacing):
    with indexed_gzip.IndexedGzipFile(source, spacing=int(spacing)) as file:
        file.build_full_index()
        file.export_index(out)
    return {"file_bytes": os.path.getsize(out)}


def get(source, index, *spans):
    blocks = []
    with indexed_gzip.IndexedGzipFile(source, index_file=index) as file:
        for span in spans:
            offset, length = map(int, span.split(":"))
            file.seek(offset)
            blocks.append(hashlib.sha256(file.read(length).partition(b"\r\n\r\n")[2]).hexdigest())
    return {"blocks": hashlib.sha256("".join(sorted(blocks)).encode()).hexdigest()}


def main():
    wall, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
    said = {"build": build, "get": get}[sys.argv[1]](*sys.argv[2:])
    wall, after = time.perf_counter() - wall, resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps(said | {"wall_s": wall, "user_s": after.ru_utime - before.ru_utime,
                             "sys_s": after.ru_stime - before.ru_stime, "max_rss_KiB": after.ru_maxrss}))


main()
