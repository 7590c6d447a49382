// What is remembered of a record to compare it with another one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/reader.hpp>
#include <fonds/record.hpp>

#include "base/digest.hpp"

namespace fonds::ops {

// The first half of a SHA-256, by which records are found; all zeros: there is none. Who makes the
// archives cannot make two keys equal.
using EntryKey = std::array<std::byte, 16>;

struct Entry {
  std::uint64_t ordinal = 0;
  Place place;
  std::optional<std::uint64_t> length;    // octets of the block that were there
  std::array<std::byte, 32> digest = {};  // SHA-256 of them
  EntryKey id_key = {};                   // of the id
  EntryKey old_id_key = {};               // of the id that the record had before a conversion
  EntryKey content_key = {};              // of block, URI and date
  EntryKey capture_key = {};              // of type, URI and date, if it has a URI
  EntryKey octets_key = {};               // of the header's octets and the block
  // The octets_key of the record of which this one was made, if WARC-Original-Header keeps them.
  EntryKey origin_key = {};
  bool damaged = false;
  bool added = false;         // says what was converted
  std::string kind, id, uri;  // to tell people
  std::string damage;         // codes of the errors
  // Attributes and fields, as pack() of compare_entry.cpp makes them; empty if they were dropped to
  // save memory.
  std::string header;

  // Whether this record keeps the whole header of the other one, or the other way round.
  bool keeps_header_of(const Entry& other) const {
    return (origin_key != EntryKey{} && origin_key == other.octets_key) ||
           (other.origin_key != EntryKey{} && other.origin_key == octets_key);
  }
  bool has_id() const { return id_key != EntryKey{}; }
  std::size_t memory() const {
    return sizeof(Entry) + kind.size() + id.size() + uri.size() + damage.size() + header.size();
  }
};

// Reads records to their end and makes entries of them. One thread at a time.
class EntryMaker {
 public:
  struct Options {
    bool headers = true;
    bool names = true;  // else records are found by their blocks alone, as those of items are
  };
  explicit EntryMaker(const Options& options)
      : options_(options), hasher_(DigestAlgorithm::Sha256) {}
  // Appends the entry of the current record to `out`, as text for read_entry(); its ordinal is not
  // in it. Findings of the record are appended to `findings`. Errors: those of reading.
  Status take(RecordReader& reader, const Record& record, std::string& out,
              std::vector<Finding>& findings);

 private:
  void describe(const Record& record, Entry& entry);
  Status read_block(RecordReader& reader, const Record& record, Entry& entry);
  EntryKey key_of(std::initializer_list<std::string_view> parts);

  Options options_;
  Hasher hasher_;
};

// Takes the next entry off the front of `text`, which EntryMaker wrote.
Entry read_entry(std::string_view& text);

struct HeaderComparison {
  bool strict = false;  // also the order of fields, letter case of names, versions, each octet
  std::vector<std::string> ignored;  // names of fields and attributes, in any letter case
};
using HeaderDifference = std::function<Status(
    std::string_view what, std::optional<std::string_view> a, std::optional<std::string_view> b)>;
// Tells where the headers of two entries that have them differ. Records with fields of the same
// names are compared field by field, others by the attributes that both dialects can express. If
// one keeps the header of the other, only what contradicts counts.
Status compare_headers(const Entry& a, const Entry& b, const HeaderComparison& how,
                       const HeaderDifference& differs);

}  // namespace fonds::ops
