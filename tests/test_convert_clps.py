"""`convert --to clp-s` of logs."""
import gzip
import json
import os
import resource
import signal
import subprocess
import time
import uuid
from pathlib import Path

import pytest
from packing import LINES, MEMBERS, SEVERAL, events, in_any_order, inside, names, pack, peer, random_log, stats, text_of
from program import BINARY, ROOT, fonds, json_lines

# --- inputs

def test_records_come_back_as_they_were(inside):
    pack("-o", "out.clps", "in.jsonl")
    assert events("out.clps") == LINES
    assert fonds("verify", "out.clps").returncode == 0
    assert fonds("verify", "--against", "in.jsonl", "out.clps").returncode == 0


def test_clp_s_reads_it(inside, peer):
    pack("--timestamp-key", "ts", "-o", "out.clps", "in.jsonl")
    assert [json.loads(line) for line in peer.decompress("out.clps", ordered=True).splitlines()] == LINES
    assert len(peer.search("out.clps", "level: INFO").lines) == 2
    assert len(peer.search("out.clps", "*", since_ms=1704164646000).lines) == 2


@pytest.mark.parametrize("shape", ["pretty", "concatenated", "blank lines", "no last line end", "CRLF"])
def test_shapes_of_text(inside, shape):
    text = {"pretty": "\n".join(json.dumps(o, indent=2) for o in LINES), "concatenated": "".join(json.dumps(o) for o in LINES),
            "blank lines": "\n\n".join(json.dumps(o) for o in LINES) + "\n \n", "no last line end": text_of(LINES).decode()[:-1],
            "CRLF": text_of(LINES).decode().replace("\n", "\r\n")}[shape]
    Path("other").write_bytes(text.encode())
    pack("-o", "out.clps", "other")
    assert events("out.clps") == LINES


@pytest.mark.parametrize("codec", ["gzip", "zstd", "lz4"])
def test_compressed_inputs(inside, codec):
    data = gzip.compress(text_of(LINES)) if codec == "gzip" else subprocess.run(
        [codec, "-c", "in.jsonl"], capture_output=True, check=True).stdout
    Path("other").write_bytes(data)
    pack("-o", "out.clps", "other")
    pack("-f", "-o", "piped.clps", "-", input=data)
    assert events("out.clps") == events("piped.clps") == LINES


def test_directories_stand_for_the_files_below_in_order(inside):
    for number, name in enumerate(["d/z", "d/b/y", "d/a"]):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(text_of([{"n": number}]))
    assert names("d", "in.jsonl") == ["d/a", "d/b/y", "d/z", "in.jsonl"]
    assert events("named.clps") == [{"n": 2}, {"n": 1}, {"n": 0}, *LINES]


def test_files_from_a_list(inside):
    Path("b.jsonl").write_bytes(b'{"b":1}\n')
    Path("list").write_text("in.jsonl\n\nb.jsonl\n")
    assert names("--files-from", "list") == ["in.jsonl", "b.jsonl"]
    assert names("b.jsonl", "--files-from", "list") == ["b.jsonl", "in.jsonl", "b.jsonl"]
    assert names("--files-from", "-", input=b"b.jsonl\n") == ["b.jsonl"]


@pytest.mark.parametrize("content", [b"", b"\n \n"], ids=["empty", "blank"])
def test_an_input_without_events(inside, content):
    Path("empty").write_bytes(content)
    pack("-o", "out.clps", "empty")
    assert events("out.clps") == []
    assert fonds("verify", "out.clps").returncode == 0
    pack("-o", "piped.clps", "-", input=content)
    assert events("piped.clps") == []
    assert names("empty", "in.jsonl", "empty") == ["empty", "in.jsonl", "empty"]


def test_pipes_on_both_sides(inside):
    archive = pack("-o", "-", "-", input=text_of(LINES)).stdout
    assert json_lines(fonds("cat", "-", input=archive).stdout) == LINES
    Path("out.clps").write_bytes(archive)
    assert names("-", input=text_of(LINES)) == ["-"]


