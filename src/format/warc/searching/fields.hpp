// What queries can ask of WARC and ARC records: docs/reference/fields.md.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <fonds/query.hpp>
#include <fonds/record_fields.hpp>

namespace fonds::warc {

std::span<const FieldInfo> field_table();

// Of "http://user@Example.com:80/x": the host in lower case, of an address in brackets the address.
// Empty if the URI has none.
std::string host_of(std::string_view uri);

// The paths outlive the reader, which takes records of this format only.
std::unique_ptr<FieldReader> make_field_reader(std::span<const query::Path> wanted);

}  // namespace fonds::warc
