// One reply of a server: filled by the client's thread, emptied by the thread that reads.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

#include "io/remote/session.hpp"
#include "io/remote/transfer.hpp"

namespace fonds::remote {

class Reply final : public Handler, public std::enable_shared_from_this<Reply> {
 public:
  struct Head {
    int status = 0;
    std::vector<std::pair<std::string, std::string>> headers;
    // The first value of the header with this name in lower case; empty: none.
    std::string_view get(std::string_view name) const;
  };

  // What happens if more than `room` bytes of a body wait to be read: a stream pauses until they
  // are read, a piece whose length is known is no more wanted.
  enum class Full : std::uint8_t { Pauses, Stops };
  Reply(Session& session, std::uint64_t room, Full full)
      : session_(session), room_(room), full_(full) {}

  // The body of a reply with status 206 goes to this memory, of `room` bytes, and cannot be read
  // here. To be called before start().
  void put_into(std::shared_ptr<std::byte> memory) { memory_ = std::move(memory); }
  // Sends the request. The reply must be held by a shared_ptr.
  void start(Request request);

  // Waits for the head; nullptr if the transfer ended before it. Errors: Cancelled.
  Result<const Head*> head();
  // Waits for bytes and takes up to out.size() of them; 0: the transfer has ended, outcome() says
  // how. Errors: Cancelled.
  Result<std::size_t> read(MutableByteView out);
  // Waits for the end of the transfer; read() then gives everything at once. Errors: Cancelled.
  Status await_end();
  // Waits for it that long, cancelled or not; whether it came.
  bool await_end_for(std::chrono::milliseconds time);
  bool ended() const;
  // After the end.
  const Outcome& outcome() const { return *outcome_; }
  // After the end, or once there are bytes.
  const Head* known_head() const { return head_ ? &*head_ : nullptr; }
  // What was not read.
  std::vector<std::byte> take_all();
  // Waits until `n` bytes were put into the memory, or for the end. Errors: Cancelled.
  Status await_put(std::uint64_t n);
  // How many were; they stay as they are.
  std::uint64_t put() const;
  std::uint64_t room() const { return room_; }
  // The body of a reply that says why there is no other, as far as it is looked at; stops. Empty
  // if it cannot be waited for.
  std::string error_text();
  // No more of it is wanted, and nothing is put into the memory from now on.
  void stop();
  // The same of a request that may not be sent whole yet.
  void abandon();

  bool head(int status, std::vector<std::pair<std::string, std::string>> headers) override;
  Take data(std::span<const std::byte> piece) override;
  void done(const Outcome& outcome) override;

 private:
  template <typename Ready>
  Status await(std::unique_lock<std::mutex>& lock, Ready ready);

  Session& session_;
  const std::uint64_t room_;
  const Full full_;
  std::shared_ptr<std::byte> memory_;  // null: there is none
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // All under mutex_.
  std::optional<Head> head_;
  std::vector<std::byte> bytes_;  // from taken_ on they wait
  std::size_t taken_ = 0;
  std::uint64_t put_ = 0;
  bool paused_ = false, stopped_ = false;
  std::optional<Outcome> outcome_;
};

}  // namespace fonds::remote
