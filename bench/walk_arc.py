#!/usr/bin/env python3
"""walk_arc.py FILE: walks every record of an ARC file with warctools and prints a line of JSON."""
import collections
import json
import sys

from hanzo.warctools import ArchiveRecord

types = collections.Counter()
bad = 0
for _, record, errors in ArchiveRecord.open_archive(sys.argv[1], gzip="auto").read_records(limit=None):
    if record:
        types[record.type.decode()] += 1
    elif errors:
        bad += 1
print(json.dumps({"records": sum(types.values()), "bad": bad, "types": dict(sorted(types.items()))}))
