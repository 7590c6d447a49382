// JSON Lines: no crash, no hang; reading and searching for everything give the same lines, which
// are JSON; a query and its negation part them, on one thread and on two, mapped and piped; a query
// of texts is not misled by looking at the bytes before parsing. The first line is the query.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/codec.hpp>
#include <fonds/format.hpp>
#include <fonds/query.hpp>

#include "format/lines/format.hpp"
#include "format/lines/reading/json_line.hpp"
#include "io/testing.hpp"
#include "require.hpp"

namespace {

using fonds::fuzz::require;

fonds::Archive archive_of(std::shared_ptr<fonds::ByteSource> source) {
  return {.source = std::move(source),
          .format = &fonds::lines::events_format(),
          .codecs = {&fonds::probe_codec({})}};
}

std::vector<std::byte> bytes_of(std::string_view text) {
  const fonds::ByteView bytes = fonds::as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

std::string found(const fonds::Archive& archive, const fonds::query::Query& query,
                  unsigned threads) {
  std::string lines;
  const fonds::SearchSink sink = {.lines = [&](std::string_view some) -> fonds::Result<bool> {
                                    lines += some;
                                    return true;
                                  },
                                  .finding = [](const fonds::Finding&) {}};
  const auto report = archive.format->search(archive, query, {.threads = threads}, sink);
  require(report.has_value());
  return lines;
}

std::string read(const fonds::Archive& archive) {
  std::string lines;
  const auto reader = archive.format->open(archive, {});
  require(reader.has_value());
  while (true) {
    const auto record = (*reader)->next();
    require(record.has_value());
    if (*record == nullptr) {
      return lines;
    }
    const auto block = (*reader)->peek_block(static_cast<std::size_t>(*(*record)->length()));
    require(block.has_value() && block->size() == *(*record)->length());
    require(!fonds::lines::find_fault(fonds::as_text(*block)));
    lines += fonds::as_text(*block);
    lines += '\n';
  }
}

// The query on each line by itself.
std::string judged(std::string_view lines, const fonds::query::Query& query) {
  std::string matching;
  fonds::query::RecordMatch match(query);
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    const auto matches = match.matches(lines.substr(0, end));
    require(matches.has_value());
    matching += *matches ? lines.substr(0, end + 1) : std::string_view();
    lines.remove_prefix(end + 1);
  }
  return matching;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = input.find('\n');
  const auto query = fonds::query::parse(input.substr(0, end), {.ignore_case = size % 5 == 0});
  if (!query || end == std::string_view::npos) {
    return 0;
  }
  const std::string_view text = input.substr(end + 1);
  const auto archive = archive_of(fonds::memory_source(bytes_of(text)));
  const std::string all = read(archive);
  require(found(archive, *fonds::query::parse("*"), 1) == all);
  const std::string wanted = judged(all, *query);
  require(found(archive, *query, 1) == wanted);
  require(found(archive, *query, 2) == wanted);
  const auto pipe = std::make_shared<fonds::testing_io::Pipe>(bytes_of(text), 1 + size % 7);
  require(found(archive_of(pipe), *query, 1) == wanted);
  return 0;
}
