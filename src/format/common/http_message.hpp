// HTTP messages as archives store them: heads parsed leniently, bodies freed of their codings.
// What is tolerated and why: docs/formats/http.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

namespace fonds::http {

// A header field; views into the head's bytes, or into Head::unfolded for folded values.
struct HeaderField {
  std::string_view name;   // never empty
  std::string_view value;  // without blanks at both ends; folded lines are joined by one SP
};

// Can be moved but not copied: the copy's folded values would look into the original.
struct Head {
  enum class Kind : std::uint8_t {
    Response,  // a status line
    Request,   // a request line
    None,      // no HTTP head: the whole block is the payload
  };

  Head() = default;
  Head(Head&&) = default;
  Head& operator=(Head&&) = default;
  Head(const Head&) = delete;
  Head& operator=(const Head&) = delete;
  ~Head() = default;

  Kind kind = Kind::None;
  // Octets of the head with its empty line and with what stands before the first line; where the
  // payload begins. 0 for None.
  std::size_t length = 0;
  // Nothing more to come: the empty line was there, or it is certain that there is no HTTP head.
  bool complete = false;
  std::string_view protocol;  // "HTTP/1.1", "HTTP/2", "HTTP", "ICY"; may be empty of a request
  int status = 0;             // 100..999, of a response; 0 if its status line has no number
  std::string_view reason;    // as stored, without blanks at both ends
  std::string_view method, target;  // of a request
  std::vector<HeaderField> fields;  // in stored order, repeats kept; 20000 at most
  bool odd = false;                 // something in the head departs from the standard (W)
  std::string unfolded;             // owns the values of folded fields

  // The first field with this name in any letter case, or an empty view.
  std::string_view get(std::string_view name) const;
  bool has(std::string_view name) const;
  // All values of the fields with this name, joined with ", ".
  std::string joined(std::string_view name) const;
  // Content-Type without parameters, lower case; empty if there is none.
  std::string media_type() const;
};

enum class Expect : std::uint8_t { Response, Request, Either };

// Parses the head at the start of `block`. `whole` says that the message ends where `block` ends;
// without it a head that has no empty line yet gives complete = false and the caller may come back
// with more octets. Views live as long as `block` and `head`. `head` is reused: its vectors keep
// their capacity, so that a head without folded fields needs no allocation.
void parse_head(ByteView block, Expect expect, bool whole, Head& head);

// What undoing the codings of a payload came to. Where several apply, the last of them here.
enum class Outcome : std::uint8_t {
  Ok,
  Tolerated,      // odd but understood, complete
  NotApplied,     // the named coding was not there: bytes as stored
  UnknownCoding,  // bytes as stored, or as far as codings were undone before the unknown one
  Truncated,      // a content coding ends or breaks too early: what there is
  Damaged,        // chunks end or break too early: what there is
};

struct Decoded {
  std::string bytes;
  Outcome outcome = Outcome::Ok;
  bool length_differs = false;        // http-length-differs: Content-Length is not the body's
  bool bad_chunks = false;            // chunk-damaged
  bool odd_chunks = false;            // chunks depart from the standard, nothing is lost
  bool not_chunked = false;           // Transfer-Encoding says chunked, the body is not
  bool coding_not_applied = false;    // a coding other than chunked is named but was not there
  std::vector<std::string> trailers;  // "X-Trailer: yes", as stored; 1000 at most
};

// Whether the head names a coding other than identity. If not, the functions below return the body
// as it is, and callers that have it already need not copy it.
bool has_transfer_coding(const Head& head);
bool has_content_coding(const Head& head);
// Whether the head has a Content-Length that is not `body_length`, the octets after the head.
// Never for a body with a transfer coding (RFC 9112, 6.3), nor for an empty body of a status that
// has none (1xx, 204, 304). The caller knows if the body was left out on purpose (revisit, HEAD).
bool length_differs(const Head& head, std::uint64_t body_length);

// The body freed of its Transfer-Encoding (`--part payload`). `body` is what follows the head.
// An empty body is taken to have no coding. What is odd in the head counts into the outcome.
// Errors: LimitExceeded if the result, or the result of one of several codings, would be larger
// than `max_size` octets, or if memory runs out.
Result<Decoded> decode_transfer(const Head& head, ByteView body, std::uint64_t max_size);
// The body freed of its Transfer-Encoding and its Content-Encoding (`--part decoded`).
Result<Decoded> decode_content(const Head& head, ByteView body, std::uint64_t max_size);

}  // namespace fonds::http
