"""The rules of WARC-Zstandard 1.0 that a writer must keep, checked without any code of fonds.

Frames are walked with struct; python-zstandard decodes them. `broken_rules(data)` gives the names of the rules
(docs/formats/warc-zstandard.md) that a file breaks, as a sorted list, empty for a good file."""
import struct

import zstandard

FRAME, DICTIONARY_FRAME, DICTIONARY = 0xFD2FB528, 0x184D2A5D, 0xEC30A437
LEGACY = {0xFD2FB51E, *range(0xFD2FB522, 0xFD2FB528)}
COMMON = 8 << 20  # bytes of a window and of a dictionary that every reader supports
MOST_BLOCK = 128 << 10


class Frame:
    """A zstd frame at the start of `data`. Raises ValueError with the rule that is broken."""

    def __init__(self, data):
        if len(data) < 6:
            raise ValueError("zs-trunc")
        descriptor = data[4]
        self.single = bool(descriptor & 0x20)
        self.checksum = bool(descriptor & 0x04)
        if descriptor & 0x08:
            raise ValueError("zf-standard")
        at = 5
        self.window = None
        if not self.single:
            exponent, mantissa = data[at] >> 3, data[at] & 7
            self.window = (1 << 10 + exponent) // 8 * (8 + mantissa)
            at += 1
        id_size = (0, 1, 2, 4)[descriptor & 3]
        self.dictionary_id = int.from_bytes(data[at:at + id_size], "little")
        at += id_size
        size_size = (int(self.single), 2, 4, 8)[descriptor >> 6]
        self.content_size = int.from_bytes(data[at:at + size_size], "little") + (256 if size_size == 2 else 0) if size_size else None
        at += size_size
        if self.single:
            self.window = self.content_size
        last = False
        while not last:
            if at + 3 > len(data):
                raise ValueError("zs-trunc")
            header = int.from_bytes(data[at:at + 3], "little")
            last, kind, size = bool(header & 1), header >> 1 & 3, header >> 3
            if kind == 3 or size > min(self.window, MOST_BLOCK):
                raise ValueError("zf-standard")
            at += 3 + (1 if kind == 1 else size)
        at += 4 if self.checksum else 0
        if at > len(data):
            raise ValueError("zs-trunc")
        self.stored = data[:at]

    def content(self, dictionary=None):
        """Decoded as if it had no size and no checksum were asked for: those are rules of their own."""
        decoder = zstandard.ZstdDecompressor(dict_data=dictionary, max_window_size=1 << 31)
        return decoder.decompressobj().decompress(self.stored)


def check_frame(frame, dictionary, broken):
    """The rules of one frame; its content, or None if it cannot be decoded."""
    if frame.content_size is None:
        broken.add("zf-size")
    if not frame.checksum:
        broken.add("zf-checksum")
    if frame.window > COMMON:
        broken.add("zl-window")
    try:
        content = frame.content(dictionary)
    except zstandard.ZstdError as error:
        broken.add("zf-checksum-value" if "checksum" in str(error) else "zf-size-value" if "orrupt" in str(error) else "zf-standard")
        return None
    if frame.content_size not in (None, len(content)):
        broken.add("zf-size-value")
    return content


