// What archives are compared with by `fonds verify --against`.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/format.hpp>
#include <fonds/formats/clps.hpp>
#include <fonds/reader.hpp>

namespace fonds::ops::against {

enum class Kind : std::uint8_t {
  Event,
  Deep,  // an object that a writer may have refused for its depth
  Other,
};

// A document, or a stretch that is none.
struct InputText {
  std::string_view text;  // lives until the next one
  std::uint64_t offset = 0;
  Kind kind = Kind::Other;
};

class InputTexts {
 public:
  virtual ~InputTexts() = default;
  virtual Result<bool> next(InputText& out) = 0;
  // What the next one is compared with.
  virtual void expect(std::string_view record) { static_cast<void>(record); }
};

// The bytes of an input.
class InputBytes {
 public:
  virtual ~InputBytes() = default;

  // Compares what comes next with `text` as far as both reach, and passes over what is equal: so
  // many octets. `over`: the input is.
  Result<std::size_t> match(std::string_view text, bool& over) {
    FONDS_TRY(const std::string_view shown, peek());
    over = shown.empty();
    has_more_ = !over;
    const std::string_view there = shown.substr(0, text.size());
    const auto differs = std::mismatch(there.begin(), there.end(), text.begin());
    const auto same = static_cast<std::size_t>(differs.first - there.begin());
    consume(same);
    offset_ += same;
    differs_ = differs.first != there.end();
    return same;
  }
  bool differs() const { return differs_; }
  bool has_more() const { return has_more_; }
  std::uint64_t offset() const { return offset_; }

 private:
  // Some of what comes next; nothing at the end.
  virtual Result<std::string_view> peek() = 0;
  virtual void consume(std::size_t n) = 0;

  std::uint64_t offset_ = 0;
  bool differs_ = false, has_more_ = false;
};

// Errors: those of reading.
Result<std::shared_ptr<clps::Archive>> open_events(const Archive& archive, const ReadOptions& read);
// The records of an archive, one by one, rebuilt by so many threads.
Result<std::unique_ptr<InputTexts>> record_texts(std::shared_ptr<clps::Archive> archive,
                                                 unsigned threads);
// The documents of an input. Errors: those of reading; Unsupported for archives that hold no
// events.
Result<std::unique_ptr<InputTexts>> open_texts(const std::string& path, const ReadOptions& read);
// The bytes that an archive of this input would give back. Errors: those of reading; Unsupported
// for archives without such.
Result<std::unique_ptr<InputBytes>> open_bytes_of(const std::string& path, const ReadOptions& read);

}  // namespace fonds::ops::against
