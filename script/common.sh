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

# The first `go` that can build the driver of the Go RecordIO library: of PATH, or where Go's own
# packages put it.
find_go() {
  local go version least
  least=$(sed -n 's/^go //p' tests/interop/recordio_go/go.mod)
  for go in go /usr/local/go/bin/go; do
    version=$("$go" env GOVERSION 2>/dev/null) || continue
    if printf '%s\n' "$least" "${version#go}" | sort -VC; then
      echo "$go"
      return
    fi
  done
  return 1
}

# build/go/recordio_go: what the tests and the benchmark ask the Go RecordIO library with. Its modules
# are those of go.sum; the zstd of the library needs a C compiler.
make_go_driver() {
  local go
  go=$(find_go) || { echo "no go that builds tests/interop/recordio_go; script/install-deps installs one" >&2; return 1; }
  mkdir -p build/go
  (
    cd tests/interop/recordio_go
    GOTOOLCHAIN=local CGO_ENABLED=1 "$go" build -mod=readonly -buildvcs=false -o ../../../build/go/recordio_go .
  )
}
