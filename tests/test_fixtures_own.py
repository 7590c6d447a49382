"""Every file of warc/own gives what its expected.json says."""
import hashlib
import json

import pytest
from program import DIGEST_CODES, WARC, blocks, cat, codes, fonds, ls, verify

EXPECTED = json.loads((WARC / "own/expected.json").read_text())["files"]
FILES = sorted(name for name in EXPECTED if (WARC / "own" / name).exists())
HTTP_CODES = {"coding-not-applied", "not-chunked", "chunk-damaged", "http-no-status-line"}


def having(key):
    return [name for name in FILES if key in EXPECTED[name]]


def http_records():
    return [(name, i) for name in having("http") for i in range(len(EXPECTED[name]["http"]))]


def digest_records():
    return [(name, i) for name in having("digests") for i in range(len(EXPECTED[name]["digests"]))]


def listing(records, contents):
    return [[r["offset"], r.get("type"), r["length"], hashlib.sha1(block).hexdigest(), r.get("inner", 0)]
            for r, block in zip(records, contents, strict=True)]


def compare(ours, expected):
    """A record without a block to rely on may be listed, or be reported as a damaged tail only."""
    wanted = [entry + [0] * (5 - len(entry)) for entry in expected]
    unsure = {(e[0], e[4]) for e in wanted if e[2] is None}
    assert [e for e in ours if (e[0], e[4]) not in unsure] == [e for e in wanted if e[2] is not None]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("options", [[], ["--full"]], ids=["skimming", "full"])
def test_ls_lists_the_expected_records(name, options):
    path = WARC / "own" / name
    records, _ = ls(path, *options)
    assert [r["index"] for r in records] == list(range(len(records)))
    compare(listing(records, blocks(path, records)), EXPECTED[name]["records_list"])


@pytest.mark.parametrize("name", FILES)
def test_output_does_not_depend_on_threads(name):
    path = WARC / "own" / name
    for command in (["ls", "--json"], ["ls", "--json", "--full", "--headers"], ["verify", "--json"], ["cat"]):
        runs = {(done.stdout, done.stderr, done.returncode)
                for done in (fonds(*command, "--threads", n, path) for n in (1, 2, 7))}
        assert len(runs) == 1, command


@pytest.mark.parametrize("name", FILES)
def test_cat_by_index_and_by_offset_give_the_same_block(name):
    path = WARC / "own" / name
    records, _ = ls(path, "--full")
    for record, block in zip(records, blocks(path, records), strict=True):
        if record["length"] is None:
            continue
        key = f"offset:{record['offset']}" + (f"+{record['inner']}" if record.get("inner") else "")
        assert cat(path, f"index:{record['index']}", "block") == block
        assert cat(path, key, "block") == block


@pytest.mark.parametrize("name", having("records_list_repair"))
def test_skip_damaged_finds_the_records_of_repair_mode(name):
    path = WARC / "own" / name
    records, _ = ls(path, "--skip-damaged")
    compare(listing(records, blocks(path, records, "--skip-damaged")), EXPECTED[name]["records_list_repair"])


@pytest.mark.parametrize("name", FILES)
def test_verify_counts_its_findings_and_its_status_follows_them(name):
    findings, closing, status = verify(WARC / "own" / name)
    errors = sum(f["severity"] == "error" for f in findings)
    assert closing["errors"] == errors
    assert closing["warnings"] == sum(f["severity"] == "warning" for f in findings)
    assert closing["ok"] == (errors == 0)
    assert status == (1 if errors else 0)


@pytest.mark.parametrize("name", FILES)
def test_a_full_listing_is_status_1_when_verify_finds_damage_in_the_framing(name):
    path = WARC / "own" / name
    records, status = ls(path, "--full")
    if any(p["severity"] == "error" for r in records for p in r.get("problems", [])):
        assert status == 1
    if status == 1:
        assert verify(path)[2] == 1


@pytest.mark.parametrize("name,i", http_records())
def test_http_view(name, i):
    path, expected = WARC / "own" / name, EXPECTED[name]["http"][i]
    for part in ("payload", "decoded"):
        data = cat(path, f"index:{i}", part)
        assert (len(data), hashlib.sha1(data).hexdigest()) == (expected[f"{part}_length"], expected[f"{part}_sha1"]), part
    record = ls(path)[0][i]
    assert (record.get("http") or {}).get("status") == expected["status"]


