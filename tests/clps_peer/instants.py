"""Texts that are times, by the patterns of archives from 0.5.0 on, as nanoseconds since 1970 UTC.

Written from the format's page (12.2) as regular expressions, unlike the C++ code."""
import datetime
import functools
import re

_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Sun Mon Tue Wed Thu Fri Sat".split()
_MON = r"\B{" + ",".join(month[:3] for month in _MONTHS) + "}"
_MONTH = r"\B{" + ",".join(_MONTHS) + "}"
_DAY = r"\A{" + ",".join(_DAYS) + "}"
_D = r"\Y\O{-/}\m\O{-/}\d\O{T }"
PATTERNS = [
    _D + r"\H:\M:\s\O{,.}\?\Z", _D + r"\H:\M:\s\Z", _D + r"\H:\M:\s\O{,.}\?", _D + r"\H:\M:\s",
    "[" + _D + r"\H:\M:\s\O{,.}\?]", "[" + _D + r"\H:\M:\s]", "[" + _D + r"\H:\M:\s", "<<<" + _D + r"\H:\M:\s:\?",
    r"\d " + _MON + r" \Y \H:\M:\s\O{,.}\?", r"[\Y\m\d-\H:\M:\s]", r"\y\O{-/}\m\O{-/}\d\O{T }\H:\M:\s",
    r"\y\m\d\O{T }\k:\M:\s", _MON + r" \d, \Y \l:\M:\s \p", _MON + r" \d, \Y \I:\M:\s \p", _MONTH + r" \d, \Y \H:\M",
    r"[\d\O{-/}" + _MON + r"\O{-/}\Y:\H:\M:\s", _DAY + " " + _MON + r" \e \H:\M:\s \Y", _MON + r" \d \H:\M:\s",
    _MON + r" \d \H:\M:\s\Z", r"\m\O{- }\d \H:\M:\s\O{,.}\?", r"\P", r"\E.\?",
]
_FIXED = {
    "Y": r"(?P<Y>\d{4})", "y": r"(?P<y>\d\d)", "m": r"(?P<m>\d\d)", "d": r"(?P<d>\d\d)", "e": r"(?P<e> [1-9]|[1-9]\d)",
    "H": r"(?P<H>\d\d)", "k": r"(?P<k> \d|[1-9]\d)", "I": r"(?P<I>\d\d)", "l": r"(?P<l> \d|[1-9]\d)", "p": r"(?P<p>AM|PM)",
    "M": r"(?P<M>\d\d)", "S": r"(?P<S>\d\d)", "J": r"(?P<J>60)", "s": r"(?P<s>\d\d)", "3": r"(?P<f>\d{3})",
    "6": r"(?P<f>\d{6})", "9": r"(?P<f>\d{9})", "T": r"(?P<f>\d{0,8}[1-9])", "?": r"(?P<f>\d{9}|\d{6}|\d{3}|\d{0,8}[1-9])",
    "Z": r"(?: ?(?:UTC)?(?P<z>[-+\u2212](?:[01]\d|2[0-3])(?::?[0-5]\d)?)Z?| ?(?:UTC)?Z)", "\\": r"\\\\",
    "E": r"(?P<E>0|-?[1-9]\d*)", "L": r"(?P<L>0|-?[1-9]\d*)", "C": r"(?P<C>0|-?[1-9]\d*)", "N": r"(?P<N>0|-?[1-9]\d*)",
    "P": r"(?P<P>0|-?[1-9]\d*)",
}
_NS = {"E": 10**9, "L": 10**6, "C": 10**3, "N": 1}


def unit_ns(number):
    """How many nanoseconds the unit of a bare number has."""
    size = abs(number)
    return 1 if size > 31536000000000000 else 10**3 if size > 31536000000000 else 10**6 if size > 31536000000 else 10**9


@functools.lru_cache(maxsize=None)
def _compiled(pattern):
    """The regular expression of a pattern and its names of months and days; None for a wrong pattern."""
    out, names, at = "", {}, 0
    while at < len(pattern):
        if pattern[at] != "\\":
            out, at = out + re.escape(pattern[at]), at + 1
            continue
        kind, at = pattern[at + 1:at + 2], at + 2
        if kind in ("A", "B", "O", "z"):
            end = pattern.find("}", at)
            if pattern[at:at + 1] != "{" or end < 0:
                return None
            inside, at = pattern[at + 1:end], end + 1
            if kind == "O":
                out += "[" + re.escape(inside) + "]"
            elif kind == "z":
                out += "(?P<z>" + re.escape(inside) + ")"
            else:
                names[kind] = inside.split(",")
                out += f"(?P<{kind}>" + "|".join(map(re.escape, names[kind])) + ")"
        elif kind in _FIXED and kind:
            out += _FIXED[kind]
        else:
            return None
    try:
        return re.compile(out), names
    except re.error:  # a specifier twice
        return None


def _offset_minutes(text):
    digits = text[1:].replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:] or 0)
    return minutes if text[0] == "+" else -minutes


def _hour(found):
    if "I" in found or "l" in found:
        hour = int(found.get("I") or found["l"])
        if not 1 <= hour <= 12 or "p" not in found:
            return None
        return hour % 12 + (12 if found["p"] == "PM" else 0)
    hour = int(found.get("H") or found.get("k") or 0)
    return hour if hour <= 23 and "p" not in found else None


def _date(found, names):
    if "y" in found:
        year = int(found["y"]) + (1900 if int(found["y"]) >= 69 else 2000)
    else:
        year = int(found.get("Y", 1970))
    month = names["B"].index(found["B"]) + 1 if "B" in found else int(found.get("m", 1))
    try:
        date = datetime.date(year or 400, month, int(found.get("d") or found.get("e") or 1))
    except ValueError:
        return None
    days = (date - datetime.date(1970, 1, 1)).days - (0 if year else 146097)  # Python has no year 0
    if "A" in found and names["A"].index(found["A"]) != (days + 4) % 7:
        return None
    return days


def match(pattern, text):
    """The time that `text` is by this pattern; None where it does not fit."""
    compiled = _compiled(pattern)
    found = compiled and compiled[0].fullmatch(text)
    if not found:
        return None
    found = {name: part for name, part in found.groupdict().items() if part is not None}
    fraction = int(found["f"].ljust(9, "0")) if "f" in found else 0
    for kind in "ELCN":
        if kind in found:
            return int(found[kind]) * _NS[kind] + (-fraction if found[kind][0] == "-" else fraction)
    if "P" in found:
        return int(found["P"]) * unit_ns(int(found["P"]))
    hour, days = _hour(found), _date(found, compiled[1])
    second = 59 if "J" in found else int(found.get("S") or found.get("s") or 0)
    if found.get("s") == "60":
        second = 59
    if hour is None or days is None or int(found.get("M", 0)) > 59 or second > 59:
        return None
    minutes = hour * 60 + int(found.get("M", 0)) - (_offset_minutes(found["z"]) if "z" in found else 0)
    return (days * 86400 + minutes * 60 + second) * 10**9 + fraction


def of_text(text):
    """The time of a text by the first pattern of the list that fits; None if none does."""
    return next((ns for pattern in PATTERNS if (ns := match(pattern, text)) is not None), None)


def of_number(text):
    """The time of a JSON number; None for one that is no time."""
    pattern = r"\E.\?" if any(mark in text for mark in ".eE") else r"\P"
    return match(pattern, text)
