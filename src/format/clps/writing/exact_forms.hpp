// Forms: what the texts of events are made of. A form is literal text with values of the event's
// columns in between; most events of a log share a few. A value whose text is not what its column
// gives back is the event's own. docs/formats/clp-s.md has the layout.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "format/clps/writing/string_table.hpp"

namespace fonds::clps::writing {

void append_varint(std::string& out, std::uint64_t value);
// A text behind its length.
void append_counted(std::string& out, std::string_view text);

// `form` with the columns of a worker's table replaced by those of the archive's:
// `columns[local] + first`.
std::string translate_form(std::string_view form, const std::vector<std::uint32_t>& columns,
                           std::uint32_t first);

// The events of a table: of each its form, in their order.
class TableForms {
 public:
  void add(std::uint32_t form) {
    if (!runs_.empty() && runs_.back().first == form) {
      ++runs_.back().second;
    } else {
      runs_.emplace_back(form, 1);
    }
  }
  std::string own;
  const std::vector<std::pair<std::uint32_t, std::uint64_t>>& runs() const { return runs_; }

 private:
  std::vector<std::pair<std::uint32_t, std::uint64_t>> runs_;
};

// What lies between events: in front of the first one of an input, behind each.
class Gaps {
 public:
  // More of what lies behind the last event.
  void append(std::string_view text) { pending_ += text; }
  // The next event begins here; `text` is the rest of what lies before it.
  void event(std::string_view text) {
    if (pending_.empty()) {
      push(text);
    } else {
      pending_ += text;
      push(pending_);
      pending_.clear();
    }
  }
  // The input is over.
  void end_input() { event({}); }
  std::uint64_t held() const { return held_ + pending_.size(); }

  struct Run {
    std::string text;
    std::uint64_t count = 0;
  };
  const std::vector<Run>& runs() const { return runs_; }

 private:
  void push(std::string_view text) {
    if (!runs_.empty() && runs_.back().text == text) {
      ++runs_.back().count;
      return;
    }
    runs_.push_back({std::string(text), 1});
    held_ += sizeof(Run) + text.size();
  }
  std::vector<Run> runs_;
  std::string pending_;
  std::uint64_t held_ = 0;
};

}  // namespace fonds::clps::writing
