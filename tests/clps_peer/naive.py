"""Evaluates queries of the default meaning on records, the slow and plain way: no archive, no types
known before, each filter looks at the whole record."""
import dataclasses
import functools
from fractions import Fraction

from . import instants, language
from .language import Wild
from .records import Instant, Number, Object

_INT64 = (-2**63, 2**63 - 1)


@dataclasses.dataclass(frozen=True)
class Record:
    """A record with its surroundings: `generated` are its @ keys, `archive` what $ names."""
    user: Object
    generated: Object = Object()
    archive: Object = Object()


@functools.lru_cache(maxsize=None)
def fold_character(c):
    """Simple case folding. Python has only the full one; where that is longer than one character, the
    simple one is the lower-case letter if that is one character."""
    folded = c.casefold()
    if len(folded) == 1:
        return folded
    return c.lower() if len(c.lower()) == 1 else c


def fold(text):
    return "".join(map(fold_character, text))


def wildcard_match(pattern, text):
    """Whether the pattern takes the whole text: by the set of prefixes of the text taken so far."""
    reached = {0}
    for one in pattern:
        if one == Wild.RUN:
            reached = set(range(min(reached), len(text) + 1)) if reached else set()
        elif one == Wild.ONE:
            reached = {at + 1 for at in reached if at < len(text)}
        else:
            reached = {at + 1 for at in reached if text[at:at + 1] == one}
    return len(text) in reached


def with_instants(value, path):
    """The record with the values at the timestamp key `path` (of keys) made instants."""
    if not path:
        ns = None
        if isinstance(value, Number):
            ns = instants.of_number(value)
        elif isinstance(value, str):
            ns = instants.of_text(value)
        return value if ns is None else Instant(ns, None if isinstance(value, Number) else str(value))
    if not isinstance(value, Object):
        return value
    return Object((name, with_instants(member, path[1:]) if name == path[0] else member) for name, member in value)


class Evaluator:
    def __init__(self, query, ignore_case=False):
        self.tree = language.parse(query)
        self.ignore_case = ignore_case

    def matches(self, record):
        return self._node(self.tree, record)

    def _node(self, node, record):
        kind, *children = node
        if kind == "and":
            return all(self._node(child, record) for child in children)
        if kind == "or":
            return any(self._node(child, record) for child in children)
        if kind == "not":
            return not self._node(children[0], record)
        return self._filter(children[0], record)

    def _filter(self, filter, record):
        if filter.space in ("!", "#"):
            return False
        alone = filter.path == (Wild.STEPS,)
        roots = {"": [record.user], "@": [record.generated], "$": [record.archive]}[filter.space]
        if alone and not filter.space:
            if filter.literal.exists:
                return True
            roots = [record.user, record.generated]
        if alone and filter.literal.exists:
            return any(len(root) > 0 for root in roots)
        return any(self._walk(root, filter.path, filter) for root in roots)

    def _walk(self, value, path, filter):
        """Whether some value at the path below `value` satisfies the filter."""
        if not path:
            return self._value(value, filter)
        if isinstance(value, list):
            if all(step == Wild.STEPS for step in path) and self._value(value, filter):
                return True
            return any(self._walk(item, path, filter) for item in value)
        if path[0] == Wild.STEPS:
            if self._walk(value, path[1:], filter):
                return True
            return isinstance(value, Object) and any(self._walk(member, path, filter) for _, member in value)
        if not isinstance(value, Object):
            return False
        return any(self._walk(member, path[1:], filter) for member in value.members(path[0]))

    def _value(self, value, filter):
        literal = filter.literal
        if literal.exists:
            return True
        if isinstance(value, list):
            return any(self._value(item, filter) for item in value)
        if isinstance(value, Object):
            return False
        if isinstance(value, Instant):
            return self._instant(value, filter)
        if isinstance(value, Number):
            if literal.instant is not None:
                real = value.real()
                if any(mark in value for mark in ".eE"):
                    return _compare(real, filter.operator, Fraction(literal.instant / 10**9))
                return _compare(real, filter.operator, literal.instant)
            return literal.real is not None and _compare(value.real(), filter.operator, literal.real)
        if filter.operator != ":":
            return False
        if isinstance(value, str):
            return self._text(value, literal)
        return literal.constant is value

    def _text(self, text, literal):
        if literal.instant is not None:
            return False
        case = fold if self.ignore_case else str
        if literal.pattern:
            pattern = [one if isinstance(one, Wild) else case(one) for one in literal.pattern]
            return wildcard_match(pattern, case(text))
        return case(text) == case(literal.text)

    def _instant(self, value, filter):
        literal = filter.literal
        wanted = literal.instant
        if literal.real is not None:
            wanted = literal.real * instants.unit_ns(literal.real)
        if wanted is not None and _compare(value.ns, filter.operator, min(max(wanted, _INT64[0]), _INT64[1])):
            return True
        return filter.operator == ":" and value.text is not None and self._text(value.text, literal)


def _compare(stored, operator, wanted):
    return {":": stored == wanted, "<": stored < wanted, "<=": stored <= wanted, ">": stored > wanted,
            ">=": stored >= wanted}[operator]


def project(value, paths):
    """The members named, within their objects; whole where a path ends."""
    out = []
    for name, member in value:
        below = [path[1:] for path in paths if path[0] == name]
        if () in below:
            out.append((name, member))
        elif below and isinstance(member, Object) and (kept := project(member, below)):
            out.append((name, kept))
    return Object(out)
