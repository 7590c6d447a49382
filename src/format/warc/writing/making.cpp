#include "format/warc/writing/making.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/text.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/writing/conversion.hpp"
#include "format/warc/writing/conversion_detail.hpp"
#include "format/warc/writing/writing.hpp"

namespace fonds::warc {
namespace {

std::string_view type_of(NewItem::Kind kind) {
  switch (kind) {
    case NewItem::Kind::Metadata:
      return "metadata";
    case NewItem::Kind::Conversion:
      return "conversion";
    case NewItem::Kind::Resource:
      break;
  }
  return "resource";
}

Result<std::string> sha1_of(Hasher& hasher) {
  const DigestValue value = hasher.finish();
  if (value.size == 0) {
    return fail(ErrorCode::Unsupported, "the cryptography library is set up without SHA-1");
  }
  return "sha1:" + to_base32(ByteView(value.bytes).first(value.size));
}

tl::unexpected<Error> changed(const ItemContent& content) {
  return fail(ErrorCode::Io, "changed while it was read", {.source = content.name()});
}

// Errors: BadArgument for a field that named fields cannot hold.
Status check_description(const MakeOptions& options) {
  for (const auto& [name, value] : options.description) {
    if (!detail::is_field_name(name) || value.find_first_of("\r\n") != std::string::npos) {
      return fail(ErrorCode::BadArgument,
                  fmt::format("'{}={}' is no field of a warcinfo; names are words, values have one "
                              "line",
                              name, value));
    }
  }
  return {};
}

Result<Target> target_of_layout(std::string_view layout) {
  FONDS_TRY(const auto target, parse_layout(layout));
  return target.value_or(Target::Warc11);
}

}  // namespace

Maker::Maker(std::unique_ptr<Encoder> encoder, Target target, const MakeOptions& options,
             Before before)
    : encoder_(std::move(encoder)),
      options_(options),
      before_(std::move(before)),
      number_(before_.records) {
  conversion_.target = target;
  conversion_.now = time_of_writing();
  conversion_.filename = options.rewrite.write.file_name;
  conversion_.new_ids.kind =
      options.ids == MakeOptions::Ids::Random ? IdScheme::Kind::Random : IdScheme::Kind::Content;
}

Status Maker::add(const NewItem& item, ItemContent& content) {
  FONDS_TRY(const std::string uri, target_of(item));
  FONDS_CHECK(begin());
  Hasher hasher(DigestAlgorithm::Sha1);
  std::uint64_t length = 0;
  FONDS_CHECK(content.read([&](ByteView piece) -> Status {
    hasher.update(piece);
    length += piece.size();
    return {};
  }));
  if (length != content.length()) {
    return changed(content);
  }
  FONDS_TRY(const std::string sha1, sha1_of(hasher));
  FONDS_TRY(const std::string header, header_of(item, uri, sha1, length));
  ++number_;
  return put_content(header, content, sha1);
}

Status Maker::put_content(std::string_view header, ItemContent& content, std::string_view sha1) {
  const std::string_view closing = closing_of(conversion_.target);
  std::uint64_t left = content.length();
  FONDS_CHECK(encoder_->begin_unit(header.size() + left + closing.size()));
  FONDS_CHECK(encoder_->write(as_bytes(header)));
  Hasher hasher(DigestAlgorithm::Sha1);
  FONDS_CHECK(content.read([&](ByteView piece) -> Status {
    if (piece.size() > left) {
      return changed(content);
    }
    left -= piece.size();
    hasher.update(piece);
    return encoder_->write(piece);
  }));
  FONDS_TRY(const std::string again, sha1_of(hasher));
  if (left != 0 || again != sha1) {
    return changed(content);
  }
  FONDS_CHECK(encoder_->write(as_bytes(closing)));
  return encoder_->end_unit();
}

Status Maker::finish() {
  FONDS_CHECK(begin());
  return encoder_->finish();
}

// The target URI, which may be that of the record it refers to.
Result<std::string> Maker::target_of(const NewItem& item) const {
  if (!item.uri.empty()) {
    if (!is_uri(item.uri)) {
      return fail(ErrorCode::BadArgument,
                  fmt::format("'{}' is no URI; those begin with a scheme, such as https:",
                              escape_for_terminal(item.uri)));
    }
    return item.uri;
  }
  if (const auto found = before_.originals.find(item.refers_to); found != before_.originals.end()) {
    if (!found->second.empty() || item.kind == NewItem::Kind::Metadata) {
      return found->second;
    }
  } else if (before_.there && !item.refers_to.empty()) {
    return fail(ErrorCode::NotFound,
                fmt::format("the archive has no record {}; a target URI of your own adds it all "
                            "the same",
                            escape_for_terminal(item.refers_to)));
  }
  if (item.kind != NewItem::Kind::Metadata) {
    return fail(ErrorCode::BadArgument,
                fmt::format("a {} record needs a target URI", type_of(item.kind)));
  }
  return std::string();
}

// What stands in front of the first record.
Status Maker::begin() {
  if (begun_) {
    return {};
  }
  begun_ = true;
  FONDS_CHECK(check_description(options_));
  if (dialect_of(conversion_.target) == Dialect::Arc) {
    if (!options_.description.empty()) {
      return fail(ErrorCode::BadArgument, "an ARC has no warcinfo; --to warc/1.1 has");
    }
    if (before_.there && !before_.needs_version_block) {
      return {};
    }
    const ExtraRecord block = make_version_block(conversion_.filename, conversion_.now);
    return put(block.header, block.block);
  }
  return options_.rewrite.write.describe ? put_warcinfo() : Status();
}

Status Maker::put_warcinfo() {
  std::vector<std::pair<std::string, std::string>> fields = {
      {"software", conversion_.software},
      {"format",
       fmt::format("WARC File Format {}",
                   version_of(conversion_.target).substr(std::string_view("WARC/").size()))}};
  for (const auto& given : options_.description) {
    const auto same = std::find_if(fields.begin(), fields.begin() + 2, [&](const auto& field) {
      return equals_ignoring_case(field.first, given.first);
    });
    if (same != fields.begin() + 2) {
      *same = given;
    } else {
      fields.push_back(given);
    }
  }
  std::string block;
  for (const auto& [name, value] : fields) {
    block += fmt::format("{}: {}\r\n", name, value);
  }
  FONDS_TRY(warcinfo_id_, make_id(conversion_.new_ids,
                                  fmt::format("create:warcinfo:{}:{}:{}:{}", conversion_.filename,
                                              conversion_.now.to_string(), number_, block)));
  NewRecord record;
  record.type = "warcinfo";
  record.id = warcinfo_id_;
  record.date = conversion_.now;
  record.content_type = "application/warc-fields";
  record.filename = conversion_.filename;
  record.block_length = block.size();
  FONDS_TRY(const Converted made, make_header(record, conversion_));
  ++number_;
  return put(made.header, block);
}

Status Maker::put(std::string_view header, std::string_view block) {
  const std::string_view closing = closing_of(conversion_.target);
  FONDS_CHECK(encoder_->begin_unit(header.size() + block.size() + closing.size()));
  for (const std::string_view part : {header, block, closing}) {
    FONDS_CHECK(encoder_->write(as_bytes(part)));
  }
  return encoder_->end_unit();
}

Result<std::string> Maker::header_of(const NewItem& item, const std::string& uri,
                                     std::string_view sha1, std::uint64_t length) {
  const Dialect dialect = dialect_of(conversion_.target);
  NewRecord record;
  record.type = type_of(item.kind);
  record.date = item.date.value_or(conversion_.now);
  FONDS_TRY(const std::string id,
            make_id(conversion_.new_ids,
                    fmt::format("create:{}:{}:{}:{}:{}:{}", record.type, number_,
                                record.date.to_string(), item.refers_to, sha1, uri)));
  record.id = id;
  record.target_uri = uri;
  record.content_type =
      item.content_type.empty() ? std::string_view("application/octet-stream") : item.content_type;
  record.refers_to = item.refers_to;
  record.warcinfo_id = warcinfo_id_;
  record.block_digest = sha1;
  if (dialect == Dialect::Modern && item.kind != NewItem::Kind::Metadata) {
    record.payload_digest = sha1;
  }
  record.block_length = length;
  const std::string packed = conversion_.now.to_string();
  std::vector<Field> more;
  if (item.date) {
    more.push_back({"WARC-Creation-Date", packed});
  }
  if (!item.source_uri.empty()) {
    more.push_back({"WARC-Source-URI", item.source_uri});
  }
  record.more = more;
  FONDS_TRY(Converted made, make_header(record, conversion_));
  if (made.skip) {
    return fail(ErrorCode::BadArgument,
                fmt::format("ARC has no form for a {} record of {}; --to warc/1.1 has", record.type,
                            uri.empty() ? std::string("no URI") : escape_for_terminal(uri)));
  }
  return std::move(made.header);
}

Result<std::unique_ptr<ItemMaker>> WarcWriting::make_items(ByteSink& sink,
                                                           const MakeOptions& options) const {
  FONDS_TRY(const Target target, target_of_layout(options.rewrite.write.layout));
  FONDS_TRY(const EncodeOptions encode, encode_options(options.rewrite.write));
  FONDS_TRY(auto encoder, make_encoder(sink, encode));
  return std::unique_ptr<ItemMaker>(
      std::make_unique<Maker>(std::move(encoder), target, options, Before{}));
}

}  // namespace fonds::warc
