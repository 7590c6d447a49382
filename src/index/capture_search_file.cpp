#include "index/capture_search_file.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fonds/bytes.hpp>

#include "index/capture.hpp"
#include "index/line_file.hpp"
#include "index/zipnum.hpp"
#include "io/remote/url.hpp"

namespace fonds::index {
namespace {

constexpr std::size_t kBeginning = std::size_t{64} << 10;
constexpr std::string_view kGzip = "\x1f\x8b";

tl::unexpected<Error> unsupported(const char* what, const std::string& name) {
  return fail(ErrorCode::Unsupported, what, {.source = name});
}

Result<CaptureFile> open_zipnum(std::shared_ptr<ByteSource> secondary) {
  const std::string name = secondary->name();
  FONDS_TRY(auto zipnum, ZipNum::open(std::move(secondary), blocks_beside(name)));
  const auto cursor = zipnum->lines();
  FONDS_TRY(const bool any, cursor->next());
  std::optional<LineLayout> layout = LineLayout{};
  if (any) {
    layout = recognize_layout(std::string(cursor->line()) + "\n");
  }
  if (!layout || (!layout->cdxj && layout->delimiter != zipnum->delimiter())) {
    return unsupported("the blocks of this ZipNum hold no CDX or CDXJ", name);
  }
  return CaptureFile{name, std::move(zipnum), *layout};
}

// "index.idx" of "index.cdx.gz".
std::optional<std::string> secondary_beside(const std::string& blocks) {
  if (remote::is_url(blocks)) {
    const auto url = remote::parse_url(blocks);
    const std::string name = url ? remote::file_name(*url) : std::string();
    // The two endings that such files have; a look at each would cost a request.
    for (const std::string_view ending : {".cdx.gz", ".cdxj.gz"}) {
      if (name.ends_with(ending)) {
        const std::string stem = name.substr(0, name.size() - ending.size());
        return remote::beside(*url, stem + ".idx").text();
      }
    }
    return std::nullopt;
  }
  std::filesystem::path path(blocks);
  for (path.replace_extension(); path.has_extension(); path.replace_extension()) {
    std::filesystem::path secondary = path;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(secondary.replace_extension(".idx"), ignored)) {
      return secondary.native();
    }
  }
  return std::nullopt;
}

}  // namespace

Result<CaptureFile> open_capture_file(std::shared_ptr<ByteSource> source) {
  const std::string name = source->name();
  if (!source->random_access()) {
    return unsupported("an index of captures is searched, which a pipe cannot be", name);
  }
  std::vector<std::byte> beginning(kBeginning);
  FONDS_TRY(const std::size_t size, source->read_at(0, beginning));
  const std::string_view head = as_text(ByteView(beginning).first(size));
  if (head.starts_with(kGzip)) {
    const auto secondary = secondary_beside(name);
    if (!secondary) {
      return unsupported(
          "is compressed and has no .idx beside it; gzip -d makes an index that can be searched",
          name);
    }
    FONDS_TRY(source, open_source(*secondary));
    return open_zipnum(std::move(source));
  }
  if (ZipNum::recognize(head)) {
    return open_zipnum(std::move(source));
  }
  const auto layout = recognize_layout(head);
  if (!layout) {
    return unsupported("is no CDX, CDXJ or ZipNum", name);
  }
  FONDS_TRY(LineFile lines, LineFile::open(std::move(source), layout->delimiter));
  return CaptureFile{name, std::make_unique<LineFile>(std::move(lines)), *layout};
}

}  // namespace fonds::index