@pytest.mark.parametrize("name,i", http_records())
def test_http_outcome_is_a_finding(name, i):
    expected = EXPECTED[name]["http"][i]
    findings = [f for f in verify(WARC / "own" / name)[0] if f["index"] == i]
    found = {f["code"] for f in findings}
    flagged = any(f["severity"] in ("warning", "error") for f in findings)
    match expected["outcome"]:
        case "ok" | "not-http":
            assert not found & HTTP_CODES
        case "tolerated" | "truncated" | "unknown-coding":
            assert flagged
        case "not-applied":
            assert found & {"coding-not-applied", "not-chunked"}
        case "damaged":
            assert "chunk-damaged" in found
        case "no-http-header":
            assert ("http-no-status-line" in found) == (expected["payload_length"] > 0)


CODE_OF = {"mismatch": "digest-mismatch", "malformed": "digest-malformed", "unsupported": "digest-unsupported",
           "match-after-decoding": "digest-match-after-decoding", "not-checked": "revisit-payload-not-checked"}


@pytest.mark.parametrize("name,i", digest_records())
def test_digest_outcome(name, i):
    expected = EXPECTED[name]["digests"][i]
    found = {f["code"] for f in verify(WARC / "own" / name)[0] if f["index"] == i} & DIGEST_CODES
    wanted = {CODE_OF[expected[kind]] for kind in ("block", "payload") if expected[kind] in CODE_OF}
    if expected.get("optional"):
        found.discard("digest-unsupported")
    assert found == wanted


# What the corner-case page names a code for; others may stand beside it.
FOUND_BY_VERIFY = [
    ("missing-trailers.warc", "trailer-missing"), ("length-short.warc", "length-suspect"),
    ("length-long.warc", "length-suspect"), ("length-huge.warc", "truncated-block"),
    ("length-negative.warc", "bad-length"), ("length-text.warc", "bad-length"),
    ("length-twice-differ.warc", "duplicate-length-differs"), ("truncated-block.warc", "truncated-block"),
    ("truncated-header.warc", "truncated-header"), ("header-lf-only.warc", "lf-only-header"),
    ("header-mixed-eol.warc", "mixed-eol"), ("space-before-colon.warc", "space-before-colon"),
    ("header-no-colon.warc", "line-without-colon"), ("header-non-utf8.warc", "non-utf8"),
    ("header-case.warc", "type-case"), ("versions.warc", "unknown-version"),
    ("versions.warc", "version-token-case"), ("unknown-type.warc", "unknown-type"),
    ("gz-bad-crc.warc.gz", "member-crc"), ("gz-bad-isize.warc.gz", "member-isize"),
    ("gz-truncated-last.warc.gz", "truncated-member"), ("gz-truncated-trailer.warc.gz", "truncated-member"),
    ("gz-zero-padding.warc.gz", "nul-padding"), ("gz-single-member.warc.gz", "not-per-record"),
    ("gz-two-per-member.warc.gz", "not-per-record"), ("gz-empty-members.warc.gz", "empty-member"),
    ("arc-transposed.arc", "arc-swapped-columns"), ("arc-v2-def-v1-records.arc", "arc-v1-in-v2"),
    ("arc-no-filedesc.arc", "arc-no-filedesc"), ("arc-length-negative.arc", "bad-length"),
    ("arc-truncated.arc", "truncated-block"),
]


@pytest.mark.parametrize("name,code", FOUND_BY_VERIFY)
def test_verify_names_the_fault(name, code):
    assert code in {f["code"] for f in verify(WARC / "own" / name)[0]}


@pytest.mark.parametrize("name", ["garbage-before.warc", "garbage-between.warc"])
def test_skipped_octets_are_a_resync(name):
    assert {f["code"] for f in verify(WARC / "own" / name)[0]} & {"resync", "resync-short"}


@pytest.mark.parametrize("name", ["ok-three.warc", "gz-per-record.warc.gz", "gz-all-header-fields.warc.gz",
                                  "lz4-per-record.warc.lz4", "arc-v1.arc", "arc-v1.arc.gz", "arc-v1-1-xml.arc"])
def test_good_files_verify_without_error_or_warning(name):
    findings, closing, status = verify(WARC / "own" / name)
    assert [f for f in findings if f["severity"] != "note"] == []
    assert (closing["ok"], status) == (True, 0)


@pytest.mark.parametrize("name,values", [
    ("folded.warc", {"X-Folded": "one two three", "X-Late": "value on next line"}),
])
def test_folded_values_are_joined_by_one_blank(name, values):
    headers = dict(h for r in ls(WARC / "own" / name, "--headers")[0] for h in r["headers"])
    assert {key: headers[key] for key in values} == values


def test_non_utf8_is_a_problem_of_its_record():
    assert "non-utf8" in set().union(*(codes(r) for r in ls(WARC / "own/header-non-utf8.warc")[0]))
