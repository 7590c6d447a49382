#include "format/lines/searching/line_sieve.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace fonds::lines {
namespace {

constexpr std::size_t kSample = std::size_t{16} << 10;
// Where an octet is more frequent than once in so many, stopping at each takes longer than to
// compare.
constexpr std::size_t kFrequent = 48;

std::size_t find_plainly(std::string_view in, std::size_t from, std::string_view text) {
  const void* const found = ::memmem(in.data() + from, in.size() - from, text.data(), text.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - in.data());
}

bool holds_one(std::string_view line, const query::NeededTexts::Clause& clause) {
  return std::any_of(clause.begin(), clause.end(), [line](const std::string& needle) {
    return ::memmem(line.data(), line.size(), needle.data(), needle.size()) != nullptr;
  });
}

}  // namespace

void TextFinder::learn(std::string_view sample) {
  sample = sample.substr(0, kSample);
  std::array<std::uint32_t, 256> counts = {};
  for (const char c : sample) {
    ++counts[static_cast<unsigned char>(c)];
  }
  const auto rarest = std::min_element(text_.begin(), text_.end(), [&](char a, char b) {
    return counts[static_cast<unsigned char>(a)] < counts[static_cast<unsigned char>(b)];
  });
  rare_ = static_cast<std::size_t>(rarest - text_.begin());
  frequent_ = counts[static_cast<unsigned char>(*rarest)] > sample.size() / kFrequent;
}

std::size_t TextFinder::find(std::string_view in, std::size_t from) const {
  if (in.size() - from < text_.size()) {
    return std::string_view::npos;
  }
  if (frequent_) {
    return find_plainly(in, from, text_);
  }
  std::size_t misses = 0;
  const std::size_t last = in.size() - text_.size() + rare_;  // where the octet can stand
  for (std::size_t at = from + rare_; at <= last; ++at) {
    const void* const found = std::memchr(in.data() + at, text_[rare_], last - at + 1);
    if (found == nullptr) {
      break;
    }
    at = static_cast<std::size_t>(static_cast<const char*>(found) - in.data());
    if (std::memcmp(in.data() + at - rare_, text_.data(), text_.size()) == 0) {
      return at - rare_;
    }
    // The sample may have said nothing of what follows.
    if (++misses * kFrequent > at - from + kSample) {
      return find_plainly(in, at - rare_, text_);
    }
  }
  return std::string_view::npos;
}

LineSieve::LineSieve(query::NeededTexts needed) : needed_(std::move(needed)) {
  if (needed_.clauses.empty()) {
    return;
  }
  for (const std::string& needle : needed_.clauses.front()) {
    finders_.emplace_back(needle);
  }
  finders_.emplace_back(R"(\u)");
  finders_.emplace_back(R"(\/)");
}

void LineSieve::learn(std::string_view text) {
  for (TextFinder& finder : finders_) {
    finder.learn(text);
  }
}

void LineSieve::start(std::string_view text) {
  at_ = 0;
  found_.clear();
  for (const TextFinder& finder : finders_) {
    found_.push_back(finder.find(text, 0));
  }
}

bool LineSieve::holds_all(std::string_view line) const {
  return std::all_of(needed_.clauses.begin(), needed_.clauses.end(),
                     [line](const auto& clause) { return holds_one(line, clause); });
}

bool LineSieve::next(std::string_view text, std::size_t& begin, std::size_t& end) {
  while (at_ < text.size()) {
    begin = at_;
    std::size_t hit = at_;
    if (!finders_.empty()) {
      for (std::size_t i = 0; i < finders_.size(); ++i) {
        if (found_[i] < at_) {
          found_[i] = finders_[i].find(text, at_);
        }
      }
      hit = *std::min_element(found_.begin(), found_.end());
      if (hit == std::string_view::npos) {
        at_ = text.size();
        return false;
      }
      const void* const before = ::memrchr(text.data() + at_, '\n', hit - at_);
      if (before != nullptr) {
        begin = static_cast<std::size_t>(static_cast<const char*>(before) - text.data()) + 1;
      }
    }
    end = std::min(text.find('\n', hit), text.size());
    at_ = end + 1;
    const std::string_view line = text.substr(begin, end - begin);
    if (finders_.empty() || holds_all(line) || query::may_hide(line)) {
      return true;
    }
  }
  return false;
}

}  // namespace fonds::lines
