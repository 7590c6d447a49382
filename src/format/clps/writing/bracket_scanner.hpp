// Where a JSON document ends: brackets counted outside of strings, piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fonds::clps {

// Follows one document from its first bracket on. It does not check the document: it only gives up
// where going on would take later documents into a broken one.
class BracketScanner {
 public:
  enum class State : std::uint8_t {
    Open,      // the document goes on
    Complete,  // its last bracket was the octet before position()
    Broken,    // the octet at position() can not follow
  };
  // Brackets inside of each other; more are no document.
  static constexpr std::size_t kMaxDepth = 65536;

  // The next octet to be looked at is the first bracket, at `offset`.
  void start(std::uint64_t offset);
  // Looks at the octets [begin, end), which follow those of the calls before; stops where it does
  // not return Open. A document is broken by a line feed in a string, by a bracket that opens or a
  // string where a `,` or `:` is missing before it, by a bracket that opens in place of a key, by a
  // bracket that closes another kind, and by too many brackets inside of each other. How the octets
  // are cut into calls makes no difference.
  State scan(const char* begin, const char* end);

  std::uint64_t first() const { return first_; }
  // Offset of the next octet to be looked at.
  std::uint64_t position() const { return position_; }
  // The offsets of the brackets that are open, ascending.
  std::vector<std::uint64_t> open_brackets() const;

 private:
  enum class Expect : std::uint8_t { Key, Colon, Value, After };
  const char* string(const char* at, const char* end);
  bool open(std::uint64_t offset, bool object);
  bool close(bool object);
  void value_ends() { expect_ = expect_ == Expect::Key ? Expect::Colon : Expect::After; }

  std::uint64_t first_ = 0;
  std::uint64_t position_ = 0;
  std::vector<std::uint64_t> open_;  // twice the offset, plus one for an object
  Expect expect_ = Expect::Value;
  bool in_string_ = false;
  bool escaped_ = false;  // the next octet of the string follows a backslash
};

}  // namespace fonds::clps
