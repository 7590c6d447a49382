"""Inputs that clp-s gives up at: what becomes of them, that it is counted, and that all else is kept."""
import gzip
import json
import re
import resource
import subprocess

import pytest
from clps_peer.records import parse
from clps_write import peers
from clps_write.writer import VERSIONS, Options, any_order, came_back, convert, expected, write
from program import BINARY, fonds

GOOD = ['{"a":1,"s":"x y 1"}', '{"b":[1,{"c":null}]}', '{"d":2.50}']


class Outcome:
    """One run over a text: what it said and made. `changes` are the counts by kind."""

    def __init__(self, folder, octets, *options, version="0.5.0", **run):
        self.folder, self.archive, self.rejects = folder, folder / "out", folder / "rejects"
        (folder / "in.json").write_bytes(octets)
        rejects = () if "--keep-unparsed" in options or "--strict" in options else ("--rejects", self.rejects)
        self.done = convert(self.archive, [folder / "in.json"], Options(version=version, more=("--json", *rejects, *options)), **run)
        self.status, self.said = self.done.returncode, self.done.stderr.decode()
        lines = [json.loads(line) for line in self.done.stdout.splitlines()]
        self.report = lines[-1] if lines else {}
        self.changes = self.report.get("changes", {})
        self.rejected = self.report.get("rejected", 0)

    def lines(self):
        return fonds("cat", self.archive).stdout.decode().split("\n")[:-1]

    def left_out(self):
        """The texts in the file of rejects."""
        return self.rejects.read_bytes().split(b"\n")[:-1] if self.rejects.exists() else []

    def change(self, *words):
        """The count of the one kind of change that these words occur in."""
        found = [count for kind, count in self.changes.items() if all(word in kind for word in words)]
        assert len(found) == 1, self.changes
        return found[0]


def around(bad):
    """Good lines before, between and behind bad ones."""
    lines = [line.encode() for line in GOOD]
    return b"\n".join([lines[0], *[bad], lines[1], bad, lines[2]]) + b"\n"


BAD_LINES = {
    "no JSON": b"Nov 22 05:00:01 host sshd[1]: accepted", "cut": b'{"a":1,"b":', "an open string": b'{"a":"x', "a missing comma": b'{"a":1 "b":2}',
    "a trailing comma": b'{"a":1,}', "a single quote": b"{'a':1}", "NaN": b'{"a":NaN}', "a bare word": b'{"a":nul}', "two colons": b'{"a"::1}',
    "an open array": b'{"a":[1,2}', "a leading zero": b'{"a":01}', "a plus sign": b'{"a":+1}', "no digits behind the point": b'{"a":1.}',
    "a bare minus": b'{"a":-}', "a control character in a string": b'{"a":"x\x01y"}', "a wrong escape": b'{"a":"\\x41"}',
    "a short escape": b'{"a":"\\u12"}', "a key that is no string": b'{1:2}', "NUL": b"\x00\x00\x00", "NUL within": b'{"a":\x001}',
    "invalid UTF-8 in a string": b'{"a":"\xff\xfe"}', "invalid UTF-8 in a key": b'{"\xc3(":1}', "overlong UTF-8": b'{"a":"\xc0\xaf"}',
    "a surrogate in UTF-8": b'{"a":"\xed\xa0\x80"}', "a closing brace": b"}", "a comment": b"// {}", "a tab in a string": b'{"a":"x\ty"}',
    "an array": b"[1,2]", "an array of objects": b'[{"a":1}]', "a number": b"17", "a string": b'"x"', "true": b"true", "null": b"null",
}


@pytest.mark.parametrize("bad", [pytest.param(bad, id=name) for name, bad in BAD_LINES.items()])
def test_a_bad_line_goes_to_the_rejects(bad, tmp_path):
    out = Outcome(tmp_path, around(bad))
    assert out.status == 1, out.said
    assert out.lines() == GOOD
    assert out.left_out() == [bad, bad]
    assert out.rejected == 2
    assert out.said


