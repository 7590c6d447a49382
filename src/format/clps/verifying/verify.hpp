// What `verify` checks of an archive beyond what reading it shows: whether what its writer says of
// it is so, and whether all of it is used. docs/formats/clp-s.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fonds/finding.hpp>
#include <fonds/formats/clps.hpp>

#include "format/clps/reading/log_type.hpp"

namespace fonds::clps {

// Is told of everything that a reader in log order comes by. One thread at a time.
class ArchiveCheck {
 public:
  // The archive must outlive the check.
  ArchiveCheck(const Archive& archive, std::function<void(Finding)> out);

  // The sections in front of the tables. Errors: those of Archive::dictionary().
  Status begin();
  // Each table before its records.
  void table(const Table& table, const Stream& stream);
  // A record. `known_input`: some range of inputs holds it.
  void record(const Rebuilder::Batch::Line& line, std::string_view json, bool known_input);
  // Something was lost, so that what is missing is no surprise.
  void damage() { damaged_ = true; }
  void end();

 private:
  using Kind = std::pair<std::string_view, Severity>;

  void tell(std::string_view code, std::string message, Location where = {});
  void tell(std::string_view code, Severity severity, std::string message, Location where = {});
  Location place(Member member) const;
  Location place_of_table(std::size_t table) const;

  void check_tree();
  void check_namespaces();
  void check_duplicate_nodes();
  void check_used_nodes();
  void check_schemas();
  void check_inputs();
  void check_patterns();
  void check_time_ranges();
  Status check_dictionaries();
  void check_texts(const Dictionary& dictionary, Member member);

  void check_search_data();
  void check_ranges(const Table& table);
  void check_entries(const Table& table);
  void for_each_dictionary_variable(const Column& column, std::uint64_t cell,
                                    const std::function<void(std::uint64_t)>& use) const;

  void check_log_order(const Table& table);
  void check_cells(const Table& table, const Column& column);
  void check_split_cells(const Table& table, const Column& column);
  void check_times(const Table& table, const Column& column);
  bool in_range(const Column& column, std::uint64_t row, const TimeRange& range) const;
  void check_arrays(const Table& table, const Column& column);
  // A cell's text, or nothing if it is damaged.
  bool text_of(const Column& column, std::uint64_t row, std::string& out) const;
  bool append_variable(Placeholder kind, std::uint64_t word, std::string& out) const;

  struct Marks {
    const Dictionary* dictionary = nullptr;
    std::vector<bool> used;
    void mark(std::uint64_t id) {
      if (id < used.size()) {
        used[static_cast<std::size_t>(id)] = true;
      }
    }
  };
  void tell_unused(const Marks& marks, Member member);
  void mark_variable(Placeholder kind, std::uint64_t word);

  const Archive& archive_;
  std::function<void(Finding)> out_;
  Generation generation_;
  std::map<Kind, std::uint64_t> told_;
  Marks variables_, log_types_, array_types_;
  std::unordered_set<std::uint64_t> patterns_used_;
  std::vector<std::pair<NodeId, std::size_t>> ranges_of_nodes_;  // ascending; time_ranges
  std::vector<bool> placed_;  // of each table: its records have a log_event_idx
  std::map<std::size_t, std::vector<bool>> bad_arrays_;  // of tables: rows that were told
  std::uint64_t next_log_index_ = 0, first_gap_ = 0, gaps_ = 0;
  std::uint64_t first_unknown_ = 0, unknown_inputs_ = 0;
  std::vector<bool> streams_used_;
  bool damaged_ = false;
};

}  // namespace fonds::clps
