#include "index/capture_maker.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "format/common/http_message.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/record.hpp"
#include "index/capture.hpp"
#include "index/request_query.hpp"
#include "index/surt.hpp"

namespace fonds::index {
namespace {
using warc::WarcRecord;

constexpr std::size_t kBlockPiece = std::size_t{64} << 10;

const WarcRecord* as_warc(const Record& record) {
  return record.format() == "warc" || record.format() == "arc"
             ? &static_cast<const WarcRecord&>(record)
             : nullptr;
}

void clear(Capture& capture) {
  for (std::string* member :
       {&capture.key, &capture.timestamp, &capture.url, &capture.mime, &capture.status,
        &capture.digest, &capture.redirect, &capture.robots, &capture.filename, &capture.method,
        &capture.request_body, &capture.record_digest}) {
    member->clear();
  }
  capture.length.reset();
  capture.offset.reset();
  capture.inner.reset();
  capture.others.clear();
}

// The 14 digits of a moment; what it leaves open is its start.
void append_timestamp(std::string& out, const Date& date) {
  constexpr std::string_view kEarliest = "00000101000000";
  const std::size_t begin = out.size();
  for (const char c : date.to_string()) {
    if (c >= '0' && c <= '9' && out.size() < begin + kEarliest.size()) {
      out += c;
    }
  }
  out.append(kEarliest.substr(out.size() - begin));
}

// The record's type as captures see it: all records of an ARC are responses.
std::string_view type_of(const WarcRecord& record) {
  const warc::Header& header = record.header;
  return header.dialect == warc::Dialect::Arc && !header.arc_header ? "response" : header.type;
}

// A media type without its parameters.
std::string_view without_parameters(std::string_view type) {
  return type.substr(0, type.find_first_of("; \t\r\n\v\f"));
}

std::string_view media_type(const WarcRecord& record) {
  const std::string_view type = type_of(record);
  if (type == "revisit") {
    return "warc/revisit";
  }
  if (type == "response" || type == "request") {
    return record.has_http ? without_parameters(record.http.get("Content-Type"))
                           : std::string_view();
  }
  return without_parameters(record.header.content_type);
}

// The text of the number in the status line.
std::string status_of(const WarcRecord& record) {
  const std::string_view type = type_of(record);
  const bool told = (type == "response" || type == "revisit") && record.has_http;
  return told && record.http.status != 0 ? std::to_string(record.http.status) : std::string();
}

bool has_body_method(const WarcRecord& record) {
  const std::string method = to_lower(record.http.method);
  return record.has_http && (method == "post" || method == "put");
}

std::string to_upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') {
      c = static_cast<char>(c - 'a' + 'A');
    }
  }
  return upper;
}

// The query of a request with this body, which has lost its head.
std::string query_of(const WarcRecord& request, std::string body, std::uint64_t max_body) {
  const http::Head& head = request.http;
  if (http::has_transfer_coding(head) || http::has_content_coding(head)) {
    if (auto decoded = http::decode_content(head, as_bytes(body), max_body)) {
      body = std::move(decoded->bytes);
    }
  }
  // What the client said is its body counts; without a word of it, so much as peers look at.
  constexpr std::uint64_t kUnsaid = 8192;
  const std::uint64_t said = head.has("Content-Length")
                                 ? parse_number(trim(head.get("Content-Length"))).value_or(0)
                                 : kUnsaid;
  body.resize(static_cast<std::size_t>(std::min<std::uint64_t>(body.size(), said)));
  return request_query(head.get("Content-Type"), body);
}

}  // namespace

CaptureMaker::CaptureMaker(const Archive& archive, CaptureOptions options)
    : archive_(archive), options_(std::move(options)), plain_(archive.codec().name() == "none") {}

ReadOptions CaptureMaker::read_options(ReadOptions given, const CaptureOptions& options) {
  given.skim = !given.search_damaged;
  given.http = true;
  given.http_requests = options.all || options.post_append;
  return given;
}

