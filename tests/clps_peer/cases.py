"""The cases of fixtures/kql, and what the default meaning says to each without fonds."""
import json

from program import FIXTURES

from . import language, naive, records

KQL = FIXTURES / "kql"
CASES = json.loads((KQL / "cases.json").read_text())["cases"]


class Options:
    """The original's `args` of a case."""

    def __init__(self, args):
        self.ignore_case, self.since_ms, self.until_ms, self.projection = False, None, None, ()
        args = list(args)
        while args:
            option = args.pop(0)
            if option == "-i":
                self.ignore_case = True
            elif option == "--tge":
                self.since_ms = int(args.pop(0))
            elif option == "--tle":
                self.until_ms = int(args.pop(0))
            elif option == "--projection":
                self.projection, args = tuple(args), []
            else:
                raise ValueError(option)

    def ours(self):
        """The same as options of `fonds search`."""
        return (["--ignore-case"] if self.ignore_case else []) + \
            ([] if self.since_ms is None else ["--since", self.since_ms]) + \
            ([] if self.until_ms is None else ["--until", self.until_ms]) + \
            [word for path in self.projection for word in ("--projection", path)]

    def peers(self):
        return {"ignore_case": self.ignore_case, "since_ms": self.since_ms, "until_ms": self.until_ms,
                "projection": self.projection}


def answer(query, options, lines, timestamp_key=None, archive=lambda record: records.Object()):
    """The positions of the lines that match, and what is printed for each as a value. `archive` says
    what `$` names of a record.

    QueryError for what the default meaning calls an error."""
    evaluator = naive.Evaluator(query, options.ignore_case)
    paths = [language.parse_key(text) for text in options.projection]
    if len(set(paths)) < len(paths) or any(language.Wild.STEPS in path for _, path in paths):
        raise language.QueryError(0, "a projection of a wildcard, or of the same key twice")
    bounds = [ms for ms in (options.since_ms, options.until_ms) if ms is not None]
    if bounds and (timestamp_key is None or bounds != sorted(bounds)):
        raise language.QueryError(0, "times without a timestamp column, or an empty interval")
    if bounds and timestamp_key is not None:
        since, until = options.since_ms, options.until_ms
    key = None if timestamp_key is None else language.parse_key(timestamp_key)[1]
    found = []
    for position, line in enumerate(lines):
        value = records.parse(line)
        user = value if key is None else naive.with_instants(value, key)
        if bounds:
            ns = instant_at(user, key)
            if ns is None or (since is not None and ns < since * 10**6) or (until is not None and ns > until * 10**6):
                continue
        if evaluator.matches(naive.Record(user, archive=archive(value))):
            found.append((position, naive.project(value, [path for _, path in paths]) if paths else value))
    return found


def instant_at(value, path):
    for name in path:
        members = value.members(name) if isinstance(value, records.Object) else []
        if not members:
            return None
        value = members[0]
    return value.ns if isinstance(value, records.Instant) else None


def name(value):
    return next(str(member) for key, member in value if key == "doc")
