"""RecordIO: what must be in each fixture, what damage costs, what repair saves."""
import base64
import json
import random

import pytest
from program import fonds, json_lines, ls, verify
from recordio_files import (CHUNK, EXPECTED, FOLDER, XOR, chunks, contents, digest, header_of, info_of, items_of,
                            legacy_records, listed, options, split_prefixed)

VALID = sorted(name for name, e in EXPECTED.items() if e["valid"])
WARNED = [name for name in VALID if EXPECTED[name].get("warn")]
DAMAGED = sorted(set(EXPECTED) - set(VALID))
WITH_ITEMS = [name for name in VALID if EXPECTED[name]["records"]["count"]]
UNKNOWN = "v2-transformer-unknown.rio"


def records(name):
    return EXPECTED[name]["records" if EXPECTED[name]["valid"] else "recoverable"]


def damage(name):
    """(offset, text) of each error that verify must find."""
    e = EXPECTED[name]
    if e.get("damage"):
        return [(offset, text) for offset, _, text in e["damage"]]
    # Nothing is skipped, but a plain reader stops: a later header block, or none at all.
    return [(98304 if name == "v2-concatenated.rio" else 0, e["why"])]


# --- good files

@pytest.mark.parametrize("name", VALID)
def test_ls_lists_the_items(name):
    assert listed(FOLDER / name, *options(name)) == (records(name)["list"], 0)


@pytest.mark.parametrize("name", VALID)
def test_rows_say_where_an_item_lies(name):
    rows, _ = ls(FOLDER / name, *options(name))
    assert [r["index"] for r in rows] == list(range(len(rows)))
    assert [(r["offset"], r.get("inner", 0), r["format"]) for r in rows] == [(r["block"], r["item"], "recordio") for r in rows]


def test_the_table_has_index_block_item_and_length():
    assert fonds("ls", FOLDER / "v2-tiny.rio").stdout == b"0\t32768\t0\t5\n1\t32768\t1\t0\n2\t32768\t2\t6\n"


def test_stored_length_is_known_where_an_item_has_its_block_alone():
    calls = EXPECTED["legacy-plain.grail-rio"]["legacy_index_calls"]
    assert [[r["offset"], r["stored_length"]] for r in ls(FOLDER / "legacy-plain.grail-rio")[0]] == calls
    assert {r["stored_length"] for r in ls(FOLDER / "v2-tiny.rio")[0]} == {None}


@pytest.mark.parametrize("name", VALID)
def test_cat_gives_the_items_back_to_back(name):
    done = fonds("cat", *options(name), FOLDER / name)
    assert (digest(done.stdout), done.returncode) == (records(name)["sha256_concat"], 0)


@pytest.mark.parametrize("name", VALID)
def test_lengths_before_the_items_cut_them_right(name):
    items = items_of(FOLDER / name, *options(name))
    assert [[len(item), digest(item)] for item in items] == contents(records(name)["list"])


@pytest.mark.parametrize("option,separator", [("--newline", b"\n"), ("--null", b"\0")])
def test_a_separator_follows_each_item(option, separator):
    assert fonds("cat", option, FOLDER / "v2-tiny.rio").stdout == separator.join([b"hello", b"", b"world!", b""])


@pytest.mark.parametrize("name", VALID)
def test_jsonl_holds_place_and_bytes(name):
    done = fonds("cat", "--jsonl", *options(name), FOLDER / name)
    found = []
    for line in json_lines(done.stdout):
        assert line.keys() in ({"block", "item", "data"}, {"block", "item", "data_base64"})
        item = line["data"].encode() if "data" in line else base64.b64decode(line["data_base64"], validate=True)
        found.append([line["block"], line["item"], len(item), digest(item)])
        if "data_base64" in line:
            with pytest.raises(UnicodeDecodeError):
                item.decode("utf-8")
    assert (found, done.returncode) == (records(name)["list"], 0)


