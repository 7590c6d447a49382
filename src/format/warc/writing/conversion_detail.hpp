// What the directions of conversion share. Private to conversion*.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "format/warc/reading/grammar.hpp"
#include "format/warc/writing/conversion.hpp"

namespace fonds::warc::detail {

inline constexpr std::string_view kOriginalHeader = "WARC-Original-Header";
inline constexpr std::string_view kOriginalId = "WARC-Original-ID";
inline constexpr std::string_view kLegacyField = "WARC-Legacy-Field";

// The first field of this name in any letter case, or null.
const Field* find_field(const Header& header, std::string_view name) noexcept;

// All that a conversion looks at and fills.
struct Job {
  const Header& header;
  const RecordFacts& facts;
  const ConversionScope& scope;
  const ConversionOptions& options;
  Converted& out;
  Target last_target;  // options.target may only be the first of two steps

  void lose(std::string kind) const { out.losses.push_back(std::move(kind)); }
  // The same, unless WARC-Original-Header keeps it; one that is there already keeps another header.
  void lose_unless_kept(std::string_view kind) const {
    if (!options.original_header || last_target == Target::Arc11 ||
        find_field(header, kOriginalHeader) != nullptr) {
      out.losses.emplace_back(kind);
    }
  }
};

// Collects header lines. No value can end its line: runs of CR and LF become one SP.
class HeaderText {
 public:
  void line(std::string_view text);
  void field(std::string_view name, std::string_view value);
  void field(std::string_view name, std::uint64_t value);
  void id(std::string_view name, std::string_view value);  // in <>
  void end() { text_ += "\r\n"; }
  std::string take() { return std::move(text_); }
  // Whether a field was written that may not repeat.
  bool has(std::string_view name) const noexcept;

 private:
  void note(std::string_view name) noexcept;

  std::string text_;
  std::uint32_t written_ = 0;  // bits by Known
};
void append_value(std::string& out, std::string_view value);
// As a token: blanks and control characters percent-encoded.
std::string uri_token(std::string_view uri);
// Can stand as a token of 00.11 and is read as itself.
bool is_token(std::string_view text) noexcept;
// A field name of WARC 1.x.
bool is_field_name(std::string_view name) noexcept;

// "warc/00.11 BASE64" for WARC-Original-Header.
std::string original_header_value(const Header& header, ByteView raw_header);
// The header octets that such a value keeps, if they are of the target's dialect, stand for a whole
// header, and give a block of the record's length.
std::optional<std::string> restore_header(std::string_view value, Target target,
                                          const RecordFacts& facts);

// The date of the record for the target: with its precision for 1.1, else with seconds exactly.
// Counts what is lost of it.
Date date_for_target(const Job& job);
std::string date_digits(Date date);  // 14 of them
// The id as the target shall have it, and references to it.
Result<std::string> id_for_target(std::string_view id, const ConversionOptions& options);

// A record type of 00.11 and its parameters, `-` and <> taken off (R2, R21).
struct PositionalType {
  std::string_view token;  // as written; empty: none
  std::string_view first, second;
  std::string_view revisit_reference;
  bool http_response = false, http_request = false, dns_response = false;
  bool reference = false;  // the first parameter is that of metadata or conversion
};
PositionalType positional_type(const Header& header);

// "http://netpreserve.org/warc/1.1/revisit/…" of the target's version; others as they are.
std::string profile_for_target(std::string_view profile, Target target);

Result<void> positional_to_modern(Job& job);
Result<void> arc_to_modern(Job& job);
Result<void> modern_to_modern(Job& job);
Result<void> modern_to_positional(Job& job);
Result<void> modern_to_arc(Job& job);

// Ends a header of 00.11: computes data-length. `rest` is what follows the header-line.
Result<void> finish_positional(Job& job, std::string_view date, std::string_view id, char status,
                               std::uint32_t number, std::string_view rest);

}  // namespace fonds::warc::detail
