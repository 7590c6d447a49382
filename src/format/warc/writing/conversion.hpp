// Headers of every dialect of the family, made anew or out of each other: pure functions, which
// know of a record its parsed header and some facts of its block. Blocks are never altered.
// What becomes of what: docs/formats/warc.md, "Conversions".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/bytes.hpp>
#include <fonds/date.hpp>
#include <fonds/error.hpp>

#include "format/warc/reading/grammar.hpp"

namespace fonds::warc {

// What can be written.
enum class Target : std::uint8_t { Warc11, Warc10, Warc018, Warc0011, Arc11 };
Dialect dialect_of(Target target) noexcept;
// "WARC/1.1", "warc/00.11", "ARC/1.1".
std::string_view version_of(Target target) noexcept;
// What closes a record behind its block.
std::string_view closing_of(Target target) noexcept;
// Whether the record is the target's already: all of 00.11, all of ARC, and WARC of the same
// version.
bool is_of(const Header& header, Target target) noexcept;
// Whether its header is written octet for octet: not if the version is spelled as only lenient
// readers take it ("warc/1.0", "WARC/01.00").
bool stays(const Header& header, ByteView raw_header, Target target) noexcept;

// How ids of records are made that had none or are new.
struct IdScheme {
  enum class Kind : std::uint8_t {
    Content,  // UUIDv5: the same input gives the same id
    Random,   // UUIDv4
  } kind = Kind::Content;
  std::string prefix = "urn:uuid:";  // stands before the UUID
};
// `content` names what the id is for, by what it is made of. Without <>. Errors: those of UUIDs.
Result<std::string> make_id(const IdScheme& scheme, std::string_view content);
// True of a URI by the letters of RFC 3986, with a scheme.
bool is_uri(std::string_view text) noexcept;

struct ConversionOptions {
  Target target = Target::Warc11;
  // Keep the header octets in WARC-Original-Header, so that the way back restores them. A header
  // that has the field keeps it and gets no second one.
  bool original_header = true;
  // Ids that are no URI become urn:uuid:UUIDv5 of their text, here and where they are referred to;
  // WARC-Original-ID keeps them. Else they are kept as they are.
  bool legal_ids = false;
  IdScheme new_ids = {};           // of records that the conversion adds
  Date now = {};                   // of records that the conversion adds
  std::string software = "fonds";  // in the warcinfo that describes a conversion
  std::string filename = {};       // of the archive that is written; empty: not stated
  std::size_t length_room = 0;     // 00.11: digits for data-length at least, filled up with zeros
};

// What has to be known of the record beside its header. Views need only live as long as the call.
struct RecordFacts {
  ByteView raw_header;             // Header::length octets
  std::uint64_t block_length = 0;  // octets of the block that will be written
  std::uint64_t archive = 0;       // number of the archive among those converted together
  std::uint64_t decoded_offset = 0;
  std::string_view sha1_hex = {};           // of header and block; only if needs_record_digest()
  bool has_status_line = false;             // the block begins with the head of an HTTP response
  int http_status = 0;                      // of it
  std::string_view http_content_type = {};  // of it
  // The first octets of the block (8 KiB are enough); only for what keeps the version block of an
  // ARC (keeps_version_block()).
  ByteView block_head = {};
  std::optional<Date> date_before = std::nullopt;  // stands in for a date that cannot be read
};

// True if the id of the record has to be made from its content (RecordFacts::sha1_hex).
bool needs_record_digest(const Header& header, Target target) noexcept;
// True of a metadata record that stands for the version block of an ARC.
bool keeps_version_block(const Header& header) noexcept;
// The field of a warcinfo that describes a conversion; its value is the version before.
inline constexpr std::string_view kConvertedFrom = "WARC-Converted-From";
// True of such a warcinfo if the target is what the records were before: on the way back it goes.
bool describes_conversion_from(const Header& header, Target target) noexcept;
// True if a conversion of records of this dialect looks at the others (ConversionScope); else the
// scope may stay empty.
bool needs_scope(Dialect source, Target target) noexcept;

// What the records of all archives that are converted together say of each other. Memory grows with
// the ids and URIs of the records.
class ConversionScope {
 public:
  ConversionScope();
  ~ConversionScope();
  ConversionScope(ConversionScope&&) noexcept;
  ConversionScope& operator=(ConversionScope&&) noexcept;

