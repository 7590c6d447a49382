"""`fonds create`: files become records or items, and archives are added to."""
import base64
import gzip
import hashlib
import io
import os
import signal
import subprocess
import threading
import time

import pytest
from program import BINARY, WARC, blocks, cat, fonds, ls, verify

FORMS = ["a.warc", "a.warc.gz", "a.warc.zst", "a.warc.lz4"]


def serious(findings):
    """Notes tell of names that do not follow the convention."""
    return [f for f in findings if f["severity"] != "note"]


@pytest.fixture
def site(tmp_path):
    root = tmp_path / "site"
    (root / "sub").mkdir(parents=True)
    (root / "index.html").write_bytes(b"<h1>hello</h1>\n")
    (root / "sub/a b.txt").write_bytes(b"text\n")
    (root / "sub/caf\u00e9.bin").write_bytes(os.urandom(200_000))
    (root / "empty.css").write_bytes(b"")
    for path in root.rglob("*"):
        os.utime(path, (1500000000, 1500000000))
    return root


def create(out, *arguments, status=0, **options):
    done = fonds("create", "-o", out, *arguments, **options)
    assert done.returncode == status, done.stderr
    return done.stderr.decode()


def fields(path, key):
    lines = cat(path, key, "header").decode().split("\r\n")
    return dict(line.split(": ", 1) for line in lines if ": " in line)


def sha1(data):
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


@pytest.mark.parametrize("name", FORMS)
def test_a_directory_becomes_resources_in_the_order_of_names(tmp_path, site, name):
    out = tmp_path / name
    create(out, "--base-uri", "https://example.com/", site)
    records = ls(out)[0]
    assert [r.get("uri") for r in records] == [None, "https://example.com/empty.css", "https://example.com/index.html",
                                               "https://example.com/sub/a%20b.txt", "https://example.com/sub/caf%C3%A9.bin"]
    assert blocks(out, records)[1:] == [p.read_bytes() for p in sorted(q for q in site.rglob("*") if q.is_file())]
    findings, closing, status = verify(out, "--strict")
    assert status == 0 and not serious(findings) and closing["records"] == 5
    assert [r["content_type"] for r in records[1:]] == ["text/css", "text/html", "text/plain", "application/octet-stream"]


def test_the_fields_of_a_record(tmp_path, site):
    out = tmp_path / "a.warc"
    create(out, "--base-uri", "http://x.example/base", "--warcinfo", "operator=Me", site / "index.html",
           env={**os.environ, "SOURCE_DATE_EPOCH": "1600000000"})
    info, found = fields(out, "index:0"), fields(out, "index:1")
    digest = sha1((site / "index.html").read_bytes())
    assert found == {"WARC-Type": "resource", "WARC-Record-ID": found["WARC-Record-ID"], "WARC-Date": "2017-07-14T02:40:00Z",
                     "Content-Length": "15", "Content-Type": "text/html", "WARC-Target-URI": "http://x.example/base/index.html",
                     "WARC-Block-Digest": digest, "WARC-Payload-Digest": digest, "WARC-Warcinfo-ID": info["WARC-Record-ID"],
                     "WARC-Creation-Date": "2020-09-13T12:26:40Z", "WARC-Source-URI": f"file://{site}/index.html"}
    assert cat(out, "index:0", "block") == b"software: fonds\r\nformat: WARC File Format 1.1\r\noperator: Me\r\n"
    create(tmp_path / "b.warc", "--no-source-uri", "--no-warcinfo", "--base-uri", "http://x.example/", site / "index.html")
    assert not {"WARC-Source-URI", "WARC-Warcinfo-ID"} & set(fields(tmp_path / "b.warc", "index:0"))


def test_without_a_base_the_target_is_the_file(tmp_path, site):
    create(tmp_path / "a.warc", site / "sub", cwd=site)
    assert [r["uri"] for r in ls(tmp_path / "a.warc")[0][1:]] == [f"file://{site}/sub/a%20b.txt", f"file://{site}/sub/caf%C3%A9.bin"]


@pytest.mark.parametrize("to,name", [("warc/1.0", "a.warc"), ("warc/0.18", "a.warc"), ("warc/00.11", "a.warc"), ("arc/1.1", "a.arc")])
def test_all_dialects(tmp_path, site, to, name):
    out = tmp_path / name
    create(out, "--to", to, site)
    findings, closing, status = verify(out)
    assert status == 0 and not serious(findings) and closing["records"] == 5
    assert blocks(out, ls(out)[0])[1:] == [p.read_bytes() for p in sorted(q for q in site.rglob("*") if q.is_file())]


