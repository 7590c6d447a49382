#include "format/warc/rewriting/repair_watch.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace fonds::warc {
namespace {

// Spans that are kept of one record: one of more units than these is not followed in detail.
constexpr std::size_t kMostSpans = std::size_t{1} << 16;
constexpr std::size_t kMostFindings = std::size_t{1} << 16;
constexpr std::uint64_t kToTheEnd = ~std::uint64_t{0};

class WatchedDecoder final : public Decoder {
 public:
  WatchedDecoder(std::unique_ptr<Decoder> inner, bool plain, Watch& watch)
      : inner_(std::move(inner)), plain_(plain), watch_(&watch) {}

  Result<ByteView> peek(std::size_t at_least) override {
    auto shown = inner_->peek(at_least);
    take();
    return shown;
  }
  void consume(std::size_t n) override {
    if (plain_) {
      watch_->consumed += n;
      inner_->consume(n);
      return;
    }
    while (n > 0) {
      const std::uint64_t unit = inner_->place().unit;
      if (!watch_->plain.empty() && watch_->plain.back().length == kToTheEnd &&
          unit > watch_->plain.back().offset && inner_->state(inner_->place()).empty()) {
        watch_->plain.back().length = unit - watch_->plain.back().offset;
      }
      const std::size_t shown = inner_->shown_of_unit();
      const std::size_t step = shown == 0 ? n : std::min(n, shown);
      watch_->note(unit, step);
      inner_->consume(step);
      n -= step;
    }
  }
  Result<bool> next_run() override {
    auto more = inner_->next_run();
    take();
    return more;
  }
  Place place() const override { return inner_->place(); }
  std::size_t shown_of_unit() const override { return inner_->shown_of_unit(); }
  std::uint64_t stored_position() const override { return inner_->stored_position(); }
  std::string state(const Place& place) const override { return inner_->state(place); }

 private:
  void take() {
    if (!inner_->has_findings()) {
      return;
    }
    for (Finding& finding : inner_->take_findings()) {
      if (finding.code == "plain-after-compressed") {
        watch_->plain.push_back({finding.where.stored_offset.value_or(0), kToTheEnd});
      }
      if (watch_->findings.size() < kMostFindings) {
        watch_->findings.push_back(finding);
      }
      findings_.push_back(std::move(finding));
    }
  }

  std::unique_ptr<Decoder> inner_;
  bool plain_;
  Watch* watch_;
};

}  // namespace

bool Watch::is_plain(std::uint64_t unit) const {
  return std::ranges::any_of(plain, [unit](const ByteRange& range) {
    return unit >= range.offset && unit - range.offset < range.length;
  });
}

void Watch::note(std::uint64_t unit, std::size_t n) {
  consumed += n;
  if (is_plain(unit)) {
    return;
  }
  if (!spans_.empty() && spans_.back().unit == unit) {
    spans_.back().end = consumed;
    return;
  }
  if (spans_.size() >= kMostSpans) {
    known_from_ = spans_.front().end;
    spans_.pop_front();
  }
  spans_.push_back({unit, consumed});
}

std::optional<std::uint64_t> Watch::unit_of(std::uint64_t decoded) const {
  if (decoded < known_from_) {
    return std::nullopt;
  }
  const auto found =
      std::upper_bound(spans_.begin(), spans_.end(), decoded,
                       [](std::uint64_t at, const Span& span) { return at < span.end; });
  return found == spans_.end() ? std::nullopt : std::optional(found->unit);
}

void Watch::forget(std::uint64_t decoded) {
  while (!spans_.empty() && spans_.front().end <= decoded) {
    known_from_ = spans_.front().end;
    spans_.pop_front();
  }
}

Result<std::unique_ptr<WarcReader>> open_watched(const Archive& archive, const ReadOptions& options,
                                                 Watch& watch) {
  DecodeOptions decode = decode_options(options);
  decode.start = options.start;
  decode.state = options.state.substr(options.state.empty() ? 0 : options.state.rfind(' ') + 1);
  decode.probe = archive.format->record_probe();
  decode.salvage = options.search_damaged;
  if (decode.state == "plain") {
    watch.plain.push_back({options.start, kToTheEnd});
  }
  FONDS_TRY(auto decoder, open_decoder(archive, decode));
  const std::string_view codec = archive.codec().name();
  auto reader = std::make_unique<WarcReader>(
      std::make_unique<WatchedDecoder>(std::move(decoder), codec == "none", watch),
      archive.source->name(), codec, options);
  if (!options.state.empty()) {
    reader->set_state(options.state);
  }
  return reader;
}

}  // namespace fonds::warc
