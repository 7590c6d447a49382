#include "index/line_file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fonds/bytes.hpp>

namespace fonds::index {
namespace {

std::string_view without_return(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

class FileCursor final : public LineCursor {
 public:
  FileCursor(const LineFile& file, std::uint64_t begin) : file_(file), next_(begin) {}

  Result<bool> next() override {
    while (next_ < file_.end()) {
      at_ = next_;
      line_ = file_.line_at(at_);
      next_ = file_.line_after(at_ + line_.size());
      if (!line_.empty() && !is_header_line(line_)) {
        return true;
      }
    }
    return false;
  }
  Location where() const override { return {.source = file_.name(), .stored_offset = at_}; }
  Position position() const override { return {at_, 0}; }

 private:
  const LineFile& file_;
  std::uint64_t at_ = 0;
  std::uint64_t next_;
};

}  // namespace

std::string_view key_of_line(std::string_view line, char delimiter) {
  return line.substr(0, line.find(delimiter));
}

bool is_header_line(std::string_view line) {
  return line.starts_with('!') || line.starts_with("CDX ") ||
         (line.size() > 4 && line.substr(1, 3) == "CDX" && line[0] == line[4]);
}

Result<LineFile> LineFile::open(std::shared_ptr<ByteSource> source, char delimiter) {
  const auto bytes = source->view();
  if (!bytes) {
    return fail(ErrorCode::Unsupported, "a pipe cannot be searched", {.source = source->name()});
  }
  return LineFile(std::move(source), as_text(*bytes), delimiter);
}

LineFile::LineFile(std::shared_ptr<ByteSource> source, std::string_view text, char delimiter)
    : source_(std::move(source)), text_(text), delimiter_(delimiter) {
  end_ = text_.find_last_not_of("\r\n") + 1;  // 0 if there is nothing else
  while (begin_ < end_) {
    const std::string_view line = line_at(begin_);
    if (!line.empty() && !is_header_line(line)) {
      break;
    }
    begin_ = line_after(begin_);
  }
}

std::string_view LineFile::line_at(std::uint64_t stored_offset) const {
  const std::string_view rest = text_.substr(0, static_cast<std::size_t>(end_))
                                    .substr(static_cast<std::size_t>(stored_offset));
  return without_return(rest.substr(0, rest.find('\n')));
}

std::uint64_t LineFile::line_after(std::uint64_t stored_offset) const {
  const std::size_t line_end = text_.find('\n', static_cast<std::size_t>(stored_offset));
  return line_end < end_ ? line_end + 1 : end_;
}

std::uint64_t LineFile::line_before(std::uint64_t stored_offset) const {
  const std::string_view before =
      text_.substr(static_cast<std::size_t>(begin_),
                   static_cast<std::size_t>(std::min(stored_offset, end_) - begin_));
  // The octet at its end ends the line itself.
  const std::size_t line_end =
      before.size() < 2 ? std::string_view::npos : before.rfind('\n', before.size() - 2);
  return line_end == std::string_view::npos ? begin_ : begin_ + line_end + 1;
}

LineFile::Bound LineFile::lower_bound(std::string_view key) const {
  const std::string_view text = text_.substr(0, static_cast<std::size_t>(end_));
  // Stops at the end of the key: lines may be long.
  const auto key_at = [&](std::size_t at) {
    const std::string_view rest = text.substr(at);
    const auto* const end = std::find_if(rest.begin(), rest.end(),
                                         [&](char c) { return c == delimiter_ || c == '\n'; });
    const std::string_view found(rest.begin(), static_cast<std::size_t>(end - rest.begin()));
    return end != rest.end() && *end == '\n' ? without_return(found) : found;
  };
  auto low = static_cast<std::size_t>(begin_);   // lines before it have smaller keys
  auto high = static_cast<std::size_t>(end_);    // a line that begins here has none
  std::optional<std::string_view> below, above;  // keys around what is left
  Bound bound;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const std::string_view before = text.substr(low, middle - low);
    const std::size_t line_end = before.rfind('\n');
    const std::size_t at = line_end == std::string_view::npos ? low : low + line_end + 1;
    const auto after = static_cast<std::size_t>(line_after(at));
    const std::string_view found = key_at(at);
    if ((below && found < *below) || (above && found > *above) ||
        (after < high && key_at(after) < found)) {
      bound.in_order = false;
    }
    if (found < key) {
      low = after;
      below = found;
    } else {
      high = at;
      above = found;
    }
  }
  bound.stored_offset = low;
  return bound;
}

std::unique_ptr<LineCursor> LineFile::lines_at(std::uint64_t stored_offset) const {
  return std::make_unique<FileCursor>(*this, stored_offset);
}

SortedLines::Start LineFile::lines_from(std::string_view key) const {
  const Bound bound = lower_bound(key);
  return {lines_at(bound.stored_offset), bound.in_order};
}

}  // namespace fonds::index
