#include "query/text_stream.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/query.hpp>

#include "base/byte_finder.hpp"
#include "base/utf8.hpp"
#include "query/fold_case.hpp"
#include "query/text_pattern.hpp"

namespace fonds::query {
namespace {

// What is folded or asked several times is still in the nearest cache then.
constexpr std::size_t kBlock = 16384;

// How many octets a segment takes at most.
std::size_t longest(const TextPattern::Segment& segment) {
  constexpr std::size_t kCharacter = 4;
  std::size_t octets = 0;
  for (const TextPattern::Part& part : segment) {
    octets += part.text.size() + kCharacter * part.marks;
  }
  return octets;
}

bool has_marks(const TextPattern& pattern) {
  for (const TextPattern::Segment& segment : pattern.segments()) {
    for (const TextPattern::Part& part : segment) {
      if (part.marks > 0) {
        return true;
      }
    }
  }
  return false;
}

// How many octets a character has that begins so, if it is well-formed.
std::size_t length_by_lead(char lead) {
  const unsigned octet = utf8::octet(lead);
  return octet < 0xc2U ? 1 : octet < 0xe0U ? 2 : octet < 0xf0U ? 3 : octet < 0xf5U ? 4 : 1;
}

// How many octets at the end may be the beginning of a character that goes on behind it.
std::size_t begun_at_end(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const char c = text[text.size() - back];
    if (!utf8::is_continuation(c)) {
      return length_by_lead(c) > back ? back : 0;
    }
  }
  return 0;
}

}  // namespace

// One filter and one text. Between stars stand the segments of the pattern: the first one begins
// the text, the last one ends it, and those between stand as early as they can, one behind another.
class PatternStream {
 public:
  using State = TextStream::State;

  PatternStream(const Filter& filter, const ParseOptions& options)
      : takes_any_(filter.comparison == Comparison::Equal && filter.literal.exists),
        pattern_(text_pattern_of(filter, options)) {
    for (std::size_t i = 1; pattern_ && i + 1 < pattern_->segments().size(); ++i) {
      finders_.emplace_back(pattern_->segments()[i].front().text);
    }
    if (pattern_) {
      longest_of_last_ = longest(pattern_->segments().back());
    }
  }

  const std::optional<TextPattern>& pattern() const { return pattern_; }
  State state() const { return state_; }

  void start() {
    segment_ = part_ = octets_ = marks_ = 0;
    held_.clear();
    state_ = !pattern_ ? (takes_any_ ? State::Matched : State::Failed) : State::Undecided;
    feed({});  // `*` at the beginning leads to the next segment at once
  }

  void feed(std::string_view text) {
    if (state_ != State::Undecided) {
      return;
    }
    if (segment_ == 0) {
      text.remove_prefix(feed_first(text));
    }
    while (in_between() && !text.empty()) {
      text.remove_prefix(feed_between(text));
    }
    if (segment_ > 0 && segment_ == last()) {
      feed_last(text);
    }
  }

  void finish() {
    if (state_ != State::Undecided) {
      return;
    }
    if (last() == 0) {
      state_ = part_ == pattern_->segments().front().size() ? State::Matched : State::Failed;
      return;
    }
    while (in_between()) {
      const Found found = find(held_, true);
      if (!found.whole) {
        break;
      }
      held_.erase(0, found.at);
      ++segment_;
    }
    std::size_t end = held_.size();
    const bool matched =
        segment_ == last() && pattern_->match_backward(pattern_->segments().back(), held_, end);
    state_ = matched ? State::Matched : State::Failed;
  }

 private:
  struct Found {
    bool whole = false;
    std::size_t at = 0;  // behind the segment; without: where it may have begun
  };

  std::size_t last() const { return pattern_->segments().size() - 1; }
  bool in_between() const { return segment_ > 0 && segment_ < last(); }

  // These return how many octets they have dealt with.
  std::size_t feed_first(std::string_view text) {
    const TextPattern::Segment& segment = pattern_->segments().front();
    std::size_t at = 0;
    for (; part_ < segment.size(); ++part_, octets_ = 0, marks_ = 0) {
      const TextPattern::Part& part = segment[part_];
      const std::size_t here = std::min(part.text.size() - octets_, text.size() - at);
      if (text.substr(at, here) != std::string_view(part.text).substr(octets_, here)) {
        state_ = State::Failed;
        return text.size();
      }
      at += here;
      octets_ += here;
      if (octets_ < part.text.size()) {
        return at;
      }
      for (; marks_ < part.marks; ++marks_) {
        if (!pattern_->step_over(text, at, 1)) {
          return at;
        }
      }
    }
    if (last() > 0) {
      segment_ = 1;
    } else if (at < text.size()) {
      state_ = State::Failed;
    }
    return at;
  }

