#include "format/lines/searching/search.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/guarded.hpp"
#include "base/ordered_jobs.hpp"
#include "base/text.hpp"
#include "format/common/json_fields.hpp"
#include "format/common/json_search.hpp"
#include "format/lines/reading/json_line.hpp"
#include "format/lines/searching/line_pieces.hpp"
#include "format/lines/searching/line_sieve.hpp"
#include "query/needed_texts.hpp"

namespace fonds::lines {
namespace {

using Want = SearchOptions::Want;

// Bytes of lines that are judged together; what groups they make takes more.
constexpr std::uint64_t kSmallestPiece = std::uint64_t{16} << 10;
constexpr std::uint64_t kLargestPiece = std::uint64_t{1} << 20;

// Lines to be looked at, and what was found in them.
struct Job {
  explicit Job(Want want) : answer(want) {}
  LinePiece piece;
  std::string copy;  // of the lines, unless they stay where they are
  bool first = false;
  JsonAnswer answer;
  std::vector<Finding> findings;
};

// The beginning of text, up to and with so many line ends.
std::string_view first_lines(std::string_view text, std::uint64_t lines) {
  std::size_t end = 0;
  for (; lines > 0 && end < text.size(); --lines) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  return text.substr(0, end);
}

class Searcher {
 public:
  Searcher(const Archive& archive, const query::Query& query, const SearchOptions& options,
           const SearchSink& sink)
      : archive_(archive),
        query_(query),
        options_(options),
        sink_(sink),
        source_(archive.source->name()),
        plain_(archive.codecs.size() == 1 && archive.codec().name() == "none"),
        needed_(query::needed_texts(query)),
        answer_(options.want) {
    if (plain_) {
      mapped_ = archive.source->view();
    }
  }

  Result<SearchReport> run() {
    FONDS_TRY(JsonJudge judge, make_judge());
    const std::uint64_t memory = options_.read.memory_budget;
    DecodeOptions decode = decode_options(options_.read);
    FONDS_TRY(auto decoder, open_decoder(archive_, decode));
    const std::uint64_t most = memory / 4;
    const std::uint64_t size = std::clamp(memory / 64, kSmallestPiece, kLargestPiece);
    LinePieces pieces(std::move(decoder), source_, static_cast<std::size_t>(std::min(size, most)),
                      most);
    FONDS_CHECK(options_.threads > 1 ? search_on_threads(pieces, memory / 4)
                                     : search_alone(pieces, judge));
    return answer_.report();
  }

 private:
  Result<JsonJudge> make_judge() const {
    return JsonJudge::make(query_, options_, source_, archive_.format->name());
  }

  // False: there are no more lines.
  Result<bool> next(LinePieces& pieces, Job& job) {
    if (options_.read.stop.stop_requested()) {
      return fail(ErrorCode::Cancelled, "cancelled", {.source = source_});
    }
    auto more = pieces.next(job.piece);
    job.findings = pieces.take_findings();
    job.first = std::exchange(first_, false);
    return more;
  }

  Status search_alone(LinePieces& pieces, JsonJudge& judge) {
    LineSieve sieve(needed_);
    while (!enough()) {
      Job job(options_.want);
      auto more = next(pieces, job);
      if (!more || !*more) {
        FONDS_CHECK(deliver(job));
        return more ? Status() : Status(tl::unexpected(std::move(more.error())));
      }
      FONDS_CHECK(work(judge, sieve, job));
      FONDS_CHECK(deliver(job));
    }
    return {};
  }

  Status search_on_threads(LinePieces& pieces, std::uint64_t budget) {
    OrderedJobs<Job> jobs(options_.threads, budget, [this]() -> Result<OrderedJobs<Job>::Work> {
      FONDS_TRY(JsonJudge judge, make_judge());
      const auto own = std::make_shared<JsonJudge>(std::move(judge));
      const auto sieve = std::make_shared<LineSieve>(needed_);
      return [this, own, sieve](Job& job) { return work(*own, *sieve, job); };
    });
    bool more = true;
    while (more && !enough()) {
      auto job = std::make_unique<Job>(options_.want);
      auto got = next(pieces, *job);
      more = got && *got;
      const std::uint64_t cost = 2 * job->piece.text.size() + sizeof(Job);
      while (!jobs.empty() && (!more || jobs.full(cost)) && !enough()) {
        FONDS_CHECK(deliver_front(jobs));
      }
      if (!more) {
        FONDS_CHECK(deliver(*job));  // findings behind the last lines
        return got ? Status() : Status(tl::unexpected(std::move(got.error())));
      }
      if (!stays(job->piece.text)) {
        job->copy = job->piece.text;
        job->piece.text = job->copy;
      }
      FONDS_CHECK(jobs.submit(job, cost));
    }
    return {};
  }

