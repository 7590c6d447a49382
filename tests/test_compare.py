"""compare and train as programs: every pair of formats, statuses, pipes, and what conversions keep."""
import json
import os
import random

import pytest
from program import ROOT, WARC, fonds, json_lines

OK = WARC / "own/ok-three.warc"
RIO = ROOT / "tests/data/recordio"
GOOD = ["ok-three.warc", "gz-per-record.warc.gz", "gz-single-member.warc.gz", "lz4-per-record.warc.lz4", "arc-v1.arc", "arc-v2.arc",
        "arc-dates.arc", "arc-control-in-url.arc", "dates.warc", "digests-good.warc", "http-variants.warc", "folded.warc"]


def compare(a, b, *options, **more):
    """The differences, the closing line and the status."""
    done = fonds("compare", "--json", *options, a, b, **more)
    *differences, closing = json_lines(done.stdout)
    return differences, closing, done.returncode


def kinds(differences):
    return [d["kind"] for d in differences]


@pytest.mark.parametrize("compression", ["none", "gzip", "zstd", "lz4"])
@pytest.mark.parametrize("name", [n for n in GOOD if n != "arc-dates.arc"])
def test_another_compression_is_equal_octet_by_octet(name, compression, tmp_path):
    out = tmp_path / "out"
    assert fonds("convert", "-o", out, "--compression", compression, WARC / "own" / name).returncode == 0
    differences, closing, status = compare(WARC / "own" / name, out, "--strict")
    assert [d for d in differences if d["kind"] != "damage"] == []
    assert closing["ok"]


@pytest.mark.parametrize("target", ["warc/1.1", "warc/1.0", "warc/0.18", "warc/00.11"])
@pytest.mark.parametrize("folder,name", [("own", n) for n in GOOD] + [("0011", f"{n}.warc") for n in
                                         ("01-all-types", "02-minimal", "03-whitespace", "07-truncated", "10-tolerance")])
def test_a_conversion_that_keeps_original_headers_is_equal(folder, name, target, tmp_path):
    out = tmp_path / "out.warc.gz"
    assert fonds("convert", "-o", out, "--to", target, WARC / folder / name).returncode == 0
    differences, closing, _ = compare(WARC / folder / name, out)
    assert set(kinds(differences)) <= {"added"}
    assert closing["ok"] and closing["equal"] == closing["records_a"]


def test_without_original_headers_what_is_lost_is_told(tmp_path):
    out = tmp_path / "out.warc.gz"
    fonds("convert", "-o", out, "--to", "warc/1.0", "--no-original-header", WARC / "own/dates.warc")
    differences, _, status = compare(WARC / "own/dates.warc", out)
    assert status == 1
    assert {d["what"] for d in differences if d["kind"] == "header"} == {"WARC-Date"}


def test_an_arc_has_no_room_for_requests(tmp_path):
    out = tmp_path / "out.arc.gz"
    source = WARC / "own/gz-per-record.warc.gz"
    fonds("convert", "-o", out, "--to", "arc/1.1", source)
    differences, closing, status = compare(source, out)
    assert status == 1
    assert "request" in {d["type"] for d in differences if d["kind"] == "only-in-a"}
    assert closing["only_a"] == 2


@pytest.mark.parametrize("seed", range(20))
def test_lost_changed_and_moved_records_are_found(seed, tmp_path):
    """One difference for each thing that was done to a copy."""
    chance = random.Random(seed)
    made = [(n, b"block %d" % n) for n in range(200)]

    def text(records):
        return b"".join(b"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:%d>\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n"
                        b"WARC-Target-URI: http://e/%d\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n" % (n, n, len(b), b) for n, b in records)

    numbers = chance.sample(range(5, 195, 3), 12)
    lost, changed, added, moved = set(numbers[:3]), set(numbers[3:7]), numbers[7:10], numbers[10:]
    copy = []
    for n, block in made:
        if n in lost:
            continue
        copy.append((n, block.replace(b"block", b"blOck") if n in changed else block))
        if n in added:
            copy.append((1000 + n, b"new"))
    for n in moved:
        record = next(r for r in copy if r[0] == n)
        copy.remove(record)
        copy.insert(chance.choice([0, len(copy)]), record)
    (tmp_path / "a.warc").write_bytes(text(made))
    (tmp_path / "b.warc").write_bytes(text(copy))
    differences, closing, status = compare(tmp_path / "a.warc", tmp_path / "b.warc")
    of = {kind: {d["id"] for d in differences if d["kind"] == kind} for kind in kinds(differences)}
    assert of == {"only-in-a": {f"urn:{n}" for n in lost}, "only-in-b": {f"urn:{1000 + n}" for n in added},
                  "block": {f"urn:{n}" for n in changed}, "order": {f"urn:{n}" for n in moved}}
    assert all(d["first_difference"] == 2 for d in differences if d["kind"] == "block")
    assert closing["differences"] == 12 and status == 1


@pytest.mark.parametrize("layout", [["recordio"], ["recordio/legacy"], ["recordio/packed"], ["recordio", "--compression", "zstd"], ["jsonl"]],
                         ids=lambda o: "-".join(o))
def test_recordio_in_another_layout_has_equal_items(layout, tmp_path):
    out = tmp_path / "out"
    fonds("convert", "-o", out, "--to", *layout, RIO / "v2-manyblocks.rio")
    options = ["--format", "jsonl"] if layout == ["jsonl"] else []
    if options:  # one format for both: the archive itself becomes JSON Lines, too
        back = tmp_path / "back.rio"
        fonds("convert", "-o", back, *options, out)
        out, options = back, []
    assert compare(RIO / "v2-manyblocks.rio", out)[1]["ok"]


