// Writes records of the WARC family: as they are, or in another dialect.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fonds/encoder.hpp>
#include <fonds/writing.hpp>

#include "format/warc/reading/record.hpp"
#include "format/warc/writing/conversion.hpp"

namespace fonds::warc {

// Octets of a block, or stored bytes, that are handed on at once.
inline constexpr std::size_t kPiece = std::size_t{1} << 20;
// Octets behind a block that are kept as they are.
inline constexpr std::size_t kMostClosing = 64;

struct WriterOptions {
  std::optional<Target> target = {};  // nothing: every record stays as it is
  ConversionOptions conversion = {};
  bool describe = true;                          // a warcinfo in front says what was converted
  bool leave_out_damaged = false;                // else the caller stops at damage by itself
  std::uint64_t held = std::uint64_t{64} << 20;  // octets of a record that may lie in memory
};

// One unit a record, if the encoder makes units of records.
class Writer final : public RecordWriter {
 public:
  Writer(std::unique_ptr<Encoder> encoder, WriterOptions options)
      : encoder_(std::move(encoder)), options_(std::move(options)) {}

  bool wants_survey(const Record& first) const override;
  void survey(const Record& record, const RecordOrigin& origin) override;
  void comes_from(const RecordOrigin& origin) override { origin_ = origin; }
  // Errors: those of reader, encoder and conversion; Unsupported for a record of another family;
  // LimitExceeded for a block that would have to be held.
  Status write(RecordReader& reader, const Record& record) override;
  Status close(const RecordEnd& end) override;
  Status finish() override;
  Fate fate() const override {
    return skip_ ? Fate::LeftOut : changed_ ? Fate::Changed : Fate::Whole;
  }
  std::map<std::string, std::uint64_t, std::less<>> losses() const override { return losses_; }

 private:
  Status convert(RecordReader& reader, const WarcRecord& record, Converted& converted);
  Result<std::uint64_t> block_length(RecordReader& reader, const WarcRecord& record) const;
  Result<std::string> record_digest(RecordReader& reader, const WarcRecord& record);
  Status begin_archive(const WarcRecord& first, const Converted& converted);
  Status put_extra(const ExtraRecord& extra);
  Status put_block(RecordReader& reader);
  Status hold_block(RecordReader& reader);

  std::unique_ptr<Encoder> encoder_;
  WriterOptions options_;
  ConversionScope scope_;
  RecordOrigin origin_;
  std::optional<Date> date_before_;
  std::map<std::string, std::uint64_t, std::less<>> losses_;
  bool begun_ = false;
  // Of the record in hand.
  bool skip_ = false;      // the target has no form for it
  bool changed_ = false;   // it stays as it is but for one field
  bool streamed_ = false;  // its unit is open
  bool as_stored_ = false;
  std::string header_, block_, closing_;
};

}  // namespace fonds::warc
