# Sourced by the other scripts: strict mode, the repository as working directory, small helpers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=$(nproc)

say() { printf '\n== %s\n' "$*"; }

# Says a command, then runs it.
show() {
  local word line='$'
  for word; do
    [[ $word =~ ^[[:alnum:]_./:=,@%+-]+$ ]] || word=${word@Q}
    line+=" $word"
  done
  printf '\n%s\n' "$line"
  "$@"
}

# build/venv with the peers and test tools of tests/requirements.txt.
make_venv() {
  [ -x build/venv/bin/pip ] || python3 -m venv build/venv
  build/venv/bin/pip install --quiet --disable-pip-version-check -r tests/requirements.txt
}

# find_go [LEAST]: the first `go` of that version (default: what builds the driver of the Go RecordIO
# library), of PATH, or where Go's own packages put it.
find_go() {
  local go version least
  least=${1:-$(sed -n 's/^go //p' tests/interop/recordio_go/go.mod)}
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

# build/go/versitygw: an S3 server for the tests. Built once, since that takes minutes.
make_s3_server() {
  local go version=v1.8.0
  go=$(find_go 1.25) || { echo "no go 1.25, which builds the S3 server versitygw: its tests are skipped" >&2; return; }
  "$go" version -m build/go/versitygw 2>/dev/null | grep -qw "$version" && return
  mkdir -p build/go
  GOTOOLCHAIN=local CGO_ENABLED=0 GOBIN=$PWD/build/go "$go" install -ldflags '-s -w' "github.com/versity/versitygw/cmd/versitygw@$version" ||
    echo "versitygw cannot be built: the tests with an S3 server are skipped" >&2
}