@pytest.mark.parametrize("key", ["block:{0}/{1}", "offset:{0}+{1}", "index:{2}"])
@pytest.mark.parametrize("name", WITH_ITEMS)
def test_a_key_leads_to_its_item(name, key):
    rows = records(name)["list"]
    keys = [key.format(*row[:2], n) for n, row in enumerate(rows)]
    backwards = keys[::-1]
    done = fonds("cat", "--length-prefixed", *options(name), FOLDER / name, *backwards)
    found = [[len(item), digest(item)] for item in split_prefixed(done.stdout)]
    # Whether several keys come in their own order or in that of the file is not the point here.
    assert found in (contents(rows), contents(rows)[::-1]) and done.returncode == 0
    for row, one in [(rows[0], keys[0]), (rows[-1], keys[-1])]:
        done = fonds("cat", *options(name), FOLDER / name, one)
        assert (len(done.stdout), digest(done.stdout), done.returncode) == (row[2], row[3], 0)


@pytest.mark.parametrize("key", ["block:32768/3", "block:0/0", "block:65536/0", "block:32769/0", "block:999999999/0",
                                 "block:32768/18446744073709551615", "index:3"])
def test_a_key_without_an_item_is_status_1(key):
    done = fonds("cat", FOLDER / "v2-tiny.rio", key)
    assert (done.stdout, done.returncode) == (b"", 1) and done.stderr


@pytest.mark.parametrize("key", ["block:", "block:1", "block:/", "block:1/x", "block:-1/0", "block:1/2/3"])
def test_a_malformed_key_is_status_2(key):
    done = fonds("cat", FOLDER / "v2-tiny.rio", key)
    assert (done.stdout, done.returncode) == (b"", 2) and done.stderr


@pytest.mark.parametrize("name", ["v2-manyblocks.rio", "v2-zstd.rio", "legacy-packed.grail-rpk", "legacy-plain.grail-rio"])
@pytest.mark.parametrize("n", [1, 3, 1000])
def test_limit_and_tail_take_the_first_and_the_last(name, n):
    items = items_of(FOLDER / name)
    first, last = (fonds("cat", "--length-prefixed", option, str(n), FOLDER / name) for option in ("--limit", "--tail"))
    assert split_prefixed(first.stdout) == items[:n]
    assert split_prefixed(last.stdout) == items[max(0, len(items) - n) :]


@pytest.mark.parametrize("name", VALID)
def test_standard_input_gives_what_the_file_gives(name):
    for command in (["ls", "--json", "--hash"], ["verify", "--json"], ["cat"]):
        from_file = fonds(*command, *options(name), FOLDER / name)
        from_pipe = fonds(*command, *options(name), "-", input=(FOLDER / name).read_bytes())
        named = from_file.stdout.replace(json.dumps(str(FOLDER / name)).encode(), b'"-"')
        assert (from_pipe.stdout, from_pipe.returncode) == (named, from_file.returncode), command


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_the_number_of_threads_changes_nothing(name):
    for command in (["ls", "--json", "--hash", "--skip-damaged"], ["verify", "--json"], ["cat"]):
        runs = [fonds(*command, *options(name), "--threads", str(n), FOLDER / name) for n in (1, 2, 7)]
        assert len({(run.stdout, run.stderr, run.returncode) for run in runs}) == 1, command


# --- header and trailer

@pytest.mark.parametrize("name", [n for n in sorted(EXPECTED) if EXPECTED[n]["format"] != "empty"])
def test_info_names_the_layout(name):
    assert info_of(FOLDER / name)["recordio"]["layout"] == EXPECTED[name]["format"]


@pytest.mark.parametrize("name", [n for n in sorted(EXPECTED) if "header" in EXPECTED[n]])
def test_info_has_the_header_entries(name):
    info = info_of(FOLDER / name)
    wanted = [(key, kind, str(value).lower() if kind == "bool" else value) for key, kind, value in EXPECTED[name]["header"]]
    assert header_of(info) == wanted
    assert info["recordio"].get("transformers", []) == [value for key, _, value in wanted if key == "transformer"]


@pytest.mark.parametrize("name", [n for n in sorted(EXPECTED) if "trailer" in EXPECTED[n]])
def test_info_and_cat_have_the_trailer(name):
    wanted = EXPECTED[name]["trailer"]
    info = info_of(FOLDER / name)["recordio"]
    assert info.get("trailer") == (wanted and {"length": wanted["len"], "sha256": wanted["sha256"]})
    if wanted:
        done = fonds("cat", "--trailer", FOLDER / name)
        assert (len(done.stdout), digest(done.stdout)) == (wanted["len"], wanted["sha256"])