def test_the_same_input_gives_the_same_archive_whatever_the_threads(tmp_path, site):
    env = {**os.environ, "SOURCE_DATE_EPOCH": "1600000000"}
    made = []
    for i, threads in enumerate((1, 2, 7)):
        folder = tmp_path / str(i)
        folder.mkdir()
        create(folder / "a.warc.zst", "--threads", threads, site, env=env)
        made.append((folder / "a.warc.zst").read_bytes())
    assert made[0] == made[1] == made[2]
    create(tmp_path / "r.warc.zst", "--ids", "random", site, env=env)
    assert not {r["id"] for r in ls(tmp_path / "r.warc.zst")[0]} & {r["id"] for r in ls(tmp_path / "0/a.warc.zst")[0]}


def test_ids_are_never_twice_the_same(tmp_path, site):
    out = tmp_path / "a.warc"
    create(out, site / "index.html", site / "index.html")
    create(out, "--append", site / "index.html", site / "index.html")
    ids = [r["id"] for r in ls(out)[0]]
    assert len(ids) == 6 and len(set(ids)) == 6


def test_what_is_no_plain_file_is_left_out_and_told(tmp_path, site):
    (site / "link").symlink_to(site / "index.html")
    (site / "round").symlink_to(site)
    os.mkfifo(site / "pipe")
    told = create(site / "self.warc", "--force", site)
    told += create(site / "self.warc", "--force", site)
    assert len(ls(site / "self.warc")[0]) == 5
    assert "link: is a symbolic link" in told and "pipe: is no plain file" in told and "self.warc: is the archive" in told
    assert b"no plain file" in fonds("create", "-o", tmp_path / "x.warc", site / "pipe").stderr


def test_metadata_and_conversions_refer_to_their_original(tmp_path, site):
    out = tmp_path / "a.warc.gz"
    create(out, "--base-uri", "http://x.example/", site)
    original = ls(out)[0][2]
    create(out, "--append", "--metadata-for", f"<{original['id']}>", site / "sub/a b.txt")
    create(out, "--append", "--conversion-of", original["id"], "--content-type", "text/plain", site / "index.html")
    made = [r for r in ls(out)[0] if r["type"] in ("metadata", "conversion")]
    assert [(r["type"], r["refers_to"], r["uri"]) for r in made] == [
        ("metadata", original["id"], original["uri"]), ("conversion", original["id"], original["uri"])]
    assert verify(out, "--strict")[2] == 0
    done = fonds("create", "-o", out, "--append", "--metadata-for", "urn:x:none", site / "index.html")
    assert done.returncode == 3 and b"no record" in done.stderr and len(ls(out)[0]) == 9
    create(tmp_path / "m.warc", "--metadata-for", "urn:x:1", site / "index.html")
    create(tmp_path / "c.warc", "--conversion-of", "urn:x:1", "--target-uri", "http://x.example/", site / "index.html")
    assert ls(tmp_path / "c.warc")[0][1]["uri"] == "http://x.example/"


@pytest.mark.parametrize("to", ["warc/00.11", "warc/1.0"])
def test_appending_keeps_the_dialect(tmp_path, site, to):
    out = tmp_path / "a.warc"
    create(out, "--to", to, site)
    before = out.read_bytes()
    create(out, "--append", site / "sub")
    assert out.read_bytes().startswith(before)
    assert {r["version"] for r in ls(out)[0]} == {to.replace("warc/1.0", "WARC/1.0")}
    assert verify(out)[2] == 0 and len(ls(out)[0]) == 8


@pytest.mark.parametrize("name", FORMS + ["one.warc.gz", "a.arc", "a.rio", "z.rio"])
def test_appending_keeps_every_stored_byte(tmp_path, site, name):
    out = tmp_path / name
    options = {"one.warc.gz": ["--one-member"], "z.rio": ["--compression", "zstd"]}.get(name, [])
    create(out, *options, site)
    before, records = out.read_bytes(), len(ls(out)[0])
    create(out, "--append", site / "index.html")
    assert out.read_bytes().startswith(before)
    after = ls(out)[0]
    assert len(after) > records and blocks(out, after)[-1] == b"<h1>hello</h1>\n"
    assert verify(out)[2] == 0


