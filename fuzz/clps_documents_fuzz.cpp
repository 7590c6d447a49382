// Cutting any bytes into documents: every octet is accounted for, the candidates are those of a
// slow reader of the same rules, and pieces are the same however the bytes are read.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/testing.hpp"
#include "format/clps/writing/documents.hpp"
#include "format/clps/writing/documents_testing.hpp"
#include "format/clps/writing/last_wins.hpp"
#include "require.hpp"

namespace {

using fonds::DecodeOptions;
using fonds::fuzz::require;
using fonds::testing_codec::mapped;
using fonds::testing_codec::piped;
using namespace fonds::clps;  // NOLINT(google-build-using-namespace)
using testing_documents::Documents;
using testing_documents::Found;
using testing_documents::read_all;

// Without a codec: the bytes are what is cut.
Documents read_plain(std::shared_ptr<fonds::ByteSource> source, const DocumentOptions& options) {
  DocumentReader reader(*fonds::codecs().back()->decode(std::move(source), DecodeOptions{}),
                        "input", options);
  return read_all(reader);
}

void check_plain(std::string_view text, const DocumentOptions& options, std::size_t step) {
  const Documents whole = read_plain(mapped(text), options);
  require(!whole.error && accounts_for_all(text, whole));
  require(whole.found == testing_documents::SlowDocuments(text, options).all());
  const Documents pipe = read_plain(piped(text, step), options);
  require(!pipe.error && pipe.found == whole.found && pipe.pieces == whole.pieces);
}

// Whatever it is compressed by, if it is.
void check_any(std::string_view stored, const DocumentOptions& options, std::size_t step) {
  const Documents whole = read_all(mapped(stored), options);
  const Documents pipe = read_all(piped(stored, step), options);
  require(whole.error.has_value() || pipe.error.has_value() || pipe.found == whole.found);
}

void check_last_wins(std::string_view text) {
  for (const bool inside_arrays : {false, true}) {
    std::uint64_t dropped = 0;
    const auto once = last_wins(text, dropped, inside_arrays);
    if (!once) {
      continue;
    }
    require(once->size() <= text.size() && (dropped > 0 || *once == text));
    const auto twice = last_wins(*once, dropped, inside_arrays);
    require(twice && dropped == 0 && *twice == *once);
  }
}

}  // namespace

// The first three octets choose the sizes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3 || size > 4096) {
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data) + 3, size - 3);
  DocumentOptions options;
  options.piece_bytes = std::size_t{1} + data[0];
  options.max_document_size = std::uint64_t{1} + data[1] * (data[1] < 128 ? 1U : 64U);
  options.long_line = std::size_t{1} + data[2] / 8 * 8;
  options.read.memory_budget = std::uint64_t{16} << 20;
  const std::size_t step = std::size_t{1} + data[2] % 8;
  check_plain(text, options, step);
  check_any(text, options, step);
  check_last_wins(text);
  return 0;
}
