#include "format/common/block_fields.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace fonds {
namespace {

class BlockFieldReader final : public FieldReader {
 public:
  BlockFieldReader(std::span<const BlockField> table, std::span<const query::Path> wanted)
      : stages_(wanted.size(), FieldStage::Header) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (asks_content(wanted[i])) {
        stages_[i] = FieldStage::Content;
      } else if (asks_fields(wanted[i])) {
        resolve(i, table, wanted[i]);
      }
    }
  }

  FieldStage stage(std::size_t wanted) const override { return stages_[wanted]; }

  Status read(FieldStage stage, RecordReader& /*reader*/, const Record& record,
              FieldSink& out) override {
    if (stage == FieldStage::Header) {
      for (const Asked& asked : asked_) {
        asked.field->tell(record, FieldTeller(out, asked.wanted, asked.field->info.name));
      }
    }
    return {};
  }

 private:
  struct Asked {
    std::size_t wanted;
    const BlockField* field;
  };

  void resolve(std::size_t i, std::span<const BlockField> table, const query::Path& path) {
    const bool wildcard = std::any_of(path.steps.begin(), path.steps.end(),
                                      [](const query::PathStep& step) { return step.wildcard; });
    for (const BlockField& field : table) {
      if (field.tell != nullptr && !(wildcard && field.place) &&
          names_field(path, field.info.name)) {
        asked_.push_back({i, &field});
      }
    }
  }

  std::vector<FieldStage> stages_;
  std::vector<Asked> asked_;
};

}  // namespace

std::vector<FieldInfo> infos_of(std::span<const BlockField> table) {
  std::vector<FieldInfo> infos;
  for (const BlockField& field : table) {
    infos.push_back(field.info);
  }
  return infos;
}

std::unique_ptr<FieldReader> make_block_field_reader(std::span<const BlockField> table,
                                                     std::span<const query::Path> wanted) {
  return std::make_unique<BlockFieldReader>(table, wanted);
}

}  // namespace fonds
