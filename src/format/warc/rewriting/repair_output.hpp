// What repair writes: stored bytes that are copied, records that are made anew, and the account of
// both.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fonds/byte_sink.hpp>
#include <fonds/bytes.hpp>
#include <fonds/encoder.hpp>
#include <fonds/error.hpp>
#include <fonds/format.hpp>
#include <fonds/writing.hpp>

#include "format/warc/rewriting/repair.hpp"
#include "io/window.hpp"

namespace fonds::warc {

class RepairOutput {
 public:
  // All must outlive this.
  RepairOutput(const Archive& archive, ByteSink& sink, const RewriteOptions& options,
               const RangeSeen& seen)
      : archive_(archive), stored_(archive.source), sink_(sink), options_(options), seen_(seen) {}

  // Copies stored bytes as they are. They need not be units: what is harmless between them comes
  // along. `last_unit`: where the last unit among them begins. Unless what lies behind it is copied
  // next, a size prefix at their end is left out.
  Status copy(std::uint64_t from, std::uint64_t to,
              std::optional<std::uint64_t> last_unit = std::nullopt);
  // Stored plain bytes beside copied ones.
  Status put_plain(std::string_view octets);
  // The encoder for what is made anew; valid until one of the other members is called. Errors:
  // Unsupported for a codec that is not written.
  Result<Encoder*> encoder();
  // Like encoder(), for the first units of an archive whose head was lost.
  Status begin_anew(std::optional<ZstdDictionary> dictionary, bool empty_unit);
  void use_dictionary(std::optional<ZstdDictionary> dictionary) {
    dictionary_ = std::move(dictionary);
  }
  // What became of a range that was not copied. Ranges come in order.
  Status account(std::uint64_t from, std::uint64_t to, Fate fate);
  // `code`: what was found there.
  void lose(std::uint64_t from, std::uint64_t to, std::string_view code, std::string_view message);
  // The same for a range of which something was kept.
  void lose_partly(std::uint64_t from, std::uint64_t to, std::string_view code,
                   std::string_view message);
  // Something is missing that is not in the file.
  void miss(std::uint64_t at, std::uint64_t ordinal, std::string_view code, std::string message);
  void changed(std::string_view kind, std::uint64_t n = 1);
  RewriteReport& report() { return report_; }
  Status finish();

 private:
  // Writes what is to be copied; settle() knows that what lies behind it is not copied next.
  Status flush();
  Status settle();
  Result<bool> ends_with_size_prefix();
  Status close_encoder();
  void list(std::uint64_t at, std::uint64_t length, std::optional<std::uint64_t> ordinal,
            std::string_view code, std::string message);

  const Archive& archive_;
  Window stored_;  // the archive, for what is copied
  ByteSink& sink_;
  const RewriteOptions& options_;
  const RangeSeen& seen_;
  std::optional<ZstdDictionary> dictionary_;
  std::unique_ptr<Encoder> encoder_;
  std::uint64_t copy_from_ = 0, copy_to_ = 0;  // stored bytes to be copied that lie side by side
  std::optional<std::uint64_t> last_unit_;     // of them
  RewriteReport report_;
};

}  // namespace fonds::warc
