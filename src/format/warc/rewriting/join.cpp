#include "format/warc/rewriting/join.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "format/warc/reading/record.hpp"
#include "format/warc/rewriting/merge_join.hpp"
#include "format/warc/rewriting/segments.hpp"
#include "format/warc/writing/edits.hpp"

namespace fonds::warc {
namespace {

// The octets of a whole record: header, the blocks of its segments, line ends.
class WholeRecord final : public ByteSource {
 public:
  WholeRecord(const Joins& joins, const Joins::Whole& whole, std::string header, std::string name)
      : joins_(joins), whole_(whole), text_(std::move(header)), name_(std::move(name)) {}
  const std::string& name() const override { return name_; }
  bool random_access() const override { return false; }
  Result<std::uint64_t> size() override {
    return fail(ErrorCode::Unsupported, "a record put together from segments is read once");
  }
  Result<std::size_t> read_at(std::uint64_t /*offset*/, MutableByteView /*out*/) override {
    return fail(ErrorCode::Unsupported, "a record put together from segments is read once");
  }

  Result<std::size_t> read_next(MutableByteView out) override {
    while (!out.empty()) {
      if (given_ < text_.size()) {
        return give(as_bytes(text_).subspan(given_), out, given_);
      }
      if (part_ == whole_.parts.size()) {
        if (std::exchange(closed_, true)) {
          return std::size_t{0};
        }
        text_ = "\r\n\r\n";
        given_ = 0;
        continue;
      }
      if (!stream_) {
        FONDS_TRY(SegmentStream opened, joins_.open(whole_.parts[part_]));
        stream_.emplace(std::move(opened));
      }
      FONDS_TRY(const ByteView shown, stream_->peek());
      if (!shown.empty()) {
        std::size_t ignored = 0;
        const std::size_t n = give(shown, out, ignored);
        stream_->consume(n);
        return n;
      }
      stream_.reset();
      ++part_;
    }
    return std::size_t{0};
  }

 private:
  static std::size_t give(ByteView from, MutableByteView to, std::size_t& given) {
    const std::size_t n = std::min(from.size(), to.size());
    std::copy_n(from.begin(), n, to.begin());
    given += n;
    return n;
  }

  const Joins& joins_;
  const Joins::Whole& whole_;
  std::string text_;
  std::string name_;
  std::size_t given_ = 0;  // octets of text_
  std::size_t part_ = 0;
  bool closed_ = false;
  std::optional<SegmentStream> stream_;
};

class Joiner final : public SegmentJoiner {
 public:
  Joiner(std::span<const Archive> archives, const ReadOptions& options)
      : archives_(archives), joins_(archives_, options_) {
    options_.read = options;
    options_.read.start = options_.read.start_inner = 0;
    options_.read.stop_at.reset();
    options_.read.state.clear();
    options_.read.resume.reset();
  }

  Status find() {
    for (std::size_t i = 0; i < archives_.size(); ++i) {
      FONDS_CHECK(find_in(i));
    }
    return joins_.settle([this](Finding finding) {
      findings_.push_back(std::move(finding));
      return Status();
    });
  }

  Result<std::optional<Archive>> whole(
      std::size_t archive, const Record& generic,
      const std::function<void(const Finding&)>& finding) const override {
    const auto& record = static_cast<const WarcRecord&>(generic);
    const Joins::Whole* const whole = joins_.whole(archive, place_of(record.place));
    if (whole == nullptr) {
      if (segment_part(record.header, 0)) {
        tell(record.header.id, finding);
      }
      return std::optional<Archive>();
    }
    HeaderChange change;
    FONDS_TRY(change.whole, joins_.change(*whole, record.header));
    auto source = std::make_shared<WholeRecord>(
        joins_, *whole, changed_header(record.header, record.raw_header(), change),
        archives_[archive].source->name());
    return std::optional(Archive{std::move(source), archives_[archive].format, {codecs().back()}});
  }

  bool absorbed(std::size_t archive, const Record& record) const override {
    return joins_.absorbed(archive, place_of(record.place));
  }

 private:
  Status find_in(std::size_t i) {
    const Archive& archive = archives_[i];
    if (!archive.source->random_access()) {
      return fail(ErrorCode::Unsupported,
                  "segments are looked for in files; a pipe can only be read from start to end",
                  {.source = archive.source->name()});
    }
    ReadOptions read = options_.read;
    read.skim = !read.search_damaged;
    FONDS_TRY(const auto reader, archive.format->open(archive, read));
    while (true) {
      FONDS_TRY(const Record* const generic, reader->next());
      if (generic == nullptr) {
        return {};
      }
      const auto& record = static_cast<const WarcRecord&>(*generic);
      auto part = segment_part(record.header, record.block_length.value_or(0));
      if (part) {
        FONDS_CHECK(joins_.add({std::move(*part), i, place_of(record.place), 0, record.ordinal}));
      }
    }
  }

  void tell(std::string_view id, const std::function<void(const Finding&)>& finding) const {
    for (const Finding& found : findings_) {
      if (found.where.record_id == id) {
        finding(found);
      }
    }
  }

  std::span<const Archive> archives_;
  RewriteOptions options_;
  Joins joins_;
  std::vector<Finding> findings_;
};

}  // namespace

Result<std::unique_ptr<SegmentJoiner>> make_segment_joiner(std::span<const Archive> archives,
                                                           const ReadOptions& options) {
  auto joiner = std::make_unique<Joiner>(archives, options);
  FONDS_CHECK(joiner->find());
  return std::unique_ptr<SegmentJoiner>(std::move(joiner));
}

}  // namespace fonds::warc
