"""Random JSON documents and queries about them. The same seed gives the same ones.

Documents share few keys and values, so that one key has several types and queries find some records
but not all. What the real clp-s cannot store (duplicate keys, numbers out of range, containers with
the empty key within structured arrays) does not occur."""
import dataclasses
import json

from .records import Number, Object

WORDS = "INFO WARN error x y red deep hello alice null true false and not deadbeef cafe 42 42.0 042 +42 1e3 2024-03-01".split()
ODD_WORDS = ["", "a*b", "a?b", "a\\b", "a\\*b", "*", "?", "tab\there", 'say"hi"', "k:v", "(x)", "{y}", "<z>", "C:\\temp", "user=bob7",
             "x.y", "/dev/sda1", "line1\nline2", "\x11\x12\x13", "\\", "ends\\", "ab\\\\"]
UNICODE_WORDS = ["ünïcode", "ÜNÏCODE", "東京", "😀", "ǅ", "straße", "Σ", "σς", "Ⱥ", "İ", "\u2028", "ﬁ"]
INTEGERS = ["0", "1", "-1", "2", "3", "7", "42", "-42", "100", "1000", "9007199254740993", "9223372036854775807", "-9223372036854775808"]
FLOATS = ["0.0", "-0.0", "1.0", "1.5", "2.0", "42.0", "42.5", "-42.0", "0.1", "1e3", "1E3", "1.0e+3", "1e-7", "0.10", "100.0", "1e300",
          "5e-324", "9007199254740993.0", "9223372036854775807.0", "9223372036854775808.0", "1.7976931348623157e308", "1e19",
          "123456789012345678.25", "-2.5E-03"]
TEXTS = ["took {i} ms", "took {f} ms", "duration: {f} ms, {i} rows", "user alice logged in from 10.0.{i}.1", "id={h} done", "two words",
         "Two Words", "job {i} failed after {i} attempts", "at {h}-{i} x", "a b", " ", " x", "x ", "v1.{i}.3 is out", "{i} {i} {f}",
         "path /a/b{i}/c.log", "code 0x1F{i} hit", "say \"hi {i}\"", "C:\\dir{i} \\x", "k={h} =a", "[{i}] (x) {h}", "-{i} -{f} +{i}", "? * {i}",
         "null true {i}"]
ODD_TEXTS = ["\x11 \x12 {i}", "\x13{f} {h}"]
UNICODE_TEXTS = ["naïve café {i}", "NAÏVE CAFÉ {i}", "ключ={i} x", "東京 {f} 😀", "é{i} ß"]
IN_TEXT_INTEGERS = ["0", "1", "7", "12", "125", "1250", "007", "4611686018427387904", "9223372036854775807", "9223372036854775808"]
IN_TEXT_FLOATS = ["1.25", "12.5", "0.5", ".5", "125.", "00.10", "3.141592653589793", "1.2.3", "9999999999.999999"]
HEX = ["cafe", "dead7", "a1b2", "x9", "zz", "77", "F", "beef"]
NAMESPACES = ['$_filename: "in-0.jsonl"', "$_filename: *1.json?", "$_file_split_number: 0", "$_file_split_number > 0", "$nosuch: *", "$*: 0",
              "$_filename: *", "@a: *", "@*: *", "!a: *", "#*: *", "log_event_idx: 0", "$_filename.x: *", '$_filename: (in-0.jsonl "in-1*")']
KEYS = ["a", "b", "c", "d", "level", "msg"]
ODD_KEYS = ["key with space", "a.b", "*", "k*y", "k?y", "@at", "$d", "!x", "#h", "not", "k:y", 'q"t', "b\\s", "tab\tkey", "(p)", "log_event_idx"]
UNICODE_KEYS = ["ключ", "é"]
TIMES = ["2024-03-01T00:00:{s:02}.{ms:03}Z", "2024-03-01T00:00:{s:02}Z", "2024-03-01 00:00:{s:02}.{ms:03}",
         "2024-03-01T02:00:{s:02}.{ms:03}+02:00", "2024/03/01 00:00:{s:02}", "01 Mar 2024 00:00:{s:02},{ms:03}"]


@dataclasses.dataclass(frozen=True)
class Shape:
    """What may occur. All of it is right in our meaning; what the original answers in a way of its own
    can be left out."""
    arrays: bool = True
    empty_keys: bool = True
    unicode: bool = True
    odd_words: bool = True
    times: bool = False          # a timestamp column `ts`
    negation: bool = True
    any_key: bool = True
    inner_wildcards: bool = True  # within tokens; without it only whole tokens are replaced
    ranges: bool = True
    far_numbers: bool = True     # near and beyond the limits of int64 and binary64
    errors: bool = True          # queries that may be wrong
    mixed: bool = True           # and beside or without parentheses
    exists: bool = True          # the value `*`
    nulls: bool = True           # the value null
    namespaces: bool = True      # keys that begin with @ $ ! #
    fresh: bool = False          # values that occur once, of any spelling, instead of few that occur often
    depth: int = 3


