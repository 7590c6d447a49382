// Companions that are opened for the keys that will be looked up in them.
#pragma once

#include <functional>
#include <span>
#include <string>

#include <fonds/format.hpp>
#include <fonds/record_index.hpp>

namespace fonds::index {

// As open_companions(). Beside an archive at a URL, where every look costs a request, only what can
// tell of `keys` is looked for, and no more once something is found. Of `archive` only the source
// is used.
Result<Companions> open_companions(const Archive& archive, std::span<const std::string> given,
                                   const std::function<void(const Finding&)>& finding,
                                   std::span<const Key> keys);

// An index that tells in which stored bytes a record lies.
class TellsRange {
 public:
  virtual ~TellsRange() = default;
  // Those of the best hint of RecordIndex::find() that leads to them without a seek point, or with
  // one; empty if the index does not tell. Errors: those of find().
  virtual Result<ByteRange> range(const Archive& archive, const Key& key) const = 0;
};

}  // namespace fonds::index
