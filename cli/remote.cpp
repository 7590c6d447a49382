#include "remote.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include <fonds/remote.hpp>

#include "flags.hpp"
#include "inputs.hpp"
#include "interrupt.hpp"
#include "terminal.hpp"

namespace fonds::cli {
namespace {

unsigned parse_small(const Arguments& arguments, std::string_view flag, unsigned otherwise) {
  const std::uint64_t number = parse_count(arguments, flag, otherwise);
  if (number == 0 || number > 86400) {
    throw UsageError{fmt::format("{} takes a number from 1 to 86400", flag)};
  }
  return static_cast<unsigned>(number);
}

}  // namespace

void set_remote(const Arguments& arguments) {
  RemoteOptions options;
  options.headers = arguments.all("--http-header");
  options.ca_file = arguments.get("--ca-file");
  options.tries = parse_small(arguments, "--tries", options.tries);
  options.stall_seconds = parse_small(arguments, "--timeout", options.stall_seconds);
  options.first_wait_ms = parse_small(arguments, "--retry-wait", options.first_wait_ms);
  options.connect_seconds = std::min(options.connect_seconds, options.stall_seconds);
  options.cancelled = interrupted;
  if (const Status set = set_remote_options(std::move(options)); !set) {
    throw UsageError{fmt::format("--http-header: {}", set.error().message())};
  }
}

void tell_remote_use(const Arguments& arguments) {
  const RemoteUse use = remote_use();
  if (use.requests > 0 && arguments.has("--verbose")) {
    Messages(arguments).hint(
        fmt::format("{} requests, {} bytes fetched{}{}", use.requests, use.bytes,
                    use.sent == 0 ? std::string() : fmt::format(", {} bytes sent", use.sent),
                    use.tries == 0 ? std::string() : fmt::format(", {} tried again", use.tries)));
  }
}

}  // namespace fonds::cli
