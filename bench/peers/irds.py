#!/usr/bin/env python3
"""ir_datasets over one file of ClueWeb12, and what it took without the imports, as a line of JSON.

  irds.py build SOURCE CHECKPOINTS [SPACING]   its builder; SPACING in stored bytes, 8 MiB if not given
  irds.py get ROOT CHECKPOINT_ROOT ID...       one document after the other; CHECKPOINT_ROOT - for none
  irds.py describe CHECKPOINTS                 how many checkpoints a file has
"""
import hashlib
import json
import os
import resource
import sys
import time


class Clock:
    """CPU and wall time of this process from here on."""

    def __init__(self):
        self.wall, self.usage = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)

    def stop(self):
        wall, usage = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
        return {"wall_s": wall - self.wall, "user_s": usage.ru_utime - self.usage.ru_utime,
                "sys_s": usage.ru_stime - self.usage.ru_stime, "max_rss_KiB": usage.ru_maxrss}


class Root:
    """What ir_datasets asks of a download: where it lies."""

    def __init__(self, path):
        self._path = path

    def path(self, force=True):
        del force
        return self._path


def build(source, out, spacing=str(8 << 20)):
    import ir_datasets
    from ir_datasets.indices.clueweb_warc import ClueWebWarcIndex
    for name in ("zlib_state", "lz4_frame", "warc"):  # it imports them when first used
        getattr(ir_datasets.lazy_libs, name)()
    clock = Clock()
    ClueWebWarcIndex(source, out).build(checkpoint_freq=int(spacing))
    return clock.stop() | {"file_bytes": os.path.getsize(out)}


def get(root, checkpoints, *ids):
    import ir_datasets
    from ir_datasets.datasets.clueweb12 import ClueWeb12Docs
    from ir_datasets.indices.clueweb_warc import ClueWebWarcDocstore
    for name in ("zlib_state", "lz4_frame", "warc"):
        getattr(ir_datasets.lazy_libs, name)()
    store = ClueWebWarcDocstore(ClueWeb12Docs(Root(root), None if checkpoints == "-" else Root(checkpoints)))
    clock = Clock()
    documents = [store.get(name) for name in ids]
    taken = clock.stop()
    blocks = sorted(hashlib.sha256(document.http_headers + b"\r\n\r\n" + document.body).hexdigest() for document in documents)
    return taken | {"blocks": hashlib.sha256("".join(blocks).encode()).hexdigest()}


def describe(path):
    import lz4.frame
    with lz4.frame.open(path, "rb") as file:
        return {"checkpoints": len(file.read()) // 32807}


def main():
    print(json.dumps({"build": build, "get": get, "describe": describe}[sys.argv[1]](*sys.argv[2:])))


main()
