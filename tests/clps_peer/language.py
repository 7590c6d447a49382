"""The query language in its default meaning: text to tree, or an error with its place."""
import dataclasses
import enum
import re
from fractions import Fraction

from . import instants


class QueryError(Exception):
    def __init__(self, at, message):
        super().__init__(f"column {at + 1}: {message}")
        self.at = at


class Wild(enum.Enum):
    RUN = "* in a pattern"
    ONE = "? in a pattern"
    STEPS = "* in a path"


_PLAIN = {c: c for c in '\\"{}()<>@$!#*?:'} | {"t": "\t", "r": "\r", "n": "\n"}
_SPACE = " \t\r\n"
_ENDS_WORD = set('\\():<>"{}' + _SPACE)
_WORD_ESCAPES = set('trn\\():<>"*?{}.@$!#')


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str  # ( ) { } : , quoted word and or not range time
    text: str
    at: int
    end: int


def _word_end(text, at):
    start = at
    while at < len(text):
        if text[at] == "\\":
            if text[at + 1:at + 2] in _WORD_ESCAPES and at + 1 < len(text):
                at += 2
            elif re.match(r"\\u[0-9a-fA-F]{4}", text[at:]):
                at += 6
            elif at > start:
                break
            else:
                raise QueryError(at, "an unknown escape")
        elif text[at] in _ENDS_WORD:
            break
        else:
            at += 1
    return at


def lex(text):
    tokens, at = [], 0
    while at < len(text):
        c = text[at]
        if c in _SPACE:
            at += 1
            continue
        if c == '"':
            found = re.compile(r'"(?:\\.|[^"\\])*"', re.DOTALL).match(text, at)
            if not found:
                raise QueryError(at, "quotes without an end")
            kind, end = "quoted", found.end()
        elif c in "():{}":
            kind, end = c, at + 1
        elif c in "<>":
            kind, end = "range", at + 1 + (text[at + 1:at + 2] == "=")
        else:
            end = _word_end(text, at)
            word = text[at:end]
            kind = word.lower() if word.isascii() and word.lower() in ("and", "or", "not") else "," if word == "," else "word"
            if word in ("timestamp", "date") and text[end:end + 1] == "(":
                kind, end = "time", end + 1
        tokens.append(Token(kind, text[at:end], at, end))
        at = end
    return tokens


def unescape(text, at, key=False, quoted=False):
    """A list of characters that stand for themselves (`("", c)`) and of those with a meaning (`(c, "")`)."""
    out, i = [], 0
    while i < len(text):
        if text[i] != "\\":
            out.append((text[i], ""))
            i += 1
            continue
        c = text[i + 1:i + 2]
        if c == "u":
            found = re.match(r"\\u([0-9a-fA-F]{4})", text[i:])
            if not found:
                raise QueryError(at + i, "an unfinished \\u")
            point, used = int(found[1], 16), 6
            low = re.match(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})", text[i + 6:])
            if 0xD800 <= point < 0xDC00 and low:
                point, used = 0x10000 + ((point - 0xD800) << 10) + int(low[1], 16) - 0xDC00, 12
            if 0xD800 <= point < 0xE000:
                raise QueryError(at + i, "half a surrogate pair")
            out.append(("", chr(point)))
            i += used
            continue
        if c in _PLAIN and c:
            out.append(("", _PLAIN[c]))
        elif c == "." and key:
            out.append(("", "."))
        elif c in ("b", "f") and c and quoted:
            out.append(("", {"b": "\b", "f": "\f"}[c]))
        else:
            raise QueryError(at + i, f"an unknown escape \\{c}")
        i += 2
    return out


@dataclasses.dataclass(frozen=True)
class Literal:
    text: str                # unescaped, as typed
    exists: bool = False
    real: Fraction | None = None
    constant: object = ()    # True, False, None; () is none of them
    pattern: tuple = ()      # of characters and Wild, if there is one of these
    instant: int | None = None


@dataclasses.dataclass(frozen=True)
class Filter:
    space: str     # "", @, $, !, #
    path: tuple    # of keys and Wild.STEPS
    operator: str  # : < <= > >=
    literal: Literal


def literal(token):
    quoted = token.kind == "quoted"
    marked = unescape(token.text[1:-1] if quoted else token.text, token.at, quoted=quoted)
    text = "".join(a + b for a, b in marked)
    pattern = []
    for bare, plain in marked:
        special = {"*": Wild.RUN, "?": Wild.ONE}.get(bare)
        if special != Wild.RUN or pattern[-1:] != [Wild.RUN]:
            pattern.append(special or bare + plain)
    if pattern == [Wild.RUN]:
        return Literal(text, exists=True)
    if Wild.RUN in pattern or Wild.ONE in pattern:
        return Literal(text, pattern=tuple(pattern))
    constants = {"true": True, "false": False, "null": None}
    if text in constants:
        return Literal(text, constant=constants[text])
    return Literal(text, real=number(text))


