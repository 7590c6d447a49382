"""The fields of a record: names as queries write them, with their values."""
import dataclasses
import functools
import re

from clps_peer import records

from . import dates, http

OBJECT = object()  # a group of fields
# Names of fields; a header field of such a name is asked for below `headers`.
KNOWN = """type uri host date status mime method ip length id payload body http headers version stored_type date_raw
content_type truncated segment block_digest payload_digest refers_to refers_to_uri refers_to_date concurrent_to profile
warcinfo_id filename trec_id format index offset inner header_length http.status http.content_type http.protocol http.reason
http.method http.target segment.number segment.code segment.origin segment.total_length""".split()
# Of the place, not of the record: only their own names reach them.
OF_PLACE = {"format", "index", "offset", "inner", "header_length"}
TYPES = {"warcinfo", "response", "resource", "request", "metadata", "revisit", "conversion", "continuation"}


@dataclasses.dataclass(frozen=True)
class Record:
    known: dict     # name -> values: str, records.Number, dates.Span, OBJECT
    headers: tuple  # of (name, value)
    http: tuple     # of (name, value)
    message: http.Message | None
    block: bytes

    @functools.cached_property
    def payload(self):
        return http.decoded(self.message) if self.message else self.block

    @functools.cached_property
    def payload_text(self):
        return self.payload.decode(errors="surrogateescape")

    @functools.cached_property
    def body(self):
        """The payload as JSON; nothing if it is none."""
        try:
            return (records.parse(self.payload.decode(errors="surrogateescape")),)
        except ValueError:
            return ()


def bare(value):
    return value[1:-1] if value and value.startswith("<") and value.endswith(">") else value


def host(uri):
    found = re.match(r"[^/?#]*?://(?:[^/?#]*@)?(\[[^\]/?#]*\]|[^/?#:]*)", uri or "")
    return found[1].strip("[]").lower() if found else None


def arc_facts(raw, index):
    uri = raw.get("URL")
    kind = "warcinfo" if uri.startswith("filedesc:") else "response" if re.match("https?:", uri) else "resource"
    content = {"warcinfo": "text/plain", "response": "application/http;msgtype=response"}.get(kind) or \
        ("text/dns" if uri.startswith("dns:") else raw.get("Content-type"))
    ip = raw.get("IP-address")
    return {"format": "arc", "type": kind, "uri": uri, "content_type": content, "date_raw": raw.get("Archive-date"),
            "ip": None if ip in ("0.0.0.0", "-") else ip, "length": raw.get("Archive-length"),
            "filename": uri.partition("//")[2] if kind == "warcinfo" else None}


def warc_facts(raw, index):
    get = raw.get
    kind = get("WARC-Type")
    model = kind.lower() if kind and kind.lower() in TYPES else kind
    return {"format": "warc", "type": model, "stored_type": kind if kind != model else None, "id": bare(get("WARC-Record-ID")),
            "uri": (bare(get("WARC-Target-URI")) or "").replace(" ", "%20"), "content_type": get("Content-Type"),
            "date_raw": get("WARC-Date"), "ip": get("WARC-IP-Address"), "length": get("Content-Length"),
            "truncated": get("WARC-Truncated"), "block_digest": get("WARC-Block-Digest"),
            "payload_digest": get("WARC-Payload-Digest"), "refers_to": bare(get("WARC-Refers-To")),
            "refers_to_uri": bare(get("WARC-Refers-To-Target-URI")), "profile": bare(get("WARC-Profile")),
            "warcinfo_id": bare(get("WARC-Warcinfo-ID")), "filename": get("WARC-Filename"), "trec_id": get("WARC-TREC-ID"),
            "segment.number": get("WARC-Segment-Number"), "segment.origin": bare(get("WARC-Segment-Origin-ID")),
            "segment.total_length": get("WARC-Segment-Total-Length")}


def of(raw, index):
    facts = (arc_facts if raw.version.startswith("ARC") else warc_facts)(raw, index) | {"version": raw.version, "index": str(index)}
    known = {name: [value] for name, value in facts.items() if value}
    for name in ("length", "index", "segment.number", "segment.total_length"):
        if name in known:
            known[name] = [records.Number(known[name][0])]
    span = dates.parse(facts["date_raw"] or "")
    if span:
        known["date"] = [span]
        if span.text == facts["date_raw"]:
            del known["date_raw"]
    if raw.get("WARC-Refers-To-Date"):
        about = dates.parse(raw.get("WARC-Refers-To-Date"))
        known["refers_to_date"] = [dataclasses.replace(about, text=raw.get("WARC-Refers-To-Date"))]
    known["concurrent_to"] = [bare(value) for name, value in raw.headers if name.lower() == "warc-concurrent-to"]
    if host(facts["uri"]):
        known["host"] = [host(facts["uri"])]
    if any(name.startswith("segment.") for name in known):
        known["segment"] = [OBJECT]
    if raw.headers:
        known["headers"] = [OBJECT]
    content = facts["content_type"] or ""
    is_http = content.lower().startswith("application/http") if content else \
        facts["type"] in ("response", "request", "revisit") and re.match("https?:", facts["uri"])
    message = http.parse(raw.block, facts["type"] == "request" or "request" in content) if is_http else None
    mime = content.partition(";")[0].strip().lower()
    if message:
        of_message = {"http": OBJECT, "http.content_type": message.get("Content-Type"), "http.protocol": message.protocol,
                      "http.reason": message.reason, "http.method": message.method, "http.target": message.target,
                      "method": message.method}
        known |= {name: [value] for name, value in of_message.items() if value}
        if message.status:
            known |= {name: [records.Number(message.status)] for name in ("status", "http.status")}
        mime = message.get("Content-Type").partition(";")[0].strip().lower() or mime
    if mime:
        known["mime"] = [mime]
    return Record(known, raw.headers, message.headers if message else (), message, raw.block)
