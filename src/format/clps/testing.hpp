// Small archives made by hand, for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <zstd.h>

#include <fonds/byte_source.hpp>
#include <fonds/formats/clps.hpp>

namespace fonds::clps::testing_archive {

inline std::string word(std::uint64_t value, std::size_t octets = 8) {
  std::string bytes;
  for (std::size_t i = 0; i < octets; ++i) {
    bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  }
  return bytes;
}
inline std::string words(const std::vector<std::uint64_t>& values) {
  std::string bytes;
  for (const std::uint64_t value : values) {
    bytes += word(value);
  }
  return bytes;
}
// Of DeltaInteger and Timestamp columns.
inline std::string differences(const std::vector<std::uint64_t>& values) {
  std::string bytes;
  std::uint64_t before = 0;
  for (const std::uint64_t value : values) {
    bytes += word(value - before);
    before = value;
  }
  return bytes;
}

inline std::string compressed(std::string_view plain) {
  if (plain.empty()) {
    return {};
  }
  std::string out(ZSTD_compressBound(plain.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), 3));
  return out;
}

struct MadeNode {
  std::int32_t parent;
  NodeType type;
  std::string key;
};
struct MadeSchema {
  std::vector<std::int32_t> ordered, unordered;
};
struct MadeTable {
  std::size_t schema;
  std::uint64_t records;
  std::string columns;
  std::size_t stream = 0;
};

// What an archive is put together from; every part may be changed before build().
struct MadeArchive {
  std::uint32_t version = 5 << 16;  // 0.5.0
  std::vector<MadeNode> nodes;
  std::vector<MadeSchema> schemas;
  std::vector<MadeTable> tables;
  std::vector<std::string> variables, log_types, array_types;
  nlohmann::json inputs;  // of the range index; null: no packet
  std::string times = std::string(16, '\0');

  std::string tree() const {
    std::string plain = word(nodes.size());
    for (const MadeNode& node : nodes) {
      plain += word(static_cast<std::uint32_t>(node.parent), 4) + word(node.key.size()) + node.key +
               static_cast<char>(node.type);
    }
    return plain;
  }
  std::string schema_ids() const {
    std::string plain = word(schemas.size());
    for (std::size_t i = 0; i < schemas.size(); ++i) {
      const MadeSchema& schema = schemas[i];
      plain += word(i, 4) + word(schema.ordered.size() + schema.unordered.size(), 4) +
               word(schema.ordered.size(), 4);
      for (const auto& part : {schema.ordered, schema.unordered}) {
        for (const std::int32_t entry : part) {
          plain += word(static_cast<std::uint32_t>(entry), 4);
        }
      }
    }
    return plain;
  }
  // The member /0 and the table metadata that tells of it.
  std::pair<std::string, std::string> streams() const {
    std::map<std::size_t, std::string> plain;
    std::string list = word(0) + word(tables.size());
    for (const MadeTable& table : tables) {
      std::string& stream = plain[table.stream];
      list +=
          word(table.stream) + word(stream.size()) + word(table.schema, 4) + word(table.records);
      stream += table.columns;
    }
    std::string stored;
    std::string metadata = word(plain.size());
    for (const auto& [index, bytes] : plain) {
      metadata += word(stored.size()) + word(bytes.size());
      stored += compressed(bytes);
    }
    return {stored, metadata + list};
  }
  static std::string dictionary(const std::vector<std::string>& entries) {
    std::string plain;
    for (const std::string& entry : entries) {
      plain += word(entry.size()) + entry;
    }
    return word(entries.size()) + compressed(plain);
  }

  std::string build() const {
    const auto [tables_stored, table_metadata] = streams();
    return assemble({compressed(tree()), compressed(schema_ids()), compressed(table_metadata),
                     dictionary(variables), dictionary(log_types), dictionary(array_types),
                     tables_stored});
  }
  std::string assemble(const std::vector<std::string>& members) const {
    auto files = nlohmann::json::array();
    std::string section;
    for (std::size_t i = 0; i < members.size(); ++i) {
      files.push_back(
          {{"n", std::string(to_string(static_cast<Member>(i)))}, {"o", section.size()}});
      section += members[i];
    }
    std::string packets;
    const auto packet = [&packets](int type, const std::string& payload) {
      packets += static_cast<char>(type) + word(payload.size(), 4) + payload;
    };
    const auto pack = [](const nlohmann::json& value) {
      const auto bytes = nlohmann::json::to_msgpack(value);
      return std::string(bytes.begin(), bytes.end());
    };
    packet(0, pack({{"num_segments", 1}}));
    packet(1, pack({{"files", files}}));
    packet(2, times);
    if (!inputs.is_null()) {
      packet(3, pack(inputs));
    }
    const std::string metadata =
        compressed(std::string(1, static_cast<char>(inputs.is_null() ? 3 : 4)) + packets);
    return "\xFD\x2F\xC5\x30" + word(version, 4) + word(0) +
           word(64 + metadata.size() + section.size()) + std::string(32, '\0') +
           word(metadata.size(), 4) + word(0, 4) + metadata + section;
  }
};

// The roots that every archive with a log order has: 0 and 1 the log order, 2 the user's object.
inline std::vector<MadeNode> usual_roots() {
  return {{-1, NodeType::Metadata, ""},
          {0, NodeType::DeltaInteger, "log_event_idx"},
          {-1, NodeType::Object, ""}};
}

inline std::shared_ptr<ByteSource> as_source(std::string_view bytes) {
  const auto* const data = reinterpret_cast<const std::byte*>(bytes.data());
  return memory_source({data, data + bytes.size()});
}

struct Read {
  std::string text;
  std::vector<Finding> findings;
  std::string error;
};

// Everything that comes out of an archive.
inline Read read_all(std::string_view bytes, const RebuildOptions& options = {},
                     const ReadOptions& read = {}) {
  Read result;
  ArchiveOptions with;
  with.read = read;
  with.on_finding = [&result](const Finding& finding) { result.findings.push_back(finding); };
  auto archive = Archive::open(as_source(bytes), with);
  if (!archive) {
    result.error = archive.error().to_string();
    return result;
  }
  auto rebuilder = Rebuilder::open(*archive, options);
  if (!rebuilder) {
    result.error = rebuilder.error().to_string();
    return result;
  }
  while (true) {
    auto batch = (*rebuilder)->next();
    if (!batch) {
      result.error = batch.error().to_string();
      return result;
    }
    if (*batch == nullptr) {
      return result;
    }
    result.text += (*batch)->text;
    result.findings.insert(result.findings.end(), (*batch)->findings.begin(),
                           (*batch)->findings.end());
  }
}

}  // namespace fonds::clps::testing_archive
