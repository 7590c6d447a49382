"""JSON Lines as an archive: recognized, listed, verified, and searched like the clp-s archive made of the same lines."""
import bz2
import gzip
import json
import lzma
import os
import random
import re
import subprocess

import pytest
from clps_peer import cases, records
from program import fonds, json_lines

EVENTS = [{"ts": f"2024-03-01T{n // 60:02}:{n % 60:02}:00.5Z", "level": ["INFO", "WARN", "ERROR"][n % 3], "n": n - 60,
           "msg": f"user u{n % 7} took {n * 3}.{n % 10} ms", "ctx": {"id": n % 5, "ok": n % 2 == 0, "none": None},
           "tags": ["a", n % 4, {"k": "ü" * (n % 3)}]} for n in range(200)]
TEXT = "".join(json.dumps(event, ensure_ascii=event["n"] % 2 == 0, separators=(",", ":")) + "\n" for event in EVENTS).encode()
# What clp-s writes of integers above int64 is what these cases are about: lines keep them.
CHANGED = {"k259", "k260", "k261", "k262"}


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_bytes(TEXT)
    return path


def search(*args, **options):
    return fonds("search", *args, **options)


def big_text(lines, seed=1):
    """Some megabytes, so that several pieces are judged at once."""
    rng, out = random.Random(seed), []
    for n in range(lines):
        event = {"n": n, "level": rng.choice(["INFO", "ERROR"]), "msg": "x" * rng.randrange(200), "v": rng.random()}
        out.append(json.dumps(event) if n % 97 else "no json at all ERROR")
    return "\n".join(out).encode()


# --- what is recognized

@pytest.mark.parametrize("content", [TEXT, b"\xef\xbb\xbf" + TEXT, b"\n  \n" + TEXT, TEXT.replace(b"\n", b"\r\n"), b'{"a":1}', b"{}\n", b'no json\n{"a":1}\n'],
                         ids=["plain", "mark", "blanks", "crlf", "one", "empty object", "damaged first line"])
def test_is_recognized_by_its_lines(content, tmp_path):
    (tmp_path / "f").write_bytes(content)
    facts, = json_lines(fonds("info", "--json", tmp_path / "f").stdout)
    assert facts["format"] == "jsonl"


@pytest.mark.parametrize("content", [b'{\n  "a": 1\n}\n', b"[1,2]\n", b'"text"\n', b"2024 INFO {\"a\":1}\n", b'{"a":1} {"b":2}\n'])
def test_other_text_is_not(content, tmp_path):
    (tmp_path / "f").write_bytes(content)
    done = fonds("info", tmp_path / "f")
    assert done.returncode == 3 and b"no archive that fonds knows" in done.stderr


def test_a_damaged_web_archive_stays_one(tmp_path):
    warc = b"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n" \
           b"WARC-Date: 2024-01-01T00:00:00Z\r\nWARC-Target-URI: x:y\r\nContent-Length: 2\r\n\r\nab\r\n\r\n"
    (tmp_path / "f").write_bytes(b'{"cut')
    with open(tmp_path / "f", "ab") as out:
        out.write(b'\nrest\n{"a":1}\n' + warc)
    facts, = json_lines(fonds("info", "--json", tmp_path / "f").stdout)
    assert facts["format"].startswith("warc") or facts["format"] == "warc"


# --- reading

def test_ls_cat_and_verify(log):
    listed = json_lines(fonds("ls", "--json", log).stdout)
    lines = TEXT.splitlines(keepends=True)
    assert [one["length"] for one in listed] == [len(line) - 1 for line in lines]
    assert [one["offset"] for one in listed] == [sum(map(len, lines[:n])) for n in range(len(lines))]
    assert fonds("cat", log).stdout == TEXT
    assert fonds("cat", log, "index:7").stdout == lines[7] and fonds("cat", log, f"offset:{listed[7]['offset']}").stdout == lines[7]
    assert fonds("cat", "--range", "3:5", log).stdout == b"".join(lines[3:5])
    done = fonds("verify", log)
    assert done.returncode == 0 and not done.stderr


@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["lf", "crlf"])
def test_cat_gives_the_lines_back(end, tmp_path):
    content = TEXT.replace(b"\n", end)
    (tmp_path / "f").write_bytes(content)
    assert fonds("cat", tmp_path / "f").stdout == content
    assert search("*", tmp_path / "f").stdout == TEXT


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, lambda data: subprocess.run(["zstd", "-c"], input=data, capture_output=True, check=True).stdout,
                                  lambda data: subprocess.run(["lz4", "-c"], input=data, capture_output=True, check=True).stdout],
                         ids=["gzip", "bzip2", "xz", "zstd", "lz4"])
