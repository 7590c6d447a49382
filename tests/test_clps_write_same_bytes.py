"""The same input and options give the same octets: for any number of threads, in every run, from a file or a pipe."""
import dataclasses
import gzip
import hashlib
import random
import uuid

import lz4.frame
import pytest
import zstandard
from clps_write import generate
from clps_write.sections import MEMBERS, Sections
from clps_write.writer import VERSIONS, Options, convert, write
from program import fonds

RECORDS = 6000


def octets(archive):
    """Of a file, or of the files of a directory."""
    if not archive.is_dir():
        return archive.read_bytes()
    return {path.name: path.read_bytes() for path in archive.iterdir()}


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Large enough for many batches: schemas and strings appear for the first time all over them."""
    rng, folder = random.Random(8), tmp_path_factory.mktemp("texts")
    documents, paths = generate.Documents(rng, times=True, duplicates=0.05, surrogates=True, far=False), []
    for number in range(3):
        paths.append(folder / f"in-{number}.json")
        paths[-1].write_text(documents.input(RECORDS), encoding="utf-8", newline="")
    return paths


@pytest.mark.parametrize("options", [
    Options(), Options(version="0.4.1", structurize_arrays=True), Options(timestamp_key="ts", structurize_arrays=True, level=9),
    Options(single_file=False, min_table_size=1000), Options(log_order=False, level=19), Options(version="0.3.1"),
], ids=str)
def test_for_any_number_of_threads(texts, options, tmp_path):
    wanted = octets(write(tmp_path / "1", texts, dataclasses.replace(options, threads=1)))
    for threads in (2, 7, 1):
        assert octets(write(tmp_path / f"{threads} again", texts, dataclasses.replace(options, threads=threads))) == wanted, threads


def test_splitting_for_any_number_of_threads(texts, tmp_path):
    made = {}
    for threads in (1, 2, 7):
        folder = tmp_path / str(threads)
        folder.mkdir()
        write(folder / "out", texts, Options(target_encoded_size=300_000, threads=threads))
        made[threads] = {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert len(made[1]) > 3
    assert made[1] == made[2] == made[7]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_two_forms_hold_the_same(version, tmp_path):
    text = tmp_path / "in.json"
    text.write_text('{"a":1,"s":"x y 1"}\n{"b":[1,2]}\n')
    one, many = (Sections(write(tmp_path / name, [text], Options(version=version, single_file=single)))
                 for name, single in (("file", True), ("folder", False)))
    assert one.stored == many.stored
    assert one.metadata == many.metadata
    assert one.size == many.size == many.stored_size
    assert {path.name for path in (tmp_path / "folder").iterdir()} == {"header", *(name[1:] for name in MEMBERS)}


def test_a_pipe_gives_what_the_file_gives_but_for_its_name(texts, tmp_path):
    file, pipe = tmp_path / "file", tmp_path / "pipe"
    write(file, texts[:1])
    assert convert(pipe, ["-"], input=texts[0].read_bytes()).returncode == 0
    ours, theirs = Sections(file), Sections(pipe)
    assert ours.stored == theirs.stored
    assert [entry["e"] for entry in ours.packets[3]] == [entry["e"] for entry in theirs.packets[3]]


def test_to_standard_output_is_what_goes_into_a_file(texts, tmp_path):
    wanted = write(tmp_path / "out", texts[:1]).read_bytes()
    assert fonds("convert", "--to", "clp-s", "-o", "-", texts[0]).stdout == wanted


@pytest.mark.parametrize("pack", ["gzip", "zstd", "lz4"])
def test_compressed_inputs_give_the_same_contents(texts, pack, tmp_path):
    plain = texts[0].read_bytes()
    packed = {"gzip": gzip.compress, "zstd": zstandard.compress, "lz4": lz4.frame.compress}[pack](plain)
    (tmp_path / "in.json").write_bytes(packed)
    ours, wanted = Sections(write(tmp_path / "packed", [tmp_path / "in.json"])), Sections(write(tmp_path / "plain", texts[:1]))
    assert ours.stored == wanted.stored
    assert ours.raw_size == wanted.raw_size


def test_the_creator_id_is_derived_or_given(tmp_path, monkeypatch):
    (tmp_path / "in.json").write_text('{"a":1}\n')
    monkeypatch.chdir(tmp_path)
    derived = {name: Sections(write(tmp_path / f"{index}", [name], Options(version=version))).packets[3][0]["f"]["_archive_creator_id"]
               for index, (name, version) in enumerate([("in.json", "0.5.0"), ("./in.json", "0.4.1")])}
    assert derived["in.json"] == uuid_of(b"in.json\0" + bytes((0, 0, 5, 0)))
    assert len(set(derived.values())) == 2
    given = "12345678-1234-4123-8123-123456789abc"
    made = Sections(write(tmp_path / "given", ["in.json"], Options(more=("--creator-id", given))))
    assert made.packets[3][0]["f"]["_archive_creator_id"] == given


def uuid_of(octets):
    data = bytearray(hashlib.sha256(octets).digest()[:16])
    data[6], data[8] = data[6] & 0x0F | 0x80, data[8] & 0x3F | 0x80
    return str(uuid.UUID(bytes=bytes(data)))
