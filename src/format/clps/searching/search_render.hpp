// The records that a search has found, rebuilt while their stream is at hand.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/formats/clps.hpp>

#include "format/clps/reading/plain.hpp"
#include "format/clps/reading/render.hpp"
#include "format/clps/reading/text_buffer.hpp"
#include "format/clps/reading/texts.hpp"
#include "format/clps/searching/search_mask.hpp"

namespace fonds::clps {

// Records of one table.
struct RenderedTable {
  TextBuffer text;
  struct Line {
    std::size_t begin = 0, length = 0;            // in `text`, without a line end
    std::uint64_t log_index = ~std::uint64_t{0};  // the highest: it has no place in the log
  };
  std::vector<Line> lines;
  std::vector<Finding> findings;  // of records that are lost
  BudgetShare share;
};

class HitRenderer {
 public:
  // Of all these tables records may be rebuilt. The archive outlives the renderer.
  HitRenderer(const Archive& archive, Projection projection,
              const std::vector<std::size_t>& tables);

  // Rebuilds the rows of a table that are set. Thread-safe. Nothing if there is no memory for them.
  // Errors: those of dictionaries; Cancelled.
  Result<std::optional<RenderedTable>> render(const Table& table, const BitSet& rows) const;
  // Asks for the dictionaries that render() needs, as far as they are short. Thread-safe.
  void will_read_short_texts() const;

 private:
  Result<const Texts*> texts() const;

  const Archive* archive_;
  Projection projection_;
  Texts::Needs needs_{false, false, false};
  mutable std::atomic<bool> asked_ = false;
  mutable std::once_flag once_;
  mutable std::unique_ptr<Texts> texts_;
  mutable std::optional<Error> error_;
};

// Gives the lines of tables in order: by log_event_idx, or as they stand. `most` lines at most. The
// number that was given. Errors: those of `sink`; it returns false if it has enough.
Result<std::uint64_t> give_lines(const std::vector<const RenderedTable*>& tables, bool log_order,
                                 std::uint64_t most,
                                 const std::function<Result<bool>(std::string_view)>& sink);

}  // namespace fonds::clps
