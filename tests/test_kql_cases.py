"""Every case of fixtures/kql, in our meaning and in the original's, on archives of the real clp-s."""
import json

import pytest
from clps_peer import cases, records, tool
from program import fonds


@pytest.fixture(scope="module", params=["default", "structurized"])
def archive(request, tmp_path_factory):
    """The archive of a case's documents."""
    peer, made = tool.Tool(), {}
    if peer.path is None:
        pytest.skip("yscope-clp-core is not installed")

    def of(case):
        key = case["docs"], case.get("timestamp_key")
        if key not in made:
            made[key] = peer.compress(tmp_path_factory.mktemp("kql") / "archive", key[0], timestamp_key=key[1],
                                      structurize_arrays=of.structurized, cwd=cases.KQL)
        return made[key]

    of.structurized = request.param == "structurized"
    return of


def search(case, archive, *options):
    return fonds("search", *options, *cases.Options(case.get("args", [])).ours(), case["query"], archive)


def names(done):
    return sorted(json.loads(line)["doc"] for line in done.stdout.splitlines())


def is_error(done):
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert not done.stdout
    assert done.stderr


@pytest.mark.parametrize("case", cases.CASES, ids=lambda case: case["id"])
def test_our_meaning(case, archive):
    done = search(case, archive(case))
    wanted = case.get("sane_structurized", case["sane"]) if archive.structurized else case["sane"]
    if case.get("sane_exit") == 2:
        return is_error(done)
    if "--projection" in case.get("args", []):
        values = lambda lines: sorted(repr(records.plain(records.parse(line))) for line in lines)  # noqa: E731
        assert values(done.stdout.decode().split("\n")[:-1]) == values(wanted)
    else:
        assert names(done) == wanted
    assert done.returncode == (0 if wanted else 1), done.stderr


@pytest.mark.parametrize("case", cases.CASES, ids=lambda case: case["id"])
def test_the_meaning_of_clp_s(case, archive):
    done = search(case, archive(case), "--compat", "clp-s")
    if case["exit"] == 1:
        return is_error(done)
    field = "output" if "output" in case else "match"
    wanted = case.get(f"{field}_structurized", case[field]) if archive.structurized else case[field]
    if field == "output":
        assert sorted(done.stdout.decode().split("\n")[:-1]) == sorted(wanted)
    else:
        assert names(done) == wanted
    assert done.returncode == (0 if wanted else 1), done.stderr


@pytest.mark.parametrize("case", [case for case in cases.CASES if case.get("sane_exit") == 2 and "args" not in case],
                         ids=lambda case: case["id"])
def test_an_error_in_a_query_points_at_its_column(case, archive):
    assert b"^" in search(case, archive(case)).stderr
