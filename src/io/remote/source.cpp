#include "io/remote/source.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/text.hpp"
#include "io/remote/extents.hpp"
#include "io/remote/reply.hpp"
#include "io/remote/request.hpp"
#include "io/remote/session.hpp"
#include "io/remote/url.hpp"
#include "io/will_read.hpp"

namespace fonds::remote {
namespace {

constexpr std::uint64_t kFirstPiece = std::uint64_t{64} << 10;
constexpr std::uint64_t kLargestFirst = std::uint64_t{4} << 20;  // waited for before all else
constexpr std::uint64_t kStreamRoom = std::uint64_t{8} << 20;
// An object of a server without ranges is taken into memory up to this size.
constexpr std::uint64_t kWhole = std::uint64_t{1} << 20;

std::string words_of(ByteRange range) {
  return fmt::format("bytes {}-{}", range.offset, range.offset + range.length - 1);
}

// Bytes that were fetched or are under way.
struct Extent {
  ByteRange range;
  std::shared_ptr<Reply> reply;  // until the bytes are here
  std::mutex mutex;              // of who waits for the reply; guards what follows
  std::vector<std::byte> bytes;
  std::uint64_t used = 0;  // when it was read last, in reads; the source's
};

class RangedSource final : public ByteSource, public ReadsAhead {
 public:
  RangedSource(Session& session, Url url, Validator validator)
      : session_(session),
        url_(std::move(url)),
        name_(shown(url_)),
        validator_(std::move(validator)),
        plan_(validator_.size, std::max(session.options().cache / 4, kFirstPiece)) {}
  RangedSource(const RangedSource&) = delete;
  RangedSource& operator=(const RangedSource&) = delete;
  ~RangedSource() override {
    for (const auto& [offset, extent] : extents_) {
      if (extent->reply) {
        extent->reply->stop();
      }
    }
  }

  // The bytes that came with the reply by which the object was opened.
  void keep(std::uint64_t offset, std::vector<std::byte> bytes) {
    std::vector<ByteRange> here;
    plan_.expect({offset, bytes.size()}, here);
    auto extent = std::make_shared<Extent>();
    extent->range = {offset, bytes.size()};
    extent->bytes = std::move(bytes);
    held_ += extent->range.length;
    extents_.emplace(offset, std::move(extent));
  }

  const std::string& name() const override { return name_; }
  bool random_access() const override { return true; }
  Result<std::uint64_t> size() override { return validator_.size; }

  Result<std::size_t> read_at(std::uint64_t offset, MutableByteView out) override {
    std::size_t done = 0;
    while (done < out.size()) {
      FONDS_TRY(const std::size_t n, read_some_at(offset + done, out.subspan(done)));
      if (n == 0) {
        break;
      }
      done += n;
    }
    return done;
  }

  Result<std::size_t> read_some_at(std::uint64_t offset, MutableByteView out) override {
    if (offset >= validator_.size || out.empty()) {
      return 0;
    }
    FONDS_TRY(const std::shared_ptr<Extent> extent, extent_at(offset));
    const std::lock_guard lock(extent->mutex);
    FONDS_CHECK(settle(*extent));
    const auto inside = static_cast<std::size_t>(offset - extent->range.offset);
    const std::size_t n = std::min(out.size(), extent->bytes.size() - inside);
    std::memcpy(out.data(), extent->bytes.data() + inside, n);
    return n;
  }

  Result<std::size_t> read_next(MutableByteView /*out*/) override {
    return fail(ErrorCode::Unsupported, "a remote object is read at positions", {.source = name_});
  }

  void will_read(ByteRange range) override {
    if (range.offset >= validator_.size || range.length == 0) {
      return;
    }
    range.length = std::min(range.length, validator_.size - range.offset);
    const std::lock_guard lock(mutex_);
    std::vector<ByteRange> wanted;
    plan_.expect(range, wanted);
    for (const ByteRange& piece : wanted) {
      if (!ask(piece)) {
        return;  // whoever reads it is told why
      }
    }
    let_go();
  }

  void forget(ByteRange range) override {
    const std::lock_guard lock(mutex_);
    const std::uint64_t end = range.offset + std::min(range.length, validator_.size);
    for (auto at = extents_.lower_bound(range.offset); at != extents_.end();) {
      const ByteRange& held = at->second->range;
      if (held.offset + held.length > end) {
        break;
      }
      held_ -= held.length;
      at = extents_.erase(at);
    }
  }

