// Texts in pieces: each filter of a query is answered as for the whole text, however it is cut, and
// what is decided early stays so. The first line is the query, the rest the text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fonds/query.hpp>

#include "query/text_stream.hpp"
#include "require.hpp"

namespace {

using fonds::fuzz::require;
using namespace fonds::query;  // NOLINT(google-build-using-namespace)

void collect(const Node& node, std::vector<const Filter*>& filters) {
  if (node.kind == Node::Kind::Filter) {
    filters.push_back(&node.filter);
  }
  for (const Node& child : node.children) {
    collect(child, filters);
  }
}

// Pieces of sizes that `step` leads through; 0 is one piece.
void check(TextStream& stream, const std::vector<bool>& expected, std::string_view text,
           std::size_t step) {
  using State = TextStream::State;
  stream.start();
  const auto holds = [&](bool ended) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const State state = stream.state(i);
      require(state == (expected[i] ? State::Matched : State::Failed) ||
              (!ended && state == State::Undecided));
    }
  };
  std::size_t size = step;
  while (!text.empty()) {
    const std::size_t n = step == 0 ? text.size() : std::min(text.size(), size % 17);
    const bool more = stream.feed(text.substr(0, n));
    require(more != stream.decided());
    holds(!more);
    if (!more) {
      return;
    }
    text.remove_prefix(n);
    size = size * 7 + 1;
  }
  stream.finish();
  require(stream.decided());
  holds(true);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = input.find('\n');
  const ParseOptions options = {.ignore_case = size % 3 == 0};
  const auto query = parse(input.substr(0, end), options);
  if (!query || end == std::string_view::npos) {
    return 0;
  }
  const std::string_view text = input.substr(end + 1);
  std::vector<const Filter*> filters;
  collect(query->root, filters);
  std::vector<bool> expected;
  for (const Filter* const filter : filters) {
    expected.push_back(ValueMatch(*filter, options).text(text));
  }
  TextStream stream(filters, options);
  for (const std::size_t step : {std::size_t{0}, std::size_t{1}, std::size_t{5}, size}) {
    check(stream, expected, text, step);
  }
  return 0;
}
