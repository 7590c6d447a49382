#include "io/remote/upload.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <pugixml.hpp>

#include "base/uuid.hpp"
#include "io/remote/s3_error.hpp"

namespace fonds {
namespace remote {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kFirstParts = 8 * kMiB;
constexpr std::uint32_t kPartsOfOneSize = 1000;
constexpr std::size_t kMostUnderWay = 4;
constexpr std::uint64_t kBytesUnderWay = 64 * kMiB;
constexpr const char* kMark = "x-amz-meta-fonds-write";
// Of asking the server to forget: who has interrupted the program waits for it.
using Clock = std::chrono::steady_clock;
constexpr unsigned kForgetTries = 4;
constexpr std::chrono::seconds kForgetTime(5);
constexpr std::chrono::milliseconds kPartsTime(5000), kPartsTimeIfCancelled(500);

void put_escaped(std::string& xml, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&':
        xml += "&amp;";
        break;
      case '<':
        xml += "&lt;";
        break;
      case '>':
        xml += "&gt;";
        break;
      default:
        xml += c;
    }
  }
}

}  // namespace

std::size_t part_size(std::uint32_t number) {
  const std::size_t step = (number - 1) / kPartsOfOneSize;
  return kFirstParts + 19 * kMiB * step * step;
}

Result<std::string> parse_upload_id(std::string_view xml) {
  pugi::xml_document document;
  const auto parsed = document.load_buffer(xml.data(), xml.size());
  std::string id = document.child("InitiateMultipartUploadResult").child_value("UploadId");
  if (!parsed || id.empty()) {
    return fail(ErrorCode::Corrupt, "the reply is no InitiateMultipartUploadResult");
  }
  return id;
}

std::string emit_completion(const std::vector<std::string>& etags) {
  std::string xml = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
  for (std::size_t i = 0; i < etags.size(); ++i) {
    xml += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>", i + 1);
    put_escaped(xml, etags[i]);
    xml += "</ETag></Part>";
  }
  return xml + "</CompleteMultipartUpload>";
}

Upload::Upload(Session& session, Url url, bool replace)
    : session_(session), url_(std::move(url)), name_(shown(url_)), replace_(replace) {}

Upload::~Upload() { static_cast<void>(abandon()); }

Result<std::unique_ptr<Upload>> Upload::create(Session& session, Url url, bool replace) {
  std::unique_ptr<Upload> upload(new Upload(session, std::move(url), replace));
  FONDS_TRY(upload->mark_, random_uuid());
  FONDS_CHECK(upload->look());
  return upload;
}

Question Upload::question(std::string_view method, std::string what) const {
  return {.method = std::string(method), .url = url_, .what = std::move(what), .deed = "written"};
}

std::string Upload::upload_query() const {
  return fmt::format("uploadId={}", percent_encoded(upload_id_, false));
}

// A request for a byte instead of a HEAD, whose reply says no reason.
Status Upload::look() {
  Question first = question("GET", "the object");
  first.headers = {"Range: bytes=0-0"};
  first.answers = {200, 206, 403, 404, 416};
  first.deed = "looked for";
  Exchange exchange(session_, std::move(first));
  FONDS_CHECK(exchange.start());
  FONDS_TRY(const Answer answer, exchange.finish());
  const int status = answer.head.status;
  const auto error = parse_s3_error(answer.body);
  const std::string code = error ? error->code : std::string();
  if (status == 404 && (code.empty() || code == "NoSuchKey")) {
    return {};
  }
  if (status == 404 || (status == 403 && code != "AccessDenied" && code != "InvalidObjectState")) {
    return exchange.refuse(answer);
  }
  if (replace_) {
    return {};
  }
  // Who may write need not be allowed to look.
  if (status == 403 && code == "AccessDenied") {
    return fail(ErrorCode::Io,
                "may be there already, which these keys are not allowed to see; --force writes it",
                {.source = name_});
  }
  return fail(ErrorCode::BadArgument, "is there already; --force replaces it", {.source = name_});
}

Status Upload::write(ByteView bytes) {
  while (!bytes.empty()) {
    const std::size_t size = part_size(parts_ + 1);
    if (buffer_.size() == size) {
      FONDS_CHECK(send_part());
      continue;
    }
    buffer_.reserve(size);
    const std::size_t n = std::min(bytes.size(), size - buffer_.size());
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
    bytes = bytes.subspan(n);
    position_ += n;
  }
  return {};
}

Result<std::shared_ptr<ByteSource>> Upload::written() const {
  return fail(ErrorCode::Unsupported, "an object of S3 cannot be read before it is complete",
              {.source = name_});
}

Status Upload::begin() {
  Question first = question("POST", "the object");
  first.query = "uploads=";
  first.headers = {"Content-Type: application/octet-stream", fmt::format("{}: {}", kMark, mark_)};
  first.body = std::make_shared<const std::vector<std::byte>>();
  FONDS_TRY(const Answer answer, ask(session_, std::move(first)));
  auto id = parse_upload_id(answer.body);
  if (!id) {
    return tl::unexpected(std::move(id.error()).with({.source = name_}));
  }
  upload_id_ = std::move(*id);
  return {};
}

Status Upload::send_part() {
  Status sent = begin_part();
  failed_ = failed_ || !sent;
  return sent;
}

