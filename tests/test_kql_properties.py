"""Random documents and queries: our meaning against the naive evaluator, and the original's against
the original itself.

FONDS_KQL_SEEDS=N runs N seeds instead of a few; FONDS_KQL_FIRST the first of them."""
import os
import random

import pytest
from clps_peer import cases, generate, language, records, tool
from program import fonds

SEEDS = range(int(os.environ.get("FONDS_KQL_FIRST", 0)), int(os.environ.get("FONDS_KQL_FIRST", 0)) + int(os.environ.get("FONDS_KQL_SEEDS", 16)))
RECORDS, QUERIES, TOLD = 40, 25, 5  # of a seed; differences that are told
# What clp-s answers as we do: the naive evaluator itself is measured by it.
TAME = {"arrays": False, "empty_keys": False, "unicode": False, "odd_words": False, "negation": False, "inner_wildcards": False,
        "far_numbers": False, "errors": False, "mixed": False, "namespaces": False}
TAME_SHAPES = [generate.Shape(**TAME, depth=1, any_key=False), generate.Shape(**TAME, exists=False, any_key=False),
               generate.Shape(**TAME, exists=False, nulls=False)]


class Asked:
    """A query with its options."""

    def __init__(self, rng, query, shape, pairs):
        args = ["-i"] if rng.random() < 0.2 else []
        if shape.times and rng.random() < 0.15:
            bounds = sorted(1709251200000 + rng.randrange(60000) for _ in range(2))
            args += ["--tge", bounds[0]] if rng.random() < 0.7 else []
            args += ["--tle", bounds[1]] if rng.random() < 0.7 else []
        if rng.random() < 0.1:
            keys = {path for path, _ in rng.sample(pairs, rng.choice([1, 2])) if "" not in path}
            args += ["--projection", *(generate.spell_key(path) for path in sorted(keys))] if keys else []
        self.query, self.options = query, cases.Options(args)

    def __repr__(self):
        return f"{self.query!r} {' '.join(map(str, self.options.ours()))}"


