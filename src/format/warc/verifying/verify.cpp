// What `verify` checks on one record of the WARC family while it is read: its header, digests, HTTP
// framing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "format/common/http_message.hpp"
#include "format/warc/format.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/parts.hpp"
#include "format/warc/reading/payload.hpp"
#include "format/warc/reading/record.hpp"
#include "format/warc/verifying/verify_facts.hpp"
#include "format/warc/verifying/verify_fields.hpp"

namespace fonds::warc {
namespace {

constexpr std::uint64_t kLargestSegmentKept = std::uint64_t{16} << 20;

class Part final : public VerifyPartWithFacts {
 public:
  Part(const Archive& archive, const VerifyOptions& options)
      : options_(options), stored_plain_(archive.codec().name() == "none") {}

  Status check(RecordReader& reader, const Record& generic, std::vector<Finding>& out) override {
    const auto& record = static_cast<const WarcRecord&>(generic);
    const Header& header = record.header;
    where_ = {.stored_offset = record.place.unit};
    out_ = &out;
    held_ = 0;
    const LabelledDigest block =
        options_.digests ? parse_digest(header.block_digest) : LabelledDigest{};
    const LabelledDigest payload =
        options_.digests ? parse_digest(header.payload_digest) : LabelledDigest{};
    fields_ = header.fields;
    segments_before_ = facts_.segments.size();
    remember(record, payload, facts_);
    if (!header.complete) {
      return {};
    }
    verify::Findings findings(out, where_);
    verify::check_header({.header = header,
                          .ordinal = record.ordinal,
                          .stored_offset = record.place.unit,
                          .stored_plain = stored_plain_,
                          .crlf = as_text(record.raw_header()).ends_with("\r\n")},
                         facts_.lacks, findings);
    const bool wants_block = announce(header.block_digest, block, "block");
    bool wants_payload = announce(header.payload_digest, payload, "payload");
    if (header.type == "revisit" && !header.payload_digest.empty()) {
      add("revisit-payload-not-checked", "the payload digest is that of the original");
      wants_payload = false;
    }
    wants_payload = wants_payload && !is_part_of_record(header);
    return read_block(reader, record, wants_block ? &block : nullptr,
                      wants_payload ? &payload : nullptr);
  }

  void end(const Record& generic, const RecordEnd& end, std::vector<Finding>& out) override {
    const auto& record = static_cast<const WarcRecord&>(generic);
    if (!record.header.complete || record.header.dialect == Dialect::Arc) {
      return;
    }
    verify::Findings findings(out, where_);
    verify::check_closing(end.closing, findings);
  }

  std::size_t held() const override { return held_; }

 private:
  void add(std::string_view code, std::string message) {
    out_->push_back(make_finding(code, std::move(message), where_));
  }

  // Says what is wrong with a digest as text. True if its value can be compared.
  bool announce(std::string_view text, const LabelledDigest& digest, std::string_view what) {
    const bool there = options_.digests && (!text.empty() || has_empty_field(what));
    if (!there) {
      return false;
    }
    switch (digest.state) {
      case LabelledDigest::State::Good:
        return true;
      case LabelledDigest::State::Unsupported:
        add("digest-unsupported",
            fmt::format("{} digest {}", what, escape_for_terminal(to_utf8(text))));
        return false;
      case LabelledDigest::State::Malformed:
        add("digest-malformed",
            fmt::format("{} digest {}", what, escape_for_terminal(to_utf8(text))));
        return false;
    }
    return false;
  }

  bool has_empty_field(std::string_view what) const {
    const std::string_view name = what == "block" ? "WARC-Block-Digest" : "WARC-Payload-Digest";
    return std::any_of(fields_.begin(), fields_.end(),
                       [&](const Field& field) { return equals_ignoring_case(field.name, name); });
  }