def test_compressed_files_and_pipes_are_searched(pack, log, tmp_path):
    wanted = search("level: ERROR", log).stdout
    assert wanted
    packed = pack(TEXT)
    (tmp_path / "packed").write_bytes(packed)
    for threads in (1, 2):
        assert search("--threads", threads, "level: ERROR", tmp_path / "packed").stdout == wanted
        assert search("--threads", threads, "level: ERROR", "-", input=packed).stdout == wanted
        assert search("--threads", threads, "level: ERROR", "-", input=TEXT).stdout == wanted


def test_an_empty_file_has_no_answer(tmp_path):
    (tmp_path / "f").write_bytes(b"")
    done = search("*", tmp_path / "f")
    assert done.returncode == 1 and not done.stdout and not done.stderr


# --- the language

@pytest.mark.parametrize("case", cases.CASES, ids=lambda case: case["id"])
def test_every_case_of_the_language(case):
    args = ["--timestamp-key", case["timestamp_key"].replace("$", r"\$")] if case.get("timestamp_key") else []
    options = cases.Options(case.get("args", []))
    path = cases.KQL / case["docs"]
    lines = path.read_text().split("\n")[:-1]
    done = search(*args, *options.ours(), case["query"], path)
    if case.get("sane_exit") == 2:
        assert done.returncode == 2 and not done.stdout and done.stderr
        return
    archive = records.parse("{}")  # $ names what archives keep of their inputs: nothing here
    found = cases.answer(case["query"], options, lines, case.get("timestamp_key"), lambda record: archive)
    if options.projection:
        values = lambda lines: sorted(repr(records.plain(records.parse(line))) for line in lines)  # noqa: E731
        assert values(done.stdout.decode().split("\n")[:-1]) == sorted(repr(records.plain(value)) for _, value in found)
    else:
        assert done.stdout.decode().split("\n")[:-1] == [lines[position] for position, _ in found]
        if "$" not in case["query"] and case["id"] not in CHANGED:
            assert [cases.name(value) for _, value in found] == case["sane"]
    assert done.returncode == (0 if found else 1), done.stderr


QUESTIONS = [["*"], ["level: ERROR"], ["n > 100 and level: WARN"], ["msg: \"*u3 took*\""], ["not level: INFO and ctx.ok: true"],
             ["-i", "level: error"], ["tags.k: üü"], ["tags: 3"], ["level: (INFO or WARN) and n < -50"], ["u5*"], ["\"user u5*\""],
             ["--count", "ctx.id: 3"], ["--count", "--json", "ctx.id: 3"], ["--min", "n", "level: ERROR"], ["--max", "n", "*"],
             ["--unique", "level", "*"], ["--unique", "tags", "n > 10"], ["--unique", "tags.k", "*"], ["--unique", "ctx.none", "*"],
             ["--limit", "3", "level: WARN"], ["--projection", "n,ctx.id", "ctx.id: 2"], ["--projection", "nothing", "ctx.id: 2"],
             ["-l", "level: WARN"], ["--count-by-time", "30m", "level: WARN"], ["--since", "2024-03-01T01:00:00Z", "--until", "2024-03-01T02:00:00Z", "*"],
             ["ts > timestamp(\"2024-03-01T03:00:00Z\")"], ["ts: \"*T01:1?:*\""]]


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
@pytest.mark.parametrize("kind", ["clp-s", "kv-ir"])
def test_answers_are_those_of_an_archive_made_of_the_lines(question, kind, tmp_path):
    # As clp-s prints them: without escapes that need not be.
    text = "".join(json.dumps(event, ensure_ascii=False, separators=(",", ":")) + "\n" for event in EVENTS).encode()
    for name in ("lines", "archive"):
        os.mkdir(tmp_path / name)
    (tmp_path / "lines/log").write_bytes(text)
    options = ["--timestamp-key", "ts"]
    make = ["--to", kind, *options] if kind == "clp-s" else ["--to", kind, "--format", "lines"]
    assert fonds("convert", *make, "-o", tmp_path / "archive/log", tmp_path / "lines/log").returncode == 0
    asked = search(*options, *question, "log", cwd=tmp_path / "lines")
    wanted = search(*options, *question, "log", cwd=tmp_path / "archive")
    assert (asked.returncode, asked.stdout) == (wanted.returncode, wanted.stdout)
    assert asked.returncode in (0, 1) and not asked.stderr


