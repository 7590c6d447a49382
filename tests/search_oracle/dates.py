"""Dates as the span of time that they name."""
import calendar
import dataclasses
import email.utils
import re
import time

SECOND = 10**9


@dataclasses.dataclass(frozen=True)
class Span:
    begin: int  # ns since 1970
    end: int    # behind it
    text: str   # W3C-DTF in UTC


FORM = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?([Zz]|[+-]\d\d:?\d\d)?)?)?)?")


def parse(text):
    """A date with hyphens, or 4, 6, 8, 10, 12 or 14 digits; nothing if there is no such day."""
    text = text.strip()
    if text[:1].isalpha():
        return mail(text)
    if re.fullmatch(r"(\d\d){3,7}", text):
        year, *rest = text[:4], *re.findall(r"\d\d", text[4:])
        rest += [None] * (5 - len(rest))
        year, (month, day, hour, minute, second), fraction, zone = year, rest, None, None
    elif found := FORM.fullmatch(text):
        year, month, day, hour, minute, second, fraction, zone = found.groups()
    else:
        return None
    part = [int(one) if one else low for one, low in zip((year, month, day, hour, minute, second), (0, 1, 1, 0, 0, 0))]
    if part[2] > 31 and zone:  # ClueWeb09: the day of the year
        part[1:3] = time.strptime(f"{part[0]} {part[2]}", "%Y %j")[1:3]
    if not 1 <= part[1] <= 12 or not 1 <= part[2] <= calendar.monthrange(max(part[0], 1), part[1])[1] or part[3] > 23 \
            or part[4] > 59 or part[5] > 59 or part[0] == 0:
        return None
    at = calendar.timegm((*part, 0, 0, 0))
    if zone not in (None, "Z", "z"):
        at -= (1 if zone[0] == "+" else -1) * (int(zone[1:3]) * 3600 + int(zone[-2:]) * 60)
    if fraction:
        size = 10 ** (9 - len(fraction))
        begin = at * SECOND + int(fraction) * size
        return Span(begin, begin + size, stamp(at)[:-1] + f".{fraction}Z")
    for given, seconds, form in ((second, 1, stamp(at)), (minute, 60, stamp(at)[:16] + "Z"), (hour, 3600, stamp(at)[:13] + ":00Z"),
                                 (day, 86400, stamp(at)[:10])):
        if given:
            return Span(at * SECOND, (at + seconds) * SECOND, form)
    after = (part[0] + part[1] // 12, part[1] % 12 + 1) if month else (part[0] + 1, 1)
    return Span(at * SECOND, calendar.timegm((*after, 1, 0, 0, 0, 0, 0, 0)) * SECOND, stamp(at)[:7 if month else 4])


def mail(text):
    """The form of RFC 1123."""
    found = email.utils.parsedate_tz(text)
    return parse(stamp(email.utils.mktime_tz(found))) if found else None


def stamp(seconds):
    now = time.gmtime(seconds)
    return f"{now.tm_year:04}-{now.tm_mon:02}-{now.tm_mday:02}T{now.tm_hour:02}:{now.tm_min:02}:{now.tm_sec:02}Z"
