// RecordIO files made of files: each becomes an item.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/buffer.hpp>
#include <fonds/format.hpp>
#include <fonds/formats/recordio.hpp>
#include <fonds/making.hpp>

#include "format/recordio/writing/writing.hpp"

namespace fonds::recordio {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

class Maker final : public ItemMaker {
 public:
  Maker(Writer writer, const MakeOptions& options, std::optional<std::string> trailer,
        RewriteReport report)
      : writer_(std::move(writer)),
        trailer_(std::move(trailer)),
        // The item, its place in a block, and that block's transformed and stored form.
        most_(options.rewrite.write.memory_budget / 4),
        report_(std::move(report)) {}

  Status add(const NewItem& item, ItemContent& content) override {
    if (item.kind != NewItem::Kind::Resource) {
      return fail(ErrorCode::BadArgument,
                  "items of RecordIO cannot refer to others; records of warc can");
    }
    if (content.length() > most_) {
      return fail(ErrorCode::LimitExceeded,
                  fmt::format("has {} bytes; an item may have {}, a quarter of the memory budget; "
                              "--memory allows more",
                              content.length(), most_),
                  {.source = content.name()});
    }
    item_.clear();
    FONDS_CHECK(content.read([&](ByteView piece) -> Status {
      if (piece.size() > content.length() - item_.size()) {
        return changed(content);
      }
      item_.append(piece);
      return {};
    }));
    return item_.size() == content.length() ? writer_.append(item_.view()) : changed(content);
  }

  Status finish() override {
    return trailer_ ? writer_.finish(as_bytes(*trailer_)) : writer_.finish();
  }
  const RewriteReport& report() const override { return report_; }

 private:
  static tl::unexpected<Error> changed(const ItemContent& content) {
    return fail(ErrorCode::Io, "changed while it was read", {.source = content.name()});
  }

  Writer writer_;
  std::optional<std::string> trailer_;
  std::uint64_t most_;
  RewriteReport report_;
  Buffer item_;
};

Status copy_head(ByteSource& source, std::uint64_t length, ByteSink& sink) {
  std::vector<std::byte> piece(kPiece);
  for (std::uint64_t done = 0; done < length;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, length - done));
    FONDS_TRY(const std::size_t n, source.read_at(done, MutableByteView(piece).first(wanted)));
    if (n == 0) {
      return fail(ErrorCode::Truncated, "became shorter while it was read",
                  {.source = source.name(), .stored_offset = done});
    }
    FONDS_CHECK(sink.write(ByteView(piece).first(n)));
    done += n;
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<ItemMaker>> RecordIoWriting::make_items(ByteSink& sink,
                                                               const MakeOptions& options) const {
  const WriteOptions& write = options.rewrite.write;
  FONDS_TRY(WriterOptions made, writer_options(write));
  FONDS_TRY(Writer writer, Writer::create(sink, std::move(made)));
  return std::unique_ptr<ItemMaker>(
      std::make_unique<Maker>(std::move(writer), options, write.trailer, RewriteReport()));
}

Result<std::unique_ptr<ItemMaker>> RecordIoWriting::append_items(const Archive& archive,
                                                                 ByteSink& sink,
                                                                 const MakeOptions& options) const {
  const WriteOptions& write = options.rewrite.write;
  const std::string& name = archive.source->name();
  if (!write.layout.empty() || !write.compression.empty() || write.level || write.trailer ||
      !write.header.empty()) {
    return fail(ErrorCode::BadArgument,
                "what is added has the layout, the transformers and the header of the file",
                {.source = name});
  }
  FONDS_TRY(const AppendPoint point, find_append_point(archive.source));
  FONDS_TRY(const std::uint64_t size, archive.source->size());
  std::optional<std::string> trailer;
  if (point.has_trailer) {
    FONDS_TRY(Extras extras,
              archive.format->extras(archive, options.rewrite.read, [](const Finding&) {}));
    trailer = std::move(extras.trailer);
  }
  RewriteReport report;
  if (!trailer && point.offset < size) {
    if (!options.rewrite.skip_damaged) {
      return fail(ErrorCode::Corrupt,
                  "ends in a damaged block, nothing was added; fonds repair makes a file that can "
                  "be added to, --skip-damaged cuts off the damaged end",
                  {.source = name, .stored_offset = point.offset});
    }
    report.lost_bytes = size - point.offset;
  }
  WriterOptions made;
  made.layout = point.layout;
  made.transformers = point.transformers;
  made.trailer = trailer.has_value();
  made.skip_header = point.offset > 0;
  made.start = point.offset;
  made.max_block_bytes =
      write.block_bytes.value_or(point.layout == Layout::LegacyPacked ? 0 : made.max_block_bytes);
  made.max_items = write.block_items.value_or(made.max_items);
  made.threads = write.threads;
  made.memory_budget = write.memory_budget;
  FONDS_CHECK(copy_head(*archive.source, point.offset, sink));
  FONDS_TRY(Writer writer, Writer::create(sink, std::move(made)));
  return std::unique_ptr<ItemMaker>(
      std::make_unique<Maker>(std::move(writer), options, std::move(trailer), std::move(report)));
}

}  // namespace fonds::recordio
