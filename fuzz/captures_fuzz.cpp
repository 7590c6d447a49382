// Lines of CDX and CDXJ, keys of URLs and their ranges, and queries of requests: what is read is
// written so that it is read as the same again, and keys are printable ASCII.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "index/capture.hpp"
#include "index/request_query.hpp"
#include "index/surt.hpp"
#include "index/zipnum.hpp"
#include "require.hpp"

namespace {

using fonds::fuzz::require;
namespace index = fonds::index;
using index::KeyMatch;

constexpr std::size_t npos = std::string_view::npos;
constexpr std::string_view kLetters = ".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

std::vector<std::string> split(std::string_view text, char end) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t next = std::min(text.find(end, at), text.size());
    parts.emplace_back(text.substr(at, next - at));
    at = next + 1;
  }
  return parts;
}

std::string written(const index::Capture& capture, const index::LineLayout& layout) {
  std::string line;
  if (layout.cdxj) {
    append_cdxj(line, capture);
  } else {
    append_cdx(line, capture, layout.columns);
  }
  return line;
}

void check_line(std::string_view line, const index::LineLayout& layout) {
  const auto capture = parse_line(line, layout);
  if (!capture) {
    return;
  }
  const index::LineLayout plain = {
      .cdxj = layout.cdxj, .delimiter = ' ', .columns = layout.columns};
  const std::string once = written(*capture, plain);
  const auto again = parse_line(once, plain);
  require(again.has_value() && written(*again, plain) == once);
}

void check_ranges(std::string_view url, const std::string& key) {
  const auto range = [&](KeyMatch match) {
    index::KeyRange keys = index::key_range(url, match);
    require(keys.begin <= keys.end);
    return keys;
  };
  require(range(KeyMatch::Exact).contains(key) && !range(KeyMatch::Exact).contains(key + "!"));
  const auto prefix = range(KeyMatch::Prefix);
  require(prefix.contains(prefix.begin + "~~") && (prefix.begin != key || prefix.contains(key)));
  const auto host = range(KeyMatch::Host);
  const auto domain = range(KeyMatch::Domain);
  if (const std::size_t origin = key.find(")/"); origin != std::string::npos) {
    require(host.contains(key) && host.end <= domain.end);
    require(domain.contains(key) || key.find(',') >= origin);  // one label holds only others
    require(domain.contains(key.substr(0, origin) + ",www)/"));
  }
}

void check_key(std::string_view url) {
  const std::string key = index::surt(url);
  require(!key.empty() &&
          std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c <= '~'; }));
  check_ranges(url, key);
  // A key of a plain host stands for a URL that has this key: nothing is left to be changed. Not so
  // where taking a session id away can make another one, or an empty label was left.
  const std::string host = index::host_of_key(key);
  const std::size_t rest = key.find(')');
  const bool changes = key.find("sid=") != npos || key.find("sess") != npos ||
                       key.find("cfid") != npos || key.find(".aspx") != npos ||
                       key.find(",,") != npos;
  const std::size_t path = url.find('/', 7);
  const bool plain = url.starts_with("http://") && path != 7 && !host.starts_with("www") &&
                     !changes && url.substr(7, path - 7).find_first_not_of(kLetters) == npos;
  if (plain && rest != npos && host.find_first_of(":/") == npos) {
    require(index::surt("http://" + host + key.substr(rest + 1)) == key);
  }
}

void check_request(std::string_view type, std::string_view body, std::string_view url) {
  const std::string query = index::request_query(type, body);
  require(fonds::is_utf8(query) && query.size() <= index::kLongestQuery * 4);
  check_key(std::string(url) + index::method_suffix(url, "POST", query));
}

}  // namespace

// Parts between NULs: lines, then a URL, a type and a body of a request.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto parts = split({reinterpret_cast<const char*>(data), size}, '\0');
  parts.resize(std::max<std::size_t>(parts.size(), 4));
  const auto layout = index::recognize_layout(parts[0]);
  for (const std::string& line : split(parts[0], '\n')) {
    check_line(line, layout.value_or(index::LineLayout{}));
    check_line(line, index::LineLayout{});
    check_line(line, {.cdxj = false, .columns = std::string(index::kCdx11)});
    check_key(line);
    static_cast<void>(index::parse_zipnum_line(line).has_value());
  }
  check_key(parts[1]);
  check_request(parts[2], parts[3], parts[1]);
  return 0;
}