def test_appending_to_recordio_keeps_header_and_trailer(tmp_path, site):
    out = tmp_path / "a.rio"
    (tmp_path / "t").write_bytes(b"the trailer")
    create(out, "--trailer", tmp_path / "t", "--header", "k=v", site / "index.html")
    create(out, "--append", site / "sub/a b.txt")
    assert fonds("cat", "--newline", out).stdout == b"<h1>hello</h1>\n\ntext\n\n"
    assert fonds("cat", "--trailer", out).stdout == b"the trailer" and verify(out)[2] == 0


def test_a_dictionary_governs_what_is_added(tmp_path, site):
    import zstandard
    samples = [b"WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: %d\r\n\r\n<h1>hello</h1> %d" % (i, i * 7) for i in range(400)]
    (tmp_path / "d").write_bytes(zstandard.train_dictionary(4096, samples).as_bytes())
    out = tmp_path / "a.warc.zst"
    create(out, "--dictionary", tmp_path / "d", site)
    create(out, "--append", site)
    findings, closing, status = verify(out)
    assert status == 0 and not serious(findings) and closing["records"] == 10


@pytest.mark.parametrize("name", FORMS + ["a.rio"])
def test_a_cut_end_is_refused_or_cut_off_when_told(tmp_path, site, name):
    out = tmp_path / name
    create(out, site)
    cut = out.read_bytes()[:-7]
    out.write_bytes(cut)
    done = fonds("create", "-o", out, "--append", site / "index.html")
    assert done.returncode == 1 and b"fonds repair" in done.stderr and out.read_bytes() == cut
    done = fonds("create", "-o", out, "--append", "--skip-damaged", site / "index.html")
    assert done.returncode == 1 and b"cut off" in done.stderr
    assert verify(out)[2] == 0 and blocks(out, ls(out)[0])[-1] == b"<h1>hello</h1>\n"


def test_line_ends_that_the_last_record_lacks_are_added(tmp_path, site):
    out = tmp_path / "a.warc"
    create(out, site / "index.html")
    out.write_bytes(out.read_bytes()[:-2])
    create(out, "--append", site / "index.html")
    findings, closing, status = verify(out)
    assert not serious(findings) and closing["records"] == 4


def test_an_empty_file_is_an_archive_to_add_to_and_none_is_none(tmp_path, site):
    out = tmp_path / "a.warc.gz"
    assert fonds("create", "-o", out, "--append", site).returncode == 2
    out.write_bytes(b"")
    create(out, "--append", site)
    assert len(ls(out)[0]) == 5
    (tmp_path / "text").write_bytes(b"no archive at all")
    assert fonds("create", "-o", tmp_path / "text", "--append", site).returncode == 3
    assert (tmp_path / "text").read_bytes() == b"no archive at all"


@pytest.mark.parametrize("path", sorted(p for d in ("own", "third-party", "0011") for p in (WARC / d).iterdir()
                                        if p.suffix not in (".json", ".md")), ids=lambda p: p.name)
def test_adding_to_any_fixture_loses_nothing(tmp_path, site, path):
    out = tmp_path / path.name
    out.write_bytes(path.read_bytes())
    before = ls(out)[0]
    done = fonds("create", "-q", "-o", out, "--append", site / "index.html")
    if done.returncode:
        assert out.read_bytes() == path.read_bytes()
        return
    assert out.read_bytes().startswith(path.read_bytes())
    after = ls(out)[0]
    assert [r.get("id") for r in after[: len(before)]] == [r.get("id") for r in before]
    assert cat(out, f"index:{len(after) - 1}", "block") == b"<h1>hello</h1>\n"


def test_plain_records_behind_members_are_not_hidden(tmp_path, site):
    path = WARC / "own/gz-tail-plain.warc.gz"
    (tmp_path / "a.warc.gz").write_bytes(path.read_bytes())
    done = fonds("create", "-o", tmp_path / "a.warc.gz", "--append", site / "index.html")
    assert done.returncode == 3 and b"fonds convert" in done.stderr


def test_recordio_items_are_the_files(tmp_path, site):
    out = tmp_path / "a.rio"
    create(out, "--compression", "zstd", site)
    assert blocks(out, ls(out)[0]) == [p.read_bytes() for p in sorted(q for q in site.rglob("*") if q.is_file())]
    assert fonds("create", "-o", tmp_path / "b.rio", "--metadata-for", "x", site).returncode == 2


