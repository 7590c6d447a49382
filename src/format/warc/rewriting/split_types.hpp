// Which records of an archive belong together by media type, and dictionaries made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fonds/encoder.hpp>
#include <fonds/error.hpp>
#include <fonds/writing.hpp>

#include "format/warc/reading/record.hpp"

namespace fonds::warc {

inline constexpr std::size_t kMostGroups = 32;
inline constexpr std::string_view kOtherGroup = "other";

// Groups of records by media type. A first pass counts, then the largest groups are known.
class TypeGroups {
 public:
  // `memory`: bytes for what is remembered of ids; what passes that belongs to no response.
  explicit TypeGroups(std::uint64_t memory) : most_ids_(memory / 64) {}

  void count(const WarcRecord& record);
  // Keeps at most kMostGroups, the largest ones; the others become kOtherGroup.
  void settle();
  // The group of a record that was counted. Lives as long as this.
  std::string_view of(const WarcRecord& record) const;
  // In order of their names.
  std::vector<std::string_view> names() const;

 private:
  struct Group {
    std::uint64_t bytes = 0;
    bool kept = true;
  };
  using Groups = std::map<std::string, Group, std::less<>>;
  const std::string* own(const WarcRecord& record) const;
  void remember(std::string_view id, const Groups::value_type& group);
  const Groups::value_type* remembered(std::string_view id) const;

  Groups groups_;
  std::uint64_t most_ids_;
  std::unordered_map<std::uint64_t, const Groups::value_type*> by_id_;
};

// The media type of a record as part of a file name: "text-html"; empty if it has none of its own.
std::string group_name(const WarcRecord& record);

// A dictionary for each group, made of records of it; nothing where none pays. `groups` may be
// null: one group of the empty name. Errors: those of reading.
Result<std::map<std::string, ZstdDictionary, std::less<>>> train_for_groups(
    const Archive& archive, const RewriteOptions& options, const TypeGroups* groups, int level,
    std::uint64_t memory);

}  // namespace fonds::warc
