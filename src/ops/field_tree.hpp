// The keys of events as a tree: what `info --deep` shows of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <fonds/events.hpp>

#include "base/json_writer.hpp"

namespace fonds::ops {

// Takes fields as Format::event_fields gives them. Of a tree without bounds it keeps the beginning.
class FieldTree {
 public:
  void take(const EventField& field);

  // One line a key, indented below what encloses it; the elements of an array are `[]`.
  const std::string& text() const { return text_; }
  // The members "fields" and, if not all are there, "fields_left_out" of an object.
  void append_to(JsonWriter& json) const;
  std::uint64_t left_out() const { return left_out_; }

 private:
  struct Entry {
    std::string path;
    std::string type;
    std::uint64_t events = 0;
  };
  std::string text_;
  std::vector<Entry> leaves_;
  std::vector<std::string> around_;  // paths of the keys around the next one
  std::uint64_t taken_ = 0, left_out_ = 0;
  std::size_t held_ = 0;  // bytes of paths
};

}  // namespace fonds::ops
