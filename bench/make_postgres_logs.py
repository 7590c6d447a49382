#!/usr/bin/env python3
"""Writes what PostgreSQL 15 logs as JSON while pgbench runs: a cluster of its own on a socket, gone afterwards.

The cluster's settings are those of an operator who logs everything: all statements, durations, connections."""
import argparse
import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SETTINGS = {
    "logging_collector": "on", "log_destination": "jsonlog", "log_statement": "all", "log_duration": "on", "log_connections": "on",
    "log_directory": "log", "log_filename": "server", "log_rotation_age": "0", "log_rotation_size": "0", "log_timezone": "UTC",
    # Nothing of it outlives the run.
    "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "listen_addresses": "''",
}
START_S = 60


def programs():
    """The folder of the server's programs, which Debian keeps out of PATH; jsonlog came with version 15."""
    for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda bin: float(bin.parent.name), reverse=True):
        if float(folder.parent.name) >= 15 and all((folder / name).exists() for name in ("initdb", "postgres", "pgbench")):
            return folder
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else None


def install():
    """Debian's package, without the cluster that it would make."""
    if os.geteuid() != 0:
        raise SystemExit("make_postgres_logs: there is no PostgreSQL 15 here; install the package postgresql")
    os.makedirs("/etc/postgresql-common", exist_ok=True)
    settings = Path("/etc/postgresql-common/createcluster.conf")
    if not settings.exists():
        settings.write_text("create_main_cluster = false\n")
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], check=True, env=environment, stdout=sys.stderr)
    subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "-o", "Dpkg::Options::=--force-confold", "postgresql"],
                   check=True, env=environment, stdout=sys.stderr)


class Cluster:
    def __init__(self, bin, folder):
        self.bin, self.folder, self.log = bin, folder, folder / "data/log/server.json"
        # The server refuses to be root.
        owner = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        self.account = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []} if owner else {}
        if owner:
            os.chown(folder, owner.pw_uid, owner.pw_gid)

    def start(self):
        self._run("initdb", "--auth=trust", "--username=bench", "--no-sync", "--encoding=UTF8", "--locale=C", "-D", "data")
        with open(self.folder / "data/postgresql.conf", "a", encoding="utf-8") as settings:
            settings.writelines(f"{name} = {value}\n" for name, value in SETTINGS.items())
        return self._start("postgres", "-D", "data", "-k", str(self.folder))

    def ready(self):
        deadline = time.monotonic() + START_S
        while self._call("psql", "-c", "select 1").returncode:
            if time.monotonic() > deadline:
                raise SystemExit("make_postgres_logs: the server does not answer")
            time.sleep(0.1)

    def pgbench(self, *options):
        return self._start("pgbench", "-h", str(self.folder), "-U", "bench", *options, "postgres")

    def _call(self, name, *words):
        return subprocess.run([self.bin / name, "-h", str(self.folder), "-U", "bench", *words, "postgres"], cwd=self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self.account)

    def _run(self, name, *words):
        subprocess.run([self.bin / name, *words], cwd=self.folder, check=True, stdout=subprocess.DEVNULL, **self.account)

    def _start(self, name, *words):
        return subprocess.Popen([self.bin / name, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, **self.account)


@contextlib.contextmanager
def ending(process, how):
    try:
        yield process
    finally:
        process.send_signal(how)
        process.wait()


def fill(cluster, size):
    """Lets pgbench work until the log has `size` octets."""
    with ending(cluster.start(), signal.SIGINT):
        cluster.ready()
        if cluster.pgbench("--initialize", "--scale", "5", "--quiet").wait():
            raise SystemExit("make_postgres_logs: pgbench cannot make its tables")
        while cluster.log.stat().st_size < size:
            # Some seconds a run: with each come new connections.
            with ending(cluster.pgbench("--client", "4", "--time", "5"), signal.SIGINT) as running:
                while running.poll() is None and cluster.log.stat().st_size < size:
                    time.sleep(0.2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--size-mb", type=int, default=200, help="whole lines of so many MB at most")
    options = parser.parse_args()
    if programs() is None:
        install()
    size = options.size_mb * 1_000_000
    # A socket's path may have 107 octets: the folder stands where its name is short.
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp") as folder:
        os.chmod(folder, 0o700)
        cluster = Cluster(programs(), Path(folder))
        fill(cluster, size)
        with open(cluster.log, "rb") as log, open(options.out, "wb") as out:
            left = size
            for line in log:
                left -= len(line)
                if left < 0 or not line.endswith(b"\n"):
                    break
                out.write(line)


main()
