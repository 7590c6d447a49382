#include "io/remote/ranged_source.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"

namespace fonds::remote {
namespace {

// Ranges that are announced and never lent.
constexpr std::size_t kMostWholes = 64;

bool contains(ByteRange outer, ByteRange inner) {
  return inner.offset >= outer.offset && inner.length <= outer.length &&
         inner.offset - outer.offset <= outer.length - inner.length;
}

std::shared_ptr<std::byte> new_memory(std::uint64_t length) {
  const auto bytes = std::make_shared_for_overwrite<std::byte[]>(static_cast<std::size_t>(length));
  return {bytes, bytes.get()};
}

// Whether a body can be neither longer than it should be nor, unnoticed, shorter.
bool brings_just(const Reply::Head& head, std::uint64_t length) {
  return head.get("transfer-encoding").empty() &&
         head.get("content-length") == std::to_string(length);
}

std::shared_ptr<std::byte> inside(const std::shared_ptr<std::byte>& memory, std::uint64_t at) {
  return {memory, memory.get() + at};
}

}  // namespace

std::string words_of(ByteRange range) {
  return fmt::format("bytes {}-{}", range.offset, range.offset + range.length - 1);
}

RangedSource::RangedSource(Session& session, Url url, Validator validator)
    : session_(session),
      url_(std::move(url)),
      name_(shown(url_)),
      validator_(std::move(validator)),
      plan_(validator_.size, std::max(session.options().cache / 4, kFirstPiece)) {}

RangedSource::~RangedSource() {
  for (const auto& [offset, extent] : extents_) {
    if (extent->reply) {
      extent->reply->stop();
    }
  }
}

void RangedSource::keep(std::uint64_t offset, std::vector<std::byte> bytes) {
  std::vector<ByteRange> here;
  plan_.expect({offset, bytes.size()}, here);
  auto extent = std::make_shared<Extent>();
  extent->range = {offset, bytes.size()};
  extent->here = bytes.size();
  const auto held = std::make_shared<std::vector<std::byte>>(std::move(bytes));
  extent->memory = Memory(held, held->data());
  held_ += extent->range.length;
  extents_.emplace(offset, std::move(extent));
}

Result<std::size_t> RangedSource::read_at(std::uint64_t offset, MutableByteView out) {
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

Result<std::size_t> RangedSource::read_some_at(std::uint64_t offset, MutableByteView out) {
  if (offset >= validator_.size || out.empty()) {
    return 0;
  }
  FONDS_TRY(const std::shared_ptr<Extent> extent, extent_at(offset));
  const std::uint64_t at = offset - extent->range.offset;
  FONDS_TRY(const std::uint64_t here, settle(*extent, at + 1));
  const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), here - at));
  std::memcpy(out.data(), extent->memory.get() + at, n);
  return n;
}

Result<std::size_t> RangedSource::read_next(MutableByteView /*out*/) {
  return fail(ErrorCode::Unsupported, "a remote object is read at positions", {.source = name_});
}

void RangedSource::will_read(ByteRange range) {
  if (range.offset >= validator_.size || range.length == 0) {
    return;
  }
  range.length = std::min(range.length, validator_.size - range.offset);
  const std::lock_guard lock(mutex_);
  make_whole(range);
  std::vector<ByteRange> wanted;
  plan_.expect(range, wanted);
  for (const ByteRange& piece : wanted) {
    if (!ask(piece)) {
      return;  // whoever reads it is told why
    }
  }
  let_go();
}

Result<std::shared_ptr<const std::byte>> RangedSource::lend(ByteRange range) {
  if (range.length == 0 || !contains({0, validator_.size}, range)) {
    return nullptr;
  }
  std::shared_ptr<Extent> extent;
  std::shared_ptr<Whole> whole;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = find(range.offset);
        found != extents_.end() && contains(found->second->range, range)) {
      extent = found->second;
      extent->used = ++reads_;
    } else if (const auto known = wholes_.find(range.offset);
               known != wholes_.end() && known->second->range.length == range.length) {
      whole = known->second;
    }
  }
  if (extent) {
    FONDS_CHECK(settle(*extent, extent->range.length));
    return inside(extent->memory, range.offset - extent->range.offset);
  }
  if (!whole) {
    return nullptr;
  }
  const std::lock_guard lock(whole->mutex);
  FONDS_CHECK(fill(*whole));
  return whole->memory;
}

