"""Random documents through the real clp-s, of today and older: `fonds cat` prints what it prints.

FONDS_CLPS_SEEDS=N runs N seeds instead of a few; FONDS_CLPS_FIRST the first of them."""
import os
import random

import pytest
from clps_peer import generate, tool
from program import fonds

FIRST = int(os.environ.get("FONDS_CLPS_FIRST", 0))
SEEDS = range(FIRST, FIRST + int(os.environ.get("FONDS_CLPS_SEEDS", 24)))
RECORDS = 60


@pytest.fixture(scope="module", params=[tool.VERSION, *tool.OLD_VERSIONS])
def peer(request):
    path = tool.binary() if request.param == tool.VERSION else tool.old_binary(request.param)
    if path is None:
        pytest.skip(f"there is no clp-s of yscope-clp-core {request.param} here")
    return tool.Tool(path)


class Made:
    def __init__(self, peer, seed, folder):
        rng = random.Random(seed)
        shape = generate.Shape(times=seed % 3 == 0, fresh=seed % 2 == 1, depth=rng.choice([1, 3, 5]))
        documents = generate.Documents(rng, shape)
        names = [f"in-{number}.jsonl" for number in range(rng.choice([1, 1, 2, 3]))]
        for name in names:
            (folder / name).write_text("\n".join(documents.documents(rng.choice([1, RECORDS]))) + "\n", encoding="utf-8")
        self.log_order = rng.random() < 0.8
        self.single_file = rng.random() < 0.6
        self.archive = peer.compress(
            folder / "archive", *names, cwd=folder, timestamp_key="ts" if shape.times else None, single_file=self.single_file,
            structurize_arrays=rng.random() < 0.5, log_order=self.log_order, min_table_size=rng.choice([None, 1, 100, 2000]),
            retain_float_format=rng.random() < 0.7, level=rng.choice([None, 1, 19]))
        self.table = peer.decompress(self.archive)
        self.log = peer.decompress(self.archive, ordered=True) if self.log_order else self.table


@pytest.mark.parametrize("seed", SEEDS)
def test_cat_prints_what_clp_s_prints(peer, seed, tmp_path):
    made = Made(peer, seed, tmp_path)
    for threads in (1, 3):
        for options, wanted in (([], made.log), (["--table-order"], made.table)):
            done = fonds("cat", "--threads", threads, *options, made.archive)
            assert done.stdout == wanted, (threads, options)
            assert done.returncode == 0, done.stderr
    if made.single_file:
        assert fonds("cat", "-", input=made.archive.read_bytes()).stdout == made.log


@pytest.mark.parametrize("seed", SEEDS)
def test_verify_is_silent_about_what_clp_s_wrote(peer, seed, tmp_path):
    done = fonds("verify", Made(peer, seed, tmp_path).archive)
    assert done.returncode == 0, done.stdout
