// The CDX or CDXJ of archives: `fonds index --type cdxj`.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include <fonds/format.hpp>

#include "index/zipnum_writer.hpp"
#include "ops/list.hpp"
#include "ops/scan.hpp"

namespace fonds::ops {

enum class CdxType : std::uint8_t { Cdxj, Cdx9, Cdx11 };

struct CdxOptions {
  ScanOptions scan;
  CdxType type = CdxType::Cdxj;
  bool sort = true;            // by octets, equal lines once; else in file order
  bool all = false;            // requests, warcinfo and all others too
  bool record_digest = false;  // SHA-256 of each record as it is stored; CDXJ only
  bool post_append = false;    // joins requests that have a body with their responses; one thread
  std::uint64_t sort_memory = std::uint64_t{256} << 20;  // bytes of lines held at once
  std::string temporary_directory = {};                  // for what is more; empty: the system's
};

// An archive and its name in its captures.
struct CdxInput {
  const Archive* archive = nullptr;
  std::string filename;
};

struct CdxTotals {
  std::uint64_t records = 0;
  std::uint64_t captures = 0;  // made of them; equal lines count each
  std::uint64_t undated = 0;   // records left out because they have no date
};

// Gives the lines of all archives to `out.text`, each with its LF; a CDX begins with its legend.
// Errors: those of reading; of `out.text`; of LineSorter.
Result<CdxTotals> make_cdx(std::span<const CdxInput> archives, const CdxOptions& options,
                           const Output& out);

// Gives the lines, sorted, to `writer`, and finishes it. Errors: likewise; of the writer.
Result<CdxTotals> make_zipnum(std::span<const CdxInput> archives, const CdxOptions& options,
                              index::ZipNumWriter& writer,
                              const std::function<void(const Finding&)>& finding);

}  // namespace fonds::ops
