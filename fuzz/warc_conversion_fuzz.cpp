// Any octets as a header, converted to every dialect: what comes out is exactly one whole header of
// the target, which gives the block its length; and with the original kept, the way back restores
// the octets. The first three octets choose; the block follows the header.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

#include "format/warc/reading/grammar.hpp"
#include "format/warc/writing/conversion.hpp"
#include "one_header.hpp"
#include "require.hpp"

namespace {

using fonds::as_bytes;
using fonds::fuzz::expect_one;
using fonds::fuzz::kTargets;
using fonds::fuzz::Parsed;
using fonds::fuzz::require;
using namespace fonds::warc;  // NOLINT(google-build-using-namespace)

RecordFacts facts_of(const Parsed& source, std::string_view block, unsigned choice) {
  RecordFacts facts;
  facts.raw_header = as_bytes(source.octets).first(source.header.length);
  facts.block_length = (choice & 1) != 0 ? source.header.block_length : block.size();
  facts.sha1_hex = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
  facts.has_status_line = block.starts_with("HTTP/");
  facts.http_status = (choice & 2) != 0 ? 304 : 200;
  facts.http_content_type = block.substr(0, block.find('\n'));
  facts.block_head = as_bytes(block);
  return facts;
}

std::optional<Converted> convert(const Parsed& source, std::string_view block,
                                 const RecordFacts& facts, const ConversionScope& scope,
                                 const ConversionOptions& options) {
  auto made = convert_header(source.header, facts, scope, options);
  if (!made) {
    const auto code = made.error().code();
    require(code == fonds::ErrorCode::Truncated || code == fonds::ErrorCode::Unsupported ||
            code == fonds::ErrorCode::LimitExceeded);
    require(!source.header.complete || code != fonds::ErrorCode::Truncated);
    return std::nullopt;
  }
  require(source.header.complete && source.header.start != Start::OldDraft);
  if (is_of(source.header, options.target)) {
    require(made->header == source.raw());
  } else if (!made->skip) {
    expect_one(made->header, block, facts.block_length, options.target, made->restored);
  }
  for (const ExtraRecord& extra : made->before) {
    expect_one(extra.header, extra.block, extra.block.size(), options.target, false);
  }
  return std::move(*made);
}

void check_way_back(const Parsed& source, std::string_view block, const RecordFacts& facts,
                    const std::string& there, const ConversionScope& scope) {
  const Header& header = source.header;
  const auto home = std::find_if(std::begin(kTargets), std::end(kTargets),
                                 [&](Target target) { return is_of(header, target); });
  const bool kept = header.length_state != Header::LengthState::Missing &&
                    header.other_lengths.empty() && header.block_length == facts.block_length &&
                    source.octets.find("riginal-") == std::string::npos;
  if (home == std::end(kTargets) || !kept) {
    return;
  }
  const Parsed middle(there + std::string(block), {});
  RecordFacts again = facts;
  again.raw_header = as_bytes(there);
  const auto back = convert(middle, block, again, scope, {.target = *home});
  require(back && back->header == source.raw());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) {
    return 0;
  }
  const unsigned choice = data[0];
  const ArcContext arc = {.have_filedesc = (choice & 4) != 0,
                          .columns = (choice & 8) != 0 ? 10U : 5U};
  const Parsed source({reinterpret_cast<const char*>(data) + 3, size - 3}, arc);
  const auto block = std::string_view(source.octets).substr(source.header.length);
  const RecordFacts facts = facts_of(source, block, choice);
  ConversionScope scope;
  if ((choice & 16) != 0) {
    scope.add(source.header, facts);
  }
  for (const Target target : kTargets) {
    const ConversionOptions options = {.target = target,
                                       .original_header = (choice & 32) == 0,
                                       .legal_ids = (choice & 64) != 0,
                                       .length_room = data[1] % 22U};
    const auto made = convert(source, block, facts, scope, options);
    if (made && !made->skip && options.original_header && target != Target::Arc11 &&
        !is_of(source.header, target)) {
      check_way_back(source, block, facts, made->header, scope);
    }
  }
  return 0;
}
