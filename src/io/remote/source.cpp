#include "io/remote/source.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/text.hpp"
#include "io/remote/ranged_source.hpp"
#include "io/remote/reply.hpp"
#include "io/remote/request.hpp"
#include "io/remote/session.hpp"
#include "io/remote/url.hpp"
#include "io/will_read.hpp"

namespace fonds::remote {
namespace {

constexpr std::uint64_t kLargestFirst = std::uint64_t{4} << 20;  // waited for before all else
constexpr std::uint64_t kStreamRoom = std::uint64_t{8} << 20;
// An object of a server without ranges is taken into memory up to this size.
constexpr std::uint64_t kWhole = std::uint64_t{1} << 20;

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
      if (!whole_) {
        request.headers.push_back(range_header(first_));
      }
      reply_ = std::make_shared<Reply>(session_, kStreamRoom, Reply::Full::Pauses);
      reply_->start(std::move(request));
      FONDS_TRY(head_, reply_->head());
      FONDS_TRY(auto source, judge());
      if (source) {
        return source;
      }
      if (std::exchange(anew_, false) ||
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
          anew_ = true;
          break;
        }
        anew_ = !std::exchange(whole_, true);  // an empty object, if the reply to that says so too
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
  bool whole_ = false;  // ranges are not asked for
  bool anew_ = false;   // another request follows from the reply
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
  Result<std::shared_ptr<const std::byte>> lend(ByteRange range) override {
    FONDS_TRY(const auto source, opened());
    return fonds::lend(*source, range);
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
