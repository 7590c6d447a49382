"""What a contestant found, brought to one form, so that times of different answers are never compared.

Each function takes the contestant's output as an open binary file and returns some of: records,
types (count by type), bytes (decoded), bad (digests that do not match), digests (compared), sha256.
Contestants agree when they agree on every key that they share with what the generator wrote.
"""
import collections
import hashlib
import json


def json_line(out):
    """The drivers, and the peers of bench/peers: one line of JSON with the keys as they are."""
    answer = json.loads(out.read().splitlines()[-1])
    answer["types"] = {name.lower(): count for name, count in answer.get("types", {}).items()}
    return {key: answer[key] for key in ("records", "types", "bytes", "bad", "digests") if answer.get(key)} | \
        {"bad": answer.get("bad", answer.get("errors", 0))}


def python_walk(out):
    """bench/peers/walk.py: its "bytes" are 0 where it does not count them."""
    answer = json_line(out)
    answer.pop("bytes", None)
    return answer


def crate_digest(out):
    """The crate leaves out records whose digest is wrong or missing, so its records are digests."""
    return {"digests": json_line(out)["records"]}


def fonds_ls(out):
    """`fonds ls --json`: one object a record."""
    types = collections.Counter()
    damaged = 0
    for line in out:
        record = json.loads(line)
        types[record.get("type") or "?"] += 1
        damaged += any(problem.get("severity") == "error" for problem in record.get("problems", ()))
    return {"records": sum(types.values()), "types": dict(types), "bad": damaged}


def fonds_verify(out):
    """`fonds verify --json`: the closing line of the archive."""
    closing = json.loads(out.read().splitlines()[-1])
    return {"records": closing["records"], "bad": closing["errors"]}


def count(out):
    """`fonds search --count`."""
    return {"hits": int(out.read())}


def hits(out):
    """The drivers, where they count what matches."""
    return {"hits": json.loads(out.read())["hits"]}


def content(out):
    """The bytes themselves."""
    return {"sha256": hashlib.sha256(out.read()).hexdigest()}


def blocks_digest(digests):
    """One digest over those of many blocks (hexadecimal SHA-256), in whatever order they came."""
    return {"blocks": hashlib.sha256("".join(sorted(digests)).encode()).hexdigest()}


def fonds_blocks(out):
    """`fonds cat --part block --length-prefixed`."""
    digests = []
    while prefix := out.read(8):
        digests.append(hashlib.sha256(out.read(int.from_bytes(prefix, "little"))).hexdigest())
    return blocks_digest(digests)


def reported_blocks(out):
    """bench/peers/irds.py and gzidx.py."""
    return {"blocks": json.loads(out.read())["blocks"]}


def cdxj(path, out):
    """A CDXJ file that was just written: its lines, and the JSON of them, keys and order left aside."""
    del out
    with open(path, "rb") as file:
        members = sorted(line.split(b" ", 2)[2] for line in file)
    return {"lines": len(members), "members": hashlib.sha256(b"".join(members)).hexdigest()}


def sorted_cdxj(path, out):
    """The same with its lines as they are."""
    with open(path, "rb") as file:
        return cdxj(path, out) | content(file)


def nothing(out):
    """For contestants whose output says nothing that could be compared."""
    del out
    return {}


def differences(answer, expected):
    """What `answer` says otherwise than `expected`, as words; empty if they agree."""
    return "; ".join(f"{key} {answer[key]} instead of {expected[key]}"
                     for key in sorted(answer.keys() & expected.keys()) if answer[key] != expected[key])