// Waits until all of it is there, and copies what lies elsewhere. Its mutex is held.
Status RangedSource::fill(Whole& whole) {
  const std::uint64_t end = whole.range.offset + whole.range.length;
  for (std::uint64_t at = whole.range.offset; at < end && !whole.done;) {
    FONDS_TRY(const std::shared_ptr<Extent> extent, extent_at(at));
    FONDS_CHECK(settle(*extent, extent->range.length));
    const std::uint64_t skip = at - extent->range.offset;
    const std::uint64_t n = std::min(extent->range.length - skip, end - at);
    std::byte* const to = whole.memory.get() + (at - whole.range.offset);
    if (to != extent->memory.get() + skip) {
      std::memcpy(to, extent->memory.get() + skip, static_cast<std::size_t>(n));
    }
    at += n;
  }
  whole.done = true;
  return {};
}

void RangedSource::forget(ByteRange range) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t end = range.offset + std::min(range.length, validator_.size);
  for (auto at = wholes_.lower_bound(range.offset);
       at != wholes_.end() && contains(range, at->second->range);) {
    at = wholes_.erase(at);
  }
  for (auto at = extents_.lower_bound(range.offset); at != extents_.end();) {
    const ByteRange& held = at->second->range;
    if (held.offset + held.length > end) {
      break;
    }
    at = is_waited_for(at) ? std::next(at) : drop(at);
  }
}

