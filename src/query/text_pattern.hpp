// A pattern with wildcards, prepared for many texts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "query/fold_case.hpp"

namespace fonds::query {

// What `?` takes.
enum class OneMark : unsigned char { CodePoint, Octet };

class TextPattern {
 public:
  // `pattern` as Literal has it: `\` escapes; a lone one at the end stands for itself.
  TextPattern(std::string_view pattern, Folding folding, OneMark one);

  // Whether the whole text matches. Octets that are no UTF-8 count one code point each.
  //
  // Never more than (octets of the text) × (octets of the pattern) steps, and hardly more than
  // either without `?`.
  bool matches(std::string_view text) const;

  // The text that alone can match, folded; nothing if the pattern has wildcards.
  std::optional<std::string_view> exact() const;
  // The pieces between wildcards, folded, none of them empty.
  const std::vector<std::string>& pieces() const { return pieces_; }

 private:
  // A literal text and how many `?` stand behind it.
  struct Part {
    std::string text;
    std::size_t marks = 0;
  };
  // What lies between two stars. Only the first one of a pattern may begin with an empty text.
  using Segment = std::vector<Part>;

  void add_mark();
  void add_star();
  void add_octet(char c);
  bool matches_folded(std::string_view text) const;
  bool step_over(std::string_view text, std::size_t& at, std::size_t marks) const;
  bool step_back_over(std::string_view text, std::size_t& at, std::size_t marks) const;
  bool match_forward(const Segment& segment, std::string_view text, std::size_t& at) const;
  bool match_backward(const Segment& segment, std::string_view text, std::size_t& end) const;
  bool find(const Segment& segment, std::string_view text, std::size_t& at) const;

  Folding folding_;
  OneMark one_;
  std::vector<Segment> segments_;  // never empty; a star between each two
  std::vector<std::string> pieces_;
};

}  // namespace fonds::query
