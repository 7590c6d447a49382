#include "format/warc/rewriting/dedup.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "format/common/http_message.hpp"
#include "format/common/judge.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/payload.hpp"
#include "format/warc/reading/record.hpp"
#include "format/warc/rewriting/dedup_output.hpp"
#include "format/warc/rewriting/known_payloads.hpp"
#include "format/warc/rewriting/pass.hpp"
#include "format/warc/rewriting/payload_digests.hpp"
#include "format/warc/writing/revisit.hpp"
#include "format/warc/writing/writer.hpp"

namespace fonds::warc {
namespace {

constexpr int kNotModified = 304;

class Dedup {
 public:
  Dedup(const DedupOptions& options, DedupOutput& output)
      : options_(options),
        output_(output),
        known_(options.rewrite.write.memory_budget / 2),
        held_(options.rewrite.write.memory_budget / 8) {
    options_.rewrite.on_finding = [this, &options](const Finding& finding) {
      damage_ = damage_ || is_damage(finding, options.rewrite.strict);
      if (options.rewrite.on_finding) {
        options.rewrite.on_finding(finding);
      }
    };
  }
  Dedup(const Dedup&) = delete;
  Dedup& operator=(const Dedup&) = delete;

  Status learn() {
    if (!options_.known) {
      return {};
    }
    std::uint64_t others = 0;
    FONDS_CHECK(options_.known([&](const KnownPayload& payload) -> Status {
      FONDS_TRY(const bool taken, known_.add(payload));
      others += taken ? 0 : 1;
      return {};
    }));
    count("captures of the index without a SHA-1 and a time, passed over", others);
    return {};
  }

  Status run(const Archive& archive) {
    archive_ = &archive;
    damage_ = false;
    FONDS_TRY(const bool whole, is_whole());
    FONDS_CHECK(output_.begin(archive, whole));
    FONDS_TRY(Pass pass, Pass::open(archive, options_.rewrite));
    pass_ = &pass;
    for (bool first = true;; first = false) {
      state_ = pass.reader().state();
      FONDS_TRY(record_, pass.next());
      if (first) {
        FONDS_CHECK(put_head());
      }
      if (record_ == nullptr) {
        return {};
      }
      if (first && archives_ > 0 && record_->kind() != "warcinfo") {
        count("archives without a warcinfo in front, whose records now stand behind another", 1);
      }
      archives_ += first ? 1 : 0;
      FONDS_CHECK(take());
    }
  }

  RewriteReport report() { return std::move(report_); }

 private:
  // Between damaged records lie stored bytes that belong to none. Where damage is left out, it has
  // to be known before whether there is any.
  Result<bool> is_whole() {
    if (!options_.rewrite.skip_damaged || !archive_->source->random_access()) {
      return true;
    }
    bool whole = true;
    RewriteOptions look = options_.rewrite;
    look.progress = {};
    look.on_finding = [&whole](const Finding& finding) {
      whole = whole && !is_damage(finding, false);
    };
    FONDS_TRY(Pass pass, Pass::open(*archive_, look));
    while (whole) {
      FONDS_TRY(const WarcRecord* const record, pass.next());
      if (record == nullptr) {
        break;
      }
      FONDS_CHECK(pass.finish());
    }
    return whole;
  }

  Status put_head() {
    if (damage_ || !archive_->source->random_access()) {
      return output_.put_head(std::nullopt);
    }
    FONDS_TRY(const std::uint64_t size, archive_->source->size());
    return output_.put_head(record_ == nullptr ? size : record_->place.unit);
  }

  void count(const char* what, std::uint64_t n) {
    if (n > 0) {
      report_.changes[what] += n;
    }
  }

  // Why a record cannot become a revisit whatever its payload is: false.
  bool comparable() const {
    const Header& header = record_->header;
    return header.dialect == Dialect::Modern && header.complete &&
           (header.type == "response" || header.type == "resource") && !header.segment &&
           header.truncated.empty() && header.length_state == Header::LengthState::Good &&
           header.other_lengths.empty() && !header.uri.empty();
  }

