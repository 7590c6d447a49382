#include "base/time_pattern_shape.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "base/time_pattern_parts.hpp"

namespace fonds {

namespace {

constexpr char kAllBits = '\xFF';
constexpr char kDigitBits = '\xF0';  // of '0' to '9' they are those of '0'

// Which bits of which bytes are known.
struct Bytes {
  std::string mask;
  std::string value;

  void add(std::size_t count, char bits, char known) {
    mask.append(count, bits);
    value.append(count, known);
  }
  void add(std::string_view text) {
    mask.append(text.size(), kAllBits);
    value.append(text);
  }
  void add(const Bytes& other) {
    mask += other.mask;
    value += other.value;
  }
};

// The texts of one part.
struct PartShape {
  std::size_t shortest = 0;
  std::size_t longest = 0;
  Bytes bytes = {};  // if they all have the same length
};

PartShape of_any(std::size_t shortest, std::size_t longest) {
  PartShape shape{.shortest = shortest, .longest = longest};
  if (shortest == longest) {
    shape.bytes.add(shortest, '\0', '\0');
  }
  return shape;
}

PartShape of_text(std::string_view text) {
  PartShape shape{.shortest = text.size(), .longest = text.size()};
  shape.bytes.add(text);
  return shape;
}

PartShape of_digits(std::size_t count) {
  PartShape shape{.shortest = count, .longest = count};
  shape.bytes.add(count, kDigitBits, '0');
  return shape;
}

PartShape shape_of(const TimePart& part) {
  switch (part.field) {
    case TimeField::Literal:
    case TimeField::Offset:
    case TimeField::NamedOffset:
      return of_text(part.text);
    case TimeField::Backslash:
      return of_text("\\");
    case TimeField::LeapSecond:
      return of_text("60");
    case TimeField::MonthName:
    case TimeField::WeekdayName: {
      const auto [least, most] =
          std::minmax_element(part.names.begin(), part.names.end(),
                              [](const auto& a, const auto& b) { return a.size() < b.size(); });
      return of_any(least->size(), most->size());
    }
    case TimeField::DayBlank:
    case TimeField::HourBlank:
    case TimeField::Hour12Blank:
    case TimeField::HalfDay:
      return of_any(2, 2);
    case TimeField::Year:
      return of_digits(4);
    case TimeField::Fraction3:
      return of_digits(3);
    case TimeField::Fraction6:
      return of_digits(6);
    case TimeField::Fraction9:
      return of_digits(9);
    case TimeField::FractionTrimmed:
      return of_any(1, 9);
    case TimeField::EpochSeconds:
    case TimeField::EpochMs:
    case TimeField::EpochUs:
    case TimeField::EpochNs:
      return of_any(1, 20);  // longer ones are beyond 64 bits
    default:
      return of_digits(2);
  }
}

}  // namespace

TimeShape::TimeShape(const TimeParts& parts) {
  Bytes head;
  Bytes tail;
  bool head_known = true;  // no part of unknown length so far
  for (const TimePart& part : parts.parts) {
    const PartShape shape = shape_of(part);
    shortest_ += shape.shortest;
    longest_ += shape.longest;
    if (shape.shortest == shape.longest) {
      tail.add(shape.bytes);
      if (head_known) {
        head.add(shape.bytes);
      }
    } else {
      head_known = false;
      tail = {};
    }
  }
  head.add(kHead - std::min(kHead, head.mask.size()), '\0', '\0');
  std::memcpy(head_mask_.data(), head.mask.data(), kHead);
  std::memcpy(head_.data(), head.value.data(), kHead);
  Bytes end;
  end.add(kTail - std::min(kTail, tail.mask.size()), '\0', '\0');
  end.add(tail);
  std::memcpy(&tail_mask_, end.mask.data() + end.mask.size() - kTail, kTail);
  std::memcpy(&tail_, end.value.data() + end.value.size() - kTail, kTail);
}

}  // namespace fonds
