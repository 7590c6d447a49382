#include "format/warc/writing/writer.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/core.h>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "format/common/judge.hpp"
#include "format/warc/reading/grammar.hpp"

namespace fonds::warc {
namespace {

constexpr std::size_t kVersionBlock = 8192;  // octets of a block in which an ARC is defined

const WarcRecord* as_warc(const Record& record) {
  const bool ours = record.format() == "warc" || record.format() == "arc";
  return ours ? static_cast<const WarcRecord*>(&record) : nullptr;
}

std::string_view name_of(const Header& header) {
  return header.version.empty() ? std::string_view("an unknown dialect") : header.version;
}

std::string_view media_type(const http::Head& head) {
  for (const http::HeaderField& field : head.fields) {
    if (equals_ignoring_case(field.name, "Content-Type")) {
      return field.value;
    }
  }
  return {};
}

}  // namespace

bool Writer::wants_survey(const Record& first) const {
  const WarcRecord* const record = as_warc(first);
  return record != nullptr && options_.target &&
         needs_scope(record->header.dialect, *options_.target);
}

void Writer::survey(const Record& record, const RecordOrigin& origin) {
  if (const WarcRecord* const ours = as_warc(record); ours != nullptr && ours->header.complete) {
    RecordFacts facts;
    facts.raw_header = ours->raw_header();
    facts.block_length = ours->block_length.value_or(0);
    facts.archive = origin.archive;
    facts.decoded_offset = origin.decoded_offset;
    scope_.add(ours->header, facts);
  }
}

Status Writer::write(RecordReader& reader, const Record& generic) {
  const WarcRecord* const record = as_warc(generic);
  if (record == nullptr) {
    return fail(ErrorCode::Unsupported,
                fmt::format("records of {} cannot be written as WARC", generic.format()));
  }
  skip_ = false;
  streamed_ = false;
  block_.clear();
  changed_ = false;
  as_stored_ = !options_.target || stays(record->header, record->raw_header(), *options_.target);
  Converted converted;
  if (as_stored_) {
    converted.header = as_text(record->raw_header());
    changed_ = record->header.length_state == Header::LengthState::Missing &&
               record->header.dialect == Dialect::Modern && record->header.complete;
    if (changed_) {
      FONDS_TRY(const std::uint64_t length, block_length(reader, *record));
      const FieldEdit edit{.name = "Content-Length", .value = std::to_string(length)};
      converted.header = edit_header(record->raw_header(), {}, {&edit, 1});
    }
  } else if (describes_conversion_from(record->header, *options_.target)) {
    skip_ = true;
    return {};
  } else {
    FONDS_CHECK(convert(reader, *record, converted));
  }
  for (const std::string& loss : converted.losses) {
    ++losses_[loss];
  }
  FONDS_CHECK(begin_archive(*record, converted));
  for (const ExtraRecord& extra : converted.before) {
    FONDS_CHECK(put_extra(extra));
  }
  skip_ = converted.skip;
  if (skip_) {
    return {};
  }
  header_ = std::move(converted.header);
  closing_ = options_.target ? closing_of(*options_.target) : std::string_view("\r\n\r\n");
  if (!options_.target && record->header.dialect == Dialect::Arc) {
    closing_ = "\n";
  }
  if (options_.leave_out_damaged) {
    return hold_block(reader);
  }
  streamed_ = true;
  FONDS_CHECK(encoder_->begin_unit());
  FONDS_CHECK(encoder_->write(as_bytes(header_)));
  return put_block(reader);
}

Status Writer::convert(RecordReader& reader, const WarcRecord& record, Converted& converted) {
  RecordFacts facts;
  facts.raw_header = record.raw_header();
  FONDS_TRY(facts.block_length, block_length(reader, record));
  facts.archive = origin_.archive;
  facts.decoded_offset = origin_.decoded_offset;
  facts.date_before = date_before_;
  facts.has_status_line = record.has_http && record.http.kind == http::Head::Kind::Response;
  if (facts.has_status_line) {
    facts.http_status = record.http.status;
    facts.http_content_type = media_type(record.http);
  }
  std::string digest;
  if (needs_record_digest(record.header, *options_.target)) {
    FONDS_TRY(digest, record_digest(reader, record));
    facts.sha1_hex = digest;
  }
  if (keeps_version_block(record.header)) {
    FONDS_TRY(facts.block_head, reader.peek_block(kVersionBlock));
  }
  options_.conversion.target = *options_.target;
  FONDS_TRY(converted, convert_header(record.header, facts, scope_, options_.conversion));
  if (record.header.date.value) {
    date_before_ = record.header.date.value;
  }
  return {};
}

// A record without a length ends with its unit, which shows by looking ahead.
Result<std::uint64_t> Writer::block_length(RecordReader& reader, const WarcRecord& record) const {
  if (record.block_length) {
    return *record.block_length;
  }
  const auto held = static_cast<std::size_t>(options_.held);
  FONDS_TRY(const ByteView rest, reader.peek_block(held + 1));
  if (rest.size() > held) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("the record has no length, and its block more than the {} octets that "
                            "can be held; --memory allows more",
                            options_.held),
                {.stored_offset = record.place.unit});
  }
  return rest.size();
}

