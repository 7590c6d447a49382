"""What fonds writes of the inputs among the fixtures comes back: from fonds, and from the real clp-s."""
import pytest
from clps_write import peers, sections
from clps_write.inputs import JSON, KV_IR, TIMESTAMP_KEYS
from clps_write.writer import VERSIONS, Options, any_order, came_back, expected, write
from program import fonds

WAYS = {
    "default": {},
    "structurized": {"structurize_arrays": True},
    "without log order": {"log_order": False, "single_file": False},
    "without float formats": {"retain_float_format": False},
    "a stream a table": {"min_table_size": 1, "level": 1, "single_file": False},
    "small streams": {"min_table_size": 100, "level": 19, "threads": 7},
    "all at once": {"structurize_arrays": True, "log_order": False, "retain_float_format": False, "min_table_size": 1, "level": 9},
}


def options_of(version, way):
    return Options(version=version, **WAYS[way])


@pytest.fixture(params=[pytest.param(path, id=path.stem) for path in JSON])
def text(request):
    return request.param


def comes_back(archive, options, wanted):
    done = fonds("verify", archive)
    assert done.returncode == 0, done.stdout
    in_order, table_order = (came_back(fonds("cat", *words, archive).stdout) for words in ([], ["--table-order"]))
    assert any_order(table_order) == any_order(wanted)
    assert in_order == (wanted if options.log_order else table_order)
    peers.decompressed_alike(archive, options, wanted)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("version", VERSIONS)
def test_every_input_comes_back(text, version, way, tmp_path):
    options = options_of(version, way)
    archive = write(tmp_path / "out", [text], options)
    assert archive.is_dir() != options.single_file
    comes_back(archive, options, expected(text.read_text(encoding="utf-8"), options))


@pytest.mark.parametrize("way", ["default", "structurized", "without log order", "small streams"])
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", TIMESTAMP_KEYS)
def test_every_timestamp_comes_back(name, version, way, tmp_path):
    options = Options(version=version, timestamp_key=TIMESTAMP_KEYS[name], **WAYS[way])
    text = next(path for path in JSON if path.stem == name)
    archive = write(tmp_path / "out", [text], options)
    comes_back(archive, options, expected(text.read_text(encoding="utf-8"), options))
    ranges = sections.Sections(archive).packets[2]["ranges"]
    assert {key.decode() for key, *_ in ranges} <= {options.timestamp_key}
    assert ranges or version != "0.5.0"


@pytest.mark.parametrize("version", VERSIONS)
def test_all_inputs_at_once_come_back(version, tmp_path):
    options = Options(version=version)
    archive = write(tmp_path / "out", JSON, options)
    comes_back(archive, options, sum((expected(path.read_text(encoding="utf-8"), options) for path in JSON), []))
    inputs = sections.Sections(archive).packets[3]
    assert [entry["f"]["_filename"] for entry in inputs] == [str(path) for path in JSON]
    assert [entry["s"] for entry in inputs] == [0, *(entry["e"] for entry in inputs[:-1])]


def rounded(value):
    """Numbers as `%f` prints them: KV-IR holds floats without their texts."""
    if value[0] == "number":
        return "number", f"{float(value[1]):f}"
    if value[0] in ("object", "array"):
        return value[0], tuple((one[0], rounded(one[1])) if value[0] == "object" else rounded(one) for one in value[1])
    return value


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("stream", [pytest.param(path, id=path.stem) for path in KV_IR])
def test_kv_ir_comes_back_as_clp_s_printed_it(stream, version, tmp_path):
    archive = write(tmp_path / "out", [stream], Options(version=version))
    printed = stream.with_name("v050-kvir8.ordered.jsonl" if "eight" in stream.stem else "v050-kvir.ordered.jsonl")
    wanted = [rounded(value) for value in came_back(printed.read_bytes())]
    assert [rounded(value) for value in came_back(fonds("cat", archive).stdout)] == wanted
    for peer in peers.readers(version).values():
        assert [rounded(value) for value in came_back(peer.decompress(archive, ordered=True))] == wanted