  Status take() {
    const Header& header = record_->header;
    if (header.dialect == Dialect::Arc) {
      return fail(ErrorCode::Unsupported,
                  "ARC has no form for references to other records; fonds convert --to warc/1.1 "
                  "makes an archive that has",
                  {.source = archive_->source->name()});
    }
    if (header.dialect == Dialect::Positional &&
        (header.type == "response" || header.type == "resource")) {
      count("records of WARC 00.11 left as they are; fonds convert --to warc/1.1 helps", 1);
    }
    FONDS_CHECK(known_.see(header));
    head_.clear();
    FONDS_TRY(const bool hashes, look_at_head());
    place_ = record_->place;
    const std::uint64_t length = record_->block_length.value_or(0);
    const bool hold = length <= held_;
    const bool pass_on = !hold && !archive_->source->random_access();
    block_.clear();
    if (hashes) {
      digests_.begin(header.payload_digest, known_.has_others() || options_.not_modified);
    }
    if (pass_on) {
      FONDS_CHECK(begin_stored());
    }
    FONDS_CHECK(read_block(hashes, hold, pass_on));
    if (hashes) {
      FONDS_CHECK(digests_.end(reading_));
    }
    FONDS_TRY(const RecordEnd end, pass_->finish());
    if (any_damage(end.findings, options_.rewrite.strict)) {
      return leave_out(end, pass_on);
    }
    ++report_.records_kept;
    if (hashes && end.length == record_->block_length) {
      FONDS_TRY(const bool done, replace(pass_on));
      if (done) {
        return {};
      }
    }
    return pass_on ? end_stored(end) : keep(end, hold);
  }

  // The HTTP head, and whether the payload is to be hashed.
  Result<bool> look_at_head() {
    status_ = 0;
    if (!comparable()) {
      return false;
    }
    if (!is_http(record_->header)) {
      reading_ = reading_of(record_->header.type, nullptr);
      return record_->header.type == "resource";
    }
    FONDS_CHECK(find_head(pass_->reader(), *record_, head_, http_));
    if (http_.kind != http::Head::Kind::Response || !http_.complete) {
      return false;
    }
    head_.resize(http_.length);
    status_ = http_.status;
    reading_ = reading_of(record_->header.type, &http_);
    return true;
  }

  Status read_block(bool hashes, bool hold, bool pass_on) {
    std::size_t head_left = head_.size();
    RecordReader& reader = pass_->reader();
    while (hashes || hold || pass_on) {
      FONDS_TRY(const ByteView shown, reader.peek_block(1));
      if (shown.empty()) {
        return {};
      }
      const ByteView piece = shown.first(std::min(shown.size(), kPiece));
      const std::size_t in_head = std::min(head_left, piece.size());
      head_left -= in_head;
      if (hashes) {
        digests_.update(piece.subspan(in_head));
      }
      if (hold) {
        block_ += as_text(piece);
      }
      if (pass_on) {
        FONDS_CHECK(output_.encoder().write(piece));
      }
      reader.consume_block(piece.size());
    }
    return {};
  }

  // Writes a revisit if the payload was there before. Else remembers the record: false.
  Result<bool> replace(bool written) {
    const Header& header = record_->header;
    if (options_.not_modified && status_ == kNotModified && digests_.length() == 0) {
      const OriginalRecord* const original = known_.find_response(header.uri);
      return original != nullptr && !written
                 ? put_revisit({.profile = RevisitProfile::NotModified, .original = *original})
                 : Result<bool>(false);
    }
    FONDS_TRY(const bool replaced, replace_known(written));
    if (!replaced && options_.not_modified && header.type == "response" && digests_.length() > 0) {
      FONDS_CHECK(known_.add_response(header, labelled_sha1(*digests_.sha1())));
    }
    return replaced;
  }

