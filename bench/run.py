#!/usr/bin/env python3
"""Runs peers, limits and fonds alternating, checks that they agree, prints medians and ratios.

Called by script/bench, which builds fonds and the limits and installs the peers first."""
import argparse
import dataclasses
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import answers
import corpora
import measure
import report
import sets

ROOT = Path(__file__).resolve().parent.parent


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="script/bench", description=__doc__.splitlines()[0],
        epilog="Exit status: 0 all demands met, 1 an answer differs or a demand is not met or not measured.")
    parser.add_argument("--quick", action="store_true", help="only small corpora: minutes instead of half an hour; "
                        "start-up weighs more, so the ratios say less")
    parser.add_argument("--set", dest="sets", nargs="+", action="extend", choices=[*sets.SETS, *sets.GROUPS], metavar="NAME",
                        help="only these: " + ", ".join(sets.SETS) + "; or all of a group: " + ", ".join(sets.GROUPS))
    parser.add_argument("--reps", type=int, default=5, metavar="N", help="rounds; each runs every contestant once (default 5)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the results go (default: results.json in the work directory)")
    parser.add_argument("--docs", action="store_true", help="also write the tables into docs/explanation/benchmarks.md; with --set only theirs are replaced")
    parser.add_argument("--no-build", action="store_true", help="take fonds, limits and peers as they are")
    parser.add_argument("--work", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--build", type=Path, required=True, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.sets:
        options.sets = [name for given in options.sets for name in sets.GROUPS.get(given, [given])]
    return options


def describe_machine():
    def field(path, name):
        with open(path, encoding="utf-8") as lines:
            return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(name)), "?")
    return {"cpu": field("/proc/cpuinfo", "model name"), "cores": os.cpu_count(),
            "memory_gib": round(int(field("/proc/meminfo", "MemTotal").split()[0]) / (1 << 20)),
            "system": f"{platform.freedesktop_os_release().get('PRETTY_NAME', '?')}, Linux {platform.release()}",
            "load": round(os.getloadavg()[0], 2)}


def describe_versions(tools):
    def first_line(*argv):
        try:
            return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()[0].strip()
        except (OSError, subprocess.CalledProcessError, IndexError):
            return "?"
    versions = {"fonds": first_line(tools.fonds, "--version").removeprefix("fonds "),
                "commit": first_line("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD")}
    packages = json.loads(first_line(tools.python, "-m", "pip", "list", "--format", "json", "--disable-pip-version-check"))
    versions["Python"] = platform.python_version()
    versions |= {package["name"]: package["version"] for package in packages
                 if package["name"].lower() in ("fastwarc", "warcio", "warctools", "ir_datasets", "zlib-state", "indexed_gzip",
                                                "rapidgzip", "cdxj-indexer", "yscope-clp-core", "ripgrep")}
    if tools.crate:
        versions["fastwarc crate"] = "2.0.0"
    return versions | {library: first_line("pkg-config", "--modversion", library)
                       for library in ("libdeflate", "libisal", "libzstd", "libcrypto")}


def check_answer(contestant, expected):
    """A warm-up whose output is read: (agreement in words, error that keeps it out of the rounds)."""
    if not os.access(contestant.argv[0], os.X_OK):
        return "", f"{Path(contestant.argv[0]).name} is not built"
    if contestant.before:
        contestant.before()
    out, error = measure.capture(contestant.check_argv or contestant.argv, contestant.statuses)
    if error:
        return "", error
    with out:
        try:
            answer = contestant.answer(out)
        except (ValueError, KeyError, IndexError, OSError, subprocess.CalledProcessError) as problem:
            return "", f"its output is not understood: {problem!r}"
    if contestant.expected is not None:
        expected = contestant.expected
    if not answer.keys() & expected.keys():
        return "not compared", None
    return answers.differences(answer, expected) or "agrees", None


def measured(contestant, launcher):
    if contestant.before:
        contestant.before()
    if contestant.sampled:
        return measure.run_sampled(contestant.argv)
    if contestant.reported:
        return measure.run_reported(contestant.argv)
    run = measure.run_once(launcher, contestant.argv, contestant.repeats, contestant.statuses)
    if contestant.counts and "error" not in run:
        run |= contestant.counts()
    if contestant.written and "error" not in run:
        run["file_mb"] = stored_size(contestant.written) / 1e6
    return run


def stored_size(path):
    """Of a file, or of the files of a directory."""
    files = (file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files)


def run_set(contest, reps, launcher):
    rows = {name: {"command": contestant.argv, "runs": []} for name, contestant in contest.contestants.items()}
    for name, contestant in contest.contestants.items():
        rows[name]["agreement"], rows[name]["error"] = check_answer(contestant, contest.expected)
    for _ in range(reps):
        for name, contestant in contest.contestants.items():
            if rows[name]["error"]:
                continue
            run = measured(contestant, launcher)
            rows[name]["runs"].append(run)
            rows[name]["error"] = run.get("error")
    for row in rows.values():
        row["median"] = {} if row["error"] else measure.medians(row["runs"])
    medians = {name: row["median"] for name, row in rows.items()}
    demands = [dataclasses.asdict(demand) for demand in contest.demands]
    for demand in demands:
        demand["value"] = report.demand_value(demand, medians)
        demand["verdict"] = report.verdict(demand)
    file = contest.file
    return {"title": contest.title, "file": file.name if file else None, "stored_size": file.stat().st_size if file else 0,
            "decoded_size": contest.decoded_size, "records": contest.expected.get("records", 0),
            "sampled": any(contestant.sampled for contestant in contest.contestants.values()),
            "contestants": rows, "demands": demands}


def complaints(results):
    """Every reason for a status other than 0, in words."""
    for name, result in results["sets"].items():
        for label, row in result["contestants"].items():
            if row["agreement"] not in ("", "agrees", "not compared"):
                yield f"{name}: {label} answers otherwise: {row['agreement']}"
        for demand in result["demands"]:
            if demand["verdict"] != "met":
                measured = "" if demand["value"] is None else f" ({demand['value']:.2f}{demand['unit']})"
                yield f"{name}: {demand['text']}: {demand['verdict'].lower()}{measured}"


def main():
    options = parse_arguments()
    crate = options.work / "cargo/release/fastwarc-bench"
    tools = sets.Tools(options.build / "fonds", options.build / "bench", options.work / "venv/bin/python",
                       crate if crate.exists() else None)
    made = corpora.Corpora(options.work, options.quick, tools.python, tools.limits / "list_units")
    # Corpora first: making them is load that must not fall into a measurement.
    contests = {name: sets.SETS[name](tools, made) for name in options.sets or sets.SETS}
    command = " ".join(["script/bench", *(["--quick"] if options.quick else []), "--reps", str(options.reps)])
    results = {"date": time.strftime("%Y-%m-%d"), "command": command, "reps": options.reps, "quick": options.quick,
               "machine": describe_machine(), "versions": describe_versions(tools), "sets": {}}
    if results["machine"]["load"] > 0.7:
        print(f"bench: other work runs on this machine (load {results['machine']['load']}); believe CPU, not wall", file=sys.stderr)
    destination = options.json or options.work / "results.json"
    for name, contest in contests.items():
        results["sets"][name] = run_set(contest, options.reps, tools.limits / "run_once")
        print(report.set_table(results["sets"][name]), flush=True)
        destination.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(f"results: {destination}")
    if options.docs:
        report.write_document(ROOT / "docs/explanation/benchmarks.md", results, whole=not options.sets)
    wrong = list(complaints(results))
    print("\n".join(wrong) or "all demands met")
    return 1 if wrong else 0


sys.exit(main())
