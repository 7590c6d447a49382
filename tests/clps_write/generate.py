"""Random inputs with everything that the writer has a rule for. The same seed gives the same ones."""
import json

from clps_peer import generate
from clps_peer.generate import Shape

BIG = ["9223372036854775808", "18446744073709551615", "18446744073709551616", "-9223372036854775809", "-0", "1" + "0" * 40, "-" + "9" * 60]
EDGES = ["9223372036854775807", "-9223372036854775808", "0", "-1", "4611686018427387904", "9007199254740993"]
SPELLINGS = ["1e400", "-1E+400", "0e0", "-0.0", "-0e-0", "1.000000000000000000001", "5e-324", "1e-400", "0.1e1", "12.34e5", "1e0005", "1e00005",
             "0.00001", "1.50", "00".join(["1.", "1"]), "123456789012345678.0", "1E+05", "1.7976931348623157e308", "-2.5E-03", "100.0", "0.30"]
KEYS = ["", "a.b", "a\\b", "\\", "é", "東京", "😀", "k\"q", "tab\t", "\u0000", "\u001f", "\x7f", "@at", "$d", "!", "#h", "*", "?", "log_event_idx",
        "_unparsed", "x" * 300, "\u2028", "a.b.c\\.d", "_filename", "timestamp"]
STRINGS = ["", " ", "a", "a b", "\u0000", "\u0011", "\u0012 \u0013", "\\ \\", "\\", "=a1", "=a b=c9", "-0 x", "007 x", "9223372036854775808 x",
           "-9223372036854775808 -1 x", "0.0 .5 5. x", "1.2.3 x", "9999999999.999999 x", "12345678901234567.5 x", "deadbeef x", "é1é x", "1 " * 30,
           "\t1\t2", "+1 x", "-.5 x", "-.5e3 x", "x=12 y=0x1f", "C:\\dir1\\x 2", "\x7f \x80 1", "\"quoted\" 3", "/a/b 4", "\ufeffx y", "\ufffd z",
           "4611686018427387904 x", "1" * 400, "a b " * 200]
TIMES = ["2024-01-02T03:04:05.{ms:03}Z", "2024-01-02T03:04:{s:02}Z", "2024-01-02 03:04:{s:02},{ms:03}", "2024/01/02 03:04:{s:02}",
         "2024-01-02T03:04:{s:02}.{ms:03}456+05:30", "2024-01-02T03:04:{s:02}.{ms:03}456789 UTC-0800", "02 Jan 2024 03:04:{s:02}.{ms:03}",
         "Tue Jan  2 03:04:{s:02} 2024", "Jan 02, 2024  3:04:{s:02} PM", "[02/Jan/2024:03:04:{s:02}", "240102 13:04:{s:02}",
         "[20240102-03:04:{s:02}]", "<<<2024-01-02 03:04:{s:02}:{ms:03}", "01-02 03:04:{s:02}.{ms:03}", "1970-01-01 00:00:{s:02}"]
# No pattern prints these again, or not in all versions.
ODD_TIMES = ["2024-01-02T03:04:05.1{s:01}0Z", "9999-12-31 23:59:{s:02}", "2024-02-30 00:00:{s:02}", "2024-01-02T03:04:60Z", "Mon Jan  2 03:04:05 2024",
             "yesterday", "", "not now {s}", "0001-01-01T00:00:00Z", "170425000{s}", "170425000{s}.25", "007", "2024-01-02T03:04:{s:02}.5Z trailing",
             "2024-01-02 03:04:{s:02} UTC", "1677-09-21 00:12:43", "2262-04-11 23:47:17.9", "{s}.500"]
NUMBER_TIMES = ["170425000{s}", "170425000{s}123", "170425000{s}123456", "170425000{s}123456789", "-{s}", "0", "170425000{s}.5", "170425000{s}.500",
                "170425000{s}.50", "1e9", "-0.5", "10000000000", "9223372036854775807", "1" + "0" * 25, "-0", "1704250003.123456789"]


class Documents(generate.Documents):
    """Texts of documents. `duplicates`: how often a member comes again; `containers`: arrays and objects under the empty key also
    within arrays; `surrogates`: halves of pairs; `far`: floats beyond binary64."""

    def __init__(self, random, *, times=False, depth=4, duplicates=0.0, containers=True, surrogates=False, far=True):
        super().__init__(random, Shape(times=times, fresh=True, depth=depth))
        self.keys = list(dict.fromkeys(self.keys + random.sample(KEYS, 7)))
        self.duplicates, self.containers, self.surrogates, self.far = duplicates, containers, surrogates, far

    def blank(self):
        return self.random.choice(["", "", "", " ", "\t", "\r\n", "\n  "])

    def spelled(self, text):
        """A string as JSON, escapes chosen by chance."""
        out = '"'
        for c in text:
            kind = self.random.random()
            if kind < 0.03 and c == "/":
                out += "\\/"
            elif kind < 0.03 and ord(c) <= 0xFFFF:
                out += self.random.choice(["\\u%04x", "\\u%04X"]) % ord(c)
            elif c in '"\\' or c < " ":
                out += json.dumps(c)[1:-1]
            else:
                out += c if kind < 0.9 else json.dumps(c)[1:-1]
        if self.surrogates and self.random.random() < 0.05:
            out += self.random.choice(["\\ud800", "\\uDFFF", "\\ud83dx"])
        return out + '"'

    def scalar(self):
        kind = self.random.random()
        if kind < 0.08:
            return self.random.choice(BIG)
        if kind < 0.15:
            return self.random.choice(EDGES)
        if kind < 0.25:
            return self.random.choice(SPELLINGS if self.far else SPELLINGS[2:])
        if kind < 0.45:
            return self.spelled(self.random.choice(STRINGS))
        return super().scalar()

    def array(self, depth):
        items = [self.blank() + self.value(depth - 1, within_array=True) + self.blank() for _ in range(self.random.choice([0, 1, 1, 2, 3, 5]))]
        return "[" + (",".join(items) if items else self.blank()) + "]"

    def object(self, depth, within_array=False, first=()):
        members = list(first)
        for name in self.random.sample(self.keys, min(len(self.keys), self.random.choice([0, 1, 2, 3, 4, 6]))):
            if name not in dict(first):
                below = 0 if within_array and name == "" and not self.containers else depth - 1
                members += [(name, self.value(below, within_array)) for _ in range(2 if self.random.random() < self.duplicates else 1)]
        self.random.shuffle(members)
        blank = self.blank
        return "{" + ",".join(f"{blank()}{self.spelled(name)}{blank()}:{blank()}{value}{blank()}" for name, value in members) + "}"

    def time(self):
        kind, second, ms = self.random.random(), self.random.randrange(10, 60), self.random.choice([0, 1, 120, 500, 999])
        if kind < 0.15:
            return self.random.choice(NUMBER_TIMES).format(s=second)
        if kind < 0.25:
            return self.value(1)
        pattern = self.random.choice(TIMES[:3] if kind < 0.6 else TIMES if kind < 0.85 else ODD_TIMES)
        return json.dumps(pattern.format(s=second, ms=ms))

    def input(self, count):
        """So many documents as one text: a line each, or several, or over several lines."""
        between = self.random.choice(["\n", "\n", "\r\n", " ", "", "\n\n \t"])
        text = between.join(document if between != "\n" or self.random.random() < 0.5 else document.replace("\n", " ").replace("\r", " ")
                            for document in self.documents(count))
        return self.random.choice(["", "", "\n", "  "]) + text + self.random.choice(["\n", ""])
