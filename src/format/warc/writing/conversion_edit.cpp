// Headers with named fields: changing some and leaving the rest, and from version to version.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/grammar_detail.hpp"
#include "format/warc/writing/conversion.hpp"
#include "format/warc/writing/conversion_detail.hpp"

namespace fonds::warc {

namespace {

// The next line of `text`, which loses it; without its end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const auto line = detail::strip_line_end(text.substr(0, end));
  text.remove_prefix(end == npos ? text.size() : end + 1);
  return line;
}

std::string_view name_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  return colon == npos || detail::is_blank(line.front())
             ? std::string_view{}
             : detail::trim_blanks(line.substr(0, colon));
}

void append_line(std::string& out, std::string_view line) {
  detail::append_value(out, line);
  out += "\r\n";
}

}  // namespace

std::string edit_header(ByteView raw_header, std::string_view version,
                        std::span<const FieldEdit> edits) {
  auto rest = as_text(raw_header);
  std::string out;
  out.reserve(rest.size() + 256);
  const auto first = take_line(rest);
  append_line(out, version.empty() ? first : version);
  std::vector<char> done(edits.size(), 0);
  bool removing = false;  // the field whose continuation may follow
  while (!rest.empty()) {
    const auto line = take_line(rest);
    if (line.empty()) {
      continue;
    }
    if (detail::is_blank(line.front())) {
      if (!removing) {
        append_line(out, line);
      }
      continue;
    }
    if (line.substr(0, line.find(':')).find('\r') != npos) {
      removing = true;
      continue;
    }
    const auto name = name_of(line);
    const auto edit = std::find_if(edits.begin(), edits.end(), [name](const FieldEdit& e) {
      return !name.empty() && equals_ignoring_case(e.name, name);
    });
    const auto which = static_cast<std::size_t>(edit - edits.begin());
    removing = edit != edits.end() && !(edit->keep_others && done[which] != 0);
    if (!removing) {
      append_line(out, line);
      continue;
    }
    auto& is_done = done[which];
    if (edit->value && is_done == 0) {
      detail::append_value(out, name);
      out += ": ";
      append_line(out, *edit->value);
    }
    is_done = 1;
  }
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].value && done[i] == 0) {
      detail::append_value(out, edits[i].name);
      out += ": ";
      append_line(out, *edits[i].value);
    }
  }
  out += "\r\n";
  return out;
}

namespace detail {

std::string profile_for_target(std::string_view profile, Target target) {
  static constexpr std::string_view kStart = "http://netpreserve.org/warc/";
  if (profile.starts_with(kStart)) {
    const auto rest = profile.substr(kStart.size());
    const std::size_t slash = rest.find('/');
    const auto step = rest.substr(0, slash);
    const auto end = slash == npos ? std::string_view{} : rest.substr(slash);
    const bool known = step == "0.17" || step == "0.18" || step == "1.0" || step == "1.1";
    if (known &&
        (end == "/revisit/identical-payload-digest" || end == "/revisit/server-not-modified")) {
      return std::string(kStart) + std::string(version_of(target).substr(5)) + std::string(end);
    }
  }
  return std::string(profile);
}

namespace {

// ClueWeb09 has UUIDs without the rest of the URN.
bool is_bare_uuid(std::string_view id) {
  if (id.size() != 36) {
    return false;
  }
  for (std::size_t i = 0; i < id.size(); ++i) {
    const char lower = to_lower(id[i]);
    const bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
    if (hyphen ? lower != '-' : !(is_digit(lower) || (lower >= 'a' && lower <= 'f'))) {
      return false;
    }
  }
  return true;
}

class VersionChange {
 public:
  explicit VersionChange(Job& job) : job_(job), header_(job.header) {}

