#include "format/clps/writing/last_wins.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/guarded.hpp"
#include "base/utf8.hpp"

namespace fonds::clps {
namespace {

struct Range {
  std::size_t begin = 0, end = 0;
};
struct Pair {
  std::size_t begin = 0;  // of the key, with its quote
  std::string_view key;   // without quotes and escapes
  Range value;
};
// An object with members of the same key, and what stays of it, in order.
struct Edit {
  struct Kept {
    Range key;    // of the first such member, up to its value
    Range value;  // of the last one
  };
  Range object;
  std::vector<Kept> kept;
  std::uint64_t dropped = 0;
};

// The number that four hexadecimal digits at `at` say, if they are there.
std::optional<char32_t> hex4(std::string_view text, std::size_t at) {
  if (text.size() < at + 4) {
    return std::nullopt;
  }
  char32_t value = 0;
  for (const char c : text.substr(at, 4)) {
    const std::size_t digit = std::string_view("0123456789abcdefABCDEF").find(c);
    if (digit == std::string_view::npos) {
      return std::nullopt;
    }
    value = value * 16 + static_cast<char32_t>(digit < 16 ? digit : digit - 6);
  }
  return value;
}

constexpr char32_t kReplacement = 0xFFFD;
bool is_high(char32_t value) { return value >= 0xD800 && value < 0xDC00; }
bool is_low(char32_t value) { return value >= 0xDC00 && value < 0xE000; }

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      out += text[at++];
      continue;
    }
    const char c = text[at + 1];
    const std::size_t simple = std::string_view("bfnrt").find(c);
    const auto unit = c == 'u' ? hex4(text, at + 2) : std::nullopt;
    if (!unit) {
      out += simple == std::string_view::npos ? c : "\b\f\n\r\t"[simple];
      at += 2;
      continue;
    }
    at += 6;
    char32_t value = *unit;
    if (is_high(value) && text.substr(at, 2) == "\\u") {
      if (const auto low = hex4(text, at + 2); low && is_low(*low)) {
        value = 0x10000 + ((value - 0xD800) << 10U) + (*low - 0xDC00);
        at += 6;
      }
    }
    utf8::append(out, is_high(value) || is_low(value) ? kReplacement : value);
  }
  return out;
}

// What must change of an object that holds these members; nothing if all their keys differ.
std::optional<Edit> edit_of(Range object, std::span<const Pair> members) {
  std::vector<std::size_t> order(members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return std::pair(members[a].key, a) < std::pair(members[b].key, b);
  });
  std::vector<std::pair<std::size_t, std::size_t>> kept;  // first and last with a key
  for (const std::size_t i : order) {
    if (kept.empty() || members[kept.back().first].key != members[i].key) {
      kept.emplace_back(i, i);
    }
    kept.back().second = i;
  }
  if (kept.size() == members.size()) {
    return std::nullopt;
  }
  std::ranges::sort(kept);
  Edit edit{object, {}, members.size() - kept.size()};
  for (const auto& [first, last] : kept) {
    edit.kept.push_back({{members[first].begin, members[first].value.begin}, members[last].value});
  }
  return edit;
}

// Finds the objects that must change.
class Finder {
 public:
  Finder(std::string_view text, bool inside_arrays) : text_(text), inside_arrays_(inside_arrays) {}

  // By their places in the text.
  Result<std::vector<Edit>> find() {
    skip_blanks();
    if (here() != '{') {
      return wrong("an object should begin here");
    }
    FONDS_CHECK(value());
    while (!open_.empty()) {
      FONDS_CHECK(step());
    }
    skip_blanks();
    if (at_ < text_.size()) {
      return wrong("something follows the object");
    }
    std::ranges::sort(edits_, {}, [](const Edit& edit) { return edit.object.begin; });
    return std::move(edits_);
  }

 private:
  struct Frame {
    std::size_t begin;
    bool object;
    std::size_t members;  // how many there were before its own
    bool empty = true;
  };

  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() { go_to(text_.find_first_not_of(" \t\r\n", at_)); }
  void go_to(std::size_t found) { at_ = std::min(found, text_.size()); }
  tl::unexpected<Error> wrong(const char* what) const {
    return fail(ErrorCode::Corrupt, what, {.decoded_offset = at_});
  }

