#include "format/clps/writing/exact_forms.hpp"

#include <bit>

#include "format/clps/reading/float_format.hpp"
#include "format/clps/writing/batch.hpp"

namespace fonds::clps::writing {
namespace {

// A form with more literal text is not likely to come again.
constexpr std::size_t kMostLiteral = std::size_t{16} << 10;
constexpr std::uint64_t kOwn = 0;

// Of forms that were made here: they are whole.
std::uint64_t take_varint(std::string_view& from) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto octet = static_cast<unsigned char>(from.front());
    from.remove_prefix(1);
    value |= static_cast<std::uint64_t>(octet & 0x7F) << shift;
    if (octet < 0x80) {
      return value;
    }
  }
}

std::string_view take_counted(std::string_view& from) {
  const auto size = static_cast<std::size_t>(take_varint(from));
  const std::string_view text = from.substr(0, size);
  from.remove_prefix(size);
  return text;
}

}  // namespace

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    out += static_cast<char>((value & 0x7F) | 0x80);
  }
  out += static_cast<char>(value);
}

void append_counted(std::string& out, std::string_view text) {
  append_varint(out, text.size());
  out += text;
}

std::string translate_form(std::string_view form, const std::vector<std::uint32_t>& columns,
                           std::uint32_t first) {
  std::string out;
  const std::uint64_t steps = take_varint(form);
  append_varint(out, steps);
  for (std::uint64_t i = 0; i < steps; ++i) {
    append_counted(out, take_counted(form));
    const std::uint64_t value = take_varint(form);
    append_varint(out, value == kOwn ? kOwn
                                     : std::uint64_t{columns[static_cast<std::size_t>(value - 1)]} +
                                           first + 1);
  }
  append_counted(out, take_counted(form));
  return out;
}

void BatchBuilder::keep_text(TableValues& values, const Shape::Layout& layout,
                             std::string_view source, bool spelled) {
  if (source.empty()) {
    values.forms.push_back(0);
    return;
  }
  if (!spelled || lossy_ || !make_form(layout, source)) {
    form_.clear();
    append_varint(form_, 1);
    append_counted(form_, {});
    append_varint(form_, kOwn);
    append_counted(form_, {});
    own_.clear();
    append_counted(own_, source);
  }
  values.forms.push_back(batch_->forms.add(form_) + 1);
  values.own += own_;
}

// False: the event's text is better kept as a whole.
bool BatchBuilder::make_form(const Shape::Layout& layout, std::string_view source) {
  form_body_.clear();
  own_.clear();
  std::uint64_t steps = 0;
  std::size_t value = 0;
  std::size_t literal = 0;
  const char* at = source.data();
  const char* const end = at + source.size();
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (!has_values(tokens_[i])) {
      continue;
    }
    const std::uint64_t column = layout.columns[value++] + 1;  // 0 is kOwn
    const std::string_view text = cells_[i].spelled;
    if (text.empty() || text.data() < at || text.data() + text.size() > end) {
      return false;
    }
    const std::string_view before(at, static_cast<std::size_t>(text.data() - at));
    literal += before.size();
    append_counted(form_body_, before);
    if (comes_back(cells_[i], tokens_[i].type())) {
      append_varint(form_body_, column);
    } else {
      append_varint(form_body_, kOwn);
      append_counted(own_, text);
    }
    ++steps;
    at = text.data() + text.size();
  }
  const std::string_view tail(at, static_cast<std::size_t>(end - at));
  if (literal + tail.size() > kMostLiteral) {
    return false;
  }
  form_.clear();
  append_varint(form_, steps);
  form_ += form_body_;
  append_counted(form_, tail);
  return true;
}

bool BatchBuilder::joins_again(std::string_view text, StringTable::Id type,
                               std::deque<LogType>& parsed) {
  bool malformed = false;
  if (type == parsed.size()) {
    parsed.push_back(LogType::parse(log_type_, rules_.generation(), malformed));
  }
  const LogType& log_type = parsed[type];
  if (malformed || log_type.variables() != split_.size()) {
    return false;
  }
  printed_.clear();
  for (std::size_t i = 0; i < split_.size(); ++i) {
    printed_ += log_type.literal(log_type.segments()[i]);
    switch (split_[i].placeholder) {
      case Placeholder::Dictionary:
        printed_ += split_[i].text;
        break;
      case Placeholder::Float:
        if (!append_float(split_[i].word, rules_.generation(), printed_)) {
          return false;
        }
        break;
      default:
        append_integer(static_cast<std::int64_t>(split_[i].word), printed_);
    }
  }
  printed_ += log_type.tail();
  return printed_ == text;
}

// Whether a reader prints the value as it is spelled.
bool BatchBuilder::comes_back(const Cell& cell, NodeType type) {
  const std::string_view spelled = cell.spelled;
  switch (type) {
    case NodeType::Integer:
    case NodeType::Boolean:
    case NodeType::FormattedFloat:  // else the format would not have been found
      return true;
    case NodeType::DictionaryFloat:
    case NodeType::UnstructuredArray:
      return cell.text == spelled;
    case NodeType::Float:
      printed_.clear();
      print_plain_float(std::bit_cast<double>(cell.word), printed_);
      return printed_ == spelled;
    case NodeType::Timestamp:
    case NodeType::DateString:
      return spelled.find('\\') == std::string_view::npos;
    case NodeType::VarString:
    case NodeType::ClpString: {
      if (spelled.size() < 2 || spelled.front() != '"' || spelled.back() != '"') {
        return false;
      }
      const std::string_view inside = spelled.substr(1, spelled.size() - 2);
      if (inside.data() == cell.text.data() && inside.size() == cell.text.size()) {
        return !needs_escape(inside);
      }
      escaped_.clear();
      escaped_.append_escaped(cell.text);
      return escaped_.view() == inside;
    }
    default:
      return false;
  }
}

}  // namespace fonds::clps::writing