 private:
  // The extent that holds the byte at `offset`; what else should come is asked for.
  Result<std::shared_ptr<Extent>> extent_at(std::uint64_t offset) {
    const std::lock_guard lock(mutex_);
    std::vector<ByteRange> wanted;
    plan_.read(offset, wanted);
    if (find(offset) == extents_.end()) {
      // What was let go, or was read by another run.
      const ByteRange first =
          wanted.empty() || wanted.front().offset != offset
              ? ByteRange{offset, std::min(kFirstPiece, validator_.size - offset)}
              : wanted.front();
      FONDS_CHECK(ask(first));
    }
    for (const ByteRange& range : wanted) {
      FONDS_CHECK(ask(range));
    }
    const auto found = find(offset);
    found->second->used = ++reads_;
    std::shared_ptr<Extent> extent = found->second;
    let_go();
    return extent;
  }

  std::map<std::uint64_t, std::shared_ptr<Extent>>::iterator find(std::uint64_t offset) {
    auto found = extents_.upper_bound(offset);
    if (found == extents_.begin()) {
      return extents_.end();
    }
    --found;
    const ByteRange& range = found->second->range;
    return offset - range.offset < range.length ? found : extents_.end();
  }

  // Asks for what is missing of the range.
  Status ask(ByteRange range) {
    const std::uint64_t end = range.offset + range.length;
    for (std::uint64_t at = range.offset; at < end;) {
      if (const auto there = find(at); there != extents_.end()) {
        at = there->second->range.offset + there->second->range.length;
        continue;
      }
      const auto next = extents_.upper_bound(at);
      const std::uint64_t stop =
          next == extents_.end() ? end : std::min(end, next->second->range.offset);
      auto extent = std::make_shared<Extent>();
      extent->range = {at, stop - at};
      FONDS_TRY(extent->reply, send(extent->range));
      extent->used = ++reads_;
      held_ += extent->range.length;
      extents_.emplace(at, std::move(extent));
      at = stop;
    }
    return {};
  }

  Result<std::shared_ptr<Reply>> send(ByteRange range) {
    FONDS_TRY(Request request, session_.request(url_));
    request.headers.push_back(range_header(range));
    if (const std::string condition = validator_.if_range(); !condition.empty()) {
      request.headers.push_back("If-Range: " + condition);
    }
    auto reply = std::make_shared<Reply>(session_, range.length, Reply::Full::Stops);
    reply->start(std::move(request));
    return reply;
  }

  // Extents that were not read for long make room for others.
  void let_go() {
    while (held_ > session_.options().cache && extents_.size() > 1) {
      const auto oldest = std::min_element(
          extents_.begin(), extents_.end(),
          [](const auto& a, const auto& b) { return a.second->used < b.second->used; });
      held_ -= oldest->second->range.length;
      extents_.erase(oldest);
    }
  }

  // Waits until the bytes of an extent are there. Its mutex is held.
  Status settle(Extent& extent) {
    for (Tries tries(session_); extent.reply;) {
      FONDS_CHECK(extent.reply->await_end());
      const std::optional<Failure> failure = take(extent);
      if (!failure) {
        extent.reply.reset();
        break;
      }
      FONDS_CHECK(tries.next(*failure, name_, words_of(extent.range)));
      FONDS_TRY(extent.reply, send(extent.range));
    }
    return {};
  }

  // Judges the reply for an extent, and takes its bytes.
  std::optional<Failure> take(Extent& extent) {
    const Reply::Head* const head = extent.reply->known_head();
    const Outcome& outcome = extent.reply->outcome();
    if (head == nullptr) {
      return failure_of(outcome);
    }
    if (head->status == 200 || head->status == 412 || head->status == 416) {
      return Failure{.words = "the object has changed while it was read"};
    }
    if (head->status != 206) {
      return failure_of(*head, extent.reply->error_text());
    }
    const auto piece = piece_of(*head);
    if (!piece || piece->range.offset != extent.range.offset ||
        piece->range.length != extent.range.length) {
      return Failure{.words = fmt::format("the reply claims to be \"{}\"",
                                          escape_for_terminal(head->get("content-range"))),
                     .again = true};
    }
    if (!piece->validator.agrees(validator_)) {
      return Failure{.words = "the object has changed while it was read"};
    }
    extent.bytes = extent.reply->take_all();
    if (outcome.kind != Outcome::Kind::Done || extent.bytes.size() != extent.range.length) {
      extent.bytes.clear();
      return failure_of(outcome);
    }
    return std::nullopt;
  }