@pytest.mark.parametrize("bad", [pytest.param(bad, id=name) for name, bad in BAD_LINES.items()])
def test_a_bad_line_is_kept_as_its_text(bad, tmp_path):
    out = Outcome(tmp_path, around(bad), "--keep-unparsed")
    assert out.status in (0, 1), out.said
    kept = json.dumps({"_unparsed": bad.decode("utf-8", "replace")})
    found = out.lines()
    assert [line for line in found if "_unparsed" not in line] == GOOD
    unparsed = [json.loads(line) for line in found if "_unparsed" in line]
    assert len(unparsed) == 2 and set(unparsed[0]) == {"_unparsed"}
    if bad.isascii():
        assert unparsed == [json.loads(kept)] * 2
    peers.decompressed_alike(out.archive, Options(), came_back(fonds("cat", out.archive).stdout))


@pytest.mark.parametrize("bad", [pytest.param(bad, id=name) for name, bad in BAD_LINES.items()])
def test_strict_stops_at_a_bad_line(bad, tmp_path):
    out = Outcome(tmp_path, around(bad), "--strict")
    assert out.status in (1, 3)
    assert re.search(r"in\.json: (decoded )?offset 20\b", out.said), out.said
    assert not out.archive.exists()


def test_without_a_file_for_rejects_they_are_left_out_and_counted(tmp_path):
    (tmp_path / "in.json").write_bytes(around(b"no JSON"))
    done = convert(tmp_path / "out", [tmp_path / "in.json"])
    assert done.returncode == 1
    assert b"2" in done.stderr and b"in.json" in done.stderr
    assert fonds("cat", tmp_path / "out").stdout.decode().splitlines() == GOOD


def test_a_cut_last_document(tmp_path):
    out = Outcome(tmp_path, "\n".join(GOOD).encode() + b'\n{"a":[1,2,{"b"')
    assert out.status == 1
    assert out.lines() == GOOD
    assert out.rejected == 1
    assert out.rejects.read_bytes().rstrip(b"\n") == b'{"a":[1,2,{"b"'


def test_a_document_over_several_lines_that_is_bad_takes_no_other_with_it(tmp_path):
    out = Outcome(tmp_path, GOOD[0].encode() + b'\n{\n  "a": [1,\n 2,,3]\n}\n' + GOOD[1].encode() + b"\n" + GOOD[2].encode() + b"\n")
    assert out.status == 1
    assert [line for line in out.lines() if line in GOOD] == GOOD


@pytest.mark.parametrize("text", [b"", b"\n", b"  \r\n\t \n"], ids=["nothing", "an empty line", "blanks"])
@pytest.mark.parametrize("version", VERSIONS)
def test_an_empty_input_is_an_archive_without_records(text, version, tmp_path):
    out = Outcome(tmp_path, text, version=version)
    assert out.status == 0, out.said
    assert out.lines() == []
    assert fonds("verify", out.archive).returncode == 0
    assert "clp-s" in out.said  # which cannot open it


def test_an_empty_input_beside_others_has_its_range(tmp_path):
    (tmp_path / "a").write_text(GOOD[0])
    (tmp_path / "b").write_text("")
    options = Options()
    archive = write(tmp_path / "out", [tmp_path / "b", tmp_path / "a", tmp_path / "b"], options)
    peers.decompressed_alike(archive, options, expected(GOOD[0], options))


def test_a_byte_order_mark_is_no_part_of_the_first_document(tmp_path):
    out = Outcome(tmp_path, b"\xef\xbb\xbf" + GOOD[0].encode() + b"\n" + GOOD[1].encode())
    assert out.lines() in (GOOD[:2], GOOD[1:2])
    assert len(out.lines()) + out.rejected == 2