@pytest.mark.parametrize("args,hint", [
    (["-", "-"], b"only once"), (["-", "--files-from", "-"], b"only once"), ([], b"no input")])
def test_standard_input_is_read_once(inside, args, hint):
    done = pack("-o", "out.clps", *args, input=b"", status=2)
    assert hint in done.stderr and not Path("out.clps").exists()


def test_a_name_that_is_not_there(inside):
    done = pack("-o", "out.clps", "in.jsonl", "in.jsnol", status=3)
    assert b"in.jsnol" in done.stderr
    assert os.listdir() == ["in.jsonl"]


def test_other_archives_are_no_events(inside):
    done = pack("-o", "out.clps", ROOT / "tests/data/recordio/v2-tiny.rio", status=3)
    assert b"holds no events" in done.stderr and not Path("out.clps").exists()


# --- outputs

def test_one_archive_is_called_as_asked(inside):
    pack("-o", "out.clps", "in.jsonl")
    assert sorted(os.listdir()) == ["in.jsonl", "out.clps"]
    assert pack("-o", "out.clps", "in.jsonl", status=3).stderr.count(b"--force") == 1
    pack("-f", "-o", "out.clps", "in.jsonl", "in.jsonl")
    assert events("out.clps") == LINES * 2


def test_several_archives_are_numbered(inside):
    random_log("log", 1)
    found = stats(*SEVERAL, "-o", "out.clps", "log")
    made = sorted(p for p in os.listdir() if p.startswith("out"))
    assert len(made) >= 3 and made == [f"out-{n:05}.clps" for n in range(len(found))]
    assert events(*made) == json_lines(Path("log").read_bytes())
    assert fonds("verify", "--against", "log", *made).returncode == 0
    assert [entry["f"]["_file_split_number"] for a in found for entry in a["range_index"]] == list(range(len(found)))
    assert pack(*SEVERAL, "-o", "out.clps", "log", status=3).stderr.count(b"out-00000.clps: is there already") == 1
    pack(*SEVERAL, "-f", "-o", "out.clps", "log")


@pytest.mark.parametrize("existing", [True, False])
@pytest.mark.parametrize("form", ["file", "directory"])
def test_in_a_directory_archives_are_called_by_their_ids(inside, existing, form, peer):
    random_log("log", 1)
    if existing:
        Path("out").mkdir()
    found = stats(*SEVERAL, "-o", "out" if existing else "out/", *(["--directory"] if form == "directory" else []), "log")
    ending = ".clps" if form == "file" else ""
    assert len(found) >= 3 and sorted(os.listdir("out")) == sorted(a["id"] + ending for a in found)
    assert all(str(uuid.UUID(a["id"])) == a["id"] for a in found)
    wanted = json_lines(Path("log").read_bytes())
    assert events(*(f"out/{a['id']}{ending}" for a in found)) == wanted
    assert len(peer.search("out", "*").lines) == len(wanted)


def test_the_form_of_a_directory(inside, peer):
    pack("--directory", "-o", "out", "in.jsonl")
    assert set(os.listdir("out")) == MEMBERS
    assert events("out") == LINES
    assert [json.loads(line) for line in peer.decompress("out", ordered=True).splitlines()] == LINES
    pack("-o", "single.clps", "in.jsonl")
    joined = b"".join(Path("out", name).read_bytes() for name in
                      ["header", "schema_tree", "schema_ids", "table_metadata", "var.dict", "log.dict", "array.dict", "0"])
    assert joined == Path("single.clps").read_bytes()


def test_a_directory_is_replaced_only_by_force_and_only_if_it_is_an_archive(inside):
    pack("--directory", "-o", "out", "in.jsonl")
    assert b"--force" in pack("--directory", "-o", "out", "in.jsonl", status=3).stderr
    pack("--directory", "-f", "-o", "out", "in.jsonl", "in.jsonl")
    assert events("out") == LINES * 2
    assert b"is an archive" in pack("-f", "-o", "out", "in.jsonl", status=3).stderr
    assert sorted(os.listdir()) == ["in.jsonl", "out"]


