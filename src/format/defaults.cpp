// What a format does that does not say otherwise.
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <fonds/byte_sink.hpp>
#include <fonds/error.hpp>
#include <fonds/format.hpp>
#include <fonds/writing.hpp>

namespace fonds {

Status Format::describe(const Archive& /*archive*/, const ReadOptions& /*options*/, bool /*deep*/,
                        AttributeSink& /*out*/,
                        const std::function<void(const Finding&)>& /*finding*/) const {
  return {};
}

std::uint64_t Format::find_start(const Archive& archive, std::uint64_t from,
                                 std::uint64_t to) const {
  return archive.codec().find_unit(*archive.source->view(), from, to, record_probe());
}

Result<std::vector<Place>> Format::locate(const Archive& /*archive*/,
                                          std::span<const std::uint64_t> /*ordinals*/) const {
  return std::vector<Place>();
}

Result<std::unique_ptr<RecordWriter>> FormatWriting::create(ByteSink& /*sink*/,
                                                            const WriteOptions& /*options*/) const {
  return fail(ErrorCode::Unsupported, "this format cannot be written");
}

Result<RewriteReport> FormatWriting::merge(std::span<const Archive> /*archives*/,
                                           ByteSink& /*sink*/,
                                           const RewriteOptions& /*options*/) const {
  return fail(ErrorCode::Unsupported, "this format cannot be merged");
}

Result<RewriteReport> FormatWriting::split(const Archive& /*archive*/, std::uint64_t /*size*/,
                                           const NextPart& /*next_part*/,
                                           const RewriteOptions& /*options*/) const {
  return fail(ErrorCode::Unsupported, "this format cannot be split");
}

Result<RewriteReport> FormatWriting::repair(const Archive& /*archive*/, ByteSink& /*sink*/,
                                            const RewriteOptions& /*options*/) const {
  return fail(ErrorCode::Unsupported, "this format cannot be repaired");
}

Result<std::uint64_t> FormatWriting::index(const Archive& /*archive*/, std::string_view /*type*/,
                                           ByteSink& /*sink*/,
                                           const RewriteOptions& /*options*/) const {
  return fail(ErrorCode::Unsupported, "this format has no index");
}

std::string_view FormatWriting::index_ending(std::string_view /*type*/) const { return {}; }

}  // namespace fonds
