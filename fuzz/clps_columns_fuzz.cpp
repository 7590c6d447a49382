// One table of a clp-s archive: columns of any types over any bytes. Parts: version; the type of
// each column; its number of records; three dictionaries; patterns; the columns.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/formats/clps.hpp>

#include "clps_parts.hpp"
#include "format/clps/reading/text_buffer.hpp"
#include "format/clps/reading/texts.hpp"
#include "format/clps/searching/search_cells.hpp"
#include "format/clps/searching/search_strings.hpp"
#include "require.hpp"

namespace {

using fonds::fuzz::little;
using fonds::fuzz::require;
using namespace fonds::clps;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kMostColumns = 40;

std::string tree_of(std::string_view types) {
  const auto node = [](std::int32_t parent, std::string_view key, NodeType type) {
    return little(static_cast<std::uint32_t>(parent), 4) + little(key.size(), 8) +
           std::string(key) + little(static_cast<std::uint8_t>(type), 1);
  };
  std::string nodes = node(-1, "", NodeType::Metadata) +
                      node(0, "log_event_idx", NodeType::DeltaInteger) +
                      node(-1, "", NodeType::Object);
  for (std::size_t i = 0; i < types.size(); ++i) {
    nodes += node(2, std::to_string(i),
                  static_cast<NodeType>(static_cast<unsigned char>(types[i]) % 15));
  }
  return little(3 + types.size(), 8) + nodes;
}

std::string schema_of(std::size_t columns, bool log_order) {
  std::string entries = log_order ? little(1, 4) : std::string();
  for (std::size_t i = 0; i < columns; ++i) {
    entries += little(3 + i, 4);
  }
  const std::string count = little(entries.size() / 4, 4);
  return little(1, 8) + little(0, 4) + count + count + entries;
}

std::string pattern_packet(std::string_view patterns) {
  std::string list;
  std::uint64_t id = 0;
  while (!patterns.empty() && id < 16) {
    const std::string_view one = patterns.substr(0, patterns.find('\n'));
    patterns.remove_prefix(std::min(patterns.size(), one.size() + 1));
    list += little(id++, 8) + little(one.size(), 8) + std::string(one);
  }
  const std::string payload = little(0, 8) + little(id, 8) + list;
  return "\x01\x02" + little(payload.size(), 4) + payload;
}

void check_texts(const Column& column, const Texts& texts) {
  for (std::uint64_t row = 0; row < std::min<std::uint64_t>(column.records, 64); ++row) {
    TextBuffer printed;
    std::string plain;
    const bool array = column.type == NodeType::UnstructuredArray;
    const Fault fault = array ? texts.append_array(column, row, printed)
                              : texts.append_clp_string(column, row, printed);
    const LogTypes& types = array ? texts.array_types() : texts.log_types();
    const SplitCell cell(column.word(row));
    const LogTypes::Parsed* const parsed =
        cell.type < types.size() ? types.find(cell.type) : nullptr;
    const bool again = parsed != nullptr && cell.lies_in(column, parsed->type.variables()) &&
                       append_cell(parsed->type, column, cell.first_variable, texts.variables(),
                                   texts.generation(), plain);
    require((fault == nullptr) == again);
    if (fault == nullptr) {
      TextBuffer escaped;
      if (array) {
        escaped.append(plain);
      } else {
        escaped.push_back('"');
        escaped.append_escaped(plain);
        escaped.push_back('"');
      }
      require(escaped.view() == printed.view());
    }
  }
}

void check_table(const std::shared_ptr<Archive>& archive) {
  auto stream = archive->open_stream(0);
  if (!stream) {
    return;
  }
  const auto table = archive->table(0, *stream);
  if (!table) {
    return;
  }
  const auto texts = Texts::open(*archive, {});
  if (!texts) {
    return;
  }
  std::size_t bytes = 0;
  for (const Column& column : table->columns()) {
    require(column.records == table->records());
    require(column.values.size() / column.records * column.records == column.values.size());
    const bool split =
        column.type == NodeType::ClpString || column.type == NodeType::UnstructuredArray;
    bytes +=
        column.values.size() + column.seconds.size() + column.variables.size() + (split ? 8 : 0);
    if (split) {
      check_texts(column, **texts);
    }
  }
  require(bytes == archive->tables()[0].length);
}

std::size_t count_records(const std::shared_ptr<Archive>& archive, Order order, std::size_t& lost) {
  RebuildOptions options;
  options.order = order;
  const auto rebuilder = Rebuilder::open(archive, options);
  std::size_t records = 0;
  while (rebuilder && records < 10000) {
    const auto batch = (*rebuilder)->next();
    if (!batch || *batch == nullptr) {
      break;
    }
    records += (*batch)->lines.size();
    lost += (*batch)->findings.size();
  }
  return records;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parts = fonds::fuzz::split_parts({reinterpret_cast<const char*>(data), size});
  const auto part = [&parts](std::size_t i) {
    return i < parts.size() ? parts[i] : std::string_view();
  };
  const std::string_view types = part(1).substr(0, kMostColumns);
  const std::string_view given = part(2);
  const std::uint64_t records =
      1 + (given.empty() ? 0 : static_cast<unsigned char>(given[0])) % 200;
  const bool log_order = given.size() < 2;
  const std::string_view columns = part(7);
  const std::string tree = tree_of(types);
  const std::string schema = schema_of(types.size(), log_order);
  const std::string tables = little(1, 8) + little(0, 8) + little(columns.size(), 8) +
                             little(0, 8) + little(1, 8) + little(0, 8) + little(0, 8) +
                             little(0, 4) + little(records, 8);
  const std::string packet = pattern_packet(part(6));
  const std::string bytes = fonds::fuzz::build_archive(
      {part(0), packet, tree, schema, tables, part(3), part(4), part(5), columns});
  ArchiveOptions options;
  options.read.memory_budget = std::uint64_t{16} << 20;
  std::size_t told = 0;
  options.on_finding = [&told](const fonds::Finding&) { ++told; };
  auto archive = Archive::open(fonds::fuzz::source_of(bytes), options);
  if (!archive) {
    return 0;
  }
  check_table(*archive);
  std::size_t lost = 0;
  const std::size_t by_table = count_records(*archive, Order::Table, lost);
  const std::size_t by_log = count_records(*archive, Order::Log, lost);
  require(by_table == by_log);
  require(by_table == records || lost > 0 || told > 0);
  return 0;
}
