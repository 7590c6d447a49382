// The RecordIO archives that the laws are checked on, and what reading gives of them.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/format.hpp>
#include <fonds/formats/recordio.hpp>

#include "conformance/rows.hpp"
#include "format/recordio/reading/reader_test_support.hpp"
#include "format/recordio/rewriting/rewrite_test_support.hpp"

namespace fonds::recordio::laws {

// An archive of the table.
struct Specimen {
  std::string name;
  std::function<std::string()> bytes;
  // Of packed legacy records, which do not say it.
  std::vector<std::string> packed_transformers = {};
  // What it was before it was damaged, if that is known and a checksum protects every item.
  std::function<std::string()> before = {};
  bool off_grid = false;  // blocks of v2 must be searched for byte by byte
};
inline void PrintTo(const Specimen& specimen, std::ostream* out) { *out << specimen.name; }

// "xor N", the transformer of one fixture: each byte XOR N.
inline void register_xor() {
  register_transformer("xor", [](std::string_view argument) {
    const auto key = static_cast<std::byte>(std::stoi(std::string(argument)));
    const auto change = [key](ByteView in, Buffer& out) -> Status {
      out.clear();
      std::ranges::for_each(in, [&](std::byte b) { out.push_back(b ^ key); });
      return {};
    };
    return transformer_of(change, change)("");
  });
}

// ---- archives of the writer ----

inline std::function<std::string()> once(std::function<std::string()> make) {
  return fonds::laws::once(std::move(make));
}

// "recordio/v2-large-header" is "V2LargeHeader".
inline std::string specimen_name(std::string_view row) {
  std::string name;
  for (bool first = true; const char c : row.substr(row.find('/') + 1)) {
    if (c != '-') {
      name += static_cast<char>(first ? std::toupper(static_cast<unsigned char>(c)) : c);
    }
    first = c == '-';
  }
  return name;
}

// The rows of the table that lie as they are, in no other codec.
inline std::vector<Specimen> made_archives() {
  std::vector<Specimen> all;
  for (const fonds::laws::Row& row : fonds::laws::recordio_rows()) {
    if (row.name == "recordio/v2-gzip") {
      continue;
    }
    Specimen& specimen = all.emplace_back();
    specimen.name = specimen_name(row.name);
    specimen.bytes = row.bytes;
    if (row.to == "recordio/packed") {
      specimen.packed_transformers = row.write.compression;
    }
  }
  return all;
}

// ---- fixtures ----

inline std::vector<Specimen> fixtures_named(std::initializer_list<const char*> names) {
  std::vector<Specimen> found;
  for (const char* const name : names) {
    found.push_back({name, [name] { return read_recordio_fixture(name); }});
    if (std::string_view(name).find("packed-flate") != std::string_view::npos) {
      found.back().packed_transformers = {"flate"};
    }
  }
  return found;
}
inline std::vector<Specimen> good_fixtures() {
  return fixtures_named({"legacy-mixed.grail-rio",
                         "legacy-packed-empties.grail-rpk",
                         "legacy-packed-flate.grail-rpk-gz",
                         "legacy-packed-slack.grail-rpk",
                         "legacy-packed.grail-rpk",
                         "legacy-plain.grail-rio",
                         "v2-behind-trailer.rio",
                         "v2-corrupt-padding.rio",
                         "v2-custom-transformer.rio",
                         "v2-empty-trailer.rio",
                         "v2-empty.rio",
                         "v2-emptyrecs.rio",
                         "v2-flag-set.rio",
                         "v2-flate.rio",
                         "v2-flate9.rio",
                         "v2-headers.rio",
                         "v2-manyblocks.rio",
                         "v2-multichunk-zstd.rio",
                         "v2-multichunk.rio",
                         "v2-plain.rio",
                         "v2-stacked.rio",
                         "v2-tiny.rio",
                         "v2-trailer-index.rio",
                         "v2-trailer-missing.rio",
                         "v2-zstd-nocontentsize.rio",
                         "v2-zstd.rio",
                         "v2-zstd19.rio",
                         "zero-length.rio"});
}
inline std::vector<Specimen> damaged_fixtures() {
  return fixtures_named({"legacy-corrupt.grail-rio",
                         "legacy-packed-corrupt.grail-rpk",
                         "legacy-packed-long.grail-rpk",
                         "legacy-toolarge.grail-rio",
                         "legacy-truncated.grail-rio",
                         "v2-chunk-size.rio",
                         "v2-concatenated.rio",
                         "v2-corrupt-chunk.rio",
                         "v2-corrupt-two.rio",
                         "v2-flate-short.rio",
                         "v2-header-type.rio",
                         "v2-item-count.rio",
                         "v2-noheader.rio",
                         "v2-short.rio",
                         "v2-sizes-short.rio",
                         "v2-transformer-bool.rio",
                         "v2-transformer-unknown.rio",
                         "v2-truncated-chunkboundary.rio",
                         "v2-truncated-lastblock.rio",
                         "v2-truncated-midchunk.rio",
                         "v2-zstd-flip.rio"});
}
inline std::vector<Specimen> good_archives() {
  std::vector<Specimen> all = made_archives();
  std::ranges::move(good_fixtures(), std::back_inserter(all));
  return all;
}

// ---- reading ----

// What a reader of the format gives.
struct Read {
  std::vector<ReadItem> items;
  std::vector<std::string> findings;
  std::string error;

  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const ReadItem& item : items) {
      all.push_back(item.text);
    }
    return all;
  }
};

