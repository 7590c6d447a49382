// What queries can ask of WARC and ARC records: docs/reference/fields.md.
#pragma once

#include <memory>
#include <span>

#include <fonds/query.hpp>
#include <fonds/record_fields.hpp>

namespace fonds::warc {

std::span<const FieldInfo> field_table();

// The paths outlive the reader, which takes records of this format only.
std::unique_ptr<FieldReader> make_field_reader(std::span<const query::Path> wanted);

}  // namespace fonds::warc
