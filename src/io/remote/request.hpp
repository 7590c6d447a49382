// Asking for a range of an object, again and again where that may help.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

#include "io/remote/reply.hpp"
#include "io/remote/session.hpp"
#include "io/remote/url.hpp"

namespace fonds::remote {

// What a server says of the state of an object. Pieces of two states are never put together.
struct Validator {
  std::string etag, modified;  // empty: it does not say
  std::uint64_t size = 0;

  // The value of If-Range; empty if nothing is fit for it.
  std::string if_range() const;
  // Whether a reply that says this is of the same state, as far as both say.
  bool agrees(const Validator& other) const;
};

// The range that a reply with status 206 holds, and what it says of the object.
struct Piece {
  ByteRange range;
  Validator validator;
};
// Nothing if the reply does not say it, or the object's size is not told.
std::optional<Piece> piece_of(const Reply::Head& head);

// "bytes=0-65535"
std::string range_header(ByteRange range);

// Why a try failed.
struct Failure {
  ErrorCode code = ErrorCode::Io;
  std::string words;
  bool again = false;          // another try may help
  std::uint64_t after_ms = 0;  // the server wants that much time before it
};
// Of a transfer that ended before its head, or too early.
Failure failure_of(const Outcome& outcome);
// Of a reply with a status that gives no bytes; with the words of an S3 server, if they are its
// body.
Failure failure_of(const Reply::Head& head, std::string_view body = {});

// Counts the tries of one request, and waits between them: longer each time, and not all waiting
// clients at once.
class Tries {
 public:
  // `deed`: what is done with bytes, "fetched" or "written".
  explicit Tries(Session& session, std::string_view deed = "fetched")
      : session_(session), deed_(deed) {}
  // To be called after a failure. Success: try again. Errors: that of refuse(); Cancelled.
  Status next(const Failure& failure, const std::string& name, const std::string& what);
  // The failure, as of `what` ("bytes 0-65535", "the object") of `name`, with the number of tries.
  tl::unexpected<Error> refuse(const Failure& failure, const std::string& name,
                               const std::string& what) const;

 private:
  Session& session_;
  std::string_view deed_;
  unsigned made_ = 1;
};

}  // namespace fonds::remote
