"""Writes clp-s archives by `fonds convert --to clp-s`, and what its inputs should come back as."""
import dataclasses
import json
import re
from pathlib import Path

from clps_peer.records import Number, Object
from program import fonds

VERSIONS = ("0.5.0", "0.4.1", "0.3.1")


@dataclasses.dataclass(frozen=True)
class Options:
    version: str = "0.5.0"
    single_file: bool = True
    structurize_arrays: bool = False
    log_order: bool = True
    retain_float_format: bool = True
    timestamp_key: str | None = None
    min_table_size: int | None = None
    target_encoded_size: int | None = None
    level: int | None = None
    threads: int | None = None
    more: tuple = ()

    def words(self):
        words = ["--to", "clp-s" if self.version == "0.5.0" else f"clp-s/{self.version}"]
        for wanted, name in ((not self.single_file, "directory"), (self.structurize_arrays, "structurize-arrays"),
                             (not self.log_order, "disable-log-order"), (not self.retain_float_format, "no-retain-float-format")):
            words += [f"--{name}"] if wanted else []
        for name in ("timestamp_key", "min_table_size", "target_encoded_size", "level", "threads"):
            value = getattr(self, name)
            words += [] if value is None else ["--" + name.replace("_", "-"), str(value)]
        return words + [str(word) for word in self.more]

    @property
    def keeps_floats(self):
        return self.retain_float_format and self.version != "0.3.1"

    def __str__(self):
        """For the names of tests."""
        given = [self.version, "file" if self.single_file else "directory"]
        for field in dataclasses.fields(self)[2:]:
            value = getattr(self, field.name)
            if value != field.default:
                given.append(field.name if isinstance(value, bool) else f"{field.name}={value}")
        return " ".join(given)


def convert(out, inputs, options=Options(), **run):
    """The finished process."""
    return fonds("convert", "--no-progress", *options.words(), "-o", out, *inputs, **run)


def write(out, inputs, options=Options(), **run):
    """Writes an archive that must succeed, and returns its path."""
    done = convert(out, inputs, options, **run)
    assert done.returncode == 0, (done.stdout, done.stderr)
    return Path(out)


# --- what comes back ---

_WHITE = re.compile(r"\s*")
_decoder = json.JSONDecoder(object_pairs_hook=Object, parse_int=Number, parse_float=Number, strict=False)


def documents(text):
    """All values of a text that is one document after the other."""
    at, found = _WHITE.match(text).end(), []
    while at < len(text):
        value, at = _decoder.raw_decode(text, at)
        found.append(value)
        at = _WHITE.match(text, at).end()
    return found


class Expected:
    """What a document comes back as: by docs/formats/clp-s.md, "Writing"."""

    def __init__(self, options):
        self.options = options

    def text(self, text):
        """Surrogates without their other half cannot be written as UTF-8."""
        return re.sub("[\ud800-\udfff]", "\ufffd", text)

    def number(self, number):
        """The text of it."""
        real = any(mark in number for mark in ".eE")
        if not real and number != "-0" and -2**63 <= int(number) < 2**63:
            return str(number)
        if real and self.options.keeps_floats or not real and self.options.version != "0.3.1":
            return str(number)
        return f"{float(number):f}"

    def value(self, value, unstructured=False):
        """A value whose parts can be compared by ==, whatever the order of keys."""
        if isinstance(value, Object):
            members = [(self.key(name, unstructured), self.value(member, unstructured)) for name, member in value]
            if unstructured:  # is copied, duplicates included
                return "object", tuple(sorted(members, key=repr))
            return "object", tuple(sorted(dict(members).items(), key=repr))
        if isinstance(value, list):
            copied = unstructured or not self.options.structurize_arrays or has_empty_container(value)
            return "array", tuple(self.value(item, copied) for item in value)
        if isinstance(value, Number):
            return "number", str(value) if unstructured else self.number(value)
        if isinstance(value, str):
            return "string", value if unstructured else self.text(value)
        return type(value).__name__, str(value)

    def key(self, name, unstructured):
        return name if unstructured else self.text(name)


class AsItIs(Expected):
    """Values that came back, to be compared with expected ones."""

    def __init__(self):
        super().__init__(Options())

    def value(self, value, unstructured=True):
        return super().value(value, True)


def has_empty_container(value):
    """Whether an object within an array has a container under the empty key: the whole array is then kept as its text."""
    if isinstance(value, Object):
        return any(name == "" and isinstance(member, (Object, list)) or has_empty_container(member) for name, member in value)
    return isinstance(value, list) and any(map(has_empty_container, value))


def expected(text, options):
    expect = Expected(options)
    return [expect.value(document) for document in documents(text)]


def came_back(printed):
    """The values of documents that a decompressor prints, each followed by a line end. One may have more of them: arrays are texts,
    copied from the input."""
    assert printed == b"" or printed.endswith(b"\n")
    as_it_is = AsItIs()
    return [as_it_is.value(document) for document in documents(printed.decode())]


def any_order(values):
    return sorted(values, key=repr)
