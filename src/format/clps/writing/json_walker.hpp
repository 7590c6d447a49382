// JSON documents as events of a batch.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "format/clps/writing/batch.hpp"

namespace fonds::clps::writing {

// Octets behind a text that may be read, though they mean nothing.
inline constexpr std::size_t kTextPadding = 64;
inline constexpr std::size_t kMostDepth = 1000;  // of objects and structured arrays

// One for each worker.
class JsonWalker {
 public:
  JsonWalker(const Rules& rules, bool keep_unparsed);
  ~JsonWalker();

  // Adds the documents of a text, behind which kTextPadding octets may be read: one object or
  // several. What is no object is rejected, with what follows it. `at`: of the text in its piece.
  void add(std::string_view text, std::size_t at, BatchBuilder& out);
  // Adds what is no document as one, if that is wanted; else it is rejected.
  void reject(std::string_view text, std::size_t at, std::string reason, BatchBuilder& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fonds::clps::writing
