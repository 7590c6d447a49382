#include "format/clps/writing/json_walker.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include <simdjson.h>

#include "base/nearest_double.hpp"
#include "base/text.hpp"
#include "format/clps/writing/last_wins.hpp"
#include "format/clps/writing/utf8_text.hpp"
#include "query/json_scanner.hpp"

namespace fonds::clps::writing {
namespace {

namespace ondemand = simdjson::ondemand;
static_assert(kTextPadding >= simdjson::SIMDJSON_PADDING);

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

std::string_view without_blanks_behind(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

// Why a document cannot be an event.
enum class Fault : std::uint8_t { None, Syntax, Duplicate, Depth, NoObject };

// The octets of half a pair of surrogates, as query::unquoted_json() gives it, become U+FFFD. The
// text holds no others, since it was UTF-8.
std::size_t replace_surrogates(std::string& text) {
  std::size_t replaced = 0;
  for (std::size_t at = text.find('\xED'); at != std::string::npos;
       at = text.find('\xED', at + 3)) {
    if (at + 2 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0xA0) {
      text.replace(at, 3, "\xEF\xBF\xBD");
      ++replaced;
    }
  }
  return replaced;
}

// One object after another, each by a recursive descent over simdjson's cursor.
class Descent {
 public:
  // `text`: what all of them lie in.
  Descent(const Rules& rules, BatchBuilder& out, std::string_view text)
      : rules_(rules), out_(out), escapes_(text.find('\\') != std::string_view::npos) {}

  Fault object(ondemand::object object, Place place, std::size_t depth, bool in_array) {
    if (depth > kMostDepth) {
      return Fault::Depth;
    }
    const std::uint64_t number = out_.next_object();
    bool empty = true;
    for (auto field : object) {
      if (field.error() != simdjson::SUCCESS) {
        return Fault::Syntax;
      }
      empty = false;
      std::string_view key;
      if (!key_of(field.value_unsafe(), key)) {
        return Fault::Syntax;
      }
      const auto at = out_.key(place, key, number);
      if (!at) {
        return Fault::Duplicate;
      }
      unprintable_ =
          unprintable_ || (in_array && key.empty() && is_container(field.value_unsafe()));
      if (const Fault fault = value(field.value_unsafe().value(), *at, depth, in_array);
          fault != Fault::None) {
        return fault;
      }
    }
    if (empty) {
      out_.empty_object(place);
    }
    return Fault::None;
  }

 private:
  Fault value(ondemand::value value, Place place, std::size_t depth, bool in_array) {
    const std::string_view token = without_blanks_behind(value.raw_json_token());
    switch (token.front()) {
      case '"':
        return string(token, place);
      case '{':
        return inner_object(value, place, depth, in_array);
      case '[':
        return rules_.structured_arrays ? structured(value, place, depth)
                                        : text_array(value, place);
      case 't':
      case 'f':
        out_.boolean(place, token.front() == 't');
        out_.spelled(token);
        return token == "true" || token == "false" ? Fault::None : Fault::Syntax;
      case 'n':
        out_.null(place);
        return token == "null" ? Fault::None : Fault::Syntax;
      default:
        return number(value, token, place);
    }
  }

  static bool is_container(ondemand::field& field) {
    const char first = field.value().raw_json_token().front();
    return first == '{' || first == '[';
  }

  Fault inner_object(ondemand::value value, Place place, std::size_t depth, bool in_array) {
    ondemand::object inner;
    if (value.get_object().get(inner) != simdjson::SUCCESS) {
      return Fault::Syntax;
    }
    return object(inner, place, depth + 1, in_array);
  }

  // A key or string, with its quotes; a view of the document unless it has escapes.
  bool text_of(std::string_view spelled, std::string_view& text) {
    if (spelled.size() < 2 || spelled.back() != '"') {
      return false;
    }
    text = spelled.substr(1, spelled.size() - 2);
    if (!escapes_ || text.find('\\') == std::string_view::npos) {
      return true;
    }
    if (!query::is_json(spelled)) {  // its escapes are to be looked at
      return false;
    }
    std::string scratch;
    std::string plain(query::unquoted_json(spelled, scratch));
    out_.count(Change::LoneSurrogates, replace_surrogates(plain));
    text = out_.keep(std::move(plain));
    return true;
  }
  bool key_of(ondemand::field& field, std::string_view& key) {
    const char* const begin = field.key().raw();
    if (!escapes_) {
      // Between its quote and the value there are a colon and blanks, or simdjson had refused it.
      const char* end = field.value().raw_json_token().data();
      while (*--end != '"') {
      }
      key = {begin, static_cast<std::size_t>(end - begin)};
      return true;
    }
    const char* end = begin;
    while (*end != '"') {  // stage 1 has seen that it ends
      end += *end == '\\' ? 2 : 1;
    }
    return text_of({begin - 1, static_cast<std::size_t>(end - begin) + 2}, key);
  }

  Fault string(std::string_view token, Place place) {
    std::string_view text;
    if (!text_of(token, text)) {
      return Fault::Syntax;
    }
    out_.string(place, text);
    out_.spelled(token);
    return Fault::None;
  }

  Fault number(ondemand::value value, std::string_view token, Place place) {
    const std::string_view digits = token.substr(token.front() == '-' ? 1 : 0);
    if (std::all_of(digits.begin(), digits.end(), is_digit)) {
      if (digits.empty() || (digits.front() == '0' && digits.size() > 1)) {
        return Fault::Syntax;
      }
      std::int64_t integer = 0;
      const char* const end = token.data() + token.size();
      const auto [stop, error] = std::from_chars(token.data(), end, integer);
      if (error == std::errc() && stop == end && token != "-0") {
        out_.integer(place, integer);
        out_.spelled(token);
        return Fault::None;
      }
      out_.real(place, token, nearest_double(token));
      out_.spelled(token);
      return Fault::None;
    }
    if (token.find_first_of(".eE") == std::string_view::npos) {
      return Fault::Syntax;
    }
    double real = 0;
    if (value.get_double().get(real) != simdjson::SUCCESS) {
      // Beyond the range of a double, or no number.
      const char* const end = token.data() + token.size();
      const auto [stop, error] = std::from_chars(token.data(), end, real);
      if (!query::is_json(token) || stop != end || error != std::errc::result_out_of_range) {
        return Fault::Syntax;
      }
      real = nearest_double(token);
    }
    out_.real(place, token, real);
    out_.spelled(token);
    return Fault::None;
  }

  // An array that is kept as it is written.
  Fault text_array(ondemand::value value, Place place) {
    std::string_view raw;
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS ||
        array.raw_json().get(raw) != simdjson::SUCCESS) {
      return Fault::Syntax;
    }
    raw = without_blanks_behind(raw);
    if (!query::is_json(raw)) {
      return Fault::Syntax;
    }
    add_array(raw, place);
    out_.spelled(raw);
    return Fault::None;
  }
  // Readers print the text as it is, and each record on a line: line ends in it become spaces.
  void add_array(std::string_view raw, Place place) {
    if (raw.find_first_of("\n\r") == std::string_view::npos) {
      return out_.array_text(place, raw);
    }
    std::string text(raw);
    std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    out_.array_text(place, out_.keep(std::move(text)));
  }

  Fault structured(ondemand::value value, Place place, std::size_t depth) {
    ondemand::array array;
    std::string_view raw;
    if (value.get_array().get(array) != simdjson::SUCCESS ||
        array.raw_json().get(raw) != simdjson::SUCCESS) {
      return Fault::Syntax;
    }
    static_cast<void>(array.reset());
    const std::size_t mark = out_.mark();
    const bool outermost = arrays_++ == 0;
    unprintable_ = unprintable_ && !outermost;
    const Fault fault = elements(array, place, depth + 1);
    --arrays_;
    // A container with the empty key in an object is what the original prints wrongly: such an
    // array is kept as text.
    if (fault == Fault::None && outermost && unprintable_) {
      out_.drop_behind(mark);
      add_array(without_blanks_behind(raw), place);
      out_.spelled(without_blanks_behind(raw));
    }
    return fault;
  }
  Fault elements(ondemand::array array, Place place, std::size_t depth) {
    if (depth > kMostDepth) {
      return Fault::Depth;
    }
    bool empty = true;
    for (auto element : array) {
      if (element.error() != simdjson::SUCCESS) {
        return Fault::Syntax;
      }
      if (empty) {
        out_.border(place, Step::BeginArray);
        empty = false;
      }
      if (const Fault fault = element_value(element.value_unsafe(), out_.element(place), depth);
          fault != Fault::None) {
        return fault;
      }
    }
    if (empty) {
      out_.empty_array(place);
    } else {
      out_.border(place, Step::EndArray);
    }
    return Fault::None;
  }
  Fault element_value(ondemand::value value, Place place, std::size_t depth) {
    const std::string_view token = without_blanks_behind(value.raw_json_token());
    if (token.front() != '{') {
      return this->value(value, place, depth, true);
    }
    ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) {
      return Fault::Syntax;
    }
    const std::size_t mark = out_.mark();
    out_.border(place, Step::BeginObject);
    const std::size_t begun = out_.mark();
    const Fault fault = this->object(object, place, depth + 1, true);
    if (fault != Fault::None) {
      return fault;
    }
    if (out_.mark() == begun + 1 && out_.ends_in_empty_object(place)) {
      out_.drop_behind(mark);
      out_.empty_object(place);
    } else {
      out_.border(place, Step::EndObject);
    }
    return Fault::None;
  }