  Status deliver_front(OrderedJobs<Job>& jobs) {
    const auto done = jobs.front(true);
    if (done.error != nullptr) {
      return fail(done.error->code(), done.error->message(), done.error->where());
    }
    const auto job = jobs.pop();
    return deliver(*job);
  }

  // Whether text outlives the decoder's next step.
  bool stays(std::string_view text) const {
    const auto* const data = reinterpret_cast<const std::byte*>(text.data());
    return mapped_ && data >= mapped_->data() && data < mapped_->data() + mapped_->size();
  }

  Status work(JsonJudge& judge, LineSieve& sieve, Job& job) const {
    std::string_view text = job.piece.text;
    std::size_t mark = 0;
    if (job.first && text.starts_with(kByteOrderMark)) {
      mark = kByteOrderMark.size();
      text.remove_prefix(mark);
    }
    sieve.learn(text);
    return sieve.for_each(text, [&](std::size_t begin, std::size_t end) -> Status {
      std::string_view line = text.substr(begin, end - begin);
      if (line.ends_with('\r')) {
        line.remove_suffix(1);
      }
      if (trim(line).empty()) {
        return {};
      }
      Status status = judge.take({.user = line}, job.answer);
      if (status || status.error().code() != ErrorCode::Corrupt) {
        return status;
      }
      const std::size_t before = begin == 0 ? 0 : begin + mark;
      Location where = {.source = source_, .stored_offset = job.piece.place.unit};
      if (plain_) {
        *where.stored_offset += before;
      } else {
        where.decoded_offset = job.piece.decoded + before;
      }
      const auto fault = status.error().where().decoded_offset.value_or(0);
      job.findings.push_back(make_finding(
          "jsonl-line", not_an_object(static_cast<std::size_t>(fault)), std::move(where)));
      return {};
    });
  }

  // Whether the sink, or the question, needs no more.
  bool enough() const {
    return stopped_ || (options_.limit && answer_.matched >= *options_.limit) ||
           (options_.want == Want::Any && answer_.matched > 0);
  }

  Status deliver(Job& job) {
    for (const Finding& finding : job.findings) {
      if (sink_.finding) {
        sink_.finding(finding);
      }
    }
    std::string lines = std::exchange(job.answer.lines, {});
    if (options_.limit && job.answer.matched > *options_.limit - answer_.matched) {
      job.answer.matched = *options_.limit - answer_.matched;
      lines.resize(first_lines(lines, job.answer.matched).size());
    }
    if (!lines.empty() && sink_.lines) {
      FONDS_TRY(const bool more, sink_.lines(lines));
      stopped_ = !more;
    }
    return answer_.add(job.answer, options_.read.memory_budget / 8);
  }

  const Archive& archive_;
  const query::Query& query_;
  const SearchOptions& options_;
  const SearchSink& sink_;
  const std::string source_;
  const bool plain_;
  const query::NeededTexts needed_;
  std::optional<ByteView> mapped_;
  bool first_ = true, stopped_ = false;
  JsonAnswer answer_;
};

}  // namespace

Result<SearchReport> search_events(const Archive& archive, const query::Query& query,
                                   const SearchOptions& options, const SearchSink& sink) {
  return guarded([&] { return Searcher(archive, query, options, sink).run(); });
}

Status list_event_fields(const Archive& archive, const ReadOptions& options,
                         const std::function<Status(const EventField&)>& out,
                         const std::function<void(const Finding&)>& finding) {
  JsonFieldCounts fields(options.memory_budget / 8);
  FONDS_TRY(const auto reader, archive.format->open(archive, options));
  while (true) {
    FONDS_TRY(const Record* const record, reader->next());
    for (const Finding& found : reader->take_loose_findings()) {
      finding(found);
    }
    if (record == nullptr) {
      return fields.give(out);
    }
    const auto length = static_cast<std::size_t>(record->length().value_or(0));
    FONDS_TRY(const ByteView json, reader->peek_block(length));
    FONDS_CHECK(fields.add(as_text(json)));
    FONDS_TRY(const RecordEnd end, reader->finish());
    for (const Finding& found : end.findings) {
      finding(found);
    }
  }
}

}  // namespace fonds::lines
