"""One input in several clp-s archives: --target-encoded-size."""
import random

import pytest
from clps_peer import generate, tool
from clps_write.sections import Sections
from clps_write.writer import VERSIONS, Options, any_order, came_back, expected, write
from program import fonds

TARGET = 300_000
PIECE = 65_536  # octets of an input that go into one archive together


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Three inputs: a long one, an empty one, a long one."""
    folder, documents = tmp_path_factory.mktemp("texts"), generate.Documents(random.Random(3), generate.Shape(fresh=True))
    paths = [folder / name for name in ("a.jsonl", "b.jsonl", "c.jsonl")]
    for path, count in zip(paths, (6000, 0, 4000)):
        path.write_text("".join(document + "\n" for document in documents.documents(count)), encoding="utf-8")
    return paths


def archives(folder):
    """In the order of their numbers."""
    return sorted(folder.glob("logs-*"))


@pytest.mark.parametrize("single_file", [True, False], ids=["files", "directories"])
@pytest.mark.parametrize("version", VERSIONS)
def test_all_archives_together_hold_the_input(texts, version, single_file, tmp_path):
    options = Options(version=version, single_file=single_file, target_encoded_size=TARGET, threads=2)
    write(tmp_path / "logs.clps", texts, options)
    made = archives(tmp_path)
    assert len(made) > 3
    assert [path.name for path in made] == [f"logs-{number:05}.clps" for number in range(len(made))]
    wanted = sum((expected(path.read_text(encoding="utf-8"), options) for path in texts), [])
    assert came_back(b"".join(fonds("cat", path).stdout for path in made)) == wanted
    for path in made:
        assert fonds("verify", path).returncode == 0


def test_the_range_index_counts_the_parts_of_each_input(texts, tmp_path):
    write(tmp_path / "logs.clps", texts, Options(target_encoded_size=TARGET))
    made = list(map(Sections, archives(tmp_path)))
    parts, creators, records = {str(path): [] for path in texts}, set(), 0
    for archive in made:
        entries = archive.packets[3]
        assert [entry["s"] for entry in entries] == [0, *(entry["e"] for entry in entries[:-1])]
        assert entries[-1]["e"] == sum(table.records for table in archive.tables)
        for entry in entries:
            parts[entry["f"]["_filename"]].append(entry["f"]["_file_split_number"])
            creators.add(entry["f"]["_archive_creator_id"])
        records += entries[-1]["e"]
    assert records == 10_000
    assert len(creators) == 1
    assert all(numbers == list(range(len(numbers))) for numbers in parts.values()), parts
    assert min(map(len, parts.values())) == 1 and max(map(len, parts.values())) > 1
    assert sum(archive.raw_size for archive in made) == sum(path.stat().st_size for path in texts)


def test_an_archive_is_a_little_over_the_target(texts, tmp_path):
    """By what its columns and dictionaries take before they are compressed."""
    write(tmp_path / "logs.clps", texts, Options(target_encoded_size=TARGET))
    sizes = [sum(len(table.columns) for table in archive.tables) +
             sum(8 + len(entry) for entries in archive.dictionaries.values() for entry in entries)
             for archive in map(Sections, archives(tmp_path))]
    assert all(TARGET * 0.8 < size < TARGET + 2 * PIECE for size in sizes[:-1]), sizes


def test_the_smallest_target_loses_nothing(texts, tmp_path):
    few = tmp_path / "few.jsonl"  # an archive each, brought to disk one by one
    few.write_bytes(b"".join(texts[-1].read_bytes().splitlines(keepends=True)[:200]))
    write(tmp_path / "logs.clps", [few], Options(target_encoded_size=1))
    made = archives(tmp_path)
    assert len(made) > 10
    wanted = expected(few.read_text(encoding="utf-8"), Options())
    assert came_back(b"".join(fonds("cat", path).stdout for path in made)) == wanted


def test_an_input_below_the_target_is_one_archive_with_the_name_given(texts, tmp_path):
    write(tmp_path / "logs.clps", texts, Options(target_encoded_size=100 * TARGET))
    assert [path.name for path in tmp_path.iterdir()] == ["logs.clps"]


@pytest.mark.parametrize("single_file", [True, False], ids=["files", "directories"])
def test_clp_s_reads_the_directory_of_all_of_them(texts, single_file, tmp_path):
    if tool.binary() is None:
        pytest.skip("yscope-clp-core is not installed")
    options = Options(single_file=single_file, target_encoded_size=TARGET)
    folder = tmp_path / "archives"
    folder.mkdir()
    write(f"{folder}/", texts, options)
    assert len(list(folder.iterdir())) > 3
    wanted = sum((expected(path.read_text(encoding="utf-8"), options) for path in texts), [])
    assert any_order(came_back(tool.Tool().decompress(folder))) == any_order(wanted)
    found = tool.Tool().search(folder, "doc: d00*")
    assert len(found.lines) == len([1 for path in texts for line in path.read_text(encoding="utf-8").splitlines() if '"doc":"d00' in line])
