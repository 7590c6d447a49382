#include "format/clps/searching/compat_text.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "format/clps/reading/log_type.hpp"

namespace fonds::clps::compat {
namespace {

constexpr char kIntegerMark = '\x11', kDictionaryMark = '\x12', kFloatMark = '\x13';

bool is_mark(char c) { return c == kIntegerMark || c == kDictionaryMark || c == kFloatMark; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_wildcard(char c) { return c == '*' || c == '?'; }
bool is_delimiter(char c) {
  return !is_digit(c) && !is_letter(c) && c != '+' && c != '-' && c != '.' && c != '\\' && c != '_';
}
bool is_hex(std::string_view text) {
  return text.size() >= 2 && std::all_of(text.begin(), text.end(), [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
         });
}
bool consists_of(std::string_view text, bool point) {
  return std::all_of(text.begin(), text.end(), [point](char c) {
    return is_digit(c) || c == '-' || is_wildcard(c) || (point && c == '.');
  });
}

// Question marks become stars, and stars side by side one.
std::string with_stars_only(std::string_view pattern) {
  std::string out;
  bool after_star = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool star = is_wildcard(pattern[i]);
    if (star) {
      if (!after_star) {
        out += '*';
      }
    } else {
      out += pattern[i];
      if (pattern[i] == '\\' && i + 1 < pattern.size()) {
        out += pattern[++i];
      }
    }
    after_star = star;
  }
  return out;
}

// Constant text of a pattern as it becomes part of a log type's. Not all of it comes out right.
void append_constant(std::string_view constant, std::string& out) {
  for (std::size_t i = 0; i < constant.size(); ++i) {
    const char c = constant[i];
    if (c == '\\' || is_mark(c)) {
      if (i + 1 < constant.size() && !is_wildcard(constant[i + 1])) {
        out += '\\';
      } else if (is_mark(c)) {
        out += "\\\\";
      }
    }
    out += c;
  }
}

struct Token {
  std::size_t begin = 0, end = 0;
  bool variable = false;  // surely
};

// The next token of a pattern that is surely a variable or has a star.
class Tokens {
 public:
  explicit Tokens(std::string_view pattern) : pattern_(pattern) {}

  std::optional<Token> next() {
    while (token_.end < pattern_.size()) {
      token_.begin = find_begin(token_.end);
      token_.variable = false;
      const bool star = find_end();
      if (token_.begin == pattern_.size()) {
        break;
      }
      token_.variable = is_variable();
      if (token_.variable || star) {
        return token_;
      }
    }
    return std::nullopt;
  }

 private:
  std::size_t find_begin(std::size_t at) const {
    bool escaped = false;
    for (; at < pattern_.size(); ++at) {
      const char c = pattern_[at];
      if (escaped) {
        escaped = false;
        if (!is_delimiter(c)) {
          return at - 1;
        }
      } else if (c == '\\') {
        escaped = true;
      } else if (is_wildcard(c) || !is_delimiter(c)) {
        return at;
      }
    }
    return at;
  }

  // Whether the token has a star.
  bool find_end() {
    bool escaped = false;
    bool star = false;
    digit_ = letter_ = false;
    std::size_t& at = token_.end;
    for (at = token_.begin; at < pattern_.size(); ++at) {
      const char c = pattern_[at];
      if (escaped) {
        escaped = false;
        if (is_delimiter(c)) {
          --at;
          break;
        }
      } else if (c == '\\') {
        escaped = true;
      } else if (is_wildcard(c)) {
        star = true;
      } else if (is_delimiter(c)) {
        break;
      }
      digit_ = digit_ || is_digit(c);
      letter_ = letter_ || is_letter(c);
    }
    return star;
  }

  bool is_variable() const {
    const std::string_view text = pattern_.substr(token_.begin, token_.end - token_.begin);
    if (digit_ || is_hex(text)) {
      return true;
    }
    if (token_.begin == 0 || pattern_[token_.begin - 1] != '=' || !letter_) {
      return false;
    }
    // Behind `=` letters are a variable, unless a star comes before the first escaped one.
    bool escaped = false;
    for (const char c : text) {
      if (escaped) {
        escaped = false;
        if (is_letter(c)) {
          break;
        }
      } else if (c == '\\') {
        escaped = true;
      } else if (is_wildcard(c)) {
        return false;
      }
    }
    return true;
  }

  std::string_view pattern_;
  Token token_;
  bool digit_ = false, letter_ = false;
};

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
    }
    out += text[i];
  }
  return out;
}

// One reading of one token.
struct Piece {
  std::string log_type = {};
  std::optional<std::size_t> wanted = {};
  bool precise = false;
};

}  // namespace

class LogTypeSearch::Maker {
 public:
  Maker(LogTypeSearch& search, const Dictionary& variables)
      : search_(search), variables_(variables) {}

  void run(std::string_view pattern) {
    const std::string stars = with_stars_only(pattern);
    Tokens tokens(stars);
    std::size_t count = 1;
    std::size_t behind = 0;
    std::vector<std::string> constants;
    while (const auto token = tokens.next()) {
      append_constant(std::string_view(stars).substr(behind, token->begin - behind),
                      constants.emplace_back());
      behind = token->end;
      pieces_.push_back(
          pieces_of(std::string_view(stars).substr(token->begin, token->end - token->begin),
                    token->variable));
      if (pieces_.back().empty()) {
        return;
      }
      count *= pieces_.back().size();
      if (count > kMostReadings || pieces_.size() > kMostTokens) {
        search_.all_ = true;
        return;
      }
    }
    append_constant(std::string_view(stars).substr(behind), constants.emplace_back());
    for (std::size_t n = 0; n < count && !search_.all_; ++n) {
      add_reading(constants, n);
    }
  }

