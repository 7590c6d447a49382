#!/usr/bin/env python3
"""What keys cost a command, as a line of JSON: the processes it starts, not its own interpreter.

  each_key.py each KEYS COMMAND...       one process a key; the sum
  each_key.py marginal KEYS COMMAND...   one process with all keys less one with the first key: start-up
                                         left out, so it is what all keys but one take

KEYS is a file with a key a line; they go behind COMMAND."""
import json
import resource
import subprocess
import sys
import time


def run(command, keys):
    wall, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, *keys], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - wall, resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"wall_s": wall, "user_s": after.ru_utime - before.ru_utime, "sys_s": after.ru_stime - before.ru_stime}


def main():
    how, keys_path, *command = sys.argv[1:]
    with open(keys_path, encoding="utf-8") as lines:
        keys = lines.read().splitlines()
    if how == "each":
        runs = [run(command, [key]) for key in keys]
        taken = {name: sum(one[name] for one in runs) for name in runs[0]}
    else:
        all_keys, first = run(command, keys), run(command, keys[:1])
        taken = {name: max(0.0, all_keys[name] - first[name]) for name in all_keys}
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(json.dumps(taken | {"max_rss_KiB": peak}))


main()
