// One table under a condition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <fonds/error.hpp>
#include <fonds/formats/clps.hpp>

#include "format/clps/searching/search_columns.hpp"
#include "format/clps/searching/search_mask.hpp"
#include "format/clps/searching/search_plan.hpp"

namespace fonds::clps {

// A table of which columns are decompressed when they are asked for.
class LazyTable {
 public:
  // The archive outlives the table.
  LazyTable(const Archive& archive, std::size_t index, std::shared_ptr<Stream> stream)
      : archive_(&archive), index_(index), stream_(std::move(stream)) {}

  std::size_t index() const { return index_; }
  std::uint64_t records() const { return archive_->tables()[index_].records; }
  // It lives until the next call. Errors: those of Archive::table().
  Result<const Column*> column(std::size_t place) {
    if (table_.columns().size() <= place) {
      FONDS_TRY(table_, archive_->table(index_, stream_, place + 1));
    }
    return &table_.columns()[place];
  }

 private:
  const Archive* archive_;
  std::size_t index_;
  std::shared_ptr<Stream> stream_;
  Table table_;
};

// The rows of `in` for which a condition holds. Errors: those of Archive::table() and of reading
// dictionaries.
Result<BitSet> evaluate(const Condition& condition, LazyTable& table, ColumnScan& scan,
                        const BitSet& in);

}  // namespace fonds::clps
