#include "format/clps/reading/container.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/guarded.hpp"
#include "format/clps/reading/plain.hpp"
#include "io/will_read.hpp"

namespace fonds::clps {
namespace {

constexpr std::uint64_t kMaxMetadata = std::uint64_t{1} << 30;
// What recognizing an archive has read of it.
constexpr std::uint64_t kFirstRead = std::uint64_t{64} << 10;

// Tells the name of the source with every error.
Location in(const ByteSource& source, std::uint64_t offset) {
  return {.source = source.name(), .stored_offset = offset};
}

std::optional<Member> member_named(std::string_view name) {
  if (name == "/tables" || name == "tables") {
    return Member::Tables;  // as early builds of 0.2.0 called it
  }
  for (std::size_t i = 0; i < kMembers; ++i) {
    const auto member = static_cast<Member>(i);
    if (name == to_string(member) || name == to_string(member).substr(1)) {
      return member;
    }
  }
  return std::nullopt;
}

}  // namespace

struct Container::Pipe {
  std::mutex mutex;
  std::uint64_t position = 0;  // bytes that were taken from the source
  Buffer front;                // the archive up to the member /0
  BudgetShare share;

  // Reads on until `n` more bytes are appended to `out`; fewer only at the end.
  Status append(ByteSource& source, std::uint64_t n, Buffer& out) {
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
    while (n > 0) {
      const auto room = out.room(static_cast<std::size_t>(std::min(n, kPiece)));
      FONDS_TRY(const std::size_t got, source.read_next(room.first(static_cast<std::size_t>(
                                           std::min<std::uint64_t>(room.size(), n)))));
      if (got == 0) {
        break;
      }
      out.commit(got);
      position += got;
      n -= got;
    }
    return {};
  }
};

Result<Container> Container::open(ByteSource& source, Budget& budget, std::uint64_t max_window,
                                  const std::function<void(Finding)>& finding) {
  Container container(source);
  std::optional<std::uint64_t> size;
  if (source.random_access()) {
    FONDS_TRY(size, source.size());
  } else {
    container.pipe_ = std::make_shared<Pipe>();
    container.pipe_->share = BudgetShare(budget);
    FONDS_CHECK(container.pipe_->append(source, kHeaderSize, container.pipe_->front));
  }
  FONDS_TRY(const Stored head, container.read_at(0, kHeaderSize));
  auto header = parse_header(head.view);
  if (!header) {
    return tl::unexpected(
        std::move(header.error()).with({.source = source.name()}).as("clps-header"));
  }
  container.header_ = *header;
  if (container.pipe_) {
    FONDS_CHECK(container.pipe_->append(source, header->metadata_size, container.pipe_->front));
  }
  if (kHeaderSize + header->metadata_size > kFirstRead) {
    // With what follows, which is small and read in any case.
    fonds::will_read(source, {kHeaderSize, header->metadata_size + kFirstRead});
  }
  FONDS_TRY(const Stored packed, container.read_at(kHeaderSize, header->metadata_size));
  // What most of it is parsed to takes several times as much, but that is looked at then.
  const std::uint64_t most = std::min(kMaxMetadata, budget.left() / 4);
  Inflater inflater(packed.view, most, max_window, budget);
  if (auto status = inflater.ensure(most); !status) {
    return fail(status.error().code(),
                fmt::format("metadata section: {}", status.error().message()),
                in(source, kHeaderSize));
  }
  if (const InflateDamage* const damage = inflater.damage()) {
    const bool cut = packed.view.size() < header->metadata_size;
    auto error = cut ? Error(ErrorCode::Truncated,
                             fmt::format("metadata section: {} of its {} bytes are there",
                                         packed.view.size(), header->metadata_size),
                             in(source, kHeaderSize + packed.view.size()))
                     : Error(damage->too_much ? ErrorCode::LimitExceeded : ErrorCode::Corrupt,
                             fmt::format("metadata section: {}", damage->what),
                             in(source, kHeaderSize + damage->at));
    return tl::unexpected(
        std::move(error).as(damage->too_much ? "limit-exceeded" : "clps-metadata"));
  }
  auto section = parse_metadata(inflater.plain().view(), budget.left());
  if (!section) {
    const bool limit = section.error().code() == ErrorCode::LimitExceeded;
    return tl::unexpected(std::move(section.error())
                              .with(in(source, kHeaderSize))
                              .as(limit ? "limit-exceeded" : "clps-metadata"));
  }
  if (section->metadata.originals != nullptr) {
    container.originals_ = BudgetShare(budget);
    if (!container.originals_.resize(section->metadata.originals->size())) {
      return tl::unexpected(Error(ErrorCode::LimitExceeded,
                                  "metadata section: it would exceed the memory limit",
                                  in(source, kHeaderSize))
                                .as("limit-exceeded"));
    }
  }
  container.tell_oddities(*section, finding);
  container.metadata_ = std::move(section->metadata);
  container.search_ = std::move(section->search);
  if (!source.pieces().empty()) {
    FONDS_CHECK(container.place_pieces(source.pieces(), finding));
    return container;
  }
  const std::uint64_t begin = kHeaderSize + header->metadata_size;
  if (header->compressed_size < begin) {
    return tl::unexpected(
        Error(ErrorCode::Corrupt,
              fmt::format("header: an archive of {} bytes cannot hold {} bytes of metadata",
                          header->compressed_size, header->metadata_size),
              in(source, 16))
            .as("clps-header"));
  }
  if (size && *size < header->compressed_size) {
    finding(make_finding(
        "clps-truncated",
        fmt::format("the header says {} bytes, {} are there", header->compressed_size, *size),
        in(source, *size)));
  } else if (size && *size > header->compressed_size) {
    finding(
        make_finding("clps-extra-bytes",
                     fmt::format("{} bytes follow the archive", *size - header->compressed_size),
                     in(source, header->compressed_size)));
  }
  FONDS_CHECK(container.place_members(
      section->files, begin,
      std::min(size.value_or(header->compressed_size), header->compressed_size), finding));
  if (container.pipe_) {
    FONDS_CHECK(container.keep_dictionaries());
  }
  return container;
}

// Members by the list of files: each reaches to the next one, the last one to `end`.
Status Container::place_members(std::span<const FileEntry> files, std::uint64_t begin,
                                std::uint64_t end, const std::function<void(Finding)>& finding) {
  const auto wrong = [&](std::string message) {
    return tl::unexpected(Error(ErrorCode::Corrupt, "metadata section: " + std::move(message),
                                in(*source_, kHeaderSize))
                              .as("clps-members"));
  };
  std::array<bool, kMembers> seen = {};
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (files[i].offset < before || files[i].offset > header_.compressed_size - begin) {
      return wrong(fmt::format("member {} would begin at {}, {}", files[i].name, files[i].offset,
                               files[i].offset < before ? "before the one in front of it"
                                                        : "behind the end of the archive"));
    }
    before = files[i].offset;
    const auto member = member_named(files[i].name);
    if (!member || (i == 0 && files[i].offset > 0)) {
      Finding odd = make_finding(
          "clps-members",
          member ? fmt::format("{} bytes lie in front of {}", files[i].offset, files[i].name)
                 : fmt::format("the member {} is none that is known", files[i].name),
          in(*source_, begin));
      odd.severity = Severity::Warning;
      finding(std::move(odd));
    }
    if (!member) {
      continue;
    }
    const auto place = static_cast<std::size_t>(*member);
    if (std::exchange(seen[place], true)) {
      return wrong(fmt::format("member {} is listed twice", files[i].name));
    }
    const std::uint64_t next = i + 1 < files.size() ? std::max(files[i + 1].offset, files[i].offset)
                                                    : header_.compressed_size - begin;
    const std::uint64_t from = std::min(begin + files[i].offset, std::max(begin, end));
    const std::uint64_t to =
        std::min(begin + std::min(next, header_.compressed_size - begin), std::max(begin, end));
    ranges_[place] = {from, to - from};
  }
  for (std::size_t i = 0; i < kMembers; ++i) {
    // Without arrays in them some archives have no dictionary of arrays.
    if (!seen[i] && static_cast<Member>(i) != Member::ArrayTypes) {
      return wrong(fmt::format("member {} is missing", to_string(static_cast<Member>(i))));
    }
  }
  return {};
}