  Result<bool> replace_known(bool written) {
    const Header& header = record_->header;
    if (digests_.length() < std::max<std::uint64_t>(options_.min_size, 1)) {
      return false;
    }
    const OriginalRecord* original = known_.find(digests_.key());
    if (original == nullptr) {
      FONDS_CHECK(known_.add(digests_.key(), header));
      if (digests_.sha1()) {
        original = known_.find_other(*digests_.sha1(), header);
      }
    }
    if (original == nullptr) {
      return false;
    }
    if (written) {
      count("records of a pipe with a known payload, too large to be held, left as they are", 1);
      return false;
    }
    FONDS_TRY(const bool done,
              put_revisit({.profile = RevisitProfile::IdenticalPayload, .original = *original}));
    if (done && options_.not_modified && header.type == "response") {
      // A revisit is no original.
      FONDS_CHECK(known_.add_response(header.uri, *original, labelled_sha1(*digests_.sha1())));
    }
    return done;
  }

  Result<bool> put_revisit(RevisitPlan plan) {
    const Header& header = record_->header;
    const bool identical = plan.profile == RevisitProfile::IdenticalPayload;
    const bool wrong = identical && digests_.stored_is_wrong() && !fits_decoded();
    if (!identical) {
      plan.payload_digest = plan.original.digest;
    } else if (!digests_.stored_is_right()) {
      FONDS_TRY(plan.payload_digest, sha1_of_payload());
    }
    plan.http_head = head_;
    const std::string made = make_revisit(record_->raw_header(), header, plan);
    const std::uint64_t before = header.length + header.block_length;
    const std::uint64_t after = made.size() + head_.size();
    if (identical && after >= before) {
      return false;  // nothing would be saved
    }
    if (wrong) {
      report_wrong_digest();
    }
    constexpr std::string_view kClosing = "\r\n\r\n";
    Encoder& out = output_.encoder();
    FONDS_CHECK(out.begin_unit(after + kClosing.size()));
    for (const std::string_view part :
         {std::string_view(made), std::string_view(head_), kClosing}) {
      FONDS_CHECK(out.write(as_bytes(part)));
    }
    FONDS_CHECK(out.end_unit());
    changed_ = true;
    count(identical ? "records became revisits of an identical payload"
                    : "records became revisits of a response that was not modified",
          1);
    count("bytes less, before compression", before - std::min(before, after));
    return true;
  }

  // Of the record in hand, which becomes a revisit.
  Result<std::string> sha1_of_payload() {
    if (digests_.sha1()) {
      return labelled_sha1(*digests_.sha1());
    }
    Hasher hasher(DigestAlgorithm::Sha1);
    if (block_.size() == record_->block_length) {
      hasher.update(as_bytes(std::string_view(block_).substr(head_.size())));
    } else {
      std::size_t head_left = head_.size();
      FONDS_CHECK(read_again([&](ByteView piece) -> Status {
        const std::size_t in_head = std::min(head_left, piece.size());
        head_left -= in_head;
        hasher.update(piece.subspan(in_head));
        return {};
      }));
    }
    const DigestValue sha1 = hasher.finish();
    if (sha1.size == 0) {
      return fail(ErrorCode::Unsupported, "the cryptography library is set up without SHA-1");
    }
    return labelled_sha1(sha1);
  }

  // Some crawlers hash the payload freed of its codings.
  bool fits_decoded() {
    if (head_.empty() || block_.size() != record_->block_length) {
      return false;
    }
    const LabelledDigest stored = parse_digest(record_->header.payload_digest);
    const ByteView body = as_bytes(std::string_view(block_).substr(head_.size()));
    http::parse_head(as_bytes(head_), http::Expect::Response, true, http_);
    const auto fits = [&](const Result<http::Decoded>& decoded) {
      Hasher hasher(stored.algorithm);
      if (decoded) {
        hasher.update(as_bytes(decoded->bytes));
      }
      return decoded && hasher.finish() == stored.value;
    };
    return fits(http::decode_transfer(http_, body, held_)) ||
           fits(http::decode_content(http_, body, held_));
  }

  void report_wrong_digest() {
    Finding finding = make_finding(
        "digest-mismatch",
        fmt::format("the payload does not have its digest {}; the revisit has the right one",
                    escape_for_terminal(to_utf8(record_->header.payload_digest))),
        {.source = archive_->source->name(),
         .stored_offset = place_.unit,
         .ordinal = record_->ordinal});
    finding.severity = Severity::Warning;  // all of the payload is kept, by its own digest
    if (options_.rewrite.on_finding) {
      options_.rewrite.on_finding(finding);
    }
    count("stored payload digests were wrong and were replaced", 1);
  }

