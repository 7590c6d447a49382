# Sourced by the other scripts: strict mode, the repository as working directory, small helpers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=$(nproc)

say() { printf '\n== %s\n' "$*"; }

# Says a command, then runs it.
show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

# build/venv with the peers and test tools of tests/requirements.txt.
make_venv() {
  [ -x build/venv/bin/pip ] || python3 -m venv build/venv
  build/venv/bin/pip install --quiet --disable-pip-version-check -r tests/requirements.txt
}
