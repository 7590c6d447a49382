// Headers that are made or edited: whatever octets the parts have, there comes out exactly one
// whole header of its dialect. The octets are a header, whose parts are taken; the first one
// chooses.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/bytes.hpp>
#include <fonds/date.hpp>
#include <fonds/record.hpp>

#include "format/warc/reading/grammar.hpp"
#include "format/warc/writing/conversion.hpp"
#include "one_header.hpp"
#include "require.hpp"

namespace {

using fonds::fuzz::expect_one;
using fonds::fuzz::Parsed;
using fonds::fuzz::require;
using namespace fonds::warc;  // NOLINT(google-build-using-namespace)

void check_made(const Header& header, std::uint64_t length, Target target) {
  std::vector<fonds::Field> others;
  for (const fonds::Field& field : header.fields) {
    if (field.name.starts_with("X-")) {
      others.push_back(field);
    }
  }
  const auto made = make_header({.type = header.type,
                                 .id = header.id,
                                 .target_uri = header.uri,
                                 .content_type = header.content_type,
                                 .ip = header.ip,
                                 .concurrent_to = header.date_raw,
                                 .refers_to = header.refers_to,
                                 .warcinfo_id = header.warcinfo_id,
                                 .filename = header.filename,
                                 .more = others,
                                 .block_length = length},
                                {.target = target});
  if (made && !made->skip) {
    expect_one(made->header, {}, length, target, false);
  }
}

// A header with named fields stays one, and its block keeps its length.
void check_edited(const Parsed& source, unsigned choice) {
  const Header& header = source.header;
  const std::string_view text = source.octets;
  const std::array<FieldEdit, 3> edits = {
      FieldEdit{"WARC-Target-URI", std::string(text.substr(0, 40)), (choice & 1) != 0},
      FieldEdit{"X-Added", std::string(text)}, FieldEdit{"WARC-Truncated", std::nullopt}};
  const std::string_view version = (choice & 2) != 0 ? "WARC/1.1" : "";
  const std::string made = edit_header(fonds::as_bytes(text).first(header.length), version, edits);
  const Parsed back(made, {});
  require(back.header.complete && back.header.length == made.size());
  require(back.header.dialect == Dialect::Modern && back.header.truncated.empty());
  // A length that no one can read may become one: CRs are changed.
  require(header.length_state != Header::LengthState::Good ||
          back.header.block_length == header.block_length);
  require(version.empty() || back.header.version == version);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const Parsed source({reinterpret_cast<const char*>(data) + 1, size - 1}, {});
  const Header& header = source.header;
  for (const Target target : fonds::fuzz::kTargets) {
    check_made(header, header.block_length, target);
  }
  if (header.start == Start::Modern && header.complete) {
    check_edited(source, data[0]);
  }
  const ExtraRecord extra =
      make_version_block(header.filename, header.date.value.value_or(fonds::Date{}));
  expect_one(extra.header, extra.block, extra.block.size(), Target::Arc11, false);
  return 0;
}
