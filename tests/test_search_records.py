"""`search` and `--where` on web archives: written and random queries against a second evaluator over warcio (search_oracle).

FONDS_SEARCH_SEEDS=N runs N seeds of random queries instead of a few."""
import functools
import itertools
import json
import os
import random

import pytest
from program import fonds, json_lines
from search_oracle import cases, evaluate

CASES = list(cases.parse(cases.FILE.read_text()))
FILES = list(dict.fromkeys(case.file for case in CASES))
# Several ranges of a scan, once they stand behind one another.
LARGE = "warc/third-party/resiliparse-warcfile.warc.gz"
COPIES = 16


@functools.lru_cache(maxsize=None)
def archive(file):
    return evaluate.Archive(cases.DATA / file)


def numbers(done):
    return [record["index"] for record in json_lines(done.stdout)]


def search(case, path, *options, **how):
    done = fonds("search", *case.options(), *options, "--", case.query, path, **how)
    assert done.returncode == (0 if done.stdout else 1), done.stderr
    assert not done.stderr
    return done


@pytest.mark.parametrize("file", FILES)
def test_the_written_answers_are_those_of_the_oracle(file):
    said = {str(case): tuple(archive(file).answer(case.query, case.ignore_case)) for case in CASES if case.file == file}
    assert said == {str(case): case.records for case in CASES if case.file == file}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_search_finds_the_written_records(case):
    assert tuple(numbers(search(case, cases.DATA / case.file))) == case.records


@pytest.mark.parametrize("file", FILES)
def test_ls_and_cat_choose_the_records_that_search_finds(file):
    path = cases.DATA / file
    for case in [case for case in CASES if case.file == file][::4]:
        listed = fonds("ls", "--json", "--headers", "--where", case.query, *case.options(), path)
        assert listed.stdout == search(case, path).stdout, case
        wanted = b"".join(fonds("cat", path, f"index:{index}").stdout for index in case.records)
        assert fonds("cat", "--where", case.query, *case.options(), path).stdout == wanted, case


@pytest.mark.parametrize("file", FILES)
def test_a_pipe_gives_the_same_records(file):
    path = cases.DATA / file
    for case in [case for case in CASES if case.file == file][1::4]:
        mapped, piped = json_lines(search(case, path).stdout), json_lines(search(case, "-", input=path.read_bytes()).stdout)
        assert [record | {"archive": str(path)} for record in piped] == mapped, case


def test_count_counts_what_search_prints():
    for case in CASES[::5]:
        done = fonds("search", "--count", *case.options(), "--", case.query, cases.DATA / case.file)
        assert int(done.stdout) == len(case.records), case


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    path = tmp_path_factory.mktemp("search") / "large.warc.gz"
    path.write_bytes((cases.DATA / LARGE).read_bytes() * COPIES)
    assert path.stat().st_size > 2 << 20  # else it is read by one thread
    return path


@pytest.mark.parametrize("case", [case for case in CASES if case.file == LARGE], ids=str)
def test_threads_change_nothing(case, large):
    one, *others = (search(case, large, "--threads", n) for n in (1, 2, 7))
    assert all(other.stdout == one.stdout for other in others)
    size = len(archive(LARGE).records)
    assert numbers(one) == [copy * size + index for copy in range(COPIES) for index in case.records]


@pytest.mark.parametrize("command", [["cat"], ["cat", "--tail", "30"], ["ls"], ["ls", "--hash"], ["search", "--unique", "uri"]])
@pytest.mark.parametrize("query", ["type: response", "payload: *e* or status: 200"])
def test_threads_change_no_command_with_a_query(command, query, large):
    where = [query] if command[0] == "search" else ["--where", query]
    one, *others = (fonds(*command, *where, large, "--threads", n) for n in (1, 2, 7))
    assert one.stdout and all((other.stdout, other.stderr) == (one.stdout, one.stderr) for other in others)


