#include "ops/cat_directory.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "base/digest.hpp"
#include "base/json_writer.hpp"
#include "io/file_sink.hpp"
#include "ops/describe.hpp"

namespace fonds::ops {
namespace {

std::string safe(std::string_view text, std::size_t most) {
  std::string name;
  for (const char c : text.substr(0, most)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_';
    name += plain ? c : '_';
  }
  return name;
}

// "-index.html" out of the last step of a URI's path.
std::string ending(std::string_view uri) {
  uri = uri.substr(0, uri.find_first_of("?#"));
  const std::size_t slash = uri.rfind('/');
  const std::string_view last =
      slash == std::string_view::npos ? std::string_view() : uri.substr(slash + 1);
  if (last.empty()) {
    return {};
  }
  const std::size_t dot = last.rfind('.');
  const std::string stem = safe(last.substr(0, dot), 60);
  return "-" + stem + (dot == std::string_view::npos ? "" : "." + safe(last.substr(dot + 1), 10));
}

}  // namespace

Status CatDirectory::open() {
  std::error_code error;
  std::filesystem::create_directories(options_.directory, error);
  if (error) {
    return fail(ErrorCode::Io, "cannot be made: " + error.message(),
                {.source = options_.directory});
  }
  FONDS_TRY(auto sink, FileSink::create(options_.directory + "/manifest.jsonl", options_.force));
  manifest_.emplace(std::move(sink));
  hasher_.emplace(DigestAlgorithm::Sha256);
  return {};
}

Status CatDirectory::begin(const Record& record, std::uint64_t ordinal) {
  FlatAttributes flat;
  record.describe(flat, false);
  choose_name(
      fmt::format("{:06}-{}", ordinal, safe(record.kind().empty() ? "record" : record.kind(), 20)),
      ending(flat.get("uri")));
  FONDS_TRY(auto sink, FileSink::create(options_.directory + "/" + name_, options_.force));
  file_.emplace(std::move(sink));
  line_.clear();
  JsonWriter json(line_);
  json.begin_object()
      .member("name", std::string_view(name_))
      .member("archive", std::string_view(archive_));
  json.member("index", ordinal).member("offset", record.place.unit);
  for (const std::string_view attribute : {"type", "id", "uri"}) {
    if (const auto value = flat.get(attribute); !value.empty()) {
      json.member(attribute, value);
    }
  }
  return {};
}

Status CatDirectory::write(ByteView piece) {
  if (options_.cancelled && options_.cancelled()) {
    return fail(ErrorCode::Cancelled, "stopped");
  }
  hasher_->update(piece);
  return file_->write(piece);
}

Status CatDirectory::end() {
  FONDS_CHECK(file_->commit(false));
  const DigestValue digest = hasher_->finish();
  line_ += fmt::format(",\"size\":{},\"sha256\":\"{}\"}}\n", file_->position(),
                       to_hex(ByteView(digest.bytes).first(digest.size)));
  file_.reset();
  return manifest_->write(as_bytes(line_));
}

Status CatDirectory::close() { return manifest_->commit(true); }

// Two keys can name one record, and two revisits one original: each gets its file.
void CatDirectory::choose_name(const std::string& begin, const std::string& end) {
  name_ = begin + end;
  for (int n = 2; !used_.insert(name_).second; ++n) {
    name_ = fmt::format("{}-{}{}", begin, n, end);
  }
}

}  // namespace fonds::ops
