#include "campaign/variants.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace fonds::campaign {
namespace {

// splitmix64: a standard engine may, its distributions do not give the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  // In [0, n); 0 if n is 0.
  std::uint64_t below(std::uint64_t n) { return n == 0 ? 0 : next() % n; }

 private:
  std::uint64_t state_;
};

class Maker {
 public:
  Maker(std::string_view good, const std::vector<std::uint64_t>& borders, Random random)
      : good_(good), borders_(borders), random_(random) {}

  Variant make(Kind kind) {
    variant_.kind = kind;
    variant_.bytes = good_;
    if (!good_.empty()) {
      apply(kind);
    }
    return std::move(variant_);
  }

 private:
  void apply(Kind kind) {
    switch (kind) {
      case Kind::Flip:
        return flip();
      case Kind::Cut: {
        const ByteRange range = stretch();
        variant_.bytes.erase(range.offset, range.length);
        return touch(range);
      }
      case Kind::Insert: {
        const std::uint64_t at = place();
        variant_.bytes.insert(at, filling());
        return touch({at, 0});
      }
      case Kind::Double: {
        const ByteRange range = stretch();
        const std::uint64_t end = range.offset + range.length;
        variant_.bytes.insert(end, good_.substr(range.offset, range.length));
        return touch({end, 0});
      }
      case Kind::Zero: {
        const ByteRange range = stretch();
        std::fill_n(variant_.bytes.begin() + static_cast<std::ptrdiff_t>(range.offset),
                    range.length, '\0');
        return touch(range);
      }
      case Kind::Truncate: {
        const std::uint64_t at = place();
        variant_.bytes.resize(at);
        return touch({at, good_.size() - at});
      }
      case Kind::Swap:
        return swap();
      case Kind::Digit:
        return digit();
    }
  }

  void touch(ByteRange range) { variant_.touched.push_back(range); }

  // Anywhere, or where a unit begins or shortly behind.
  std::uint64_t place() {
    const std::uint64_t how = random_.below(8);
    if (how < 6 || borders_.empty()) {
      return random_.below(good_.size());
    }
    const std::uint64_t border = borders_[random_.below(borders_.size())];
    return std::min<std::uint64_t>(border + (how == 6 ? 0 : random_.below(40)), good_.size() - 1);
  }
  // Mostly short, sometimes whole units, sometimes up to a quarter of the file.
  ByteRange stretch() {
    const std::uint64_t from = place();
    const std::uint64_t how = random_.below(8);
    std::uint64_t length = 1 + random_.below(how < 3 ? 8 : how < 6 ? 600 : good_.size() / 4 + 1);
    if (how == 7 && !borders_.empty()) {
      const auto next = std::upper_bound(borders_.begin(), borders_.end(), from);
      length = (next == borders_.end() ? good_.size() : *next) - from;
    }
    return {from, std::min(length, good_.size() - from)};
  }

  void flip() {
    for (std::uint64_t n = 1 + (random_.below(2) == 0 ? 0 : random_.below(8)); n > 0; --n) {
      const std::uint64_t at = place();
      char& hit = variant_.bytes[at];
      hit = static_cast<char>(static_cast<unsigned char>(hit) ^ (1U << random_.below(8)));
      touch({at, 1});
    }
  }

  // Noise, equal bytes, or something that looks like the beginning of a record or a unit.
  std::string filling() {
    using namespace std::string_literals;
    const std::array<std::string, 8> known = {
        "WARC/1.0\r\n",
        "WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 100\r\n\r\n",
        "http://example.com/ 192.0.2.1 20200102030406 text/html 10\n",
        "warc/00.11 60 20070101000000 - w1\r\n\r\n",
        "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"s,
        "\x28\xb5\x2f\xfd"s,
        "\x04\x22\x4d\x18"s,
        "\r\n\r\n"};
    const std::uint64_t how = random_.below(4);
    if (how == 0) {
      return known[random_.below(known.size())];
    }
    std::string bytes(1 + random_.below(how == 1 ? 8 : 900), how == 2 ? '\0' : ' ');
    if (how != 2) {
      for (char& c : bytes) {
        c = static_cast<char>(random_.next());
      }
    }
    return bytes;
  }

  void swap() {
    ByteRange a = stretch(), b = stretch();
    if (b.offset < a.offset) {
      std::swap(a, b);
    }
    a.length = std::min(a.length, b.offset - a.offset);
    if (a.length == 0) {
      variant_.bytes.erase(b.offset, b.length);  // one upon the other: taken out instead
      return touch(b);
    }
    const std::uint64_t end = a.offset + a.length;
    variant_.bytes = std::string(good_.substr(0, a.offset));
    variant_.bytes += good_.substr(b.offset, b.length);
    variant_.bytes += good_.substr(end, b.offset - end);
    variant_.bytes += good_.substr(a.offset, a.length);
    variant_.bytes += good_.substr(b.offset + b.length);
    touch(a);
    touch(b);
  }

  // A digit becomes another; of bytes without digits any byte.
  void digit() {
    const std::uint64_t from = place();
    const std::size_t found = good_.find_first_of("0123456789", from);
    const std::size_t at = found == std::string_view::npos ? from : found;
    variant_.bytes[at] = static_cast<char>('0' + random_.below(10));
    touch({at, 1});
  }

  std::string_view good_;
  const std::vector<std::uint64_t>& borders_;
  Random random_;
  Variant variant_;
};

}  // namespace

std::string_view kind_name(Kind kind) {
  constexpr std::array<std::string_view, kKinds> kNames = {"flip", "cut",      "insert", "double",
                                                           "zero", "truncate", "swap",   "digit"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool Variant::touches(std::uint64_t from, std::uint64_t to) const {
  return std::ranges::any_of(touched, [&](const ByteRange& range) {
    return range.length == 0 ? from < range.offset && range.offset < to
                             : range.offset < to && from < range.offset + range.length;
  });
}

bool Variant::moves(std::uint64_t offset, std::uint64_t grid) const {
  if (kind != Kind::Swap || touched.size() != 2) {
    return false;
  }
  const ByteRange& a = touched[0];
  const ByteRange& b = touched[1];
  return a.offset < offset && offset < b.offset && (b.length - a.length) % grid != 0;
}

std::uint64_t Variant::first() const {
  std::uint64_t first = ~std::uint64_t{0};
  for (const ByteRange& range : touched) {
    first = std::min(first, range.offset);
  }
  return first;
}

Variant make_variant(std::string_view good, const std::vector<std::uint64_t>& borders,
                     std::uint64_t seed, std::uint64_t number) {
  Random random(seed * 0x2545F4914F6CDD1DU + number);
  random.next();
  const auto kind = static_cast<Kind>(random.below(kKinds));
  return Maker(good, borders, random).make(kind);
}

}  // namespace fonds::campaign