  // Of two records with one id the first counts. Uses archive, decoded_offset and block_length.
  void add(const Header& header, const RecordFacts& facts);

  bool has(std::string_view id) const;
  // The target URI that this record has in WARC 1.1; empty if it has none, or is not in scope.
  std::string target_of(std::string_view id) const;
  // Octets of all blocks, if this is the last segment of a complete chain (ruling R23).
  std::optional<std::uint64_t> total_length(const Header& header, const RecordFacts& facts) const;
  // The warcinfo to which a version block of ARC belongs, kept as a metadata record.
  bool is_warcinfo_of_arc(std::string_view id) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A record that the conversion adds before the one converted.
struct ExtraRecord {
  std::string header, block;
};

// A header of 00.11 whose data-length and segment status can be written later.
struct PositionalSlots {
  std::size_t length_at = 0, length_room = 0;  // offset in the header and number of digits
  std::size_t status_at = 0;                   // of the status code letter
};
// The digits to put at slots.length_at for a header of `header_length` octets with such a block.
// Errors: LimitExceeded if there is not enough room.
Result<std::string> data_length_digits(const PositionalSlots& slots, std::size_t header_length,
                                       std::uint64_t block_length);

struct Converted {
  bool skip = false;   // the target has no form for this record: only `losses` counts
  std::string header;  // octets with the empty line (ARC: the line)
  std::vector<ExtraRecord> before;
  std::optional<PositionalSlots> slots;  // of 00.11
  bool restored = false;                 // the header is that of WARC-Original-Header
  // One for each thing that the output holds nowhere, by kind: "request records", "fraction of a
  // date", "field WARC-Filename".
  std::vector<std::string> losses;
};

// The header of the record in the target's dialect. The header octets are unchanged if it stays().
// Errors: Truncated for a header that is cut; Unsupported for a draft before 00.11; BadArgument if
// a digest is needed and missing; LimitExceeded for a length beyond 64 bits; those of make_id().
Result<Converted> convert_header(const Header& header, const RecordFacts& facts,
                                 const ConversionScope& scope, const ConversionOptions& options);

// A record to be made. Ids and URIs without <>; what is empty is not written.
struct NewRecord {
  std::string_view type = "resource";  // of WARC 1.1
  std::string_view id;
  Date date = {};
  std::string_view target_uri = {}, content_type = {}, ip = {};
  std::string_view concurrent_to = {}, refers_to = {}, warcinfo_id = {}, filename = {};
  std::string_view block_digest = {}, payload_digest = {}, truncated = {};
  std::span<const Field> more = {};  // fields of WARC 1.1 beside these, such as WARC-Profile
  std::uint64_t block_length = 0;
};
// The header of a new record. `skip` for what ARC has no form for.
Result<Converted> make_header(const NewRecord& record, const ConversionOptions& options);
// What an ARC begins with: a version block of version 1 1 with the least metadata. `name` is the
// archive's.
ExtraRecord make_version_block(std::string_view name, const Date& date);

// What to do with a field of a header with named fields: replaces the value of the first field of
// this name and removes the others; adds it if there is none. Without a value all are removed.
struct FieldEdit {
  std::string_view name;
  std::optional<std::string> value;
  bool keep_others = false;  // leaves further fields of this name
};
// Changes a complete header of WARC 0.12 to 1.1 and leaves its other fields as they are, octet for
// octet. What would end a line or the header early goes: lines end in CRLF, other CRs become SP,
// empty lines inside are left out, and fields with a CR in their name. `version`: the first line;
// empty: unchanged.
std::string edit_header(ByteView raw_header, std::string_view version,
                        std::span<const FieldEdit> edits);

}  // namespace fonds::warc
