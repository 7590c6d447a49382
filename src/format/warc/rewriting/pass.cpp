#include "format/warc/rewriting/pass.hpp"

#include "format/common/judge.hpp"
#include "format/common/progress.hpp"

namespace fonds::warc {

Result<Pass> Pass::open(const Archive& archive, const RewriteOptions& options, bool http) {
  ReadOptions read = options.read;
  read.search_damaged = read.search_damaged || options.skip_damaged;
  read.http = http;
  FONDS_TRY(auto reader, archive.format->open(archive, read));
  return Pass(archive, options, std::move(reader));
}

Result<const WarcRecord*> Pass::next() {
  FONDS_TRY(const Record* const record, reader_->next());
  FONDS_CHECK(judge(*archive_, reader_->take_loose_findings(), *options_));
  if (record == nullptr) {
    return nullptr;
  }
  header_ = record->raw_header().size();
  const std::uint64_t position = reader_->stored_position();
  if (options_->progress && position > told_ + kProgressStep) {
    told_ = position;
    options_->progress(position);
  }
  return static_cast<const WarcRecord*>(record);
}

Result<RecordEnd> Pass::finish() {
  FONDS_TRY(RecordEnd end, reader_->finish());
  decoded_offset_ += header_ + end.length.value_or(0) + end.trailing;
  FONDS_CHECK(judge(*archive_, end.findings, *options_));
  return end;
}

}  // namespace fonds::warc
