"""The command line's contract: help, usage, keys, output, exit statuses, signals, hostile names."""
import hashlib
import json
import os
import pty
import re
import signal
import subprocess
import threading

import pytest
from program import BINARY, WARC, await_handler, fonds, json_lines, ls, verify

OWN = WARC / "own"
GOOD = OWN / "gz-per-record.warc.gz"
PLAIN = OWN / "ok-three.warc"
DAMAGED = OWN / "gz-bad-crc.warc.gz"
EXAMPLE = WARC / "third-party/warcio-example.warc.gz"
COMMANDS = ("info", "ls", "cat", "verify")
LS_FIELDS = {
    "archive", "index", "offset", "inner", "stored_length", "length", "format", "problems", "version", "type",
    "stored_type", "id", "uri", "date", "date_raw", "content_type", "ip", "truncated", "segment", "block_digest",
    "payload_digest", "refers_to", "refers_to_uri", "refers_to_date", "concurrent_to", "profile", "warcinfo_id",
    "filename", "trec_id", "http", "headers", "header_length", "trailing"}
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")


def resource(uri, block=b"text", extra=b""):
    return (b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\n"
            b"WARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Target-URI: %s\r\n%sContent-Length: %d\r\n\r\n%s\r\n\r\n"
            % (len(uri), uri, extra, len(block), block))


# --- help and usage

@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_has_examples(command):
    done = fonds(command, "--help")
    assert (done.returncode, done.stderr) == (0, b"")
    assert f"fonds {command}".encode() in done.stdout and b"example" in done.stdout.lower()


@pytest.mark.parametrize("args", [["foo"], [], ["man", "bash"]])
def test_what_cannot_be_generated_is_wrong_usage(args):
    done = fonds("--generate", *args)
    assert (done.returncode, done.stdout) == (2, b"") and b"--generate takes man, bash" in done.stderr


def test_the_help_says_what_an_archive_is():
    words = fonds("--help").stdout + fonds("--generate", "man").stdout
    for kind in (b"a directory with -r", b"s3:// URL", b"standard input", b"WARC, ARC, RecordIO, clp", b"IR archives and JSON Lines"):
        assert kind in words, kind
    known = re.search(rb"no format named x, only (.*)\n", fonds("ls", "--format", "x", PLAIN).stderr)[1]
    shown = re.search(rb"instead of recognizing it: (.*)\n", fonds("ls", "--help").stdout)[1]
    assert shown.replace(b" or ", b", ") == known


@pytest.mark.parametrize("switch", ["--json=0", "--json=1", "--json=true", "--json=", "--quiet=0"])
def test_a_switch_takes_no_value(switch):
    done = fonds("ls", switch, PLAIN)
    assert (done.returncode, done.stdout) == (2, b"")
    assert f"fonds: {switch.split('=')[0]} takes no value\n".encode() in done.stderr


def test_help_names_the_commands():
    done = fonds("--help")
    assert done.returncode == 0
    assert all(command.encode() in done.stdout for command in COMMANDS)


def test_version_is_one_line():
    assert re.fullmatch(rb"fonds \d+\.\d+\.\d+.*\n", fonds("--version").stdout)


@pytest.mark.parametrize("args,hint", [
    (["verfy", GOOD], b"verify"), (["ls", "--jsn", GOOD], b"--json"), (["cat", GOOD, "--prat", "block"], b"--part")])
def test_a_typo_is_status_2_and_gets_a_suggestion(args, hint):
    done = fonds(*args)
    assert (done.returncode, done.stdout) == (2, b"")
    assert hint in done.stderr


@pytest.mark.parametrize("args", [
    ["ls"], ["cat", GOOD, "--part", "nonsense"], ["ls", "--threads", "many", GOOD], ["ls", "--memory", "lots", GOOD],
    ["ls", "--format", "nonsense", GOOD]])
def test_wrong_usage_is_status_2_with_nothing_on_stdout(args):
    done = fonds(*args)
    assert (done.returncode, done.stdout) == (2, b"") and done.stderr


# --- inputs

