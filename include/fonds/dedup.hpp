// Payloads that are there already.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <fonds/error.hpp>
#include <fonds/writing.hpp>

namespace fonds {

// A payload that another archive holds, as an index tells of it.
struct KnownPayload {
  std::string digest;  // labelled: "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
  std::string uri;     // of the record that holds it
  std::string date;    // of that record, W3C-DTF
};

struct DedupOptions {
  RewriteOptions rewrite = {};
  std::uint64_t min_size = 1;  // bytes of a payload that is worth a revisit
  // Responses with status 304 become revisits of the response before to the same URI.
  bool not_modified = false;
  // Gives all known payloads, one after the other; empty: there are none. Errors: those of giving
  // and of the function that takes them.
  std::function<Status(const std::function<Status(const KnownPayload&)>&)> known = {};
};

}  // namespace fonds