// The extent that holds the byte at `offset`; what else should come is asked for.
Result<std::shared_ptr<RangedSource::Extent>> RangedSource::extent_at(std::uint64_t offset) {
  const std::lock_guard lock(mutex_);
  std::vector<ByteRange> wanted;
  plan_.read(offset, wanted);
  if (find(offset) == extents_.end()) {
    // What was let go, or was read by another run.
    const ByteRange first = wanted.empty() || wanted.front().offset != offset
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

RangedSource::Extents::iterator RangedSource::find(std::uint64_t offset) {
  auto found = extents_.upper_bound(offset);
  if (found == extents_.begin()) {
    return extents_.end();
  }
  --found;
  const ByteRange& range = found->second->range;
  return offset - range.offset < range.length ? found : extents_.end();
}

// Asks for what is missing of the range.
Status RangedSource::ask(ByteRange range) {
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
    extent->memory = memory_for(extent->range);
    FONDS_TRY(extent->reply, send(*extent));
    extent->used = ++reads_;
    held_ += extent->range.length;
    extents_.emplace(at, std::move(extent));
    at = stop;
  }
  return {};
}

// A range that is announced and not held by one extent gets memory for all of it, unless it is so
// long that it is better read piece by piece.
void RangedSource::make_whole(ByteRange range) {
  if (const auto found = find(range.offset);
      range.length > session_.options().cache / 2 ||
      (found != extents_.end() && contains(found->second->range, range))) {
    return;
  }
  if (const auto known = wholes_.find(range.offset);
      known != wholes_.end() && known->second->range.length >= range.length) {
    return;
  }
  if (wholes_.size() >= kMostWholes) {
    wholes_.clear();
  }
  auto whole = std::make_shared<Whole>();
  whole->range = range;
  whole->memory = new_memory(range.length);
  wholes_.insert_or_assign(range.offset, std::move(whole));
}

RangedSource::Memory RangedSource::memory_for(ByteRange range) const {
  const auto behind = wholes_.upper_bound(range.offset);
  if (behind != wholes_.begin()) {
    const Whole& whole = *std::prev(behind)->second;
    if (contains(whole.range, range)) {
      return inside(whole.memory, range.offset - whole.range.offset);
    }
  }
  return new_memory(range.length);
}

// Asks for what is missing of an extent.
Result<std::shared_ptr<Reply>> RangedSource::send(const Extent& extent) {
  FONDS_TRY(Request request, session_.request(url_));
  request.headers.push_back(range_header(extent.missing()));
  if (const std::string condition = validator_.if_range(); !condition.empty()) {
    request.headers.push_back("If-Range: " + condition);
  }
  auto reply = std::make_shared<Reply>(session_, extent.missing().length, Reply::Full::Stops);
  reply->put_into(inside(extent.memory, extent.here));
  reply->start(std::move(request));
  return reply;
}

// Extents that were not read for long make room for others.
void RangedSource::let_go() {
  while (held_ > session_.options().cache && extents_.size() > 1) {
    auto oldest = extents_.end();
    for (auto at = extents_.begin(); at != extents_.end(); ++at) {
      if (!is_waited_for(at) &&
          (oldest == extents_.end() || at->second->used < oldest->second->used)) {
        oldest = at;
      }
    }
    if (oldest == extents_.end()) {
      return;
    }
    drop(oldest);
  }
}

// Nobody else can come to know an extent while mutex_ is held.
bool RangedSource::is_waited_for(Extents::iterator extent) {
  return extent->second.use_count() > 1;
}

// What is asked for again gets other memory: somebody may still have what lies in this one.
RangedSource::Extents::iterator RangedSource::drop(Extents::iterator at) {
  const ByteRange range = at->second->range;
  std::erase_if(wholes_,
                [&range](const auto& known) { return contains(known.second->range, range); });
  {
    Extent& extent = *at->second;
    const std::lock_guard lock(extent.mutex);
    if (extent.reply) {
      extent.reply->stop();  // from here on it writes nothing to memory that others may get
    }
    held_ -= range.length;
  }
  return extents_.erase(at);
}

// Waits until at least so many bytes of an extent are here; how many are. They stay as they are.
Result<std::uint64_t> RangedSource::settle(Extent& extent, std::uint64_t least) {
  const std::lock_guard lock(extent.mutex);
  for (Tries tries(session_); extent.here < least;) {
    Reply& reply = *extent.reply;
    const std::uint64_t before = extent.range.length - reply.room();
    FONDS_CHECK(reply.await_put(least - before));
    if (!reply.ended() && !brings_just(*reply.known_head(), reply.room())) {
      FONDS_CHECK(reply.await_end());
    }
    if (const std::optional<Failure> failure = take(extent, before)) {
      reply.stop();  // the next one gets the same memory
      FONDS_CHECK(tries.next(*failure, name_, words_of(extent.missing())));
      FONDS_TRY(extent.reply, send(extent));
    }
  }
  return extent.here;
}

// Judges the reply that brings what is missing of an extent behind so many bytes, and takes what it
// has brought so far: who reads need not wait for the rest, which alone is asked for again should
// it break off.
std::optional<Failure> RangedSource::take(Extent& extent, std::uint64_t before) const {
  Reply& reply = *extent.reply;
  const bool ended = reply.ended();
  const Reply::Head* const head = reply.known_head();
  if (head == nullptr) {
    return failure_of(reply.outcome());
  }
  if (head->status == 200 || head->status == 412 || head->status == 416) {
    return Failure{.words = "the object has changed while it was read"};
  }
  if (head->status != 206) {
    return failure_of(*head, reply.error_text());
  }
  const auto piece = piece_of(*head);
  if (!piece || piece->range.offset != extent.range.offset + before ||
      piece->range.length != reply.room()) {
    return Failure{.words = fmt::format("the reply claims to be \"{}\"",
                                        escape_for_terminal(head->get("content-range"))),
                   .again = true};
  }
  if (!piece->validator.agrees(validator_)) {
    return Failure{.words = "the object has changed while it was read"};
  }
  const std::uint64_t put = reply.put();
  if (ended && (reply.outcome().kind != Outcome::Kind::Done || put != reply.room())) {
    return failure_of(reply.outcome());
  }
  extent.here = before + put;
  if (ended) {
    extent.reply.reset();
  }
  return std::nullopt;
}

}  // namespace fonds::remote
