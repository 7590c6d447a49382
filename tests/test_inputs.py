"""What a command line names: directories, lists and URLs of archives, and outputs that must not replace them."""
import shutil

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
