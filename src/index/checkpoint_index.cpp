#include "index/checkpoint_index.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/formats/warc.hpp>

#include "index/companions.hpp"

namespace fonds::index {
namespace {

using Verdict = RecordHint::Verdict;

// The reference builder's distances can lead some bytes into the record
// (docs/formats/clueweb-checkpoints.md, "Distances").
constexpr std::uint64_t kMostTooFar = 8;

// The id under which a builder may have entered the record.
bool has_id(const Record& record, std::string_view id) {
  const auto view = warc::RecordView::of(record);
  return (view && view->trec_id() == id) || record.id() == id;
}

// Looks for `id` from the document `landing` on (empty: from the first record) to `next` (empty:
// to the end).
struct Judge {
  std::string id, landing, next;
  bool landed;

  Verdict operator()(const Record* record) {
    if (record == nullptr) {
      return landed ? Verdict::NotHere : Verdict::Next;
    }
    if (!landed && !has_id(*record, landing)) {
      return Verdict::Next;
    }
    landed = true;
    if (has_id(*record, id)) {
      return Verdict::Here;
    }
    return !next.empty() && has_id(*record, next) ? Verdict::NotHere : Verdict::GoOn;
  }
};

class CheckpointIndex final : public RecordIndex, public TellsRange {
 public:
  explicit CheckpointIndex(std::shared_ptr<const CheckpointFile> file) : file_(std::move(file)) {}

  const std::string& name() const override { return file_->name(); }

  Result<std::vector<RecordHint>> find(const Archive& /*archive*/, const Key& key) const override {
    std::vector<RecordHint> hints;
    const bool by_id = key.kind == Key::Kind::Id || key.kind == Key::Kind::Bare;
    if (!by_id || key.text.size() != kCheckpointId || !file_->ids_ascend() || file_->size() == 0) {
      return hints;
    }
    // The checkpoint before is asked too, in case this one is damaged.
    const auto last = file_->find_id(key.text);
    const std::string next = last ? id_of(*last + 1) : std::string();
    for (std::size_t i = last ? *last + 1 : 0, n = 0; i > 0 && n < 2; --i, ++n) {
      const auto checkpoint = file_->checkpoint(i - 1);
      if (!checkpoint) {
        continue;
      }
      const auto point = std::make_shared<const SeekPoint>(checkpoint->point);
      const Judge judge{key.text, std::string(file_->head(i - 1).id()), next, false};
      for (const std::uint64_t back : {std::uint64_t{0}, kMostTooFar}) {
        const std::uint64_t skip =
            checkpoint->skip - std::min<std::uint64_t>(back, checkpoint->skip);
        hints.push_back({{point->stored_offset, skip}, point, judge});
      }
    }
    if (!last) {
      hints.push_back({{}, nullptr, Judge{key.text, {}, id_of(0), true}});
    }
    return hints;
  }

  // From one checkpoint to the next, with the byte before, of which a point may need bits. Where
  // the last one ends is not known.
  Result<ByteRange> range(const Archive& /*archive*/, const Key& key) const override {
    const bool by_id = key.kind == Key::Kind::Id || key.kind == Key::Kind::Bare;
    const auto last = by_id ? file_->find_id(key.text) : std::nullopt;
    if (!last || *last + 1 >= file_->size()) {
      return ByteRange{};
    }
    const std::uint64_t begin = file_->head(*last).stored_offset - 1;
    return ByteRange{begin, file_->head(*last + 1).stored_offset - begin};
  }

 private:
  std::string id_of(std::size_t i) const {
    return i < file_->size() ? std::string(file_->head(i).id()) : std::string();
  }

  std::shared_ptr<const CheckpointFile> file_;
};

}  // namespace

std::shared_ptr<const RecordIndex> checkpoint_index(std::shared_ptr<const CheckpointFile> file) {
  return std::make_shared<CheckpointIndex>(std::move(file));
}

}  // namespace fonds::index
