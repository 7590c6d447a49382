#include "index/line_file.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fonds/bytes.hpp>

namespace fonds::index {
namespace {

// Without a line feed at the end, and without a carriage return there.
std::string_view without_end(std::string_view line) {
  line.remove_suffix(line.ends_with('\n') ? 1 : 0);
  line.remove_suffix(line.ends_with('\r') ? 1 : 0);
  return line;
}

constexpr std::uint64_t kProbe = std::uint64_t{4} << 10;  // around the middle, to each side
constexpr std::uint64_t kMostAtOnce = std::uint64_t{4} << 20;
constexpr std::uint64_t kRest = std::uint64_t{64} << 10;  // is read at once
constexpr std::size_t kMostHead = std::size_t{64} << 10;

class FileCursor final : public LineCursor {
 public:
  FileCursor(const LineFile& file, std::uint64_t begin)
      : file_(file), text_(file.text()), next_(begin) {}

  Result<bool> next() override {
    while (next_ < text_.end()) {
      at_ = next_;
      const auto line = text_.until(at_, '\n');
      if (!line) {
        FONDS_TRY(next_, text_.line_after(at_));  // that it is too long is told once
        return fail(line.error().code(), line.error().message(), where());
      }
      next_ = at_ + line->size();
      line_ = without_end(*line);
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
  LineText text_;
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
  if (!source->random_access()) {
    return fail(ErrorCode::Unsupported, "a pipe cannot be searched", {.source = source->name()});
  }
  LineFile file(std::move(source), delimiter);
  FONDS_CHECK(file.find_ends());
  return file;
}

Status LineFile::find_ends() {
  FONDS_TRY(end_, source_->size());
  LineText all = text();
  for (std::uint64_t step = kProbe; end_ > 0; step = std::min(2 * step, kMostAtOnce)) {
    const std::uint64_t from = end_ - std::min(end_, step);
    FONDS_CHECK(all.look_at({from, end_ - from}));
    FONDS_TRY(std::string_view tail, all.at(from, static_cast<std::size_t>(end_ - from)));
    tail = tail.substr(0, static_cast<std::size_t>(end_ - from));
    const std::size_t last = tail.find_last_not_of("\r\n");
    end_ = last == std::string_view::npos ? from : from + last + 1;
    if (last != std::string_view::npos) {
      break;
    }
  }
  LineText lines = text();
  while (begin_ < end_) {
    FONDS_TRY(const std::string_view line, lines.until(begin_, '\n'));
    if (!without_end(line).empty() && !is_header_line(line)) {
      break;
    }
    head_ += line.substr(0, kMostHead - std::min(kMostHead, head_.size()));
    begin_ += line.size();
  }
  return {};
}

Result<LineFile::Bound> LineFile::lower_bound(std::string_view key) const {
  LineText text = this->text();
  // Stops at the end of the key: lines may be long.
  const auto key_at = [&](std::uint64_t at) -> Result<std::string> {
    FONDS_TRY(std::string_view found, text.until(at, delimiter_));
    const bool column = found.ends_with(delimiter_);
    found.remove_suffix(column ? 1 : 0);
    return std::string(column || !found.ends_with('\n') ? found : without_end(found));
  };
  std::uint64_t low = begin_;               // lines before it have smaller keys
  std::uint64_t high = end_;                // a line that begins here has none
  std::optional<std::string> below, above;  // keys around what is left
  Bound bound = {.before = begin_};
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    // At last with some lines behind, which whoever searches goes on to.
    const bool last = high - low <= kRest;
    const std::uint64_t from = last ? low : middle - std::min(kProbe, middle - low);
    FONDS_CHECK(text.look_at({from, last ? high - low + kProbe : 2 * kProbe}));
    FONDS_TRY(const std::uint64_t at, text.line_begin(low, middle));
    FONDS_TRY(const std::uint64_t after, text.line_after(at));
    FONDS_TRY(std::string found, key_at(at));
    bool descends = false;
    if (after < high) {
      FONDS_TRY(const std::string next, key_at(after));
      descends = next < found;
    }
    if (descends || (below && found < *below) || (above && found > *above)) {
      bound.in_order = false;
    }
    if (found < key) {
      low = after;
      bound.before = at;
      below = std::move(found);
    } else {
      high = at;
      above = std::move(found);
    }
  }
  bound.stored_offset = low;
  return bound;
}

std::unique_ptr<LineCursor> LineFile::lines_at(std::uint64_t stored_offset) const {
  return std::make_unique<FileCursor>(*this, stored_offset);
}

Result<SortedLines::Start> LineFile::lines_from(std::string_view key) const {
  FONDS_TRY(const Bound bound, lower_bound(key));
  return Start{lines_at(bound.stored_offset), bound.in_order};
}

}  // namespace fonds::index
