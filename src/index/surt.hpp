// SURT: the sort key of a URL, by which a CDX is ordered and searched. The rules are those of the
// Python package surt 0.3.1 with its default options: docs/formats/cdx.md, "Keys".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fonds::index {

// The key of a URL in UTF-8 or any other octets: "com,example)/path?query". "-" if `url` is empty.
// What the rules have no key for (a port that is no number, nothing but blanks) is its own key.
//
// A key holds no blanks, control characters or octets above 0x7e.
std::string surt(std::string_view url);
// Appends the key to `out`.
void append_surt(std::string& out, std::string_view url);

// The host of a key, and its port if it has one: "example.com:8080" of "com,example:8080)/x". Empty
// if the key has no host ("urn:uuid:1").
std::string host_of_key(std::string_view key);

// Which keys belong to a query.
enum class KeyMatch : std::uint8_t {
  Exact,   // this URL
  Prefix,  // URLs that begin so
  Host,    // all of this host
  Domain,  // and of the hosts below it
};
// Keys from `begin` up to but without `end`, by their octets.
struct KeyRange {
  std::string begin, end;
  bool contains(std::string_view key) const { return key >= begin && key < end; }
};
KeyRange key_range(std::string_view url, KeyMatch match);

}  // namespace fonds::index
