// Dictionaries of clp-s archives. An input whose first byte is odd is a member as it is stored, the
// others are its decompressed bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/bytes.hpp>
#include <fonds/formats/clps.hpp>

#include "base/bytes.hpp"
#include "clps_parts.hpp"
#include "require.hpp"

namespace {

using fonds::Finding;
using fonds::clps::Budget;
using fonds::clps::Dictionary;
using fonds::clps::Member;
using fonds::fuzz::require;

void check_entries(const Dictionary& dictionary) {
  const std::string_view buffer = dictionary.buffer();
  for (std::size_t id = 0; id < dictionary.size(); ++id) {
    const std::string_view entry = dictionary[id];
    require(entry.data() >= buffer.data() &&
            entry.data() + entry.size() <= buffer.data() + buffer.size());
    const auto at = static_cast<std::size_t>(entry.data() - buffer.data());
    require(dictionary.entry_at(at, entry.size()) == id);
    require(!dictionary.entry_at(at, entry.size() + 1));
    require(at == 0 || dictionary.entry_at(at - 1, 2) != id);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view given(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string stored =
      (data[0] & 1) != 0 ? std::string(given) : fonds::fuzz::stored_dictionary(given);
  const std::uint64_t limit = (data[0] & 2) != 0 ? std::uint64_t{16} << 20 : 4096;
  Budget budget(limit);
  std::vector<Finding> findings;
  {
    const auto dictionary =
        Dictionary::read(fonds::as_bytes(stored), Member::Variables, std::uint64_t{1} << 20, budget,
                         [&findings](Finding finding) { findings.push_back(std::move(finding)); });
    if (dictionary) {
      check_entries(*dictionary);
      const std::uint64_t claimed =
          stored.size() < 8 ? 0 : fonds::load_le64(fonds::as_bytes(stored));
      require(dictionary->size() <= claimed);
      require(dictionary->size() == claimed || !findings.empty());
    } else {
      require(dictionary.error().code() == fonds::ErrorCode::LimitExceeded);
    }
  }
  require(budget.left() == limit);
  return 0;
}
