// Archives to be cut and the parts that come of them, in memory.
#pragma once

#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/encoder.hpp>
#include <fonds/format.hpp>

#include "codec/testing.hpp"
#include "format/warc/reading/record.hpp"
#include "ops/testing.hpp"

namespace fonds::warc {

// A sink in memory whose bytes can be replaced, if they may.
class PartSink final : public ByteSink {
 public:
  explicit PartSink(bool rewrites) : rewrites_(rewrites) {}
  Status write(ByteView bytes) override {
    content += as_text(bytes);
    return {};
  }
  std::uint64_t position() const override { return content.size(); }
  bool can_rewrite() const override { return rewrites_; }
  Status rewrite_at(std::uint64_t offset, ByteView bytes) override {
    content.replace(static_cast<std::size_t>(offset), bytes.size(), as_text(bytes));
    ++rewritten;
    return {};
  }
  std::string content;
  int rewritten = 0;

 private:
  bool rewrites_;
};

struct WrittenPart {
  std::string name;
  PartSink sink;
};

struct Parts {
  bool rewrites = false;
  std::deque<WrittenPart> parts = {};
  NextPart next() {
    return [this](const PartStart& start) -> Result<Part> {
      std::string name = std::string(start.sequence) + "-" + std::to_string(parts.size()) + ".warc";
      parts.push_back({std::move(name), PartSink(rewrites)});
      return Part{&parts.back().sink, parts.back().name};
    };
  }
  std::size_t largest() const {
    std::size_t most = 0;
    for (const WrittenPart& part : parts) {
      most = std::max(most, part.sink.content.size());
    }
    return most;
  }
};

// A record as it was read back.
struct ReadRecord {
  std::string part, type, id, header, block, target;
  std::optional<std::uint32_t> segment = {};
  char code = 0;
  std::string origin = {}, truncated = {}, block_digest = {}, payload_digest = {}, filename = {};
  std::optional<std::uint64_t> total = {};
  std::vector<std::string> problems = {};
};

inline std::vector<ReadRecord> read_back(const std::string& content, std::string name = {}) {
  std::vector<ReadRecord> records;
  const auto archive = open_archive(testing_codec::mapped(content));
  EXPECT_TRUE(archive.has_value()) << (archive ? "" : archive.error().message());
  auto reader = archive ? archive->format->open(*archive, {}) : fail(ErrorCode::Io, "");
  while (reader) {
    auto next = (*reader)->next();
    if (!next || *next == nullptr) {
      EXPECT_TRUE(next.has_value());
      break;
    }
    const auto& record = static_cast<const WarcRecord&>(**next);
    const Header& header = record.header;
    ReadRecord read{.part = name,
                    .type = std::string(header.type),
                    .id = std::string(header.id),
                    .header = std::string(as_text(record.raw_header())),
                    .block = {},
                    .target = std::string(header.uri)};
    read.origin = header.segment_origin;
    read.truncated = header.truncated;
    read.block_digest = header.block_digest;
    read.payload_digest = header.payload_digest;
    read.filename = header.filename;
    read.total = header.segment_total;
    if (header.segment) {
      read.segment = header.segment->number;
      read.code = header.segment->code;
    }
    while (true) {
      const auto shown = (*reader)->peek_block(1);
      if (!shown || shown->empty()) {
        break;
      }
      read.block += as_text(*shown);
      (*reader)->consume_block(shown->size());
    }
    auto end = (*reader)->finish();
    for (const Finding& finding : end ? end->findings : std::vector<Finding>()) {
      if (finding.severity != Severity::Note) {
        read.problems.emplace_back(finding.code);
      }
    }
    records.push_back(std::move(read));
  }
  return records;
}

inline std::vector<ReadRecord> read_back(const Parts& parts) {
  std::vector<ReadRecord> all;
  for (const WrittenPart& part : parts.parts) {
    for (ReadRecord& record : read_back(part.sink.content, part.name)) {
      all.push_back(std::move(record));
    }
  }
  return all;
}

// Units of one record each.
inline std::string stored_as(const std::vector<std::string>& records, EncodeOptions options) {
  PartSink sink(false);
  auto encoder = make_encoder(sink, options);
  EXPECT_TRUE(encoder.has_value());
  for (const std::string& record : records) {
    EXPECT_TRUE((*encoder)->begin_unit(record.size()).has_value());
    EXPECT_TRUE((*encoder)->write(as_bytes(record)).has_value());
    EXPECT_TRUE((*encoder)->end_unit().has_value());
  }
  EXPECT_TRUE((*encoder)->finish().has_value());
  return sink.content;
}

inline std::string random_text(std::mt19937& random, std::size_t size, bool compressible) {
  std::string text(size, ' ');
  for (char& c : text) {
    c = compressible ? "abcdefg \n"[random() % 9] : static_cast<char>(random());
  }
  return text;
}

inline std::string warcinfo_text() {
  return testing_ops::text_of({.type = "warcinfo",
                               .id = "urn:x:info",
                               .block = "software: test\r\n",
                               .more = "WARC-Filename: old.warc\r\n"});
}

inline std::string resource_text(int number, std::string block, std::string more = {}) {
  return testing_ops::text_of({.type = "resource",
                               .id = "urn:x:" + std::to_string(number),
                               .uri = "http://example.com/" + std::to_string(number),
                               .block = std::move(block),
                               .more = std::move(more)});
}

}  // namespace fonds::warc
