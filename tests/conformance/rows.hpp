// The archives that the laws are checked on: one table over all formats and codecs.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fonds/format.hpp>

#include "archives/memory.hpp"

namespace fonds::laws {

// Sanitizers make everything several times slower: some rows are smaller, some laws try less.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

struct Site;

struct Row {
  std::string name;    // "warc-1.1/gzip"; of fixtures their path
  std::string format;  // as OpenOptions::format; empty: recognized by its content
  // The bytes of the archive, the same at every call. Of an archive that is a directory, none: see
  // `directory`.
  std::function<std::string()> bytes = {};
  // The contents of its records in file order; of none where they are known only by reading.
  std::function<std::vector<std::string>()> blocks = {};
  bool ordered = true;      // whether the archive keeps their order
  std::string to = {};      // as `convert --to`, so that the records are written like these
  WriteOptions write = {};  // and how
  ReadOptions read = {};    // what the archive does not tell of itself
  std::function<std::filesystem::path()> directory = {};  // called instead of `bytes`
  bool damaged = false;        // see damaged_fixtures(): some laws are about good archives only
  bool large = false;          // more than a few hundred KiB
  const Site* site = nullptr;  // see sites.hpp; in memory without one
};
void PrintTo(const Row& row, std::ostream* out);

// All rows, in a fixed order: archives that are made, then fixtures.
const std::vector<Row>& rows();
// Those that are made, small ones of every format and codec.
const std::vector<Row>& made_rows();

// A name that GoogleTest accepts.
std::string test_name(std::string name);
using testing_archives::require;
using testing_archives::TextSink;
// Makes the value at the first call.
template <typename T>
std::function<T()> once(std::function<T()> make) {
  const auto kept = std::make_shared<std::optional<T>>();
  return [kept, make = std::move(make)] {
    if (!*kept) {
      *kept = make();
    }
    return **kept;
  };
}

// ---- parts of the table ----

std::vector<Row> web_rows();       // WARC and ARC
std::vector<Row> recordio_rows();  // made
std::vector<Row> event_rows();     // clp-s, KV-IR, JSON Lines of events
std::vector<Row> text_rows();      // lines, JSON Lines of items
std::vector<Row> fixture_rows();   // files of $FONDS_FIXTURES, else tests/data
// Those that were made wrong, or came so: their rows' names.
const std::set<std::string, std::less<>>& damaged_fixtures();

}  // namespace fonds::laws
