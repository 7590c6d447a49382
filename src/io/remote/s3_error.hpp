// What an S3 server says of a request that it does not do.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fonds::remote {

// No more of the body of a reply is looked at for it.
inline constexpr std::size_t kLargestS3Error = std::size_t{16} << 10;

struct S3Error {
  std::string code;     // "NoSuchKey"
  std::string message;  // of the server, in its words

  // Whether the same request may be done another time, whatever the status says.
  bool passes() const;
  // "NoSuchKey: The specified key does not exist", short and fit for a terminal.
  std::string words() const;
};

// Nothing if the body of a reply is no <Error> document with a <Code>. Replies that took long begin
// with blanks.
std::optional<S3Error> parse_s3_error(std::string_view body);

}  // namespace fonds::remote
