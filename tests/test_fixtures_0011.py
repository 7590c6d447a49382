"""WARC 00.11: every record of every set as its expected.json says."""
import base64
import hashlib
import json

import pytest
from program import WARC, blocks, codes, ls, verify

MODEL_TYPE = {"http-response": "response", "http-request": "request", "dns-response": "resource", "data": "resource"}
RESYNC = {"resync", "resync-short"}


def all_files():
    sets = [json.loads(path.read_text()) for path in sorted((WARC / "0011").glob("*.expected.json"))]
    return [pytest.param(file, id=file["file"]) for one in sets for file in one["files"]
            if (WARC / "0011" / file["file"]).exists()]


def model_type(record):
    if (record.get("revisit") or {}).get("comparison"):
        return "revisit"
    return MODEL_TYPE.get(record["type"], record["type"])


@pytest.mark.parametrize("file", all_files())
def test_records(file):
    path = WARC / "0011" / file["file"]
    ours, _ = ls(path, "--headers", "--full")
    assert len(ours) == len(file["records"])
    for r, e, block in zip(ours, file["records"], blocks(path, ours), strict=True):
        where = f"record {r['index']}"
        positional = "segment" in e
        member = e.get("member")
        assert r["offset"] == (member["offset"] if member else e["offset"]), where
        assert r.get("inner", 0) == 0, where
        assert r["version"].lower() == "warc/" + e["version"], where
        assert r["type"] == model_type(e), where
        if e.get("type_explicit") and e["type"] != r["type"]:
            assert r["stored_type"] in (e["type"], "dns-request"), where
        assert r.get("id") == e["record_id"], where
        assert r.get("date") == e["date"], where
        assert r.get("date_raw", e["date"]) == e["date_raw"], where
        assert r["length"] == e["block_length"], where
        assert r["headers"] == e["fields"], where
        assert r["header_length"] == e["header_length"], where
        assert r["trailing"] == e["trailing"], where
        assert codes(r) - RESYNC == set(e["warnings"]), where
        assert "sha1:" + base64.b32encode(hashlib.sha1(block).digest()).decode() == e["block_sha1"], where
        if positional:
            segment = r.get("segment", {"number": 1, "code": "w"})
            assert (segment["number"], segment["code"]) == (e["segment"]["number"], e["segment"]["code"]), where
            assert segment.get("origin") == e["segment_origin_id"], where
            assert r.get("warcinfo_id") == e["warcinfo_id"], where
            if "uri" in e["type_params"]:
                assert r["uri"] == e["type_params"]["uri"], where


@pytest.mark.parametrize("file", all_files())
def test_skimming_lists_the_same_records(file):
    path = WARC / "0011" / file["file"]
    known = ("offset", "type", "id", "date", "length", "version", "segment")
    full, skimmed = ls(path, "--full")[0], ls(path)[0]
    assert [[r.get(k) for k in known] for r in skimmed] == [[r.get(k) for k in known] for r in full]


@pytest.mark.parametrize("file", all_files())
def test_resyncs(file):
    found = [(f["code"], f["offset"]) for f in verify(WARC / "0011" / file["file"])[0] if f["code"] in RESYNC]
    assert found == [(d["code"], d["at"]) for d in file["diagnostics"]]


@pytest.mark.parametrize("file", [f for f in all_files() if "true_record_offsets" in f.values[0]])
def test_skip_damaged_finds_the_true_records(file):
    records, _ = ls(WARC / "0011" / file["file"], "--skip-damaged")
    assert [r["offset"] for r in records] == file["true_record_offsets"]


def test_cut_records_say_so():
    records, _ = ls(WARC / "0011/07-truncated.warc")
    said = {r["segment"]["code"]: r.get("truncated") for r in records if r.get("segment")}
    assert (said.get("t"), said.get("z")) == ("time", "length")