SURROGATES = {
    "in a string": (r'{"a":"x\ud800y"}', '{"a":"x�y"}'), "in a text": (r'{"a":"x y\udfff"}', '{"a":"x y�"}'),
    "in a key": (r'{"a\ud800":1}', '{"a�":1}'), "two high ones": (r'{"a":"\ud800\ud801"}', '{"a":"��"}'),
    "two the wrong way": (r'{"a":"\udc00\ud800"}', '{"a":"��"}'), "a pair": (r'{"a":"\ud83d\ude00"}', '{"a":"😀"}'),
    "high, then a letter": (r'{"a":"\ud83dA"}', '{"a":"�A"}'), "high, then an escape": (r'{"a":"\ud83d\n"}', r'{"a":"�\n"}'),
}


@pytest.mark.parametrize("given, wanted", [pytest.param(*pair, id=name) for name, pair in SURROGATES.items()])
def test_a_lone_surrogate_becomes_the_replacement_character(given, wanted, tmp_path):
    out = Outcome(tmp_path, f"{given}\n{GOOD[0]}\n".encode())
    assert out.status == 0, out.said
    assert sorted(out.lines()) == sorted([wanted, GOOD[0]])
    if "�" in wanted:
        assert out.change("surrogate") >= 1
    else:
        assert not out.changes
    peers.decompressed_alike(out.archive, Options(), came_back(fonds("cat", out.archive).stdout))


def test_strict_stops_at_a_lone_surrogate(tmp_path):
    out = Outcome(tmp_path, rb'{"a":"\ud800"}', "--strict")
    assert out.status in (1, 3) and "surrogate" in out.said
    assert not out.archive.exists()


DUPLICATES = {
    "same type": '{"a":1,"a":2}', "other type": '{"a":1,"a":"x"}', "null": '{"a":null,"a":null}', "three": '{"a":1,"b":2,"a":3,"a":4}',
    "objects": '{"a":{"b":1,"c":2},"a":{"d":3}}', "object then scalar": '{"a":{"b":1},"a":5}', "scalar then object": '{"a":5,"a":{"b":1}}',
    "object then empty": '{"a":{"b":1},"a":{}}', "arrays": '{"a":[1,2],"a":[3]}', "array then scalar": '{"a":[1],"a":2}',
    "below": '{"x":{"y":{"a":1,"a":2}}}', "at every depth": '{"x":{"y":{"a":1,"a":2},"y":{"a":3,"a":4}},"x":{"y":{"a":5,"a":6},"z":7,"z":8}}',
    "escaped otherwise": r'{"a":1,"\u0061":2}', "empty key": '{"":1,"":2}', "far apart": '{"a":1,' + ",".join(f'"k{n}":{n}' for n in range(200)) + ',"a":2}',
    "in an array": '{"l":[{"a":1,"a":2}]}', "in an array in an array": '{"l":[[{"a":{"b":1,"b":2},"a":{"b":3}}]]}', "texts": '{"a":"x y","a":"z w"}',
}


@pytest.mark.parametrize("structurized", [False, True], ids=["default", "structurized"])
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("document", [pytest.param(document, id=name) for name, document in DUPLICATES.items()])
def test_of_duplicate_keys_the_last_wins(document, version, structurized, tmp_path):
    options = Options(version=version, structurize_arrays=structurized)
    out = Outcome(tmp_path, f"{GOOD[0]}\n{document}\n{GOOD[1]}\n{document}\n".encode(), *(["--structurize-arrays"] if structurized else []),
                  version=version)
    assert out.status == 0, out.said
    wanted = expected(f"{GOOD[0]} {document} {GOOD[1]} {document}", options)
    assert came_back(fonds("cat", out.archive).stdout) == wanted
    if "[" not in document or structurized or document.startswith('{"a"'):
        assert out.change("come again") >= 2
    else:
        assert not out.changes
    peers.decompressed_alike(out.archive, options, wanted)


def test_strict_stops_at_a_duplicate_key(tmp_path):
    out = Outcome(tmp_path, b'{"a":1}\n{"b":{"a":1,"a":2}}\n', "--strict")
    assert out.status in (1, 3) and "come again" in out.said
    assert not out.archive.exists()


