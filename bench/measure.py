"""Running one command: CPU of its process tree, wall time, resident memory. Output is discarded."""
import json
import os
import re
import statistics
import subprocess
import tempfile
import time

TIMEOUT_S = 900
SAMPLE_S = 0.001


def run_once(launcher, argv, repeats=1, statuses=(0,)):
    """Runs `argv` `repeats` times in a row by way of limits/run_once.cpp; CPU and wall are means over
    them, rss_mib is the largest. A failed run has "error"."""
    runs = []
    with tempfile.NamedTemporaryFile() as err:
        for _ in range(repeats):
            line = subprocess.run([launcher, str(TIMEOUT_S), err.name, *argv], check=True, capture_output=True).stdout
            runs.append(json.loads(line))
            status = os.waitstatus_to_exitcode(runs[-1]["status"])
            if status not in statuses:
                return {"error": f"exit status {status} {_tail(err)}".strip()}
    run = {key: statistics.mean(run[key] for run in runs) for key in ("wall", "user", "sys")}
    return run | {"cpu": run["user"] + run["sys"], "rss_mib": max(run["rss_mib"] for run in runs)}


def run_sampled(argv):
    """Runs `argv` once and samples /proc/PID/status every millisecond.

    anonymous_mib is the largest RssAnon seen: heap, stacks, buffers; not the pages of the mapped
    archive, nor of the program and its libraries. resident_mib is VmHWM, which has all of them.
    """
    peak = {"RssAnon": 0, "VmHWM": 0}
    with tempfile.TemporaryFile() as err:
        child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err)
        while child.poll() is None:
            try:
                with open(f"/proc/{child.pid}/status", encoding="ascii", errors="replace") as status:
                    for name, kib in re.findall(r"^(RssAnon|VmHWM):\s+(\d+)", status.read(), re.MULTILINE):
                        peak[name] = max(peak[name], int(kib))
            except OSError:
                pass
            time.sleep(SAMPLE_S)
        if child.returncode != 0:
            return {"error": f"exit status {child.returncode} {_tail(err)}".strip()}
    return {"anonymous_mib": peak["RssAnon"] / 1024, "resident_mib": peak["VmHWM"] / 1024}


def run_reported(argv):
    """Runs `argv` once and takes what the JSON line that it prints says of its work."""
    out, error = capture(argv)
    if error:
        return {"error": error}
    with out:
        line = json.loads(out.read())
    run = {"wall": line["wall_s"], "user": line["user_s"], "sys": line["sys_s"], "cpu": line["user_s"] + line["sys_s"],
           "rss_mib": line["max_rss_KiB"] / 1024}
    return run | ({"file_mb": line["file_bytes"] / 1e6} if "file_bytes" in line else {})


def capture(argv, statuses=(0,)):
    """The standard output of `argv` as an open binary file, or None and why not."""
    out = tempfile.TemporaryFile()
    with tempfile.TemporaryFile() as err:
        try:
            status = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, timeout=TIMEOUT_S).returncode
        except (OSError, subprocess.TimeoutExpired) as problem:
            return None, str(problem)
        if status not in statuses:
            return None, f"exit status {status} {_tail(err)}".strip()
    out.seek(0)
    return out, None


def medians(runs):
    """The median of each number over the runs that did not fail; {} if none is left."""
    good = [run for run in runs if "error" not in run]
    return {key: statistics.median(run[key] for run in good) for key in good[0]} if good else {}


def _tail(file, length=200):
    file.seek(0, os.SEEK_END)
    file.seek(max(0, file.tell() - length))
    return " ".join(file.read().decode("utf-8", "replace").split())
