#include "format/clps/reading/float_format.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/text.hpp"

namespace fonds::clps {

namespace {

// The format word, from its highest bit to its lowest; the five bits below are 0.
constexpr unsigned kUpperCase = 0x8000;
constexpr unsigned kScientific = 0x4000;
constexpr unsigned kSignShift = 12;
constexpr unsigned kExponentShift = 10;
constexpr unsigned kDigitsShift = 5;
constexpr unsigned kMostDigits = 17;
constexpr std::size_t kSureDigits = 15;
constexpr std::size_t kSureLength = 64;  // far from numbers that a double has fewer digits for

enum class ExponentSign : std::uint8_t { None = 0, Plus = 1, Minus = 2 };

ExponentSign sign_of(unsigned word) { return static_cast<ExponentSign>((word >> kSignShift) & 3); }
std::size_t exponent_digits_of(unsigned word) { return ((word >> kExponentShift) & 3) + 1; }
unsigned digits_of(unsigned word) { return ((word >> kDigitsShift) & 31) + 1; }

// "-d.ddde+XX" taken apart.
struct Scientific {
  std::array<char, 32> buffer = {};
  bool negative = false;
  std::string_view mantissa;         // with its point, without sign
  std::string_view exponent_digits;  // two or three
  int exponent = 0;
};

// False for inf and nan, which have no exponent.
bool to_scientific(double value, unsigned digits, Scientific& out) {
  char* const begin = out.buffer.data();
  const char* const end = std::to_chars(begin, begin + out.buffer.size(), value,
                                        std::chars_format::scientific, static_cast<int>(digits) - 1)
                              .ptr;
  std::string_view text(begin, static_cast<std::size_t>(end - begin));
  out.negative = text.starts_with('-');
  if (out.negative) {
    text.remove_prefix(1);
  }
  const std::size_t e = text.find('e');
  if (e == std::string_view::npos || !is_digit(text[0])) {
    return false;
  }
  out.mantissa = text.substr(0, e);
  out.exponent_digits = text.substr(e + 2);
  for (const char c : out.exponent_digits) {
    out.exponent = out.exponent * 10 + (c - '0');
  }
  if (text[e + 1] == '-') {
    out.exponent = -out.exponent;
  }
  return true;
}

void print_decimal(const Scientific& number, std::string& out) {
  std::array<char, kMostDigits> digits;
  std::size_t count = 0;
  for (const char c : number.mantissa) {
    if (c != '.') {
      digits[count++] = c;
    }
  }
  if (number.exponent < 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-number.exponent - 1), '0');
    out.append(digits.data(), count);
    return;
  }
  const std::size_t whole = static_cast<std::size_t>(number.exponent) + 1;
  if (whole < count) {
    out.append(digits.data(), whole);
    out += '.';
    out.append(digits.data() + whole, count - whole);
    return;
  }
  out.append(digits.data(), count);
  out.append(whole - count, '0');
}

void print_scientific(const Scientific& number, unsigned word, std::string& out) {
  out += number.mantissa;
  out += (word & kUpperCase) != 0 ? 'E' : 'e';
  switch (sign_of(word)) {
    case ExponentSign::Plus:
      out += '+';
      break;
    case ExponentSign::Minus:
      out += '-';
      break;
    default:
      break;
  }
  std::string_view exponent = number.exponent_digits;
  const std::size_t wanted = exponent_digits_of(word);
  while (exponent.size() > wanted && exponent[0] == '0') {
    exponent.remove_prefix(1);
  }
  if (exponent.size() < wanted) {
    out.append(wanted - exponent.size(), '0');
  }
  out += exponent;
}

// A JSON number in its parts, as they stand in the text.
struct Spelling {
  std::string_view whole;
  std::string_view decimals;
  char exponent_letter = '\0';
  ExponentSign exponent_sign = ExponentSign::None;
  std::size_t exponent_digits = 1;
};

class SpellingParser {
 public:
  explicit SpellingParser(std::string_view text) : rest_(text) {}

