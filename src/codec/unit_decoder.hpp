// What decoders of units with known ends share: which unit ended where, while bytes of it are still
// in the buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "codec/buffered_decoder.hpp"

namespace fonds {

class UnitDecoder : public BufferedDecoder {
 public:
  using BufferedDecoder::BufferedDecoder;
  Result<bool> skim_unit(std::uint64_t inner_end) override;
  std::uint64_t stored_position() const override;

 protected:
  // Stored bytes that were used for what is decoded so far.
  virtual std::uint64_t stored_used() const = 0;
  // Steps over the rest of the unit at `unit`, which is not yet decoded to its end, if it is sure
  // to end at `inner_end`; see skim_unit().
  virtual Result<bool> skim_open_unit(std::uint64_t unit, std::uint64_t inner_end);

  // The unit at `unit` was decoded, or stepped over, to its end.
  void end_unit(std::uint64_t unit, std::uint64_t decoded_size, std::uint64_t stored_end);
  // report(), but for a bound on what can gather between two calls of take_findings(): hostile
  // files can have a finding every few bytes.
  void find(std::string_view code, std::string message, std::uint64_t stored_offset);

 private:
  struct Finished {
    std::uint64_t unit, decoded_size, stored_end;
  };
  const Finished* finished(std::uint64_t unit) const;

  std::deque<Finished> finished_;  // by `unit`; those before place().unit may be gone
};

}  // namespace fonds