class Documents:
    def __init__(self, random, shape):
        self.random, self.shape = random, shape
        keys = KEYS + ODD_KEYS + (UNICODE_KEYS if shape.unicode else []) + ([""] if shape.empty_keys else [])
        self.keys = list(dict.fromkeys(random.sample(KEYS, 4) + random.sample(keys, 4)))

    def text(self):
        template = self.random.choice(TEXTS + (ODD_TEXTS if self.shape.odd_words else []) +
                                      (UNICODE_TEXTS if self.shape.unicode else []))
        while "{" in template:
            for mark, values in (("{i}", IN_TEXT_INTEGERS), ("{f}", IN_TEXT_FLOATS), ("{h}", HEX)):
                template = template.replace(mark, self.random.choice(values), 1)
        return template

    def word(self):
        kind = self.random.random()
        if kind < 0.2 and self.shape.odd_words:
            return self.random.choice(ODD_WORDS)
        if kind < 0.35 and self.shape.unicode:
            return self.random.choice(UNICODE_WORDS)
        return self.random.choice(WORDS)

    def fresh(self):
        kind, digits = self.random.random(), lambda most: "".join(self.random.choices("0123456789", k=self.random.randint(1, most)))
        if kind < 0.2:
            return str(self.random.choice([1, -1]) * self.random.getrandbits(self.random.randint(1, 63)))
        if kind < 0.5:
            sign, whole = self.random.choice(["", "-"]), str(int(digits(self.random.choice([1, 3, 18]))))
            point = "." + digits(self.random.choice([1, 3, 18])) if self.random.random() < 0.8 else ""
            exponent = self.random.choice("eE") + self.random.choice(["", "+", "-"]) + digits(2) if not point or self.random.random() < 0.3 else ""
            return sign + whole + point + exponent
        alphabet = self.random.choice(["abc 019", "01239.-+ ", "ab =\\\"'/_:", "é東😀 1\u2028", "\x00\x01\x1f\x7f \t", "0123456789abcdef -", "a\x11\x12\x13 \\1"])
        text = "".join(self.random.choices(alphabet, k=self.random.choice([1, 2, 5, 12, 40])))
        return json.dumps(text, ensure_ascii=self.random.random() < 0.2)

    def scalar(self):
        kind = self.random.random()
        if self.shape.fresh and self.random.random() < 0.6:
            return self.fresh()
        if kind < 0.22:
            return self.random.choice(INTEGERS if self.shape.far_numbers else INTEGERS[:10])
        if kind < 0.37:
            return self.random.choice(FLOATS if self.shape.far_numbers else FLOATS[:12])
        if kind < 0.45:
            return self.random.choice(["true", "false"])
        if kind < 0.52:
            return "null"
        return json.dumps(self.word() if kind < 0.75 else self.text(), ensure_ascii=self.random.random() < 0.1)

    def array(self, depth):
        items = [self.value(depth - 1, within_array=True) for _ in range(self.random.choice([0, 1, 1, 2, 3, 4]))]
        blank = self.random.choice(["", " "])
        return "[" + ("," + blank).join(items) + "]"

    def object(self, depth, within_array=False, first=()):
        count = self.random.choice([0, 1, 2, 3, 4] if depth < self.shape.depth else [1, 2, 3, 4, 6])
        names = [name for name in self.random.sample(self.keys, min(len(self.keys), count)) if name not in dict(first)]
        members = list(first) + [(name, self.value(0 if within_array and name == "" else depth - 1, within_array)) for name in names]
        return "{" + ",".join(json.dumps(name, ensure_ascii=False) + ":" + value for name, value in members) + "}"

    def value(self, depth, within_array=False):
        kind = self.random.random()
        if depth > 0 and kind < 0.2:
            return self.object(depth, within_array)
        if depth > 0 and kind < 0.35 and self.shape.arrays:
            return self.array(depth)
        return self.scalar()

    def time(self):
        kind, second, ms = self.random.random(), self.random.randrange(60), self.random.choice([0, 1, 120, 500, 999])
        if kind < 0.2:
            return str(1709251200000 + second * 1000 + ms)
        if kind < 0.3:
            return str(1709251200 + second)
        if kind < 0.35:
            return f"{1709251200 + second}.25"
        if kind < 0.4:
            return self.random.choice(["null", '{"x":1}', "true"])
        return '"' + self.random.choice(TIMES).format(s=second, ms=ms) + '"'

    def documents(self, count, first_number=0):
        out = []
        for number in range(first_number, first_number + count):
            first = [("doc", f'"d{number:03}"')]
            if self.shape.times and self.random.random() < 0.85:
                first.append(("ts", self.time()))
            out.append(self.object(self.shape.depth, first=first))
        return out