  Result<void> run() {
    change_length();
    change_dates();
    for (const Known uri : {Known::TargetUri, Known::RefersToTargetUri}) {
      replace(uri, std::string(strip_brackets(header_.get(uri))));
    }
    replace(Known::Profile,
            profile_for_target(strip_brackets(header_.get(Known::Profile)), job_.options.target));
    for (const Known id :
         {Known::RecordId, Known::RefersTo, Known::WarcinfoId, Known::SegmentOriginId}) {
      FONDS_CHECK(change_id(id));
    }
    FONDS_CHECK(change_concurrent_to());
    if (find_field(header_, kOriginalHeader) == nullptr && job_.options.original_header) {
      edits_.push_back({kOriginalHeader, original_header_value(header_, job_.facts.raw_header)});
    }
    job_.out.header = edit_header(job_.facts.raw_header, version_of(job_.options.target), edits_);
    insert_concurrent_to();
    return {};
  }

 private:
  // The name as the header has it, so that the edit finds it.
  void replace(Known known, std::string value) {
    if (header_.get(known).empty() || value == header_.get(known)) {
      return;
    }
    for (const auto& field : header_.fields) {
      if (identify(field.name) == known) {
        edits_.push_back({field.name, std::move(value), true});
        return;
      }
    }
  }

  void change_length() {
    const auto named = std::ranges::count_if(header_.fields, [](const Field& field) {
      return equals_ignoring_case(field.name, "Content-Length");
    });
    const bool right = header_.length_state == Header::LengthState::Good && named == 1 &&
                       header_.block_length == job_.facts.block_length &&
                       header_.other_lengths.empty() &&
                       is_digits(header_.get(Known::ContentLength));
    if (!right) {
      edits_.push_back({"Content-Length", std::to_string(job_.facts.block_length)});
    }
  }

  void change_dates() {
    const int minor = job_.options.target == Target::Warc11 ? 1 : 0;
    if (!is_strict_warc_date(header_.date_raw, minor) && header_.date.value) {
      replace(Known::Date, date_for_target(job_).to_string());
    }
    const auto other = header_.get(Known::RefersToDate);
    if (!other.empty() && !is_strict_warc_date(other, minor)) {
      const auto parsed = parse_warc_date(other);
      if (parsed.value) {
        Date date = *parsed.value;
        if (minor == 0 && date.precision != Date::Precision::Second) {
          job_.lose_unless_kept(date.precision == Date::Precision::Fraction
                                    ? "fraction of a date"
                                    : "precision of a date");
          date.precision = Date::Precision::Second;
        }
        replace(Known::RefersToDate, date.to_string());
      }
    }
  }

  Result<std::string> bracketed(std::string_view value) {
    const auto id = strip_brackets(value);
    FONDS_TRY(const auto legal,
              id_for_target(is_bare_uuid(id) ? "urn:uuid:" + std::string(id) : std::string(id),
                            job_.options));
    return "<" + legal + ">";
  }

  Result<void> change_id(Known known) {
    const auto value = header_.get(known);
    if (value.empty()) {
      return {};
    }
    FONDS_TRY(const auto id, bracketed(value));
    if (known == Known::RecordId && job_.options.legal_ids && !is_uri(strip_brackets(value)) &&
        find_field(header_, kOriginalId) == nullptr) {
      edits_.push_back({kOriginalId, std::string(strip_brackets(value))});
    }
    replace(known, id);
    return {};
  }

  // May repeat, so an edit of the first would remove the others.
  Result<void> change_concurrent_to() {
    bool differs = false;
    std::vector<std::string> ids;
    for (const auto& field : header_.fields) {
      if (is_concurrent_to(field.name) && !field.value.empty()) {
        FONDS_TRY(auto id, bracketed(field.value));
        differs = differs || id != field.value;
        ids.push_back(std::move(id));
      }
    }
    if (differs) {
      edits_.push_back({"WARC-Concurrent-To", std::nullopt});
      concurrent_to_ = std::move(ids);
    }
    return {};
  }
  void insert_concurrent_to() {
    if (concurrent_to_.empty()) {
      return;
    }
    auto& text = job_.out.header;
    text.resize(text.size() - 2);
    for (const auto& id : concurrent_to_) {
      text += "WARC-Concurrent-To: ";
      append_line(text, id);
    }
    text += "\r\n";
  }

  Job& job_;
  const Header& header_;
  std::vector<FieldEdit> edits_;
  std::vector<std::string> concurrent_to_;
};

}  // namespace

Result<void> modern_to_modern(Job& job) { return VersionChange(job).run(); }

}  // namespace detail

}  // namespace fonds::warc
