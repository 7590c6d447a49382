"""What clp-s 0.12.1b0 answers for a string value on a text (a string with a blank), defects and all:
found by asking it, and kept true by test_kql_original.py. NOTES.md says the same in words.

A pattern is what a query says after unescaping: octets, of which `*` and `?` are wildcards and a
backslash before `*`, `?` or itself takes that meaning away."""
import itertools
import re

_TOKEN = frozenset(b"+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ\\_abcdefghijklmnopqrstuvwxyz")
_DIGITS, _HEX = frozenset(b"0123456789"), frozenset(b"0123456789abcdefABCDEF")
_ALPHA = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
INTEGER, DICTIONARY, FLOAT = 0x11, 0x12, 0x13  # placeholders in a log type
ESCAPED = frozenset((0x5C, INTEGER, DICTIONARY, FLOAT))


def kind_of(token):
    """How a variable is stored."""
    if re.fullmatch(rb"0|-?[1-9][0-9]*", token) and -2**63 <= int(token) < 2**63:
        return INTEGER
    if re.fullmatch(rb"-?[0-9]*\.[0-9]+", token) and sum(c in _DIGITS for c in token) <= 16:
        return FLOAT
    return DICTIONARY


def _looks_variable(token, behind_equals):
    return any(c in _DIGITS for c in token) or (len(token) > 1 and all(c in _HEX for c in token)) or \
        (behind_equals and any(c in _ALPHA for c in token))


def stored(text):
    """The log type and the variables of a text."""
    log_type, variables, at = bytearray(), [], 0
    while at < len(text):
        end = at
        while end < len(text) and text[end] in _TOKEN:
            end += 1
        token = text[at:end]
        if _looks_variable(token, at > 0 and text[at - 1] == 0x3D):
            variables.append((kind_of(token), token))
            log_type.append(variables[-1][0])
        else:
            for c in token:
                log_type += bytes((0x5C, c)) if c in ESCAPED else bytes((c,))
        if end < len(text):
            log_type += bytes((0x5C, text[end])) if text[end] in ESCAPED else text[end:end + 1]
        at = end + 1
    return bytes(log_type), variables


def matches(pattern, text, ignore_case=False):
    """Whether the whole text matches: `*` any octets, `?` one. Right, but for a pattern whose end is
    reached too early behind a star and an escaped character: the next place where that character
    occurs is then read as if it were not escaped."""
    if ignore_case:
        pattern, text = pattern.lower(), text.lower()
    at = here = 0
    star = None  # where to go on behind the last star: in the pattern, in the text

    def resume(at, here):
        """Behind a star: on to where the text has the pattern's next character."""
        if pattern[at:at + 1] != b"?":
            at += pattern[at:at + 1] == b"\\"
            here = text.find(pattern[at:at + 1], here) if at < len(pattern) else -1
        return (at, here) if 0 <= here < len(text) else None

    if not text:
        return pattern in (b"", b"*")
    if not pattern:
        return False
    while True:
        c, escaped = pattern[at:at + 1], False
        if c == b"*":
            at += 1
            if at == len(pattern):
                return True
            found = resume(at, here)
            if not found:
                return False
            star = at, found[1]
            at, here = found
        else:
            if c == b"\\":
                at, escaped = at + 1, True
                c = pattern[at:at + 1]
            if not (c == b"?" and not escaped) and c != text[here:here + 1]:
                found = star and resume(star[0], star[1] + 1)
                if not found:
                    return False
                star = star[0], found[1]
                at, here = found
        at, here = at + 1, here + 1
        if here >= len(text):
            return at == len(pattern) or pattern[at:] == b"*"
        if at >= len(pattern):
            found = star and resume(star[0], star[1] + 1)
            if not found:
                return False
            star = star[0], found[1]
            at, here = found


def units(pattern):
    """The pattern as units of one octet, or of two where the first is a backslash."""
    return re.findall(rb"\\.|.", pattern, re.DOTALL)


