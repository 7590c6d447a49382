#include "format/clps/verify_json.hpp"

#include <cstddef>
#include <vector>

namespace fonds::clps {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

class JsonCheck {
 public:
  explicit JsonCheck(std::string_view text) : text_(text) {}

  bool whole() {
    if (!value()) {
      return false;
    }
    while (!open_.empty()) {
      if (!element()) {
        return false;
      }
    }
    return next() == '\0' && at_ == text_.size();
  }

 private:
  // The next character that is no white space; NUL at the end.
  char next() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
    return here();
  }
  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) {
      return false;
    }
    at_ += expected.size();
    return true;
  }

  // A scalar, or the beginning of a container.
  bool value() {
    switch (next()) {
      case '{':
      case '[':
        open_.push_back(text_[at_++] == '{');
        first_ = true;
        return true;
      case '"':
        return string();
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }

  // A member or element of the innermost container, or its end.
  bool element() {
    const bool object = open_.back();
    const bool first = first_;
    first_ = false;
    const char c = next();
    if (c == (object ? '}' : ']')) {
      ++at_;
      open_.pop_back();
      return true;
    }
    if (!first) {
      if (c != ',') {
        return false;
      }
      ++at_;
      next();
    }
    if (object) {
      if (here() != '"' || !string() || next() != ':') {
        return false;
      }
      ++at_;
    }
    return value();
  }

  bool string() {
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20 || (c == '\\' && !escape())) {
        return false;
      }
    }
    return false;
  }

  // Ends at the escape's last character.
  bool escape() {
    ++at_;
    if (here() != 'u') {
      return here() != '\0' &&
             std::string_view("\"\\/bfnrt").find(here()) != std::string_view::npos;
    }
    for (int i = 0; i < 4; ++i) {
      ++at_;
      if (!is_hex(here())) {
        return false;
      }
    }
    return true;
  }

  bool digits() {
    const std::size_t begin = at_;
    while (is_digit(here())) {
      ++at_;
    }
    return at_ > begin;
  }

  bool number() {
    at_ += here() == '-' ? 1 : 0;
    if (here() == '0') {
      ++at_;
    } else if (!digits()) {
      return false;
    }
    if (here() == '.') {
      ++at_;
      if (!digits()) {
        return false;
      }
    }
    if (here() == 'e' || here() == 'E') {
      ++at_;
      at_ += here() == '+' || here() == '-' ? 1 : 0;
      return digits();
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<bool> open_;  // containers around the place: whether it is an object
  bool first_ = false;      // of the innermost one nothing was read yet
};

}  // namespace

bool is_json(std::string_view text) { return JsonCheck(text).whole(); }

}  // namespace fonds::clps