  std::optional<Spelling> parse() {
    take('-');
    Spelling result;
    result.whole = take_digits();
    if (result.whole.empty() || (result.whole.size() > 1 && result.whole[0] == '0')) {
      return std::nullopt;
    }
    const bool point = take('.');
    result.decimals = point ? take_digits() : std::string_view();
    if (point && result.decimals.empty()) {
      return std::nullopt;
    }
    if (rest_.starts_with('e') || rest_.starts_with('E')) {
      result.exponent_letter = rest_[0];
      rest_.remove_prefix(1);
      result.exponent_sign = take('+')   ? ExponentSign::Plus
                             : take('-') ? ExponentSign::Minus
                                         : ExponentSign::None;
      result.exponent_digits = take_digits().size();
    }
    const bool integer = !point && result.exponent_letter == '\0';
    if (integer || result.exponent_digits == 0 || !rest_.empty()) {
      return std::nullopt;
    }
    return result;
  }

 private:
  bool take(char c) {
    if (!rest_.starts_with(c)) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view take_digits() {
    std::size_t count = 0;
    while (count < rest_.size() && is_digit(rest_[count])) {
      ++count;
    }
    const std::string_view digits = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return digits;
  }

  std::string_view rest_;
};

std::size_t significant_digits(const Spelling& number) {
  const std::size_t all = number.whole.size() + number.decimals.size();
  if (number.whole != "0") {
    return all;
  }
  const std::size_t first = number.decimals.find_first_not_of('0');
  return first == std::string_view::npos ? all : number.decimals.size() - first;
}

}  // namespace

bool valid_float_format(std::uint16_t word) noexcept {
  const bool upper_decimal = (word & (kUpperCase | kScientific)) == kUpperCase;
  const bool low_bits = (word & 31U) != 0;
  return !upper_decimal && !low_bits && ((word >> kSignShift) & 3U) != 3 &&
         digits_of(word) <= kMostDigits;
}

void print_formatted_float(double value, std::uint16_t word, std::string& out) {
  Scientific number;
  if (!to_scientific(value, digits_of(word), number)) {
    print_plain_float(value, out);
    return;
  }
  if (number.negative) {
    out += '-';
  }
  if ((word & kScientific) != 0) {
    print_scientific(number, word, out);
  } else {
    print_decimal(number, out);
  }
}

void print_plain_float(double value, std::string& out) {
  std::array<char, 328> buffer;  // a sign, 309 digits, a point, 6 digits
  char* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                  std::chars_format::fixed, 6)
                        .ptr;
  out.append(buffer.data(), end);
}

std::optional<std::uint16_t> float_format_of(std::string_view json_number) {
  double value = 0;
  const char* const begin = json_number.data();
  if (std::from_chars(begin, begin + json_number.size(), value).ec != std::errc()) {
    return std::nullopt;
  }
  return float_format_of(json_number, value);
}

std::optional<std::uint16_t> float_format_of(std::string_view json_number, double value) {
  const std::optional<Spelling> spelling = SpellingParser(json_number).parse();
  if (!spelling || spelling->exponent_digits > 4) {
    return std::nullopt;
  }
  const bool scientific = spelling->exponent_letter != '\0';
  const std::size_t digits = significant_digits(*spelling);
  if (digits > kMostDigits ||
      (scientific && !spelling->decimals.empty() && spelling->whole.size() != 1)) {
    return std::nullopt;
  }
  unsigned word = static_cast<unsigned>(digits - 1) << kDigitsShift;
  if (scientific) {
    word |= kScientific | (spelling->exponent_letter == 'E' ? kUpperCase : 0U);
    word |= static_cast<unsigned>(spelling->exponent_sign) << kSignShift;
    word |= static_cast<unsigned>(spelling->exponent_digits - 1) << kExponentShift;
  }
  const auto result = static_cast<std::uint16_t>(word);
  // A double keeps 15 digits, so that a short number that begins with a digit comes back.
  const bool nonzero = json_number.find_first_of("123456789") != std::string_view::npos;
  if (!scientific && digits <= kSureDigits && nonzero && json_number.size() <= kSureLength) {
    return result;
  }
  std::string printed;
  print_formatted_float(value, result, printed);
  return printed == json_number ? std::optional(result) : std::nullopt;
}

}  // namespace fonds::clps