bool CaptureMaker::wants(const WarcRecord& record) const {
  if (options_.all) {
    return true;
  }
  const std::string_view type = type_of(record);
  if (type == "resource" || type == "metadata") {
    return record.header.content_type != "application/warc-fields";
  }
  return type == "response" || type == "revisit";
}

void CaptureMaker::describe(const WarcRecord& record, Capture& capture) const {
  const warc::Header& header = record.header;
  if (!header.arc_header) {
    capture.url = to_utf8(header.uri);
  }
  append_surt(capture.key, capture.url);
  append_timestamp(capture.timestamp, *header.date.value);
  capture.mime = media_type(record);
  capture.status = status_of(record);
  capture.digest = header.payload_digest;
  capture.filename = options_.filename;
}

// Reads the block: for the digest of the payload as it is stored, and to keep it.
Status CaptureMaker::read_body(RecordReader& reader, const WarcRecord& record, bool digest,
                               std::string* body) {
  std::size_t head = record.has_http ? record.http.length : 0;
  while (true) {
    FONDS_TRY(const ByteView piece, reader.peek_block(kBlockPiece));
    if (piece.empty()) {
      return {};
    }
    const std::size_t passed = std::min(head, piece.size());
    head -= passed;
    const ByteView payload = piece.subspan(passed);
    if (digest) {
      sha1_.update(payload);
    }
    if (body != nullptr && body->size() < options_.max_body) {
      const std::uint64_t room = options_.max_body - body->size();
      body->append(as_text(payload).substr(0, static_cast<std::size_t>(room)));
    }
    reader.consume_block(piece.size());
  }
}

// `length` is that of the header then: what add_length() goes on from.
void CaptureMaker::add_place(const WarcRecord& record, Capture& capture) const {
  if (archive_.codecs.size() > 1) {
    return;  // compressed twice: no place can be read from
  }
  capture.offset = record.place.unit;
  if (plain_ && record.header.complete) {
    capture.length = record.header.length;
  } else if (!plain_ && record.place.inner > 0) {
    capture.inner = record.place.inner;
  }
}

void CaptureMaker::add_length(const RecordEnd& end, Capture& capture) const {
  if (!plain_) {
    capture.length = capture.offset ? end.stored_length : std::nullopt;
  } else if (capture.length && end.length) {
    *capture.length += *end.length;
  } else {
    capture.length.reset();
  }
}

Status CaptureMaker::add_record_digest(Capture& capture) {
  if (!capture.offset || !capture.length || capture.inner || !archive_.source->random_access()) {
    return {};
  }
  std::uint64_t at = *capture.offset, left = *capture.length;
  std::string buffer;
  const auto view = archive_.source->view();
  while (left > 0) {
    ByteView piece;
    if (view) {
      piece =
          at < view->size() ? view->subspan(at).first(std::min(left, view->size() - at)) : piece;
    } else {
      buffer.resize(static_cast<std::size_t>(std::min<std::uint64_t>(left, kBlockPiece)));
      FONDS_TRY(const std::size_t n,
                archive_.source->read_at(
                    at, {reinterpret_cast<std::byte*>(buffer.data()), buffer.size()}));
      piece = as_bytes(buffer).first(n);
    }
    if (piece.empty()) {
      break;
    }
    sha256_.update(piece);
    at += piece.size();
    left -= piece.size();
  }
  const DigestValue digest = sha256_.finish();
  capture.record_digest = "sha256:" + to_hex(ByteView(digest.bytes).first(digest.size));
  return {};
}

