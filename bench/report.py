"""Markdown out of the results, for the terminal and for docs/explanation/benchmarks.md."""
import statistics

BEGIN, END = "<!-- results: written by script/bench --docs -->", "<!-- end of results -->"
HEADING, LATER = "### ", "Measured later, "
# What some sets measure besides.
MORE = {"file_mb": "MB written", "requests": "requests", "fetched_kb": "KB fetched"}
MORE_DIGITS = {"file_mb": 2, "requests": 0, "fetched_kb": 0}


def demand_value(demand, medians):
    """top / bottom, or None if a side was not measured."""
    top, bottom = _side(demand["top"], medians), _side(demand["bottom"], medians)
    return top / bottom if top is not None and bottom else None


def _side(side, medians):
    if isinstance(side, (int, float)):
        return side
    if not isinstance(side[-1], str):  # no metric: a list of sides
        values = [_side(one, medians) for one in side]
        return statistics.geometric_mean(values) if all(values) else None
    names, metric = side
    names = [names] if isinstance(names, str) else names
    values = [medians[name][metric] for name in names if metric in medians.get(name, {})]
    return min(values) if values else None


def verdict(demand):
    if demand["value"] is None:
        return "not measured"
    kept = demand["value"] <= demand["at_most"] if demand["at_most"] is not None else demand["value"] >= demand["at_least"]
    return "met" if kept else "NOT MET"


def _time(seconds):
    return f"{seconds:.4f}" if seconds < 0.1 else f"{seconds:.3f}"


def set_table(result):
    """One set: who took how long, then what was demanded."""
    lines = [f"### {result['title']}", ""]
    if result.get("file"):
        sizes = f", {result['decoded_size'] / 1e6:.0f} MB decoded" if result["decoded_size"] else ""
        records = f", {result['records']} records" if result["records"] else ""
        lines += [f"`{result['file']}`: {result['stored_size'] / 1e6:.0f} MB{sizes}{records}.", ""]
    sampled = result["sampled"]
    more = {metric: title for metric, title in MORE.items()
            if any(metric in contestant["median"] for contestant in result["contestants"].values())}
    if sampled:
        lines += ["| command | anonymous MiB | resident MiB, mapped file included |", "|---|--:|--:|"]
    else:
        lines += ["| contestant | CPU s | user s | system s | wall s | MB/s of CPU | peak RSS MiB | " +
                  "".join(f"{title} | " for title in more.values()) + "answer |",
                  "|---|--:|--:|--:|--:|--:|--:|" + "--:|" * len(more) + "---|"]
    for name, contestant in result["contestants"].items():
        lines.append(_row(name, contestant, result["decoded_size"], sampled, more))
    if result["demands"]:
        lines += ["", "| demanded of fonds | bound | measured | |", "|---|--:|--:|---|"]
    for demand in result["demands"]:
        bound = f"≤ {demand['at_most']}" if demand["at_most"] is not None else f"≥ {demand['at_least']}"
        value = "–" if demand["value"] is None else f"{demand['value']:.2f}{demand['unit']}"
        lines.append(f"| {_cell(demand['text'])} | {bound}{demand['unit']} | {value} | {verdict(demand)} |")
    return "\n".join(lines) + "\n"


def _cell(text):
    """A pipe would end it."""
    return text.replace("|", "\\|")


def _row(name, contestant, decoded_size, sampled, more):
    median, name = contestant["median"], _cell(name)
    if not median:
        return f"| {name} | not run: {contestant['error'].replace('|', '/')} |" + ("|" if sampled else " | | | | | |" + " |" * len(more))
    if sampled:
        return f"| {name} | {median['anonymous_mib']:.1f} | {median['resident_mib']:.1f} |"
    rate = f"{decoded_size / 1e6 / median['cpu']:.0f}" if decoded_size and median["cpu"] else ""
    further = "".join(f"{median[metric]:.{MORE_DIGITS[metric]}f} | " if metric in median else "| " for metric in more)
    return (f"| {name} | {_time(median['cpu'])} | {_time(median['user'])} | {_time(median['sys'])} | {_time(median['wall'])} "
            f"| {rate} | {median['rss_mib']:.0f} | {further}{contestant['agreement']} |")


def document(results):
    """The part of the page that is written anew."""
    machine = results["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    lines = [BEGIN, "",
             f"Measured {results['date']} with `{results['command']}`: rounds: {results['reps']}, on {machine['cpu']} "
             f"({machine['cores']} cores, {machine['memory_gib']} GiB, {machine['system']}), load {machine['load']} at the start.", "",
             f"Versions: {versions}.", ""]
    lines += [set_table(result) for result in results["sets"].values()]
    return "\n".join(lines) + END


def write_document(path, results, whole):
    """Replaces what lies between the two marks of the page; if not `whole`, only the tables of these sets, new ones last."""
    page = path.read_text(encoding="utf-8")
    before, begin, rest = page.partition(BEGIN)
    old, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"bench: {path} has no place for results; it needs the lines {BEGIN} and {END}")
    made = document(results) if whole else _with_new_tables(old, results)
    path.write_text(before + made + after, encoding="utf-8")


def _with_new_tables(old, results):
    head, *tables = old.split(HEADING)
    tables = {table.partition("\n")[0]: HEADING + table for table in tables}
    for result in results["sets"].values():
        tables[result["title"]] = set_table(result) + "\n"
    later = {}  # when and how: the titles measured then
    lines = []
    for line in head.strip("\n").split("\n"):
        if line.startswith(LATER):
            how, _, titles = line.removeprefix(LATER).partition(": ")
            later.setdefault(how, []).extend(title for title in _titles(titles, tables) if title not in _measured(results))
        else:
            lines.append(line)
    how = f"{results['date']}, with {results['reps']} rounds, commit {results['versions'].get('commit', '?')}"
    later.setdefault(how, []).extend(_measured(results))
    told = [f"{LATER}{how}: {'; '.join(titles)}.\n" for how, titles in later.items() if titles]
    return f"{BEGIN}\n\n" + "\n".join(lines).strip("\n") + "\n\n" + "\n".join(told) + "\n" + "".join(tables.values()) + END


def _measured(results):
    return [result["title"] for result in results["sets"].values()]


def _titles(text, tables):
    """Titles hold commas and colons, and no semicolon."""
    return [title for title in text.removesuffix(".").split("; ") if title in tables]
