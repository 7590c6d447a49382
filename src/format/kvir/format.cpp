#include "format/kvir/format.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/common/record_search.hpp"
#include "format/kvir/facts.hpp"
#include "format/kvir/reading/record_reader.hpp"
#include "format/kvir/reading/stream.hpp"
#include "format/kvir/writing/writing.hpp"

namespace fonds::kvir {
namespace {

class KvirFormat final : public Format, public RecordSearch {
 public:
  std::string_view name() const override { return "kv-ir"; }
  int probe(ByteView head, bool /*whole*/) const override { return starts_stream(head) ? 100 : 0; }
  RecordProbe record_probe() const override { return {}; }
  FormatTraits traits() const override {
    return {.search = true, .events = true, .file_ending = ".clp.zst", .converts_to = "jsonl"};
  }
  std::span<const std::string_view> columns() const override {
    static constexpr std::array<std::string_view, 3> kColumns = {"index", "offset", "length"};
    return kColumns;
  }
  const FormatWriting* writing() const override { return &kvir_writing(); }

  std::uint64_t find_start(const Archive& /*archive*/, std::uint64_t /*from*/,
                           std::uint64_t to) const override {
    return to;  // events are understood by all keys before them
  }

  Result<std::unique_ptr<RecordReader>> open(const Archive& archive,
                                             const ReadOptions& options) const override {
    FONDS_TRY(auto reader, StreamReader::open(archive, options));
    return std::unique_ptr<RecordReader>(std::move(reader));
  }

  Status describe(const Archive& archive, const ReadOptions& options, const Totals* totals,
                  AttributeSink& out,
                  const std::function<void(const Finding&)>& /*finding*/) const override {
    return describe_stream(archive, options, totals != nullptr, out);
  }

  Result<SearchReport> search(const Archive& archive, const query::Query& query,
                              const SearchOptions& options, const SearchSink& sink) const override {
    return search_stream(archive, query, options, sink);
  }
  Status search_records(const Archive& archive, const query::Query& query,
                        const SearchOptions& options, const Take& take,
                        const std::function<void(const Finding&)>& finding) const override {
    return find_records(archive, query, options, take, finding);
  }

  Status event_fields(const Archive& archive, const ReadOptions& options,
                      const std::function<Status(const EventField&)>& out,
                      const std::function<void(const Finding&)>& finding) const override {
    return list_fields(archive, options, out, finding);
  }
};

}  // namespace

const Format& kvir_format() {
  static const KvirFormat format;
  return format;
}

}  // namespace fonds::kvir
