// The packet that gives back the original bytes of an archive's inputs: forms of the texts of
// records, what no column holds of them, and what lies between records. It is this library's own;
// other readers pass over it. docs/formats/clp-s.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/formats/clps.hpp>

#include "format/clps/reading/plain.hpp"

namespace fonds::clps {

inline constexpr std::uint8_t kOriginalsPacket = 0x45;
inline constexpr std::uint8_t kOriginalsVersion = 1;

class OriginalTexts {
 public:
  static constexpr std::uint32_t kOwn = 0xFFFFFFFF;
  struct Step {
    std::string_view before;      // literal text
    std::uint32_t column = kOwn;  // of the table; kOwn: the record's next own text
  };
  struct Form {
    std::span<const Step> steps;
    std::string_view tail;
  };
  // How a record is spelled.
  struct Spelling {
    const Form* form = nullptr;  // null: as it is printed
    const char* own = nullptr;   // its first own text, behind its length
  };

  // Everything is compared with the archive: the tables, their records and columns, the inputs.
  // The archive must outlive this. Errors: Corrupt, LimitExceeded.
  static Result<std::shared_ptr<const OriginalTexts>> read(const Archive& archive);

  // Of a row of a table without fault.
  Spelling spelling(std::size_t table, std::uint64_t row) const;
  // The own text at `at`, which moves behind it.
  static std::string_view take_own(const char*& at);

  // What lies between records: of n records of an input, n + 1 texts, the first in front of them;
  // those of the inputs follow each other.
  std::string_view gap(std::uint64_t number) const;

 private:
  friend class OriginalsParser;
  OriginalTexts() = default;
  struct Run {
    std::uint64_t end;        // the first row behind it
    const Form* form;         // null: as printed
    std::uint64_t own;        // where its first own text lies, in the packet
    std::size_t checkpoints;  // place of its first one
    std::uint32_t own_count;  // own texts of a record
  };
  struct Gap {
    std::uint64_t end;  // the first number behind it
    std::string_view text;
  };

  std::shared_ptr<const std::string> packet_;
  std::vector<Step> steps_;
  std::vector<Form> forms_;
  std::vector<std::vector<Run>> tables_;    // by place in Archive::tables()
  std::vector<std::uint64_t> checkpoints_;  // own texts of every kStride-th row of a run
  std::vector<Gap> gaps_;
  BudgetShare share_;
};

}  // namespace fonds::clps