def test_outputs_that_cannot_be(inside):
    Path("file").write_text("mine")
    for out in ("missing/out.clps", "missing/out/", "/dev/full", "file/"):
        done = pack("-f", "-o", out, "in.jsonl", status=3)
        assert out.split("/")[0].encode() in done.stderr or b"/dev/full" in done.stderr
    assert sorted(os.listdir()) == ["file", "in.jsonl"] and Path("file").read_text() == "mine"


def test_only_one_archive_goes_to_standard_output(inside):
    random_log("log", 1)
    done = pack(*SEVERAL, "-o", "-", "log", status=3)
    assert b"--target-encoded-size" in done.stderr


# --- what is no event

BAD = b'{"n":1}\nplain words\n{"n":2}\n[1,2]\n{"x":\n{"n":3}\n"text"\n'
REJECTED = [b"plain words", b"[1,2]", b'{"x":', b'"text"']


def test_what_is_no_event_is_told_and_left_out(inside):
    Path("bad").write_bytes(BAD)
    done = pack("--rejects", "rejects", "-o", "out.clps", "bad", status=1)
    assert [e["n"] for e in events("out.clps")] == [1, 2, 3]
    assert Path("rejects").read_bytes() == b"".join(r + b"\n" for r in REJECTED)
    for text in REJECTED:
        assert f"bad: offset {BAD.index(text)}: {len(text)} bytes".encode() in done.stderr
    done = fonds("verify", "--json", "--against", "bad", "out.clps")
    assert done.returncode == 1
    assert json_lines(done.stdout)[-1] == {"against": False, "records": 3, "unparsed": 0, "rejected": 4}


def test_rejects_as_json(inside):
    Path("bad").write_bytes(BAD)
    *rejected, archive, run = json_lines(pack("--json", "-o", "out.clps", "bad", status=1).stdout)
    assert [(r["input"], r["offset"], r["length"]) for r in rejected] == [("bad", BAD.index(t), len(t)) for t in REJECTED]
    assert all(r["reason"] for r in rejected)
    assert (archive["archive"], archive["records"], archive["size"]) == ("out.clps", 3, Path("out.clps").stat().st_size)
    assert (run["archives"], run["records"], run["rejected"], run["uncompressed_size"]) == (1, 3, 4, len(BAD))


def test_many_rejects_are_counted(inside):
    Path("bad").write_bytes(b"word\n" * 50)
    assert pack("-o", "out.clps", "bad", status=1).stderr.count(b"bad: offset") == 10
    assert pack("-v", "-f", "-o", "out.clps", "bad", status=1).stderr.count(b"bad: offset") == 50
    assert pack("-q", "-f", "-o", "out.clps", "bad", status=1).stderr == b""


def test_rejects_to_standard_output(inside):
    Path("bad").write_bytes(BAD)
    assert pack("--rejects", "-", "-o", "out.clps", "bad", status=1).stdout == b"".join(r + b"\n" for r in REJECTED)


def test_rejects_are_not_written_over(inside):
    Path("rejects").write_text("mine")
    pack("--rejects", "rejects", "-o", "out.clps", "in.jsonl", status=3)
    assert Path("rejects").read_text() == "mine" and not Path("out.clps").exists()


def test_what_is_no_event_can_be_kept(inside):
    Path("bad").write_bytes(BAD)
    pack("--keep-unparsed", "-o", "out.clps", "bad")
    assert [e.get("n", e.get("_unparsed", "").encode()) for e in events("out.clps")] == \
        [1, REJECTED[0], 2, REJECTED[1], REJECTED[2], 3, REJECTED[3]]
    done = fonds("verify", "--json", "--against", "bad", "out.clps")
    assert done.returncode == 0
    assert json_lines(done.stdout)[-1] == {"against": True, "records": 7, "unparsed": 4, "rejected": 0}


@pytest.mark.parametrize("text", [b"words\n", b'{"a":1,"a":2}\n', b'{"a":"\\ud800"}\n', b'{"a":"\xff"}\n'],
                         ids=["words", "duplicate key", "half a surrogate", "UTF-8"])
