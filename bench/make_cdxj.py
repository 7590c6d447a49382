#!/usr/bin/env python3
"""make_cdxj.py REAL.cdxj LINES OUT.cdxj: a sorted CDXJ of LINES captures: those of REAL among made-up ones
of other archives, whose hosts are spread over the alphabet."""
import hashlib
import heapq
import json
import string
import sys

CAPTURES_A_HOST = 25


def made_up(count):
    """Ascending lines: five letters of a host, then its pages."""
    hosts = -(-count // CAPTURES_A_HOST)
    letters = string.ascii_lowercase
    for host in range(hosts):
        rest, name = host * len(letters) ** 5 // hosts, ""
        for _ in range(5):
            rest, letter = divmod(rest, len(letters))
            name = letters[letter] + name
        for page in range(min(CAPTURES_A_HOST, count - host * CAPTURES_A_HOST)):
            digest = hashlib.md5(b"%d/%d" % (host, page)).hexdigest().upper()
            members = {"url": f"http://www.{name}-example.com/page-{page:02}/index.html", "mime": "text/html", "status": "200",
                       "digest": f"sha1:{digest}", "length": str(2000 + page), "offset": str(1000000 + host % 1000 * 1000000 + page * 10000),
                       "filename": f"other-{host % 977:05}.warc.gz"}
            yield f"com,{name}-example)/page-{page:02}/index.html 20120210{page:02}0000 {json.dumps(members)}\n"


def main():
    real_path, lines, out_path = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    with open(real_path, encoding="utf-8") as file, open(out_path, "w", encoding="utf-8") as out:
        real = file.readlines()
        out.writelines(heapq.merge(real, made_up(lines - len(real))))


main()
