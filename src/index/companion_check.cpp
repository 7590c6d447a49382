#include "index/companion_check.hpp"

#include <memory>
#include <utility>

#include "index/capture_check.hpp"
#include "index/checkpoint.hpp"
#include "index/checkpoint_verify.hpp"
#include "index/companion_kind.hpp"
#include "index/gzidx.hpp"

namespace fonds::index {
namespace {

void hand_on(std::span<const Finding> findings,
             const std::function<void(const Finding&)>& on_finding) {
  for (const Finding& finding : findings) {
    on_finding(finding);
  }
}

}  // namespace

Status check_companion(const std::string& path, const Archive& archive, const ReadOptions& options,
                       const std::function<void(const Finding&)>& on_finding) {
  FONDS_TRY(auto file, open_source(path));
  FONDS_TRY(const std::uint64_t size, archive.source->size());
  FONDS_TRY(const CompanionKind kind, companion_kind(*file));
  switch (kind) {
    case CompanionKind::Checkpoints: {
      FONDS_TRY(const auto checkpoints, CheckpointFile::read(std::move(file), size));
      hand_on(checkpoints->findings(), on_finding);
      return verify_checkpoints(*archive.source, *checkpoints, on_finding);
    }
    case CompanionKind::Gzidx: {
      FONDS_TRY(const auto points, GzidxFile::read(std::move(file), size));
      hand_on(points->findings(), on_finding);
      return {};
    }
    case CompanionKind::Captures:
      break;
  }
  FONDS_TRY(const CaptureFile captures, open_capture_file(std::move(file)));
  FONDS_CHECK(verify_captures(captures, archive, options, on_finding));
  return {};
}

}  // namespace fonds::index