class Questions:
    """Queries about values that records have, and about some that none has."""

    def __init__(self, seed, records):
        self.random, self.records = random.Random(seed), records

    def query(self, depth=2):
        kind = self.random.choice(["and", "or", "not", "filter", "filter"]) if depth else "filter"
        if kind == "not":
            return f"not {self.part(depth)}"
        return self.filter() if kind == "filter" else f" {kind} ".join(self.part(depth) for _ in range(self.random.choice([2, 3])))

    def part(self, depth):
        return f"({self.query(depth - 1)})"

    def filter(self):
        name, value = self.random.choice(self.named(self.random.choice(self.records)))
        if self.random.random() < 0.2:
            name = self.random.choice(["*", "http.*", "nosuch", "status", "date", "payload"])
        if isinstance(value, (int, evaluate.dates.Span)) and self.random.random() < 0.5:
            bound = quoted(value.text) if not isinstance(value, int) else value + self.random.choice([-1, 0, 0, 1])
            return f"{name} {self.random.choice(['<', '<=', '>', '>='])} {bound}"
        return f"{name}: {self.pattern(value.text if isinstance(value, evaluate.dates.Span) else str(value))}"

    def pattern(self, text):
        begin, end = sorted(self.random.randrange(len(text) + 1) for _ in range(2))
        form = self.random.randrange(6)
        if form == 0:
            return "*"
        if form == 1:
            return quoted(text)
        if form == 2:
            return f'"*{quoted(text[begin:end])[1:-1]}*"'
        if form == 3:
            return f'"{quoted(text[:begin])[1:-1]}*"'
        if form == 4:
            return f'"*{quoted(text[end:])[1:-1]}"'
        return f'"{quoted(text[:begin])[1:-1]}{"?" * min(end - begin, 3)}{quoted(text[begin + min(end - begin, 3):])[1:-1]}"'

    @staticmethod
    def named(record):
        out = [(name, value) for name, values in record.known.items() for value in values if name not in ("offset", "header_length")]
        out = [(name, int(value) if isinstance(value, evaluate.records.Number) else value) for name, value in out]
        out = [(name, value) for name, value in out if isinstance(value, (str, int, evaluate.dates.Span))]
        out += [(name, value) for name, value in record.headers if plain(name) and name not in evaluate.fields.KNOWN]
        out += [(f"http.{name}", value) for name, value in record.http if plain(name)]
        text = record.payload_text[:2000]
        words = [word for word in text.split() if word.isascii() and word.isprintable()]
        return out + [("payload", word) for word in words[:5]]


def plain(name):
    return name.replace("-", "").isalnum() and name.isascii()


def quoted(text):
    """A text that stands for itself."""
    plain_text = "".join(f"\\{c}" if c in '\\"*?' else f"\\u{ord(c):04x}" if ord(c) < 32 or ord(c) == 127 else c for c in text)
    return f'"{plain_text}"'


@pytest.mark.parametrize("seed", range(int(os.environ.get("FONDS_SEARCH_SEEDS", 8))))
def test_random_queries_get_the_answers_of_the_oracle(seed):
    rng = random.Random(seed)
    hits = 0
    for file in rng.sample(FILES, 4):
        questions = Questions(rng.random(), archive(file).records)
        for query, ignore_case in itertools.product([questions.query() for _ in range(6)], [rng.random() < 0.3]):
            case = cases.Case(file, query, ignore_case, tuple(archive(file).answer(query, ignore_case)))
            assert tuple(numbers(search(case, cases.DATA / file))) == case.records, case
            hits += bool(case.records)
    assert hits


@pytest.mark.parametrize("query, column", [
    ("type: response status: 404", 16), ("type: (response or", 19), ("status > many", 10), ("type: {a: 1", 12), ('uri: "http', 6),
    ("payload: a\\qb", 11), ("date > soon", 8), ("and", 1), ("", 1), ("type:", 6), ("date: timestamp(\"soon\")", 18),
    ("length > *", 10), ("type: response)", 15)])
@pytest.mark.parametrize("command", ["search", "ls", "cat"])
def test_a_wrong_query_is_shown_with_its_place(command, query, column):
    path = cases.DATA / FILES[0]
    done = fonds("search", "--", query, path) if command == "search" else fonds(command, "--where", query, path)
    assert done.returncode == 2
    assert not done.stdout
    *_, line, caret = done.stderr.decode().rstrip("\n").split("\n")
    assert line.strip() == query.strip()
    assert caret.index("^") - (len(line) - len(line.lstrip()) if query else 2) == column - 1