def leaves(value, path=()):
    """Pairs of path and value, arrays transparent; containers too."""
    if path:
        yield path, value
    if isinstance(value, Object):
        for name, member in value:
            yield from leaves(member, path + (name,))
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, path) if path else ()


_NAMED = {"\t": "\\t", "\r": "\\r", "\n": "\\n"}


def _spell(random, characters, special):
    """A token of the language for characters; those with a meaning are given as `(c,)`."""
    text, quoted = "", random.random() < 0.4
    for i, c in enumerate(characters):
        if isinstance(c, tuple):
            text += c[0]
            continue
        if c in _NAMED:
            text += _NAMED[c]
        elif c < " ":
            text += f"\\u{ord(c):04x}"
        elif c in '"\\' or c in special(i):
            text += "\\" + c
        elif c in "(){}<>":
            quoted = quoted or random.random() < 0.5
            text += "\\" + c
        else:
            quoted = quoted or c in " :"
            text += c if random.random() < 0.99 or ord(c) > 0xFFFF else f"\\u{ord(c):04X}"
    quoted = quoted or not text or text.lower() in ("and", "or", "not") or text == ","
    return f'"{text}"' if quoted else text


def _step(step, first):
    """A token of a path for a key; None is the wildcard."""
    if step is None:
        return "*"
    if step == "":
        return '""'
    text = ""
    for i, c in enumerate(step):
        if c in '\\"(){}<>.?' or (c == "*" and step == "*") or (c in "@$!#" and first and i == 0):
            text += "\\"
        text += _NAMED.get(c, c)
    return text


def spell_key(path):
    """A path as `--projection` takes it."""
    return ".".join(_step(step, i == 0) for i, step in enumerate(path))


