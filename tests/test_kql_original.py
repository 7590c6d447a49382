"""The model of how clp-s matches texts is clp-s: random texts with random wildcards."""
import json
import os
import random

import pytest
from clps_peer import generate, original_text, tool

SEEDS = range(int(os.environ.get("FONDS_KQL_FIRST", 0)), int(os.environ.get("FONDS_KQL_FIRST", 0)) + int(os.environ.get("FONDS_KQL_SEEDS", 12)))
ALPHABETS = ["ab1.=x-", "0123.-", "ab\\1= ", "a*?1\\"]
QUERIES = 40


def texts(rng, seed):
    documents = generate.Documents(rng, generate.Shape(unicode=seed % 4 == 1, odd_words=seed % 2 == 0))
    words = lambda: "".join(rng.choices(ALPHABETS[seed % 4], k=rng.randint(1, 4)))  # noqa: E731
    found = [documents.text() for _ in range(40)] + [" ".join(words() for _ in range(rng.randint(2, 3))) for _ in range(40)]
    return [text for text in found if " " in text]


def pattern_of(rng, text):
    """The text as a pattern of clp-s, some of it made wildcards or another character."""
    units = [("\\" if c in "\\*?" else "") + c for c in text]
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        at, kind = rng.randint(0, len(units)), rng.random()
        if kind < 0.3:
            units[at:at + rng.choice([0, 1, 2, 3, 9])] = ["*"]
        elif kind < 0.4:
            units[:at] = ["*"]
        elif kind < 0.5:
            units[at:] = ["*"]
        elif kind < 0.9:
            units[at:at + 1] = ["?"]
        else:
            units[at:at + 1] = [rng.choice("1x .")]
    return original_text.collapsed([unit.encode() for unit in units])


def spelled(pattern):
    """As a quoted literal: a pattern of clp-s has the escapes of a literal for its wildcards already."""
    text = pattern.decode().replace('"', '\\"')
    return '"' + "".join(f"\\u{ord(c):04x}" if c < " " else c for c in text) + '"'


def is_for_texts(pattern):
    """Neither existence nor a value that only a string without a blank can have."""
    units = original_text.units(pattern)
    return units != [b"*"] and (b" " in units or b"*" in units or b"?" in units)


@pytest.mark.parametrize("seed", SEEDS)
def test_texts_are_found_as_clp_s_finds_them(seed, tmp_path):
    rng, peer = random.Random(seed), tool.Tool()
    if peer.path is None:
        pytest.skip("yscope-clp-core is not installed")
    stored = texts(rng, seed)
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"i": i, "s": text}) + "\n" for i, text in enumerate(stored)))
    archive = peer.compress(tmp_path / "archive", "in.jsonl", cwd=tmp_path)
    differences = []
    for pattern in filter(is_for_texts, (pattern_of(rng, rng.choice(stored)) for _ in range(QUERIES))):
        ignore_case = rng.random() < 0.2
        found = peer.search(archive, "s: " + spelled(pattern), ignore_case=ignore_case)
        assert found.status == 0, (pattern, found.messages)
        theirs = {json.loads(line)["i"] for line in found.lines}
        ours = {i for i, text in enumerate(stored) if original_text.finds(pattern, text.encode(), ignore_case)}
        differences += [(pattern, ignore_case, stored[i], "clp-s" if i in theirs else "the model") for i in ours ^ theirs]
    assert not differences
