"""What fonds writes is built like what the real clp-s writes of the same input: schema tree, schemas, tables, the same entries in
dictionaries. How a text's variables lie in their column, and where in a dictionary an entry of a later record stands, is the
writer's choice."""
import random

import pytest
from clps_peer import generate, tool
from clps_write.inputs import CLPS, PEERS
from clps_write.sections import MEMBERS, Sections
from clps_write.writer import Options, write


def same_contents(ours, theirs):
    assert (ours.magic, ours.version, ours.compression) == (theirs.magic, theirs.version, theirs.compression)
    assert ours.size == ours.stored_size and ours.reserved == bytes(32)
    assert ours.nodes() == theirs.nodes()
    assert ours.plain["/schema_ids"] == theirs.plain["/schema_ids"]
    for name in MEMBERS[3:6]:
        assert sorted(ours.dictionaries[name]) == sorted(theirs.dictionaries[name]), name
    assert ours.values() == theirs.values()
    assert ours.packets[0] == theirs.packets[0]
    assert ours.packets[2] == theirs.packets[2]
    assert same_inputs(ours) == same_inputs(theirs)
    assert ours.raw_size == theirs.raw_size


def same_inputs(sections):
    """The range index without what is different in every run."""
    return [entry | {"f": {key: value for key, value in entry["f"].items() if key != "_archive_creator_id"}}
            for entry in sections.packets.get(3, [])]


@pytest.mark.parametrize("peers", [pytest.param(peers, id=peers.archive) for peers in PEERS])
def test_of_the_fixtures(peers, tmp_path, monkeypatch):
    """The names in the range index are those of the peer's command line."""
    for name in peers.inputs:
        (tmp_path / name).write_bytes((CLPS / name).read_bytes())
    monkeypatch.chdir(tmp_path)
    theirs = Sections(CLPS / peers.archive)
    named = [entry["f"]["_filename"] for entry in theirs.packets.get(3, [])]
    assert all(name.endswith(text) for name, text in zip(named, peers.inputs))
    write(tmp_path / "out", peers.inputs, peers.options)
    ours = Sections(tmp_path / "out")
    for entry, name in zip(ours.packets.get(3, []), named):
        entry["f"]["_filename"] = name
    if peers.options.version == "0.3.1" and not peers.options.log_order:
        theirs.packets.pop(3)  # that version wrote it also without what it is about
    same_contents(ours, theirs)


@pytest.mark.parametrize("wheel, version", [(tool.VERSION, "0.5.0"), ("0.9.1b1", "0.4.1")])
@pytest.mark.parametrize("seed", range(12))
def test_of_random_documents(wheel, version, seed, tmp_path, monkeypatch):
    path = tool.binary() if wheel == tool.VERSION else tool.old_binary(wheel)
    if path is None:
        pytest.skip(f"there is no clp-s of yscope-clp-core {wheel} here")
    rng = random.Random(seed)
    # Times of one form each: the peer tries patterns for numbers in the order of a hash table, and old ones lose text.
    documents = generate.Documents(rng, generate.Shape(fresh=seed % 2 == 1, depth=rng.choice([1, 3, 5])))
    names = [f"in-{number}.jsonl" for number in range(rng.choice([1, 2, 3]))]
    for name in names:
        (tmp_path / name).write_text("\n".join(documents.documents(rng.choice([1, 60]))) + "\n", encoding="utf-8")
    options = Options(version=version, structurize_arrays=rng.random() < 0.5, log_order=rng.random() < 0.8, single_file=rng.random() < 0.6,
                      retain_float_format=rng.random() < 0.7, min_table_size=rng.choice([None, 1, 100, 2000]))
    monkeypatch.chdir(tmp_path)
    theirs = tool.Tool(path).compress(tmp_path / "theirs", *names, cwd=tmp_path, structurize_arrays=options.structurize_arrays,
                                      log_order=options.log_order, single_file=options.single_file, min_table_size=options.min_table_size,
                                      retain_float_format=options.retain_float_format)
    same_contents(Sections(write(tmp_path / "ours", names, options)), Sections(theirs))