@pytest.mark.parametrize("number", ["9223372036854775808", "18446744073709551615", "18446744073709551616", "-9223372036854775809", "-0",
                                    "1" + "0" * 400, "1e400", "-1e-400"])
def test_numbers_beyond_64_bits_keep_their_text(number, tmp_path):
    document = f'{{"a":{number},"b":{{"c":[{number}]}}}}'
    for options in (Options(), Options(version="0.4.1", structurize_arrays=True), Options(structurize_arrays=True)):
        archive = write(tmp_path / str(options).replace(" ", "-"), ["-"], options, input=document.encode())
        assert fonds("cat", archive).stdout == document.encode() + b"\n"
        peers.decompressed_alike(archive, options, expected(document, options))


@pytest.mark.parametrize("number", ["9223372036854775808", "-0", "1e-7", "1.50", "1e5"])
def test_before_0_4_1_numbers_that_change_are_counted(number, tmp_path):
    out = Outcome(tmp_path, f'{{"a":{number}}}\n{{"a":1.500000}}\n{{"a":7}}\n'.encode(), version="0.3.1")
    assert out.status == 0, out.said
    assert out.lines()[1:] == ['{"a":1.500000}', '{"a":7}']
    assert float(json.loads(out.lines()[0])["a"]) == pytest.approx(float(number), abs=1e-6)
    assert sum(out.changes.values()) == 1


def test_a_deep_document(tmp_path):
    """Deeper than the reader's limit is left out, as is what is left open; the rest is kept."""
    deep = b'{"a":' * 10_000 + b"1" + b"}" * 10_000
    arrays = b'{"l":' + b"[" * 10_000 + b"]" * 10_000 + b"}"
    out = Outcome(tmp_path, GOOD[0].encode() + b"\n" + deep + b"\n" + GOOD[1].encode() + b"\n" + arrays + b"\n" + GOOD[2].encode() + b"\n")
    assert out.status in (0, 1), out.said
    found = out.lines()
    assert [line for line in found if line in GOOD] == GOOD
    assert len(found) + out.rejected == 5
    assert fonds("verify", out.archive).returncode == 0


def test_brackets_without_end(tmp_path):
    out = Outcome(tmp_path, GOOD[0].encode() + b"\n" + b"[" * 1_000_000 + b"\n" + GOOD[1].encode() + b"\n" + b'{"a":' * 200_000 + b"\n" +
                  GOOD[2].encode() + b"\n")
    assert out.status == 1, out.said
    assert GOOD[0] in out.lines()
    assert out.rejected >= 1


@pytest.mark.parametrize("version", VERSIONS)
def test_many_distinct_keys(version, tmp_path):
    """In one document, and each in a document of its own."""
    one = "{" + ",".join(f'"k{n}":{n}' for n in range(50_000)) + "}"
    many = "\n".join(f'{{"m{n}":"v{n % 7} w"}}' for n in range(50_000))
    out = Outcome(tmp_path, f"{GOOD[0]}\n{one}\n{many}\n".encode(), version=version)
    assert out.status == 0, out.said
    options = Options(version=version)
    wanted = expected(f"{GOOD[0]} {one} {many}", options)
    assert came_back(fonds("cat", out.archive).stdout) == wanted
    for peer in peers.readers(version).values():
        assert any_order(came_back(peer.decompress(out.archive))) == any_order(wanted)


def test_a_document_that_is_too_long(tmp_path):
    long = b'{"a":"' + b"x" * 100_000 + b'"}'
    out = Outcome(tmp_path, GOOD[0].encode() + b"\n" + long + b"\n" + GOOD[1].encode() + b"\n" + b'{"a":"' + b"y" * 5_000_000 + b"\n" +
                  GOOD[2].encode() + b"\n", "--max-document-size", "50000")
    assert out.status == 1, out.said
    assert out.lines() == GOOD
    assert out.rejected == 2
    assert out.left_out()[0] == long


