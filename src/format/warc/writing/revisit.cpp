#include "format/warc/writing/revisit.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/digest.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/writing/conversion.hpp"

namespace fonds::warc {
namespace {

std::string block_digest(std::string_view block) {
  Hasher hasher(DigestAlgorithm::Sha1);
  hasher.update(as_bytes(block));
  const DigestValue value = hasher.finish();
  return "sha1:" + to_base32(ByteView(value.bytes).first(value.size));
}

}  // namespace

std::string profile_uri(RevisitProfile profile, int major, int minor) {
  const std::string_view version = major == 0 ? "0.18" : major == 1 && minor == 0 ? "1.0" : "1.1";
  const std::string_view name = profile == RevisitProfile::IdenticalPayload
                                    ? "identical-payload-digest"
                                    : "server-not-modified";
  return fmt::format("http://netpreserve.org/warc/{}/revisit/{}", version, name);
}

std::string make_revisit(ByteView raw_header, const Header& header, const RevisitPlan& plan) {
  std::vector<FieldEdit> edits;
  const auto set = [&edits](std::string_view name, std::optional<std::string> value) {
    edits.push_back({.name = name, .value = std::move(value)});
  };
  const auto text_or_none = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  };
  set("WARC-Type", "revisit");
  set("WARC-Profile", profile_uri(plan.profile, header.major, header.minor));
  if (!plan.payload_digest.empty() || plan.profile == RevisitProfile::NotModified) {
    set("WARC-Payload-Digest", text_or_none(plan.payload_digest));
  }
  set("WARC-Refers-To",
      plan.original.id.empty() ? std::nullopt : std::optional("<" + plan.original.id + ">"));
  set("WARC-Refers-To-Target-URI", text_or_none(plan.original.uri));
  set("WARC-Refers-To-Date", text_or_none(plan.original.date));
  if (plan.profile == RevisitProfile::IdenticalPayload) {
    if (!plan.http_head.empty()) {
      set("WARC-Truncated", "length");  // WARC 1.1, 6.7.2
    }
    if (!header.block_digest.empty()) {
      set("WARC-Block-Digest", block_digest(plan.http_head));
    }
    set("Content-Length", std::to_string(plan.http_head.size()));
  }
  return edit_header(raw_header, {}, edits);
}

}  // namespace fonds::warc