@pytest.mark.parametrize("name", VALID)
def test_deep_info_counts_items_and_bytes(name):
    info = info_of(FOLDER / name, "--deep", *options(name)).get("recordio", {})
    wanted = records(name)
    blocks = len({row[0] for row in wanted["list"]})
    assert [info.get(key, 0) for key in ("items", "item_bytes", "blocks")] == [wanted["count"], wanted["bytes"], blocks]


# --- verify

@pytest.mark.parametrize("name", VALID)
def test_good_files_verify_and_warnings_are_what_the_fixture_says(name):
    findings, closing, status = verify(FOLDER / name, *options(name))
    found = [f["message"] for f in findings if f["severity"] == "warning"]
    wanted = EXPECTED[name].get("warn", [])
    assert [f for f in findings if f["severity"] == "error"] == []
    assert len(found) == len(wanted) and all(any(m.startswith(text) for m in found) for text in wanted), found
    assert (closing["ok"], closing["records"], closing["warnings"], status) == (True, records(name)["count"], len(wanted), 0)


@pytest.mark.parametrize("name", WARNED)
def test_strict_makes_warnings_errors(name):
    assert verify(FOLDER / name, "--strict")[2] == 1


@pytest.mark.parametrize("name", DAMAGED)
def test_verify_tells_each_damage_at_its_place(name):
    findings, closing, status = verify(FOLDER / name)
    errors = [(f["offset"], f["message"]) for f in findings if f["severity"] == "error"]
    assert [offset for offset, _ in errors] == [offset for offset, _ in damage(name)], errors
    assert all(message.startswith(text) for (_, message), (_, text) in zip(errors, damage(name))), errors
    assert (closing["ok"], closing["errors"], status) == (False, len(errors), 1)


# --- damaged files: reading

@pytest.mark.parametrize("name", DAMAGED)
def test_what_is_recoverable_is_delivered(name):
    assert listed(FOLDER / name, "--skip-damaged") == (records(name)["list"], 1)
    done = fonds("cat", "--skip-damaged", FOLDER / name)
    assert (digest(done.stdout), done.returncode) == (records(name)["sha256_concat"], 1)


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_told_on_stderr_and_reading_goes_on(name):
    done = fonds("ls", FOLDER / name)
    said = done.stderr.decode()
    assert done.returncode == 1
    for offset, text in damage(name):
        assert f"{name}: offset {offset}" in said and text in said
    assert all(row in records(name)["list"] for row in listed(FOLDER / name)[0])


@pytest.mark.parametrize("name", DAMAGED)
def test_strict_stops_at_the_damage(name):
    rows, status = listed(FOLDER / name, "--strict")
    before = [row for row in records(name)["list"] if row[0] < damage(name)[0][0]]
    assert (rows, status) == (before, 1)


@pytest.mark.parametrize("name", [n for n in DAMAGED if records(n)["count"]])
def test_items_of_a_damaged_file_are_found_by_location(name):
    rows = records(name)["list"]
    for block, item, length, wanted in (rows[0], rows[-1]):
        done = fonds("cat", FOLDER / name, f"block:{block}/{item}")
        assert (len(done.stdout), digest(done.stdout)) == (length, wanted)


def test_blocks_behind_the_trailer_are_recovered_but_not_read():
    name = "v2-behind-trailer.rio"
    anywhere = EXPECTED[name]["body_blocks_anywhere"]
    rows, _ = listed(FOLDER / name, "--skip-damaged")
    assert len(rows) == anywhere["count"]
    assert digest(fonds("cat", "--skip-damaged", FOLDER / name).stdout) == anywhere["sha256_concat"]
    assert b"data behind the trailer" in fonds("ls", FOLDER / name).stderr


def test_a_concatenated_file_is_no_damage_when_asked_for():
    path = FOLDER / "v2-concatenated.rio"
    assert listed(path, "--concatenated") == (EXPECTED[path.name]["recoverable"]["list"], 0)


def test_a_file_without_header_block_may_be_told_its_transformers(tmp_path):
    path = tmp_path / "tail.rio"
    path.write_bytes((FOLDER / "v2-custom-transformer.rio").read_bytes()[CHUNK:])
    rows, _ = listed(path, "--assume-transformer", "xor 90", "--undo", XOR)
    assert contents(rows) == contents(EXPECTED["v2-custom-transformer.rio"]["records"]["list"])