def collapsed(pattern):
    """Of units: runs of stars made one."""
    return b"".join(unit for i, unit in enumerate(pattern) if unit != b"*" or pattern[i - 1:i] != [b"*"])


def _stars(pattern):
    """The pattern with each `?` made a `*`."""
    return collapsed([b"*" if unit == b"?" else unit for unit in units(pattern)])


class _Piece:
    """A run of the pattern that may be a variable: it holds a wildcard, or it is one for sure."""

    def __init__(self, value, is_variable, begin, end):
        self.value, self.begin, self.end = value, begin, end
        parts = units(value)
        self.first, self.last = parts[0] == b"*", parts[-1] == b"*"
        self.middle = b"*" in parts[1:-1]
        self.wild = self.first or self.last or self.middle
        bare = value[self.first:len(value) - self.last if self.last else None]
        if self.middle:
            self.kinds = [DICTIONARY if is_variable else None]
        elif not self.wild:
            self.kinds = [kind_of(bare) if is_variable else None]
        else:
            self.kinds = [DICTIONARY]
            if not is_variable or kind_of(bare) != DICTIONARY:
                self.kinds += [None] * (not is_variable) + [INTEGER] * bool(re.fullmatch(rb"[-0-9]*", bare)) + \
                    [FLOAT] * bool(re.fullmatch(rb"[-.0-9]*", bare))


def _pieces(pattern):
    parts, at = units(pattern), 0
    positions = [0, *itertools.accumulate(map(len, parts))]
    within = [part in (b"*", b"?") or part[-1] in _TOKEN for part in parts]
    while True:
        while at < len(parts) and not within[at]:
            at += 1
        end = at
        while end < len(parts) and within[end]:
            end += 1
        if end == at:
            return
        token = b"".join(parts[at:end])
        is_variable = _looks_variable(token, at > 0 and parts[at - 1] == b"=" and not re.match(rb"[^A-Za-z]*\*", token))
        if is_variable or b"*" in parts[at:end]:
            yield _Piece(token, is_variable, positions[at], positions[end])
        at = end


def _constant(part):
    """A run of the pattern as it is looked for in log types: escaped once more, but not where a
    wildcard or the end of the run follows, and placeholders otherwise than backslashes."""
    out = bytearray()
    for i, c in enumerate(part):
        if c in ESCAPED:
            if i + 1 < len(part) and part[i + 1] not in b"*?":
                out.append(0x5C)
            elif c != 0x5C:
                out += b"\\\\"
        out.append(c)
    return bytes(out)


def finds(pattern, text, ignore_case=False):
    """Whether clp-s finds this text by this pattern."""
    log_type, variables = stored(text)
    search = _stars(pattern)
    pieces = list(_pieces(search))
    for kinds in itertools.product(*(piece.kinds for piece in pieces)):
        wanted, checks, at, wanted_variables = b"", False, 0, []
        for piece, kind in zip(pieces, kinds):
            wanted += _constant(search[at:piece.begin])
            at = piece.end
            if piece.value == b"*":
                wanted += b"*"
            elif piece.middle:
                checks = True
                wanted += b"*" if kind is None else b"*\x12*"
            elif kind is None:
                wanted += _constant(piece.value)
            else:
                checks = True
                wanted += b"*" * piece.first + bytes((kind,)) + b"*" * piece.last
                if not piece.wild or kind == DICTIONARY:
                    wanted_variables.append((kind, piece.value))
        wanted += _constant(search[at:])
        if wanted == b"*":
            return matches(pattern, text, ignore_case)
        if not matches(wanted, log_type, ignore_case):
            continue
        rest = iter(variables)
        if all(any(kind == k and matches(value, v, ignore_case) for k, v in rest) for kind, value in wanted_variables) and \
                (not checks or matches(pattern, text, ignore_case)):
            return True
    return False