  Session& session_;
  const Url url_;
  const std::string name_;
  const Validator validator_;
  std::mutex mutex_;
  // All under mutex_.
  ReadAhead plan_;
  std::map<std::uint64_t, std::shared_ptr<Extent>> extents_;  // by their offset; none overlap
  std::uint64_t held_ = 0, reads_ = 0;
};

// The whole object once, from a server that gives no ranges.
class StreamSource final : public ByteSource {
 public:
  StreamSource(std::shared_ptr<Reply> reply, std::string name, std::optional<std::uint64_t> length)
      : reply_(std::move(reply)), name_(std::move(name)), length_(length) {}
  StreamSource(const StreamSource&) = delete;
  StreamSource& operator=(const StreamSource&) = delete;
  ~StreamSource() override { reply_->stop(); }

  const std::string& name() const override { return name_; }
  bool random_access() const override { return false; }
  Result<std::uint64_t> size() override {
    return fail(ErrorCode::Unsupported, "its server gives no ranges", {.source = name_});
  }
  Result<std::size_t> read_at(std::uint64_t /*offset*/, MutableByteView /*out*/) override {
    return fail(ErrorCode::Unsupported,
                "its server gives no ranges, so that it is read once from start to end",
                {.source = name_});
  }
  Result<std::size_t> read_next(MutableByteView out) override {
    FONDS_TRY(const std::size_t n, reply_->read(out));
    read_ += n;
    if (n == 0 && !out.empty() &&
        (reply_->outcome().kind != Outcome::Kind::Done || (length_ && read_ != *length_))) {
      const Failure failure = failure_of(reply_->outcome());
      return fail(ErrorCode::Io,
                  fmt::format("cannot be fetched further: {}; its server gives no ranges, by which "
                              "reading could go on",
                              failure.words),
                  {.source = name_, .stored_offset = read_});
    }
    return n;
  }

 private:
  std::shared_ptr<Reply> reply_;
  std::string name_;
  std::optional<std::uint64_t> length_;
  std::uint64_t read_ = 0;
};

// Opens an object by the reply to a request for the bytes that are wanted first.
class Opening {
 public:
  Opening(Session& session, Url url, ByteRange first)
      : session_(session),
        url_(std::move(url)),
        name_(shown(url_)),
        first_{first.offset, std::min(first.length, kLargestFirst)},
        tries_(session) {}

  Result<std::shared_ptr<ByteSource>> open() {
    for (;;) {
      FONDS_TRY(Request request, session_.request(url_));
      request.headers.push_back(range_header(first_));
      reply_ = std::make_shared<Reply>(session_, kStreamRoom, Reply::Full::Pauses);
      reply_->start(std::move(request));
      FONDS_TRY(head_, reply_->head());
      const ByteRange asked = first_;
      FONDS_TRY(auto source, judge());
      if (source) {
        return source;
      }
      if (asked.offset != first_.offset ||
          (head_ != nullptr && session_.learn_region(url_, head_->get("x-amz-bucket-region")))) {
        continue;
      }
      FONDS_CHECK(tries_.next(failure_, name_, "the object"));
    }
  }

 private:
  // nullptr: failure_ says why.
  Result<std::shared_ptr<ByteSource>> judge() {
    if (head_ == nullptr) {
      failure_ = failure_of(reply_->outcome());
      return nullptr;
    }
    switch (head_->status) {
      case 206:
        return ranged();
      case 200:
        return streamed();
      case 416:
        if (head_->get("content-range") == "bytes */0") {
          return memory_source({}, name_);
        }
        if (first_.offset > 0) {
          first_ = {0, kFirstPiece};  // nothing lies there
          return nullptr;
        }
        break;
      default:
        break;
    }
    failure_ = failure_of(*head_, reply_->error_text());
    return nullptr;
  }

