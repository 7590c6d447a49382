// The flags of archives at URLs.
#pragma once

namespace fonds::cli {

struct Arguments;

// Errors: UsageError.
void set_remote(const Arguments& arguments);
// With --verbose: what the network was used for, if it was.
void tell_remote_use(const Arguments& arguments);

}  // namespace fonds::cli
