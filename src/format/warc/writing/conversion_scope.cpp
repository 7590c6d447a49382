#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/grammar_detail.hpp"
#include "format/warc/writing/conversion.hpp"
#include "format/warc/writing/conversion_detail.hpp"

namespace fonds::warc {

namespace {

// References are followed so far; hostile ones can go round in circles.
constexpr int kDeepest = 16;

struct Entry {
  std::string target;     // as the record states it
  std::string reference;  // the record that has it otherwise
  bool required = true;   // without one its own id is the target
};

struct Part {
  std::uint64_t archive = 0, decoded_offset = 0;
  std::uint64_t length = 0;
  char code = 0;
};

struct TextHash : std::hash<std::string_view> {
  using is_transparent = void;
};
template <typename T>
using ById = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

Entry entry_of(const Header& header) {
  Entry entry;
  entry.required = header.type != "metadata" && header.type != "warcinfo";
  if (header.dialect != Dialect::Positional) {
    entry.target = header.uri;
    return entry;
  }
  if (header.type == "continuation") {
    entry.reference = header.segment_origin;
  } else {
    const auto type = detail::positional_type(header);
    if (type.http_response || type.dns_response) {
      entry.target = type.first;
    } else if (type.http_request || type.reference) {
      entry.reference = type.first;
      entry.target = type.reference ? type.first : std::string_view{};
    }
  }
  if (const auto named = header.get(Known::TargetUri); !named.empty()) {
    entry.target = named;
    entry.reference.clear();
  }
  return entry;
}

}  // namespace

struct ConversionScope::State {
  ById<Entry> records;
  ById<std::map<std::uint32_t, Part>> chains;  // by the origin's id
  std::unordered_set<std::string, TextHash, std::equal_to<>> warcinfos_of_arc;
};

ConversionScope::ConversionScope() : state_(std::make_unique<State>()) {}
ConversionScope::~ConversionScope() = default;
ConversionScope::ConversionScope(ConversionScope&&) noexcept = default;
ConversionScope& ConversionScope::operator=(ConversionScope&&) noexcept = default;

void ConversionScope::add(const Header& header, const RecordFacts& facts) {
  Entry entry = entry_of(header);
  if (header.type == "metadata" && detail::is_filedesc(entry.target)) {
    for (const auto id : header.concurrent_to) {
      state_->warcinfos_of_arc.emplace(id);
    }
  }
  if (header.id.empty()) {
    return;
  }
  const bool first = state_->records.try_emplace(std::string(header.id), std::move(entry)).second;
  if (header.dialect != Dialect::Positional || !header.segment) {
    return;
  }
  const bool later = header.type == "continuation" && !header.segment_origin.empty();
  const bool origin = first && header.segment->number == 1 && header.segment->code == 'p';
  if (later || origin) {
    auto& chain = state_->chains[std::string(later ? header.segment_origin : header.id)];
    chain.try_emplace(header.segment->number, Part{facts.archive, facts.decoded_offset,
                                                   facts.block_length, header.segment->code});
  }
}

bool ConversionScope::has(std::string_view id) const {
  return state_->records.find(id) != state_->records.end();
}

std::string ConversionScope::target_of(std::string_view id) const {
  std::string own;  // of the nearest record that has to have one
  for (int depth = 0; depth < kDeepest; ++depth) {
    const auto found = state_->records.find(id);
    if (found == state_->records.end()) {
      break;
    }
    const Entry& entry = found->second;
    if (own.empty() && entry.required) {
      own = found->first;
    }
    if (!entry.reference.empty() && has(entry.reference)) {
      id = entry.reference;
      continue;
    }
    return entry.target.empty() ? own : entry.target;
  }
  return own;
}

std::optional<std::uint64_t> ConversionScope::total_length(const Header& header,
                                                           const RecordFacts& facts) const {
  if (header.dialect != Dialect::Positional || !header.segment || header.segment->code == 'p' ||
      header.type != "continuation") {
    return std::nullopt;
  }
  const auto found = state_->chains.find(header.segment_origin);
  if (found == state_->chains.end()) {
    return std::nullopt;
  }
  std::uint64_t total = 0;
  std::uint32_t expected = 1;
  for (const auto& [number, part] : found->second) {
    if (number != expected || total + part.length < total) {
      return std::nullopt;
    }
    total += part.length;
    if (part.code != 'p') {
      const bool this_one = number == header.segment->number && part.archive == facts.archive &&
                            part.decoded_offset == facts.decoded_offset;
      return this_one ? std::optional(total) : std::nullopt;
    }
    ++expected;
  }
  return std::nullopt;
}

bool ConversionScope::is_warcinfo_of_arc(std::string_view id) const {
  return state_->warcinfos_of_arc.find(id) != state_->warcinfos_of_arc.end();
}

}  // namespace fonds::warc
