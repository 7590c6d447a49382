#include "format/clps/writing/assemble.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>

#include "base/bytes.hpp"
#include "base/digest.hpp"
#include "base/ordered_jobs.hpp"
#include "format/clps/reading/exact.hpp"
#include "format/clps/writing/exact_packet.hpp"
#include "format/clps/writing/frame.hpp"
#include "format/clps/writing/identity.hpp"
#include "format/clps/writing/octets.hpp"
#include "format/clps/writing/table_facts.hpp"

namespace fonds::clps::writing {
namespace {

constexpr std::uint32_t kMagic = 0x30C52FFD;
constexpr std::uint64_t kMostMetadata = 0xFFFFFFFF;

using Bytes = std::vector<std::byte>;

// A member whose plain content is at hand; empty content has no frame.
Result<Bytes> compressed(std::string_view plain, int level) {
  Bytes out;
  if (!plain.empty()) {
    FONDS_TRY(Frame frame, Frame::begin(out, level, plain.size()));
    FONDS_CHECK(frame.add(plain));
    FONDS_CHECK(frame.end());
  }
  return out;
}

Result<Bytes> dictionary(const StringTable& table, int level) {
  std::string count;
  append_u64(count, table.size());
  Bytes out;
  for (const char c : count) {
    out.push_back(static_cast<std::byte>(c));
  }
  if (table.size() == 0) {
    return out;
  }
  FONDS_TRY(Frame frame, Frame::begin(out, level, table.stored_size()));
  for (std::uint32_t id = 0; id < table.size(); ++id) {
    FONDS_CHECK(frame.add_u64(table[id].size()));
    FONDS_CHECK(frame.add(table[id]));
  }
  FONDS_CHECK(frame.end());
  return out;
}

std::string tree_section(const std::vector<BuiltNode>& nodes) {
  std::string plain;
  append_u64(plain, nodes.size());
  for (const BuiltNode& node : nodes) {
    append_u32(plain, static_cast<std::uint32_t>(node.parent));
    append_u64(plain, node.key.size());
    plain += node.key;
    plain += static_cast<char>(node.type);
  }
  return plain;
}

std::string schema_section(const std::vector<BuiltTable>& tables) {
  std::vector<std::size_t> ids(tables.size());
  std::iota(ids.begin(), ids.end(), std::size_t{0});
  std::sort(ids.begin(), ids.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(tables[a].entries, tables[a].ordered) <
           std::tie(tables[b].entries, tables[b].ordered);
  });
  std::string plain;
  append_u64(plain, tables.size());
  for (const std::size_t id : ids) {
    append_u32(plain, static_cast<std::uint32_t>(id));
    append_u32(plain, static_cast<std::uint32_t>(tables[id].entries.size()));
    append_u32(plain, static_cast<std::uint32_t>(tables[id].ordered));
    for (const std::int32_t entry : tables[id].entries) {
      append_u32(plain, static_cast<std::uint32_t>(entry));
    }
  }
  return plain;
}

// Tables that are compressed together.
struct PlannedStream {
  std::vector<std::size_t> tables;
  std::uint64_t plain = 0;
};

// The largest tables first; a stream ends when it has more than `least` octets. Tables of no width
// get no stream of their own if there is another.
std::vector<PlannedStream> plan(const std::vector<BuiltTable>& tables, std::uint64_t least,
                                bool log_order) {
  std::vector<std::size_t> order(tables.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::uint64_t> sizes;
  for (const BuiltTable& table : tables) {
    sizes.push_back(table.stored_size(log_order));
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  std::vector<PlannedStream> streams;
  bool open = false;
  for (const std::size_t table : order) {
    if (!open && (streams.empty() || sizes[table] > 0)) {
      streams.emplace_back();
    }
    streams.back().tables.push_back(table);
    streams.back().plain += sizes[table];
    open = streams.back().plain <= least;
  }
  return streams;
}

// Writes the columns of tables, and frees them.
class ColumnWriter {
 public:
  ColumnWriter(const Rules& rules, Frame& frame) : rules_(rules), frame_(frame) {}

  Status table(BuiltTable& table) {
    if (rules_.log_order) {
      FONDS_CHECK(rules_.plain_log_index() ? words(table.log_index) : differences(table.log_index));
    }
    for (BuiltColumn& column : table.columns) {
      FONDS_CHECK(this->column(column));
    }
    return {};
  }

 private:
  template <typename Stored, typename T>
  Status numbers(Pile<T>& pile) {
    Status status;
    pile.drain([&](std::span<const T> values) {
      for (const T value : values) {
        frame_.put(static_cast<Stored>(value));
        if (frame_.full() && status) {
          status = frame_.flush();
        }
      }
    });
    return status;
  }
  template <typename T>
  Status words(Pile<T>& pile) {
    return numbers<std::uint64_t>(pile);
  }
  Status differences(Pile<std::uint64_t>& pile) {
    Status status;
    std::uint64_t before = 0;
    pile.drain([&](std::span<const std::uint64_t> values) {
      for (const std::uint64_t value : values) {
        frame_.put(value - before);
        before = value;
        if (frame_.full() && status) {
          status = frame_.flush();
        }
      }
    });
    return status;
  }

  Status column(BuiltColumn& column) {
    switch (column.type) {
      case NodeType::Boolean:
        return numbers<std::uint8_t>(column.small);
      case NodeType::VarString:
      case NodeType::DictionaryFloat:
        return words(column.ids);
      case NodeType::ClpString:
      case NodeType::UnstructuredArray:
        return split(column);
      case NodeType::Timestamp:
        FONDS_CHECK(differences(column.words));
        return words(column.ids);
      case NodeType::DateString:
        FONDS_CHECK(words(column.words));
        return words(column.ids);
      case NodeType::FormattedFloat:
        FONDS_CHECK(words(column.words));
        return numbers<std::uint16_t>(column.small);
      default:
        return words(column.words);
    }
  }

  Status split(BuiltColumn& column) {
    FONDS_CHECK(words(column.words));
    FONDS_CHECK(frame_.add_u64(column.variables.size()));
    return words(column.variables);
  }

  const Rules& rules_;
  Frame& frame_;
};

// Something to be compressed, and what came of it.
struct CompressJob {
  std::function<Result<Bytes>()> work;
  Bytes bytes;
};

Status run_all(std::vector<std::unique_ptr<CompressJob>>& jobs, unsigned threads) {
  const auto work = [](CompressJob& job) -> Status {
    FONDS_TRY(job.bytes, job.work());
    return {};
  };
  if (threads <= 1) {
    for (const auto& job : jobs) {
      FONDS_CHECK(work(*job));
    }
    return {};
  }
  OrderedJobs<CompressJob> pool(threads, std::uint64_t(-1),
                                [&]() -> Result<OrderedJobs<CompressJob>::Work> { return work; });
  // All at once, so that the others do not wait for the first, which takes longest.
  for (auto& job : jobs) {
    FONDS_CHECK(pool.submit(job, 1));
  }
  for (auto& job : jobs) {
    const auto front = pool.front(/*wait=*/true);
    if (front.error != nullptr) {
      return fail(front.error->code(), front.error->message(), front.error->where());
    }
    job = pool.pop();
  }
  return {};
}

Bytes joined(std::vector<Bytes>& parts) {
  if (parts.size() == 1) {
    return std::move(parts.front());
  }
  Bytes all;
  for (Bytes& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
    Bytes().swap(part);
  }
  return all;
}

std::string table_metadata(const BuiltArchive& archive, const std::vector<PlannedStream>& streams,
                           const std::vector<std::uint64_t>& offsets,
                           const std::vector<std::uint64_t>& sizes) {
  std::string plain;
  append_u64(plain, streams.size());
  for (std::size_t i = 0; i < streams.size(); ++i) {
    append_u64(plain, offsets[i]);
    append_u64(plain, streams[i].plain);
  }
  append_u64(plain, 0);
  append_u64(plain, archive.tables.size());
  for (std::size_t i = 0; i < streams.size(); ++i) {
    std::uint64_t offset = 0;
    for (const std::size_t table : streams[i].tables) {
      append_u64(plain, i);
      append_u64(plain, offset);
      append_u32(plain, static_cast<std::uint32_t>(table));
      append_u64(plain, archive.tables[table].records);
      offset += sizes[table];
    }
  }
  return plain;
}

std::vector<TableFacts> in_stored_order(std::vector<TableFacts> facts,
                                        const std::vector<PlannedStream>& streams) {
  std::vector<TableFacts> ordered;
  for (const PlannedStream& stream : streams) {
    for (const std::size_t table : stream.tables) {
      ordered.push_back(std::move(facts[table]));
    }
  }
  return ordered;
}

// Before compression, of an archive whose members have so many octets. Every reader decompresses
// the metadata, which must not take long, nor much memory; of long sets that costs searches as much
// as it saves them.
FactLimits most_search_data(std::uint64_t members) {
  constexpr std::uint64_t kLeast = std::uint64_t{16} << 10, kMost = std::uint64_t{4} << 20;
  return {.ranges = std::clamp(members / 200, kLeast, kMost),
          .entries = std::clamp(members / 1000, kLeast, kMost)};
}

std::string header(const Rules& rules, std::uint64_t input_bytes, std::uint64_t size,
                   std::uint64_t metadata) {
  std::string out;
  append_u32(out, kMagic);
  append_u16(out, rules.version.patch);
  out += static_cast<char>(rules.version.minor);
  out += static_cast<char>(rules.version.major);
  append_u64(out, input_bytes);
  append_u64(out, size);
  out.append(32, '\0');
  append_u32(out, static_cast<std::uint32_t>(metadata));
  append_u32(out, 0);
  return out;
}

void describe(const BuiltArchive& archive, const std::vector<PlannedStream>& streams,
              WrittenArchive& out) {
  out.records = archive.records;
  out.input_bytes = archive.input_bytes;
  for (const PlannedStream& stream : streams) {
    out.columns_bytes += stream.plain;
  }
  for (const auto& [node, range] : archive.times) {
    const bool ms = range.type == NodeType::DateString;
    if (range.min > range.max || (!ms && range.type != NodeType::Timestamp)) {
      continue;  // numbers before 0.5.0 have no unit
    }
    const auto ns = [ms](std::int64_t value) { return ms ? value * 1'000'000 : value; };
    const std::pair own(ns(range.min), ns(range.max));
    out.times = out.times ? std::pair(std::min(out.times->first, own.first),
                                      std::max(out.times->second, own.second))
                          : own;
  }
  out.dictionary_bytes = archive.variables.stored_size() + archive.log_types.stored_size() +
                         archive.array_types.stored_size();
  out.tables = archive.tables.size();
  out.nodes = archive.nodes.size();
  out.variables = archive.variables.size();
  out.log_types = archive.log_types.size();
  out.array_types = archive.array_types.size();
}

}  // namespace

Result<WrittenArchive> assemble(BuiltArchive archive, const Rules& rules,
                                const WriterOptions& options, std::uint64_t number) {
  WrittenArchive out;
  out.number = number;
  const int level = options.level;
  const auto streams = plan(archive.tables, options.min_table_size, rules.log_order);
  describe(archive, streams, out);
  std::vector<std::uint64_t> sizes;
  for (const BuiltTable& table : archive.tables) {
    sizes.push_back(table.stored_size(rules.log_order));
  }

  // The variables are the largest single piece: they go first.
  std::vector<std::unique_ptr<CompressJob>> jobs;
  const auto job = [&jobs](std::function<Result<Bytes>()> work) {
    jobs.push_back(std::make_unique<CompressJob>(CompressJob{std::move(work), Bytes()}));
  };
  job([&] { return dictionary(archive.variables, level); });
  job([&] { return dictionary(archive.log_types, level); });
  job([&] { return dictionary(archive.array_types, level); });
  std::optional<DictionaryPlaces> places;
  std::vector<TableFacts> facts;  // of each table
  if (options.search_data) {
    places.emplace(archive.log_types, rules.generation());
    facts.resize(archive.tables.size());
  }
  for (const PlannedStream& stream : streams) {
    job([&]() -> Result<Bytes> {
      Bytes bytes;
      for (std::size_t i = 0; places && i < stream.tables.size(); ++i) {
        const std::size_t table = stream.tables[i];
        facts[table] = facts_of(archive.tables[table], archive, *places, rules);
      }
      if (stream.plain > 0) {
        FONDS_TRY(Frame frame, Frame::begin(bytes, level, stream.plain));
        ColumnWriter writer(rules, frame);
        for (const std::size_t table : stream.tables) {
          FONDS_CHECK(writer.table(archive.tables[table]));
        }
        FONDS_CHECK(frame.end());
      }
      return bytes;
    });
  }
  FONDS_CHECK(run_all(jobs, options.threads));

  const auto member = [&out](Member which) -> Bytes& {
    return out.members[static_cast<std::size_t>(which)];
  };
  member(Member::Variables) = std::move(jobs[0]->bytes);
  member(Member::LogTypes) = std::move(jobs[1]->bytes);
  member(Member::ArrayTypes) = std::move(jobs[2]->bytes);
  std::vector<Bytes> parts;
  std::vector<std::uint64_t> offsets;
  std::uint64_t at = 0;
  for (std::size_t i = 3; i < jobs.size(); ++i) {
    offsets.push_back(at);
    at += jobs[i]->bytes.size();
    parts.push_back(std::move(jobs[i]->bytes));
  }
  member(Member::Tables) = joined(parts);
  FONDS_TRY(member(Member::SchemaTree), compressed(tree_section(archive.nodes), level));
  FONDS_TRY(member(Member::SchemaIds), compressed(schema_section(archive.tables), level));
  FONDS_TRY(member(Member::TableMetadata),
            compressed(table_metadata(archive, streams, offsets, sizes), level));

  MetadataParts metadata;
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < kMembers; ++i) {
    metadata.offsets[i] = offset;
    offset += out.members[i].size();
  }
  std::vector<TimeRangeMade> times;
  for (const auto& [node, range] : archive.times) {
    times.push_back(range);
  }
  metadata.times = archive.patterns ? timestamp_dictionary(rules.version, options.timestamp_key,
                                                           times, *archive.patterns)
                                    : std::string(16, '\0');
  metadata.inputs = rules.log_order ? &archive.inputs : nullptr;
  metadata.creator_id = options.creator_id;
  if (options.search_data) {
    metadata.own =
        search_packets(in_stored_order(std::move(facts), streams), most_search_data(offset));
  }
  if (rules.exact) {
    metadata.own.emplace_back(kOriginalsPacket, originals_packet(archive));
  }
  const std::string plain_metadata = metadata_section(metadata);
  FONDS_TRY(const Bytes section, compressed(plain_metadata, level));
  if (section.size() > kMostMetadata) {
    return fail(ErrorCode::LimitExceeded, "the metadata section would be larger than 4 GiB");
  }
  out.head = header(rules, archive.input_bytes, 64 + section.size() + offset, section.size());
  out.head += as_text(section);
  out.id = identity_of(out);
  return out;
}

}  // namespace fonds::clps::writing