  Status read_block(RecordReader& reader, const WarcRecord& record, const LabelledDigest* block,
                    const LabelledDigest* payload) {
    const bool http = is_http(record.header);
    const std::uint64_t length = record.block_length.value_or(0);
    const bool keep_segment =
        facts_.segments.size() > segments_before_ && length <= kLargestSegmentKept;
    const bool text = verify::wants_block_text(record.header, length);
    // HTTP payloads and named fields are looked at as a whole, where they are not too large; all
    // else is hashed as it comes.
    if ((http && length <= options_.max_payload) || keep_segment || text) {
      FONDS_TRY(const ByteView whole, reader.peek_block(static_cast<std::size_t>(length)));
      if (text && whole.size() == length) {
        verify::Findings findings(*out_, where_);
        verify::check_block_text(record.header, as_text(whole), findings);
      }
      check_whole(record, whole, block, payload, http);
      if (keep_segment) {
        facts_.segments.back().block.assign(as_text(whole));
        facts_.segments.back().kept = true;
        held_ = whole.size();
      }
      reader.consume_block(whole.size());
      return {};
    }
    return hash_stream(reader, record, block, payload, http);
  }

  // Hashes a block that is too large to be held. The payload of an HTTP message is hashed as
  // stored.
  Status hash_stream(RecordReader& reader, const WarcRecord& record, const LabelledDigest* block,
                     const LabelledDigest* payload, bool http) {
    std::uint64_t head = 0;
    if (http && payload != nullptr) {
      FONDS_TRY(const ByteView beginning, reader.peek_block(std::size_t{64} << 10));
      const auto expect =
          record.header.type == "request" ? http::Expect::Request : http::Expect::Response;
      http::parse_head(beginning.first(std::min(beginning.size(), std::size_t{64} << 10)), expect,
                       true, head_);
      head = head_.length;
    }
    const std::string_view type = record.header.type;
    if (type != "resource" && type != "conversion" && type != "response" && type != "request") {
      payload = nullptr;
    }
    Hasher* block_hasher = block != nullptr ? &hasher(block_hasher_, block->algorithm) : nullptr;
    Hasher* payload_hasher =
        payload != nullptr ? &hasher(payload_hasher_, payload->algorithm) : nullptr;
    std::uint64_t seen = 0;
    while (true) {
      FONDS_TRY(const ByteView piece, reader.peek_block(1));
      if (piece.empty()) {
        break;
      }
      if (block_hasher != nullptr) {
        block_hasher->update(piece);
      }
      if (payload_hasher != nullptr && seen + piece.size() > head) {
        payload_hasher->update(
            piece.subspan(static_cast<std::size_t>(head - std::min(head, seen))));
      }
      seen += piece.size();
      reader.consume_block(piece.size());
    }
    const bool whole = seen == record.block_length;
    if (block_hasher != nullptr) {
      judge(record, "block", block_hasher->finish() == block->value, whole);
    }
    if (payload_hasher != nullptr) {
      const bool fits = payload_hasher->finish() == payload->value;
      const bool coded =
          http && (http::has_transfer_coding(head_) || http::has_content_coding(head_));
      if (!fits && block != nullptr && block->value == payload->value) {
        add_digest_of_block();
      } else if (!fits && coded) {
        Finding finding = make_finding(
            "limit-exceeded",
            fmt::format("the payload does not have its digest as stored; its codings are "
                        "undone only up to {} bytes",
                        options_.max_payload),
            where_);
        finding.severity = Severity::Warning;
        out_->push_back(std::move(finding));
      } else {
        judge(record, "payload", fits, whole);
      }
    }
    return {};
  }

  void check_whole(const WarcRecord& record, ByteView whole, const LabelledDigest* block,
                   const LabelledDigest* payload, bool http) {
    const bool complete = whole.size() == record.block_length;
    if (block != nullptr) {
      judge(record, "block", hash(*block, block_hasher_, whole), complete);
    }
    if (!http) {
      if (payload != nullptr) {
        judge(record, "payload", hash(*payload, payload_hasher_, whole), complete);
      }
      return;
    }
    const auto expect =
        record.header.type == "request" ? http::Expect::Request : http::Expect::Response;
    http::parse_head(whole, expect, true, head_);
    report_head(head_, whole.empty(), where_, *out_);
    const bool partial =
        record.header.type == "revisit" || !complete || is_part_of_record(record.header);
    if (head_.kind == http::Head::Kind::None && payload != nullptr) {
      // A request that begins like a response, or the other way round, has a finding for that; its
      // payload is what stands behind the head all the same.
      http::parse_head(whole, http::Expect::Either, true, head_);
      if (head_.kind != http::Head::Kind::None &&
          !hash(*payload, payload_hasher_, whole.subspan(head_.length))) {
        head_.kind = http::Head::Kind::None;
        head_.length = 0;
      }
    }
    check_payload(record, whole, payload, partial);
  }

