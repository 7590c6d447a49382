#include "format/clps/reading/exact.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "base/guarded.hpp"

namespace fonds::clps {
namespace {

constexpr std::uint64_t kStride = 64;  // rows of a run from checkpoint to checkpoint

// Numbers of 7 bits an octet, the low ones first.
std::uint64_t known_varint(const char*& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto octet = static_cast<unsigned char>(*at++);
    value |= static_cast<std::uint64_t>(octet & 0x7F) << shift;
    if (octet < 0x80) {
      return value;
    }
  }
}

}  // namespace

// Reads the packet from front to back. Nothing of it is believed.
class OriginalsParser {
 public:
  explicit OriginalsParser(const Archive& archive)
      : archive_(archive), packet_(*archive.metadata().originals) {
    texts_.packet_ = archive.metadata().originals;
    texts_.share_ = BudgetShare(archive.budget());
    texts_.tables_.resize(archive.tables().size());
  }

  Result<std::shared_ptr<const OriginalTexts>> run() {
    if (packet_.empty() || static_cast<std::uint8_t>(packet_.front()) != kOriginalsVersion) {
      return wrong("is of a version that is unknown");
    }
    at_ = 1;
    FONDS_CHECK(read_forms());
    FONDS_CHECK(read_tables());
    FONDS_CHECK(read_gaps());
    if (at_ != packet_.size()) {
      return wrong("goes on behind its end");
    }
    return std::make_shared<const OriginalTexts>(std::move(texts_));
  }

 private:
  using Run = OriginalTexts::Run;

  tl::unexpected<Error> wrong(std::string_view what) const {
    return fail(ErrorCode::Corrupt,
                fmt::format("metadata section: the packet of original texts {}", what),
                {.source = archive_.name(), .decoded_offset = at_});
  }
  // Counts what is made of the packet.
  Status hold(std::uint64_t bytes) {
    held_ += bytes;
    if (held_ < charged_) {
      return {};
    }
    charged_ = held_ + held_ / 4 + 4096;
    if (!texts_.share_.resize(2 * charged_)) {  // vectors grow by doubling
      return fail(ErrorCode::LimitExceeded,
                  "metadata section: the packet of original texts would exceed the memory limit",
                  {.source = archive_.name()});
    }
    return {};
  }

