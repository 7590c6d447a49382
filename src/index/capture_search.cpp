#include "index/capture_search.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "index/capture.hpp"
#include "index/capture_search_file.hpp"
#include "index/line_file.hpp"
#include "index/surt.hpp"

namespace fonds::index {
namespace {

using Findings = CaptureSearch::Findings;

// Which timestamps a query asks for. Digits that are not given fit all.
struct TimeRange {
  std::string_view from, to;
  bool contains(std::string_view timestamp) const {
    return timestamp.substr(0, from.size()) >= from &&
           (to.empty() || timestamp.substr(0, to.size()) <= to);
  }
};

Status check_digits(std::string_view time) {
  constexpr std::size_t kMost = 17;
  if (time.size() > kMost || time.find_first_not_of("0123456789") != std::string_view::npos) {
    return fail(ErrorCode::BadArgument,
                fmt::format("the time {} is not up to {} digits", time, kMost));
  }
  return {};
}

// What a query finds in one file, one after the other.
class CaptureStream {
 public:
  CaptureStream(const CaptureFile& file, std::size_t number, const KeyRange& keys,
                const TimeRange& times, const Findings& finding)
      : file_(file), keys_(keys), times_(times), finding_(finding) {
    found_.file = number;
  }

  // To be called first.
  Status begin() {
    if (!file_.sorted_by_key()) {
      look_at_all();
      return {};
    }
    FONDS_TRY(SortedLines::Start start, file_.lines->lines_from(keys_.begin));
    cursor_ = std::move(start.cursor);
    if (!start.in_order) {
      finding_(make_finding("cdx-order", "the lines of this index are not in order",
                            {.source = file_.name}));
      look_at_all();
    }
    return {};
  }

  // False at the end.
  Result<bool> next() {
    while (true) {
      FONDS_TRY(const bool there, next_line());
      if (!there) {
        return false;
      }
      const std::string_view line = cursor_->line();
      const std::string_view key = key_of_line(line, file_.layout.delimiter);
      if (!all_ && out_of_order(key)) {
        continue;
      }
      if (file_.sorted_by_key()) {
        if (!all_ && key >= keys_.end) {
          return false;
        }
        if (!keys_.contains(key) || !timely(line, key.size())) {
          continue;
        }
      }
      if (parse(line)) {
        return true;
      }
    }
  }
  const FoundCapture& found() const { return found_; }

 private:
  // The next line that was not looked at before.
  Result<bool> next_line() {
    while (true) {
      auto there = cursor_->next();
      if (there) {
        if (*there && all_ && cursor_->position() >= seen_begin_ &&
            cursor_->position() < seen_end_) {
          continue;
        }
        return there;
      }
      const ErrorCode code = there.error().code();
      if (code != ErrorCode::Corrupt && code != ErrorCode::LimitExceeded) {
        return there;
      }
      finding_(make_finding("cdx-line", there.error().message(), there.error().where()));
    }
  }

  void look_at_all() {
    all_ = true;
    cursor_ = file_.lines->lines();
  }

  // Whether this line proves that the search by halves was in vain; then all lines come again.
  bool out_of_order(std::string_view key) {
    if (any_ && key < last_key_) {
      finding_(make_finding("cdx-order", "this line and the one before are not in order",
                            cursor_->where()));
      seen_end_ = cursor_->position();
      look_at_all();
      return true;
    }
    if (!any_) {
      seen_begin_ = cursor_->position();
    }
    any_ = true;
    last_key_ = key;
    return false;
  }

  // By the second column, where that is known to be the time: most lines need not be parsed.
  bool timely(std::string_view line, std::size_t key_size) const {
    if (!file_.layout.cdxj && !file_.layout.columns.starts_with("Nb")) {
      return true;
    }
    line.remove_prefix(std::min(key_size + 1, line.size()));
    return times_.contains(key_of_line(line, file_.layout.delimiter));
  }

  bool parse(std::string_view line) {
    auto capture = parse_line(line, file_.layout);
    found_.where = cursor_->where();
    if (!capture) {
      finding_(make_finding("cdx-line", capture.error().message(), found_.where));
      return false;
    }
    found_.capture = std::move(*capture);
    if (!file_.layout.cdxj && file_.layout.columns.find('N') == std::string::npos) {
      found_.capture.key = surt(found_.capture.url);
    }
    return keys_.contains(found_.capture.key) && times_.contains(found_.capture.timestamp);
  }

