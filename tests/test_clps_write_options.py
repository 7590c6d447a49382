"""Options of `fonds convert --to clp-s` that users of clp-s know: what inputs are called, lists of them, what is said."""
import json
import os

import pytest
from clps_peer import tool
from clps_write.sections import Sections
from clps_write.writer import Options, convert, write
from program import fonds


@pytest.fixture
def logs(tmp_path, monkeypatch):
    """A folder with two inputs, one below the other; it is the working directory."""
    folder = tmp_path / "logs"
    (folder / "below").mkdir(parents=True)
    (folder / "a.jsonl").write_text('{"n":1}\n')
    (folder / "below/b.jsonl").write_text('{"n":2,"s":"x y"}\n{"n":3}\n')
    monkeypatch.chdir(tmp_path)
    return folder


def names(archive):
    return [entry["f"]["_filename"] for entry in Sections(archive).packets[3]]


def numbers(archive):
    return [json.loads(line)["n"] for line in fonds("cat", archive).stdout.splitlines()]


def test_inputs_are_called_as_they_are_given(logs):
    assert names(write("out", ["logs/a.jsonl", "./logs/below/b.jsonl"])) == ["logs/a.jsonl", "./logs/below/b.jsonl"]


def test_a_directory_stands_for_the_files_below_it_in_the_order_of_their_paths(logs):
    archive = write("out", ["logs"])
    assert names(archive) == ["logs/a.jsonl", "logs/below/b.jsonl"]
    assert numbers(archive) == [1, 2, 3]


@pytest.mark.parametrize("more, wanted", [
    (["--normalize-paths"], "{cwd}/logs/a.jsonl"),
    (["--normalize-paths", "--remove-path-prefix", "{cwd}"], "/logs/a.jsonl"),
    (["--normalize-paths", "--remove-path-prefix", "{cwd}", "--remove-leading-slash"], "logs/a.jsonl"),
    (["--remove-path-prefix", "logs"], "/a.jsonl"),
], ids=["normalized", "without prefix", "without slash", "relative"])
def test_names_are_shortened(logs, more, wanted):
    given = "logs/a.jsonl" if "--normalize-paths" not in more else "logs/below/.././/a.jsonl"
    cwd = os.getcwd()
    archive = write("out", [given], Options(more=tuple(word.format(cwd=cwd) for word in more)))
    assert names(archive) == [wanted.format(cwd=cwd)]


def test_a_prefix_that_is_not_there_is_an_error(logs):
    done = convert("out", ["logs/a.jsonl"], Options(more=("--remove-path-prefix", "other")))
    assert done.returncode == 2 and b"other" in done.stderr
    assert not os.path.exists("out")


def test_inputs_from_a_list(logs):
    with open("list", "w", encoding="utf-8") as listed:
        listed.write("logs/below/b.jsonl\nlogs/a.jsonl\n")
    assert numbers(write("out", [], Options(more=("--files-from", "list")))) == [2, 3, 1]


def test_archive_stats_are_those_of_clp_s(logs):
    if tool.binary() is None:
        pytest.skip("yscope-clp-core is not installed")
    done = convert("out", ["logs/below/b.jsonl"], Options(more=("--print-archive-stats",)))
    os.mkdir("theirs")
    printed = tool.Tool().run("c", "--single-file-archive", "--print-archive-stats", "theirs", "logs/below/b.jsonl")
    ours, theirs = json.loads(done.stdout), json.loads(printed.stdout)
    assert ours.keys() == theirs.keys()
    assert ours["size"] == os.path.getsize("out")
    for name in ("begin_timestamp", "end_timestamp", "is_split", "uncompressed_size"):
        assert ours[name] == theirs[name], name
    assert [entry.keys() for entry in ours["range_index"]] == [entry.keys() for entry in theirs["range_index"]]


def test_the_report_counts_what_was_made(logs):
    done = convert("out", ["logs"], Options(more=("--json",)))
    archive, report = map(json.loads, done.stdout.splitlines())
    sections = Sections("out")
    assert (archive["archive"], archive["records"], archive["size"]) == ("out", 3, sections.size)
    assert archive["tables"] == len(sections.tables) and archive["nodes"] == len(sections.nodes())
    assert (report["archives"], report["records"], report["rejected"], report["changes"]) == (1, 3, 0, {})


def test_archives_in_a_directory_are_called_by_their_ids(logs):
    write("archives/", ["logs"])
    made, = os.listdir("archives")
    assert len(made) == len("01234567-89ab-8def-0123-456789abcdef.clps") and made[14] == "8"
    again = [json.loads(line) for line in convert("again/", ["logs"], Options(more=("--json",))).stdout.splitlines()]
    assert f"{again[0]['id']}.clps" == made and os.listdir("again") == [made]


@pytest.mark.parametrize("words", [
    ["--to", "clp-s/0.6.0"], ["--to", "clp-s/0.2.0"], ["--to", "clp-s", "--level", "20"], ["--to", "clp-s", "--level", "0"],
    ["--to", "clp-s", "--timestamp-key", ""], ["--to", "clp-s", "--creator-id", "x"], ["--to", "clp-s", "--property", "x"],
    ["--to", "clp-s", "--directory", "--single-file-archive"], ["--to", "clp-s", "--timestamp-key", "a..b"],
    ["--to", "clp-s", "--timestamp-key", "$a"], ["--to", "jsonl", "--structurize-arrays"],
], ids=" ".join)
def test_wrong_options(logs, words):
    done = fonds("convert", *words, "-o", "out", "logs/a.jsonl")
    assert done.returncode == 2 and done.stderr
    assert not os.path.exists("out")


def test_clp_s_finds_by_properties_and_names(logs):
    archive = write("out", ["logs"], Options(more=("--property", "region=eu west", "--property", 'where={"rack":7}')))
    if tool.binary() is None:
        pytest.skip("yscope-clp-core is not installed")
    for query, wanted in (('$region: "eu west"', 3), ("$_filename: *b.jsonl", 2), ("$where.rack: 7", 3), ("$region: us", 0)):
        assert len(fonds("search", query, archive).stdout.splitlines()) == wanted, query
        if not query.startswith("$where"):
            assert len(tool.Tool().search(archive, query).lines) == wanted, query
