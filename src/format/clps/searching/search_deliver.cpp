// What becomes of the answers of a search.
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "format/clps/searching/search_course.hpp"

namespace fonds::clps {

// Of tables that turned out to match without being read.
Status Search::count_unread() {
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    if (answers_[i].condition.is(true) && !is_read(i)) {
      FONDS_CHECK(count_all(i));
    }
  }
  return {};
}

void Search::tell_findings() const {
  for (const TableAnswer& answer : answers_) {
    for (const Finding& finding : answer.findings) {
      if (sink_.finding) {
        sink_.finding(finding);
      }
    }
  }
}

Result<SearchReport> Search::report() {
  SearchReport made;
  for (const TableAnswer& answer : answers_) {
    made.matched += std::min(answer.count, ~std::uint64_t{0} - made.matched);
    if (answer.part) {
      FONDS_CHECK(aggregate_->add(*answer.part));
    }
  }
  if (aggregate_ != nullptr) {
    made.groups = aggregate_->groups();
  }
  return made;
}

namespace {

// The first lines of a text, which ends in a line end.
std::string_view first_lines(const Rebuilder::Batch& batch, std::uint64_t lines) {
  if (lines >= batch.lines.size()) {
    return batch.text;
  }
  return batch.text.substr(0, batch.lines[static_cast<std::size_t>(lines)].begin);
}

}  // namespace

Result<SearchReport> Search::deliver_rendered() {
  std::vector<const RenderedTable*> tables;
  for (const TableAnswer& answer : answers_) {
    if (!answer.rendered) {
      continue;
    }
    tables.push_back(answer.rendered.get());
    for (const Finding& finding : answer.rendered->findings) {
      if (sink_.finding) {
        sink_.finding(finding);
      }
    }
  }
  const bool log_order = !options_.table_order && archive_->tree().log_order() != kNoNode;
  SearchReport made;
  FONDS_TRY(made.matched,
            give_lines(tables, log_order, options_.limit.value_or(~std::uint64_t{0}), sink_.lines));
  return made;
}

Result<SearchReport> Search::deliver() {
  if (rendering_.load()) {
    return deliver_rendered();
  }
  for (TableAnswer& answer : answers_) {
    answer.rendered.reset();
  }
  SearchReport made;
  RebuildOptions rebuild;
  rebuild.order = options_.table_order ? Order::Table : Order::Log;
  rebuild.threads = options_.threads;
  rebuild.projection = projected_;
  rebuild.project = !options_.projection.empty();
  rebuild.rows.resize(answers_.size());
  bool any = false;
  for (std::size_t i = 0; i < answers_.size(); ++i) {
    if (answers_[i].count > 0) {
      rebuild.rows[i] = std::move(answers_[i].rows);
      any = true;
    }
  }
  const std::uint64_t limit = options_.limit.value_or(~std::uint64_t{0});
  if (!any || limit == 0) {
    return made;
  }
  FONDS_TRY(const auto rebuilder, Rebuilder::open(archive_, std::move(rebuild)));
  while (made.matched < limit) {
    FONDS_TRY(const Rebuilder::Batch* const batch, rebuilder->next());
    if (batch == nullptr) {
      break;
    }
    for (const Finding& finding : batch->findings) {
      if (sink_.finding) {
        sink_.finding(finding);
      }
    }
    const std::string_view lines = first_lines(*batch, limit - made.matched);
    made.matched += std::min<std::uint64_t>(batch->lines.size(), limit - made.matched);
    if (!lines.empty() && sink_.lines) {
      FONDS_TRY(const bool more, sink_.lines(lines));
      if (!more) {
        break;
      }
    }
  }
  return made;
}

}  // namespace fonds::clps
