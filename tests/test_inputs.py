"""What a command line names: directories, lists and URLs of archives, and outputs that must not replace them."""
import os
import shutil
from pathlib import Path

import pytest
from program import ROOT, fonds, json_lines

OWN = ROOT / "tests/data/warc/own"
CRAWL = OWN / "gz-per-record.warc.gz"
RECORDS = 4


@pytest.fixture
def crawl(tmp_path):
    """A directory with a web archive and all that `fonds index` puts beside one, and below it the same once more."""
    for folder in (tmp_path / "crawl", tmp_path / "crawl/below"):
        folder.mkdir()
        shutil.copy(CRAWL, folder / "a.warc.gz")
        for kind in ("cdxj", "cdx11", "gzidx", "checkpoint", "zipnum"):
            made = fonds("index", "--type", kind, folder / "a.warc.gz")
            assert made.returncode == 0, made.stderr
    assert sorted(path.name for path in folder.iterdir()) == [
        f"a.warc.gz{ending}" for ending in ("", ".cdx", ".cdx.gz", ".cdxj", ".chk.lz4", ".gzidx", ".idx")]
    return tmp_path / "crawl"


# --- directories

def test_companions_of_archives_are_no_archives(crawl):
    assert fonds("search", "--count", "--total", "*", crawl).stdout == b"%d\n" % RECORDS
    listed = fonds("ls", "--json", "-r", crawl)
    assert (listed.returncode, listed.stderr) == (0, b"")
    names = [record["archive"] for record in json_lines(listed.stdout)]
    assert names == [f"{crawl}/a.warc.gz"] * RECORDS + [f"{crawl}/below/a.warc.gz"] * RECORDS
    checked = fonds("verify", "--json", "-r", crawl)
    assert checked.returncode == 0, checked.stderr
    assert [line["archive"] for line in json_lines(checked.stdout) if "ok" in line] == [
        f"{crawl}/a.warc.gz", f"{crawl}/below/a.warc.gz"]


@pytest.mark.parametrize("command", ["merge", "dedup", "convert"])
def test_companions_are_not_written_into_archives(crawl, command, tmp_path):
    done = fonds(command, "-r", "-o", tmp_path / "out.warc.gz", crawl)
    assert done.returncode == 0, done.stderr
    assert len(json_lines(fonds("ls", "--json", tmp_path / "out.warc.gz").stdout)) == 2 * RECORDS


def test_companions_are_no_inputs_of_a_catalog(crawl, tmp_path):
    done = fonds("convert", "--to", "clp-s", "-o", tmp_path / "out.clps", crawl)
    assert done.returncode == 0, done.stderr
    events = json_lines(fonds("cat", tmp_path / "out.clps").stdout)
    assert [event["archive"] for event in events] == (
        [f"{crawl}/a.warc.gz"] * RECORDS + [f"{crawl}/below/a.warc.gz"] * RECORDS)
    assert fonds("verify", "--against", crawl, tmp_path / "out.clps").returncode == 0


def test_an_index_without_its_archive_is_told(crawl):
    (crawl / "a.warc.gz").rename(crawl / "b.warc.gz")
    done = fonds("ls", "--json", "-r", crawl)
    assert done.returncode == 3
    assert f"{crawl}/a.warc.gz.gzidx: ".encode() in done.stderr and b"below/" not in done.stderr


# --- outputs that are inputs

