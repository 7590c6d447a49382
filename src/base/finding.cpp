#include <algorithm>
#include <array>
#include <cassert>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fonds/error.hpp>
#include <fonds/finding.hpp>

namespace fonds {
namespace {

// Sorted by code, so that find_rule can search by halves. Each code has a section in
// docs/reference/findings.md with the same severity and clause.
constexpr auto kRules = std::to_array<FindingRule>({
    {"arc-no-filedesc", Severity::Warning, "ARC 1.x, version block",
     "The file does not begin with a version block."},
    {"arc-swapped-columns", Severity::Warning, "ARC 1.x, URL-record",
     "The columns of the date and of the IP address have changed places."},
    {"arc-v1-in-v2", Severity::Warning, "ARC 1.x, URL-record",
     "The version block announces ten columns, but the record has five."},
    {"bad-length", Severity::Error, "WARC 1.1, 5.3",
     "The length of the record is missing, is not a number, or is negative."},
    {"bad-revisit-comparison", Severity::Warning, "WARC 00.11 draft, R25",
     "The field `revisit` has no comparison, or one that the draft does not define."},
    {"blank-line-in-header", Severity::Warning, "WARC 1.1, 4",
     "An empty line stands inside the header, before the length was given."},
    {"byte-order-mark", Severity::Warning, "WARC 1.1, 4",
     "A UTF-8 byte order mark stands before the first record."},
    {"chunk-damaged", Severity::Warning, "RFC 9112, 7.1",
     "The chunks of the body end or break too early."},
    {"chunks-odd", Severity::Warning, "RFC 9112, 7.1",
     "The chunks of an HTTP body depart from the grammar (line ends, surplus octets) but nothing "
     "is lost."},
    {"coding-not-applied", Severity::Warning, "RFC 9110, 8.4",
     "The HTTP header names a Content-Encoding that the body does not have."},
    {"coding-truncated", Severity::Warning, "RFC 9110, 8.4",
     "The encoded body ends too early, so it cannot be decoded to its end."},
    {"continuation-without-field", Severity::Warning, "WARC 1.1, 4",
     "The first line after the version starts with white space, so it continues no field."},
    {"data-length-smaller-than-header", Severity::Error, "WARC 00.11 draft, R17",
     "The data-length of a positional header is smaller than the header itself."},
    {"date-day-of-year", Severity::Warning, "WARC 1.1, 5.4",
     "The third part of the date is the day of the year, as ClueWeb09 writes it."},
    {"date-invalid", Severity::Warning, "WARC 1.1, 5.4; WARC 00.11 draft, R15",
     "The date names a moment that does not exist, such as 31 February, or is no date."},
    {"date-not-14-digits", Severity::Warning, "WARC 00.11 draft, R15; ARC 1.x",
     "The date of a positional header or of an ARC header has not exactly 14 digits."},
    {"digest-absent", Severity::Note, "WARC 1.1, 5.8 and 5.9", "The record has no digest."},
    {"digest-malformed", Severity::Warning, "WARC 1.1, 5.8 and 5.9",
     "The digest cannot be a value of its algorithm, or has no algorithm."},
    {"digest-match-after-decoding", Severity::Warning, "WARC 1.1, 5.9",
     "The payload digest matches only once transfer or content codings are undone."},
    {"digest-mismatch", Severity::Error, "WARC 1.1, 5.8 and 5.9",
     "The digest in the header is not that of the content."},
    {"digest-mismatch-truncated", Severity::Warning, "WARC 1.1, 5.15",
     "The digest does not match, as is to be expected of a record that was cut on purpose."},
    {"digest-unsupported", Severity::Note, "WARC 1.1, 5.8 and 5.9",
     "The algorithm of the digest is not known."},
    {"dns-request-alias", Severity::Warning, "WARC 00.11 draft, R11",
     "The type is `dns-request`, which the annex of the draft prints for `dns-response`."},
    {"double-compression", Severity::Warning, "WARC 1.1, Annex A",
     "The gzip file holds another gzip file."},
    {"duplicate-field", Severity::Warning, "WARC 1.1, 5.1",
     "A field that may occur once occurs again."},
    {"duplicate-length-differs", Severity::Error, "WARC 1.1, 5.3",
     "The header gives the length more than once, with different values."},
    {"duplicate-record-id", Severity::Warning, "WARC 1.1, 5.2",
     "Another record of the same file has the same id."},
    {"empty-member", Severity::Note, "RFC 1952, 2.2", "A gzip member holds no data."},
    {"extension-frame", Severity::Note, "RFC 8878, 3.1.2", "A skippable frame stands in the file."},
    {"extra-header-line-tokens", Severity::Warning, "WARC 00.11 draft, R18",
     "The header-line has more than its five tokens."},
    {"extra-type-parameter", Severity::Warning, "WARC 00.11 draft, 2.4",
     "The type has more parameters than it takes."},
    {"frame-checksum", Severity::Error, "RFC 8878, 3.1.1 and the lz4, bzip2 and xz formats",
     "The checksum of a compressed unit differs from that of its data."},
    {"frame-damaged", Severity::Error, "RFC 8878 and the lz4, bzip2 and xz formats",
     "A zstd or lz4 frame, or a bzip2 or xz stream, cannot be decoded."},
    {"header-crc", Severity::Warning, "RFC 1952, 2.3.1",
     "The checksum of a gzip member's header is wrong."},
    {"header-too-long", Severity::Error, "fonds, max_header",
     "The header of a record is longer than the limit allows."},
    {"http-head-odd", Severity::Warning, "RFC 9112, 2",
     "The HTTP header departs from the grammar but can be understood."},
    {"http-length-differs", Severity::Warning, "RFC 9112, 6.3",
     "The HTTP field Content-Length differs from the length of the body."},
    {"http-no-status-line", Severity::Warning, "RFC 9112, 4",
     "The block should be an HTTP message but does not begin like one."},
    {"length-suspect", Severity::Error, "WARC 00.11 draft, R16",
     "The length does not lead to the start of a record, so it may be too small or too large."},
    {"lf-only-header", Severity::Warning, "WARC 1.1, 4",
     "The lines of the header end in LF instead of CRLF."},
    {"limit-exceeded", Severity::Error, "fonds, limits",
     "Reading on would need more memory or more octets than a limit allows."},
    {"line-without-colon", Severity::Warning, "WARC 1.1, 4",
     "A line of the header has no colon and continues no field."},
    {"member-crc", Severity::Error, "RFC 1952, 2.3.1",
     "The checksum of a gzip member differs from that of its data."},
    {"member-damaged", Severity::Error, "RFC 1951, 3.2",
     "The compressed data of a gzip member cannot be inflated."},
    {"member-isize", Severity::Error, "RFC 1952, 2.3.1",
     "The length that a gzip member gives for its data is wrong."},
    {"missing-mandatory-field", Severity::Warning, "WARC 1.1, 5.1",
     "A field that this kind of record must have is missing."},
    {"missing-segment-origin-id", Severity::Warning, "WARC 00.11 draft, R10",
     "A segment after the first does not say which record it continues."},
    {"missing-type-parameter", Severity::Warning, "WARC 00.11 draft, R24",
     "The type lacks a parameter that it should have."},
    {"mixed-eol", Severity::Warning, "WARC 1.1, 4",
     "Some lines of the header end in CRLF and some in LF."},
    {"no-record", Severity::Error, "WARC 1.1, 4", "The file holds no record at all."},
    {"non-uri-id", Severity::Warning, "WARC 1.1, 5.2", "The id of the record is not a URI."},
    {"non-utf8", Severity::Warning, "WARC 1.1, 4", "The header holds octets that are not UTF-8."},
    {"not-a-record-offset", Severity::Warning, "fonds, keys",
     "No record begins at the offset that was asked for."},
    {"not-chunked", Severity::Warning, "RFC 9112, 7.1",
     "The HTTP header says chunked, but the body is not."},
    {"not-per-record", Severity::Warning, "WARC 1.1, Annex A",
     "The compressed units do not begin where the records begin."},
    {"nul-padding", Severity::Warning, "RFC 1952, 2.2",
     "Zero octets stand between records or between compressed units."},
    {"odd-length", Severity::Warning, "WARC 1.1, 5.3",
     "Content-Length is written with a sign; its digits are taken."},
    {"old-draft", Severity::Error, "WARC 0.9 and 0.10 drafts",
     "The record follows a positional draft that had other columns than 00.11."},
    {"plain-after-compressed", Severity::Warning, "WARC 1.1, Annex A",
     "Uncompressed records follow after gzip members."},
    {"refers-to-missing", Severity::Warning, "WARC 1.1, 5.11",
     "The record refers to a record that is not there."},
    {"related-resource-comma", Severity::Warning, "WARC 00.11 draft, R12",
     "The field `Related-Resource` parts its two values by a comma."},
    {"related-resource-trailing-dash", Severity::Warning, "WARC 00.11 draft, R12",
     "The field `Related-Resource` ends in a third value `-`."},
    {"resync", Severity::Error, "WARC 00.11 draft, R16",
     "More than 64 octets that belong to no record were passed over to find the next record."},
    {"resync-short", Severity::Warning, "WARC 00.11 draft, R16",
     "Up to 64 octets that belong to no record stand between two records."},
    {"revisit-payload-not-checked", Severity::Note, "WARC 1.1, 6.7",
     "The payload digest of a revisit is that of another record's payload."},
    {"segment-code-case", Severity::Warning, "WARC 00.11 draft, R8",
     "The code of the segment status is an upper-case letter."},
    {"segment-duplicate", Severity::Warning, "WARC 00.11 draft, R23",
     "A segment is there twice with the same content; the first counts."},
    {"segment-duplicate-differs", Severity::Error, "WARC 00.11 draft, R23",
     "Two segments have the same number but different content."},
    {"segment-missing", Severity::Error, "WARC 1.1, 7",
     "A segment of a record in several parts is not there."},
    {"segment-number-zero", Severity::Warning, "WARC 00.11 draft, R22",
     "The segment number is 0, though numbers start at 1."},
    {"segment-orphan", Severity::Warning, "WARC 00.11 draft, R23",
     "A segment belongs to no record that was seen, or lies behind a gap."},
    {"segment-total-mismatch", Severity::Error, "WARC 1.1, 5.22",
     "The segments together are not as long as the last one says."},
    {"space-before-colon", Severity::Warning, "WARC 1.1, 4",
     "White space stands between the name of a field and its colon."},
    {"trailer-missing", Severity::Warning, "WARC 1.1, 4",
     "Fewer than two line ends stand between a record and the next one or the end of the file."},
    {"trailing-garbage", Severity::Warning, "WARC 1.1, 4",
     "After the last record stand octets that are no record."},
    {"truncated-block", Severity::Error, "WARC 1.1, 5.3",
     "The data ends before the block is as long as its header says."},
    {"truncated-frame", Severity::Error, "RFC 8878 and the lz4, bzip2 and xz formats",
     "The data ends inside a zstd or lz4 frame, or a bzip2 or xz stream."},
    {"truncated-header", Severity::Error, "WARC 1.1, 4",
     "The data ends inside the header of a record."},
    {"truncated-member", Severity::Error, "RFC 1952, 2.2", "The data ends inside a gzip member."},
    {"type-case", Severity::Warning, "WARC 1.1, 5.5",
     "The type of the record is written in the wrong letter case."},
    {"type-on-continuation", Severity::Warning, "WARC 00.11 draft, R9",
     "A segment after the first has a type of its own."},
    {"unknown-coding", Severity::Warning, "RFC 9110, 8.4",
     "The HTTP header names a coding that is not known."},
    {"unknown-type", Severity::Note, "WARC 1.1, 6.1",
     "The type of the record is none of those that the standard defines."},
    {"unknown-version", Severity::Warning, "WARC 1.1, 4",
     "The version of the record is not one that is published."},
    {"version-token-case", Severity::Warning, "WARC 1.1, 4",
     "The version is written in the wrong letter case."},
    {"zd-checksum", Severity::Warning, "WARC-Zstandard 1.0, rule 20",
     "The compressed dictionary has no checksum."},
    {"zd-form", Severity::Error, "WARC-Zstandard 1.0, rule 16",
     "The dictionary frame holds neither a dictionary nor a zstd frame."},
    {"zd-format", Severity::Error, "WARC-Zstandard 1.0, rule 21",
     "The dictionary does not follow the layout of RFC 8878, 5."},
    {"zd-id", Severity::Warning, "WARC-Zstandard 1.0, rule 22",
     "The id of the dictionary lies outside 32768 to 2147483647, the range for private use."},
    {"zd-nodict", Severity::Error, "WARC-Zstandard 1.0, rule 18",
     "The compressed dictionary needs a dictionary itself."},
    {"zd-one-frame", Severity::Error, "WARC-Zstandard 1.0, rule 17",
     "The compressed dictionary is not exactly one zstd frame."},
    {"zd-size", Severity::Warning, "WARC-Zstandard 1.0, rule 19",
     "The compressed dictionary does not say how long it is."},
    {"zf-checksum", Severity::Warning, "WARC-Zstandard 1.0, rule 10", "A frame has no checksum."},
    {"zf-checksum-value", Severity::Error, "WARC-Zstandard 1.0, rule 11",
     "The checksum of a frame differs from that of its content."},
    {"zf-dictid", Severity::Error, "WARC-Zstandard 1.0, rule 12",
     "The file has a dictionary, but a frame does not name it."},
    {"zf-dictid-match", Severity::Error, "WARC-Zstandard 1.0, rule 13",
     "A frame names another dictionary than that of the file."},
    {"zf-nodict", Severity::Error, "WARC-Zstandard 1.0, rule 14",
     "A frame needs a dictionary, but the file has none."},
    {"zf-size", Severity::Warning, "WARC-Zstandard 1.0, rule 8",
     "A frame does not say how long its content is."},
    {"zf-size-value", Severity::Error, "WARC-Zstandard 1.0, rule 9",
     "The content of a frame is not as long as the frame says."},
    {"zf-standard", Severity::Error, "WARC-Zstandard 1.0, rule 15",
     "A frame is of a legacy form, or uses bits, blocks or sizes that the standard forbids."},
    {"zl-dict-decoded", Severity::Warning, "WARC-Zstandard 1.0, rule 25",
     "The decoded dictionary is larger than 8 MiB."},
    {"zl-dict-stored", Severity::Warning, "WARC-Zstandard 1.0, rule 24",
     "The dictionary frame is larger than 8 MiB."},
    {"zl-window", Severity::Warning, "WARC-Zstandard 1.0, rule 23",
     "A frame needs a window larger than 8 MiB."},
    {"zn-empty", Severity::Note, "WARC-Zstandard 1.0, rule 28",
     "The file holds empty zstd frames."},
    {"zn-ext", Severity::Note, "WARC-Zstandard 1.0, rule 27", "The file holds extension frames."},
    {"zn-name", Severity::Warning, "WARC-Zstandard 1.0, rule 26",
     "The name of the file does not end in `.warc.zst`."},
    {"zr-one", Severity::Error, "WARC-Zstandard 1.0, rule 7",
     "A frame holds data of more than one record."},
    {"zr-split", Severity::Note, "WARC-Zstandard 1.0, rule 29",
     "A record is cut into several frames."},
    {"zs-dict-pos", Severity::Error, "WARC-Zstandard 1.0, rule 4",
     "A dictionary frame stands elsewhere than at the start of the file."},
    {"zs-frames", Severity::Error, "WARC-Zstandard 1.0, rule 2",
     "Octets that belong to no frame stand between frames or at the end."},
    {"zs-record", Severity::Error, "WARC-Zstandard 1.0, rule 5", "The file holds no record."},
    {"zs-start", Severity::Error, "WARC-Zstandard 1.0, rule 1",
     "The file does not start with a zstd frame or a dictionary frame."},
    {"zs-trunc", Severity::Error, "WARC-Zstandard 1.0, rule 3", "The file ends inside a frame."},
    {"zs-warc", Severity::Error, "WARC-Zstandard 1.0, rule 6",
     "What the frames hold is not a valid WARC file."},
});

}  // namespace

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::Note:
      return "note";
    case Severity::Warning:
      return "warning";
    case Severity::Error:
      break;
  }
  return "error";
}

std::span<const FindingRule> finding_rules() { return kRules; }

const FindingRule* find_rule(std::string_view code) {
  const auto* const found = std::lower_bound(
      kRules.begin(), kRules.end(), code,
      [](const FindingRule& rule, std::string_view wanted) { return rule.code < wanted; });
  return found != kRules.end() && found->code == code ? found : nullptr;
}

Finding make_finding(std::string_view code, std::string message, Location where) {
  const FindingRule* const rule = find_rule(code);
  assert(rule != nullptr && "code is not in the table of rules");
  Finding finding;
  // The table's own text lives as long as the program; the caller's may not.
  finding.code = rule != nullptr ? rule->code : "unlisted";
  finding.severity = rule != nullptr ? rule->severity : Severity::Error;
  finding.message = std::move(message);
  finding.where = std::move(where);
  return finding;
}

}  // namespace fonds
