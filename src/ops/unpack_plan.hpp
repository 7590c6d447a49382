// Which files come out of archives of events, and in which order: the part of unpack() that touches
// no file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/events.hpp>

namespace fonds::ops {

// Names below a directory, each given once: relative, without `..`, of characters that every file
// system has.
class SafeNames {
 public:
  // What `wanted`, a path of any origin, becomes. A name that is taken gets a number.
  std::string take(std::string_view wanted);
  // Takes a name as it is.
  void reserve(const std::string& name) { files_.insert(name); }

 private:
  bool below_a_file(const std::string& name) const;
  std::set<std::string> files_, directories_;
  std::map<std::string, std::uint64_t> numbers_;  // the last that a name got
};

// A file that is written.
struct UnpackFile {
  std::string name;   // below the directory
  std::string input;  // as the archives call it
  // Where it comes from, in the order of its parts.
  struct Piece {
    std::size_t archive = 0;  // in the list
    EventInput input;
  };
  std::vector<Piece> pieces;
};

struct UnpackPlan {
  std::vector<UnpackFile> files;
  std::vector<std::size_t> order;    // of the archives, so that parts come one after the other
  std::vector<std::string> remarks;  // for people: what is missing, or not in order
};

// `inputs`: those of each archive. Inputs of one run of the tool with one name are parts of one
// file; what is there twice becomes a file each.
UnpackPlan plan_unpacking(std::span<const std::vector<EventInput>> inputs, SafeNames& names);

}  // namespace fonds::ops