def test_strict_leaves_nothing(inside, text):
    Path("bad").write_bytes(text_of(LINES) + text)
    done = pack("--strict", "--rejects", "rejects", "-o", "out.clps", "bad", status=1)
    assert b"bad: " in done.stderr
    assert sorted(os.listdir()) == ["bad", "in.jsonl"]


def test_changes_are_counted_and_no_failure(inside):
    Path("bad").write_bytes(b'{"a":1,"a":2}\n{"b":1}\n{"a":3,"a":4}\n')
    done = pack("--json", "-o", "out.clps", "bad")
    assert sum(json_lines(done.stdout)[-1]["changes"].values()) == 2
    assert any(line.split()[1] == b"2" for line in done.stderr.splitlines())
    assert events("out.clps") == [{"a": 2}, {"b": 1}, {"a": 4}]


# --- options

def test_versions(inside):
    for version in ("0.3.1", "0.4.1", "0.5.0"):
        done = fonds("convert", "--to", f"clp-s/{version}", "-f", "-o", "out.clps", "in.jsonl")
        assert done.returncode == 0, done.stderr
        assert json.loads(fonds("info", "--json", "out.clps").stdout)["version"] == version
        assert events("out.clps") == LINES
        assert fonds("verify", "--against", "in.jsonl", "out.clps").returncode == 0
    assert b"clp-s/0.4.1" in fonds("convert", "--to", "clp-s/0.4.0", "-o", "x", "in.jsonl").stderr


def test_the_same_input_gives_the_same_bytes(inside):
    made = [pack("--threads", n, "-o", "-", "in.jsonl").stdout for n in (1, 2, 7)]
    assert made[0] == made[1] == made[2]
    assert stats("-o", "a.clps", "in.jsonl")[0]["id"] == stats("-o", "b.clps", "in.jsonl")[0]["id"]


def test_creator_ids(inside):
    def creators(*args):
        return {e["f"]["_archive_creator_id"] for a in stats("-f", "-o", "out.clps", *args) for e in a["range_index"]}
    given = "0123ABCD-0123-4567-89ab-0123456789ab"
    assert creators("--creator-id", given, "in.jsonl") == {given.lower()}
    assert creators("in.jsonl", "in.jsonl") == creators("in.jsonl", "in.jsonl") != creators("in.jsonl")
    first, second = creators("--creator-id", "random", "in.jsonl"), creators("--creator-id", "random", "in.jsonl")
    assert first != second and uuid.UUID(first.pop()).version == 4
    assert b"UUID" in pack("--creator-id", "me", "-o", "x", "in.jsonl", status=2).stderr


def test_properties(inside):
    args = ["--property", "host=web-1", "--property", 'n={"a":[1,null]}', "--property", "empty=", "--property", "eq=a=b"]
    found = stats("-o", "out.clps", *args, "in.jsonl")[0]["range_index"][0]["f"]
    assert {k: v for k, v in found.items() if k[0] != "_"} == {"host": "web-1", "n": {"a": [1, None]}, "empty": "", "eq": "a=b"}
    assert fonds("search", "--count", "$host: web-1", "out.clps").stdout == b"3\n"


@pytest.mark.parametrize("given,hint", [("_x=1", b"_"), ("x", b"KEY=VALUE"), ("=1", b"KEY=VALUE")])
def test_properties_that_cannot_be(inside, given, hint):
    assert hint in pack("--property", given, "-o", "x", "in.jsonl", status=2).stderr
    assert b"twice" in pack("--property", "a=1", "--property", "a=2", "-o", "x", "in.jsonl", status=2).stderr


