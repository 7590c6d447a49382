#include "io/remote/reply.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/remote/s3_error.hpp"

namespace fonds::remote {

std::string_view Reply::Head::get(std::string_view name) const {
  const auto found = std::find_if(headers.begin(), headers.end(),
                                  [name](const auto& header) { return header.first == name; });
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

void Reply::start(Request request) {
  ++session_.requests;
  session_.sent += request.body ? request.body->size() : 0;
  session_.client().start(std::move(request), shared_from_this());
}

template <typename Ready>
Status Reply::await(std::unique_lock<std::mutex>& lock, Ready ready) {
  // An interrupt does not wake this thread, so it looks now and then.
  while (!changed_.wait_for(lock, std::chrono::milliseconds(50), ready)) {
    if (session_.options().cancelled && session_.options().cancelled()) {
      stopped_ = true;
      return fail(ErrorCode::Cancelled, "interrupted");
    }
  }
  return {};
}

Result<const Reply::Head*> Reply::head() {
  std::unique_lock lock(mutex_);
  FONDS_CHECK(await(lock, [this] { return head_ || outcome_; }));
  return head_ ? &*head_ : nullptr;
}

Result<std::size_t> Reply::read(MutableByteView out) {
  std::unique_lock lock(mutex_);
  FONDS_CHECK(await(lock, [this] { return taken_ < bytes_.size() || outcome_; }));
  const std::size_t n = std::min(out.size(), bytes_.size() - taken_);
  if (n > 0) {
    std::memcpy(out.data(), bytes_.data() + taken_, n);
    taken_ += n;
  }
  if (taken_ == bytes_.size()) {
    bytes_.clear();
    taken_ = 0;
  }
  const bool go_on = paused_ && bytes_.size() - taken_ <= room_ / 2;
  paused_ = paused_ && !go_on;
  lock.unlock();
  if (go_on) {
    session_.client().resume(shared_from_this());
  }
  return n;
}

Status Reply::await_end() {
  std::unique_lock lock(mutex_);
  return await(lock, [this] { return outcome_.has_value(); });
}

Status Reply::await_put(std::uint64_t n) {
  std::unique_lock lock(mutex_);
  return await(lock, [this, n] { return put_ >= n || outcome_; });
}

std::uint64_t Reply::put() const {
  const std::lock_guard lock(mutex_);
  return put_;
}

bool Reply::ended() const {
  const std::lock_guard lock(mutex_);
  return outcome_.has_value();
}

bool Reply::await_end_for(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, time, [this] { return outcome_.has_value(); });
}

std::vector<std::byte> Reply::take_all() {
  const std::lock_guard lock(mutex_);
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(taken_));
  taken_ = 0;
  return std::exchange(bytes_, {});
}

std::string Reply::error_text() {
  std::string text(kLargestS3Error, '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const auto n = read({reinterpret_cast<std::byte*>(text.data()) + length, text.size() - length});
    if (!n || *n == 0) {
      break;
    }
    length += *n;
  }
  stop();
  text.resize(length);
  return text;
}

void Reply::stop() {
  bool go_on = false;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    go_on = paused_;
    paused_ = false;
  }
  if (go_on) {
    session_.client().resume(shared_from_this());
  }
}

void Reply::abandon() {
  stop();
  session_.client().stop(shared_from_this());
}

bool Reply::head(int status, std::vector<std::pair<std::string, std::string>> headers) {
  const std::lock_guard lock(mutex_);
  head_ = Head{status, std::move(headers)};
  changed_.notify_all();
  return !stopped_;
}

Handler::Take Reply::data(std::span<const std::byte> piece) {
  const std::lock_guard lock(mutex_);
  if (stopped_) {
    return Take::Stop;
  }
  if (memory_ && head_ && head_->status == 206) {
    if (piece.size() > room_ - put_) {
      stopped_ = true;
      return Take::Stop;
    }
    std::memcpy(memory_.get() + put_, piece.data(), piece.size());
    put_ += piece.size();
    session_.bytes += piece.size();
    changed_.notify_all();
    return Take::More;
  }
  const std::size_t waiting = bytes_.size() - taken_;
  if (waiting + piece.size() > room_ && full_ == Full::Stops) {
    stopped_ = true;
    return Take::Stop;
  }
  if (waiting > 0 && waiting + piece.size() > room_) {
    paused_ = true;
    return Take::Pause;
  }
  if (taken_ > bytes_.size() / 2) {
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
  }
  bytes_.insert(bytes_.end(), piece.begin(), piece.end());
  session_.bytes += piece.size();
  changed_.notify_all();
  return Take::More;
}

void Reply::done(const Outcome& outcome) {
  const std::lock_guard lock(mutex_);
  outcome_ = outcome;
  changed_.notify_all();
}

}  // namespace fonds::remote