  void check_payload(const WarcRecord& record, ByteView whole, const LabelledDigest* payload,
                     bool partial) {
    const ByteView body = whole.subspan(head_.length);
    const bool as_stored = payload != nullptr && hash(*payload, payload_hasher_, body);
    bool transfer_fits = false;
    bool content_fits = false;
    if (!partial && head_.kind != http::Head::Kind::None) {
      report_length(record, head_, body.size(), *out_);
      const auto fits = [&](const http::Decoded& decoded) {
        return payload != nullptr && !as_stored &&
               hash(*payload, payload_hasher_, as_bytes(decoded.bytes));
      };
      if (http::has_transfer_coding(head_)) {
        if (const auto decoded = http::decode_transfer(head_, body, options_.max_payload)) {
          report_transfer(record, *decoded, *out_);
          transfer_fits = fits(*decoded);
        } else {
          add_limit();
        }
      }
      if (http::has_content_coding(head_)) {
        if (const auto decoded = http::decode_content(head_, body, options_.max_payload)) {
          report_content(record, head_, *decoded, *out_);
          content_fits = fits(*decoded);
        } else {
          add_limit();
        }
      }
    }
    if (payload == nullptr) {
      return;
    }
    if (!as_stored && (transfer_fits || content_fits)) {
      add("digest-match-after-decoding", "the payload digest is that of the decoded payload");
      return;
    }
    if (!as_stored && !partial && hash(*payload, payload_hasher_, whole)) {
      add_digest_of_block();
      return;
    }
    judge(record, "payload", as_stored, !partial);
  }

  void add_digest_of_block() {
    // ClueWeb09 and some crawlers write such digests; the block is proved by it.
    add("digest-mismatch", "the payload digest is that of the whole block");
    out_->back().severity = Severity::Warning;
  }

  void add_limit() {
    add("limit-exceeded",
        fmt::format("the payload decodes to more than {} bytes", options_.max_payload));
  }

  bool hash(const LabelledDigest& digest, std::optional<Hasher>& slot, ByteView bytes) {
    Hasher& h = hasher(slot, digest.algorithm);
    h.update(bytes);
    return h.finish() == digest.value;
  }

  static Hasher& hasher(std::optional<Hasher>& slot, DigestAlgorithm algorithm) {
    if (!slot || slot->algorithm() != algorithm) {
      slot.emplace(algorithm);
    }
    return *slot;
  }

  void judge(const WarcRecord& record, std::string_view what, bool fits, bool whole) {
    if (fits || !whole) {
      return;  // a block that was cut has its own finding
    }
    const std::string_view stored =
        what == "block" ? record.header.block_digest : record.header.payload_digest;
    add(record.header.truncated.empty() ? "digest-mismatch" : "digest-mismatch-truncated",
        fmt::format("the {} does not have its digest {}", what,
                    escape_for_terminal(to_utf8(stored))));
  }

  VerifyOptions options_;
  bool stored_plain_;
  std::size_t held_ = 0;  // of a segment
  Location where_;
  std::vector<Finding>* out_ = nullptr;
  std::span<const Field> fields_;
  std::size_t segments_before_ = 0;
  http::Head head_;
  std::optional<Hasher> block_hasher_, payload_hasher_;
};

}  // namespace

std::unique_ptr<VerifyPart> make_verify_part(const Archive& archive, const VerifyOptions& options) {
  return std::make_unique<Part>(archive, options);
}

}  // namespace fonds::warc