@pytest.mark.parametrize("path", [GOOD, PLAIN, OWN / "zst-per-record.warc.zst", OWN / "lz4-per-record.warc.lz4",
                                  OWN / "gz-single-member.warc.gz", OWN / "xz-whole.warc.xz", OWN / "bz2-whole.warc.bz2",
                                  OWN / "arc-v1.arc.gz", WARC / "0011/01-all-types.warc"], ids=lambda p: p.name)
def test_standard_input_gives_what_the_file_gives(path):
    for command in (["ls", "--json", "--headers"], ["ls", "--json", "--full"], ["verify", "--json"], ["cat"]):
        from_file = fonds(*command, path)
        from_pipe = fonds(*command, "-", input=path.read_bytes())
        named = from_file.stdout.replace(json.dumps(str(path)).encode(), b'"-"')
        # A pipe has no name that could follow the convention.
        named = b"".join(line for line in named.splitlines(True) if b'"code":"file-name"' not in line)
        assert (from_pipe.stdout, from_pipe.returncode) == (named, from_file.returncode), command


def test_a_missing_file_is_status_3_and_the_others_are_done(tmp_path):
    done = fonds("ls", "--json", tmp_path / "gone.warc", GOOD)
    assert done.returncode == 3
    assert b"gone.warc" in done.stderr
    assert [r["archive"] for r in json_lines(done.stdout)] == [str(GOOD)] * 4


def test_several_archives_come_in_the_order_given():
    done = fonds("ls", "--json", PLAIN, GOOD, PLAIN)
    assert [r["archive"] for r in json_lines(done.stdout)] == [str(PLAIN)] * 3 + [str(GOOD)] * 4 + [str(PLAIN)] * 3


def test_files_from_reads_a_list(tmp_path):
    (tmp_path / "list").write_text(f"{PLAIN}\n{GOOD}\n")
    done = fonds("ls", "--json", "--files-from", tmp_path / "list")
    assert (done.returncode, len(json_lines(done.stdout))) == (0, 7)


