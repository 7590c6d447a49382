"""The laws of tests/conformance of archives at servers: all rows of the table, asked of URLs in one process."""
import json
import os
import subprocess
from pathlib import Path

import pytest
from program import BINARY
from remote import nginx, versitygw

TESTS = Path(BINARY).parent / "fonds_tests"
BUCKET = "rows"


# Servers with ranges are read in one way whatever they are: each law is asked of each row at one of them.
TURNS = ("", "") if os.environ.get("FONDS_ALL_TURNS") else (":0/2", ":1/2")


@pytest.fixture
def http(tmp_path):
    """One server, in three ways: nginx tells no length where it looks for words in what it gives."""
    if nginx.program() is None:
        pytest.skip("needs nginx")
    folder = tmp_path / "files"
    folder.mkdir()
    server = nginx.Nginx(tmp_path, folder)
    yield folder, {"ranges" + TURNS[0]: server.url("", "files"), "whole": server.url("", "whole"),
                   "stream": server.url("", "stream")}, dict(os.environ)
    server.stop()


@pytest.fixture
def s3(tmp_path):
    """Objects are put there as files: the server makes no difference."""
    if versitygw.program() is None:
        pytest.skip("needs versitygw")
    server = versitygw.VersityGw(tmp_path / "s3")
    server.make_bucket(BUCKET)
    yield server.data / BUCKET, {"s3" + TURNS[1]: f"s3://{BUCKET}/"}, server.environment()
    server.stop()


@pytest.mark.skipif(not TESTS.exists(), reason="the C++ tests are not built")
@pytest.mark.parametrize("way,laws,least", [
    ("http", "ranges_*:*/stream_*:*/whole_ServedIsMapped_*", 7500), ("s3", "s3_*", 2500)])
def test_the_table_holds_of_servers(way, laws, least, request, tmp_path):
    """Of a server that gives no ranges, but the length, a small object is taken whole: one law is enough."""
    folder, urls, environment = request.getfixturevalue(way)
    report = tmp_path / "report.json"
    served = [str(folder), *(f"{name}={url}" for name, url in urls.items())]
    done = subprocess.run(
        [TESTS, "--gtest_brief=1", f"--gtest_filter=*/Laws.Hold/{laws}", f"--gtest_output=json:{report}"],
        env={**environment, "FONDS_SERVED": " ".join(served)}, capture_output=True, text=True, errors="replace")
    told = json.loads(report.read_text(encoding="utf-8", errors="replace"))
    assert told["tests"] >= least
    assert done.returncode == 0, done.stdout[-20_000:]