Status Container::place_pieces(std::span<const SourcePiece> pieces,
                               const std::function<void(Finding)>& finding) {
  std::array<bool, kMembers> seen = {};
  std::uint64_t size = 0;
  for (const SourcePiece& piece : pieces) {
    size += piece.range.length;
    if (const auto member = member_named(piece.name)) {
      ranges_[static_cast<std::size_t>(*member)] = piece.range;
      seen[static_cast<std::size_t>(*member)] = true;
    }
  }
  for (std::size_t i = 0; i < kMembers; ++i) {
    if (!seen[i] && static_cast<Member>(i) != Member::ArrayTypes) {
      return tl::unexpected(
          Error(ErrorCode::Corrupt,
                fmt::format("the file {} is missing", to_string(static_cast<Member>(i)).substr(1)),
                in(*source_, 0))
              .as("clps-members"));
    }
  }
  if (size != header_.compressed_size) {
    finding(make_finding(
        "clps-directory-size",
        fmt::format("the header says {} bytes, the files have {}", header_.compressed_size, size),
        in(*source_, 16)));
  }
  return {};
}

// What is odd about the front, but keeps nothing from being read.
void Container::tell_oddities(const MetadataSection& section,
                              const std::function<void(Finding)>& finding) const {
  const auto tell = [&](std::string_view code, Severity severity, std::string message,
                        std::uint64_t at) {
    Finding odd = make_finding(code, std::move(message), in(*source_, at));
    odd.severity = severity;
    finding(std::move(odd));
  };
  constexpr std::array<Version, 8> kVersions = {
      {{0, 2, 0}, {0, 3, 0}, {0, 3, 1}, {0, 3, 2}, {0, 4, 0}, {0, 4, 1}, {0, 5, 0}, {0, 5, 1}}};
  if (std::find(kVersions.begin(), kVersions.end(), header_.version) == kVersions.end()) {
    tell("clps-version", Severity::Warning,
         fmt::format("header: version {} is not known", header_.version.to_string()), 4);
  }
  if (header_.reserved_used) {
    tell("clps-header", Severity::Warning, "header: reserved fields are not 0", 24);
  }
  if (section.extra > 0) {
    tell("clps-extra-bytes", Severity::Warning,
         fmt::format("metadata section: {} bytes follow what it counts", section.extra),
         kHeaderSize);
  }
}