  Result<std::shared_ptr<ByteSource>> ranged() {
    const auto piece = piece_of(*head_);
    if (!piece || piece->range.offset != first_.offset ||
        piece->range.length != std::min(first_.length, piece->validator.size - first_.offset)) {
      failure_ = {
          .words = fmt::format("the reply to a request for {} claims to be \"{}\"",
                               words_of(first_), escape_for_terminal(head_->get("content-range"))),
          .again = true};
      reply_->stop();
      return nullptr;
    }
    FONDS_CHECK(reply_->await_end());
    std::vector<std::byte> bytes = reply_->take_all();
    if (reply_->outcome().kind != Outcome::Kind::Done || bytes.size() != piece->range.length) {
      failure_ = failure_of(reply_->outcome());
      return nullptr;
    }
    auto source = std::make_shared<RangedSource>(session_, url_, piece->validator);
    source->keep(piece->range.offset, std::move(bytes));
    return source;
  }

  Result<std::shared_ptr<ByteSource>> streamed() {
    const auto length = parse_number(head_->get("content-length"));
    if (!length || *length > kWhole) {
      return std::make_shared<StreamSource>(reply_, name_, length);
    }
    FONDS_CHECK(reply_->await_end());
    std::vector<std::byte> bytes = reply_->take_all();
    if (reply_->outcome().kind != Outcome::Kind::Done || bytes.size() != *length) {
      failure_ = failure_of(reply_->outcome());
      return nullptr;
    }
    return memory_source(std::move(bytes), name_);
  }

  Session& session_;
  const Url url_;
  const std::string name_;
  ByteRange first_;
  Tries tries_;
  std::shared_ptr<Reply> reply_;
  const Reply::Head* head_ = nullptr;
  Failure failure_;
};

// An object that is opened when something of it is needed: then what will be read is known, and
// one request both opens it and brings that.
class LazySource final : public ByteSource, public ReadsAhead {
 public:
  LazySource(Session& session, Url url)
      : session_(session), url_(std::move(url)), name_(shown(url_)) {}

  const std::string& name() const override { return name_; }
  // One that cannot be opened says why when it is read.
  bool random_access() const override {
    const auto source = opened();
    return !source || (*source)->random_access();
  }
  Result<std::uint64_t> size() override {
    FONDS_TRY(const auto source, opened());
    return source->size();
  }
  Result<std::size_t> read_at(std::uint64_t offset, MutableByteView out) override {
    FONDS_TRY(const auto source, opened());
    return source->read_at(offset, out);
  }
  Result<std::size_t> read_some_at(std::uint64_t offset, MutableByteView out) override {
    FONDS_TRY(const auto source, opened());
    return source->read_some_at(offset, out);
  }
  Result<std::size_t> read_next(MutableByteView out) override {
    FONDS_TRY(const auto source, opened());
    return source->read_next(out);
  }
  std::optional<ByteView> view() override {
    const auto source = opened();
    return source ? (*source)->view() : std::nullopt;
  }
  void forget(ByteRange range) override {
    if (const auto source = opened()) {
      (*source)->forget(range);
    }
  }
  void will_read(ByteRange range) override {
    std::unique_lock lock(mutex_);
    if (source_ != nullptr) {
      lock.unlock();
      fonds::will_read(*source_, range);
    } else if (!first_ && range.length > 0) {
      first_ = range;
    }
  }

 private:
  Result<std::shared_ptr<ByteSource>> opened() const {
    const std::lock_guard lock(mutex_);
    if (error_) {
      return fail(error_->code(), error_->message(), error_->where());
    }
    if (source_ == nullptr) {
      auto source = Opening(session_, url_, first_.value_or(ByteRange{0, kFirstPiece})).open();
      if (!source) {
        error_ = std::move(source.error());
        return fail(error_->code(), error_->message(), error_->where());
      }
      source_ = std::move(*source);
      if (first_ && first_->length > kLargestFirst) {
        fonds::will_read(*source_, *first_);
      }
    }
    return source_;
  }

  Session& session_;
  const Url url_;
  const std::string name_;
  mutable std::mutex mutex_;
  // All under mutex_. The source stays once it is there.
  mutable std::shared_ptr<ByteSource> source_;
  mutable std::optional<Error> error_;
  std::optional<ByteRange> first_;  // what will be read first
};

}  // namespace

Result<std::shared_ptr<ByteSource>> open(std::string_view url) {
  FONDS_TRY(Url parsed, parse_url(url));
  FONDS_TRY(Session* const session, Session::get());
  session->remember(parsed);
  return std::make_shared<LazySource>(*session, std::move(parsed));
}

}  // namespace fonds::remote