// All but the source.
inline std::string shown(const Finding& finding) {
  return fmt::format(
      "{} {}@{}#{} {}", to_string(finding.severity), finding.code,
      finding.where.stored_offset ? std::to_string(*finding.where.stored_offset) : "-",
      finding.where.ordinal ? std::to_string(*finding.where.ordinal) : "-", finding.message);
}

inline Status read_into(Read& read, const Archive& archive, const ReadOptions& options) {
  const auto take = [&read](const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
      read.findings.push_back(shown(finding));
    }
  };
  FONDS_TRY(const auto reader, archive.format->open(archive, options));
  while (true) {
    FONDS_TRY(Record* const record, reader->next());
    take(reader->take_loose_findings());
    if (record == nullptr) {
      return {};
    }
    std::vector<Finding> findings;
    ReadItem item{record->place.unit, record->place.inner, {}};
    FONDS_CHECK(archive.format->write_part(
        *reader, *record, RecordPart::Record, ~std::uint64_t{0},
        [&item](ByteView piece) {
          item.text += as_text(piece);
          return Status();
        },
        findings));
    read.items.push_back(std::move(item));
    FONDS_TRY(const RecordEnd end, reader->finish());
    take(end.findings);
  }
}
inline Read read_archive(const Archive& archive, const ReadOptions& options = {}) {
  Read read;
  const Status status = read_into(read, archive, options);
  read.error = status ? "" : status.error().message();
  return read;
}
// As `--skip-damaged` does.
inline Read read_recovered(const Archive& archive) {
  ReadOptions options;
  options.search_damaged = true;
  return read_archive(archive, options);
}
inline Archive archive_from(std::shared_ptr<ByteSource> source) {
  auto archive = open_archive(std::move(source), {.format = "recordio"});
  require(archive.has_value(), "open_archive");
  return *archive;
}

// ---- damage ----

enum class Damage : std::uint8_t { Flip, Cut, BlockLost, BytesPutIn };
inline const char* damage_name(Damage damage) {
  switch (damage) {
    case Damage::Flip:
      return "Flip";
    case Damage::Cut:
      return "Cut";
    case Damage::BlockLost:
      return "BlockLost";
    case Damage::BytesPutIn:
      return "BytesPutIn";
  }
  return "";
}

inline std::vector<std::size_t> block_offsets(const std::string& bytes) {
  std::vector<std::size_t> offsets = {0};
  for (const ReadItem& item : read_archive(archive_of(bytes)).items) {
    if (item.block > offsets.back()) {
      offsets.push_back(static_cast<std::size_t>(item.block));
    }
  }
  offsets.push_back(bytes.size());
  return offsets;
}

// The same damage for the same seed. Bits are hit in what stands at the beginning of chunks, and
// anywhere; the last block that can be lost has the trailer with it.
inline std::string with_damage(std::string bytes, Damage damage, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&random](std::size_t n) {
    return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1));
  };
  if (bytes.empty()) {
    return bytes;
  }
  if (damage == Damage::Flip) {
    for (std::size_t n = 1 + seed % 3; n > 0; --n) {
      const std::size_t at =
          n == 2 ? below(bytes.size() / kChunkSize) * kChunkSize + below(60) : below(bytes.size());
      char& hit = bytes[std::min(at, bytes.size() - 1)];
      hit = static_cast<char>(hit ^ (1 << below(8)));
    }
  } else if (damage == Damage::Cut) {
    bytes.resize(below(bytes.size()));
  } else if (damage == Damage::BytesPutIn) {
    bytes.insert(below(bytes.size()), random_bytes(random, 1 + below(1000)));
  } else {
    const std::vector<std::size_t> offsets = block_offsets(bytes);
    const std::size_t lost = below(offsets.size() - 1);
    bytes.erase(offsets[lost], offsets[lost + 1] - offsets[lost]);
  }
  return bytes;
}

}  // namespace fonds::recordio::laws
