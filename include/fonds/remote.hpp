// Archives at URLs: every function that opens a path takes http://, https:// and s3:// too, and
// objects of S3 can be written. What is set here holds for the whole process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/byte_sink.hpp>
#include <fonds/error.hpp>

namespace fonds {

struct RemoteOptions {
  std::vector<std::string> headers = {};  // "Name: value", sent with every request
  std::string ca_file = {};  // PEM file of the certificates that are trusted; empty: the system's
  std::string proxy = {};    // its URL; empty: what the environment says
  unsigned tries = 5;        // of one request, the first one included
  unsigned requests = 8;     // under way at once, at most 64
  unsigned connect_seconds = 10;
  unsigned stall_seconds = 30;   // without a byte a request has failed
  unsigned first_wait_ms = 200;  // before the second try; doubled for each further one
  std::uint64_t cache = std::uint64_t{64} << 20;  // bytes kept of one object, read ahead included
  // Asked while something waits for the network; true: the wait ends with Cancelled.
  std::function<bool()> cancelled = {};
};

// To be called before the first URL is opened. Errors: BadArgument for a header without a colon or
// with a line end.
Status set_remote_options(RemoteOptions options);

// What the network was used for so far.
struct RemoteUse {
  std::uint64_t requests = 0;  // that were sent, tries included
  std::uint64_t bytes = 0;     // of bodies that were received
  std::uint64_t sent = 0;      // of bodies that were sent, tries included
  std::uint64_t tries = 0;     // requests beyond the first one for the same bytes
};
RemoteUse remote_use();

// Whether a path is a URL that is read over the network.
bool is_remote(std::string_view path);
// Whether it is what stands for a directory there: "s3://bucket/", "s3://bucket/prefix/".
bool is_remote_directory(std::string_view path);

// The objects in a remote directory, as URLs, sorted by their octets; `deep`: also those in
// directories in it. Errors: BadArgument for what is none; those of opening.
Result<std::vector<std::string>> list_remote(std::string_view url, bool deep);

// Bytes that become an object of S3. Nobody sees it before commit(), and then it is there whole; of
// a process that is killed the server keeps parts that nobody sees.
//
// Up to 8 MiB go as one request with commit(). What is longer goes in parts while it is written,
// some at once: of 8 MiB up to 8 GiB, larger ones behind that, so that 5 TiB are possible. 40 MiB
// are held, or twice the size of a part.
class ObjectSink : public ByteSink {
 public:
  ~ObjectSink() override = default;  // as abandon(), unless committed
  // Makes the object appear. Errors: Io, with the words of the server; Cancelled. After an error
  // there is no object, or, where replies were lost, all of it.
  virtual Status commit() = 0;
  // Lets the server forget what it was sent, whatever RemoteOptions::cancelled says. Nothing more
  // is to be written. Errors: Io, after a few seconds, if it does not answer.
  virtual Status abandon() = 0;
};

// Begins an object: s3://BUCKET/KEY. Errors: BadArgument if it is there already and `replace` is
// not set, and for a URL that names no object; Unsupported for other URLs; NotFound without the
// bucket; Io; Cancelled.
Result<std::unique_ptr<ObjectSink>> create_object(std::string_view url, bool replace);

}  // namespace fonds
