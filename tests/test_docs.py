"""The documents: their commands give what the pages show, their code is compiled code, their links lead somewhere.

`python3 tests/test_docs.py` writes what the program prints today into the pages; look at the difference before you keep it.
"""
import contextlib
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

import pytest
from program import BINARY, ROOT, WARC, fonds, json_lines
from remote import documented

PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md")),
         *sorted(ROOT.glob("src/**/README.md"))]
CODE_FOLDERS = ("include", "src", "cli", "tests", "fuzz", "bench", "examples")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
END_OF_COMMAND = "\x1e"


def name_of(page):
    return str(page.relative_to(ROOT))


def blocks(page, *languages):
    """(line of the page, text) of the fenced blocks in these languages."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, m.start()) + 2, m[2]) for m in BLOCK.finditer(text) if m[1] in languages]


# --- commands

def parse_session(text):
    """[(command, what the page shows behind it)]; a command may go on behind a backslash."""
    steps, open_command = [], False
    for line in text.splitlines(keepends=True):
        if open_command:
            steps[-1][0] += line
        elif line.startswith("$ "):
            steps.append([line[2:], ""])
        else:
            steps[-1][1] += line
            continue
        open_command = line.endswith("\\\n")
    return steps


def run_in_terminal(script, folder, environment):
    """What a person sees: both outputs in one terminal."""
    master, slave = pty.openpty()
    settings = termios.tcgetattr(slave)
    settings[1] &= ~termios.OPOST
    termios.tcsetattr(slave, termios.TCSANOW, settings)
    env = {**environment, "PATH": f"{Path(BINARY).resolve().parent}:{os.environ['PATH']}", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}
    process = subprocess.Popen(["bash", "-c", script], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
    os.close(slave)
    seen = b""
    try:
        while piece := os.read(master, 65536):
            seen += piece
    except OSError:
        pass  # Linux says so when the other end is closed
    os.close(master)
    process.wait(timeout=60)
    return seen.decode("utf-8").replace("\r\n", "\n")


def session_of(page):
    """The commands of a page that can be run here."""
    steps = [step for _, text in blocks(page, "console") for step in parse_session(text)]
    return [step for step in steps if documented.can_be_run() or not documented.asks_a_server(step[0])]


@contextlib.contextmanager
def world(steps):
    """The environment of a session, and how its commands and outputs are changed so that servers of ours answer."""
    if not any(documented.asks_a_server(command) for command, _ in steps):
        yield dict(os.environ), str, str
        return
    with tempfile.TemporaryDirectory() as folder:
        servers = documented.Servers(Path(folder))
        try:
            yield servers.environment(), servers.as_run, servers.as_shown
        finally:
            servers.stop()


def run_session(steps):
    """The output of each command of a page. They run in a fresh folder that looks like the repository's root."""
    with tempfile.TemporaryDirectory() as folder, world(steps) as (environment, as_run, as_shown):
        script = "".join(f"{as_run(command)}status=$?\nprintf '\\036'\n(exit $status)\n" for command, _ in steps)
        for entry in ROOT.iterdir():
            (Path(folder) / entry.name).symlink_to(entry)
        outputs = as_shown(run_in_terminal(script, folder, environment)).split(END_OF_COMMAND)
    assert len(outputs) == len(steps) + 1 and outputs[-1] == ""
    return [output + "\n" if output and not output.endswith("\n") else output for output in outputs[:-1]]


def fits(shown, output):
    """A line `…` stands for any lines, `…` within a line for any text."""
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line).replace("…", ".*")
                      for line in shown.splitlines(keepends=True))
    return re.fullmatch(pattern, output) is not None


SESSIONS = [page for page in PAGES if blocks(page, "console")]


@pytest.mark.parametrize("page", SESSIONS, ids=name_of)
def test_commands_print_what_the_page_shows(page):
    steps = session_of(page)
    wrong = [f"$ {command}{output}" for (command, shown), output in zip(steps, run_session(steps), strict=True)
             if not fits(shown, output)]
    assert not wrong


