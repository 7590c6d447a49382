#include "ops/convert_check.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "format/common/judge.hpp"

namespace fonds::ops {

void DigestingReader::begin(const Record& record) {
  hasher_.finish();
  shown_ = {};
  if (headers_) {
    hasher_.update(record.raw_header());
  }
}

Result<Record*> DigestingReader::next() {
  FONDS_TRY(Record* const record, reader_.next());
  if (record != nullptr) {
    begin(*record);
  }
  return record;
}

Result<ByteView> DigestingReader::peek_block(std::size_t at_least) {
  FONDS_TRY(shown_, reader_.peek_block(at_least));
  return shown_;
}

void DigestingReader::consume_block(std::size_t n) {
  hasher_.update(shown_.first(n));
  shown_ = shown_.subspan(n);
  reader_.consume_block(n);
}

Result<RecordEnd> DigestingReader::finish() {
  while (true) {
    FONDS_TRY(const ByteView rest, peek_block(1));
    if (rest.empty()) {
      return reader_.finish();
    }
    consume_block(rest.size());
  }
}

RecordDigest DigestingReader::digest() {
  const DigestValue value = hasher_.finish();
  RecordDigest digest;
  std::copy_n(value.bytes.begin(), digest.size(), digest.begin());
  return digest;
}

Status check_written(const ByteSink& sink, std::string_view format, bool headers,
                     const std::vector<RecordDigest>& expected, const ReadOptions& options) {
  FONDS_TRY(auto source, sink.written());
  const std::string name = source->name();
  FONDS_TRY(const Archive archive, open_archive(std::move(source), {.format = format}));
  FONDS_TRY(const auto opened, archive.format->open(archive, options));
  DigestingReader reader(*opened, headers);
  auto awaited = expected.begin();
  while (true) {
    FONDS_TRY(const Record* const record, reader.next());
    if (record == nullptr) {
      break;
    }
    const std::uint64_t ordinal = record->ordinal;
    FONDS_TRY(const RecordEnd end, reader.finish());
    for (const Finding& finding : end.findings) {
      if (is_damage(finding, false)) {
        return fail(ErrorCode::Corrupt,
                    fmt::format("what was written is damaged: {}", finding.message),
                    {.source = name, .ordinal = ordinal});
      }
    }
    if (awaited != expected.end() && reader.digest() == *awaited) {
      ++awaited;
    }
  }
  if (awaited != expected.end()) {
    return fail(ErrorCode::Corrupt,
                fmt::format("the record that was written as number {} is not what was read",
                            awaited - expected.begin()),
                {.source = name});
  }
  return {};
}

}  // namespace fonds::ops