def test_standard_input(tmp_path):
    data = os.urandom(3 << 20)
    done = fonds("create", "-o", tmp_path / "a.warc.gz", "--target-uri", "http://x.example/data", "-", input=data)
    assert done.returncode == 0 and cat(tmp_path / "a.warc.gz", "index:1", "block") == data
    assert fonds("create", "-o", tmp_path / "b.warc.gz", "-", input=data).returncode == 2
    made = fonds("create", "-o", "-", "--to", "recordio", "-", input=b"item").stdout
    assert fonds("cat", "-", input=made).stdout == b"item"


def test_a_file_that_changes_while_it_is_read_leaves_nothing(tmp_path):
    path, out = tmp_path / "growing", tmp_path / "a.warc"
    path.write_bytes(bytes(96 << 20))
    stop = threading.Event()

    def change():
        while not stop.is_set():
            with open(path, "r+b") as file:
                file.write(os.urandom(8))
            time.sleep(0.01)
    thread = threading.Thread(target=change)
    thread.start()
    done = fonds("create", "-o", out, path)
    stop.set()
    thread.join()
    assert done.returncode == 3 and b"changed while it was read" in done.stderr and str(path).encode() in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["growing"]


def test_killed_while_adding_leaves_the_old_archive(tmp_path):
    out = tmp_path / "a.warc"
    (tmp_path / "big").write_bytes(bytes(64 << 20))
    create(out, tmp_path / "big")
    before = out.read_bytes()
    for i in range(20):
        process = subprocess.Popen([BINARY, "create", "-o", out, "--append", tmp_path / "big"], stderr=subprocess.DEVNULL)
        time.sleep(0.004 * i)
        process.send_signal(signal.SIGKILL)
        process.wait()
        now = out.read_bytes()
        assert now[: len(before)] == before
        if len(now) > len(before):
            assert verify(out)[2] == 0
            out.write_bytes(before)
    assert sorted(p.name for p in tmp_path.iterdir() if not p.name.startswith("a.warc.fonds")) == ["a.warc", "big"]


def test_unreadable_files_stop_the_work_or_are_left_out_when_told(tmp_path, site):
    done = fonds("create", "-o", tmp_path / "a.warc", site, tmp_path / "none")
    assert done.returncode == 3 and b"none: is not there" in done.stderr and not (tmp_path / "a.warc").exists()


@pytest.mark.parametrize("arguments", [
    [], ["x"], ["-o", "o.warc"], ["-o", "o.warc", "--base-uri", "no uri", "x"], ["-o", "o.warc", "--ids", "no", "x"],
    ["-o", "o.warc", "--target-uri", "http://x/", "x", "y"], ["-o", "o.warc", "--conversion-of", "urn:x:1", "x"],
    ["-o", "o.warc", "--metadata-for", "a", "--conversion-of", "b", "x"], ["-o", "o.warc", "--level", "99", "x"],
    ["-o", "o.warc", "--to", "warc/9", "x"], ["-o", "-", "--append", "x"],
    ["-o", "o.warc", "--warcinfo", "novalue", "x"], ["-o", "o.warc", "--warcinfo", "a b=c", "x"],
    ["-o", "o.arc", "--metadata-for", "urn:x:1", "x"], ["-o", "o.warc", "--apend", "x"]])
def test_wrong_usage(tmp_path, arguments):
    (tmp_path / "x").write_bytes(b"x")
    (tmp_path / "y").write_bytes(b"y")
    done = fonds("create", *arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x", "y"]


def test_unwritable_output(tmp_path, site):
    assert fonds("create", "-o", "/proc/none/a.warc", site).returncode == 3
    assert fonds("create", "-o", tmp_path, site).returncode == 3


# --- peers

def test_warcio_and_fastwarc_read_the_records(tmp_path, site):
    from fastwarc.warc import ArchiveIterator as FastIterator
    from warcio.archiveiterator import ArchiveIterator
    out = tmp_path / "a.warc.gz"
    create(out, "--base-uri", "https://example.com/", site)
    create(out, "--append", site / "index.html")
    expected = [p.read_bytes() for p in sorted(q for q in site.rglob("*") if q.is_file())] + [b"<h1>hello</h1>\n"]
    with open(out, "rb") as stream:
        found = [r.content_stream().read() for r in ArchiveIterator(stream, check_digests="raise") if r.rec_type == "resource"]
    assert found == expected
    fast = [r for r in FastIterator(io.BytesIO(out.read_bytes())) if r.headers["WARC-Type"] == "resource"]
    assert len(fast) == len(expected)
    assert len(gzip.decompress(out.read_bytes())) > sum(map(len, expected))
