#include "index/capture_check.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/formats/warc.hpp>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "index/capture.hpp"
#include "index/capture_search.hpp"
#include "index/capture_search_file.hpp"
#include "index/line_file.hpp"
#include "index/line_sorter.hpp"
#include "index/surt.hpp"

namespace fonds::index {
namespace {

constexpr std::uint64_t kMemory = std::uint64_t{64} << 20;
constexpr std::size_t kHead = std::size_t{64} << 10;
constexpr std::size_t kMostLengths = 1000;  // of captures of one record that are compared

std::string base_name(std::string_view path) {
  return std::filesystem::path(path).filename().string();
}

bool ends_checking(const Error& error) {
  return error.code() == ErrorCode::Io || error.code() == ErrorCode::NotFound ||
         error.code() == ErrorCode::Cancelled;
}

// What is told once for all captures of an index, with the place of the first.
struct Tally {
  std::uint64_t captures = 0;
  Location first = {};
  std::string example = {};

  void add(const Location& where, std::string_view text) {
    if (captures++ == 0) {
      first = where;
      example = text;
    }
  }
};

// CDXJ 0.1.0 requires these of every line; without an offset a line is no capture at all.
constexpr std::array<std::string_view, 6> kMembers = {"url",      "digest", "mime",
                                                      "filename", "length", "status"};

// A digest of an index: those of CDX, and older CDXJ, are SHA-1 without a label.
LabelledDigest digest_of(const std::string& text) {
  return parse_digest(text.find(':') == std::string::npos ? "sha1:" + text : text);
}

// What the capture says of its record and the record does not; empty if nothing.
std::string difference(const Capture& capture, const warc::RecordView& record) {
  const LabelledDigest told = digest_of(capture.digest);
  const LabelledDigest real = parse_digest(record.payload_digest());
  constexpr auto kGood = LabelledDigest::State::Good;
  if (told.state == kGood && real.state == kGood && told.algorithm == real.algorithm &&
      !(told.value == real.value)) {
    return fmt::format("says the digest {}, the record {}", escape_for_terminal(capture.digest),
                       escape_for_terminal(record.payload_digest()));
  }
  const auto status = parse_number(capture.status);
  if (status && record.http_status() != 0 &&
      *status != static_cast<std::uint64_t>(record.http_status())) {
    return fmt::format("says the status {}, the record {}", *status, record.http_status());
  }
  return {};
}

// A capture on its way through the sorter: its place in the archive, then the line and its place.
struct Entry {
  Place place;
  Location where;
  std::string_view line;

  std::string to_text() const {
    return fmt::format("{:016x}{:016x}{:016x}{}", place.unit, place.inner,
                       where.stored_offset.value_or(0), where.source) +
           '\0' + std::string(line);
  }
  // Of what to_text() gave, in which the line stays.
  static Entry from_text(std::string_view text) {
    constexpr std::size_t kDigits = 16;
    std::array<std::uint64_t, 3> numbers = {};
    for (std::uint64_t& number : numbers) {
      for (const char c : text.substr(0, kDigits)) {
        number = number << 4 | static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
      }
      text.remove_prefix(kDigits);
    }
    const std::size_t end = text.find('\0');
    return {{numbers[0], numbers[1]},
            {.source = std::string(text.substr(0, end)), .stored_offset = numbers[2]},
            text.substr(end + 1)};
  }
};

class Checker {
 public:
  Checker(const CaptureFile& index, const Archive& archive, const ReadOptions& options,
          const std::function<void(const Finding&)>& on_finding)
      : index_(index), archive_(archive), options_(options), on_finding_(on_finding) {
    options_.skim = true;
    options_.http = true;
    options_.resume = nullptr;
    options_.seek = nullptr;
    options_.collect = nullptr;
    options_.start_inner = 0;
  }

  Result<CaptureTotals> run() {
    FONDS_TRY(size_, archive_.source->size());
    LineSorter sorter(kMemory, "");
    FONDS_CHECK(read_lines(sorter));
    FONDS_CHECK(
        sorter.finish([&](std::string_view text) { return check(Entry::from_text(text)); }, false));
    FONDS_CHECK(leave_record());
    report_tallies();
    if (totals_.checked == 0 && totals_.elsewhere > 0) {
      report("cdx-stale",
             fmt::format("none of {} captures is of an archive with the name {}", totals_.captures,
                         base_name(archive_.source->name())),
             {.source = index_.name});
    }
    return totals_;
  }

