"""Every case of fixtures/kql on archives that fonds wrote: in both meanings, and asked of the real clp-s."""
import json

import pytest
from clps_peer import cases, records, tool
from clps_write.writer import Options, write
from program import fonds

# About integers above int64, which the peer's writer changes and ours does not.
BIG = {"k228", "k229", "k238", "k259", "k260", "k261", "k262"}


class Archives:
    """The archive of a case's documents, with its name as the cases want it."""

    def __init__(self, version, structurized, folder):
        self.version, self.structurized, self.folder, self.made = version, structurized, folder, {}

    def of(self, case):
        key = case["docs"], case.get("timestamp_key")
        if key not in self.made:
            out = self.folder / f"{len(self.made)}"
            options = Options(version=self.version, structurize_arrays=self.structurized, timestamp_key=key[1])
            self.made[key] = write(out, [key[0]], options, cwd=cases.KQL)
        return self.made[key]

    def wanted(self, case, field):
        return case.get(f"{field}_structurized", case[field]) if self.structurized else case[field]


@pytest.fixture(scope="module", params=["0.5.0", "0.5.0 structurized", "0.4.1", "0.4.1 structurized", "0.3.1"])
def archives(request, tmp_path_factory):
    version, *structurized = request.param.split()
    return Archives(version, bool(structurized), tmp_path_factory.mktemp("kql"))


@pytest.fixture(scope="module", params=["default", "structurized"])
def newest(request, tmp_path_factory):
    if tool.binary() is None:
        pytest.skip("yscope-clp-core is not installed")
    return Archives("0.5.0", request.param == "structurized", tmp_path_factory.mktemp("kql"))


def search(case, archive, *options):
    return fonds("search", *options, *cases.Options(case.get("args", [])).ours(), case["query"], archive)


def names(lines):
    return sorted(json.loads(line)["doc"] for line in lines)


def values(lines):
    return sorted(repr(records.plain(records.parse(line))) for line in lines)


def lines(data):
    return data.decode().split("\n")[:-1]


def named(cases):
    return pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in cases])


@named(cases.CASES)
def test_our_meaning(case, archives):
    if archives.version != "0.5.0" and (case.get("timestamp_key") or case["docs"] == "odd.jsonl"):
        pytest.skip("before 0.5.0 not all times and numbers are told apart")
    done, wanted = search(case, archives.of(case)), case["sane"]
    if case["id"] in BIG:
        given = (cases.KQL / case["docs"]).read_text().split("\n")[:-1]
        wanted = sorted(cases.name(value) for _, value in cases.answer(case["query"], cases.Options(case.get("args", [])), given))
    if case.get("sane_exit") == 2:
        assert (done.returncode, done.stdout) == (2, b"")
        return
    if "--projection" in case.get("args", []):
        assert values(lines(done.stdout)) == values(wanted)
    else:
        assert names(done.stdout.splitlines()) == wanted
    assert done.returncode == (0 if wanted else 1), done.stderr


@named(case for case in cases.CASES if case["id"] not in BIG)
def test_clp_s_finds_what_it_finds_in_its_own_archives(case, newest):
    found = tool.Tool().search(newest.of(case), case["query"], **cases.Options(case.get("args", [])).peers())
    assert found.status == case["exit"], found.messages
    if case["exit"] == 0 and "output" in case:
        assert sorted(map(bytes.decode, found.lines)) == sorted(newest.wanted(case, "output"))
    elif case["exit"] == 0:
        assert names(found.lines) == newest.wanted(case, "match")


@named(cases.CASES)
def test_the_meaning_of_clp_s_is_what_it_finds_in_our_archives(case, newest):
    archive = newest.of(case)
    found = tool.Tool().search(archive, case["query"], **cases.Options(case.get("args", [])).peers())
    if found.crashed:
        pytest.skip("clp-s crashes: " + found.messages)
    done = search(case, archive, "--compat", "clp-s")
    assert done.returncode == (2 if found.status else 0 if found.lines else 1), done.stderr
    assert sorted(done.stdout.splitlines()) == sorted(found.lines)
