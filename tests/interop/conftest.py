import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from program import ROOT

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def jwarc():
    if not all(map(shutil.which, ("java", "javac", "mvn"))):
        pytest.skip("jwarc needs java, javac and mvn")
    folder = ROOT / "build/jwarc"
    jar = folder / "jwarc-0.36.0.jar"
    if not jar.exists():
        subprocess.run(["mvn", "-q", "-B", "dependency:copy", "-Dartifact=org.netpreserve:jwarc:0.36.0",
                        f"-DoutputDirectory={folder}"], check=True, capture_output=True, timeout=300, cwd=ROOT / "bench")
    subprocess.run(["javac", "-cp", jar, "-d", folder, ROOT / "bench/peers/JwarcWalk.java"], check=True, capture_output=True)
    return f"{jar}:{folder}"