@pytest.mark.parametrize("page", SESSIONS, ids=name_of)
def test_sessions_begin_with_a_command(page):
    assert all(text.startswith("$ ") for _, text in blocks(page, "console"))


# --- reference

GENERATED = {"commands": "reference", "fields": "fields"}


@pytest.mark.parametrize("page", GENERATED)
def test_the_page_is_the_program_s(page):
    assert (ROOT / f"docs/reference/{page}.md").read_bytes() == fonds("--generate", GENERATED[page]).stdout


def names_in(value):
    if isinstance(value, dict):
        return set(value).union(*(names_in(v) for v in value.values()))
    return set().union(*(names_in(v) for v in value)) if isinstance(value, list) else set()


@pytest.mark.parametrize("command", [["ls", "--headers"], ["verify"], ["info"]], ids=lambda c: c[0])
def test_every_name_in_json_is_documented(command):
    page = (ROOT / "docs/reference/json.md").read_text(encoding="utf-8")
    archives = [p for d in ("own", "0011") for p in sorted((WARC / d).iterdir()) if p.suffix != ".json"]
    objects = json_lines(fonds(command[0], "--json", *command[1:], *archives).stdout)
    missing = [name for name in sorted(names_in(objects)) if f"`{name}`" not in page]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_json_shown_in_pages_is_json(page):
    for _, text in blocks(page, "json"):
        for line in text.splitlines():
            json.loads(line)


# --- code, links, mentions

EXAMPLE_TEXTS = [p.read_text(encoding="utf-8") for p in sorted((ROOT / "examples").rglob("*")) if p.is_file()]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_code_in_pages_is_compiled_code_of_examples(page):
    for line, text in blocks(page, "cpp", "cmake"):
        assert any(text in example for example in EXAMPLE_TEXTS), f"{name_of(page)}:{line} is in no file of examples/"


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    found = set()
    for heading in re.findall(r"^#+ (.+)$", text, re.M):
        anchor = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        n = sum(1 for a in found if re.fullmatch(re.escape(anchor) + r"(-\d+)?", a))
        found.add(f"{anchor}-{n}" if n else anchor)
    return found


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    for target in LINK.findall(BLOCK.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target


def mentions():
    """Pages that the code names, with the section if it names one."""
    sources = [p for folder in CODE_FOLDERS for p in sorted((ROOT / folder).rglob("*"))
               if p.suffix in (".hpp", ".cpp", ".py") and p != Path(__file__).resolve()]
    for source in sources:
        for page, section in re.findall(r'(docs/[\w./-]+\.md)(?:,? "([^"\n]+)")?', source.read_text(encoding="utf-8")):
            yield pytest.param(page, section, id=f"{name_of(source)}: {page} {section}".strip())


@pytest.mark.parametrize("page,section", list(mentions()))
def test_pages_that_the_code_names_are_there(page, section):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert not section or re.search(rf"^#+ {re.escape(section)}$", text, re.M)


# --- writing

def refresh(page):
    """Puts the program's output into a page's sessions; what is shown with `…` is left to a person."""
    assert documented.can_be_run(), "some commands ask servers"
    outputs = iter(run_session(session_of(page)))

    def renew(match):
        if match[1] != "console":
            return match[0]
        session = ""
        for command, shown in parse_session(match[2]):
            output = next(outputs)
            if "…" in shown and not fits(shown, output):
                print(f"{name_of(page)}: to be done by hand: $ {command}{output}")
            session += f"$ {command}{shown if '…' in shown else output}"
        return f"```console\n{session}```"

    old = page.read_text(encoding="utf-8")
    new = BLOCK.sub(renew, old)
    if new != old:
        page.write_text(new, encoding="utf-8")
        print("wrote", name_of(page))


if __name__ == "__main__":
    for page, what in GENERATED.items():
        (ROOT / f"docs/reference/{page}.md").write_bytes(fonds("--generate", what).stdout)
    for path in [Path(a).resolve() for a in sys.argv[1:]] or SESSIONS:
        refresh(path)
