// Picks the lines of a text that may match a query, without parsing them.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "query/needed_texts.hpp"

namespace fonds::lines {

// Looks for a text by the octet of it that is rarest.
class TextFinder {
 public:
  explicit TextFinder(std::string text) : text_(std::move(text)) {}

  // Chooses the octet by a sample of what will be searched. Finds the same without it.
  void learn(std::string_view sample);
  // From `from` on; npos if it is not there.
  std::size_t find(std::string_view in, std::size_t from) const;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::size_t rare_ = 0;
  bool frequent_ = false;  // even the rarest octet
};

class LineSieve {
 public:
  explicit LineSieve(query::NeededTexts needed);

  // Chooses how to search by the beginning of a text. Picks the same without it.
  void learn(std::string_view text);

  // Calls `use(begin, end)` for each line of `text` that may match, in order, without its LF, and
  // passes over the others. An error of `use` ends it.
  template <typename Use>
  auto for_each(std::string_view text, Use&& use) -> decltype(use(0, 0)) {
    start(text);
    std::size_t begin = 0;
    std::size_t end = 0;
    while (next(text, begin, end)) {
      if (auto status = use(begin, end); !status) {
        return status;
      }
    }
    return {};
  }

 private:
  void start(std::string_view text);
  bool next(std::string_view text, std::size_t& begin, std::size_t& end);
  bool holds_all(std::string_view line) const;

  query::NeededTexts needed_;
  std::vector<TextFinder> finders_;  // of the first clause, and of what may hide it
  std::vector<std::size_t> found_;   // where each stands next
  std::size_t at_ = 0;               // behind the last line
};

}  // namespace fonds::lines
