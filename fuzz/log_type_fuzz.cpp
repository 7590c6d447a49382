// Log types, their variables and the spelling of numbers: the first byte chooses the generation,
// the rest is a string, a stored log type and a number. What is split must join, what is encoded
// decode.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "format/clps/reading/float_format.hpp"
#include "format/clps/reading/log_type.hpp"
#include "require.hpp"

namespace {

using fonds::clps::Generation;
using fonds::clps::LogType;
using fonds::clps::Placeholder;
using fonds::clps::SplitVariable;
using fonds::fuzz::require;

void check_split(std::string_view text, Generation generation) {
  std::string stored;
  std::vector<SplitVariable> variables;
  fonds::clps::split_text(text, generation, stored, variables);
  bool malformed = false;
  const LogType type = LogType::parse(stored, generation, malformed);
  require(!malformed && type.variables() == variables.size());
  std::string joined;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    joined += type.literal(type.segments()[i]);
    const SplitVariable& variable = variables[i];
    if (variable.placeholder == Placeholder::Dictionary) {
      joined += variable.text;
    } else if (variable.placeholder == Placeholder::Float) {
      require(fonds::clps::append_float(variable.word, generation, joined));
    } else {
      const auto value = static_cast<std::int64_t>(variable.word);
      require(generation == Generation::New || !fonds::clps::dictionary_id(value));
      fonds::clps::append_integer(value, joined);
    }
  }
  joined += type.tail();
  require(joined == text);
}

void check_stored(std::string_view stored, Generation generation) {
  bool malformed = false;
  const LogType type = LogType::parse(stored, generation, malformed);
  require(type.variables() == fonds::clps::count_placeholders(stored, generation));
  std::size_t length = type.tail().size();
  for (const fonds::clps::Segment& segment : type.segments()) {
    length += type.literal(segment).size();
  }
  require(length == type.text().size() && length + type.variables() <= stored.size());
}

void check_words(std::string_view bytes, Generation generation) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data(), std::min(bytes.size(), sizeof word));
  std::string text;
  if (!fonds::clps::append_float(word, generation, text)) {
    require(text.empty());
  } else {
    require(text.size() <= 18);
  }
  const auto format = static_cast<std::uint16_t>(word >> 48 ^ word);
  if (fonds::clps::valid_float_format(format)) {
    fonds::clps::print_formatted_float(std::bit_cast<double>(word), format, text);
  }
  fonds::clps::print_plain_float(std::bit_cast<double>(word), text);
}

void check_number(std::string_view text) {
  const auto format = fonds::clps::float_format_of(text);
  if (!format) {
    return;
  }
  require(fonds::clps::valid_float_format(*format));
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  std::string printed;
  fonds::clps::print_formatted_float(value, *format, printed);
  require(printed == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const Generation generation = data[0] % 2 == 0 ? Generation::New : Generation::Old;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  check_split(rest, generation);
  check_stored(rest, generation);
  check_words(rest, generation);
  check_number(rest);
  return 0;
}