  const CaptureFile& file_;
  const KeyRange& keys_;
  const TimeRange& times_;
  const Findings& finding_;
  std::unique_ptr<LineCursor> cursor_;
  bool all_ = false;  // not a search by halves
  bool any_ = false;
  std::string last_key_;
  LineCursor::Position seen_begin_, seen_end_;  // lines of the search in vain
  FoundCapture found_;
};

// Milliseconds, as fine as timestamps are.
std::int64_t milliseconds(const Date& date) {
  return date.seconds * 1000 + date.nanoseconds / 1'000'000;
}
std::uint64_t distance(const std::string& timestamp, const Date& from) {
  const auto time = parse_user_date(timestamp);
  if (!time) {
    return std::numeric_limits<std::uint64_t>::max();
  }
  const std::int64_t difference = milliseconds(*time) - milliseconds(from);
  return static_cast<std::uint64_t>(difference < 0 ? -difference : difference);
}

}  // namespace

Status CaptureSearch::add(std::shared_ptr<ByteSource> source) {
  FONDS_TRY(CaptureFile file, open_capture_file(std::move(source)));
  files_.push_back(std::move(file));
  return {};
}

KeyRange range_of_query(const CaptureQuery& query) {
  if (!query.is_key) {
    return key_range(query.url, query.match);
  }
  const std::string& key = query.url;
  const std::string host = key.substr(0, key.find(')'));
  switch (query.match) {
    case KeyMatch::Exact:
      break;
    case KeyMatch::Prefix: {
      // The first key that does not begin so: the last octet that can be is increased.
      std::string end = key.substr(0, key.find_last_not_of('\xff') + 1);
      if (end.empty()) {
        return {key, std::string(64, '\xff')};
      }
      end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
      return {key, end};
    }
    case KeyMatch::Host:
      return {host + ")/", host + "*"};
    case KeyMatch::Domain:
      return {host + (host.find(',') == std::string::npos ? "," : ")/"), host + "-"};
  }
  return {key, key + "!"};
}

Status CaptureSearch::find(const CaptureQuery& query, const Output& out,
                           const Findings& finding) const {
  FONDS_CHECK(check_digits(query.from));
  FONDS_CHECK(check_digits(query.to));
  const KeyRange keys = range_of_query(query);
  const TimeRange times = {query.from, query.to};
  std::vector<std::unique_ptr<CaptureStream>> streams;  // a heap; the first capture on top
  const auto later = [](const auto& a, const auto& b) {
    const FoundCapture& x = a->found();
    const FoundCapture& y = b->found();
    return std::tie(x.capture.key, x.capture.timestamp, x.file) >
           std::tie(y.capture.key, y.capture.timestamp, y.file);
  };
  const auto push = [&](std::unique_ptr<CaptureStream> stream) -> Status {
    FONDS_TRY(const bool there, stream->next());
    if (there) {
      streams.push_back(std::move(stream));
      std::push_heap(streams.begin(), streams.end(), later);
    }
    return {};
  };
  for (std::size_t i = 0; i < files_.size(); ++i) {
    auto stream = std::make_unique<CaptureStream>(files_[i], i, keys, times, finding);
    FONDS_CHECK(stream->begin());
    FONDS_CHECK(push(std::move(stream)));
  }
  std::uint64_t given = 0;
  while (!streams.empty()) {
    std::pop_heap(streams.begin(), streams.end(), later);
    std::unique_ptr<CaptureStream> first = std::move(streams.back());
    streams.pop_back();
    FONDS_TRY(const bool more, out(first->found()));
    if (!more || ++given == query.limit) {
      break;
    }
    FONDS_CHECK(push(std::move(first)));
  }
  return {};
}

Result<std::vector<FoundCapture>> CaptureSearch::closest(std::string_view url, const Date& time,
                                                         std::size_t limit,
                                                         const Findings& finding) const {
  struct Candidate {
    std::uint64_t distance;
    FoundCapture found;
  };
  std::vector<Candidate> nearest;
  const auto keep_nearest = [&] {
    std::stable_sort(nearest.begin(), nearest.end(), [](const Candidate& a, const Candidate& b) {
      return a.distance < b.distance;
    });
    if (limit != 0 && nearest.size() > limit) {
      nearest.erase(nearest.begin() + static_cast<std::ptrdiff_t>(limit), nearest.end());
    }
  };
  FONDS_CHECK(find(
      {.url = std::string(url)},
      [&](const FoundCapture& found) -> Result<bool> {
        nearest.push_back({distance(found.capture.timestamp, time), found});
        if (limit != 0 && nearest.size() / 2 >= limit) {
          keep_nearest();
        }
        return true;
      },
      finding));
  keep_nearest();
  std::vector<FoundCapture> captures;
  captures.reserve(nearest.size());
  for (Candidate& candidate : nearest) {
    captures.push_back(std::move(candidate.found));
  }
  return captures;
}

}  // namespace fonds::index
