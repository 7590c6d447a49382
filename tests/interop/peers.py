"""The peers as functions: what they see in an archive."""
import collections
import re
import subprocess

import fastwarc.warc
import warcio.archiveiterator


def model_type(kind):
    kind = kind.strip().lower() if kind else None
    return {"arc_header": "warcinfo", "none": None, "": None}.get(kind, kind)


def by_warcio(stream):
    iterator = warcio.archiveiterator.ArchiveIterator(stream, no_record_parse=True)
    for record in iterator:
        block = record.raw_stream.read()
        length = None if record.rec_type == "arc_header" else len(block)  # it leaves out the definition lines
        yield iterator.get_record_offset(), model_type(record.rec_type), length


def by_fastwarc(stream):
    for record in fastwarc.warc.ArchiveIterator(stream, parse_http=False):
        length = len(record.reader.read())
        kind = record.headers.get("WARC-Type")
        yield record.stream_pos, model_type(kind), length


def types_by_jwarc(classpath, path):
    """How many records of each type."""
    run = subprocess.run(["java", "-cp", classpath, "JwarcWalk", "headers", path], capture_output=True, timeout=60)
    theirs = collections.Counter()
    for kind, n in re.findall(rb"([\w-]+)=(\d+)", run.stdout):  # {request=3, response=3}
        theirs[model_type(kind.decode())] += int(n)
    return theirs