def test_list_fields_is_that_of_an_archive(log, tmp_path):
    assert fonds("convert", "--to", "clp-s", "-o", tmp_path / "a.clps", log).returncode == 0
    assert search("--list-fields", log).stdout == search("--list-fields", tmp_path / "a.clps").stdout


def test_the_key_of_the_time_must_be_told(log):
    for option in (["--since", "2024-03-01"], ["--until", "2024-03-01"], ["--count-by-time", "1h"]):
        done = search(*option, "*", log)
        assert done.returncode == 2 and not done.stdout and b"--timestamp-key" in done.stderr


def test_the_meaning_of_clp_s_is_for_its_archives(log):
    done = search("--compat", "clp-s", "*", log)
    assert done.returncode == 3 and b"clp-s archives" in done.stderr


def test_texts_spelled_with_escapes_are_found(tmp_path):
    lines = [r'{"a":"\u0041BC"}', r'{"\u0061":"ABC"}', r'{"a":"x\/y"}', r'{"a":"x/y"}', r'{"a":"q\"r"}', r'{"a":"b\\u0041"}', r'{"a":"t\tu"}']
    (tmp_path / "f").write_text("\n".join(lines) + "\n")
    for query, wanted in (("a: ABC", [0, 1]), ("a: A*", [0, 1]), ('a: "x/y"', [2, 3]), (r'a: "q\"r"', [4]), (r'a: "*u0041"', [5]), (r'a: "t\tu"', [6])):
        assert search(query, tmp_path / "f").stdout.decode().splitlines() == [lines[n] for n in wanted]


def test_random_questions_agree_with_the_naive_evaluator(tmp_path):
    rng = random.Random(9)
    words = ["a", "b", "ab", "x/y", "ü", "1", "2.0", "true", "null", "A"]
    value = lambda depth: rng.choice([lambda: rng.choice(words), lambda: rng.randrange(3), lambda: rng.choice([True, None, 2.0]),  # noqa: E731
                                      lambda: {rng.choice("abk"): value(depth + 1) for _ in range(rng.randrange(3))} if depth < 3 else 1,
                                      lambda: [value(depth + 1) for _ in range(rng.randrange(3))] if depth < 3 else "a"])()
    events = [{rng.choice("abk"): value(0) for _ in range(3)} for _ in range(150)]
    lines = [json.dumps(event, ensure_ascii=rng.random() < 0.5) for event in events]
    (tmp_path / "f").write_text("\n".join(lines) + "\n")

    def query(depth):
        if depth < 3 and rng.random() < 0.6:
            kind = rng.choice(["and", "or", "not"])
            return f"(not {query(depth + 1)})" if kind == "not" else f"({query(depth + 1)} {kind} {query(depth + 1)})"
        key = rng.choice(["a", "b", "k", "a.b", "*.k", "a.*", ""])
        literal = rng.choice([*words, "*", "a*", "*b", "?", "*/*", "ü*"])
        return f'{key}: "{literal}"' if key else f'"{literal}"'

    for _ in range(60):
        text, more = query(0), rng.choice([[], ["-i"]])
        found = cases.answer(text, cases.Options(more), lines)
        done = search(*more, text, tmp_path / "f")
        assert done.stdout.decode().splitlines() == [lines[position] for position, _ in found], (text, more)


# --- threads, limits, damage

@pytest.mark.parametrize("question", [["level: ERROR"], ["n > 20000"], ["--count", "*"], ["--unique", "level", "*"], ["--max", "v", "*"], ["--limit", "7", "v > 0.5"]],
                         ids=" ".join)
def test_threads_change_nothing(question, tmp_path):
    (tmp_path / "f").write_bytes(big_text(30000))
    asked = [search("--threads", threads, *question, tmp_path / "f") for threads in (1, 2, 7)]
    assert asked[0].stdout and len({(done.stdout, done.stderr, done.returncode) for done in asked}) == 1
    packed = gzip.compress((tmp_path / "f").read_bytes(), 1)
    piped = [search("--threads", threads, *question, "-", input=packed) for threads in (1, 2, 7)]
    assert len({(done.stdout, done.stderr, done.returncode) for done in piped}) == 1 and piped[0].stdout == asked[0].stdout