 private:
  void report(std::string_view code, std::string message, Location where) {
    on_finding_(make_finding(code, std::move(message), std::move(where)));
  }
  void report_stale(std::string message, Location where) {
    ++totals_.wrong;
    report("cdx-stale", std::move(message), std::move(where));
  }

  Status read_lines(LineSorter& sorter) {
    const std::string name = base_name(archive_.source->name());
    const std::unique_ptr<LineCursor> cursor = index_.lines->lines();
    std::string before;
    bool in_order = true;
    while (true) {
      if (options_.stop.stop_requested()) {
        return fail(ErrorCode::Cancelled, "cancelled", {.source = index_.name});
      }
      const auto there = cursor->next();
      if (!there) {
        if (ends_checking(there.error())) {
          return tl::unexpected(
              Error(there.error().code(), there.error().message(), there.error().where()));
        }
        report("cdx-line", there.error().message(), there.error().where());
        continue;
      }
      if (!*there) {
        return {};
      }
      const std::string_view line = cursor->line();
      if (in_order && line < before) {
        in_order = false;
        report("cdx-order", "this line is smaller than the one before", cursor->where());
      }
      before = line;
      const auto capture = parse_line(line, index_.layout);
      if (!capture || !capture->offset) {
        report("cdx-line", capture ? "the capture has no offset" : capture.error().message(),
               cursor->where());
        totals_.captures += capture ? 1U : 0U;
        continue;
      }
      ++totals_.captures;
      check_line(*capture, cursor->where());
      if (!capture->filename.empty() && base_name(capture->filename) != name) {
        ++totals_.elsewhere;
        continue;
      }
      ++totals_.checked;
      FONDS_CHECK(sorter.add(
          Entry{{*capture->offset, capture->inner.value_or(0)}, cursor->where(), line}.to_text()));
    }
  }

  // What the line shows without its record.
  void check_line(const Capture& capture, const Location& where) {
    if (index_.layout.cdxj) {
      const std::array<bool, kMembers.size()> there = {
          !capture.url.empty(),      !capture.digest.empty(),    !capture.mime.empty(),
          !capture.filename.empty(), capture.length.has_value(), !capture.status.empty()};
      for (std::size_t i = 0; i < there.size(); ++i) {
        if (!there[i]) {
          members_[i].add(where, kMembers[i]);
        }
      }
    }
    // Requests that are joined have a key of their own kind.
    if (index_.sorted_by_key() && !capture.url.empty() && capture.method.empty() &&
        capture.key.find("__wb_method=") == std::string::npos && capture.key != surt(capture.url)) {
      keys_.add(where, capture.url);
    }
  }

  void report_tallies() {
    for (const Tally& member : members_) {
      if (member.captures > 0) {
        report("cdx-member",
               fmt::format("{} captures from here on have no {}", member.captures, member.example),
               member.first);
      }
    }
    if (keys_.captures > 0) {
      report("cdx-key",
             fmt::format("{} keys from here on are not those of their URLs, the first is of {}",
                         keys_.captures, escape_for_terminal(keys_.example)),
             keys_.first);
    }
  }

  // Entries come in the order of their places.
  Status check(const Entry& entry) {
    const auto capture = parse_line(entry.line, index_.layout);
    if (!capture) {
      return {};  // it was understood before
    }
    if (!(wanted_ == entry.place)) {
      FONDS_CHECK(leave_record());
      FONDS_CHECK(go_to(entry.place));
    }
    if (record_ == nullptr) {
      report_stale(nothing_there(entry.place), entry.where);
      return {};
    }
    if (!leads_to(*capture, *record_)) {
      report_stale(another_there(entry.place, *capture), entry.where);
      return {};
    }
    if (std::string text = difference(*capture, *warc::RecordView::of(*record_)); !text.empty()) {
      report("cdx-differs", std::move(text), entry.where);
    }
    if (capture->length && lengths_.size() < kMostLengths) {
      lengths_.push_back({*capture->length, entry.where});
    }
    return {};
  }

  std::string nothing_there(const Place& place) const {
    if (place.unit >= size_) {
      return fmt::format("leads to offset {}, but the archive has {} bytes", place.unit, size_);
    }
    if (place.inner == 0) {
      return fmt::format("leads to offset {}, where no record begins", place.unit);
    }
    return fmt::format("leads {} bytes into the unit at offset {}, where no record begins",
                       place.inner, place.unit);
  }

