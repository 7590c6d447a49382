// A pattern with wildcards, prepared for many texts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/query.hpp>

#include "query/fold_case.hpp"

namespace fonds::query {

// What `?` takes.
enum class OneMark : unsigned char { CodePoint, Octet };

class TextPattern {
 public:
  // A literal text and how many `?` stand behind it.
  struct Part {
    std::string text;
    std::size_t marks = 0;
  };
  // What lies between two stars. Only the first one of a pattern may begin with an empty text, and
  // the last one be empty.
  using Segment = std::vector<Part>;

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

  // For those who match piece by piece; texts are folded already.
  Folding folding() const { return folding_; }
  const std::vector<Segment>& segments() const { return segments_; }  // never empty
  // Moves `at` over so many characters; false if the text ends before.
  bool step_over(std::string_view text, std::size_t& at, std::size_t marks) const;
  // Where the segment stands at `at`, moves `at` behind it.
  bool match_forward(const Segment& segment, std::string_view text, std::size_t& at) const;
  // Where the segment ends at `end`, moves `end` before it.
  bool match_backward(const Segment& segment, std::string_view text, std::size_t& end) const;

 private:
  void add_mark();
  void add_star();
  void add_octet(char c);
  bool matches_folded(std::string_view text) const;
  bool step_back_over(std::string_view text, std::size_t& at, std::size_t marks) const;
  bool find(const Segment& segment, std::string_view text, std::size_t& at) const;

  Folding folding_;
  OneMark one_;
  std::vector<Segment> segments_;  // never empty; a star between each two
  std::vector<std::string> pieces_;
};

// What texts have to be for the filter; nothing if it takes any text or none.
std::optional<TextPattern> text_pattern_of(const Filter& filter, const ParseOptions& options);

}  // namespace fonds::query