  std::size_t feed_between(std::string_view text) {
    if (held_.empty()) {
      return take(find(text, false), text, 0);
    }
    // What began before ends in these octets, or never.
    const std::size_t before = held_.size();
    const std::size_t borrowed = std::min(text.size(), longest(pattern_->segments()[segment_]));
    held_.append(text.substr(0, borrowed));
    const Found found = find(held_, false);
    if (!found.whole && borrowed < text.size()) {
      held_.clear();
      return 0;
    }
    const std::string joined = std::move(held_);
    held_.clear();
    if (found.whole && found.at < before) {
      // It was there, behind a place where the segment seemed to begin and did not.
      ++segment_;
      feed(std::string_view(joined).substr(found.at, before - found.at));
      return 0;
    }
    return take(found, joined, before);
  }

  // `before` octets of the text were dealt with before, no more than a found segment has.
  std::size_t take(const Found& found, std::string_view text, std::size_t before) {
    if (found.whole) {
      ++segment_;
      return found.at - before;
    }
    held_.assign(text.substr(found.at));
    return text.size() - before;
  }

  // The first place of the segment that is looked for.
  Found find(std::string_view text, bool is_end) const {
    const TextPattern::Segment& segment = pattern_->segments()[segment_];
    const ByteFinder& finder = finders_[segment_ - 1];
    for (std::size_t start = 0;; ++start) {
      start = finder.find(text, start);
      if (start == ByteFinder::npos) {
        return {.at = text.size() - std::min(text.size(), finder.text().size() - 1)};
      }
      std::size_t end = start;
      if (pattern_->match_forward(segment, text, end)) {
        return {.whole = true, .at = end};
      }
      if (!is_end && text.size() - start < longest(segment)) {
        return {.at = start};
      }
    }
  }

  // Holds the last octets that have come.
  void feed_last(std::string_view text) {
    if (longest_of_last_ == 0) {
      state_ = State::Matched;
      return;
    }
    if (text.size() >= longest_of_last_) {
      held_.assign(text.substr(text.size() - longest_of_last_));
      return;
    }
    held_.append(text);
    if (held_.size() > longest_of_last_) {
      held_.erase(0, held_.size() - longest_of_last_);
    }
  }

  bool takes_any_;
  std::optional<TextPattern> pattern_;
  std::vector<ByteFinder> finders_;  // of the segments between the first and the last
  std::size_t longest_of_last_ = 0;

  State state_ = State::Undecided;
  std::size_t segment_ = 0;  // the one that is looked for
  // How far the first segment has come: parts, and in the next one octets and marks.
  std::size_t part_ = 0, octets_ = 0, marks_ = 0;
  std::string held_;  // octets that the segment may begin or end with
};

TextStream::TextStream(const std::vector<const Filter*>& filters, const ParseOptions& options) {
  for (const Filter* const filter : filters) {
    const PatternStream& stream = streams_.emplace_back(*filter, options);
    if (stream.pattern()) {
      folding_ = stream.pattern()->folding();
      by_characters_ = by_characters_ || folding_ != Folding::None || has_marks(*stream.pattern());
    }
  }
}
TextStream::~TextStream() = default;
TextStream::TextStream(TextStream&&) noexcept = default;
TextStream& TextStream::operator=(TextStream&&) noexcept = default;

void TextStream::start() {
  begun_.clear();
  for (PatternStream& stream : streams_) {
    stream.start();
  }
}

TextStream::State TextStream::state(std::size_t filter) const { return streams_[filter].state(); }

bool TextStream::decided() const {
  return std::all_of(streams_.begin(), streams_.end(), [](const PatternStream& stream) {
    return stream.state() != State::Undecided;
  });
}

bool TextStream::feed(std::string_view piece) {
  if (by_characters_) {
    feed_characters(piece);
  } else {
    feed_blocks(piece);
  }
  return !decided();
}

void TextStream::finish() {
  feed_blocks(begun_);  // which nothing will finish
  begun_.clear();
  for (PatternStream& stream : streams_) {
    stream.finish();
  }
}

void TextStream::feed_characters(std::string_view text) {
  while (!begun_.empty() && !text.empty()) {
    begun_ += text.front();
    text.remove_prefix(1);
    const std::size_t begun = begun_at_end(begun_);
    feed_blocks(std::string_view(begun_).substr(0, begun_.size() - begun));
    begun_.erase(0, begun_.size() - begun);
  }
  const std::size_t begun = begun_at_end(text);
  feed_blocks(text.substr(0, text.size() - begun));
  begun_.append(text.substr(text.size() - begun));
}

void TextStream::feed_blocks(std::string_view text) {
  if (folding_ == Folding::None && streams_.size() == 1) {
    feed_block(text);
    return;
  }
  while (!text.empty()) {
    std::string_view block = text.substr(0, kBlock);
    if (block.size() < text.size() && by_characters_) {
      block.remove_suffix(begun_at_end(block));
    }
    text.remove_prefix(block.size());
    feed_block(block);
  }
}

void TextStream::feed_block(std::string_view text) {
  if (folding_ != Folding::None) {
    fold_into(folded_, text, folding_);
    text = folded_;
  }
  for (PatternStream& stream : streams_) {
    stream.feed(text);
  }
}

}  // namespace fonds::query