def test_a_document_that_is_just_not_too_long(tmp_path):
    document = b'{"a":"' + b"x" * 100_000 + b'"}'
    archive = write(tmp_path / "out", ["-"], Options(more=("--max-document-size", len(document))), input=document + b"\n")
    assert fonds("cat", archive).stdout == document + b"\n"


def test_a_line_without_end_takes_little_memory(tmp_path):
    """A stretch of 300 MB that is no document is never held whole."""
    script = ('head -c 300000000 /dev/zero | tr "\\0" "x"; printf "\\n%s\\n" "$1"', "-", GOOD[0])
    feed = subprocess.Popen(["sh", "-c", *script], stdout=subprocess.PIPE)
    done = subprocess.run([BINARY, "convert", "--to", "clp-s", "--max-document-size", "1000000", "-o", tmp_path / "out", "-"], stdin=feed.stdout,
                          capture_output=True, timeout=120,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (250 << 20, 250 << 20)))
    feed.stdout.close()
    feed.wait()
    assert done.returncode == 1, done.stderr
    assert fonds("cat", tmp_path / "out").stdout.decode().splitlines() == [GOOD[0]]


@pytest.mark.parametrize("key", ["_filename", "_x", "_"])
def test_a_property_with_an_underscore_is_refused(key, tmp_path):
    (tmp_path / "in.json").write_text(GOOD[0])
    done = convert(tmp_path / "out", [tmp_path / "in.json"], Options(more=("--property", f"{key}=1")))
    assert done.returncode == 2 and key.encode() in done.stderr
    assert not (tmp_path / "out").exists()


def test_properties_go_into_the_range_index(tmp_path):
    (tmp_path / "in.json").write_text(GOOD[0])
    archive = write(tmp_path / "out", [tmp_path / "in.json"], Options(more=("--property", "region=eu west", "--property", "host=a")))
    assert fonds("search", "--count", "$region: \"eu west\" and $host: a", archive).stdout.strip() == b"1"
    assert fonds("search", "--count", "$region: us", archive).stdout.strip() == b"0"


WIDTHLESS = {"empty": ["{}", "{}"], "null": ['{"a":null}', "{}"], "beside others": ["{}", '{"a":1}', "{}", '{"n":null}']}


@pytest.mark.parametrize("documents", [pytest.param(documents, id=name) for name, documents in WIDTHLESS.items()])
@pytest.mark.parametrize("version", VERSIONS)
def test_tables_without_columns(documents, version, tmp_path):
    options = Options(version=version, log_order=False)
    done = convert(tmp_path / "out", ["-"], options, input="\n".join(documents).encode())
    assert done.returncode == 0
    assert sorted(fonds("cat", tmp_path / "out").stdout.decode().splitlines()) == sorted(documents)
    if any("1" in document for document in documents):
        peers.decompressed_alike(tmp_path / "out", options, expected(" ".join(documents), options))
    else:
        assert b"clp-s" in done.stderr  # which cannot open it


def test_a_container_under_the_empty_key_within_an_array_is_printed_right_by_clp_s(tmp_path):
    document = '{"l":[{"":{"x":1}},{"":["a"]},{"k":{"":[{}]}}],"m":[{"":1}]}'
    options = Options(structurize_arrays=True)
    archive = write(tmp_path / "out", ["-"], options, input=document.encode())
    assert parse(fonds("cat", archive).stdout.decode()) == parse(document)
    peers.decompressed_alike(archive, options, expected(document, options))


# --- every kind of change is told, and --strict stops at it ---

CHANGES = {
    "duplicate keys": (b'{"a":1,"a":2}', ()), "another spelling": (b'{"a":1.50}', ("--no-retain-float-format",)),
    "a lone surrogate": (rb'{"a":"\ud800"}', ()), "no time": (b'{"ts":"yesterday"}', ("--timestamp-key", "ts")),
    "a byte order mark": (b'\xef\xbb\xbf{"a":1}', ()), "no columns": (b"", ()), "replaced octets": (b'{"a":"\xff"}', ("--keep-unparsed",)),
}


