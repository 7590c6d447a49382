// The record: what every container is made of, seen the same way through every format.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/bytes.hpp>
#include <fonds/codec.hpp>
#include <fonds/date.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>

namespace fonds {

// A header field as stored, unfolded and trimmed.
struct Field {
  std::string_view name, value;
};

// Receives the attributes of a record one by one, in a fixed order, under the names of the
// command's JSON (docs/reference/json.md). Composite attributes are bracketed by begin_/end_ calls;
// `name` is empty inside lists.
class AttributeSink {
 public:
  virtual ~AttributeSink() = default;
  virtual void text(std::string_view name, std::string_view value) = 0;
  virtual void number(std::string_view name, std::uint64_t value) = 0;
  // A number that may be negative; by itself it is given as number() or text().
  virtual void integer(std::string_view name, std::int64_t value);
  virtual void begin_object(std::string_view name) = 0;
  virtual void end_object() = 0;
  virtual void begin_list(std::string_view name) = 0;
  virtual void end_list() = 0;
};

// A record is a view: valid until the next call on its reader. The format's own view of it
// (warc::RecordView) lies in <fonds/formats/…>.
class Record {
 public:
  virtual ~Record() = default;

  std::uint64_t ordinal = 0;  // 0-based, counted from where reading began
  Place place;  // where it begins: stored offset of its unit, decoded bytes from there

  // The format's name: "warc", "arc", "recordio", …
  virtual std::string_view format() const = 0;
  // "response", "warcinfo", "item", …; empty if it has none.
  virtual std::string_view kind() const = 0;
  virtual std::string_view id() const = 0;
  virtual std::optional<Date> date() const = 0;
  // Header fields in stored order, duplicates kept.
  virtual std::span<const Field> fields() const = 0;
  // The header's octets as stored, with what ends it.
  virtual ByteView raw_header() const = 0;
  // Octets of the content block by the header; less may be there. Nothing if the header is cut or
  // the length is unknown.
  virtual std::optional<std::uint64_t> length() const = 0;
  // Whether its block is one JSON object without line ends.
  virtual bool is_json() const { return false; }
  // What the record is, for people and programs: everything of the JSON object after `format`.
  virtual void describe(AttributeSink& out, bool with_headers) const = 0;
};

// What is known of a record once reading has passed it.
struct RecordEnd {
  std::optional<std::uint64_t> length;  // octets of the block that were there; nothing if unknown
  std::optional<std::uint64_t>
      stored_length;           // bytes up to the next record's unit; nothing if the unit is shared
  std::uint64_t trailing = 0;  // CR and LF octets between the block and the next record
  std::string closing;         // those octets, up to 64 KiB of them; empty if they were skimmed
  std::vector<Finding> findings;  // all of this record, header's and block's
};

}  // namespace fonds
