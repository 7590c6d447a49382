// Log types of clp-s archives: the constant text of a string with placeholders for its variables,
// and the variables' 64-bit encodings. docs/formats/clp-s.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fonds::clps {

// Archive version 0.4.0 changed the placeholders' bytes and the variables' encodings.
enum class Generation : std::uint8_t {
  Old,  // before 0.4.0
  New,
};

enum class Placeholder : std::uint8_t {
  Integer,              // New: append_integer()
  Dictionary,           // New: the variable is an id of the variable dictionary
  Float,                // append_float()
  IntegerOrDictionary,  // Old: dictionary_id(), else append_integer()
};

// Literal text and the placeholder behind it.
// A cell of a column of log types: the id in the lower bits, the place of its variables above.
inline constexpr unsigned kLogTypeBits = 24;
inline constexpr std::uint64_t kLogTypeMask = (std::uint64_t{1} << kLogTypeBits) - 1;

struct Segment {
  std::uint32_t offset = 0;  // into LogType::text()
  std::uint32_t length = 0;
  Placeholder placeholder = Placeholder::Integer;
};

class LogType {
 public:
  // Never fails, since the original reads anything. `malformed` is set if the log type ends in an
  // escape of nothing, which is left out, or has 4 GiB or more, of which nothing is read; it is
  // cleared otherwise.
  static LogType parse(std::string_view stored, Generation generation, bool& malformed);

  std::size_t variables() const noexcept { return segments_.size(); }
  const std::vector<Segment>& segments() const noexcept { return segments_; }

  // All literal text, unescaped, without placeholders.
  const std::string& text() const noexcept { return text_; }
  std::string_view literal(const Segment& segment) const noexcept {
    return std::string_view(text_).substr(segment.offset, segment.length);
  }
  // What stands behind the last placeholder; the whole text if there is none.
  std::string_view tail() const noexcept { return std::string_view(text_).substr(tail_); }

 private:
  std::string text_;
  std::vector<Segment> segments_;
  std::size_t tail_ = 0;
};

// The next placeholder at or behind `at` of a stored log type; `at` moves behind it. Nothing if
// none is left.
std::optional<Placeholder> next_placeholder(std::string_view stored, Generation generation,
                                            std::size_t& at) noexcept;

// LogType::variables() without the rest.
std::size_t count_placeholders(std::string_view stored, Generation generation) noexcept;

// Appends the text of a float variable. False, and nothing appended, if the word is not one: more
// decimals than digits or a number of more digits than it says.
bool append_float(std::uint64_t word, Generation generation, std::string& out);

void append_integer(std::int64_t value, std::string& out);

// The id in an IntegerOrDictionary variable; nothing if it is an integer.
std::optional<std::uint64_t> dictionary_id(std::int64_t value) noexcept;

// One variable of a string that was split.
struct SplitVariable {
  Placeholder placeholder = Placeholder::Integer;  // never IntegerOrDictionary
  std::string_view text = {};                      // of the string
  std::uint64_t word = 0;  // its encoding; 0 for Dictionary: an id is to be given
};

// Splits a string as the original does: appends the log type as it is stored, escaped, and its
// variables. They hold views into `text`.
void split_text(std::string_view text, Generation generation, std::string& log_type,
                std::vector<SplitVariable>& variables);

// How one token, a run of letters, digits and + - . \ _ (in Old archives / too), is encoded when it
// is a variable.
SplitVariable encode_variable(std::string_view token, Generation generation);

// The variable of an Old archive that stands for an id below 2^62 − 1.
std::int64_t old_dictionary_variable(std::uint64_t id) noexcept;

}  // namespace fonds::clps
