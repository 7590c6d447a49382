// What carries requests over the network: the interface between this library and the module that is
// loaded at the first URL (modules/remote). Nothing here knows the library beyond plain values, so
// that the module links only the network library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fonds::remote {

// Keys by which a request to an S3 server is signed (AWS Signature Version 4).
struct Signing {
  std::string key, secret, region;
  std::string token;  // of a session; empty: none
};

// What a request sends.
using Body = std::shared_ptr<const std::vector<std::byte>>;

struct Request {
  std::string method = "GET";
  std::string url;                   // without user and password
  std::vector<std::string> headers;  // "Name: value"
  std::string user_password;         // "user:password" for basic authentication; empty: none
  std::shared_ptr<const Signing> signing;
  Body body;                // nullptr: none
  bool exact_path = false;  // "." and ".." between slashes are names like all others
  bool direct = false;      // by no proxy
  long stall_seconds = 0;   // instead of the client's, if not 0
  long total_ms = 0;        // the whole transfer may take; 0: as long as bytes come
};

// How a transfer ended.
struct Outcome {
  enum class Kind : std::uint8_t {
    Done,         // all that the server said it would send
    Stopped,      // by the handler
    Name,         // the host has no address
    Refused,      // nobody listens there
    Certificate,  // the server is not who it must be
    Timeout,      // no connection, or no bytes for too long
    Broken,       // the connection ended early
    Other,
  } kind = Kind::Done;
  std::string words;  // of the network library; empty if Done or Stopped
};

// Receives one reply, on the client's thread; calls must not wait.
class Handler {
 public:
  enum class Take : std::uint8_t { More, Pause, Stop };
  virtual ~Handler() = default;
  // The head of the final reply (redirects are followed): names in lower case.
  virtual bool head(int status, std::vector<std::pair<std::string, std::string>> headers) = 0;
  // A piece of its body. Pause: the same piece comes again after Client::resume().
  virtual Take data(std::span<const std::byte> piece) = 0;
  // Always the last call.
  virtual void done(const Outcome& outcome) = 0;
};

struct ClientOptions {
  std::string ca_file;  // certificates that are trusted; empty: those of the system
  std::string proxy;    // empty: what the environment says
  long connect_timeout_ms = 10'000;
  long stall_seconds = 30;  // without a byte for so long a transfer has failed
  long connections = 16;    // to one host
  long redirects = 10;
  std::string user_agent;
};

class Client {
 public:
  virtual ~Client() = default;  // ends all transfers, each with done(Stopped)
  // Begins a transfer. From any thread.
  virtual void start(Request request, std::shared_ptr<Handler> handler) = 0;
  // Goes on with a transfer that was paused. From any thread.
  virtual void resume(const std::shared_ptr<Handler>& handler) = 0;
  // Ends a transfer, whatever it waits for, with done(Stopped). From any thread.
  virtual void stop(const std::shared_ptr<Handler>& handler) = 0;
};

// The one symbol of the module: "fonds_remote_client". nullptr if the network library cannot be
// started.
using MakeClient = Client* (*)(const ClientOptions& options);

}  // namespace fonds::remote
