// Keys that the machine lends for a while: the container that the program runs in, or the instance
// of EC2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <fonds/error.hpp>

#include "io/remote/s3.hpp"
#include "io/remote/transfer.hpp"

namespace fonds::remote {

// No answer with keys is longer.
inline constexpr std::size_t kLargestKeys = std::size_t{64} << 10;

// AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or AWS_CONTAINER_CREDENTIALS_FULL_URI say where a
// container asks, AWS_CONTAINER_AUTHORIZATION_TOKEN or the file
// AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE with what. Without them the metadata service of the
// instance is asked (IMDSv2), at AWS_EC2_METADATA_SERVICE_ENDPOINT if that is set, unless
// AWS_EC2_METADATA_DISABLED is "true".
class LentKeys {
 public:
  struct Answer {
    int status = 0;  // 0: there is none
    std::string body;
  };
  // Sends a request and waits; of a body up to kLargestKeys.
  using Send = std::function<Answer(Request)>;

  LentKeys(Environment environment, ReadFile read_file, Send send);

  // Keys for a request at `now`, in seconds since 1970; asked for again five minutes before they
  // expire. Without a key if nobody lends any, which is remembered. Errors: Io if who should lend
  // them does not; BadArgument for an address that is not of this machine.
  Result<S3Keys> get(std::int64_t now);

 private:
  struct Lent {
    S3Keys keys;
    std::optional<std::int64_t> expires;  // seconds since 1970
  };
  static std::optional<Lent> parse(std::string_view json);
  std::string variable(const char* name) const;
  Answer ask(const Request& request) const;
  Result<Lent> fetch();
  Result<Lent> from_container(const std::string& place);
  Result<Lent> from_instance();

  Environment environment_;
  ReadFile read_file_;
  Send send_;
  std::optional<Lent> lent_;
};

}  // namespace fonds::remote
