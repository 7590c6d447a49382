// The network client of the process and what all requests have in common.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fonds/error.hpp>
#include <fonds/remote.hpp>

#include "io/remote/lent_keys.hpp"
#include "io/remote/s3.hpp"
#include "io/remote/transfer.hpp"
#include "io/remote/url.hpp"

namespace fonds::remote {

class Session {
 public:
  // The session of the process; the first call loads the module. Errors: Unsupported if that
  // cannot be.
  static Result<Session*> get();

  Client& client() { return *client_; }
  const RemoteOptions& options() const { return options_; }
  // User and password of a URL hold for everything at its origin: the files beside an archive are
  // named after it, without them.
  void remember(const Url& url);
  // A request for the URL with everything that the options say; one for S3 goes to its endpoint and
  // is signed, if there are keys. `query` is added to that of the URL, names in alphabetical order,
  // each with an equals sign. `sha256` is that of the body that it will have, in hex.
  // Errors: BadArgument for a wrong configuration of S3; those of asking for keys.
  Result<Request> request(const Url& url, std::string_view query = {},
                          std::string_view sha256 = kSha256OfNothing);
  // The region in which a bucket was found, by a reply to a request that looked elsewhere. False if
  // that was known.
  bool learn_region(const Url& url, std::string_view region);

  // Errors: Cancelled if the options' `cancelled` says so. Waits that long.
  Status wait(std::uint64_t milliseconds) const;

  std::atomic<std::uint64_t> requests = 0, bytes = 0, sent = 0, tries = 0;

 private:
  static constexpr std::string_view kSha256OfNothing =
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

  explicit Session(RemoteOptions options) : options_(std::move(options)) {}

  // Keys for the request, or none. Under mutex_.
  Result<S3Keys> keys();

  RemoteOptions options_;
  std::unique_ptr<Client> client_;
  std::mutex mutex_;
  std::map<std::string, std::string> passwords_;  // by origin; under mutex_
  std::map<std::string, std::string> regions_;    // by bucket; under mutex_
  std::optional<S3Config> s3_;                    // under mutex_
  std::optional<LentKeys> lent_;                  // under mutex_
};

}  // namespace fonds::remote
