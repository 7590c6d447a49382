"""JSON with what Python's own types lose: how a number is spelled, and members of the same name."""
import dataclasses
import json
from fractions import Fraction


class Number(str):
    """A number by its text."""

    def real(self):
        """Its exact value: an integer, or the binary64 that stands for it."""
        if any(mark in self for mark in ".eE"):
            value = float(self)
            return value if abs(value) == float("inf") else Fraction(value)
        return Fraction(int(self))


class Object(tuple):
    """Pairs of key and value, in order."""

    def members(self, key):
        return [value for name, value in self if name == key]


@dataclasses.dataclass(frozen=True)
class Instant:
    """A value of the timestamp column, and its text if it was a JSON string."""
    ns: int
    text: str | None


_decoder = json.JSONDecoder(object_pairs_hook=Object, parse_int=Number, parse_float=Number, strict=False)


def parse(text):
    """A value: Object, list, str, Number, True, False or None."""
    return _decoder.decode(text)


def plain(value):
    """For comparing values: key order free, numbers as Python reads them, kinds kept apart."""
    if isinstance(value, Object):
        return "object", tuple(sorted((name, plain(member)) for name, member in value))
    if isinstance(value, list):
        return "array", tuple(plain(item) for item in value)
    if isinstance(value, Number):
        return "number", repr(json.loads(value))
    return type(value).__name__, str(value)
