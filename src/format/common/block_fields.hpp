// Fields of records without a header: where they lie, and their content.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <fonds/query.hpp>
#include <fonds/record.hpp>
#include <fonds/record_fields.hpp>

#include "format/common/field_path.hpp"

namespace fonds {

// A row of the table of a format whose fields all are known with the record's place and length.
struct BlockField {
  FieldInfo info;
  void (*tell)(const Record&, const FieldTeller&) = nullptr;  // null for content
  bool place = false;  // of the storage, not of the record: only its own name reaches it
};

// The rows that formats have in common.
inline constexpr BlockField kIndexField = {
    {"index", "number", FieldStage::Header, "number of the record in the archive, from 0"},
    [](const Record& r, const FieldTeller& out) { out.number(r.ordinal); },
    true};
inline constexpr BlockField kOffsetField = {
    {"offset", "number", FieldStage::Header,
     "stored offset of the unit in which the record begins"},
    [](const Record& r, const FieldTeller& out) { out.number(r.place.unit); },
    true};
inline constexpr BlockField kFormatField = {
    {"format", "text", FieldStage::Header, "name of the format"},
    [](const Record& r, const FieldTeller& out) { out.text(r.format()); },
    true};
inline constexpr BlockField kLengthField = {
    {"length", "number", FieldStage::Header, "octets of the content"},
    [](const Record& r, const FieldTeller& out) {
      if (const auto length = r.length()) {
        out.number(*length);
      }
    }};
inline constexpr BlockField kPayloadField = {
    {"payload", "text", FieldStage::Content, "the content"}};
inline constexpr BlockField kBodyField = {
    {"body", "json", FieldStage::Content, "the content, where it is JSON: `body.user.name`"}};

// The rows as Format::fields() gives them.
std::vector<FieldInfo> infos_of(std::span<const BlockField> table);

// The table outlives the reader.
std::unique_ptr<FieldReader> make_block_field_reader(std::span<const BlockField> table,
                                                     std::span<const query::Path> wanted);

}  // namespace fonds
