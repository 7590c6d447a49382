// What is asked of records and no record has: most likely a name that was not spelled as it is.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <fonds/format.hpp>

namespace fonds::ops {

class MissingNames {
 public:
  struct OfArchive {
    std::string archive;
    const Format* format = nullptr;
    std::set<std::string> names;
  };

  // What one reader of the archive has not met; missing is what none of them has. Any thread.
  void add(const Archive& archive, const std::set<std::string>& names);

  // In the order in which the archives were read. Once all readers are done.
  const std::vector<OfArchive>& of_archives() const { return archives_; }

 private:
  std::mutex mutex_;
  std::vector<OfArchive> archives_;
};

}  // namespace fonds::ops
