// Sums up the bytes that each column of a clp-s archive takes, and adds up one column of integers.
#include <cinttypes>
#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include <fonds/formats/clps.hpp>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: columns ARCHIVE KEY\n");
    return 2;
  }
  auto source = fonds::open_source(argv[1]);
  if (!source) {
    std::fprintf(stderr, "%s\n", source.error().to_string().c_str());
    return 3;
  }
  const auto archive = fonds::clps::Archive::open(*source);
  if (!archive) {
    std::fprintf(stderr, "%s\n", archive.error().to_string().c_str());
    return 3;
  }
  const fonds::clps::SchemaTree& tree = (*archive)->tree();
  std::map<std::string, std::uint64_t> bytes;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < (*archive)->tables().size(); ++i) {
    // Tables of one stream lie one behind the other; a program in a hurry opens it once for all.
    auto stream =
        (*archive)->open_stream(static_cast<std::size_t>((*archive)->tables()[i].stream));
    const auto table = stream ? (*archive)->table(i, *stream)
                              : fonds::Result<fonds::clps::Table>(
                                    tl::unexpected(std::move(stream.error())));
    if (!table) {
      std::fprintf(stderr, "%s\n", table.error().to_string().c_str());
      continue;  // the other tables are still there
    }
    for (const fonds::clps::Column& column : table->columns()) {
      const std::string key(tree[column.node].key);
      bytes[key] += column.values.size() + column.seconds.size() + column.variables.size();
      if (key == argv[2] && column.type == fonds::clps::NodeType::Integer) {
        for (std::uint64_t row = 0; row < column.records; ++row) {
          sum += static_cast<std::int64_t>(column.word(row));
        }
      }
    }
  }
  for (const auto& [key, size] : bytes) {
    std::printf("%8" PRIu64 " %s\n", size, key.c_str());
  }
  std::printf("%s adds up to %" PRId64 "\n", argv[2], sum);
  return 0;
}
