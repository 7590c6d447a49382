"""`fonds dedup`: payloads are kept once, nothing else changes, and `cat --resolve` gives them back."""
import base64
import gzip
import hashlib
import io

import pytest
from program import WARC, cat, fonds, json_lines, ls, verify

BODY = b"<p>the same text on every page</p>" * 40


def sha1(data):
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def record(kind, name, uri, date, block, *fields, content_type="application/http;msgtype=response", version="1.1"):
    lines = [f"WARC/{version}", f"WARC-Type: {kind}", f"WARC-Record-ID: <urn:x:{name}>", f"WARC-Date: {date}"]
    lines += [f"WARC-Target-URI: {uri}"] if uri else []
    lines += [f"Content-Type: {content_type}", *fields, f"Content-Length: {len(block)}", "", ""]
    return "\r\n".join(lines).encode() + block + b"\r\n\r\n"


def response(body, *fields):
    lines = ["HTTP/1.1 200 OK", "Content-Type: text/html", *fields, f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode() + body


INFO = record("warcinfo", "info", "", "2020-01-01T00:00:00Z", b"software: test\r\n", content_type="application/warc-fields")
FIRST = record("response", "1", "http://a.example/", "2020-01-01T00:00:01Z", response(BODY), f"WARC-Payload-Digest: {sha1(BODY)}")
REQUEST = record("request", "1r", "http://a.example/", "2020-01-01T00:00:01Z", b"GET / HTTP/1.1\r\n\r\n",
                 "WARC-Concurrent-To: <urn:x:1>", content_type="application/http;msgtype=request")
AGAIN = record("response", "2", "http://a.example/", "2020-01-02T00:00:00Z", response(BODY, "X-Second: yes"),
               f"WARC-Payload-Digest: {sha1(BODY)}", f"WARC-Block-Digest: {sha1(response(BODY, 'X-Second: yes'))}",
               "WARC-IP-Address: 192.0.2.1", "X-Other: kept")
ELSEWHERE = record("response", "3", "http://b.example/", "2020-01-02T00:00:01Z", response(BODY))
OTHER = record("response", "4", "http://c.example/", "2020-01-02T00:00:02Z", response(BODY + b"!"))


def write(path, *records, form="plain"):
    data = b"".join(records)
    if form == "gzip":
        data = b"".join(gzip.compress(r, mtime=0) for r in records)
    elif form == "one":
        data = gzip.compress(data, mtime=0)
    path.write_bytes(data)
    return path


def dedup(out, *archives, options=(), status=0):
    done = fonds("dedup", "-o", out, *options, *archives)
    assert done.returncode == status, done.stderr
    return done.stderr.decode()


def payloads(path, *options):
    records, _ = ls(path)
    return {r["id"]: fonds("cat", "--part", "payload", *options, path, f"id:{r['id']}").stdout for r in records}


def headers(path, key):
    return cat(path, key, "header").decode().split("\r\n")


@pytest.mark.parametrize("form,name", [("plain", "a.warc"), ("gzip", "a.warc.gz"), ("one", "a.warc.gz")])
def test_identical_payloads_become_revisits_and_come_back(tmp_path, form, name):
    before = write(tmp_path / name, INFO, FIRST, REQUEST, AGAIN, ELSEWHERE, OTHER, form=form)
    after = tmp_path / ("out." + name)
    told = dedup(after, before)
    assert "2 records became revisits of an identical payload" in told
    assert [r["type"] for r in ls(after)[0]] == ["warcinfo", "response", "request", "revisit", "revisit", "response"]
    assert payloads(after, "--resolve") == payloads(before)
    closing = verify(after)[1]
    assert closing["errors"] == 0
    twice = tmp_path / ("twice." + name)
    dedup(twice, after)
    assert twice.read_bytes() == after.read_bytes()


def test_the_revisit_has_what_the_standard_asks_for(tmp_path):
    before = write(tmp_path / "a.warc", INFO, FIRST, AGAIN)
    dedup(tmp_path / "b.warc", before)
    head = response(BODY, "X-Second: yes")[: -len(BODY)]
    assert set(headers(tmp_path / "b.warc", "index:2")) >= {
        "WARC/1.1", "WARC-Type: revisit", "WARC-Record-ID: <urn:x:2>", "WARC-Date: 2020-01-02T00:00:00Z",
        "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
        "WARC-Refers-To: <urn:x:1>", "WARC-Refers-To-Target-URI: http://a.example/",
        "WARC-Refers-To-Date: 2020-01-01T00:00:01Z", "WARC-Truncated: length", f"WARC-Payload-Digest: {sha1(BODY)}",
        f"WARC-Block-Digest: {sha1(head)}", f"Content-Length: {len(head)}", "WARC-IP-Address: 192.0.2.1", "X-Other: kept"}
    assert cat(tmp_path / "b.warc", "index:2", "block") == head


@pytest.mark.parametrize("version,profile", [("1.0", "1.0"), ("0.18", "0.18"), ("1.1", "1.1")])
def test_the_profile_is_that_of_the_record_s_version(tmp_path, version, profile):
    again = record("response", "2", "http://a.example/", "2020-01-02T00:00:00Z", response(BODY), version=version)
    dedup(tmp_path / "b.warc", write(tmp_path / "a.warc", INFO, FIRST, again))
    assert f"WARC-Profile: http://netpreserve.org/warc/{profile}/revisit/identical-payload-digest" in headers(
        tmp_path / "b.warc", "index:2")


def test_all_other_records_stay_as_they_are_stored(tmp_path):
    before = write(tmp_path / "a.warc.gz", INFO, FIRST, AGAIN, REQUEST, OTHER, form="gzip")
    dedup(tmp_path / "b.warc.gz", before)
    stored = (tmp_path / "b.warc.gz").read_bytes()
    for one in (INFO, FIRST, REQUEST, OTHER):
        assert gzip.compress(one, mtime=0) in stored


@pytest.mark.parametrize("path", sorted(p for d in ("own", "third-party") for p in (WARC / d).iterdir()
                                        if ".warc" in p.name and p.suffix not in (".json", ".bad")), ids=lambda p: p.name)
def test_no_fixture_loses_anything(tmp_path, path):
    out = tmp_path / ("out" + "".join(path.suffixes[-2:]).replace(".open", ""))
    done = fonds("dedup", "-q", "-o", out, path)
    if done.returncode:
        assert not out.exists()  # damaged, or an ARC
        return
    records, after = ls(path)[0], ls(out)[0]
    assert [r.get("id") for r in records] == [r.get("id") for r in after]
    for a, b in zip(records, after, strict=True):
        if a.get("type") == b.get("type"):
            assert cat(path, f"index:{a['index']}", "record").rstrip(b"\r\n") == cat(out, f"index:{b['index']}", "record").rstrip(b"\r\n")
        else:
            given = fonds("cat", "--resolve", "--part", "payload", out, f"index:{b['index']}").stdout
            assert given == cat(path, f"index:{a['index']}", "payload")
    again = tmp_path / ("again" + out.name)
    dedup(again, out)
    assert again.read_bytes() == out.read_bytes()


def test_plain_records_behind_members_are_kept(tmp_path):
    path = write(tmp_path / "a.warc.gz", INFO, FIRST, AGAIN, form="gzip")
    path.write_bytes(path.read_bytes() + OTHER + ELSEWHERE)
    dedup(tmp_path / "b.warc.gz", path)
    assert [r["type"] for r in ls(tmp_path / "b.warc.gz")[0]] == ["warcinfo", "response", "revisit", "response", "revisit"]
    assert payloads(tmp_path / "b.warc.gz", "--resolve") == payloads(path)


def test_a_stored_digest_is_never_trusted(tmp_path):
    liar = record("response", "5", "http://d.example/", "2020-01-03T00:00:00Z", response(b"something else" * 60),
                  f"WARC-Payload-Digest: {sha1(BODY)}")
    wrong = record("response", "6", "http://e.example/", "2020-01-03T00:00:00Z", response(BODY), f"WARC-Payload-Digest: {sha1(b'x')}")
    before = write(tmp_path / "a.warc", INFO, FIRST, liar, wrong)
    told = dedup(tmp_path / "b.warc", before, options=["-v"])
    assert "digest-mismatch" in told
    assert [r["type"] for r in ls(tmp_path / "b.warc")[0]] == ["warcinfo", "response", "response", "revisit"]
    assert f"WARC-Payload-Digest: {sha1(BODY)}" in headers(tmp_path / "b.warc", "index:3")


@pytest.mark.parametrize("head", ["Transfer-Encoding: chunked", "Content-Encoding: gzip"])
def test_what_is_read_in_another_way_is_another_payload(tmp_path, head):
    other = record("response", "5", "http://d.example/", "2020-01-03T00:00:00Z", response(BODY, head))
    before = write(tmp_path / "a.warc", INFO, FIRST, other)
    dedup(tmp_path / "b.warc", before)
    assert (tmp_path / "b.warc").read_bytes() == before.read_bytes()


@pytest.mark.parametrize("fields", [["WARC-Truncated: length"], ["WARC-Segment-Number: 1"]])
def test_parts_of_payloads_stay(tmp_path, fields):
    part = record("response", "5", "http://d.example/", "2020-01-03T00:00:00Z", response(BODY), *fields)
    before = write(tmp_path / "a.warc", INFO, FIRST, part)
    dedup(tmp_path / "b.warc", before)
    assert (tmp_path / "b.warc").read_bytes() == before.read_bytes()


def test_small_payloads_stay_where_nothing_would_be_saved_or_as_told(tmp_path):
    small = [record("response", f"s{i}", "http://s.example/", f"2020-02-0{i + 1}T00:00:00Z", response(b"tiny")) for i in range(3)]
    before = write(tmp_path / "a.warc", INFO, FIRST, AGAIN, *small)
    dedup(tmp_path / "b.warc", before)
    assert [r["type"] for r in ls(tmp_path / "b.warc")[0]] == ["warcinfo", "response", "revisit"] + 3 * ["response"]
    dedup(tmp_path / "c.warc", before, options=["--min-size", str(len(BODY) + 1)])
    assert (tmp_path / "c.warc").read_bytes() == before.read_bytes()


def test_an_id_that_two_records_share_leads_nowhere(tmp_path):
    twin = FIRST.replace(BODY[:5], b"<q>!!")
    late = FIRST.replace(b"00:00:01Z", b"00:00:09Z")
    before = write(tmp_path / "a.warc", INFO, twin, late, AGAIN)
    dedup(tmp_path / "b.warc", before)
    lines = headers(tmp_path / "b.warc", "index:3")
    assert not any(line.startswith("WARC-Refers-To:") for line in lines)
    assert "WARC-Refers-To-Date: 2020-01-01T00:00:09Z" in lines
    assert fonds("cat", "--resolve", "--part", "payload", tmp_path / "b.warc", "index:3").stdout == BODY


def test_across_files_of_one_run_and_with_both_given_later(tmp_path):
    a = write(tmp_path / "a.warc.gz", INFO, FIRST, form="gzip")
    b = write(tmp_path / "b.warc.gz", INFO.replace(b"x:info", b"x:info2"), ELSEWHERE, OTHER, form="gzip")
    dedup(tmp_path / "all.warc.gz", a, b)
    assert payloads(tmp_path / "all.warc.gz", "--resolve") == payloads(a) | payloads(b)
    fonds("index", a)
    told = dedup(tmp_path / "rest.warc.gz", b, options=["--index", f"{a}.cdxj"])
    assert "1 records became revisits" in told
    rest = tmp_path / "rest.warc.gz"
    assert payloads(rest, "--resolve", "--with", a) == payloads(b)
    alone = fonds("cat", "--resolve", rest, "id:urn:x:3")
    assert cat(rest, "id:urn:x:3", "record").startswith(b"WARC/1.1") and alone.stdout == cat(rest, "id:urn:x:3", "record")


def test_an_index_of_the_archive_itself_makes_no_record_its_own_original(tmp_path):
    a = write(tmp_path / "a.warc.gz", INFO, ELSEWHERE, FIRST, form="gzip")
    fonds("index", a)
    dedup(tmp_path / "b.warc.gz", a, options=["--index", f"{a}.cdxj"])
    assert [r["type"] for r in ls(tmp_path / "b.warc.gz")[0]] == ["warcinfo", "response", "revisit"]
    assert payloads(tmp_path / "b.warc.gz", "--resolve") == payloads(a)


def test_revisits_of_what_becomes_a_revisit_still_lead_to_the_payload(tmp_path):
    old = record("revisit", "r", "http://b.example/", "2020-03-01T00:00:00Z", b"", "WARC-Refers-To: <urn:x:3>",
                 f"WARC-Payload-Digest: {sha1(BODY)}",
                 "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest")
    before = write(tmp_path / "a.warc", INFO, FIRST, ELSEWHERE, old)
    dedup(tmp_path / "b.warc", before)
    assert old in (tmp_path / "b.warc").read_bytes()
    assert fonds("cat", "--resolve", "--part", "payload", tmp_path / "b.warc", "id:urn:x:r").stdout == BODY


def test_not_modified(tmp_path):
    answer = record("response", "n", "http://a.example/", "2020-04-01T00:00:00Z", b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n")
    before = write(tmp_path / "a.warc", INFO, FIRST, AGAIN, answer)
    dedup(tmp_path / "b.warc", before)
    assert ls(tmp_path / "b.warc")[0][3]["type"] == "response"
    dedup(tmp_path / "c.warc", before, options=["--not-modified"])
    assert {"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified", "WARC-Refers-To: <urn:x:1>"} <= set(
        headers(tmp_path / "c.warc", "index:3"))
    assert fonds("cat", "--resolve", "--part", "payload", tmp_path / "c.warc", "index:3").stdout == BODY
    assert verify(tmp_path / "c.warc", "--strict")[1]["errors"] == 0


def test_a_pipe_gives_the_same_and_large_records_of_it_stay(tmp_path):
    before = write(tmp_path / "a.warc", INFO, FIRST, AGAIN, ELSEWHERE)
    dedup(tmp_path / "b.warc", before)
    done = fonds("dedup", "-o", tmp_path / "c.warc", "-", input=before.read_bytes())
    assert done.returncode == 0 and (tmp_path / "c.warc").read_bytes() == (tmp_path / "b.warc").read_bytes()
    large = [record("response", f"l{i}", "http://l.example/", f"2020-02-0{i + 1}T00:00:00Z", response(bytes(3 << 20))) for i in range(2)]
    write(tmp_path / "l.warc", INFO, *large)
    done = fonds("dedup", "--memory", "32M", "-o", tmp_path / "m.warc", "-", input=(tmp_path / "l.warc").read_bytes())
    assert b"too large to be held" in done.stderr
    assert (tmp_path / "m.warc").read_bytes() == (tmp_path / "l.warc").read_bytes()
    dedup(tmp_path / "n.warc", tmp_path / "l.warc", options=["--memory", "32M"])
    assert [r["type"] for r in ls(tmp_path / "n.warc")[0]] == ["warcinfo", "response", "revisit"]
    assert payloads(tmp_path / "n.warc", "--resolve") == payloads(tmp_path / "l.warc")


def test_large_records_in_one_member_are_read_again(tmp_path):
    large = [record("response", f"l{i}", "http://l.example/", f"2020-02-0{i + 1}T00:00:00Z", response(bytes([i % 2]) * (3 << 20))) for i in range(4)]
    before = write(tmp_path / "l.warc.gz", INFO, *large, form="one")
    dedup(tmp_path / "n.warc.gz", before, options=["--memory", "32M"])
    assert [r["type"] for r in ls(tmp_path / "n.warc.gz")[0]] == ["warcinfo", "response", "response", "revisit", "revisit"]
    assert payloads(tmp_path / "n.warc.gz", "--resolve") == payloads(before)


def test_zstd_keeps_its_dictionary_and_stored_frames(tmp_path):
    import zstandard
    samples = [FIRST, AGAIN, ELSEWHERE, OTHER] * 40
    dictionary = zstandard.train_dictionary(4096, [s + bytes([i]) for i, s in enumerate(samples)])
    (tmp_path / "d.dict").write_bytes(dictionary.as_bytes())
    source = write(tmp_path / "a.warc", INFO, FIRST, AGAIN, OTHER)
    zst = tmp_path / "a.warc.zst"
    assert fonds("convert", "-o", zst, "--dictionary", tmp_path / "d.dict", source).returncode == 0
    dedup(tmp_path / "b.warc.zst", zst)
    after, before = (tmp_path / "b.warc.zst").read_bytes(), zst.read_bytes()
    first = ls(zst)[0][2]["offset"]
    assert after[:first] == before[:first]
    assert payloads(tmp_path / "b.warc.zst", "--resolve") == payloads(zst)
    assert verify(tmp_path / "b.warc.zst")[1]["errors"] == 0
    dedup(tmp_path / "c.warc.zst", tmp_path / "b.warc.zst")
    assert (tmp_path / "c.warc.zst").read_bytes() == after


def test_memory_is_named_when_it_does_not_suffice(tmp_path):
    records = [record("response", str(i), f"http://{i}.example/", "2020-01-01T00:00:00Z", response(b"%d" % i * 400)) for i in range(3000)]
    before = write(tmp_path / "a.warc", INFO, *records)
    done = fonds("dedup", "--memory", "2M", "-o", tmp_path / "b.warc", before)
    assert done.returncode == 3 and b"--memory" in done.stderr and not (tmp_path / "b.warc").exists()


def test_what_has_no_form_for_references_says_so(tmp_path):
    arc = WARC / "third-party/warcio-example.arc"
    done = fonds("dedup", "-o", tmp_path / "b.arc", arc)
    assert done.returncode == 3 and b"convert" in done.stderr and not (tmp_path / "b.arc").exists()
    done = fonds("dedup", "-o", tmp_path / "b.warc", WARC / "0011/02-minimal.warc")
    assert done.returncode == 0 and b"00.11" in done.stderr


def test_damage_stops_and_is_left_out_when_told(tmp_path):
    before = write(tmp_path / "a.warc.gz", INFO, FIRST, AGAIN, OTHER, form="gzip")
    data = bytearray(before.read_bytes())
    at = ls(before)[0][2]["offset"] - 8
    data[at] ^= 255
    before.write_bytes(data)
    done = fonds("dedup", "-o", tmp_path / "b.warc.gz", before)
    assert done.returncode == 1 and not (tmp_path / "b.warc.gz").exists()
    done = fonds("dedup", "--skip-damaged", "-o", tmp_path / "b.warc.gz", before)
    assert done.returncode == 1
    assert [r["id"] for r in ls(tmp_path / "b.warc.gz")[0]] == ["urn:x:info", "urn:x:2", "urn:x:4"]


@pytest.mark.parametrize("arguments", [["x.warc"], ["-o", "out.warc"], ["-o", "out.warc", "--min-size", "few", "x.warc"],
                                       ["-o", "out.warc", "--min-sise", "1", "x.warc"]])
def test_wrong_usage(tmp_path, arguments):
    write(tmp_path / "x.warc", INFO, FIRST)
    assert fonds("dedup", *arguments, cwd=tmp_path).returncode == 2


def test_the_output_may_replace_the_input_if_told(tmp_path):
    path = write(tmp_path / "x.warc", INFO, FIRST, AGAIN)
    assert fonds("dedup", "-o", path, path).returncode == 3 and path.read_bytes() == INFO + FIRST + AGAIN
    dedup(path, path, options=["--force"])
    assert [r["type"] for r in ls(path)[0]] == ["warcinfo", "response", "revisit"]


def test_a_patch_is_reported_with_its_reference(tmp_path):
    line = "warc/00.11 %012d 20070101000000 urn:x:p w1\r\ntype: http-response http://a.example/\r\nrevisit: urn:x:1 patch\r\n\r\n"
    head = (line % (len(line % 0) + 5)).encode()
    path = write(tmp_path / "p.warc", head + b"patch\r\n\r\n")
    done = fonds("cat", "--resolve", "--part", "block", path)
    assert done.stdout == b"patch" and b"urn:x:1" in done.stderr and b"[revisit-patch]" in done.stderr and done.returncode == 1


# --- peers

def test_warcio_and_fastwarc_read_the_revisits(tmp_path):
    from fastwarc.warc import ArchiveIterator as FastIterator, WarcRecordType
    from warcio.archiveiterator import ArchiveIterator
    before = write(tmp_path / "a.warc.gz", INFO, FIRST, REQUEST, AGAIN, OTHER, form="gzip")
    dedup(tmp_path / "b.warc.gz", before)
    with open(tmp_path / "b.warc.gz", "rb") as stream:
        found = [(r.rec_type, r.rec_headers.get_header("WARC-Refers-To"), r.rec_headers.get_header("WARC-Profile"),
                  r.http_headers and r.http_headers.get_header("X-Second"), r.content_stream().read()) for r in ArchiveIterator(stream)]
    assert found[3] == ("revisit", "<urn:x:1>", "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest", "yes", b"")
    assert found[4][-1] == BODY + b"!"
    types = [r.record_type for r in FastIterator(io.BytesIO((tmp_path / "b.warc.gz").read_bytes()), parse_http=True)]
    assert types[3] == WarcRecordType.revisit and len(types) == 5


def test_json_of_a_revisit(tmp_path):
    before = write(tmp_path / "a.warc", INFO, FIRST, AGAIN)
    dedup(tmp_path / "b.warc", before)
    shown = json_lines(fonds("ls", "--json", tmp_path / "b.warc").stdout)[2]
    assert (shown["type"], shown["refers_to"], shown["refers_to_uri"], shown["truncated"]) == ("revisit", "urn:x:1", "http://a.example/", "length")