  Status leave_out(const RecordEnd& end, bool written) {
    if (written) {
      return fail(ErrorCode::LimitExceeded,
                  fmt::format("a record is damaged that has more than the {} octets that can be "
                              "held to leave it out; --memory allows more",
                              held_),
                  {.source = archive_->source->name(), .stored_offset = place_.unit});
    }
    ++report_.records_lost;
    report_.lost_bytes += end.stored_length.value_or(end.length.value_or(0));
    changed_ = true;
    return {};
  }

  // Copies the unit of the record, or writes it anew where that cannot be.
  Status keep(const RecordEnd& end, bool held) {
    if (place_.inner == 0 && end.stored_length && archive_->source->random_access()) {
      FONDS_TRY(const bool copied,
                output_.copy({place_.unit, *end.stored_length}, !changed_ && archives_ == 1));
      if (copied) {
        return {};
      }
    }
    FONDS_CHECK(begin_stored());
    FONDS_CHECK(
        held ? output_.encoder().write(as_bytes(block_))
             : read_again([this](ByteView piece) { return output_.encoder().write(piece); }));
    return end_stored(end);
  }

  Status begin_stored() {
    FONDS_CHECK(output_.encoder().begin_unit());
    return output_.encoder().write(record_->raw_header());
  }
  Status end_stored(const RecordEnd& end) {
    const bool usual = end.closing.size() == end.trailing && !end.closing.empty();
    FONDS_CHECK(output_.encoder().write(
        as_bytes(usual ? std::string_view(end.closing) : std::string_view("\r\n\r\n"))));
    return output_.encoder().end_unit();
  }

  // The block of the record once more, by another reader.
  Status read_again(const std::function<Status(ByteView)>& out) {
    ReadOptions read = options_.rewrite.read;
    read.start = place_.unit;
    read.start_inner = place_.inner;
    read.state = state_;
    FONDS_TRY(const auto reader, archive_->format->open(*archive_, read));
    FONDS_TRY(const Record* const again, reader->next());
    if (again == nullptr || again->raw_header().size() != record_->header.length) {
      return fail(ErrorCode::Io, "changed while it was read", {.source = archive_->source->name()});
    }
    std::uint64_t length = 0;
    while (true) {
      FONDS_TRY(const ByteView shown, reader->peek_block(1));
      if (shown.empty()) {
        break;
      }
      const ByteView piece = shown.first(std::min(shown.size(), kPiece));
      FONDS_CHECK(out(piece));
      length += piece.size();
      reader->consume_block(piece.size());
    }
    return length == record_->block_length ? Status()
                                           : fail(ErrorCode::Io, "changed while it was read",
                                                  {.source = archive_->source->name()});
  }

  DedupOptions options_;
  DedupOutput& output_;
  KnownPayloads known_;
  std::uint64_t held_;  // octets of a block that may lie in memory
  RewriteReport report_;
  std::uint64_t archives_ = 0;
  bool changed_ = false;
  bool damage_ = false;  // of this archive, so far
  PayloadDigests digests_;
  const Archive* archive_ = nullptr;
  Pass* pass_ = nullptr;
  // Of the record in hand.
  const WarcRecord* record_ = nullptr;
  Place place_;
  std::string state_;
  std::string head_;  // HTTP; empty: none
  http::Head http_;
  int status_ = 0;
  std::string reading_, block_;
};

}  // namespace

Result<RewriteReport> dedup_archives(std::span<const Archive> archives, ByteSink& sink,
                                     const DedupOptions& options) {
  if (archives.empty()) {
    return fail(ErrorCode::BadArgument, "there is no archive to look for duplicates in");
  }
  FONDS_TRY(const auto output, DedupOutput::create(archives.front(), sink, options.rewrite.write));
  Dedup dedup(options, *output);
  FONDS_CHECK(dedup.learn());
  for (const Archive& archive : archives) {
    FONDS_CHECK(dedup.run(archive));
  }
  FONDS_CHECK(output->encoder().finish());
  return dedup.report();
}

}  // namespace fonds::warc
