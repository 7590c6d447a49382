#include "index/companion_kind.hpp"

#include <array>
#include <cstddef>

#include "base/bytes.hpp"
#include "index/checkpoint.hpp"

namespace fonds::index {

Result<CompanionKind> companion_kind(ByteSource& file) {
  constexpr std::uint32_t kFrame = 0x184D2204;
  constexpr std::uint32_t kSkippable = 0x184D2A50;  // and the 15 magics behind it
  std::array<std::byte, 8> room = {};
  FONDS_TRY(const std::size_t n, file.read_at(0, room));
  const ByteView head = ByteView(room).first(n);
  if (as_text(head).starts_with("GZIDX")) {
    return CompanionKind::Gzidx;
  }
  const std::uint32_t magic = head.size() < 4 ? 0 : load_le32(head);
  const bool checkpoints = magic == kFrame || (magic & 0xFFFFFFF0U) == kSkippable ||
                           (n == 0 && file.name().ends_with(kCheckpointEnding));
  return checkpoints ? CompanionKind::Checkpoints : CompanionKind::Captures;
}

}  // namespace fonds::index