@pytest.mark.parametrize("text, options", [pytest.param(*pair, id=name) for name, pair in CHANGES.items()])
def test_strict_stops_at_every_change(text, options, tmp_path):
    told = Outcome(tmp_path, text, *options)
    assert told.status in (0, 1) and len(told.changes) == 1, told.said
    told.archive.unlink()
    strict = Outcome(tmp_path, text, *options, "--strict", "--force")
    assert strict.status in (1, 3), strict.said
    assert next(iter(told.changes)) in strict.said or "--keep-unparsed" in options
    assert not strict.archive.exists()


@pytest.mark.parametrize("text, options", [(b'{"a":12345678901234567890123}', ()), (b'{"a":1e999}', ())], ids=["a large integer", "a huge number"])
def test_strict_stops_at_what_an_old_version_changes(text, options, tmp_path):
    assert len(Outcome(tmp_path, text, *options, version="0.3.1").changes) == 1
    assert Outcome(tmp_path, text, *options, "--strict", "--force", version="0.3.1").status in (1, 3)


def test_strict_stops_at_what_an_archive_loses(tmp_path):
    (tmp_path / "in.json").write_bytes(b'{"a":1}\n')
    exact = write(tmp_path / "exact", [tmp_path / "in.json"], Options(more=("--exact",)))
    assert b"original texts" in convert(tmp_path / "again", [exact]).stderr
    strict = convert(tmp_path / "strict", [exact], Options(more=("--strict",)))
    assert strict.returncode in (1, 3) and b"original texts" in strict.stderr
    assert not (tmp_path / "strict").exists()


HUGE = b'{"a":1e999,"b":[-1e400],"c":1' + b"0" * 400 + b',"d":1e-999}'


@pytest.mark.parametrize("structurize", [False, True])
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("retain", [False, True])
def test_numbers_beyond_floats_are_never_written_as_infinities(version, retain, structurize, tmp_path):
    (tmp_path / "in.json").write_bytes(HUGE)
    options = Options(version=version, retain_float_format=retain, structurize_arrays=structurize)
    archive = write(tmp_path / "out", [tmp_path / "in.json"], options)
    assert fonds("verify", archive).returncode == 0
    text = fonds("cat", archive).stdout
    assert b"inf" not in text and parse(text.decode())
    assert (b"null" in text) == (version == "0.3.1")
    if version != "0.3.1":
        peers.decompressed_alike(archive, options, came_back(text))


# --- damage at the very start of what is compressed ---

def test_what_lies_behind_a_member_that_does_not_begin_to_decode_is_read(tmp_path):
    damaged = bytearray(gzip.compress(b'{"a":1}\n' * 3000, mtime=0))
    damaged[12] ^= 0xFF
    (tmp_path / "in.json.gz").write_bytes(bytes(damaged) + gzip.compress("".join(line + "\n" for line in GOOD).encode(), mtime=0))
    done = convert(tmp_path / "out", [tmp_path / "in.json.gz"], Options(more=("--skip-damaged",)))
    assert done.returncode == 1 and b"member-damaged" in done.stderr
    assert fonds("cat", tmp_path / "out").stdout.decode().splitlines() == GOOD


@pytest.mark.parametrize("octets", [gzip.compress(b'{"a":1}\n')[:12], gzip.compress(b"")], ids=["cut", "nothing"])
def test_a_member_of_which_nothing_decodes_is_an_input_without_events(octets, tmp_path):
    (tmp_path / "in.json.gz").write_bytes(octets)
    done = convert(tmp_path / "out", [tmp_path / "in.json.gz"])
    assert done.returncode == (0 if octets.endswith(bytes(8)) else 1), done.stderr
    assert fonds("cat", tmp_path / "out").stdout == b""
