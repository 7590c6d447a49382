#!/usr/bin/env python3
"""cdxj_fastwarc.py FILE OUT: the members of a CDXJ line as cdxj-indexer writes them, by FastWARC.
Not sorted, and the URL as it is instead of its SURT."""
import json
import os
import re
import sys

from fastwarc.warc import ArchiveIterator, WarcRecordType

KINDS = WarcRecordType.response | WarcRecordType.revisit | WarcRecordType.resource | WarcRecordType.metadata
NOT_MIME = re.compile(r"[;\s]")


def line(record, end, name):
    headers, http = record.headers, record.http_headers
    members = {"url": headers.get("WARC-Target-URI")}
    if record.record_type == WarcRecordType.revisit:
        members["mime"] = "warc/revisit"
    else:
        mime = http.get("Content-Type") if http is not None else headers.get("Content-Type")
        if mime:
            members["mime"] = NOT_MIME.split(mime, 1)[0].strip()
    if http is not None and http.status_code:
        members["status"] = str(http.status_code)
    if digest := headers.get("WARC-Payload-Digest"):
        members["digest"] = digest
    members |= {"length": str(end - record.stream_pos), "offset": str(record.stream_pos), "filename": name}
    date = re.sub(r"\D", "", headers.get("WARC-Date"))[:14]
    return f"{members['url']} {date} {json.dumps(members)}\n"


def wanted(record):
    return record.record_type & KINDS and not (
        record.record_type in (WarcRecordType.resource, WarcRecordType.metadata)
        and record.headers.get("Content-Type") == "application/warc-fields")


def main():
    source, destination = sys.argv[1:3]
    name = os.path.basename(source)
    with open(destination, "w", encoding="utf-8") as out:
        before = None
        for record in ArchiveIterator(source, parse_http=True):
            if before is not None:
                out.write(line(before, record.stream_pos, name))
            before = record if wanted(record) else None
        if before is not None:
            out.write(line(before, os.path.getsize(source), name))


main()
