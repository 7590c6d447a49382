"""The naive evaluator says to every case of fixtures/kql what the default meaning is."""
import pytest
from clps_peer import cases, language, naive, records, tool

ARCHIVE = records.parse('{"_filename":"docs.jsonl","_file_split_number":0,"_archive_creator_id":"00000000-0000-4000-8000-000000000000"}')
# The original's writer changes integers above int64, which is what these cases are about.
CHANGED = {"k259", "k260", "k261", "k262"}


def check(case, lines, wanted):
    options = cases.Options(case.get("args", []))
    ask = lambda: cases.answer(case["query"], options, lines, case.get("timestamp_key"), lambda record: ARCHIVE)  # noqa: E731
    if case.get("sane_exit") == 2:
        with pytest.raises(language.QueryError):
            ask()
    elif options.projection:
        expected = sorted(map(repr, (records.plain(records.parse(line)) for line in wanted)))
        assert sorted(repr(records.plain(value)) for _, value in ask()) == expected
    else:
        assert sorted(cases.name(value) for _, value in ask()) == wanted


@pytest.fixture(scope="module", params=["default", "structurized"])
def given_back(request, tmp_path_factory):
    """What the real clp-s gives back of the documents of a case."""
    peer, made = tool.Tool(), {}
    if peer.path is None:
        pytest.skip("yscope-clp-core is not installed")

    def lines(case):
        key = case["docs"], case.get("timestamp_key")
        if key not in made:
            archive = peer.compress(tmp_path_factory.mktemp("naive") / "a", key[0], timestamp_key=key[1], cwd=cases.KQL,
                                    structurize_arrays=request.param == "structurized")
            made[key] = peer.decompress(archive).decode().split("\n")[:-1]
        return made[key]

    lines.structurized = request.param == "structurized"
    return lines


@pytest.mark.parametrize("case", [case for case in cases.CASES if case["id"] not in CHANGED], ids=lambda case: case["id"])
def test_on_the_documents(case):
    check(case, (cases.KQL / case["docs"]).read_text().split("\n")[:-1], case["sane"])


@pytest.mark.parametrize("case", cases.CASES, ids=lambda case: case["id"])
def test_on_what_the_archive_gives_back(case, given_back):
    wanted = case.get("sane_structurized", case["sane"]) if given_back.structurized else case["sane"]
    check(case, given_back(case), wanted)