def check_dictionary(user_data, broken):
    """The dictionary that the first frame holds, or None."""
    if len(user_data) > COMMON:
        broken.add("zl-dict-stored")
    magic = int.from_bytes(user_data[:4], "little")
    if magic == FRAME:
        try:
            frame = Frame(user_data)
        except ValueError:
            broken.add("zd-one-frame")
            return None
        if len(frame.stored) != len(user_data):
            broken.add("zd-one-frame")
        if frame.dictionary_id:
            broken.add("zd-nodict")
            return None
        if frame.content_size is None:
            broken.add("zd-size")
        if not frame.checksum:
            broken.add("zd-checksum")
        if frame.window > COMMON:
            broken.add("zl-window")
        if (frame.content_size or 0) > COMMON:
            broken.add("zl-dict-decoded")
            return None
        try:
            user_data = frame.content()
        except zstandard.ZstdError as error:
            broken.add("zd-checksum" if "checksum" in str(error) else "zd-size")
            return None
        magic = int.from_bytes(user_data[:4], "little")
        if magic != DICTIONARY:
            broken.add("zd-format")
            return None
    elif magic != DICTIONARY:
        broken.add("zd-form")
        return None
    if len(user_data) > COMMON:
        broken.add("zl-dict-decoded")
    try:
        dictionary = zstandard.ZstdCompressionDict(user_data, dict_type=zstandard.DICT_TYPE_FULLDICT)
        dictionary.precompute_compress(level=1)  # reads the entropy tables
    except zstandard.ZstdError:
        broken.add("zd-format")
        return None
    if not 32768 <= dictionary.dict_id() <= 0x7FFFFFFF:
        broken.add("zd-id")
    return dictionary


def check_records(contents, broken):
    """Records come one after the other, and each begins at the start of a frame."""
    whole, starts, at = b"".join(contents), set(), 0
    for content in contents:
        starts.add(at)
        at += len(content)
    at = 0
    while at < len(whole):
        if not whole.startswith((b"WARC/", b"warc/"), at):
            broken.add("zs-warc")
            return
        if at not in starts:
            broken.add("zr-one")
        end = whole.find(b"\r\n\r\n", at)
        head = whole[at:end] if end >= 0 else b""
        lengths = [line.split(b":", 1)[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        if len(lengths) != 1 or not lengths[0].strip().isdigit():
            broken.add("zs-warc")
            return
        at = end + 4 + int(lengths[0])
        if whole[at:at + 4] != b"\r\n\r\n":
            broken.add("zs-warc")
            return
        at += 4
    if not whole:
        broken.add("zs-record")


def broken_rules(data, name=".warc.zst"):
    broken, dictionary, dictionary_id, contents, at = set(), None, 0, [], 0
    if not name.endswith(".warc.zst"):
        broken.add("zn-name")
    if int.from_bytes(data[:4], "little") not in (FRAME, DICTIONARY_FRAME):
        broken.add("zs-start")
    while at < len(data):
        magic = int.from_bytes(data[at:at + 4], "little")
        if magic == FRAME:
            try:
                frame = Frame(data[at:])
            except ValueError as error:
                broken.add(str(error))
                break
            if dictionary_id and not frame.dictionary_id:
                broken.add("zf-dictid")
            elif dictionary_id and frame.dictionary_id != dictionary_id:
                broken.add("zf-dictid-match")
            elif not dictionary_id and frame.dictionary_id:
                broken.add("zf-nodict")
            contents.append(check_frame(frame, dictionary, broken))
            at += len(frame.stored)
        elif magic & 0xFFFFFFF0 == 0x184D2A50:
            if at + 8 > len(data) or (end := at + 8 + struct.unpack_from("<I", data, at + 4)[0]) > len(data):
                broken.add("zs-trunc")
                break
            if magic == DICTIONARY_FRAME and at > 0:
                broken.add("zs-dict-pos")
            elif magic == DICTIONARY_FRAME:
                dictionary = check_dictionary(data[8:end], broken)
                dictionary_id = dictionary.dict_id() if dictionary else 0
            at = end
        else:
            broken.add("zf-standard" if magic in LEGACY else "zs-frames")
            break
    if None not in contents and not broken & {"zs-trunc", "zs-frames", "zs-start"}:
        check_records(contents, broken)
    return sorted(broken)


def contents(data):
    """The decoded zstd frames of a good file."""
    found, dictionary, at = [], None, 0
    while at < len(data):
        if int.from_bytes(data[at:at + 4], "little") == FRAME:
            frame = Frame(data[at:])
            found.append(frame.content(dictionary))
            at += len(frame.stored)
        else:
            end = at + 8 + struct.unpack_from("<I", data, at + 4)[0]
            if at == 0:
                dictionary = check_dictionary(data[8:end], set())
            at = end
    return found