  const Rules& rules_;
  BatchBuilder& out_;
  bool escapes_;              // somewhere in the text
  std::size_t arrays_ = 0;    // around
  bool unprintable_ = false;  // the outermost of them holds a container with the empty key
};

// The end of the first object in a text, by its brackets alone; npos if it has none.
std::size_t end_of_object(std::string_view text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      i += c == '\\' ? 1 : 0;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth <= 1) {
        return depth == 1 ? i + 1 : std::string_view::npos;
      }
      --depth;
    } else if (depth == 0 && !is_blank(c)) {
      return std::string_view::npos;
    }
  }
  return std::string_view::npos;
}

std::string_view reason_of(Fault fault, simdjson::error_code code) {
  switch (fault) {
    case Fault::Depth:
      return "nested deeper than 1000 levels";
    case Fault::NoObject:
      return "no JSON object";
    default:
      return code == simdjson::UTF8_ERROR ? "no UTF-8" : "no JSON";
  }
}

}  // namespace

struct JsonWalker::State {
  const Rules& rules;
  bool keep_unparsed;
  ondemand::parser parser{};
  std::string rewritten = {};  // with padding
  std::string_view reason = {};

  // Adds the object that a text begins with; npos: it does not. Else the octets that it took, with
  // the blanks behind it. `at`: of the text in its piece.
  std::size_t add_first(std::string_view text, std::size_t at, BatchBuilder& out) {
    ondemand::document document;
    ondemand::object object;
    out.begin_event();
    const auto code = parser
                          .iterate(simdjson::padded_string_view(text.data(), text.size(),
                                                                text.size() + kTextPadding))
                          .get(document);
    if (code != simdjson::SUCCESS) {
      reason = reason_of(Fault::Syntax, code);
      return std::string_view::npos;
    }
    if (document.get_object().get(object) != simdjson::SUCCESS) {
      reason = reason_of(text.starts_with('{') ? Fault::Syntax : Fault::NoObject, code);
      return std::string_view::npos;
    }
    const Fault fault = Descent(rules, out, text).object(object, kUserRoot, 1, false);
    if (fault == Fault::Duplicate) {
      return add_without_duplicates(text, at, out);
    }
    if (fault != Fault::None) {
      reason = reason_of(fault, code);
      return std::string_view::npos;
    }
    const char* behind = nullptr;
    const bool more = document.current_location().get(behind) == simdjson::SUCCESS &&
                      behind >= text.data() && behind < text.data() + text.size();
    const std::size_t end = more ? static_cast<std::size_t>(behind - text.data()) : text.size();
    out.end_event(at, without_blanks_behind(text.substr(0, end)), true);
    return end;
  }