  // A value that is no container of interest ends here too.
  Status value() {
    const char c = here();
    if (c == '{' || (c == '[' && inside_arrays_)) {
      open_.push_back({at_++, c == '{', members_.size()});
      return {};
    }
    if (c == '[') {
      FONDS_CHECK(array());
    } else if (c == '"') {
      FONDS_CHECK(string());
    } else {
      const std::size_t begin = at_;
      go_to(text_.find_first_of(",:{}[]\" \t\r\n", at_));
      if (at_ == begin) {
        return wrong("a value should begin here");
      }
    }
    end_value();
    return {};
  }
  void end_value() {
    if (!open_.empty() && open_.back().object) {
      members_.back().value.end = at_;
    }
  }

  Status string() {
    for (++at_;; at_ += 2) {
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\') {
        ++at_;
      }
      if (here() == '"') {
        ++at_;
        return {};
      }
      if (text_.size() - at_ < 2) {
        return wrong("a string has no end");
      }
    }
  }

  // Steps over an array.
  Status array() {
    std::size_t depth = 0;
    do {
      go_to(text_.find_first_of("[]\"", at_));
      if (at_ == text_.size()) {
        return wrong("an array has no end");
      }
      if (here() == '"') {
        FONDS_CHECK(string());
        continue;
      }
      depth += here() == '[' ? 1U : ~std::size_t{0};
      ++at_;
    } while (depth > 0);
    return {};
  }

  // Goes on in the innermost container: a member or an element begins, or it ends.
  Status step() {
    skip_blanks();
    const bool object = open_.back().object;
    if (here() == (object ? '}' : ']')) {
      ++at_;
      end_container();
      return {};
    }
    if (!std::exchange(open_.back().empty, false)) {
      if (here() != ',') {
        return wrong(object ? "neither a comma nor the end of the object"
                            : "neither a comma nor the end of the array");
      }
      ++at_;
      skip_blanks();
    }
    if (object) {
      FONDS_CHECK(key());
    }
    return value();
  }

  Status key() {
    const std::size_t begin = at_;
    if (here() != '"') {
      return wrong("a key should begin here");
    }
    FONDS_CHECK(string());
    std::string_view name = text_.substr(begin + 1, at_ - begin - 2);
    if (name.find('\\') != std::string_view::npos) {
      name = unescaped_.emplace_back(unescaped(name));
    }
    skip_blanks();
    if (here() != ':') {
      return wrong("a colon should follow the key");
    }
    ++at_;
    skip_blanks();
    members_.push_back({begin, name, {at_, at_}});
    return {};
  }

  void end_container() {
    const Frame frame = open_.back();
    open_.pop_back();
    if (frame.object) {
      auto edit = edit_of({frame.begin, at_}, std::span(members_).subspan(frame.members));
      members_.resize(frame.members);
      if (edit) {
        edits_.push_back(std::move(*edit));
      }
    }
    end_value();
  }

  std::string_view text_;
  bool inside_arrays_;
  std::size_t at_ = 0;
  std::vector<Frame> open_;
  std::vector<Pair> members_;          // of all objects that are open
  std::deque<std::string> unescaped_;  // keys
  std::vector<Edit> edits_;
};

// The text with these objects changed.
std::string rewrite(std::string_view text, std::span<const Edit> edits, std::uint64_t& dropped) {
  struct Part {
    char before;  // 0: nothing
    Range key;
    Range value;  // in which objects may have to be changed
  };
  std::string out;
  out.reserve(text.size());
  const auto copy = [&](Range range) { out += text.substr(range.begin, range.end - range.begin); };
  std::vector<Part> parts = {{0, {}, {0, text.size()}}};  // to be written, the next one last
  while (!parts.empty()) {
    const Part part = parts.back();
    parts.pop_back();
    if (part.before != 0) {
      out += part.before;
    }
    copy(part.key);
    const auto edit = std::ranges::lower_bound(edits, part.value.begin, {},
                                               [](const Edit& e) { return e.object.begin; });
    if (edit == edits.end() || edit->object.begin >= part.value.end) {
      copy(part.value);
      continue;
    }
    copy({part.value.begin, edit->object.begin});
    parts.push_back({'}', {}, {edit->object.end, part.value.end}});
    for (std::size_t i = edit->kept.size(); i-- > 0;) {
      parts.push_back({i == 0 ? '{' : ',', edit->kept[i].key, edit->kept[i].value});
    }
    dropped += edit->dropped;
  }
  return out;
}

}  // namespace

Result<std::string> last_wins(std::string_view json_object, std::uint64_t& dropped,
                              bool inside_arrays) {
  dropped = 0;
  return guarded([&]() -> Result<std::string> {
    FONDS_TRY(const std::vector<Edit> edits, Finder(json_object, inside_arrays).find());
    return rewrite(json_object, edits, dropped);
  });
}

}  // namespace fonds::clps