// Passes over the record, and fills `capture` if it is wanted, `query` if there is one.
Status CaptureMaker::take_one(RecordReader& reader, const WarcRecord& record, bool wanted,
                              std::string* query, Capture& capture, RecordEnd& end) {
  bool digest = false;
  if (wanted) {
    clear(capture);
    describe(record, capture);
    const std::string_view type = type_of(record);
    digest = capture.digest.empty() && type != "warcinfo" && type != "revisit";
  }
  if (digest || query != nullptr) {
    std::string body;
    FONDS_CHECK(read_body(reader, record, digest, query == nullptr ? nullptr : &body));
    if (query != nullptr) {
      *query = query_of(record, std::move(body), options_.max_body);
    }
  }
  if (digest) {
    const DigestValue value = sha1_.finish();
    capture.digest = "sha1:" + to_base32(ByteView(value.bytes).first(value.size));
  }
  if (wanted) {
    add_place(record, capture);
  }
  FONDS_TRY(end, reader.finish());
  if (wanted) {
    add_length(end, capture);
    if (options_.record_digest) {
      FONDS_CHECK(add_record_digest(capture));
    }
  }
  return {};
}

Result<std::span<const Capture>> CaptureMaker::take(RecordReader& reader, const Record& record,
                                                    RecordEnd& end) {
  count_ = 0;
  const WarcRecord* const warc = as_warc(record);
  if (warc == nullptr) {
    FONDS_TRY(end, reader.finish());
    return std::span<const Capture>();
  }
  bool wanted = wants(*warc);
  if (wanted && !warc->header.date.value) {
    wanted = false;
    ++undated_;
  }
  if (options_.post_append) {
    FONDS_CHECK(take_joinable(reader, *warc, wanted, end));
  } else {
    if (made_.empty()) {
      made_.emplace_back();
    }
    FONDS_CHECK(take_one(reader, *warc, wanted, nullptr, made_.front(), end));
    count_ = wanted ? 1 : 0;
  }
  return std::span<const Capture>(made_).first(count_);
}

void CaptureMaker::put(Capture& capture) {
  if (count_ == made_.size()) {
    made_.emplace_back();
  }
  std::swap(made_[count_++], capture);
}

Status CaptureMaker::take_joinable(RecordReader& reader, const WarcRecord& record, bool wanted,
                                   RecordEnd& end) {
  const warc::Header& header = record.header;
  Joinable now;
  now.valid = true;
  now.wanted = wanted;
  now.type = header.type;
  now.uri = header.uri;
  now.id = header.id;
  now.concurrent_to.assign(header.concurrent_to.begin(), header.concurrent_to.end());
  const bool with_body = header.type == "request" && has_body_method(record);
  if (with_body) {
    now.method = record.http.method;
  }
  FONDS_CHECK(take_one(reader, record, wanted, with_body ? &now.query : nullptr, now.capture, end));
  const auto names = [](const Joinable& one, const Joinable& other) {
    return !other.id.empty() && std::find(one.concurrent_to.begin(), one.concurrent_to.end(),
                                          other.id) != one.concurrent_to.end();
  };
  const bool pair = before_.valid && !now.uri.empty() && before_.uri == now.uri &&
                    ((before_.type == "request" && now.type == "response") ||
                     (before_.type == "response" && now.type == "request")) &&
                    (names(before_, now) || names(now, before_));
  if (pair) {
    Joinable& request = now.type == "request" ? now : before_;
    Joinable& response = now.type == "request" ? before_ : now;
    if (!request.method.empty()) {
      const std::string key = surt(now.uri + method_suffix(now.uri, request.method, request.query));
      request.capture.key = response.capture.key = key;
      response.capture.method = to_upper(request.method);
      response.capture.request_body = std::move(request.query);
    }
  }
  if (before_.valid && before_.wanted) {
    put(before_.capture);
  }
  before_ = std::move(now);
  if (pair) {
    if (before_.wanted) {
      put(before_.capture);
    }
    before_.valid = false;
  }
  return {};
}

std::span<const Capture> CaptureMaker::finish() {
  count_ = 0;
  if (std::exchange(before_.valid, false) && before_.wanted) {
    put(before_.capture);
  }
  return std::span<const Capture>(made_).first(count_);
}

}  // namespace fonds::index
