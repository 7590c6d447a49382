import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import program  # noqa: E402


def pytest_sessionstart(session):
    if not os.access(program.BINARY, os.X_OK):
        pytest.exit(f"{program.BINARY} is not built", returncode=3)