Status Upload::begin_part() {
  if (parts_ == kMostParts) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("{} bytes in {} parts are more than an object of S3 can have",
                            position_, parts_),
                {.source = name_});
  }
  if (upload_id_.empty()) {
    FONDS_CHECK(begin());
  }
  while (!under_way_.empty() && (under_way_.size() == kMostUnderWay ||
                                 bytes_under_way_ + buffer_.size() > kBytesUnderWay)) {
    FONDS_CHECK(settle_part());
  }
  ++parts_;
  Question next = question("PUT", fmt::format("part {}", parts_));
  next.query = fmt::format("partNumber={}&{}", parts_, upload_query());
  next.headers = {"Content-Type: application/octet-stream"};
  Part part = {.exchange = nullptr, .number = parts_, .size = buffer_.size()};
  next.body = std::make_shared<const std::vector<std::byte>>(std::exchange(buffer_, {}));
  part.exchange = std::make_unique<Exchange>(session_, std::move(next));
  FONDS_CHECK(part.exchange->start());
  bytes_under_way_ += part.size;
  under_way_.push_back(std::move(part));
  return {};
}

Status Upload::settle_part() {
  const Part part = std::move(under_way_.front());
  under_way_.pop_front();
  bytes_under_way_ -= part.size;
  FONDS_TRY(const Answer answer, part.exchange->finish());
  const std::string_view etag = answer.head.get("etag");
  if (etag.empty()) {
    return fail(ErrorCode::Io, fmt::format("part {} was taken without an ETag", part.number),
                {.source = name_});
  }
  etags_.emplace_back(etag);
  return {};
}

Status Upload::commit() {
  if (failed_ || ended_) {
    return fail(ErrorCode::Internal, "an object that was given up is to appear", {.source = name_});
  }
  failed_ = true;  // unless all goes well
  Question last;
  if (upload_id_.empty()) {
    last = question("PUT", "the object");
    last.headers = {"Content-Type: application/octet-stream", fmt::format("{}: {}", kMark, mark_)};
    last.body = std::make_shared<const std::vector<std::byte>>(std::exchange(buffer_, {}));
  } else {
    FONDS_CHECK(send_part());
    while (!under_way_.empty()) {
      FONDS_CHECK(settle_part());
    }
    last = question("POST", "the object");
    last.query = upload_query();
    last.headers = {"Content-Type: application/xml"};
    const std::string xml = emit_completion(etags_);
    const ByteView bytes = as_bytes(xml);
    last.body = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
    last.slow = true;
  }
  FONDS_CHECK(appear(std::move(last), !replace_));
  ended_ = true;
  return {};
}

Status Upload::appear(Question last, bool condition) {
  last.answers = {200, 412, 501};
  Question asked = last;
  if (condition) {
    asked.headers.emplace_back("If-None-Match: *");
  }
  Exchange exchange(session_, std::move(asked));
  FONDS_CHECK(exchange.start());
  auto answer = exchange.finish();
  const int status = answer ? answer->head.status : 0;
  if (status == 200) {
    return {};
  }
  if (status == 501 && condition) {  // a server that knows no conditions: look() has to do
    return appear(std::move(last), false);
  }
  const bool cancelled = !answer && answer.error().code() == ErrorCode::Cancelled;
  if (!cancelled && has_appeared()) {
    return {};
  }
  if (!answer) {
    return tl::unexpected(std::move(answer.error()));
  }
  if (status == 412) {
    return fail(ErrorCode::Io, "has come to be there meanwhile; --force replaces it",
                {.source = name_});
  }
  return exchange.refuse(*answer);
}

bool Upload::has_appeared() const {
  Question again = question("GET", "the object");
  again.headers = {"Range: bytes=0-0"};
  again.answers = {200, 206, 416};
  const auto answer = ask(session_, std::move(again));
  return answer && answer->head.get(kMark) == mark_;
}

// A part that the server is about to store when it is told to forget the upload may begin it anew.
bool Upload::let_parts_end() {
  const auto& cancelled = session_.options().cancelled;
  const auto until = Clock::now() + (cancelled && cancelled() ? kPartsTimeIfCancelled : kPartsTime);
  bool all = true;
  for (const Part& part : under_way_) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    all = part.exchange->ends_within(std::max(left, std::chrono::milliseconds(0))) && all;
  }
  under_way_.clear();
  return all;
}

Status Upload::abandon() {
  if (ended_) {
    return {};
  }
  ended_ = true;
  buffer_ = {};
  // Where parts were cut off, once more for what came of them.
  unsigned wanted = let_parts_end() ? 1 : 2;
  if (upload_id_.empty()) {
    return {};
  }
  Question forget = question("DELETE", "the upload");
  forget.query = upload_query();
  forget.answers = {200, 204, 404};
  Exchange exchange(session_, std::move(forget));
  for (unsigned made = 0; made < kForgetTries; ++made) {
    if (!exchange.start()) {
      continue;
    }
    const auto answer = exchange.finish_within(kForgetTime);
    if (answer && (answer->head.status == 404 || --wanted == 0)) {
      return {};
    }
    exchange.abandon();
  }
  return fail(ErrorCode::Io,
              "the server does not answer that it has forgotten the parts of the unfinished upload",
              {.source = name_});
}

}  // namespace remote

Result<std::unique_ptr<ObjectSink>> create_object(std::string_view url, bool replace) {
  FONDS_TRY(remote::Url parsed, remote::parse_url(url));
  if (parsed.scheme != "s3") {
    return fail(
        ErrorCode::Unsupported,
        fmt::format("only files and s3://BUCKET/KEY can be written, not {}://", parsed.scheme),
        {.source = remote::shown(parsed)});
  }
  if (parsed.path.ends_with('/')) {
    return fail(ErrorCode::BadArgument, "names no object: s3://BUCKET/KEY",
                {.source = remote::shown(parsed)});
  }
  FONDS_TRY(remote::Session* const session, remote::Session::get());
  FONDS_TRY(std::unique_ptr<ObjectSink> sink,
            remote::Upload::create(*session, std::move(parsed), replace));
  return sink;
}

}  // namespace fonds
