#include "format/clps/reading/record_reader.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/calendar.hpp"
#include "base/text.hpp"
#include "codec/decoded_source.hpp"

namespace fonds::clps {
namespace {

std::int64_t floor_divide(std::int64_t value, std::int64_t by) {
  return value / by - (value % by < 0 ? 1 : 0);
}

}  // namespace

std::optional<Date> EventRecord::date() const {
  if (!time) {
    return std::nullopt;
  }
  const std::int64_t seconds = floor_divide(*time, kNsPerSecond);
  const auto rest = static_cast<std::uint32_t>(*time - seconds * kNsPerSecond);
  if (rest == 0) {
    return Date{seconds, 0, Date::Precision::Second, 0};
  }
  const bool fine = rest % static_cast<std::uint32_t>(kNsPerMs) != 0;
  return Date{seconds, rest, Date::Precision::Fraction, static_cast<std::uint8_t>(fine ? 9 : 3)};
}

void EventRecord::describe(AttributeSink& out, bool /*with_headers*/) const {
  if (time) {
    out.integer("timestamp", floor_divide(*time, kNsPerMs));
  }
  if (!source.empty()) {
    out.text("source", to_utf8(source));
  }
  out.integer("schema", schema);
}

const std::vector<InputRange>& known_inputs(const Archive& archive) {
  static const std::vector<InputRange> none;
  const std::vector<InputRange>& all = archive.metadata().inputs;
  return archive.tree().log_order() == kNoNode && all.size() > 1 ? none : all;
}

const InputRange* InputIndex::find(std::uint64_t log_index) const {
  // The ranges are the writer's claims: of such as overlap the first counts.
  auto after =
      std::upper_bound(inputs_->begin(), inputs_->end(), log_index,
                       [](std::uint64_t at, const InputRange& range) { return at < range.end; });
  return after != inputs_->end() && log_index >= after->begin ? &*after : nullptr;
}

Result<OpenedArchive> open_for_reading(const fonds::Archive& archive, const ReadOptions& options) {
  std::shared_ptr<ByteSource> source = archive.source;
  if (archive.codecs.size() > 1 || archive.codec().name() != "none") {
    FONDS_TRY(auto decoder, open_decoder(archive, decode_options(options)));
    source = std::make_shared<DecodedSource>(std::move(decoder), archive.source->name());
  }
  OpenedArchive opened;
  opened.findings = std::make_shared<std::vector<Finding>>();
  ArchiveOptions with;
  with.read = options;
  with.on_finding = [findings = opened.findings](const Finding& finding) {
    findings->push_back(finding);
  };
  FONDS_TRY(opened.archive, Archive::open(std::move(source), std::move(with)));
  return opened;
}

Result<RebuildOptions> rebuild_options(const Archive& archive, const ReadOptions& options) {
  RebuildOptions rebuild;
  rebuild.threads = options.decode_threads;
  rebuild.order = options.stored_order || options.start > 0 ? Order::Table : Order::Log;
  rebuild.log_range = options.range;
  if (options.range && archive.tree().log_order() == kNoNode) {
    return fail(ErrorCode::BadArgument, "this archive does not know the order of its log",
                {.source = archive.name()});
  }
  if (options.start > 0) {
    const std::uint64_t begin = archive.member_range(Member::Tables).offset;
    rebuild.rows.resize(archive.tables().size());
    for (std::size_t i = 0; i < rebuild.rows.size(); ++i) {
      const TableInfo& table = archive.tables()[i];
      if (table.fault.empty() &&
          begin + archive.streams()[static_cast<std::size_t>(table.stream)].offset >=
              options.start) {
        rebuild.rows[i] = RowSet();
      }
    }
  }
  if (!options.input.empty()) {
    const auto& inputs = known_inputs(archive);
    if (inputs.empty() && !archive.metadata().inputs.empty()) {
      return fail(ErrorCode::Unsupported,
                  "this archive was made of several inputs without a log order: it does not tell "
                  "which record came from which",
                  {.source = archive.name()});
    }
    std::uint64_t begin = UINT64_MAX;
    std::uint64_t end = 0;
    for (const InputRange& input : inputs) {
      if (input.file_name == options.input) {
        begin = std::min(begin, input.begin);
        end = std::max(end, input.end);
      }
    }
    if (begin == UINT64_MAX) {
      return fail(ErrorCode::NotFound,
                  fmt::format("no input of this archive is called {}", options.input),
                  {.source = archive.name()});
    }
    const auto given =
        options.range.value_or(std::pair<std::uint64_t, std::uint64_t>(0, UINT64_MAX));
    rebuild.log_range = {std::max(begin, given.first), std::min(end, given.second)};
  }
  return rebuild;
}

EventReader::EventReader(OpenedArchive opened, const ReadOptions& options)
    : opened_(std::move(opened)),
      inputs_(*opened_.archive),
      start_(options.start),
      skip_(options.start_inner),
      stop_at_(options.stop_at),
      input_(options.input) {
  std::uint64_t sum = 0;
  std::uint64_t stream = 0;
  for (const TableInfo& table : opened_.archive->tables()) {
    sum = table.stream == stream ? sum : 0;
    stream = table.stream;
    before_.push_back(sum);
    sum += table.records;
  }
  stored_per_record_ = static_cast<double>(opened_.archive->header().compressed_size) /
                       static_cast<double>(std::max<std::uint64_t>(opened_.archive->records(), 1));
}

Result<std::unique_ptr<EventReader>> EventReader::open(OpenedArchive opened,
                                                       const ReadOptions& options) {
  std::unique_ptr<EventReader> reader(new EventReader(std::move(opened), options));
  FONDS_TRY(auto rebuild, rebuild_options(*reader->opened_.archive, options));
  if (options.check_all) {
    const Archive& archive = *reader->opened_.archive;
    reader->check_ = std::make_shared<ArchiveCheck>(
        archive, [&archive](Finding finding) { archive.tell(std::move(finding)); });
    FONDS_CHECK(reader->check_->begin());
    rebuild.on_table = [check = reader->check_](const Table& table, const Stream& stream) {
      check->table(table, stream);
    };
  }
  FONDS_TRY(reader->rebuilder_, Rebuilder::open(reader->opened_.archive, std::move(rebuild)));
  return reader;
}

// The next line of a batch. False at the end.
Result<bool> EventReader::next_line() {
  while (batch_ == nullptr || line_ == batch_->lines.size()) {
    FONDS_TRY(batch_, rebuilder_->next());
    if (batch_ == nullptr) {
      return false;
    }
    loose_.insert(loose_.end(), batch_->findings.begin(), batch_->findings.end());
    watch(batch_->findings);
    line_ = 0;
  }
  return true;
}

void EventReader::watch(std::span<const Finding> findings) {
  const auto loses = [](const Finding& finding) {
    return finding.code == "clps-cell" || finding.code == "clps-dictionary" ||
           finding.code == "clps-stream" || finding.code == "clps-table" ||
           finding.code == "clps-truncated";
  };
  if (check_ != nullptr && std::any_of(findings.begin(), findings.end(), loses)) {
    check_->damage();
  }
}

Result<Record*> EventReader::next() {
  if (error_) {
    return fail_again();
  }
  const Archive& archive = *opened_.archive;
  while (!over_) {
    auto more = next_line();
    if (!more) {
      error_ = std::move(more.error());
      return fail_again();
    }
    if (!*more) {
      break;
    }
    const Rebuilder::Batch::Line& line = batch_->lines[line_++];
    const TableInfo& table = archive.tables()[line.table];
    const std::uint64_t unit = archive.member_range(Member::Tables).offset +
                               archive.streams()[static_cast<std::size_t>(table.stream)].offset;
    record_.place = {unit, before_[line.table] + line.row};
    if (start_ > 0 && record_.place.unit == start_ && record_.place.inner < skip_) {
      continue;
    }
    if (stop_at_ && record_.place.unit >= *stop_at_) {
      end_ = record_.place;
      over_ = true;
      return nullptr;
    }
    const InputRange* const input = inputs_.find(line.log_index);
    if (!input_.empty() && (input == nullptr || input->file_name != input_)) {
      continue;
    }
    if (check_ != nullptr) {
      check_->record(line, batch_->text.substr(line.begin, line.length), input != nullptr);
    }
    record_.ordinal = ordinal_++;
    record_.json = batch_->text.substr(line.begin, line.length);
    record_.time = line.time;
    record_.source = input == nullptr ? std::string_view() : std::string_view(input->file_name);
    record_.schema = archive.schemas()[table.schema].id;
    consumed_ = 0;
    // Of what is stored as much has passed as of the records.
    position_ = static_cast<std::uint64_t>(static_cast<double>(++delivered_) * stored_per_record_);
    return &record_;
  }
  if (check_ != nullptr && !over_) {
    watch(*opened_.findings);
    check_->end();
  }
  over_ = true;
  end_ = {archive.header().compressed_size, 0};
  return nullptr;
}

Result<ByteView> EventReader::peek_block(std::size_t /*at_least*/) {
  return as_bytes(record_.json).subspan(std::min<std::size_t>(consumed_, record_.json.size()));
}

Result<RecordEnd> EventReader::finish() {
  RecordEnd end;
  end.length = record_.json.size();
  end.trailing = 1;
  end.closing = "\n";
  return end;
}

tl::unexpected<Error> EventReader::fail_again() const {
  Error error(error_->code(), error_->message(), error_->where());
  return tl::unexpected(std::move(error).as(
      error_->code() == ErrorCode::LimitExceeded ? "limit-exceeded" : error_->rule()));
}

std::vector<Finding> EventReader::take_loose_findings() {
  watch(*opened_.findings);
  std::vector<Finding> all = std::exchange(loose_, {});
  all.insert(all.end(), opened_.findings->begin(), opened_.findings->end());
  opened_.findings->clear();
  return all;
}

}  // namespace fonds::clps