def test_names_of_inputs(inside):
    Path("d/e").mkdir(parents=True)
    Path("d/e/x").write_bytes(b'{"a":1}')
    assert names("d/../d/e/x") == ["d/../d/e/x"]
    assert names("--normalize-paths", "d/../d/e/x") == [str(inside / "d/e/x")]
    assert names("--normalize-paths", "--remove-leading-slash", "d/e/x") == [str(inside / "d/e/x")[1:]]
    assert names("--remove-path-prefix", "d", "d") == ["/e/x"]
    assert names("--remove-path-prefix", "./d/", "--remove-leading-slash", "d") == ["e/x"]
    assert names("--remove-path-prefix", inside, "--normalize-paths", "d/e/x") == ["/d/e/x"]
    assert names("--remove-path-prefix", "d", "-", "d", input=b"") == ["-", "/e/x"]
    done = pack("--remove-path-prefix", "d", "-o", "x", "d", "in.jsonl", status=2)
    assert b"in.jsonl" in done.stderr and not Path("x").exists()


def test_the_names_are_those_of_clp_s(inside, peer):
    Path("d/e").mkdir(parents=True)
    Path("d/e/x").write_bytes(b'{"a":1}')
    for number, options in enumerate([[], ["--normalize-paths"], ["--remove-path-prefix", "d"], ["--remove-leading-slash"],
                                      ["--remove-path-prefix", "d", "--remove-leading-slash"],
                                      ["--normalize-paths", "--remove-path-prefix", inside]]):
        done = peer.run("c", "--print-archive-stats", *options, f"out{number}", "d/e/x")
        theirs = [entry["f"]["_filename"] for archive in json_lines(done.stdout) for entry in archive["range_index"]]
        assert names(*options, "d/e/x") == theirs


def test_stats_are_those_of_clp_s(inside, peer):
    done = peer.run("c", "--print-archive-stats", "--timestamp-key", "ts", "--single-file-archive", "theirs", "in.jsonl")
    [theirs] = json_lines(done.stdout)
    [ours] = stats("--timestamp-key", "ts", "-o", "out.clps", "in.jsonl")
    assert list(ours) == list(theirs)
    for key in ("begin_timestamp", "end_timestamp", "is_split", "uncompressed_size"):
        assert ours[key] == theirs[key], key
    assert ours["size"] == Path("out.clps").stat().st_size
    for entry in (*ours["range_index"], *theirs["range_index"]):
        del entry["f"]["_archive_creator_id"]
    assert ours["range_index"] == theirs["range_index"]


def test_stats_of_several_archives(inside):
    random_log("log", 1)
    found = stats(*SEVERAL, "-o", "out.clps", "log")
    assert [a["is_split"] for a in found] == [True] * (len(found) - 1) + [False]
    assert found[0]["begin_timestamp"] == found[0]["end_timestamp"] == 0


@pytest.mark.parametrize("option", [["--structurize-arrays"], ["--disable-log-order"], ["--min-table-size", "1"], ["--level", "9"],
                                    ["--compression-level", "1"], ["--no-search-data"], ["--single-file-archive"], ["--exact"]],
                         ids=lambda o: o[0])
def test_options_that_change_no_value(inside, option, peer):
    done = pack(*option, "-o", "out.clps", "in.jsonl")
    assert in_any_order(events("out.clps")) == in_any_order(LINES), done.stderr
    assert len(peer.decompress("out.clps").splitlines()) == len(LINES)


def test_numbers_without_their_texts(inside):
    Path("floats").write_bytes(b'{"x":1.50}\n{"x":1e3}\n')
    pack("-o", "out.clps", "floats")
    assert fonds("cat", "out.clps").stdout == b'{"x":1.50}\n{"x":1e3}\n'
    pack("--no-retain-float-format", "-f", "-o", "out.clps", "floats")
    assert fonds("cat", "out.clps").stdout == b'{"x":1.500000}\n{"x":1000.000000}\n'
    assert fonds("verify", "--against", "floats", "out.clps").returncode == 0


def test_documents_may_be_too_large(inside):
    Path("long").write_bytes(b'{"a":1}\n{"a":"' + b"x" * 5000 + b'"}\n{"a":2}\n')
    pack("--max-document-size", "1000", "--rejects", "rejects", "-o", "out.clps", "long", status=1)
    assert [e["a"] for e in events("out.clps")] == [1, 2]
    assert len(Path("rejects").read_bytes()) == 5009