@pytest.fixture
def copies(tmp_path, monkeypatch):
    """A directory to work in, with an archive that has a second name."""
    shutil.copy(CRAWL, tmp_path / "a.warc.gz")
    (tmp_path / "link.warc.gz").symlink_to("a.warc.gz")
    shutil.copy(CRAWL, tmp_path / "b.idx")
    shutil.copy(CRAWL, tmp_path / "b.cdx.gz")
    (tmp_path / "in.jsonl").write_text('{"a":1}\nno event\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(words, *args):
    """The command ends with status 2, says this, and changes no file."""
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    done = fonds(*args)
    assert (done.returncode, done.stdout) == (2, b"") and words.encode() in done.stderr, done.stderr
    assert before == {path.name: path.read_bytes() for path in Path().iterdir()}


@pytest.mark.parametrize("command", ["index", "repair", "train"])
@pytest.mark.parametrize("output", ["a.warc.gz", "./a.warc.gz", "link.warc.gz"])
def test_an_input_is_not_replaced(copies, command, output):
    refused(f"-o {output} is the input a.warc.gz, which is not replaced", command, "-f", "-o", output, "a.warc.gz")


def test_neither_file_of_an_index_replaces_an_input(copies):
    for name in ("b.idx", "b.cdx.gz"):
        refused(f"is the input {name}, which is not replaced", "index", "--type", "zipnum", "-f", "-o", "b.idx", "a.warc.gz", name)


@pytest.mark.parametrize("output,rejects", [("q.clps", "./q.clps"), ("./q.clps", "q.clps"), ("link.warc.gz", "a.warc.gz")])
def test_rejects_and_the_archive_are_two_files(copies, output, rejects):
    refused("--rejects and -o name the same file", "convert", "--to", "clp-s", "-f", "-o", output, "--rejects", rejects, "in.jsonl")


def test_rejects_replace_no_input(copies):
    refused("--rejects ./in.jsonl is the input in.jsonl, which is not replaced",
            "convert", "--to", "clp-s", "-f", "-o", "q.clps", "--rejects", "./in.jsonl", "in.jsonl")
    refused("is the input ./in.jsonl, which is not replaced",
            "convert", "--to", "clp-s", "-f", "-o", "q.clps", "--rejects", "in.jsonl", ".")


def test_other_files_are_replaced_by_force(copies):
    shutil.copy("a.warc.gz", "other")
    done = fonds("repair", "-f", "-o", "other", "b.idx")
    assert done.returncode == 0, done.stderr
    done = fonds("convert", "--to", "clp-s", "-f", "-o", "q.clps", "--rejects", "other", "in.jsonl")
    assert (done.returncode, Path("other").read_text()) == (1, "no event\n"), done.stderr


# --- inputs that cannot be opened

@pytest.mark.parametrize("name,words,environment", [
    ("http://", "http://: a URL of http has no host", {}),
    ("s3://b/x", "s3://b/x: there is no profile nope in the AWS configuration", {"AWS_PROFILE": "nope"})])
def test_a_url_that_cannot_be_opened_leaves_the_others(name, words, environment):
    alone = fonds("ls", "--json", CRAWL)
    done = fonds("ls", "--json", CRAWL, name, CRAWL, env={**os.environ, **environment})
    assert (done.returncode, done.stdout) == (3, 2 * alone.stdout)
    assert done.stderr.decode() == f"fonds: {words}\n"
    done = fonds("merge", "-o", "-", CRAWL, name, env={**os.environ, **environment})
    assert (done.returncode, done.stdout, done.stderr.decode()) == (3, b"", f"fonds: {words}\n")


def test_a_format_that_there_is_not_is_told_with_those_that_there_are():
    for args in (["ls", "--format", "bogus", CRAWL, CRAWL], ["merge", "--format", "bogus", "-o", "-", CRAWL]):
        done = fonds(*args)
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"there is no format named bogus, only warc, recordio, clp-s, kv-ir, lines, jsonl\n" in done.stderr


# --- lists

@pytest.mark.parametrize("also", [[], [CRAWL]])
def test_a_directory_is_no_list(tmp_path, also):
    done = fonds("ls", "--json", "--files-from", tmp_path, *also)
    assert done.returncode == 3
    assert f"{tmp_path}: is a directory; --files-from takes a list of names".encode() in done.stderr
    assert len(json_lines(done.stdout)) == RECORDS * len(also)


def test_a_list_that_cannot_be_read_is_told(tmp_path):
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        done = fonds("ls", "--files-from", "-", stdin=folder)
    finally:
        os.close(folder)
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"-: cannot be read to its end as a list of names" in done.stderr