class Queries:
    def __init__(self, random, shape, documents):
        self.random, self.shape = random, shape
        self.pairs = [pair for document in documents for pair in leaves(document)
                      if (self.shape.empty_keys or "" not in pair[0]) and (pair[0] != ("doc",) or random.random() < 0.1)]

    def key(self, path):
        path = list(path)
        kind = self.random.random()
        if kind < 0.1:
            start = self.random.randrange(len(path))
            path[start:start + self.random.randint(0, 2)] = [None]
        elif kind < 0.14:
            path[self.random.randrange(len(path))] = self.random.choice(KEYS + ["nosuch"])
        elif kind < 0.16:
            path.append(self.random.choice(KEYS))
        path = [step for i, step in enumerate(path) if step is not None or path[i - 1:i] != [None] or i == 0]
        if path == [None] and not self.shape.any_key:
            path = ["nosuch"]
        return f'"{spell_key(path)}"' if self.needs_quotes(path) else spell_key(path)

    def needs_quotes(self, path):
        whole = "".join(step or "" for step in path)
        if "" in path:
            return False
        return any(c in whole for c in " :") or self.random.random() < 0.15 or \
            (len(path) == 1 and whole.lower() in ("and", "or", "not"))

    def pattern(self, text):
        """Characters of `text`, some made wildcards."""
        characters = list(text)
        for _ in range(self.random.choice([1, 1, 1, 2, 3])):
            if self.shape.inner_wildcards:
                at = self.random.randint(0, len(characters))
                kind = self.random.random()
                if kind < 0.35:
                    characters[at:at + self.random.choice([0, 1, 2, 3, 30])] = [("*",)]
                elif kind < 0.45:
                    characters[:at] = [("*",)]
                else:
                    characters[at:at + 1] = [("?",)]
            else:
                blanks = [i for i, c in enumerate(characters) if c == " "]
                if not blanks:
                    characters = [("*",)]
                    break
                at = self.random.choice(blanks)
                if self.random.random() < 0.5:
                    characters[at + 1:] = [("*",)]
                else:
                    characters[:at] = [("*",)]
        if not self.shape.exists and all(c == ("*",) for c in characters):
            return ["x", ("*",)]
        return characters

    def number(self, text):
        """A number like this one: the same in another spelling, or a neighbour."""
        kind = self.random.random()
        if kind < 0.4:
            return text
        value = float(text)
        choices = ["+" + text.lstrip("-"), f"{value}", f"{value:.1f}" if abs(value) < 1e15 else text, f"{value:e}"]
        if self.shape.far_numbers:
            choices += [f"{value + 0.5}", "9223372036854775808", "-9223372036854775809", "1e308", "18446744073709551616", "1e999", ".5", "5.",
                        "9007199254740993.0", "9007199254740992"]
        if not any(mark in text for mark in ".eE"):
            choices += [str(int(text) + 1), str(int(text) - 1), text + ".0"] if abs(int(text)) < 2**62 else [text + ".0"]
        return self.random.choice(choices)

    def literal(self, value):
        kind = self.random.random()
        if kind < 0.06:
            return "*" if self.shape.exists else "INFO"
        if kind < 0.1:
            return self.random.choice(["null" if self.shape.nulls else "7", "true", "false", "42", '""', "hello", "1"])
        if isinstance(value, Number):
            text = self.number(value)
            return f'"{text}"' if self.random.random() < 0.15 else text
        if isinstance(value, str) and (value != "null" or self.shape.nulls):
            characters = list(value) if self.random.random() < 0.35 else self.pattern(value)
            return _spell(self.random, characters, lambda i: "*?")
        if value is None and self.shape.nulls:
            return "null"
        if isinstance(value, bool):
            return "true" if value else "false"
        return self.random.choice(["*" if self.shape.exists else "hello", "null" if self.shape.nulls else "42", "1", "x*"])

    def time(self):
        second, ms = self.random.randrange(60), self.random.choice([0, 120, 500])
        kind = self.random.random()
        if kind < 0.2:
            return str(1709251200000 + second * 1000 + ms) if kind < 0.1 else str(1709251200 + second)
        function = "date" if self.shape.errors and kind < 0.23 else "timestamp"
        if kind < 0.3:
            return f'{function}("01/03/2024 00:00:{second:02}", "\\d/\\m/\\Y \\H:\\M:\\S")'
        if kind < 0.4:
            return f'{function}("{1709251200000 + second * 1000 + ms}")'
        return f'{function}("' + self.random.choice(TIMES).format(s=second, ms=ms) + '")'

    def filter(self):
        if self.shape.times and self.random.random() < 0.3:
            operator = self.random.choice([":", "<", "<=", ">", ">="])
            return f"ts {operator} {self.time()}" if self.random.random() < 0.9 else 'ts: "2024-03-01*"'
        if self.shape.namespaces and self.random.random() < 0.04:
            return self.random.choice(NAMESPACES)
        path, value = self.random.choice(self.pairs)
        kind = self.random.random()
        if kind < 0.1 and self.shape.any_key:
            literal = self.literal(value)
            return literal if self.random.random() < 0.7 else f"*: {literal}"
        key = self.key(path)
        if kind < 0.35 and self.shape.ranges and isinstance(value, Number):
            return f"{key} {self.random.choice(['<', '<=', '>', '>='])} {self.number(value)}"
        if kind < 0.45:
            others = [self.literal(other) for _, other in self.random.sample(self.pairs, 2)]
            operator = self.random.choice(["", "or ", "and ", "AND "] + (["not "] if self.shape.negation else []))
            return f"{key}: ({operator}{' '.join([self.literal(value)] + others)})"
        if kind < 0.55 and len(path) > 1:
            return self.braces(path, value)
        return f"{key}:{self.random.choice([' ', ''])}{self.literal(value)}"

    def braces(self, path, value):
        at = self.random.randrange(1, len(path))
        inner = [f"{self.key(path[at:])}: {self.literal(value)}"]
        below = [pair for pair in self.pairs if pair[0][:at] == path[:at] and len(pair[0]) > at]
        other, other_value = self.random.choice(below)
        if self.random.random() < 0.5:
            inner.append(f"{self.key(other[at:])}: {self.literal(other_value)}")
        if self.shape.negation and self.random.random() < 0.2:
            inner[0] = "not " + inner[0]
        return self.key(path[:at]) + ": {" + self.random.choice([" and ", " or "]).join(inner) + "}"

    def query(self, depth=2):
        kind = self.random.random()
        if depth == 0 or kind < 0.6:
            return self.filter()
        if kind < 0.7 and self.shape.negation:
            return "not " + self.inner(depth - 1)
        joined, operator = self.inner(depth - 1), None
        for _ in range(self.random.choice([1, 1, 1, 2])):
            if operator is None or self.shape.mixed:
                operator = self.random.choice([" and ", " or ", " AND ", " Or "])
            joined += operator + self.inner(depth - 1)
        return joined

    def inner(self, depth):
        query = self.query(depth)
        return f"({query})" if " " in query and (self.random.random() < 0.7 or not self.shape.mixed) else query

    def damaged(self):
        """A query with an error, perhaps."""
        query = self.query()
        at = self.random.randrange(len(query) + 1)
        return query[:at] + self.random.choice(['"', "(", ")", "{", "}", " ", "and ", "\\", "\\q", ":", "<", " or", ",", "not ", "."]) + \
            query[at + self.random.randint(0, 2):]

    def queries(self, count):
        return [self.damaged() if self.shape.errors and self.random.random() < 0.08 else self.query() for _ in range(count)]