def test_lines_that_are_no_objects_are_told_and_the_others_given(tmp_path):
    good, bad = b'{"a":1}\n', [b"plain text\n", b'{"a":\n', b'{"a":1}{"b":2}\n', b"[1]\n", b'{"a":"\0"}\n', b'{"a":01}\n', b'{"a":1} x\n', b"\0\n"]
    content = good + b"".join(line + good for line in bad)
    (tmp_path / "f").write_bytes(content)
    offsets = [content.index(line) for line in bad]
    for command in (["cat"], ["search", "*"]):
        done = fonds(*command, tmp_path / "f")
        assert done.stdout == good * (len(bad) + 1) and done.returncode == 1
        assert done.stderr.count(b"[jsonl-line]") == len(bad)
        assert all(f"offset {offset}".encode() in done.stderr for offset in offsets)
    *findings, closing = json_lines(fonds("verify", "--json", tmp_path / "f").stdout)
    assert [one["code"] for one in findings] == ["jsonl-line"] * len(bad) and [one["offset"] for one in findings] == offsets


def test_lines_that_are_not_utf8_are_given_and_verify_tells(tmp_path):
    content = b'{"a":"good"}\n{"a":"\xff"}\n{"a":"good"}\n'
    (tmp_path / "f").write_bytes(content)
    assert fonds("cat", tmp_path / "f").stdout == content and search("a: ?", tmp_path / "f").stdout == content.splitlines(keepends=True)[1]
    *findings, _ = json_lines(fonds("verify", "--json", tmp_path / "f").stdout)
    assert [(one["code"], one["offset"], one["index"]) for one in findings] == [("jsonl-utf8", 13, 1)]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_line_beyond_the_memory_is_told_and_left_out(threads, tmp_path):
    long = b'{"a":"' + b"x" * 3_000_000 + b'"}\n'
    (tmp_path / "f").write_bytes(b'{"a":1}\n' + long + b'{"a":2}\n' + long)
    for command in (["cat"], ["search", "*"]):
        done = fonds(*command, "--memory", "4M", "--threads", threads, tmp_path / "f")
        assert done.stdout == b'{"a":1}\n{"a":2}\n' and done.returncode == 1 and done.stderr.count(b"[limit-exceeded]") == 2
        assert fonds(*command, tmp_path / "f").stdout == (tmp_path / "f").read_bytes()


def test_damage_of_the_compression_costs_what_it_hits(tmp_path):
    lines = [json.dumps({"n": n, "pad": str(random.Random(n).random())}).encode() + b"\n" for n in range(3000)]
    members = [bytearray(gzip.compress(b"".join(lines[at:at + 100]))) for at in range(0, 3000, 100)]
    members[10][len(members[10]) // 2] ^= 0xFF
    (tmp_path / "f").write_bytes(b"".join(members))
    for done in (search("*", tmp_path / "f"), fonds("cat", tmp_path / "f")):
        assert done.returncode == 1 and done.stderr
        given = done.stdout.splitlines(keepends=True)
        assert set(lines[:1000]) <= set(given) and set(lines[1100:]) <= set(given) and set(given) <= set(lines)


# --- what goes on as before

def test_items_are_read_by_name_as_convert_writes_them(tmp_path):
    (tmp_path / "items").write_text('{"item":0,"data":"one"}\n{"data_base64":"/w=="}\n')
    assert fonds("cat", "--newline", "--format", "jsonl", tmp_path / "items").stdout == b"one\n\xff\n"
    assert fonds("cat", tmp_path / "items").stdout == (tmp_path / "items").read_bytes()
    assert search("data: one", tmp_path / "items").stdout == b'{"item":0,"data":"one"}\n'


def test_events_become_other_formats_without_a_name(log, tmp_path):
    assert fonds("convert", "--to", "kv-ir", "-o", tmp_path / "s.clp.zst", log).returncode == 0
    assert json_lines(fonds("cat", tmp_path / "s.clp.zst").stdout) == EVENTS
    assert fonds("convert", "--to", "recordio", "-o", tmp_path / "r.rio", log).returncode == 0
    assert fonds("cat", "--newline", tmp_path / "r.rio").stdout == TEXT


@pytest.mark.parametrize("options", [[], ["--total"]], ids=str)
def test_more_values_than_memory_are_told_with_what_helps(options, tmp_path):
    (tmp_path / "log.jsonl").write_bytes(b"".join(b'{"n":"value %d"}\n' % n for n in range(20_000)))
    done = search("--memory", "1M", "--unique", "n", *options, "*", tmp_path / "log.jsonl")
    assert done.returncode == 3
    assert re.fullmatch(rf"fonds: {tmp_path}/log.jsonl: \d+ different values or times take \d+ bytes, which the memory limit does "
                        "not leave to them; --memory allows more\n", done.stderr.decode()), done.stderr