@pytest.mark.parametrize("given", [[], ["--assume-transformer", "flate"]], ids=["recognised", "told"])
def test_transformed_legacy_records_are_read(given):
    name = "legacy-packed-flate.grail-rpk-gz"
    assert listed(FOLDER / name, *given) == (records(name)["list"], 0)


def test_a_transformer_that_nobody_gave_is_named():
    done = fonds("ls", "--json", FOLDER / "v2-custom-transformer.rio")
    assert (done.stdout, done.returncode) == (b"", 1) and b"unknown transformer xor" in done.stderr


@pytest.mark.parametrize("command", ["xor=exit 3", "xor=no-such-program-here", "xor=kill -9 $$"])
def test_a_transformer_that_fails_costs_its_blocks(command):
    rows, status = listed(FOLDER / "v2-custom-transformer.rio", "--undo", command)
    assert (rows, status) == ([], 1)


@pytest.mark.parametrize("data", [b"Dear reader\n" * 9, b"\0" * 40000, bytes.fromhex("d9e1d95cc21604"), bytes.fromhex("2e764775")],
                         ids=["text", "zeros", "seven-bytes", "half-a-magic"])
def test_what_is_no_recordio_is_refused(data, tmp_path):
    path = tmp_path / "letter.rio"
    path.write_bytes(data)
    for command in (["ls", "--format", "recordio"], ["verify", "--format", "recordio"], ["info", "--format", "recordio"]):
        done = fonds(*command, path)
        assert done.returncode in (1, 3) and b"letter.rio" in done.stdout + done.stderr, command


# --- repair

def repaired(name, folder, *given):
    out = folder / f"out{(FOLDER / name).suffix}"
    before = (FOLDER / name).read_bytes()
    done = fonds("repair", "-o", out, *options(name), *given, FOLDER / name)
    assert (FOLDER / name).read_bytes() == before
    return out, done


@pytest.mark.parametrize("name", [n for n in VALID if n not in WARNED])
def test_repair_of_a_good_file_changes_nothing(name, tmp_path):
    out, done = repaired(name, tmp_path)
    assert (out.read_bytes() == (FOLDER / name).read_bytes(), done.returncode) == (True, 0)


@pytest.mark.parametrize("name", [n for n in DAMAGED if n != UNKNOWN])
def test_repair_keeps_every_good_block_and_drops_the_rest(name, tmp_path):
    out, done = repaired(name, tmp_path, "--whole-blocks")
    lost = EXPECTED[name].get("damage", [])
    assert done.returncode == (1 if lost else 0)
    rows, status = listed(out)
    assert (contents(rows), status) == (contents(records(name)["list"]), 0)
    findings, closing, status = verify(out)
    assert ([f for f in findings if f["severity"] == "error"], closing["ok"], status) == ([], True, 0)
    said = (done.stdout + done.stderr).decode()
    assert all(f"offset {offset}" in said and text in said for offset, _, text in lost)
    if EXPECTED[name].get("header"):
        assert header_of(info_of(out)) == header_of(info_of(FOLDER / name))


@pytest.mark.parametrize("name", [n for n in DAMAGED if n not in (UNKNOWN, "v2-corrupt-chunk.rio")])
def test_where_no_single_item_can_be_saved_repair_gives_the_same(name, tmp_path):
    whole, _ = repaired(name, tmp_path, "--whole-blocks")
    both = tmp_path / "both"
    fonds("repair", "-o", both, FOLDER / name)
    assert both.read_bytes() == whole.read_bytes()


def test_single_items_of_a_damaged_block_are_saved(tmp_path):
    out, done = repaired("v2-corrupt-chunk.rio", tmp_path)
    undamaged = EXPECTED["v2-multichunk.rio"]["records"]["list"]
    assert contents(listed(out)[0]) == contents(undamaged[1:])  # only the first reaches into the bad chunk
    assert done.returncode == 1 and verify(out)[2] == 0


def test_blocks_of_an_unknown_transformer_are_copied(tmp_path):
    out, _ = repaired(UNKNOWN, tmp_path)
    assert out.read_bytes() == (FOLDER / UNKNOWN).read_bytes()


