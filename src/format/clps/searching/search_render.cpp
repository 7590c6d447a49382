#include "format/clps/searching/search_render.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/guarded.hpp"

namespace fonds::clps {
namespace {

constexpr std::size_t kAtOnce = 32;      // records whose strings are looked up together
constexpr std::size_t kToldRecords = 3;  // of a damaged table; the others are counted
constexpr std::size_t kChunk = std::size_t{1} << 20;  // that the sink is given

class TableRenderer {
 public:
  TableRenderer(const Archive& archive, const Table& table, const RecordProgram& program,
                const Texts& texts)
      : archive_(archive), table_(table), program_(program), texts_(texts) {
    const NodeId log_order = archive.tree().log_order();
    log_order_ = log_order == kNoNode ? nullptr : table.column(log_order);
    made_.share = BudgetShare(archive.budget());
  }

  Result<std::optional<RenderedTable>> run(const BitSet& rows) {
    bool fits = true;
    std::vector<std::size_t> some;
    rows.for_each([&](std::size_t row) {
      some.push_back(row);
      if (some.size() == kAtOnce && fits) {
        fits = render(some);
        some.clear();
      }
    });
    if (archive_.options().read.stop.stop_requested()) {
      return fail(ErrorCode::Cancelled, "cancelled", {.source = archive_.name()});
    }
    if (!fits || !render(some)) {
      return std::optional<RenderedTable>();
    }
    if (lost_ > kToldRecords) {
      tell(fmt::format("table {}: {} records are lost in all", table_.index(), lost_));
    }
    return std::optional<RenderedTable>(std::move(made_));
  }

 private:
  bool render(const std::vector<std::size_t>& rows) {
    strings_.clear();
    for (const std::size_t row : rows) {
      program_.find_strings(table_, row, texts_, strings_);
    }
    const Texts::Place* strings = strings_.data();
    for (const std::size_t row : rows) {
      render(row, strings);
      strings += program_.strings();
    }
    const std::size_t bytes = made_.text.size() + made_.lines.size() * sizeof(RenderedTable::Line);
    if (bytes > taken_) {
      taken_ = bytes + bytes / 2 + kShareStep;
      return made_.share.resize(taken_);
    }
    return true;
  }

  void render(std::size_t row, const Texts::Place* strings) {
    const std::size_t begin = made_.text.size();
    const Fault fault = program_.run(table_, row, strings, texts_, made_.text, scratch_);
    if (fault != nullptr) {
      made_.text.truncate(begin);
      if (++lost_ <= kToldRecords) {
        tell(
            fmt::format("table {}, record {}: {}; the record is lost", table_.index(), row, fault));
      }
      return;
    }
    RenderedTable::Line line{.begin = begin, .length = made_.text.size() - begin};
    if (log_order_ != nullptr) {
      line.log_index = log_order_->word(row);
    }
    made_.lines.push_back(line);
    made_.text.push_back('\n');
  }

  void tell(std::string message) {
    made_.findings.push_back(
        make_finding("clps-cell", std::move(message), archive_.place_of(table_.index())));
  }

  const Archive& archive_;
  const Table& table_;
  const RecordProgram& program_;
  const Texts& texts_;
  const Column* log_order_ = nullptr;
  RenderedTable made_;
  std::size_t taken_ = 0;
  std::uint64_t lost_ = 0;
  std::vector<Texts::Place> strings_;
  std::string scratch_;
};

// Collects lines until they are worth a call of the sink.
class LineGiver {
 public:
  explicit LineGiver(const std::function<Result<bool>(std::string_view)>& sink) : sink_(sink) {}

  // False: the sink has enough.
  Result<bool> give(const RenderedTable& from, const RenderedTable::Line& line) {
    chunk_.append(from.text.view().substr(line.begin, line.length + 1));
    return chunk_.size() < kChunk || flush();
  }
  Result<bool> flush() {
    if (chunk_.size() == 0 || !sink_) {
      return true;
    }
    auto more = sink_(chunk_.view());
    chunk_.clear();
    return more;
  }

 private:
  const std::function<Result<bool>(std::string_view)>& sink_;
  TextBuffer chunk_;
};

}  // namespace

HitRenderer::HitRenderer(const Archive& archive, Projection projection,
                         const std::vector<std::size_t>& tables)
    : archive_(&archive), projection_(std::move(projection)) {
  for (const std::size_t table : tables) {
    for (const NodeId node : archive.column_nodes(archive.tables()[table].schema)) {
      const NodeType type = archive.tree()[node].type;
      const bool split = type == NodeType::ClpString || type == NodeType::UnstructuredArray;
      const bool shown = projection_.shows(node);
      needs_.variables |=
          shown && (split || type == NodeType::VarString || type == NodeType::DictionaryFloat);
      needs_.log_types |= shown && type == NodeType::ClpString;
      needs_.array_types |= shown && type == NodeType::UnstructuredArray;
    }
  }
}

void HitRenderer::will_read_short_texts() const {
  constexpr std::uint64_t kShort = std::uint64_t{256} << 10;  // which comes faster than an answer
  if (!asked_.exchange(true)) {
    Texts::will_read(*archive_, needs_, kShort);
  }
}

Result<const Texts*> HitRenderer::texts() const {
  std::call_once(once_, [this] {
    auto opened = guarded([this] { return Texts::open(*archive_, needs_); });
    if (opened) {
      texts_ = std::move(*opened);
    } else {
      error_ = std::move(opened.error());
    }
  });
  if (error_) {
    return fail(error_->code(), error_->message(), error_->where());
  }
  return texts_.get();
}

Result<std::optional<RenderedTable>> HitRenderer::render(const Table& table,
                                                         const BitSet& rows) const {
  FONDS_TRY(const Texts* const found, texts());
  const RecordProgram program = RecordProgram::build(
      archive_->tree(), archive_->schemas()[archive_->tables()[table.index()].schema], projection_);
  return TableRenderer(*archive_, table, program, *found).run(rows);
}

Result<std::uint64_t> give_lines(const std::vector<const RenderedTable*>& tables, bool log_order,
                                 std::uint64_t most,
                                 const std::function<Result<bool>(std::string_view)>& sink) {
  struct Place {
    std::uint64_t log_index;
    const RenderedTable* table;
    const RenderedTable::Line* line;
  };
  std::vector<Place> places;
  for (const RenderedTable* const table : tables) {
    for (const RenderedTable::Line& line : table->lines) {
      places.push_back({line.log_index, table, &line});
    }
  }
  if (log_order) {
    std::stable_sort(places.begin(), places.end(),
                     [](const Place& a, const Place& b) { return a.log_index < b.log_index; });
  }
  LineGiver giver(sink);
  std::uint64_t given = 0;
  for (const Place& place : places) {
    if (given == most) {
      break;
    }
    ++given;
    FONDS_TRY(const bool more, giver.give(*place.table, *place.line));
    if (!more) {
      return given;
    }
  }
  FONDS_TRY(const bool more, giver.flush());
  static_cast<void>(more);
  return given;
}

}  // namespace fonds::clps
