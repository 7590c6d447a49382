"""clp-s archives of every version, byte for byte as the real clp-s prints them, and damaged ones."""
import re

import pytest
from program import FIXTURES, fonds

CLPS = FIXTURES / "clp-s"
GOOD = sorted(path for path in CLPS.glob("v*") if path.suffix in (".clps", ".dir"))
FILES = [path for path in GOOD if path.suffix == ".clps"]
BAD = sorted(CLPS.glob("bad-*.clps"))
# What a message about each damaged archive names: a member, the metadata, or a table.
SECTION = {
    "bad-metadata-size": "metadata", "bad-truncated-metadata": "metadata", "bad-member-order": "metadata.*/log.dict",
    "bad-num-segments": "metadata.*num_segments", "bad-key-length": "/schema_tree", "bad-parent-self": "/schema_tree",
    "bad-schema-node": "/schema_ids|table 2", "bad-tag-length": "/schema_ids|table 1", "bad-column-short": "table 0",
    "bad-stream-longer": "stream 0|table 2", "bad-dict-entry-length": "/var.dict", "bad-float-word": "table 0",
    "bad-pattern-id": "table 0", "bad-zero-fraction": "table 0",
}
# The damaged archives hold these tables. What --skip-damaged delivers of each: the tables that its
# defect does not touch.
TABLES = [[b'{"n":1,"msg":"took 2.50 ms","t":"2024-01-02T03:04:05.12Z"}', b'{"n":2,"msg":"took 11.5 ms","t":"2024-01-02T03:04:06.34Z"}'],
          [b'{"n":3,"list":[{"k":"v"},7]}'], [b'{"w":"word"}']]
INTACT = {"bad-float-word": (1, 2), "bad-pattern-id": (1, 2), "bad-zero-fraction": (1, 2), "bad-column-short": (1, 2),
          "bad-tag-length": (0, 2), "bad-schema-node": (0, 1)}


def expected(path, order):
    """What the real clp-s printed; archives without a log order have one order only."""
    wanted = path.with_name(f"{path.stem}.{order}.jsonl")
    return (wanted if wanted.exists() else path.with_name(f"{path.stem}.table.jsonl")).read_bytes()


def named(paths):
    return [pytest.param(path, id=path.stem) for path in paths]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("order", ["table", "ordered"])
@pytest.mark.parametrize("path", named(GOOD))
def test_cat_prints_the_records_of_clp_s(path, order, threads):
    done = fonds("cat", "--threads", threads, *(["--table-order"] if order == "table" else []), path)
    assert done.stdout == expected(path, order)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("order", ["table", "ordered"])
@pytest.mark.parametrize("path", named(FILES))
def test_cat_reads_a_pipe(path, order):
    done = fonds("cat", *(["--table-order"] if order == "table" else []), "-", input=path.read_bytes())
    assert done.stdout == expected(path, order)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", named(GOOD))
def test_verify_finds_no_damage(path):
    done = fonds("verify", path)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", named(GOOD))
def test_convert_to_json_lines_is_what_cat_prints(path, tmp_path):
    done = fonds("convert", "--to", "jsonl", "-o", tmp_path / "out.jsonl", path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out.jsonl").read_bytes() == expected(path, "ordered")


@pytest.mark.parametrize("path", named(GOOD))
def test_search_for_everything_prints_everything(path):
    for order in ("table", "ordered"):
        done = fonds("search", *(["--table-order"] if order == "table" else []), "*", path)
        assert done.stdout == expected(path, order)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", named(BAD))
def test_a_damaged_archive_is_an_error_that_names_the_place(path):
    for command in (["cat"], ["cat", "--table-order"], ["search", "*"], ["verify"]):
        done = fonds(*command, path)
        assert done.returncode in (1, 3), (command, done.returncode)
        assert re.search(SECTION[path.stem], (done.stderr + done.stdout).decode()), (command, done.stderr)


@pytest.mark.parametrize("path", named(BAD))
def test_a_damaged_archive_in_a_pipe_is_the_same_error(path):
    done = fonds("cat", "-", input=path.read_bytes())
    assert done.returncode in (1, 3)
    assert re.search(SECTION[path.stem], done.stderr.decode())


@pytest.mark.parametrize("order", ["table", "ordered"])
@pytest.mark.parametrize("path", named([path for path in BAD if path.stem in INTACT]))
def test_skip_damaged_delivers_the_tables_that_are_intact(path, order):
    done = fonds("cat", "--skip-damaged", *(["--table-order"] if order == "table" else []), path)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert [line for table in INTACT[path.stem] for line in TABLES[table]] == [line for line in lines if line in sum(
        (TABLES[table] for table in INTACT[path.stem]), [])]
    assert set(lines) <= set(sum(TABLES, []))
