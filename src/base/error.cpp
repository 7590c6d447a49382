#include <string>
#include <utility>

#include <fonds/error.hpp>

#include "base/text.hpp"

namespace fonds {

Error&& Error::with(Location outer) && {
  Location& where = state_->where;
  if (where.source.empty()) {
    where.source = std::move(outer.source);
  }
  if (!where.stored_offset) {
    where.stored_offset = outer.stored_offset;
  }
  if (!where.decoded_offset) {
    where.decoded_offset = outer.decoded_offset;
  }
  if (!where.ordinal) {
    where.ordinal = outer.ordinal;
  }
  if (where.record_id.empty()) {
    where.record_id = std::move(outer.record_id);
  }
  return std::move(*this);
}

Error&& Error::as(std::string_view rule) && {
  if (state_->rule.empty()) {
    state_->rule = rule;
  }
  return std::move(*this);
}

std::string Error::to_string() const {
  std::string out = describe(state_->where);
  if (state_->message.empty() && !out.empty()) {
    out.resize(out.size() - 2);
  }
  // Names of files and texts of archives may hold line ends; the promise is one line.
  return escape_for_terminal(out + state_->message);
}

std::string describe(const Location& where) {
  std::string out;
  if (!where.source.empty()) {
    out += where.source + ": ";
  }
  std::string place;
  if (where.stored_offset) {
    place = "offset " + std::to_string(*where.stored_offset);
  } else if (where.decoded_offset) {
    place = "decoded offset " + std::to_string(*where.decoded_offset);
  }
  if (where.ordinal) {
    const std::string record = "record " + std::to_string(*where.ordinal);
    place += place.empty() ? record : " (" + record + ")";
  }
  if (!place.empty()) {
    out += place + ": ";
  }
  return out;
}

}  // namespace fonds
