"""Zstandard files: the records that a reader delivers, and the rules that verify reports."""
import hashlib
import json

import pytest
from program import FIXTURES, cat, ls, verify

FOLDER = FIXTURES / "warc-zst"
EXPECTED = json.loads((FOLDER / "expected.json").read_text())
FILES = sorted(name for name in EXPECTED if (FOLDER / name).exists())
RULES = ("zs-", "zr-", "zf-", "zd-", "zl-", "zn-")


def zst_errors(findings):
    return {f["code"] for f in findings if f["severity"] == "error" and f["code"].startswith(RULES)}


def slugs(rules):
    return {rule.lower() for rule in rules}


@pytest.mark.parametrize("name", FILES)
def test_records_are_delivered_byte_for_byte(name):
    expected, path = EXPECTED[name], FOLDER / name
    if expected.get("may_refuse"):
        pytest.skip("a decoder may refuse it")
    records, _ = ls(path, "--full")
    sure = [r for r in records if r["length"] is not None]
    shared = name == "bad-two-records-one-frame.warc.zst"
    assert [r["offset"] for r in sure] == [e["offset"] for e in expected["records"]]
    assert shared == any(r.get("inner") for r in sure)
    for r, e in zip(sure, expected["records"], strict=True):
        data = cat(path, f"index:{r['index']}", "record")
        assert (len(data), hashlib.sha256(data).hexdigest()) == (e["raw_length"], e["sha256"]), r["index"]


@pytest.mark.parametrize("name", [n for n in FILES if not EXPECTED[n].get("may_refuse")])
def test_skimming_lists_the_same_records(name):
    keys = ("offset", "inner", "id", "length")
    full, skimmed = ([[r.get(k) for k in keys] for r in ls(FOLDER / name, *o)[0]] for o in (["--full"], []))
    assert skimmed == full


@pytest.mark.parametrize("name", FILES)
def test_strict_verify_reports_exactly_the_violations_as_errors(name):
    expected = EXPECTED[name]
    findings, _, status = verify(FOLDER / name, "--strict")
    limits = {"zl-window", "zl-dict-decoded", "zl-dict-stored"}
    assert zst_errors(findings) - limits == slugs(expected["violations"])
    assert status == 1 or not expected["violations"]


@pytest.mark.parametrize("name", [n for n in FILES if EXPECTED[n]["wild"]])
def test_what_writers_in_the_wild_do_is_a_warning_by_default(name):
    findings, _, _ = verify(FOLDER / name)
    warned = {f["code"] for f in findings if f["severity"] == "warning"}
    assert slugs(EXPECTED[name]["wild"]) <= warned
    assert zst_errors(findings) == slugs(EXPECTED[name]["violations"]) - slugs(EXPECTED[name]["wild"])


@pytest.mark.parametrize("name", [n for n in FILES if n.startswith("ok-")])
def test_conforming_files_verify_clean(name):
    findings, closing, status = verify(FOLDER / name)
    assert [f["code"] for f in findings if f["code"].startswith(RULES) and f["severity"] != "note"] == []
    assert (closing["records"], closing["errors"], status) == (15, 0, 0)


@pytest.mark.parametrize("name,note", [("ok-extension-frames.warc.zst", "zn-ext"),
                                       ("ok-empty-frames.warc.zst", "zn-empty"),
                                       ("ok-multi-frame-records.warc.zst", "zr-split")])
def test_permitted_shapes_are_notes(name, note):
    found = {(f["code"], f["severity"]) for f in verify(FOLDER / name)[0]}
    assert (note, "note") in found


@pytest.mark.parametrize("name,rule", [("bad-window-16m.warc.zst", "zl-window"),
                                       ("bad-dict-bomb.warc.zst", "zl-dict-decoded")])
def test_exceeded_limits_are_named(name, rule):
    assert rule in {f["code"] for f in verify(FOLDER / name)[0]}
