"""The written cases: queries with the records that match."""
import dataclasses
import re
from pathlib import Path

from . import evaluate

FILE = Path(__file__).with_name("cases.txt")
DATA = Path(__file__).resolve().parents[1] / "data"


@dataclasses.dataclass(frozen=True)
class Case:
    file: str
    query: str
    ignore_case: bool
    records: tuple | None  # their numbers; nothing: not filled in

    def options(self):
        return ["--ignore-case"] if self.ignore_case else []

    def __str__(self):
        return f"{Path(self.file).name} {'-i ' if self.ignore_case else ''}{self.query}"


def parse(text):
    file = None
    for line in text.splitlines():
        if line.startswith("== "):
            file = line[3:]
        elif line and not line.startswith("#"):
            numbers, option, query = re.fullmatch(r"([^|]*?) *\|(i\||) ?(.*)", line).groups()
            records = None if numbers == "?" else () if numbers == "none" else tuple(map(int, numbers.split()))
            yield Case(file, query, bool(option), records)


def fill():
    """Writes the file anew with what the oracle says."""
    archives, out, cases = {}, [], parse(FILE.read_text())
    for line in FILE.read_text().splitlines():
        if line and not line.startswith(("#", "==")):
            case = next(cases)
            archive = archives.setdefault(case.file, evaluate.Archive(DATA / case.file) if case.file not in archives else None)
            found = archive.answer(case.query, case.ignore_case)
            line = f"{' '.join(map(str, found)) or 'none'} |{'i|' if case.ignore_case else ''} {case.query}"
        out.append(line)
    FILE.write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    fill()