 private:
  void add_reading(const std::vector<std::string>& constants, std::size_t number) {
    Reading reading;
    reading.precise = true;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const Piece& piece = pieces_[i][number % pieces_[i].size()];
      number /= pieces_[i].size();
      reading.log_type += constants[i];
      reading.log_type += piece.log_type;
      reading.precise = reading.precise && piece.precise;
      if (piece.wanted) {
        reading.wanted.push_back(*piece.wanted);
      }
    }
    reading.log_type += constants.back();
    if (reading.log_type == "*") {
      search_.readings_.clear();
      search_.all_ = true;
      return;
    }
    search_.readings_.push_back(std::move(reading));
  }

  // None: nothing can match.
  std::vector<Piece> pieces_of(std::string_view token, bool variable) {
    if (token == "*") {
      return {{.log_type = "*", .precise = true}};
    }
    const bool prefix = token.front() == '*';
    const bool suffix = token.back() == '*';
    const std::string_view middle =
        token.size() > 2 ? token.substr(1, token.size() - 2) : std::string_view();
    if (middle.find('*') != std::string_view::npos) {
      return {{.log_type = variable ? std::string{'*', kDictionaryMark, '*'} : "*"}};
    }
    std::vector<Piece> pieces;
    const auto add = [&](char mark, std::optional<std::size_t> wanted = {}) {
      pieces.push_back({.log_type = std::string(prefix ? "*" : "") + mark + (suffix ? "*" : ""),
                        .wanted = wanted});
    };
    if (!variable) {
      Piece& constant = pieces.emplace_back(Piece{.precise = true});
      append_constant(token, constant.log_type);
      if (!prefix && !suffix) {
        return pieces;
      }
      const bool integer = consists_of(token, false);
      const bool real = consists_of(token, true);
      if (integer) {
        add(kIntegerMark);
      }
      if (real) {
        add(kFloatMark);
      }
      if (integer || real) {
        add(kDictionaryMark);
      } else if (const auto wanted = want_matching(token)) {
        add(kDictionaryMark, wanted);
      }
      return pieces;
    }
    const std::string_view bare =
        token.substr(prefix ? 1 : 0, token.size() - (prefix ? 1 : 0) - (suffix ? 1 : 0));
    const SplitVariable encoded = encode_variable(bare, Generation::New);
    const bool dictionary = encoded.placeholder == Placeholder::Dictionary;
    if (prefix || suffix) {
      if (!dictionary) {
        add(kIntegerMark);
        add(kFloatMark);
        add(kDictionaryMark);
      } else if (const auto wanted = want_matching(token)) {
        add(kDictionaryMark, wanted);
      }
      return pieces;
    }
    if (!dictionary) {
      search_.wanted_.push_back({.word = encoded.word, .ids = {}});
      add(encoded.placeholder == Placeholder::Integer ? kIntegerMark : kFloatMark,
          search_.wanted_.size() - 1);
    } else if (const auto wanted = want_equal(unescaped(token))) {
      add(kDictionaryMark, wanted);
    }
    return pieces;
  }

  std::optional<std::size_t> want_matching(std::string_view token) {
    return want(OctetPattern(token, search_.ignore_case_));
  }
  std::optional<std::size_t> want_equal(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
      if (c == '\\' || is_wildcard(c)) {
        escaped += '\\';
      }
      escaped += c;
    }
    return want(OctetPattern(escaped, search_.ignore_case_));
  }
  std::optional<std::size_t> want(const OctetPattern& pattern) {
    WantedVariable wanted;
    wanted.ids = BitSet(variables_.size());
    for (std::size_t id = 0; id < variables_.size(); ++id) {
      if (pattern.matches(variables_[id])) {
        wanted.ids.set(id);
      }
    }
    if (wanted.ids.none()) {
      return std::nullopt;
    }
    search_.wanted_.push_back(std::move(wanted));
    return search_.wanted_.size() - 1;
  }

  LogTypeSearch& search_;
  const Dictionary& variables_;
  std::vector<std::vector<Piece>> pieces_;  // of each token
};

LogTypeSearch::LogTypeSearch(std::string_view pattern, bool ignore_case,
                             const Dictionary& variables)
    : ignore_case_(ignore_case) {
  Maker(*this, variables).run(pattern);
  for (const Reading& reading : readings_) {
    patterns_.emplace_back(reading.log_type, ignore_case_);
  }
}

LogTypeSearch::Fit LogTypeSearch::fit(std::string_view stored) const {
  Fit fit;
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    if (!patterns_[i].matches(stored)) {
      continue;
    }
    if (readings_[i].precise) {
      fit.found = true;
      break;
    }
    fit.readings.push_back(i);
  }
  return fit;
}

bool LogTypeSearch::variables_fit(const Fit& fit, const Column& column, std::uint64_t first,
                                  std::uint64_t count) const {
  return std::any_of(fit.readings.begin(), fit.readings.end(), [&](std::size_t reading) {
    // In this order, among others.
    const auto& wanted = readings_[reading].wanted;
    std::size_t next = 0;
    for (std::uint64_t i = 0; i < count && next < wanted.size(); ++i) {
      next += wanted_[wanted[next]].matches(column.variable(first + i)) ? 1 : 0;
    }
    return next == wanted.size();
  });
}

}  // namespace fonds::clps::compat