  std::size_t add_without_duplicates(std::string_view text, std::size_t at, BatchBuilder& out) {
    const std::size_t end = end_of_object(text);
    if (end == std::string_view::npos || !query::is_json(text.substr(0, end))) {
      reason = reason_of(Fault::Syntax, simdjson::SUCCESS);
      return std::string_view::npos;
    }
    std::uint64_t dropped = 0;
    auto once = last_wins(text.substr(0, end), dropped, rules.structured_arrays);
    if (!once) {
      reason = reason_of(Fault::Depth, simdjson::SUCCESS);
      return std::string_view::npos;
    }
    rewritten = std::move(*once);
    const std::size_t size = rewritten.size();
    rewritten.append(kTextPadding, ' ');
    ondemand::document document;
    ondemand::object object;
    out.begin_event();
    const auto code =
        parser.iterate(simdjson::padded_string_view(rewritten.data(), size, rewritten.size()))
            .get(document);
    const bool is_object =
        code == simdjson::SUCCESS && document.get_object().get(object) == simdjson::SUCCESS;
    const Fault fault = is_object
                            ? Descent(rules, out, rewritten).object(object, kUserRoot, 1, false)
                            : Fault::Syntax;
    if (fault != Fault::None) {
      reason = reason_of(fault, code);
      return std::string_view::npos;
    }
    out.count(Change::DuplicateKeys, dropped);
    out.end_event(at, without_blanks_behind(text.substr(0, end)));
    return end;
  }
};

