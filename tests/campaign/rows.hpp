// The archives that the damage campaign damages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fonds::campaign {

// What of a row may be lost with a damaged byte.
enum class Region : std::uint8_t {
  Unit,    // the unit that it lies in: a plain record, a member, a frame, a block
  Behind,  // everything from there on: nothing tells where the next record begins
  File,    // everything: records have no bytes of their own
};

// Why verify() may be silent of a damaged row.
enum class Unknowable : std::uint8_t {
  Nothing,  // a checksum covers every decoded byte
  Plain,    // no checksum at all
  Digests,  // blocks of records have digests, the rest of them nothing
};

// What a companion lies beside, in a folder of its own.
struct Beside {
  std::string archive, archive_name;
  std::string name;                         // of the companion
  std::string other = {}, other_name = {};  // ZipNum: the other one of its two files
  std::string opened = {};  // which of them is opened; empty: the format finds its companion itself
  std::string key;          // with what it is asked: "uri", "id", "index"
};

struct Row {
  std::string name;
  std::string bytes;
  Region region = Region::Unit;
  Unknowable unknowable = Unknowable::Nothing;
  std::string format = {};  // to be named where the beginning is too damaged to be recognized
  bool named = false;       // or always
  std::vector<std::string> transformers = {};  // of packed RecordIO, which does not tell
  bool head = false;   // what lies in front of the first record is needed for all of them
  bool lines = false;  // records begin lines: the LF in front of one belongs to its region
  bool whole_lines =
      false;  // lines in units: whether a unit begins with one, the unit before tells
  std::uint64_t prefix = 0;  // bytes in front of each unit that belong to it
  std::uint64_t grid = 0;  // records lie at multiples of it; damage must not move only some of them
  bool repairs = true;     // `repair` knows the format
  std::optional<Beside> beside = {};  // of a companion
};

// A row's name, and what makes it; always the same bytes.
struct RowMaker {
  std::string name;
  std::function<Row()> make;
};
std::vector<RowMaker> row_makers();

}  // namespace fonds::campaign
