#include "index/checkpoint_builder.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

#include "base/text.hpp"
#include "codec/gzip/sparse_window.hpp"
#include "index/checkpoint.hpp"
#include "index/checkpoint_reference.hpp"

namespace fonds::index {
namespace {

void tell(const CheckpointOptions& options, const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    if (options.on_finding) {
      options.on_finding(finding);
    }
  }
}

Status read_records(RecordReader& reader, CheckpointMaker& maker,
                    const CheckpointOptions& options) {
  while (true) {
    FONDS_TRY(Record* const record, reader.next());
    tell(options, reader.take_loose_findings());
    if (record == nullptr) {
      return {};
    }
    FONDS_CHECK(maker.see(*record));
    if (options.on_record) {
      FONDS_CHECK(options.on_record(reader, *record));
    }
    const Place place = record->place;
    FONDS_TRY(const RecordEnd end, reader.finish());
    tell(options, end.findings);
    if (options.on_end) {
      FONDS_CHECK(options.on_end(place, end));
    }
    if (options.progress) {
      options.progress(reader.stored_position());
    }
  }
}

}  // namespace

std::string_view document_id(const Record& record, std::string_view field) {
  const auto value_of = [&](std::string_view name) -> std::string_view {
    for (const Field& candidate : record.fields()) {
      if (equals_ignoring_case(candidate.name, name)) {
        return candidate.value;
      }
    }
    return {};
  };
  if (!field.empty()) {
    return value_of(field);
  }
  const std::string_view id = value_of("WARC-TREC-ID");
  return !id.empty() ? id : value_of("WARC-Record-ID");
}

CheckpointMaker::CheckpointMaker(const Archive& archive, ByteSink& sink,
                                 const CheckpointOptions& options)
    : archive_(archive),
      writer_(sink),
      collector_(std::make_shared<SeekCollector>(options.spacing)),
      id_field_(options.id_field),
      sparse_(options.sparse) {}

Result<std::unique_ptr<CheckpointMaker>> CheckpointMaker::create(const Archive& archive,
                                                                 ByteSink& sink,
                                                                 const CheckpointOptions& options) {
  const std::string& name = archive.source->name();
  if (archive.codecs.size() != 1 || archive.codec().name() != "gzip") {
    return fail(ErrorCode::Unsupported,
                fmt::format("checkpoints are for gzip; this is {}", archive.codec().name()),
                {.source = name});
  }
  if (!archive.source->random_access()) {
    return fail(ErrorCode::Unsupported, "checkpoints of a pipe are of no use", {.source = name});
  }
  if (options.spacing == 0) {
    return fail(ErrorCode::BadArgument, "checkpoints must be at least one byte apart");
  }
  return std::unique_ptr<CheckpointMaker>(new CheckpointMaker(archive, sink, options));
}

Status CheckpointMaker::see(const Record& record) {
  ++records_;
  shared_member_ = shared_member_ || record.place.inner != 0;
  if (record.kind() == "warcinfo") {
    return {};
  }
  ++documents_;
  if (named_ && collector_->waiting() == 0) {
    return {};
  }
  // Documents that no checkpoint can name are passed over, but where there has been no other one
  // yet, all are likely to be like that.
  const std::string_view id = document_id(record, id_field_);
  if (id.size() != kCheckpointId) {
    return shared_member_ && !named_ ? refuse_id(record, id) : Status();
  }
  named_ = true;
  auto point = collector_->take(record.place);
  // Records with a member of their own need no checkpoints; and from another member nobody can
  // count the bytes to the document.
  if (!shared_member_ || !point || !point->place || point->place->unit != record.place.unit) {
    return {};
  }
  return add(*std::move(point), record, id);
}

tl::unexpected<Error> CheckpointMaker::refuse_id(const Record& record, std::string_view id) const {
  const std::string what = id.empty()
                               ? std::string("has no document id")
                               : fmt::format("has the id {} of {} bytes", to_utf8(id), id.size());
  return fail(ErrorCode::BadArgument,
              fmt::format("a document {}; checkpoint files hold ids of exactly {} bytes, "
                          "such as ClueWeb's; an index of type gzidx needs none",
                          what, kCheckpointId),
              {.source = archive_.source->name(),
               .stored_offset = record.place.unit,
               .ordinal = record.ordinal,
               .record_id = std::string(id)});
}

Status CheckpointMaker::add(SeekPoint point, const Record& record, std::string_view id) {
  std::array<std::byte, 1> byte = {};
  FONDS_TRY(const std::size_t n, archive_.source->read_at(point.stored_offset - 1, byte));
  if (n != 1) {
    return fail(ErrorCode::Io, "the archive became shorter while it was read",
                {.source = archive_.source->name(), .stored_offset = point.stored_offset});
  }
  if (sparse_) {
    // In front of damage the window stays whole.
    if (Status status = gzip::make_sparse(point, *archive_.source);
        !status && status.error().code() != ErrorCode::Corrupt) {
      return status;
    }
  }
  return writer_.add({.id = id,
                      .document = documents_ - 1,
                      .stored_offset = point.stored_offset,
                      .bits = point.bits,
                      .byte = std::to_integer<std::uint8_t>(byte[0]),
                      .window = point.window,
                      .skip = record.place.inner - point.place->inner});
}

Status CheckpointMaker::finish() { return writer_.finish(); }

CheckpointReport CheckpointMaker::report() const {
  return {.checkpoints = writer_.count(),
          .records = records_,
          .record_at_a_time = records_ > 1 && !shared_member_};
}

Result<CheckpointReport> build_checkpoints(const Archive& archive, ByteSink& sink,
                                           const CheckpointOptions& options) {
  FONDS_TRY(const auto maker, CheckpointMaker::create(archive, sink, options));
  if (options.reference) {
    if (options.sparse || options.on_record || options.on_end) {
      return fail(ErrorCode::BadArgument,
                  "the reference layout has whole windows, and reads no records for others");
    }
    FONDS_TRY(const std::uint64_t checkpoints,
              build_reference_checkpoints(*archive.source, sink,
                                          {.spacing = options.spacing,
                                           .id_field = options.id_field,
                                           .progress = options.progress}));
    return CheckpointReport{.checkpoints = checkpoints};
  }
  ReadOptions read = options.read;
  read.collect = maker->collector();
  FONDS_TRY(const auto reader, archive.format->open(archive, read));
  FONDS_CHECK(read_records(*reader, *maker, options));
  FONDS_CHECK(maker->finish());
  return maker->report();
}

}  // namespace fonds::index