void Container::will_read_front() const {
  const ByteRange tree = range(Member::SchemaTree), tables = range(Member::TableMetadata);
  // One behind the other, unless a hostile list of files says otherwise.
  if (tables.offset >= tree.offset) {
    fonds::will_read(*source_, {tree.offset, tables.offset - tree.offset + tables.length});
  }
}

// What comes before /0 must be there before /0 can be understood, and a pipe comes only once.
Status Container::keep_dictionaries() {
  const ByteRange tables = range(Member::Tables);
  for (std::size_t i = 0; i < kMembers; ++i) {
    if (ranges_[i].offset > tables.offset) {
      return fail(ErrorCode::Unsupported,
                  fmt::format("{} lies behind /0; such an archive cannot be read from a pipe",
                              to_string(static_cast<Member>(i))),
                  in(*source_, ranges_[i].offset));
    }
  }
  const std::uint64_t more = tables.offset - std::min(tables.offset, pipe_->position);
  if (!pipe_->share.resize(more)) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("{} bytes in front of /0 would exceed the memory limit", more),
                in(*source_, pipe_->position));
  }
  return pipe_->append(*source_, more, pipe_->front);
}

Result<Stored> Container::read_at(std::uint64_t offset, std::uint64_t length) const {
  if (pipe_) {
    const ByteView front = pipe_->front.view();
    const std::uint64_t from = std::min<std::uint64_t>(offset, front.size());
    return Stored{front.subspan(static_cast<std::size_t>(from),
                                static_cast<std::size_t>(std::min(length, front.size() - from))),
                  nullptr};
  }
  if (const auto view = source_->view()) {
    const std::uint64_t from = std::min<std::uint64_t>(offset, view->size());
    return Stored{view->subspan(static_cast<std::size_t>(from),
                                static_cast<std::size_t>(std::min(length, view->size() - from))),
                  nullptr};
  }
  FONDS_TRY(const std::uint64_t size, source_->size());
  const std::uint64_t from = std::min(offset, size);
  auto left = static_cast<std::size_t>(std::min(length, size - from));
  fonds::will_read(*source_, {from, left});
  FONDS_TRY(auto lent, fonds::lend(*source_, {from, left}));
  if (lent != nullptr) {
    return Stored{{lent.get(), left}, std::move(lent)};
  }
  auto held = std::make_shared<Buffer>();
  while (left > 0) {
    const auto room = held->room(left).first(left);
    FONDS_TRY(const std::size_t got, source_->read_at(from + held->size(), room));
    if (got == 0) {
      break;
    }
    held->commit(got);
    left -= got;
  }
  const ByteView view = held->view();
  return Stored{view, std::move(held)};
}

void will_read_front(ByteSource& source, const ReadOptions& options) {
  static_cast<void>(guarded([&]() -> Status {
    Budget budget(options.memory_budget);
    FONDS_TRY(const Container container,
              Container::open(source, budget, options.max_window, [](const Finding&) {}));
    container.will_read_front();
    return {};
  }));
}

Result<Stored> Container::read(Member member, std::uint64_t offset, std::uint64_t length) const {
  const ByteRange all = range(member);
  const std::uint64_t from = std::min(offset, all.length);
  length = std::min(length, all.length - from);
  if (!pipe_ || member != Member::Tables) {
    return read_at(all.offset + from, length);
  }
  const std::lock_guard lock(pipe_->mutex);
  if (all.offset + from < pipe_->position) {
    return fail(ErrorCode::Unsupported, "a pipe cannot be read again; save it to a file first",
                in(*source_, all.offset + from));
  }
  Buffer passed;
  while (pipe_->position < all.offset + from) {
    const std::uint64_t gap = all.offset + from - pipe_->position;
    passed.clear();
    FONDS_CHECK(pipe_->append(*source_, std::min(gap, std::uint64_t{1} << 20), passed));
    if (passed.empty()) {
      break;
    }
  }
  auto held = std::make_shared<Buffer>();
  FONDS_CHECK(pipe_->append(*source_, length, *held));
  const ByteView view = held->view();
  return Stored{view, std::move(held)};
}

}  // namespace fonds::clps