def test_repair_saves_blocks_and_trailer_behind_a_trailer(tmp_path):
    name = "v2-behind-trailer.rio"
    out, _ = repaired(name, tmp_path)
    assert len(listed(out)[0]) == EXPECTED[name]["body_blocks_anywhere"]["count"]
    assert digest(fonds("cat", "--trailer", out).stdout) == EXPECTED[name]["trailer"]["sha256"]
    assert [f for f in verify(out)[0] if f["severity"] != "note"] == []


# --- cuts and flips

BATCH = 100


def run(folder, variants, *command):
    """The JSON objects of `command` over all variants ({name: bytes}), by name."""
    found = {name: [] for name in variants}
    names = sorted(variants)
    for start in range(0, len(names), BATCH):
        batch = names[start : start + BATCH]
        for name in batch:
            (folder / name).write_bytes(variants[name])
        done = fonds(*command, "--format", "recordio", *batch, cwd=folder, timeout=120)
        for line in json_lines(done.stdout):
            found[line["archive"]].append(line)
        for name in batch:
            (folder / name).unlink()
    return found


def delivered(folder, variants, *given):
    found = run(folder, variants, "ls", "--json", "--hash", *given)
    return {name: [[r["block"], r["item"], r["length"], r["sha256"]] for r in rows] for name, rows in found.items()}


def accepted(folder, variants):
    """The variants in which verify finds no error."""
    found = run(folder, variants, "verify", "--json")
    return {name for name, lines in found.items() if lines and lines[-1]["errors"] == 0}


def block_ranges(name):
    """(start, end) of all blocks, header and trailer too."""
    data = (FOLDER / name).read_bytes()
    if name.startswith("legacy"):
        return [record[:2] for record in legacy_records(data)]
    return [(at, at + CHUNK * total) for at, _, total, index in chunks(data) if index == 0]


@pytest.mark.parametrize("given", [[], ["--skip-damaged"]], ids=["reading", "skipping"])
@pytest.mark.parametrize("name,step", [("v2-plain.rio", 997), ("v2-zstd.rio", 997), ("v2-multichunk.rio", 3989),
                                       ("legacy-plain.grail-rio", 397), ("legacy-packed.grail-rpk", 37)])
def test_cut_anywhere_every_whole_block_is_delivered_and_the_cut_is_told(name, step, given, tmp_path):
    data = (FOLDER / name).read_bytes()
    variants = {f"{n:06}": data[:n] for n in range(step, len(data), step)}
    ends = {end for _, end in block_ranges(name)}
    whole = {start: end for start, end in block_ranges(name)}
    rows = records(name)["list"]
    for cut, found in delivered(tmp_path, variants, *given).items():
        assert found == [row for row in rows if whole[row[0]] <= int(cut)], cut
    assert accepted(tmp_path, variants) == {cut for cut in variants if int(cut) in ends}


def flipped_places(name, count):
    """Half of the places anywhere, half where a v2 file has no padding."""
    data = (FOLDER / name).read_bytes()
    places = random.Random(name).sample(range(len(data)), count // 2)
    used = [range(0, len(data))] if name.startswith("legacy") else \
        [range(at, at + 28 + size) for at, size, _, _ in chunks(data)]
    choose = random.Random(name + " used")
    for _ in range(count - len(places)):
        places.append(choose.choice(choose.choice(used)))
    return sorted(set(places))


def flips(name, places):
    data = (FOLDER / name).read_bytes()
    return {f"{at:06}": data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1 :] for at in places}


@pytest.mark.parametrize("name", ["v2-plain.rio", "v2-zstd.rio", "v2-multichunk.rio", "v2-trailer-index.rio"])
def test_a_flip_costs_at_most_its_block_and_is_told_unless_it_hit_the_padding(name, tmp_path):
    data = (FOLDER / name).read_bytes()
    variants = flips(name, flipped_places(name, 160))
    padding = [range(at + 28 + size, at + CHUNK) for at, size, _, _ in chunks(data)]
    harmless = {place for place in variants if any(int(place) in gap for gap in padding)}
    rows = records(name)["list"]
    for place, found in delivered(tmp_path, variants, "--skip-damaged").items():
        start, end = next(b for b in block_ranges(name) if b[0] <= int(place) < b[1])
        lost = [] if place in harmless else [row for row in rows if start <= row[0] < end]
        assert found == [row for row in rows if row not in lost], place
    assert accepted(tmp_path, variants) == harmless


