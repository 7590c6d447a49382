// What a query can ask of a record that is no event of a log: its fields. Formats tell fields; a
// query is judged by src/ops on what they tell, so that an answer never depends on the container.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <fonds/error.hpp>
#include <fonds/query.hpp>
#include <fonds/reader.hpp>
#include <fonds/record.hpp>

namespace fonds {

// What has to be read of a record before a field is known; each stage costs more than the one
// before.
enum class FieldStage : std::uint8_t {
  Header,   // the record's header alone: bodies are stepped over
  Http,     // the HTTP head at the front of its block
  Content,  // the block, freed of its codings
};

// A row of the table of fields (docs/reference/fields.md, `fonds search --list-fields`).
struct FieldInfo {
  std::string_view name;  // as queries write it; a last step `*` stands for any name: "http.*"
  std::string_view type;  // "text", "number", "time", "json", "object"
  FieldStage stage = FieldStage::Header;
  std::string_view meaning;  // part of a sentence
};

struct FieldValue {
  // Object: a group of fields, told so that `http: *` can ask whether there is one.
  enum class Kind : std::uint8_t { Text, Number, Time, Object } kind = Kind::Text;
  // Number: as JSON spells it; Time: as the record's JSON has it; Object: empty.
  std::string_view text;
  // Time: the span that the text names, in ns since 1970: its first instant, and the first behind
  // it ("2017" is a year long).
  std::int64_t begin = 0, end = 0;
};

class FieldSink {
 public:
  virtual ~FieldSink() = default;
  // A value of the path with the number `wanted`; `name` is the field's own as a query would write
  // it, unescaped ("type", "http.server", "WARC-Target-URI"). Views live for the call. A field that
  // occurs several times is told several times.
  virtual void value(std::size_t wanted, std::string_view name, const FieldValue& value) = 0;
};

// Tells the wanted fields of records. Made for some paths, by Format::read_fields; used with the
// records of one reader at a time.
class FieldReader {
 public:
  virtual ~FieldReader() = default;
  // The last stage at which the path may get a value. Content: it begins with `payload` or `body`,
  // whose values are the content that Format::write_part gives as RecordPart::Decoded; nothing is
  // told of it here.
  virtual FieldStage stage(std::size_t wanted) const = 0;
  // Tells what this stage, Header or Http, adds to the ones before, which have been read. Http
  // calls RecordReader::read_http and consumes nothing of the block. `index` is Record::ordinal as
  // it stands. Errors: those of reading.
  virtual Status read(FieldStage stage, RecordReader& reader, const Record& record,
                      FieldSink& out) = 0;
};

}  // namespace fonds