def test_a_directory_needs_r(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.warc").write_bytes(PLAIN.read_bytes())
    assert fonds("ls", tmp_path).returncode == 3
    done = fonds("ls", "--json", "-r", tmp_path)
    assert (done.returncode, len(json_lines(done.stdout))) == (0, 3)


def test_the_name_plays_no_part(tmp_path):
    path = tmp_path / "photo.jpg"
    path.write_bytes(GOOD.read_bytes())
    assert len(ls(path)[0]) == 4


# --- output

def all_archives():
    return [p for d in ("own", "0011", "third-party") for p in sorted((WARC / d).glob("*"))
            if not p.name.endswith((".json", ".wacz", ".cdx"))]


@pytest.mark.parametrize("path", all_archives(), ids=lambda p: p.name)
def test_ls_json_has_the_fields_of_the_contract_only(path):
    for record in ls(path, "--headers", "--full")[0]:
        assert set(record) <= LS_FIELDS
        assert {"archive", "index", "offset", "stored_length", "length", "format"} <= set(record)
        assert None not in [v for k, v in record.items() if k not in ("offset", "stored_length", "length", "type")]
        assert all(isinstance(record[k], int | None) for k in ("index", "offset", "stored_length", "length"))
        assert all(len(pair) == 2 for pair in record["headers"])


@pytest.mark.parametrize("path", all_archives(), ids=lambda p: p.name)
def test_people_see_no_control_characters(path):
    for command in (["ls"], ["ls", "--full", "--headers"], ["info"], ["verify"]):
        done = fonds(*command, path)
        assert not CONTROL.search(done.stdout) and not CONTROL.search(done.stderr), command


@pytest.mark.parametrize("uri", [b"http://a.example/\x1b[31mred\x1b]0;title\x07", b"http://a.example/\xc2\x9b31m",
                                 b"http://a.example/\x08\x7f\x00x", b"http://a.example/\xff\xfe"])
def test_hostile_uris_are_escaped(uri, tmp_path):
    path = tmp_path / "a.warc"
    path.write_bytes(resource(uri) * 2)
    for command in (["ls"], ["ls", "--headers"], ["info", "--deep"], ["verify"]):
        done = fonds(*command, path)
        assert not CONTROL.search(done.stdout) and not CONTROL.search(done.stderr), command
    assert ls(path)[0][0]["uri"].startswith("http://a.example/")
    raw = fonds("cat", path, "index:0", "--part", "header").stdout
    assert uri in raw


def test_hostile_file_names_are_escaped(tmp_path):
    path = tmp_path / "a\x1b[31m\nb.warc"
    path.write_bytes(PLAIN.read_bytes())
    for command in (["ls"], ["info"], ["verify"], ["ls", "--nonsense"]):
        done = fonds(*command, path)
        assert not CONTROL.search(done.stdout) and not CONTROL.search(done.stderr), command
    gone = fonds("ls", tmp_path / "\x1b[2Jgone.warc")
    assert not CONTROL.search(gone.stderr)


def test_a_terminal_sees_no_escape_of_the_archive(tmp_path):
    path = tmp_path / "a.warc"
    path.write_bytes(resource(b"http://a.example/\x1b[31mred\x07"))
    leader, follower = pty.openpty()
    child = subprocess.Popen([BINARY, "ls", "--color", "never", path], stdin=follower, stdout=follower, stderr=follower)
    child.wait(10)
    os.close(follower)
    shown = b""
    while chunk := read_terminal(leader):
        shown += chunk
    assert b"a.example" in shown and not CONTROL.search(shown.replace(b"\r\n", b"\n"))


def read_terminal(leader):
    try:
        return os.read(leader, 65536)
    except OSError:
        return b""


def test_a_pipe_gets_tabs_and_no_colour():
    out = fonds("ls", GOOD, env=dict(os.environ, TERM="xterm")).stdout.decode()
    assert all("\t" in line for line in out.splitlines()) and "\x1b" not in out


def test_fields_chooses_columns():
    lines = fonds("ls", "--fields", "index,type", GOOD).stdout.decode().splitlines()
    assert [line.split("\t") for line in lines][-4:] == [
        ["0", "warcinfo"], ["1", "response"], ["2", "request"], ["3", "resource"]]


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    path = tmp_path_factory.mktemp("large") / "large.warc"
    path.write_bytes(b"".join(resource(b"http://a.example/%d" % n, b"x" * 200) for n in range(60000)))
    return path


@pytest.mark.parametrize("command", [["ls"], ["ls", "--json"], ["cat"]], ids=" ".join)
def test_a_closed_pipe_is_no_error(command, large):
    child = subprocess.Popen([BINARY, *command, large], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdout.read(100)
    child.stdout.close()
    assert child.stderr.read() == b""
    assert child.wait(60) in (0, 141, -signal.SIGPIPE)


def feed(pipe):
    try:
        while True:
            pipe.write(resource(b"http://a.example/", b"x" * 1000))
    except OSError:
        pass


@pytest.mark.parametrize("command", [["verify", "-"], ["ls", "--full", "-"], ["cat", "-", "-o", "out"]], ids=" ".join)
@pytest.mark.parametrize("busy", [True, False], ids=["busy", "waiting-for-input"])
def test_ctrl_c_ends_a_reader_of_an_open_pipe_with_130(command, busy, tmp_path):
    child = subprocess.Popen([BINARY, *command], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, cwd=tmp_path)
    if busy:
        threading.Thread(target=feed, args=(child.stdin,), daemon=True).start()
    else:
        child.stdin.write(resource(b"http://a.example/") * 3)
        child.stdin.flush()
    await_handler(child, signal.SIGINT)
    child.send_signal(signal.SIGINT)
    assert child.wait(60) == 130  # its input goes on
    left = [p.name for p in tmp_path.rglob("*") if p.is_file() and (p.name.startswith(".") or "tmp" in p.name)]
    assert left == []


# --- statuses

@pytest.mark.parametrize("args,status", [
    (["ls", GOOD], 0), (["cat", GOOD, "index:1"], 0), (["verify", GOOD], 0), (["info", GOOD], 0),
    (["ls", OWN / "header-lf-only.warc"], 0), (["ls", "--strict", OWN / "header-lf-only.warc"], 1),
    (["verify", OWN / "header-lf-only.warc"], 0), (["verify", "--strict", OWN / "header-lf-only.warc"], 1),
    (["ls", "--full", DAMAGED], 1), (["verify", DAMAGED], 1), (["cat", DAMAGED], 1), (["info", "--deep", OWN / "gz-truncated-last.warc.gz"], 1),
    (["cat", GOOD, "index:99"], 1), (["cat", GOOD, "id:urn:none"], 1), (["cat", GOOD, "offset:1"], 1),
    (["cat", GOOD, "uri:http://none.example/"], 1), (["ls", "/nowhere/at/all"], 3), (["verify", "/nowhere/at/all"], 3),
], ids=lambda v: " ".join(getattr(a, "name", a) for a in v) if isinstance(v, list) else str(v))
def test_exit_status(args, status):
    assert fonds(*args).returncode == status


def test_a_key_that_is_not_found_is_one_line_on_stderr():
    done = fonds("cat", GOOD, "uri:http://none.example/")
    assert done.stdout == b"" and len(done.stderr.splitlines()) >= 1 and b"none.example" in done.stderr


def test_quiet_says_nothing_of_warnings():
    assert fonds("ls", "-q", OWN / "header-lf-only.warc").stderr == b""


# --- cat

@pytest.mark.parametrize("path", [PLAIN, OWN / "arc-v1.arc", OWN / "header-lf-only.warc", WARC / "0011/01-all-types.warc"],
                         ids=lambda p: p.name)
def test_records_come_back_to_back_as_stored(path):
    assert fonds("cat", path).stdout == path.read_bytes()


def test_all_compressions_of_one_content_give_the_same_records():
    names = ["gz-per-record.warc.gz", "gz-single-member.warc.gz", "zst-per-record.warc.zst", "zst-single-frame.warc.zst",
             "lz4-per-record.warc.lz4", "lz4-single-frame.warc.lz4", "xz-whole.warc.xz", "bz2-whole.warc.bz2"]
    assert len({fonds("cat", OWN / name).stdout for name in names}) == 1


def test_header_and_block_make_the_record():
    parts = [fonds("cat", GOOD, "index:1", "--part", part).stdout for part in ("header", "block", "record")]
    assert parts[0] + parts[1] + b"\r\n\r\n" == parts[2]


def test_http_head_and_body_make_the_block():
    head, body, block = (fonds("cat", GOOD, "index:1", "--part", part).stdout for part in ("http", "body", "block"))
    assert head + body == block and head.startswith(b"HTTP/") and head.endswith(b"\r\n\r\n")


def test_limit_ends_after_so_many_records():
    assert fonds("cat", PLAIN, "--limit", "2").stdout == PLAIN.read_bytes()[: ls(PLAIN)[0][2]["offset"]]


EXAMPLE_ID = "urn:uuid:a9c51e3e-0221-11e7-bf66-0242ac120005"


@pytest.mark.parametrize("key", [f"id:{EXAMPLE_ID}", f"id:<{EXAMPLE_ID}>", EXAMPLE_ID, "index:2",
                                 "uri:http://example.com/@20170306040206", "uri:http://example.com/@2017"])
def test_every_kind_of_key_finds_the_response(key):
    record = ls(EXAMPLE)[0][2]
    assert record["id"] == EXAMPLE_ID
    assert fonds("cat", EXAMPLE, key).stdout == fonds("cat", EXAMPLE, f"offset:{record['offset']}").stdout


def test_resolve_follows_a_revisit_to_its_original():
    revisit = next(r for r in ls(EXAMPLE)[0] if r["type"] == "revisit")
    key = f"index:{revisit['index']}"
    assert fonds("cat", EXAMPLE, key, "--part", "payload").stdout == b""
    resolved = fonds("cat", EXAMPLE, key, "--part", "payload", "--resolve")
    assert resolved.stdout == fonds("cat", EXAMPLE, "index:2", "--part", "payload").stdout != b""


def test_output_folder_holds_one_file_a_record_and_a_manifest(tmp_path):
    path, out = tmp_path / "a.warc", tmp_path / "out"
    uris = [b"http://a.example/../../etc/passwd", b"http://a.example/" + b"n" * 5000, b"file:///a/b\x00c", b"http://a.example/x/"]
    path.write_bytes(b"".join(resource(uri, b"block %d" % n) for n, uri in enumerate(uris)))
    assert fonds("cat", path, "--part", "block", "-o", out).returncode == 0
    files = [p for p in out.rglob("*") if p.is_file()]
    (manifest,) = [p for p in files if "manifest" in p.name]
    contents = sorted(p.read_bytes() for p in files if p != manifest)
    assert contents == [b"block %d" % n for n in range(4)]
    text = manifest.read_text()
    for p in files:
        assert re.fullmatch(r"[\w.,=@%+-]+", p.name) and len(p.name) <= 255
        assert p == manifest or (hashlib.sha256(p.read_bytes()).hexdigest() in text and p.name in text)
    assert {p.name for p in tmp_path.iterdir()} == {"a.warc", "out"}


def test_existing_files_are_overwritten_only_by_force(tmp_path):
    assert fonds("cat", PLAIN, "-o", tmp_path / "out").returncode == 0
    assert fonds("cat", PLAIN, "-o", tmp_path / "out").returncode == 3
    assert fonds("cat", PLAIN, "-o", tmp_path / "out", "--force").returncode == 0


# --- info

@pytest.mark.parametrize("name,form,compression", [
    ("ok-three.warc", "warc", "none"), ("gz-per-record.warc.gz", "warc", "gzip-per-record"),
    ("gz-single-member.warc.gz", "warc", "gzip"), ("arc-v1.arc", "arc", "none"),
    ("zst-single-frame.warc.zst", "warc", "zstd"), ("lz4-single-frame.warc.lz4", "warc", "lz4")])
def test_info_says_what_it_is(name, form, compression):
    (said,) = json_lines(fonds("info", "--json", OWN / name).stdout)
    assert (said["archive"], said["format"]) == (str(OWN / name), form)
    assert said["compression"].startswith(compression) and said["size"] == (OWN / name).stat().st_size


def test_info_deep_counts():
    (said,) = json_lines(fonds("info", "--json", "--deep", GOOD).stdout)
    assert said["records"] == 4
    assert said["by_type"] == {"warcinfo": 1, "response": 1, "request": 1, "resource": 1}
    assert said["uncompressed_size"] == len(fonds("cat", GOOD).stdout)
    assert said["first_date"] <= said["last_date"]


# --- verify

def test_every_finding_has_the_fields_of_the_contract():
    findings, closing, _ = verify(DAMAGED)
    assert all(set(f) == {"archive", "severity", "code", "rule", "offset", "index", "message"} for f in findings)
    assert set(closing) == {"archive", "ok", "records", "errors", "warnings"}
    assert (closing["records"], closing["ok"]) == (4, False)


def test_people_get_offset_record_and_rule():
    out = fonds("verify", DAMAGED).stdout.decode() + fonds("verify", DAMAGED).stderr.decode()
    assert "offset 197" in out and "record 1" in out and "[member-crc]" in out


# --- limits

@pytest.mark.parametrize("command", [["ls"], ["cat"], ["search", "*"]], ids=lambda words: words[0])
def test_no_limit_is_0(command):
    done = fonds(*command, "--limit", "0", PLAIN)
    assert (done.returncode, done.stdout) == (2, b"") and b"fonds: --limit takes at least 1\n" in done.stderr


def test_a_limit_counts_records_of_keys():
    def header(*arguments):
        done = fonds("cat", "--part", "header", PLAIN, *arguments)
        return done.returncode, done.stdout
    _, first = header("index:0")
    _, second = header("index:1")
    assert header("--limit", "1", "index:0", "index:1", "index:9") == (0, first)
    assert header("--limit", "2", "index:9", "index:0", "index:1", "index:2") == (1, first + second)
    assert header("--limit", "3", "index:0", "index:1") == (0, first + second)
