"""Real files: never fewer records than the best peer; the same ones where all peers agree."""
import hashlib
import json

import pytest
from program import WARC, blocks, ls

FILES = {name: entry for name, entry in json.loads((WARC / "third-party.json").read_text())["files"].items()
         if "records" in entry and (WARC / "third-party" / name).exists()}
NO_LENGTH = {"jwat-invalid-warcfile-lonely-revisit.warc"}  # no Content-Length: each reader has its rule
PEER_TYPE = {"arc_header": "warcinfo", "": None, "none": None}


def peer_type(spelled):
    plain = spelled.strip().lower()
    return PEER_TYPE.get(plain, plain)


@pytest.mark.parametrize("name", sorted(FILES))
@pytest.mark.parametrize("options", [[], ["--full"]], ids=["skimming", "full"])
def test_no_record_of_the_best_peer_is_missing(name, options):
    assert len(ls(WARC / "third-party" / name, *options)[0]) >= len(FILES[name]["records"])


@pytest.mark.parametrize("name", sorted(n for n in FILES if FILES[n]["agree"] and n not in NO_LENGTH))
def test_where_all_peers_agree_so_do_we(name):
    path = WARC / "third-party" / name
    records, _ = ls(path, "--full")
    ours = [[r["offset"], (r.get("type") or "").lower() or None, r["length"], hashlib.sha1(block).hexdigest()]
            for r, block in zip(records, blocks(path, records), strict=True)]
    assert ours == [[offset, peer_type(kind), length, sha1] for offset, kind, length, sha1 in FILES[name]["records"]]


@pytest.mark.parametrize("name", sorted(n for n in FILES if not FILES[n]["agree"]))
def test_where_peers_disagree_their_whole_blocks_are_among_ours(name):
    """Blocks after a wrong Content-Length, and ARC version blocks, are what the peer made of them."""
    path, entry = WARC / "third-party" / name, FILES[name]
    records, _ = ls(path, "--full")
    ours = {hashlib.sha1(block).hexdigest() for block in blocks(path, records)}
    damaged = any(r.get("problems") and any(p["severity"] == "error" for p in r["problems"]) for r in records)
    theirs = [sha1 for _, kind, length, sha1 in entry["records"] if length and peer_type(kind) != "warcinfo"]
    if not damaged:
        assert [sha1 for sha1 in theirs if sha1 not in ours] == []