@pytest.mark.parametrize("args,hint", [
    (["--dictionary", "train"], b"no meaning"), (["--compression", "gzip"], b"no meaning"), (["--source", "x"], b"no meaning"),
    (["--check"], b"no meaning"), (["--level", "0"], b"1 to 19"), (["--level", "20"], b"1 to 19"), (["--level", "x"], b"whole number"),
    (["--level", "3", "--compression-level", "3"], b"the same"), (["--min-table-size", "lots"], b"no size"),
    (["--directory", "--single-file-archive"], b"exclude"), (["--keep-unparsed", "--rejects", "r"], b"exclude"),
    (["--timestamp-key", ""], b"takes a key"), (["--timestamp-kye", "x"], b"--timestamp-key"), (["--rejects", "out"], b"same file"),
    (["--json", "--print-archive-stats"], b"standard output"), (["--disable-log-order", "--property", "a=1"], b"--property")],
    ids=lambda v: v[0] if isinstance(v, list) else "")
def test_wrong_usage(inside, args, hint):
    done = pack("-o", "out", *args, "in.jsonl", status=2)
    assert hint in done.stderr and os.listdir() == ["in.jsonl"]


@pytest.mark.parametrize("args", [["--json"], ["--print-archive-stats"], ["--directory"], ["--rejects", "-"]], ids=lambda a: a[0])
def test_standard_output_takes_one_thing(inside, args):
    pack("-o", "-", *args, "in.jsonl", status=2)


@pytest.mark.parametrize("flag", ["--timestamp-key=x", "--structurize-arrays", "--directory", "--exact", "--rejects=x", "--property=a=1",
                                  "--print-archive-stats", "--json"])
def test_its_options_are_wrong_for_other_formats(inside, flag):
    done = fonds("convert", "--to", "lines", "--format", "lines", flag, "-o", "out", "in.jsonl")
    assert done.returncode == 2 and b"is for --to clp-s" in done.stderr and not Path("out").exists()


# --- faults

@pytest.mark.parametrize("form", [[], ["--directory"]], ids=["file", "directory"])
def test_a_killed_run_leaves_no_half_archive(inside, form):
    random_log("log", 8)
    began = time.monotonic()
    pack(*form, "-o", "whole", "log")
    seconds = time.monotonic() - began
    for number in range(12):
        process = subprocess.Popen([BINARY, "convert", "--to", "clp-s", "--no-progress", *form, "-o", "out", "log"],
                                   stderr=subprocess.DEVNULL)
        time.sleep(seconds * number / 11)
        process.kill()
        process.wait()
        if Path("out").exists():
            assert fonds("verify", "out").returncode == 0
            subprocess.run(["rm", "-r", "out"], check=True)
        if not form:
            assert sorted(os.listdir()) == ["in.jsonl", "log", "whole"]


@pytest.mark.parametrize("form", [[], ["--directory"]], ids=["file", "directory"])
def test_ctrl_c_leaves_nothing(inside, form):
    process = subprocess.Popen([BINARY, "convert", "--to", "clp-s", *form, "--rejects", "rejects", "-o", "new/", "-"],
                               stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(text_of(LINES) * 1000)
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while not Path("new").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    process.stdin.close()
    assert os.listdir() == ["in.jsonl"]


@pytest.mark.parametrize("form", [[], ["--directory"]], ids=["file", "directory"])
@pytest.mark.parametrize("parts", [[], SEVERAL], ids=["one", "several"])
def test_a_file_that_cannot_grow(inside, form, parts):
    random_log("log", 2)

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))
    done = pack(*form, *parts, "-o", "out", "log", status=3, preexec_fn=limit)
    assert b"cannot be written" in done.stderr
    assert sorted(os.listdir()) == ["in.jsonl", "log"]


def test_standard_output_that_is_full(inside):
    with open("/dev/full", "wb") as full:
        pack("-o", "-", "in.jsonl", status=3, stdout=full)
