// Paths of queries against the names of fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <fonds/query.hpp>
#include <fonds/record_fields.hpp>

#include "base/date_span.hpp"

namespace fonds {

// Whether the path names the field with these steps. The last step may be a name whose letter case
// does not count (of a header field).
bool names_field(const query::Path& path, std::span<const std::string_view> steps,
                 bool any_case = false);
// The same for a name of the table of fields: a dot divides it.
bool names_field(const query::Path& path, std::string_view name);
// Whether a path asks for fields of a record at all: `@` and the like have none.
bool asks_fields(const query::Path& path);
// Whether the path asks for content: it begins with `payload` or `body`.
bool asks_content(const query::Path& path);

// Tells the values of one field to a sink.
class FieldTeller {
 public:
  FieldTeller(FieldSink& out, std::size_t wanted, std::string_view name)
      : out_(out), wanted_(wanted), name_(name) {}

  // What is not UTF-8 is told in its Latin-1 reading, as in the JSON of records.
  void text(std::string_view value) const;
  // Nothing for an empty text, which is how records say that they have none.
  void some_text(std::string_view value) const;
  void number(std::uint64_t value) const;
  void time(std::string_view text, DateSpan span) const;
  void object() const;

 private:
  FieldSink& out_;
  std::size_t wanted_;
  std::string_view name_;
};

}  // namespace fonds