@pytest.mark.parametrize("name", ["legacy-plain.grail-rio", "legacy-packed.grail-rpk", "legacy-mixed.grail-rio"])
def test_a_flip_in_a_legacy_file_costs_at_most_its_record(name, tmp_path):
    data = (FOLDER / name).read_bytes()
    layout = legacy_records(data)
    heads = [at for start, _, table in layout for at in range(start, table)]
    places = sorted(set(flipped_places(name, 120) + random.Random(name).sample(heads, min(60, len(heads)))))
    variants = flips(name, places)
    rows = records(name)["list"]
    unchecked = set()
    for place, found in delivered(tmp_path, variants, "--skip-damaged").items():
        start, end, table = next(r for r in layout if r[0] <= int(place) < r[1])
        others = [row for row in rows if not start <= row[0] < end]
        assert [row for row in found if not start <= row[0] < end] == others, place
        hit = [row for row in found if start <= row[0] < end]
        if int(place) >= table:  # items have no checksum here: one of them is another
            unchecked.add(place)
            assert sum(a != b for a, b in zip(hit, [r for r in rows if start <= r[0] < end], strict=True)) == 1, place
        else:
            assert hit == [], place
    assert accepted(tmp_path, variants) == unchecked


@pytest.mark.parametrize("name", ["v2-plain.rio", "v2-zstd.rio", "v2-stacked.rio", "legacy-packed-flate.grail-rpk-gz"])
def test_flips_never_crash_a_command(name, tmp_path):
    variants = flips(name, flipped_places(name, 60))
    for n, (place, data) in enumerate(sorted(variants.items())):
        path = tmp_path / place
        path.write_bytes(data)
        fonds("info", "--json", "--deep", path)
        fonds("cat", path)
        if n % 4 == 0:
            fonds("repair", "-o", tmp_path / f"{place}.out", path)
            assert not (tmp_path / f"{place}.out").exists() or verify(tmp_path / f"{place}.out")[1]["errors"] == 0, place


def moved(data, order):
    return b"".join(data[CHUNK * n : CHUNK * (n + 1)] for n in order)


@pytest.mark.parametrize("order,wanted", [
    ([0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], [2, 3, 4, 5]),  # the first chunk of four is missing
    ([0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11], [2, 3, 4, 5]),  # the third of four
    ([0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], [2, 3, 4, 5]),  # one is doubled
    ([0, 1, 3, 2, 4, 5, 6, 7, 8, 9, 10, 11], [2, 3, 4, 5]),  # two are exchanged
    ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [0, 1, 2, 3]),  # the last is missing
    ([0, 5, 6, 1, 2, 3, 4, 7, 8, 9, 10, 11], [2, 0, 1, 3, 4, 5]),  # whole blocks exchanged: nobody can see that
], ids=["first-missing", "third-missing", "doubled", "exchanged", "last-missing", "blocks-exchanged"])
def test_chunks_out_of_place(order, wanted, tmp_path):
    path = tmp_path / "moved.rio"
    path.write_bytes(moved((FOLDER / "v2-multichunk.rio").read_bytes(), order))
    items = contents(EXPECTED["v2-multichunk.rio"]["records"]["list"])
    rows, status = listed(path, "--skip-damaged")
    assert contents(rows) == [items[n] for n in wanted]
    assert status == (0 if len(wanted) == len(items) else 1) == verify(path)[2]


@pytest.mark.parametrize("inserted", [1, 28, 5000, 32767])
def test_bytes_between_blocks_move_the_grid(inserted, tmp_path):
    data = (FOLDER / "v2-manyblocks.rio").read_bytes()
    path = tmp_path / "moved.rio"
    path.write_bytes(data[: 5 * CHUNK] + b"x" * inserted + data[5 * CHUNK :])
    rows, status = listed(path, "--skip-damaged")
    assert contents(rows) == contents(EXPECTED["v2-manyblocks.rio"]["records"]["list"])
    assert status == 1 and {row[0] % CHUNK for row in rows} == {0, inserted}
    assert any(f["offset"] == 5 * CHUNK and f["severity"] == "error" for f in verify(path)[0])
