#include "format/clps/writing/exact_packet.hpp"

#include "format/clps/reading/exact.hpp"

namespace fonds::clps::writing {

std::string originals_packet(const BuiltArchive& archive) {
  std::string out(1, static_cast<char>(kOriginalsVersion));
  append_varint(out, archive.forms.size());
  for (std::uint32_t id = 0; id < archive.forms.size(); ++id) {
    out += archive.forms[id];
  }
  append_varint(out, archive.tables.size());
  for (std::size_t schema = 0; schema < archive.tables.size(); ++schema) {
    const TableForms& forms = archive.tables[schema].forms;
    append_varint(out, schema);
    append_varint(out, forms.runs().size());
    for (const auto& [form, count] : forms.runs()) {
      append_varint(out, form);
      append_varint(out, count);
    }
    append_counted(out, forms.own);
  }
  append_varint(out, archive.gaps.runs().size());
  for (const Gaps::Run& run : archive.gaps.runs()) {
    append_varint(out, run.count);
    append_counted(out, run.text);
  }
  return out;
}

}  // namespace fonds::clps::writing