  std::optional<std::uint64_t> number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at_ < packet_.size(); shift += 7) {
      const auto octet = static_cast<unsigned char>(packet_[at_++]);
      const std::uint64_t bits = octet & 0x7F;
      if (bits << shift >> shift != bits) {
        return std::nullopt;
      }
      value |= bits << shift;
      if (octet < 0x80) {
        return value;
      }
    }
    return std::nullopt;
  }
  std::optional<std::string_view> text() {
    const auto size = number();
    if (!size || *size > packet_.size() - at_) {
      return std::nullopt;
    }
    const std::string_view found = packet_.substr(at_, static_cast<std::size_t>(*size));
    at_ += found.size();
    return found;
  }

  Status read_forms() {
    const auto count = number();
    if (!count || *count > packet_.size()) {
      return wrong("counts more forms than it can hold");
    }
    std::vector<std::pair<std::size_t, std::string_view>> forms;  // end of the steps, tail
    for (std::uint64_t i = 0; i < *count; ++i) {
      const auto steps = number();
      for (std::uint64_t step = 0; steps && step < *steps; ++step) {
        const auto before = text();
        const auto column = before ? number() : std::nullopt;
        if (!column || *column >= OriginalTexts::kOwn) {
          return wrong(fmt::format("is damaged in form {}", i));
        }
        FONDS_CHECK(hold(sizeof(OriginalTexts::Step)));
        texts_.steps_.push_back({*before, *column == 0 ? OriginalTexts::kOwn
                                                       : static_cast<std::uint32_t>(*column - 1)});
      }
      const auto tail = steps ? text() : std::nullopt;
      if (!tail) {
        return wrong(fmt::format("is damaged in form {}", i));
      }
      FONDS_CHECK(hold(2 * sizeof(OriginalTexts::Form) + 2 * sizeof(FormFacts)));
      forms.emplace_back(texts_.steps_.size(), *tail);
    }
    std::size_t begin = 0;
    for (const auto& [end, tail] : forms) {
      const auto steps =
          std::span<const OriginalTexts::Step>(texts_.steps_).subspan(begin, end - begin);
      FormFacts facts;
      for (const OriginalTexts::Step& step : steps) {
        if (step.column == OriginalTexts::kOwn) {
          ++facts.own;
        } else {
          facts.columns = std::max(facts.columns, std::size_t{step.column} + 1);
        }
      }
      facts_.push_back(facts);
      texts_.forms_.push_back({steps, tail});
      begin = end;
    }
    return {};
  }

  Status read_tables() {
    std::map<std::int32_t, std::size_t> by_schema;
    for (std::size_t i = 0; i < archive_.tables().size(); ++i) {
      const TableInfo& table = archive_.tables()[i];
      if (table.schema < archive_.schemas().size()) {
        by_schema.emplace(archive_.schemas()[table.schema].id, i);
      }
    }
    const auto count = number();
    if (!count || *count > packet_.size()) {
      return wrong("counts more tables than it can hold");
    }
    for (std::uint64_t i = 0; i < *count; ++i) {
      const auto schema = number();
      const auto found = schema && *schema < std::uint64_t{1} << 31
                             ? by_schema.find(static_cast<std::int32_t>(*schema))
                             : by_schema.end();
      if (found == by_schema.end()) {
        return wrong(fmt::format("names a schema in table {} that no other table has", i));
      }
      FONDS_CHECK(read_table(found->second));
      by_schema.erase(found);
    }
    for (const auto& [schema, table] : by_schema) {
      if (archive_.tables()[table].records > 0) {
        return wrong(fmt::format("does not know the records of schema {}", schema));
      }
    }
    return {};
  }

  Status read_table(std::size_t table) {
    const TableInfo& info = archive_.tables()[table];
    const std::size_t columns =
        info.schema < archive_.schemas().size() ? archive_.column_nodes(info.schema).size() : 0;
    std::vector<Run>& runs = texts_.tables_[table];
    const auto count = number();
    if (!count || *count > packet_.size() - at_) {
      return wrong(fmt::format("counts more forms in table {} than it can hold", table));
    }
    std::uint64_t row = 0;
    for (std::uint64_t i = 0; i < *count; ++i) {
      const auto form = number();
      const auto rows = form ? number() : std::nullopt;
      if (!rows || *rows == 0 || *rows > info.records - row || *form > texts_.forms_.size()) {
        return wrong(fmt::format("does not fit the records of table {}", table));
      }
      const FormFacts facts =
          *form == 0 ? FormFacts() : facts_[static_cast<std::size_t>(*form - 1)];
      if (facts.columns > columns) {
        return wrong(fmt::format("names a column that table {} does not have", table));
      }
      FONDS_CHECK(hold(sizeof(Run)));
      row += *rows;
      runs.push_back({row,
                      *form == 0 ? nullptr : &texts_.forms_[static_cast<std::size_t>(*form - 1)], 0,
                      0, facts.own});
    }
    if (row != info.records) {
      return wrong(fmt::format("does not fit the records of table {}", table));
    }
    return read_own(table);
  }

  // The own texts of a table's records, one after the other.
  Status read_own(std::size_t table) {
    const auto size = number();
    if (!size || *size > packet_.size() - at_) {
      return wrong(fmt::format("is cut in the texts of table {}", table));
    }
    const std::uint64_t end = at_ + *size;
    std::uint64_t row = 0;
    for (Run& run : texts_.tables_[table]) {
      run.own = at_;
      run.checkpoints = texts_.checkpoints_.size();
      for (std::uint64_t i = 0; run.own_count > 0 && i < run.end - row; ++i) {
        if (i % kStride == 0) {
          FONDS_CHECK(hold(sizeof(std::uint64_t)));
          texts_.checkpoints_.push_back(at_);
        }
        for (std::uint32_t n = 0; n < run.own_count; ++n) {
          if (!text() || at_ > end) {
            return wrong(fmt::format("has fewer texts than table {} needs", table));
          }
        }
      }
      row = run.end;
    }
    return at_ == end ? Status() : wrong(fmt::format("has more texts than table {} needs", table));
  }

  Status read_gaps() {
    std::uint64_t expected = 0, next = 0;
    for (const InputRange& input : archive_.metadata().inputs) {
      if (input.begin != next) {
        return wrong("needs inputs that follow each other");
      }
      next = input.end;
      expected += input.end - input.begin + 1;
    }
    if (next != archive_.records() || archive_.tree().log_order() == kNoNode) {
      return wrong("needs to know the place of all records");
    }
    const auto count = number();
    if (!count || *count > packet_.size()) {
      return wrong("counts more gaps than it can hold");
    }
    std::uint64_t end = 0;
    for (std::uint64_t i = 0; i < *count; ++i) {
      const auto gaps = number();
      const auto between = gaps ? text() : std::nullopt;
      if (!between || *gaps == 0 || *gaps > expected - end) {
        return wrong(fmt::format("is damaged in gap {}", i));
      }
      FONDS_CHECK(hold(sizeof(OriginalTexts::Gap)));
      end += *gaps;
      texts_.gaps_.push_back({end, *between});
    }
    return end == expected ? Status() : wrong("has fewer gaps than records need");
  }

  struct FormFacts {
    std::uint32_t own = 0;    // own texts
    std::size_t columns = 0;  // that a table must have
  };

  const Archive& archive_;
  std::string_view packet_;
  std::uint64_t at_ = 0;
  std::uint64_t held_ = 0, charged_ = 0;
  std::vector<FormFacts> facts_;
  OriginalTexts texts_;
};

Result<std::shared_ptr<const OriginalTexts>> OriginalTexts::read(const Archive& archive) {
  return guarded([&] { return OriginalsParser(archive).run(); });
}

std::string_view OriginalTexts::take_own(const char*& at) {
  const auto size = static_cast<std::size_t>(known_varint(at));
  const std::string_view text(at, size);
  at += size;
  return text;
}

OriginalTexts::Spelling OriginalTexts::spelling(std::size_t table, std::uint64_t row) const {
  const std::vector<Run>& runs = tables_[table];
  const auto run = std::upper_bound(runs.begin(), runs.end(), row,
                                    [](std::uint64_t at, const Run& one) { return at < one.end; });
  if (run == runs.end() || run->form == nullptr) {
    return {};
  }
  Spelling found{run->form, nullptr};
  if (run->own_count > 0) {
    const std::uint64_t place = row - (run == runs.begin() ? 0 : std::prev(run)->end);
    found.own = packet_->data() +
                checkpoints_[run->checkpoints + static_cast<std::size_t>(place / kStride)];
    for (std::uint64_t i = place / kStride * kStride; i < place; ++i) {
      for (std::uint32_t n = 0; n < run->own_count; ++n) {
        static_cast<void>(take_own(found.own));
      }
    }
  }
  return found;
}

std::string_view OriginalTexts::gap(std::uint64_t number) const {
  const auto found =
      std::upper_bound(gaps_.begin(), gaps_.end(), number,
                       [](std::uint64_t at, const Gap& one) { return at < one.end; });
  return found == gaps_.end() ? std::string_view() : found->text;
}

}  // namespace fonds::clps
