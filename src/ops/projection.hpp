// Some fields of records as JSON objects: `search --projection`.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fonds/format.hpp>
#include <fonds/query.hpp>

#include "base/json_writer.hpp"
#include "ops/record_filter.hpp"
#include "ops/scan.hpp"

namespace fonds::ops {

// Keys within the same object come together, where the first of them was named. A field without a
// value is left out, one with several is a list; a group of fields is an object of all that it has.
// `archive` and `index` are known besides the format's fields. One thread at a time.
class Projection {
 public:
  // The archive outlives the projection. Errors: those of FieldValues::make().
  static Result<std::unique_ptr<Projection>> make(const Archive& archive,
                                                  const std::vector<query::Path>& paths);

  // Takes the values of the record, before it is passed over. Errors: those of reading.
  Status read(RecordReader& reader, const Record& record);
  // A line with what was read.
  void append(const Record& record, Stretch& out) const;

 private:
  using Values = std::vector<std::string>;  // JSON
  struct Key {
    std::string name;
    std::vector<std::size_t> inner = {};  // keys
    bool group = false;
    // Of the record in hand.
    Values values = {};
    std::vector<std::pair<std::string, Values>> members = {};  // of a group
    std::unordered_map<std::string, std::size_t> places = {};  // of its members
  };

  explicit Projection(const Archive& archive) : archive_(archive) {}
  std::size_t add(const query::Path& path);
  bool has_value(const Key& key) const;
  static void add_member(Key& group, std::string_view name, std::string json);
  static void write_values(std::string_view name, const Values& values, JsonWriter& json,
                           std::string& out);
  void write(const Key& key, const Record& record, JsonWriter& json, Stretch& out) const;

  const Archive& archive_;
  std::vector<Key> keys_ = std::vector<Key>(1);  // the first is that of the whole object
  std::vector<std::size_t> of_path_;
  std::size_t archive_key_ = 0, index_key_ = 0;  // 0: not wanted
  std::unique_ptr<FieldValues> values_;
};

}  // namespace fonds::ops
