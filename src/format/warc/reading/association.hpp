// Which warcinfo a record belongs to: the one it names, else the one before it (WARC 1.1, 6.2; of
// ARC the version block). Kept for an archive and for the file its records are put into.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "format/warc/reading/grammar.hpp"

namespace fonds::warc {

// What of a record's header bears on it.
struct Tie {
  Tie() = default;
  explicit Tie(const Header& header);
  bool arc = false;
  bool warcinfo = false;  // of ARC: a version block
  bool said = false;      // the record names its warcinfo
  std::string id;         // of a warcinfo
};

class Association {
 public:
  enum class Verdict : std::uint8_t {
    Kept,     // the record belongs to the same warcinfo as in its own archive, or to none
    Name,     // it has to name own_id() to do so
    Unknown,  // it comes behind a warcinfo that is not its own, and its own cannot be named
  };

  // Another archive begins: none of its records belongs to a warcinfo before it.
  void begin_archive() { own_ = {}; }
  // The next record of the archive; `written`: it goes into the file.
  Verdict next(const Tie& tie, bool written);
  // The warcinfo of the last record in its own archive; empty if it has no id.
  const std::string& own_id() const { return own_[family_].id; }
  // The warcinfo before it in the file.
  const std::string& file_id() const { return file_[family_].id; }

 private:
  struct Warcinfo {
    std::uint64_t number = 0;  // 0: none
    std::string id;
  };
  std::array<Warcinfo, 2> own_, file_;  // of WARC and of ARC
  std::size_t family_ = 0;
  std::uint64_t seen_ = 0;
};

}  // namespace fonds::warc
