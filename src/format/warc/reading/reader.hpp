// Reads WARC (all dialects) and ARC records, decided record by record.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fonds/format.hpp>
#include <fonds/reader.hpp>

#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/record.hpp"

namespace fonds::warc {

class WarcReader final : public RecordReader {
 public:
  WarcReader(std::unique_ptr<Decoder> decoder, std::string source, std::string_view codec,
             const ReadOptions& options);

  Result<Record*> next() override;
  Result<ByteView> peek_block(std::size_t at_least) override;
  void consume_block(std::size_t n) override;
  Status read_http() override;
  Result<RecordEnd> finish() override;
  std::vector<Finding> take_loose_findings() override;
  Place end_place() const override { return end_place_; }
  std::string state() const override;
  std::uint64_t stored_position() const override { return decoder_->stored_position(); }
  void set_state(const std::string& state);
  void add_loose(Finding finding) { loose_.push_back(std::move(finding)); }

 private:
  // Where the next record begins, or that there is none.
  struct Next {
    Start start = Start::None;
    Place place;
  };
  Result<Record*> advance();
  Result<RecordEnd> pass_over();
  void keep_error(const Error& error);
  void cut_torn_header();
  std::uint64_t largest_header() const;
  Result<bool> read_header();
  Result<bool> header_too_long();
  Status settle_length();
  // Where a block could end, by what follows it.
  struct BlockEnd {
    std::uint64_t octets = 0;
    enum class At : std::uint8_t { Record, Unit, Limit } at = At::Limit;
    ByteView shown;  // the octets, until the decoder is used again
  };
  Result<std::uint64_t> search_block_end();
  Result<BlockEnd> search_any_end(bool arc);
  Result<std::optional<std::uint64_t>> search_last_end();
  Status look_at_block_end();
  Status search_damaged_block();
  Result<std::optional<std::uint64_t>> search_next_record(bool closed, std::uint64_t& ends_before);
  Result<bool> passes_block_end(std::uint64_t& reached);
  Result<bool> skim_rest();
  Status locate_next(bool after_record);
  Result<bool> skip_line_ends(bool first);
  bool in_new_unit_of_record() const;
  Result<Start> classify();
  Status skip_to_record(bool after_record);
  // Whether a record or the end of the data follows `n` octets from here, line ends between them
  // left out. Sets `two_line_ends` if two line ends stand there. Nothing if that is too far to
  // look.
  Result<std::optional<bool>> lands(std::uint64_t n, bool& two_line_ends);
  Result<int> evidence_for(std::uint64_t n);
  void judge_boundary();
  std::optional<std::uint64_t> stored_length() const;
  void add(std::string_view code, std::string message);
  void collect(std::uint64_t last_unit);
  void take_decoder_findings();

  std::unique_ptr<Decoder> decoder_;
  std::string source_;
  std::string codec_;
  ReadOptions options_;
  ArcContext arc_;
  WarcRecord record_;
  std::optional<Error> error_;
  Next next_;
  Place end_place_;
  bool started_ = false;
  bool in_record_ = false;
  bool http_read_ = false;  // of the current record
  std::uint64_t ordinal_ = 0;
  std::uint64_t remaining_ = 0;       // octets of the block that were not consumed
  std::uint64_t consumed_ = 0;        // octets of the block that were
  std::uint64_t usual_trailing_ = 4;  // octets behind the block of the record before
  bool arc_usual_ = false;            // usual_trailing_ belongs to ARC

  // What was seen behind the current block.
  struct Boundary {
    std::uint64_t trailing = 0;   // CR and LF octets
    std::uint64_t line_ends = 0;  // counted as line ends
    std::uint64_t skipped = 0;    // octets that resync passed over
    bool gap = false;             // the data is not contiguous up to the next record
    bool cut = false;             // the block ends too early
    bool at_end = false;          // nothing follows
    bool swallowed = false;       // a record begins inside the block
    bool missing_length = false;
    std::string closing;  // the trailing octets
  } boundary_;
  std::vector<Finding> findings_;  // of the current record
  std::vector<Finding> ahead_;     // of the decoder, which may be some records ahead
  std::vector<Finding> loose_;
};

}  // namespace fonds::warc