// The block is shown, not consumed.
Result<std::string> Writer::record_digest(RecordReader& reader, const WarcRecord& record) {
  const std::uint64_t length = record.block_length.value_or(0);
  if (length > options_.held) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("the record gets an id made of its {} octets, of which {} can be held; "
                            "--memory allows more",
                            length, options_.held),
                {.stored_offset = record.place.unit});
  }
  FONDS_TRY(ByteView block, reader.peek_block(static_cast<std::size_t>(length)));
  block = block.first(std::min<std::size_t>(block.size(), static_cast<std::size_t>(length)));
  Hasher hasher(DigestAlgorithm::Sha1);
  hasher.update(record.raw_header());
  hasher.update(block);
  const DigestValue digest = hasher.finish();
  return to_hex(ByteView(digest.bytes).first(digest.size));
}

// What stands in front of the first record.
Status Writer::begin_archive(const WarcRecord& first, const Converted& converted) {
  if (begun_ || (converted.skip && converted.before.empty())) {
    return {};
  }
  begun_ = true;
  const Dialect dialect = options_.target ? dialect_of(*options_.target) : first.header.dialect;
  if (dialect == Dialect::Arc && options_.conversion.filename.ends_with(".warc.zst")) {
    return fail(ErrorCode::BadArgument,
                fmt::format("{}: files of this name hold WARC records, and these are ARC; a name "
                            "in .arc.zst, or --to warc/1.1",
                            options_.conversion.filename));
  }
  if (as_stored_ || converted.restored) {
    return {};
  }
  if (dialect_of(*options_.target) == Dialect::Arc) {
    const bool has_version = converted.header.starts_with("filedesc:") || !converted.before.empty();
    return has_version ? Status()
                       : put_extra(make_version_block(options_.conversion.filename,
                                                      options_.conversion.now));
  }
  if (!options_.describe || first.header.dialect == Dialect::Arc) {
    return {};  // the records that stand for the version block of an ARC say it themselves
  }
  ExtraRecord info;
  info.block = fmt::format("software: {}\r\nformat: {}\r\ndescription: converted from {}\r\n",
                           options_.conversion.software, version_of(*options_.target),
                           name_of(first.header));
  FONDS_TRY(const std::string id,
            make_id(options_.conversion.new_ids,
                    fmt::format("conversion:{}:{}", info.block, origin_.decoded_offset)));
  NewRecord record;
  record.type = "warcinfo";
  record.id = id;
  record.date = options_.conversion.now;
  record.content_type = "application/warc-fields";
  const std::string from(first.header.version);
  const Field converted_from{kConvertedFrom, from};
  record.more = {&converted_from, 1};
  record.filename = options_.conversion.filename;
  record.block_length = info.block.size();
  FONDS_TRY(Converted made, make_header(record, options_.conversion));
  info.header = std::move(made.header);
  return put_extra(info);
}

Status Writer::put_extra(const ExtraRecord& extra) {
  const std::string_view closing = closing_of(*options_.target);
  FONDS_CHECK(encoder_->begin_unit(extra.header.size() + extra.block.size() + closing.size()));
  FONDS_CHECK(encoder_->write(as_bytes(extra.header)));
  FONDS_CHECK(encoder_->write(as_bytes(extra.block)));
  FONDS_CHECK(encoder_->write(as_bytes(closing)));
  return encoder_->end_unit();
}

Status Writer::put_block(RecordReader& reader) {
  while (true) {
    FONDS_TRY(const ByteView shown, reader.peek_block(1));
    if (shown.empty()) {
      return {};
    }
    const ByteView piece = shown.first(std::min(shown.size(), kPiece));
    FONDS_CHECK(encoder_->write(piece));
    reader.consume_block(piece.size());
  }
}

// Whether the block is whole shows behind it: only then is the record written.
Status Writer::hold_block(RecordReader& reader) {
  while (true) {
    FONDS_TRY(const ByteView shown, reader.peek_block(1));
    if (shown.empty()) {
      return {};
    }
    const ByteView piece = shown.first(std::min(shown.size(), kPiece));
    if (streamed_) {
      FONDS_CHECK(encoder_->write(piece));
    } else {
      block_ += as_text(piece);
      if (block_.size() > options_.held) {
        streamed_ = true;
        FONDS_CHECK(encoder_->begin_unit());
        FONDS_CHECK(encoder_->write(as_bytes(header_)));
        FONDS_CHECK(encoder_->write(as_bytes(block_)));
        block_.clear();
      }
    }
    reader.consume_block(piece.size());
  }
}

Status Writer::close(const RecordEnd& end) {
  if (skip_) {
    return {};
  }
  const bool damaged = any_damage(end.findings, false);
  if (options_.leave_out_damaged && damaged) {
    if (streamed_) {
      return fail(ErrorCode::LimitExceeded,
                  fmt::format("a record is damaged that has more than the {} octets that can be "
                              "held to leave it out; --memory allows more",
                              options_.held));
    }
    ++losses_["damaged records"];
    skip_ = true;
    return {};
  }
  if (as_stored_ && !end.closing.empty() && end.closing.size() <= kMostClosing) {
    closing_ = end.closing;
  }
  if (!streamed_ && options_.leave_out_damaged) {
    FONDS_CHECK(encoder_->begin_unit(header_.size() + block_.size() + closing_.size()));
    FONDS_CHECK(encoder_->write(as_bytes(header_)));
    FONDS_CHECK(encoder_->write(as_bytes(block_)));
  }
  FONDS_CHECK(encoder_->write(as_bytes(closing_)));
  return encoder_->end_unit();
}

Status Writer::finish() { return encoder_->finish(); }

}  // namespace fonds::warc
