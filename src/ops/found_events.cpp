#include "ops/found_events.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/codec.hpp>

#include "codec/none/codec.hpp"
#include "query/tree.hpp"

namespace fonds::ops {

Result<SearchReport> find_events(const Archive& archive, const query::Query& query,
                                 const SearchOptions& options, const SearchSink& sink,
                                 const RecordSearch::Take& take) {
  FONDS_CHECK(query::refuse_date_ranges(query.root));
  const auto* const records = dynamic_cast<const RecordSearch*>(archive.format);
  if (!take || records == nullptr) {
    return archive.format->search(archive, query, options, sink);
  }
  FONDS_CHECK(records->search_records(archive, query, options, take, sink.finding));
  return SearchReport();
}

const Format& events_format() {
  return **std::find_if(formats().begin(), formats().end(), [](const Format* format) {
    return format->traits().events && format->traits().text;
  });
}

Archive events_in_memory(std::string_view lines, std::string_view name) {
  const ByteView bytes = as_bytes(lines);
  return {.source =
              memory_source(std::vector<std::byte>(bytes.begin(), bytes.end()), std::string(name)),
          .format = &events_format(),
          .codecs = {&none::none_codec()}};
}

}  // namespace fonds::ops
