"""Queries on the fields of records, the slow and plain way."""
import re

from clps_peer import instants, language, naive, records
from clps_peer.language import Wild

from . import archives, dates, fields


def path_names(path, steps, any_case=False):
    """Whether the path leads to these steps; of a header field the letter case of the last one does not count."""
    if not path:
        return not steps
    if path[0] == Wild.STEPS:
        return path_names(path[1:], steps, any_case) or (bool(steps) and path_names(path, steps[1:], any_case))
    if not steps:
        return False
    same = path[0].lower() == steps[0].lower() if any_case and len(steps) == 1 else path[0] == steps[0]
    return same and path_names(path[1:], steps[1:], any_case)


def values(record, path):
    """All values that a path finds in header and HTTP head."""
    if Wild.STEPS in path:
        for name, found in record.known.items():
            if name not in fields.OF_PLACE and path_names(path, tuple(name.split("."))):
                yield from found
        for name, value in record.headers:
            if path_names(path, (name,), True) or path_names(path, ("headers", name), True):
                yield value
        for name, value in record.http:
            if path_names(path, ("http", name), True):
                yield value
    elif ".".join(path) in fields.KNOWN and all("." not in step for step in path):
        yield from record.known.get(".".join(path), [])
    elif len(path) == 1 or (len(path) == 2 and path[0] == "headers"):
        yield from (value for name, value in record.headers if name.lower() == path[-1].lower())
    elif len(path) == 2 and path[0] == "http":
        yield from (value for name, value in record.http if name.lower() == path[1].lower())


def literal_span(literal):
    """A date as people write it; whole numbers of 10, 13, 16 or more digits count from 1970."""
    text = literal.text
    if literal.instant is not None or (literal.real is not None and (len(text) in (10, 13, 16) or len(text) > 17)):
        return None
    return dates.parse(text)


class Evaluator(naive.Evaluator):
    def __init__(self, query, ignore_case=False):
        self.tree = language.Parser(query, ordered=lambda literal: dates.parse(literal.text) is not None).whole()
        self.ignore_case = ignore_case

    def _filter(self, filter, record):
        if filter.space:
            return False
        path = filter.path
        if path == (Wild.STEPS,) and filter.literal.exists:
            return True
        if path[0] == "payload":
            return len(path) == 1 and (filter.literal.exists or self._payload(record, filter))
        if path[0] == "body":
            return any(self._walk(root, path[1:], filter) for root in record.body)
        return any(self._field(value, filter) for value in values(record, path))

    def _payload(self, record, filter):
        if filter.operator != ":" or filter.literal.instant is not None:
            return False
        return self._long_text(record.payload_text, filter.literal)

    def _long_text(self, text, literal):
        case = naive.fold if self.ignore_case else str
        if not literal.pattern:
            return case(text) == case(literal.text)
        parts = [".*" if one == Wild.RUN else "." if one == Wild.ONE else re.escape(case(one)) for one in literal.pattern]
        return re.fullmatch("".join(parts), case(text), re.DOTALL) is not None

    def _field(self, value, filter):
        literal = filter.literal
        if value is fields.OBJECT or literal.exists:
            return literal.exists
        if isinstance(value, dates.Span):
            return self._date(value, filter)
        if isinstance(value, records.Number):
            return self._value(value, filter)
        if filter.operator == ":":
            return self._text(value, literal)
        if literal.real is None and literal.instant is None:
            return False
        number = language.number(value)
        return number is not None and naive._compare(number, filter.operator, literal.instant if literal.real is None else literal.real)

    def _date(self, value, filter):
        literal, operator = filter.literal, filter.operator
        if operator == ":" and self._text(value.text, literal):
            return True
        span = literal_span(literal)
        if span:
            return {":": span.begin <= value.begin and value.end <= span.end, "<": value.begin < span.begin,
                    "<=": value.begin < span.end, ">": value.begin >= span.end, ">=": value.begin >= span.begin}[operator]
        instant = literal.instant
        if instant is None and literal.real is not None:
            instant = literal.real * instants.unit_ns(literal.real)
        return instant is not None and naive._compare(value.begin, operator, instant)


class Archive:
    """An archive that is asked several times."""

    def __init__(self, path):
        self.records = [fields.of(raw, index) for index, raw in enumerate(archives.read(path))]

    def answer(self, query, ignore_case=False):
        """The positions of the records that match. QueryError for a wrong query."""
        evaluator = Evaluator(query, ignore_case)
        return [index for index, record in enumerate(self.records) if evaluator.matches(record)]