JsonWalker::JsonWalker(const Rules& rules, bool keep_unparsed)
    : state_(new State{.rules = rules, .keep_unparsed = keep_unparsed}) {}
JsonWalker::~JsonWalker() = default;

void JsonWalker::add(std::string_view text, std::size_t at, BatchBuilder& out) {
  bool cut = false;  // what is left is looked at object by object
  while (true) {
    while (!text.empty() && is_blank(text.front())) {
      text.remove_prefix(1);
      ++at;
    }
    if (text.empty()) {
      return;
    }
    const std::size_t end = cut ? end_of_object(text) : std::string_view::npos;
    const std::string_view one = text.substr(0, end);
    std::size_t taken = state_->add_first(one, at, out);
    if (taken == std::string_view::npos) {
      const std::string_view reason = state_->reason;
      const std::size_t first = cut ? end : end_of_object(text);
      const bool more =
          first != std::string_view::npos && first < without_blanks_behind(text).size();
      if (!cut && more) {
        cut = true;  // the fault may lie in a later object
        continue;
      }
      taken = more ? first : text.size();
      reject(without_blanks_behind(text.substr(0, taken)), at, std::string(reason), out);
    }
    cut = cut || taken < text.size();
    text.remove_prefix(taken);
    at += taken;
  }
}

void JsonWalker::reject(std::string_view text, std::size_t at, std::string reason,
                        BatchBuilder& out) {
  if (state_->keep_unparsed) {
    out.begin_event();
    std::string kept;
    const std::size_t replaced = replace_invalid(text, kept);
    if (replaced == 0) {
      kept = text;
    }
    out.count(Change::ReplacedOctets, replaced);
    const Place place = *out.key(kUserRoot, "_unparsed", out.next_object());
    out.string(place, out.keep(std::move(kept)));
    out.end_event(at, text);
  }
  out.batch().rejected.push_back({at, text, std::move(reason)});
}

}  // namespace fonds::clps::writing
