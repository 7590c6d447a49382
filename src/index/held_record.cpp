#include "index/held_record.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fonds::index {
namespace {

constexpr std::uint64_t kLargestHeld = std::uint64_t{64} << 20;

// The block of one record, read from memory.
class HeldBlock final : public RecordReader {
 public:
  explicit HeldBlock(ByteView block) : left_(block) {}

  Result<Record*> next() override { return nullptr; }
  Result<ByteView> peek_block(std::size_t) override { return left_; }
  void consume_block(std::size_t n) override { left_ = left_.subspan(n); }
  Result<RecordEnd> finish() override { return RecordEnd(); }
  std::vector<Finding> take_loose_findings() override { return {}; }
  Place end_place() const override { return {}; }
  std::string state() const override { return {}; }
  std::uint64_t stored_position() const override { return 0; }

 private:
  ByteView left_;
};

}  // namespace

Result<bool> digests_fit(const Archive& archive, const OpenRecord& open) {
  const std::uint64_t length = open.record->length().value_or(0);
  if (length > kLargestHeld) {
    return true;
  }
  FONDS_TRY(ByteView block, open.reader->peek_block(static_cast<std::size_t>(length)));
  block = block.first(std::min<std::size_t>(block.size(), static_cast<std::size_t>(length)));
  HeldBlock held(block);
  const auto part = archive.format->verify_part(archive, {.digests = true});
  std::vector<Finding> findings;
  FONDS_CHECK(part->check(held, *open.record, findings));
  return std::none_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.code.starts_with("digest-mismatch");
  });
}

}  // namespace fonds::index
