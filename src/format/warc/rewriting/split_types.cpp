#include "format/warc/rewriting/split_types.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/text.hpp"
#include "codec/zstd/train.hpp"
#include "format/warc/rewriting/pass.hpp"

namespace fonds::warc {
namespace {

constexpr std::size_t kLongestName = 64;

std::uint64_t key_of(std::string_view id) { return std::hash<std::string_view>()(id); }

std::string_view http_type(const http::Head& head) {
  for (const http::HeaderField& field : head.fields) {
    if (equals_ignoring_case(field.name, "Content-Type")) {
      return field.value;
    }
  }
  return {};
}

// Letters that mean nothing to a shell or a file system.
std::string as_name(std::string_view type) {
  std::string name;
  for (const char c : trim(type.substr(0, type.find(';')))) {
    const char lower = to_lower(c);
    const bool plain = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9') ||
                       lower == '+' || lower == '.';
    name += plain ? lower : '-';
  }
  name.resize(std::min(name.size(), kLongestName));
  return name.starts_with('.') ? "-" + name.substr(1) : name;
}

}  // namespace

std::string group_name(const WarcRecord& record) {
  const std::string_view type = record.header.type;
  if (type == "request" || type == "metadata" || type == "warcinfo" || type == "continuation") {
    return {};
  }
  if (record.has_http) {
    return as_name(http_type(record.http));
  }
  const bool http_type = starts_with_ignoring_case(record.header.content_type, "application/http");
  return http_type ? std::string() : as_name(record.header.content_type);
}

void TypeGroups::remember(std::string_view id, const Groups::value_type& group) {
  if (!id.empty() && by_id_.size() < most_ids_) {
    by_id_.try_emplace(key_of(id), &group);
  }
}

void TypeGroups::count(const WarcRecord& record) {
  std::string name = group_name(record);
  if (name.empty()) {
    return;
  }
  constexpr std::size_t kMostNames = 65536;
  if (groups_.size() >= kMostNames && !groups_.contains(name)) {
    name = kOtherGroup;
  }
  const auto group = groups_.try_emplace(std::move(name)).first;
  group->second.bytes += record.header.block_length;
  remember(record.header.id, *group);
  for (const std::string_view id : record.header.concurrent_to) {
    remember(id, *group);
  }
}

void TypeGroups::settle() {
  std::vector<Groups::value_type*> all;
  for (auto& group : groups_) {
    all.push_back(&group);
  }
  std::ranges::stable_sort(
      all, [](const auto* a, const auto* b) { return a->second.bytes > b->second.bytes; });
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i]->second.kept = i + 1 < kMostGroups;  // one is for the others
  }
}

const TypeGroups::Groups::value_type* TypeGroups::remembered(std::string_view id) const {
  const auto found = id.empty() ? by_id_.end() : by_id_.find(key_of(id));
  return found == by_id_.end() ? nullptr : found->second;
}

std::string_view TypeGroups::of(const WarcRecord& record) const {
  const Groups::value_type* group = nullptr;
  const std::string name = group_name(record);
  if (const auto found = groups_.find(name); !name.empty() && found != groups_.end()) {
    group = &*found;
  }
  const Header& header = record.header;
  if (group == nullptr && header.type != "warcinfo") {
    group = remembered(header.id);  // a response names it
    for (const std::string_view id : header.concurrent_to) {
      group = group == nullptr ? remembered(id) : group;
    }
    group = group == nullptr ? remembered(header.refers_to) : group;
    group = group == nullptr ? remembered(header.segment_origin) : group;
  }
  return group != nullptr && group->second.kept ? std::string_view(group->first) : kOtherGroup;
}

std::vector<std::string_view> TypeGroups::names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, group] : groups_) {
    if (group.kept) {
      names.push_back(name);
    }
  }
  if (!std::ranges::count(names, kOtherGroup)) {
    names.push_back(kOtherGroup);
  }
  return names;
}

namespace {

// What a dictionary is made of: the record as it will be compressed, up to `most` octets.
Status add_sample(Pass& pass, const WarcRecord& record, zstd::DictionarySampler& sampler) {
  if (!sampler.wants_next()) {
    sampler.pass();
    return {};
  }
  std::string sample(as_text(record.raw_header()));
  if (sample.size() < sampler.most()) {
    FONDS_TRY(const ByteView block, pass.reader().peek_block(sampler.most() - sample.size()));
    sample += as_text(block.first(std::min(block.size(), sampler.most() - sample.size())));
  }
  sampler.add(as_bytes(std::string_view(sample).substr(0, sampler.most())));
  return {};
}

}  // namespace

Result<std::map<std::string, ZstdDictionary, std::less<>>> train_for_groups(
    const Archive& archive, const RewriteOptions& options, const TypeGroups* groups, int level,
    std::uint64_t memory) {
  const std::size_t count = groups == nullptr ? 1 : groups->names().size();
  const zstd::DictionarySampler::Options sampling{
      .budget = std::min<std::uint64_t>(std::uint64_t{64} << 20, memory / count)};
  std::map<std::string, zstd::DictionarySampler, std::less<>> samplers;
  RewriteOptions quiet = options;
  quiet.on_finding = {};  // they are told when the records are written
  quiet.progress = {};
  quiet.skip_damaged = true;
  quiet.read.search_damaged = options.skip_damaged;
  FONDS_TRY(Pass pass, Pass::open(archive, quiet, groups != nullptr));
  while (true) {
    FONDS_TRY(const WarcRecord* const record, pass.next());
    if (record == nullptr) {
      break;
    }
    const std::string_view group = groups == nullptr ? std::string_view() : groups->of(*record);
    auto at = samplers.find(group);
    if (at == samplers.end()) {
      at = samplers.emplace(group, zstd::DictionarySampler(sampling)).first;
    }
    FONDS_CHECK(add_sample(pass, *record, at->second));
    FONDS_CHECK(pass.finish());
  }
  std::map<std::string, ZstdDictionary, std::less<>> dictionaries;
  for (auto& [name, sampler] : samplers) {
    const std::uint64_t records = sampler.seen();
    const auto samples = sampler.take();
    auto made = zstd::train_dictionary(samples.training, zstd::kUsualDictionary, level);
    if (!made) {
      if (made.error().code() == ErrorCode::BadArgument) {
        continue;  // too few samples
      }
      return tl::unexpected(std::move(made.error()));
    }
    FONDS_TRY(const auto trial, zstd::judge_dictionary(samples.held_out, *made, level, records));
    if (trial.pays()) {
      dictionaries.emplace(name, std::move(*made));
    }
  }
  return dictionaries;
}

}  // namespace fonds::warc
