// The sections before the dictionaries, each parsed from its decompressed bytes. Errors: Corrupt
// with the section's name, decoded_offset being in its decompressed bytes; LimitExceeded if what
// they are parsed to would take more than `room` bytes, which is found before it does.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/formats/clps.hpp>

#include "format/clps/searching/search_data.hpp"

namespace fonds::clps {

inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::size_t kHeaderSize = 64;
inline constexpr std::size_t kMaxNodes = std::size_t{1} << 24;
inline constexpr std::size_t kMaxKey = std::size_t{1} << 20;
inline constexpr std::size_t kMaxDepth = 1024;
inline constexpr std::size_t kMaxSchemaEntries = std::size_t{1} << 26;
// Steps from nodes to their roots, over all entries of all schemas: about a second of work.
inline constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 30;
inline constexpr std::uint64_t kMaxEmptyRecords = std::uint64_t{1} << 40;

// Whether an archive begins here, by the magic.
bool starts_archive(ByteView head);
// The first 64 bytes. Errors: Corrupt, Truncated, Unsupported (another compression).
Result<Header> parse_header(ByteView bytes);

struct FileEntry {
  std::string name;
  std::uint64_t offset = 0;
};
struct MetadataSection {
  std::vector<FileEntry> files;
  Metadata metadata;
  std::vector<SearchPacket> search;  // not looked into yet
  std::uint64_t extra = 0;           // bytes behind the last packet
};
Result<MetadataSection> parse_metadata(ByteView plain, std::uint64_t room = kNoLimit);

// `extra` of each: bytes behind what was counted.
struct ParsedTree {
  SchemaTree tree;
  std::uint64_t extra = 0;
};
// Keys are views of `plain`, which `owner` keeps.
Result<ParsedTree> parse_schema_tree(ByteView plain, std::shared_ptr<const void> owner,
                                     std::uint64_t room = kNoLimit);

struct ParsedSchemas {
  std::vector<std::int32_t> entries;  // of all schemas; `schemas` are views of it
  std::vector<Schema> schemas;        // one that contradicts the tree has a fault
  std::uint64_t extra = 0;
};
Result<ParsedSchemas> parse_schemas(ByteView plain, const SchemaTree& tree,
                                    std::uint64_t room = kNoLimit);

struct ParsedTables {
  std::vector<StreamInfo> streams;
  std::vector<TableInfo> tables;
  std::uint64_t extra = 0;
};
// `stored`: size of the member /0.
Result<ParsedTables> parse_tables(ByteView plain, std::span<const Schema> schemas,
                                  std::uint64_t stored, std::uint64_t room = kNoLimit);

// The container that a tagged body belongs to: found from its first untagged entry by climbing to
// `enclosing` (kNoNode at the top level). kNoNode if there is none.
NodeId find_container(const SchemaTree& tree, std::span<const std::int32_t> body, NodeType type,
                      NodeId enclosing);

}  // namespace fonds::clps