class Corpus:
    """The documents of a seed as archives of the real clp-s, and queries about them."""

    def __init__(self, seed, folder, shape=None):
        rng = random.Random(seed)
        self.peer, self.folder = tool.Tool(), folder
        if self.peer.path is None:
            pytest.skip("yscope-clp-core is not installed")
        self.shape = shape or generate.Shape(times=seed % 3 == 0, arrays=seed % 4 != 1, empty_keys=seed % 5 == 0, unicode=seed % 2 == 0,
                                           fresh=seed % 7 == 3)
        self.key = "ts" if self.shape.times else None
        documents = generate.Documents(rng, self.shape).documents(RECORDS)
        self.inputs = [documents] if seed % 2 else [documents[:RECORDS // 3], documents[RECORDS // 3:]]
        for number, part in enumerate(self.inputs):
            (folder / f"in-{number}.jsonl").write_text("\n".join(part) + "\n", encoding="utf-8")
        self.forms = {"min_table_size": rng.choice([None, 100]), "single_file": rng.random() < 0.7, "log_order": rng.random() < 0.85}
        values = [records.parse(document) for document in documents]
        queries = generate.Queries(rng, self.shape, values)
        self.asked = [Asked(rng, query, self.shape, queries.pairs) for query in queries.queries(QUERIES)]

    def archive(self, structurized):
        return self.peer.compress(self.folder / f"archive-{structurized}", *(f"in-{number}.jsonl" for number in range(len(self.inputs))),
                                  timestamp_key=self.key, structurize_arrays=structurized, cwd=self.folder, **self.forms)

    def metadata(self, record):
        """What `$` names, as far as it is known."""
        if not self.forms["log_order"]:
            return records.Object()
        number = int(cases.name(record)[1:]) >= len(self.inputs[0])
        return records.parse(f'{{"_filename":"in-{number:d}.jsonl","_file_split_number":0}}')


@pytest.fixture
def corpus(request, tmp_path):
    return Corpus(request.param, tmp_path)


def told(differences, asked):
    return f"{len(differences)} of {asked} queries differ:\n" + "\n".join(differences[:TOLD])


def difference(asked, wanted, done):
    """Empty if the lines and the status are as wanted."""
    status, lines = wanted
    got = done.stdout.split(b"\n")[:-1]
    if done.returncode == status and got == lines:
        return ""
    missing, more = [line for line in lines if line not in got], [line for line in got if line not in lines]
    return f"{asked}\n  status {done.returncode}, wanted {status}; {len(got)} lines, wanted {len(lines)}\n" \
        f"  missing: {missing[:2]}\n  too many: {more[:2]}\n  {done.stderr.decode(errors='replace')[:300]}"


@pytest.mark.parametrize("structurized", [False, True], ids=["default", "structurized"])
@pytest.mark.parametrize("corpus", SEEDS, indirect=True)
def test_our_meaning_is_that_of_the_naive_evaluator(corpus, structurized):
    archive, differences = corpus.archive(structurized), []
    lines = corpus.peer.decompress(archive, ordered=corpus.forms["log_order"]).split(b"\n")[:-1]
    texts = [line.decode() for line in lines]
    for asked in corpus.asked:
        done = fonds("search", *asked.options.ours(), "--", asked.query, archive)
        try:
            found = cases.answer(asked.query, asked.options, texts, corpus.key, corpus.metadata)
        except language.QueryError:
            wanted = 2, []
        else:
            wanted = (0 if found else 1), [lines[position] for position, _ in found]
            if asked.options.projection and wanted[0] == 0:
                same = [records.plain(records.parse(line)) for line in done.stdout.decode().split("\n")[:-1]] == \
                    [records.plain(value) for _, value in found]
                wanted = 0, done.stdout.split(b"\n")[:-1] if same else [repr(records.plain(value)).encode() for _, value in found]
        differences.append(difference(asked, wanted, done))
    differences = [one for one in differences if one]
    assert not differences, told(differences, len(corpus.asked))


@pytest.mark.parametrize("structurized", [False, True], ids=["default", "structurized"])
@pytest.mark.parametrize("corpus", SEEDS, indirect=True)
def test_the_meaning_of_clp_s_is_its_own(corpus, structurized):
    archive, differences, crashes = corpus.archive(structurized), [], 0
    for asked in corpus.asked:
        peers = corpus.peer.search(archive, asked.query, **asked.options.peers())
        if peers.crashed:  # its own fault: there is no answer to compare with
            crashes += 1
            continue
        wanted = 2 if peers.status else 0 if peers.lines else 1, peers.lines if not peers.status else []
        done = fonds("search", "--compat", "clp-s", "--table-order", *asked.options.ours(), "--", asked.query, archive)
        differs = difference(asked, wanted, done)
        if differs and corpus.peer.search(archive, asked.query, **asked.options.peers()) == peers:  # and not by chance
            differences.append(differs)
    assert crashes < len(corpus.asked)
    assert not differences, told(differences, len(corpus.asked))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_naive_evaluator_agrees_with_clp_s_where_the_meanings_do(seed, tmp_path):
    corpus, differences, hits = Corpus(seed, tmp_path, TAME_SHAPES[seed % len(TAME_SHAPES)]), [], 0
    archive = corpus.archive(False)
    lines = corpus.peer.decompress(archive).split(b"\n")[:-1]
    for asked in corpus.asked:
        if asked.options.projection:
            continue
        peers = corpus.peer.search(archive, asked.query, **asked.options.peers())
        if peers.crashed:
            continue
        found = cases.answer(asked.query, asked.options, [line.decode() for line in lines])
        hits += bool(found)
        if peers.status or peers.lines != [lines[position] for position, _ in found]:
            differences.append(f"{asked}: clp-s {len(peers.lines)} {peers.messages}, naive {len(found)}")
    assert hits
    assert not differences, told(differences, len(corpus.asked))
