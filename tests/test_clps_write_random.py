"""Random documents written as clp-s come back, from fonds and from the real clp-s, value for value.

FONDS_CLPS_WRITE_SEEDS=N runs N seeds instead of a few; FONDS_CLPS_WRITE_FIRST is the first of them."""
import os
import random

import pytest
from clps_write import generate, peers
from clps_write.sections import Sections
from clps_write.writer import VERSIONS, Options, any_order, came_back, expected, write
from program import fonds

FIRST = int(os.environ.get("FONDS_CLPS_WRITE_FIRST", 0))
SEEDS = range(FIRST, FIRST + int(os.environ.get("FONDS_CLPS_WRITE_SEEDS", 24)))
RECORDS = 60


class Made:
    """Inputs of a seed, and their archive."""

    def __init__(self, seed, version, folder):
        rng = random.Random(f"{seed} {version}")
        times = rng.random() < 0.4
        self.options = Options(
            version=version, single_file=rng.random() < 0.6, structurize_arrays=rng.random() < 0.5, log_order=rng.random() < 0.75,
            # A float at the timestamp key keeps its text or not, as a pattern prints it or not.
            retain_float_format=times or rng.random() < 0.7, timestamp_key="ts" if times else None,
            min_table_size=rng.choice([None, 1, 100, 2000]), level=rng.choice([None, 1, 9, 19]), threads=rng.choice([None, 1, 2, 7]))
        # Of an array that is kept as its text against the options, duplicates may be gone or not.
        duplicates = rng.choice([0, 0, 0.2])
        documents = generate.Documents(rng, times=times, depth=rng.choice([1, 3, 5]), duplicates=duplicates,
                                       containers=not duplicates or not self.options.structurize_arrays, surrogates=rng.random() < 0.2,
                                       far=self.options.keeps_floats)
        texts = [documents.input(rng.choice([1, 2, RECORDS])) for _ in range(rng.choice([1, 1, 2, 3]))]
        inputs = [folder / f"in-{number}.json" for number in range(len(texts))]
        for path, text in zip(inputs, texts):
            path.write_text(text, encoding="utf-8", newline="")
        self.wanted = sum((expected(text, self.options) for text in texts), [])
        self.archive = write(folder / "archive", inputs, self.options)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_was_written_comes_back(seed, version, tmp_path):
    made = Made(seed, version, tmp_path)
    done = fonds("verify", made.archive)
    assert done.returncode == 0, done.stdout
    assert any_order(came_back(fonds("cat", "--table-order", made.archive).stdout)) == any_order(made.wanted)
    if made.options.log_order:
        assert all(indices == sorted(set(indices)) for indices in Sections(made.archive).log_indices())
        assert came_back(fonds("cat", made.archive).stdout) == made.wanted
    peers.decompressed_alike(made.archive, made.options, made.wanted)
