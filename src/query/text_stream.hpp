// Texts that are too long to be held, matched while they arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/query.hpp>

#include "query/fold_case.hpp"

namespace fonds::query {

class PatternStream;

// Asks several filters of one text, which arrives in pieces of any size: each is answered as
// ValueMatch::text() would answer it for the whole. Holds a few times as many octets as the
// patterns have, whatever the text is. Made once, used for many texts; one thread at a time.
class TextStream {
 public:
  enum class State : std::uint8_t { Undecided, Matched, Failed };

  // Copies what it needs. Filters that match no text at all (ranges, times) fail every text.
  TextStream(const std::vector<const Filter*>& filters, const ParseOptions& options);
  ~TextStream();
  TextStream(TextStream&&) noexcept;
  TextStream& operator=(TextStream&&) noexcept;

  // Before each text; before the first one too.
  void start();
  // What follows of the text. True while its rest can change an answer: once false, neither feed()
  // nor finish() need be called.
  bool feed(std::string_view piece);
  // The text has ended: nothing is undecided any more.
  void finish();

  // Of a filter, by its place in the list.
  State state(std::size_t filter) const;
  bool decided() const;  // none is undecided

 private:
  void feed_characters(std::string_view text);
  void feed_blocks(std::string_view text);
  void feed_block(std::string_view text);

  std::vector<PatternStream> streams_;
  // Characters are never given in parts, since they are counted or folded.
  bool by_characters_ = false;
  Folding folding_ = Folding::None;
  std::string begun_;  // a character that the pieces so far have not finished
  std::string folded_;
};

}  // namespace fonds::query
