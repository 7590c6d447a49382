// Headers of WARC and ARC, whole and cut, and the search for the next record.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <span>
#include <string_view>

#include <fonds/bytes.hpp>

#include "format/warc/reading/grammar.hpp"

namespace {

using fonds::as_text;
using fonds::ByteView;
using fonds::warc::ArcContext;
using fonds::warc::Header;
using fonds::warc::Start;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

// Views of fields point into the octets or into what the header owns.
bool is_kept(std::string_view view, std::string_view octets, const Header& header) {
  const auto inside = [view](std::string_view text) {
    const std::less_equal<const char*> not_behind;
    return not_behind(text.data(), view.data()) &&
           not_behind(view.data() + view.size(), text.data() + text.size());
  };
  return view.empty() || inside(octets) ||
         std::any_of(header.owned.begin(), header.owned.end(), inside);
}

void check_views(const Header& header, std::string_view octets) {
  for (const auto& field : header.fields) {
    require(is_kept(field.name, octets, header) || header.dialect == fonds::warc::Dialect::Arc);
    require(is_kept(field.value, octets, header));
  }
  for (const auto view : header.known) {
    require(is_kept(view, octets, header));
  }
  for (const auto view : {header.id, header.uri, header.date_raw, header.ip, header.filename,
                          header.warcinfo_id, header.refers_to, header.segment_origin}) {
    require(is_kept(view, octets, header));
  }
}

void check_same(const Header& a, const Header& b) {
  require(a.length == b.length && a.complete == b.complete && a.type == b.type && a.id == b.id &&
          a.uri == b.uri && a.block_length == b.block_length && a.length_state == b.length_state &&
          a.fields.size() == b.fields.size() && a.issues.size() == b.issues.size() &&
          a.version == b.version && a.content_type == b.content_type);
}

void check_headers(ByteView octets, std::size_t cut) {
  const Start start = fonds::warc::classify_start(octets);
  fonds::warc::starts_record(octets);
  ArcContext whole_context;
  Header whole;
  require(fonds::warc::parse_header(octets, start, true, whole_context, whole));
  require(whole.length <= octets.size());
  check_views(whole, as_text(octets));
  Header partial;
  // Behind classify_start() the first line is there, which a cut may take away.
  const ByteView part = octets.first(std::min(cut, octets.size()));
  ArcContext part_context;
  if (fonds::warc::parse_header(part, start, false, part_context, partial)) {
    require(partial.length <= part.size());
    if (start != Start::None && start != Start::OldDraft) {
      check_same(partial, whole);
      require(part_context == whole_context);
    }
  } else {
    require(part_context == ArcContext{});
  }
}

void check_search(ByteView octets, std::size_t cut, bool line_start, bool arc) {
  std::size_t incomplete = 0;
  const std::size_t whole =
      fonds::warc::find_record_start(octets, 0, line_start, arc, true, incomplete);
  require(whole == fonds::npos || whole < octets.size());
  require(incomplete == octets.size());
  const std::size_t n = std::min(cut, octets.size());
  std::size_t found =
      fonds::warc::find_record_start(octets.first(n), 0, line_start, arc, false, incomplete);
  if (found == fonds::npos) {
    require(incomplete <= n);
    found = fonds::warc::find_record_start(octets, incomplete, line_start, arc, true, incomplete);
  }
  require(found == whole);
  if (whole != fonds::npos) {
    require(fonds::warc::classify_start(octets.subspan(whole)) != Start::None);
  }
}

}  // namespace

// The first three octets say where to cut and how to search.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) {
    return 0;
  }
  const ByteView octets = std::as_bytes(std::span(data + 3, size - 3));
  const std::size_t cut = data[0] + std::size_t{256} * data[1];
  check_headers(octets, cut);
  check_search(octets, cut, (data[2] & 1U) != 0, (data[2] & 2U) != 0);
  return 0;
}
