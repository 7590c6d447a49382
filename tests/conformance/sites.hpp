// Where the archives of the table lie: in memory, or at a server. tests/test_served.py starts
// servers and tells of them by FONDS_SERVED: a folder, and the names and URLs under which they give
// its files, each in a word of its own ("stream=http://…/stream/"). Servers that take turns have a
// number, and how many they are, behind the name ("ranges:0/2=http://…/files/").
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/format.hpp>

#include "conformance/rows.hpp"
#include "io/temporary_directory.hpp"

namespace fonds::laws {

struct Site {
  std::string name;    // of the server, as a part of a test's name
  std::string url;     // with a slash at its end
  bool lists = false;  // whether an archive that is a directory can be read there
  // Each law is asked of each row at one of the servers that take turns.
  std::size_t turn = 0, turns = 1;
};
const std::vector<Site>& servers();

// A file where the archives of a row lie, as long as this lives; of rows in memory on this machine.
class Laid {
 public:
  Laid(const Row& row, std::string_view bytes);
  const std::string& path() const { return path_; }  // on this machine
  const std::string& name() const { return name_; }  // by which it is opened: the path, or a URL

 private:
  testing_io::TemporaryDirectory directory_;
  std::string path_, name_;
};

// An archive that was opened, or why it was not. One that can be read only once is opened anew each
// time that it is asked for.
class Opened {
 public:
  explicit Opened(std::function<Result<Archive>()> open);

  explicit operator bool() const { return archive_.has_value(); }
  bool has_value() const { return archive_.has_value(); }
  const Error& error() const { return archive_.error(); }
  // Nothing was read of it yet, if it can be read only once. The reference is good up to the next
  // call.
  const Archive& operator*();
  // What it is.
  const Archive* operator->() const { return &*archive_; }
  bool can_go_back() const { return archive_->source->random_access(); }

 private:
  std::function<Result<Archive>()> open_;
  Result<Archive> archive_;
  bool given_ = false;
};

// Servers take longer, sanitizers too: some laws try less.
inline bool tries_less(const Row& row) { return kSanitized || row.site != nullptr; }

// The archive of a row, where the row lies; in the second form bytes take the place of the row's.
// Errors: those of open_archive().
Opened open(const Row& row);
Opened open(const Row& row, std::string_view bytes);
// On this machine wherever the row lies: in memory, or in a directory.
Result<Archive> open_here(const Row& row);
// In memory: what was made of an archive.
Result<Archive> in_memory(const Row& row, std::string_view bytes);
// The file of a row that lies at a server, on this machine.
std::string path_of(const Row& row);

}  // namespace fonds::laws