  std::string another_there(const Place& place, const Capture& capture) const {
    const auto view = warc::RecordView::of(*record_);
    const auto date = record_->date();
    return fmt::format(
        "leads to offset {}, where the record is of {} at {}, not {} at {}", place.unit,
        escape_for_terminal(view && !view->target_uri().empty() ? view->target_uri() : "no URL"),
        date ? date->to_string() : "no time",
        escape_for_terminal(capture.url.empty() ? capture.key : capture.url), capture.timestamp);
  }

  // Sets record_ to the record that begins at `place`, if one does.
  Status go_to(const Place& place) {
    record_ = nullptr;
    if (!wanted_ || wanted_->unit != place.unit) {
      reader_.reset();
      next_ = nullptr;
      wanted_ = place;
      if (!seems_to_begin(place.unit)) {
        return {};
      }
      options_.start = place.unit;
      options_.stop_at = place.unit + 1;
      auto reader = archive_.format->open(archive_, options_);
      if (!reader) {
        return unless_ending(reader.error());
      }
      reader_ = std::move(*reader);
      FONDS_CHECK(next_record());
    }
    wanted_ = place;
    while (next_ != nullptr && at_.unit == place.unit && at_.inner < place.inner) {
      FONDS_CHECK(next_record());
    }
    record_ = next_ != nullptr && at_ == place ? next_ : nullptr;
    return {};
  }

  Status next_record() {
    next_ = nullptr;
    finished_ = false;
    const auto record = reader_->next();
    if (!record) {
      return unless_ending(record.error());
    }
    next_ = *record;
    at_ = next_ == nullptr ? Place{} : next_->place;
    return {};
  }

  // Most places that lead astray are told by a look at the first octets.
  bool seems_to_begin(std::uint64_t stored_offset) const {
    if (stored_offset >= size_) {
      return false;
    }
    std::vector<std::byte> buffer;
    ByteView head;
    if (const auto view = archive_.source->view()) {
      head = view->subspan(static_cast<std::size_t>(stored_offset));
      head = head.first(std::min(head.size(), kHead));
    } else {
      buffer.resize(kHead);
      const auto got = archive_.source->read_at(stored_offset, buffer);
      head = ByteView(buffer).first(got ? *got : 0);
    }
    if (archive_.codec().name() != "none") {
      return archive_.codec().probe(head) > 0;
    }
    const RecordProbe probe = archive_.format->record_probe();
    return probe.starts_record == nullptr || probe.starts_record(head);
  }

  // Passes over the record and compares its length with what was told of it.
  Status leave_record() {
    if (record_ == nullptr || std::exchange(finished_, true)) {
      return {};
    }
    const std::vector<Length> lengths = std::exchange(lengths_, {});
    const std::uint64_t header = record_->raw_header().size();
    const std::uint64_t offset = at_.unit;
    record_ = nullptr;
    const auto end = reader_->finish();
    if (!end) {
      return unless_ending(end.error());
    }
    const bool plain = archive_.codec().name() == "none";
    for (const Length& length : lengths) {
      // Of plain records, some makers count the line ends behind them and some do not.
      const auto whole = end->stored_length;
      if (!whole || length.value == *whole ||
          (plain && end->length && length.value == header + *end->length)) {
        continue;
      }
      report_stale(fmt::format("has the length {}, but the record at offset {} has {} stored bytes",
                               length.value, offset, *whole),
                   length.where);
    }
    return {};
  }

  // What is wrong in the archive only means that a capture leads nowhere.
  static Status unless_ending(const Error& error) {
    if (ends_checking(error)) {
      return tl::unexpected(Error(error.code(), error.message(), error.where()));
    }
    return {};
  }

  struct Length {
    std::uint64_t value;
    Location where;
  };
  const CaptureFile& index_;
  const Archive& archive_;
  ReadOptions options_;
  const std::function<void(const Finding&)>& on_finding_;
  CaptureTotals totals_;
  std::uint64_t size_ = 0;
  std::optional<Place> wanted_;  // of the entries at hand
  std::unique_ptr<RecordReader> reader_;
  Record* next_ = nullptr;    // where the reader stands
  Place at_;                  // of it
  bool finished_ = false;     // the reader has passed over it
  Record* record_ = nullptr;  // at `wanted_`, if one is
  std::vector<Length> lengths_;
  std::array<Tally, kMembers.size()> members_;
  Tally keys_;
};

}  // namespace

Result<CaptureTotals> verify_captures(const CaptureFile& index, const Archive& archive,
                                      const ReadOptions& options,
                                      const std::function<void(const Finding&)>& on_finding) {
  return Checker(index, archive, options, on_finding).run();
}

}  // namespace fonds::index
