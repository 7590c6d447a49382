// A decoder that is watched while a reader uses it: which units its bytes came from, and what the
// codec found, apart from what the reader finds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fonds/bytes.hpp>
#include <fonds/codec.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/format.hpp>
#include <fonds/reader.hpp>

#include "format/warc/reading/reader.hpp"

namespace fonds::warc {

// What was seen. Decoded bytes are counted from where the decoder started.
struct Watch {
  std::vector<Finding> findings;  // of the codec; whoever looks at them takes them out
  std::uint64_t consumed = 0;     // decoded bytes
  std::vector<ByteRange> plain;   // where records are stored plain between gzip members

  bool is_plain(std::uint64_t unit) const;

  // The unit of a decoded byte that was consumed and not forgotten; nothing if that is not known.
  std::optional<std::uint64_t> unit_of(std::uint64_t decoded) const;
  // Bytes before `decoded` are not asked for again.
  void forget(std::uint64_t decoded);
  void note(std::uint64_t unit, std::size_t n);

 private:
  struct Span {
    std::uint64_t unit, end;  // `end`: decoded bytes up to the end of the span
  };
  std::deque<Span> spans_;
  std::uint64_t known_from_ = 0;  // decoded bytes before it belong to spans that are gone
};

// Opens a reader over a watched decoder; `watch` must outlive it. Errors: those of opening.
Result<std::unique_ptr<WarcReader>> open_watched(const Archive& archive, const ReadOptions& options,
                                                 Watch& watch);

}  // namespace fonds::warc