def test_blocks_of_a_warc_and_items_can_be_compared(tmp_path):
    out = tmp_path / "out.rio"
    fonds("convert", "-o", out, "--to", "recordio", OK)
    assert compare(OK, out)[1] == {"ok": True, "records_a": 3, "records_b": 3, "paired": 3, "equal": 3, "only_a": 0, "only_b": 0,
                                   "added": 0, "differences": 0}


def test_a_pipe_is_compared_with_a_file():
    assert compare(OK, "-", input=OK.read_bytes())[2] == 0
    changed = OK.read_bytes().replace(b"Hello", b"Hallo", 1)
    differences, _, status = compare("-", OK, input=changed)
    assert kinds(differences) == ["block"] and status == 1
    assert differences[0]["first_difference"] is None


def test_damage_is_told_and_makes_a_difference(tmp_path):
    cut = tmp_path / "cut.warc"
    cut.write_bytes(OK.read_bytes()[:-6])
    done = fonds("compare", OK, cut)
    assert done.returncode == 1
    assert b"damage" in done.stdout and b"[truncated" in done.stderr


@pytest.mark.parametrize("arguments,status", [([], 2), ([OK], 2), ([OK, OK, OK], 2), (["-", "-"], 2), ([OK, "missing"], 3),
                                              ([OK, "--ignore-fild", "x", OK], 2), ([OK, OK], 0)], ids=str)
def test_statuses(arguments, status):
    assert fonds("compare", *arguments, input=b"").returncode == status


def test_text_of_archives_cannot_write_to_the_terminal(tmp_path):
    bad = tmp_path / "bad.warc"
    bad.write_bytes(OK.read_bytes().replace(b"http://example.com/", b"http://example.co\x1b/"))
    assert b"\x1b" not in fonds("compare", OK, bad).stdout


def test_any_number_of_threads_tells_the_same(tmp_path):
    a, b = WARC / "own/digests-good.warc", WARC / "own/digests-bad.warc"
    assert len({fonds("compare", "--threads", n, a, b).stdout for n in (1, 2, 7)}) == 1


# --- train

PAGES = b"".join(b"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:%d>\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n"
                 b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (n, len(b), b)
                 for n in range(200) for b in [b"<html><head><title>A page</title></head><body>%d</body></html>" % n * 9])


@pytest.fixture
def pages(tmp_path):
    path = tmp_path / "pages.warc"
    path.write_bytes(PAGES)
    return path


def test_train_writes_a_dictionary_and_says_what_it_saves(pages, tmp_path):
    done = fonds("train", "-o", tmp_path / "d", pages)
    assert done.returncode == 0 and b"% less" in done.stderr
    assert (tmp_path / "d").read_bytes()[:4] == b"\x37\xa4\x30\xec"
    assert fonds("train", "-o", "-", pages).stdout == (tmp_path / "d").read_bytes()
    assert fonds("train", "-o", "-", "-", input=PAGES).stdout == (tmp_path / "d").read_bytes()


@pytest.mark.parametrize("options,status,words", [
    (["--size", "1"], 2, b"1024 to 8388608"), (["--size", "1G"], 2, b"1024 to 8388608"), (["--level", "23"], 2, b"-7 to 22"),
    (["--level", "x"], 2, b"whole number"), (["--sample", "1T"], 2, b"--memory")], ids=str)
def test_train_refuses_what_cannot_be(options, status, words, pages, tmp_path):
    done = fonds("train", "-o", tmp_path / "d", *options, pages)
    assert done.returncode == status and words in done.stderr
    assert not (tmp_path / "d").exists()


def test_train_needs_records_and_leaves_nothing_without(tmp_path):
    done = fonds("train", "-o", tmp_path / "d", OK)
    assert done.returncode == 3 and b"too few" in done.stderr
    assert os.listdir(tmp_path) == []


def test_train_does_not_replace_a_file_unasked(pages, tmp_path):
    (tmp_path / "d").write_text("mine")
    assert fonds("train", "-o", tmp_path / "d", pages).returncode == 3
    assert (tmp_path / "d").read_text() == "mine"
    assert fonds("train", "-f", "-o", tmp_path / "d", pages).returncode == 0


def test_train_stops_at_damage_unless_told_otherwise(pages, tmp_path):
    pages.write_bytes(PAGES[:-6])
    assert fonds("train", "-o", tmp_path / "d", pages).returncode == 1
    assert not (tmp_path / "d").exists()
    assert fonds("train", "--skip-damaged", "-o", tmp_path / "d", pages).returncode == 1
    assert (tmp_path / "d").exists()


def test_convert_uses_a_trained_dictionary_only_if_it_pays(pages, tmp_path):
    done = fonds("convert", "--dictionary", "train", "-o", tmp_path / "a.warc.zst", pages)
    assert done.returncode == 0 and b"% less" in done.stderr
    assert json.loads(fonds("info", "--json", tmp_path / "a.warc.zst").stdout)["warc"]["dictionary"] == "compressed"
    done = fonds("convert", "--dictionary", "train", "-o", tmp_path / "b.warc.zst", OK)
    assert done.returncode == 0 and b"too few" in done.stderr


@pytest.mark.parametrize("options", [["--extension", "size"], ["--frame-size", "1"], ["--raw-dictionary"], ["--compression", "gzip", "--extension",
                                     "seek-table"], ["--compression", "gzip", "--dictionary", "train"]], ids=str)
def test_convert_refuses_options_that_go_with_nothing(options, pages, tmp_path):
    assert fonds("convert", "-o", tmp_path / "out.warc.zst", *options, pages).returncode == 2
    assert not (tmp_path / "out.warc.zst").exists()