def number(text):
    if re.fullmatch(r"[-+]?[0-9]+", text):
        return Fraction(int(text))
    if re.fullmatch(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?", text):
        value = float(text)
        return None if abs(value) == float("inf") else Fraction(value)
    return None


def key(tokens):
    """Namespace and path of one token, or of tokens that stand without blanks around `""`."""
    marked = []
    for token in tokens:
        if token.text == '""':
            marked.append(("", ""))  # the empty key
        else:
            quoted = token.kind == "quoted"
            marked += unescape(token.text[1:-1] if quoted else token.text, token.at, key=True, quoted=quoted)
    space = ""
    if marked and marked[0][0] in tuple("@$!#"):
        space = marked.pop(0)[0]
    parts = [[]]
    for one in marked:
        if one == (".", ""):
            parts.append([])
        else:
            parts[-1].append(one)
    path = []
    for part in parts:
        if not part or (("", "") in part and len(part) > 1):
            raise QueryError(tokens[0].at, "an empty key")
        if part == [("*", "")]:
            if path[-1:] != [Wild.STEPS]:
                path.append(Wild.STEPS)
        else:
            path.append("".join(a + b for a, b in part))
    return space, tuple(path)


def parse_key(text):
    """A key as `--projection` takes it: the whole text, blanks too."""
    return key([Token("word", text, 0, len(text))])


def _join(operator, children):
    return children[0] if len(children) == 1 else (operator, *children)


class Parser:
    """`ordered` says of a literal that is neither number nor time whether it can be a bound."""

    def __init__(self, text, ordered=lambda literal: False):
        self.text, self.tokens, self.i, self.ordered = text, lex(text), 0, ordered

    def peek(self, ahead=0):
        i = self.i + ahead
        return self.tokens[i] if i < len(self.tokens) else Token("end", "", len(self.text), len(self.text))

    def take(self, *kinds):
        token = self.peek()
        if token.kind not in kinds:
            raise QueryError(token.at, f"{token.text or 'the end'}, where {' or '.join(kinds)} was expected")
        self.i += 1
        return token

    def whole(self):
        tree = self.query(None)
        self.take("end")
        return tree

    def query(self, prefix):
        children = [self.all(prefix)]
        while self.peek().kind == "or":
            self.i += 1
            children.append(self.all(prefix))
        return _join("or", children)

    def all(self, prefix):
        children = [self.one(prefix)]
        while self.peek().kind == "and":
            self.i += 1
            children.append(self.one(prefix))
        return _join("and", children)

    def one(self, prefix):
        if self.peek().kind == "not":
            self.i += 1
            return "not", self.one(prefix)
        if self.peek().kind == "(":
            self.i += 1
            tree = self.query(prefix)
            self.take(")")
            return tree
        first = self.take("word", "quoted")
        tokens = [first]
        while self.peek().kind in ("word", "quoted") and self.peek().at == tokens[-1].end \
                and '""' in (self.peek().text, tokens[-1].text):
            tokens.append(self.take("word", "quoted"))
        after = self.peek()
        if after.kind not in (":", "range"):
            if len(tokens) > 1:
                raise QueryError(tokens[1].at, "two literals side by side")
            return self.filter(prefix, ("", (Wild.STEPS,)), ":", literal(first))
        self.i += 1
        place = key(tokens)
        if prefix is not None and place[0]:
            raise QueryError(first.at, "a namespace within braces")
        if after.kind == "range":
            value = self.value()
            if value.real is None and value.instant is None and not self.ordered(value):
                raise QueryError(after.at, "a range of something without order")
            return self.filter(prefix, place, after.text, value)
        if self.peek().kind == "{":
            self.i += 1
            inner = place if prefix is None else (prefix[0], prefix[1] + place[1])
            tree = self.query(inner)
            self.take("}")
            return tree
        if self.peek().kind == "(":
            return self.list(prefix, place)
        return self.filter(prefix, place, ":", self.value())

    def filter(self, prefix, place, operator, value):
        space, path = place if prefix is None else (prefix[0], prefix[1] + place[1])
        single = tuple(step for i, step in enumerate(path) if step != Wild.STEPS or path[i - 1:i] != (Wild.STEPS,))
        return "filter", Filter(space, single, operator, value)

    def value(self):
        if self.peek().kind != "time":
            return literal(self.take("word", "quoted"))
        start = self.take("time")
        text = self.take("quoted")
        pattern = None
        if self.peek().kind == ",":
            self.i += 1
            pattern = self.take("quoted").text[1:-1]
        self.take(")")
        inside = "".join(a + b for a, b in unescape(text.text[1:-1], text.at, quoted=True))
        ns = instants.of_text(inside) if pattern is None else instants.match(pattern, inside)
        if ns is None:
            raise QueryError(start.at, "no time")
        return Literal(inside, instant=ns)

    def list(self, prefix, place):
        self.take("(")
        operator = self.take("and", "or", "not").kind if self.peek().kind in ("and", "or", "not") else None
        items = [self.item(prefix, place)]
        infix = None
        while self.peek().kind != ")":
            between = self.take("and", "or").kind if self.peek().kind in ("and", "or") else ""
            if (between and operator) or infix not in (None, between):
                raise QueryError(self.peek().at, "operators mixed in a list")
            infix = between
            items.append(self.item(prefix, place))
        self.take(")")
        joined = _join("and" if "and" in (operator, infix) else "or", items)
        return ("not", joined) if operator == "not" else joined

    def item(self, prefix, place):
        if self.peek().kind == "(":
            return self.list(prefix, place)
        return self.filter(prefix, place, ":", literal(self.take("word", "quoted")))


def parse(text):
    return Parser(text).whole()
