"""The law of servers (tests/conformance/laws_served.cpp): all rows of the table, asked of URLs in one process."""
import json
import os
import subprocess
from pathlib import Path

import pytest
from program import BINARY
from remote import nginx, versitygw

TESTS = Path(BINARY).parent / "fonds_tests"
BUCKET = "rows"
LEAST = 400  # rows, made ones and fixtures


@pytest.fixture
def http(tmp_path):
    if nginx.program() is None:
        pytest.skip("needs nginx")
    folder = tmp_path / "files"
    folder.mkdir()
    server = nginx.Nginx(tmp_path, folder)
    yield folder, [server.url("", way) for way in ("files", "whole")], dict(os.environ)
    server.stop()


@pytest.fixture
def s3(tmp_path):
    """Objects are put there as files: the server makes no difference."""
    if versitygw.program() is None:
        pytest.skip("needs versitygw")
    server = versitygw.VersityGw(tmp_path / "s3")
    server.make_bucket(BUCKET)
    yield server.data / BUCKET, [f"s3://{BUCKET}/"], server.environment()
    server.stop()


@pytest.mark.skipif(not TESTS.exists(), reason="the C++ tests are not built")
@pytest.mark.parametrize("way", ["http", "s3"])
def test_the_table_holds_of_servers(way, request, tmp_path):
    folder, urls, environment = request.getfixturevalue(way)
    report = tmp_path / "report.json"
    done = subprocess.run(
        [TESTS, "--gtest_brief=1", "--gtest_filter=*Laws.Hold/ServedIsMapped_*", f"--gtest_output=json:{report}"],
        env={**environment, "FONDS_SERVED": " ".join([str(folder), *urls])}, capture_output=True, text=True,
        errors="replace")
    told = json.loads(report.read_text(encoding="utf-8", errors="replace"))
    assert told["tests"] >= LEAST
    assert done.returncode == 0, done.stdout[-20_000:]
