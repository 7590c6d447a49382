// How the headers of two records differ.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "ops/compare_entry.hpp"
#include "ops/packed_text.hpp"

namespace fonds::ops {
namespace {

struct Pair {
  std::string_view name, value;
};
// The text from which an entry's header is told, unpacked.
struct Unpacked {
  std::string_view format, version, raw_digest;
  bool has_status = false;
  std::vector<Pair> attributes, fields;

  std::string_view get(std::string_view name) const {
    const auto found = std::ranges::find(attributes, name, &Pair::name);
    return found == attributes.end() ? std::string_view() : found->value;
  }
  bool is_arc() const { return format == "arc"; }
  bool has_named_fields() const { return version.starts_with("WARC/"); }
  bool is_capture() const { return is_arc() || format == "warc"; }
};

std::vector<Pair> take_pairs(std::string_view& text) {
  std::vector<Pair> pairs(static_cast<std::size_t>(take_number(text)));
  for (Pair& pair : pairs) {
    pair.name = take_text(text);
    pair.value = take_text(text);
  }
  return pairs;
}

Unpacked unpack(std::string_view text) {
  Unpacked header;
  header.format = take_text(text);
  header.version = take_text(text);
  header.raw_digest = take_text(text);
  header.has_status = take_number(text) != 0;
  header.attributes = take_pairs(text);
  header.fields = take_pairs(text);
  return header;
}

// Attributes of the model that dialects have in common.
constexpr std::array<std::string_view, 19> kModel = {"type",
                                                     "id",
                                                     "uri",
                                                     "date",
                                                     "content_type",
                                                     "ip",
                                                     "truncated",
                                                     "segment.number",
                                                     "segment.origin",
                                                     "segment.total_length",
                                                     "block_digest",
                                                     "payload_digest",
                                                     "refers_to",
                                                     "refers_to_uri",
                                                     "refers_to_date",
                                                     "concurrent_to",
                                                     "profile",
                                                     "warcinfo_id",
                                                     "filename"};
// Those of them that an ARC can express.
constexpr std::array<std::string_view, 5> kArc = {"type", "uri", "date", "content_type", "ip"};

class HeaderComparer {
 public:
  HeaderComparer(const HeaderComparison& how, const HeaderDifference& differs, bool same_id,
                 bool kept)
      : how_(how), differs_(differs), same_id_(same_id), kept_(kept) {}

  Status run(const Unpacked& a, const Unpacked& b) {
    if (!a.is_capture() || !b.is_capture()) {
      return {};  // what items have beside their content is their place
    }
    same_version_ = a.version == b.version && a.format == b.format;
    if (how_.strict && !same_version_) {
      FONDS_CHECK(tell("version", a.version, b.version));
    }
    if (a.has_named_fields() && b.has_named_fields() && !(kept_ && !same_version_)) {
      FONDS_CHECK(fields(a, b));
    } else if (same_version_) {
      FONDS_CHECK(same_dialect(a, b));
    } else {
      FONDS_CHECK(dialects(a, b));
    }
    if (how_.strict && same_version_ && !told_ && how_.ignored.empty() &&
        a.raw_digest != b.raw_digest) {
      FONDS_CHECK(tell("octets of the header", std::nullopt, std::nullopt));
    }
    return {};
  }

 private:
  bool ignores(std::string_view name) const {
    return std::ranges::any_of(
        how_.ignored, [&](const std::string& given) { return equals_ignoring_case(given, name); });
  }

  Status tell(std::string_view what, std::optional<std::string_view> a,
              std::optional<std::string_view> b) {
    if (ignores(what)) {
      return {};
    }
    told_ = true;
    return differs_(what, a, b);
  }

  Status compare(std::string_view name, std::string_view a, std::string_view b) {
    if (a == b) {
      return {};
    }
    return tell(name, a.empty() ? std::nullopt : std::optional(a),
                b.empty() ? std::nullopt : std::optional(b));
  }

  // Fields that a conversion adds, and the id if the old one is kept beside it.
  bool is_of_conversion(std::string_view name) const {
    return !same_version_ && equals_ignoring_case(name, "WARC-Original-Header");
  }
  bool is_renamed_id(std::string_view name) const {
    return same_id_ && (equals_ignoring_case(name, "WARC-Record-ID") ||
                        equals_ignoring_case(name, "WARC-Original-ID"));
  }

  std::vector<Pair> fields_to_compare(const Unpacked& header) const {
    std::vector<Pair> fields;
    for (Pair field : header.fields) {
      if (is_of_conversion(field.name) || is_renamed_id(field.name)) {
        continue;
      }
      if (!same_version_) {
        field.value = without_brackets(field.value);  // a matter of the version
      }
      fields.push_back(field);
    }
    return fields;
  }

  // The n-th field of a name is compared with the n-th one of that name.
  Status fields(const Unpacked& a, const Unpacked& b) {
    std::vector<Pair> left = fields_to_compare(a);
    std::vector<Pair> right = fields_to_compare(b);
    if (same_fields(left, right)) {
      return {};
    }
    if (how_.strict && same_order_but_case(left, right)) {
      return tell("order or letter case of fields", std::nullopt, std::nullopt);
    }
    by_name(left);
    by_name(right);
    auto i = left.begin();
    auto j = right.begin();
    while (i != left.end() || j != right.end()) {
      const int order = i == left.end()    ? 1
                        : j == right.end() ? -1
                                           : compare_names(i->name, j->name);
      if (order == 0) {
        if (i->value != j->value) {
          FONDS_CHECK(tell(i->name, i->value, j->value));
        }
        ++i;
        ++j;
      } else if (order < 0) {
        FONDS_CHECK(tell(i->name, i->value, std::nullopt));
        ++i;
      } else {
        FONDS_CHECK(tell(j->name, std::nullopt, j->value));
        ++j;
      }
    }
    return {};
  }

  static bool same_fields(const std::vector<Pair>& a, const std::vector<Pair>& b) {
    return std::ranges::equal(
        a, b, [](const Pair& x, const Pair& y) { return x.name == y.name && x.value == y.value; });
  }
  // The same fields, were it not for order and letter case of names.
  static bool same_order_but_case(std::vector<Pair> a, std::vector<Pair> b) {
    by_name(a);
    by_name(b);
    return std::ranges::equal(a, b, [](const Pair& x, const Pair& y) {
      return compare_names(x.name, y.name) == 0 && x.value == y.value;
    });
  }
  static void by_name(std::vector<Pair>& fields) {
    std::ranges::stable_sort(
        fields, [](const Pair& x, const Pair& y) { return compare_names(x.name, y.name) < 0; });
  }
  static int compare_names(std::string_view a, std::string_view b) {
    const auto lower = [](char x, char y) { return to_lower(x) < to_lower(y); };
    if (std::ranges::lexicographical_compare(a, b, lower)) {
      return -1;
    }
    return std::ranges::lexicographical_compare(b, a, lower) ? 1 : 0;
  }

  // 00.11, and ARC: a line of its own, and fields.
  Status same_dialect(const Unpacked& a, const Unpacked& b) {
    for (const auto* side : {&a, &b}) {
      for (const Pair& attribute : side->attributes) {
        const bool done = side == &b && !a.get(attribute.name).empty();
        const bool told_elsewhere = attribute.name.starts_with("http.");
        if (!done && !told_elsewhere) {
          FONDS_CHECK(compare(attribute.name, a.get(attribute.name), b.get(attribute.name)));
        }
      }
    }
    return told_ ? Status() : fields(a, b);
  }

  // What an attribute of an ARC is in the other dialects (docs/formats/warc.md, "Conversions").
  static std::string_view of_arc(const Unpacked& arc, const Unpacked& other,
                                 std::string_view name) {
    const std::string_view value = arc.get(name);
    const bool no_message = arc.get("type") == "response" && !arc.has_status;
    if (name == "type" && arc.get("type") == "warcinfo") {
      return other.get("type") == "metadata" ? "metadata" : "warcinfo";
    }
    if (name == "type" && no_message) {
      return "resource";
    }
    if (name == "content_type" && no_message) {
      for (const Pair& field : arc.fields) {
        if (field.name == "Content-type") {
          return field.value.empty() ? "application/octet-stream" : field.value;
        }
      }
    }
    return value;
  }

  // An attribute for which the dialect has no place of its own may stand in a field of the name
  // that it has in WARC 1.1.
  static std::string_view get(const Unpacked& header, std::string_view name) {
    std::string_view value = header.get(name);
    if (value.empty() && name == "uri") {
      for (const Pair& field : header.fields) {
        if (equals_ignoring_case(field.name, "WARC-Target-URI")) {
          value = without_brackets(field.value);
        }
      }
    }
    // Every record of 00.11 is a first segment, unless it says otherwise.
    return name == "segment.number" && value == "1" ? std::string_view() : value;
  }

  static bool agree_on_date(std::string_view a, std::string_view b) {
    for (std::string_view* const date : {&a, &b}) {
      date->remove_suffix(date->ends_with('Z') ? 1 : 0);
    }
    return a.starts_with(b) || b.starts_with(a);
  }
  // Without blanks and control characters, and what stands for them.
  static std::string bare_uri(std::string_view uri) {
    std::string bare;
    for (std::size_t i = 0; i < uri.size(); ++i) {
      if (uri[i] == '%') {
        i += 2;
      } else if (static_cast<unsigned char>(uri[i]) > ' ') {
        bare += uri[i];
      }
    }
    return bare;
  }

  // Whether two values can stand for one thing in two dialects, if nothing is lost by it.
  static bool agree(std::string_view name, std::string_view a, std::string_view b) {
    if (a.empty() || b.empty() || name == "profile") {
      return true;
    }
    if (name == "date") {
      return agree_on_date(a, b);
    }
    if (name == "uri") {
      return bare_uri(a) == bare_uri(b);
    }
    if (name == "warcinfo_id") {
      return a.ends_with(b) || b.ends_with(a);  // some write it without urn:uuid:
    }
    if (name == "type") {
      const auto content = [](std::string_view t) { return t == "response" || t == "resource"; };
      return content(a) && content(b);
    }
    return false;
  }

  static std::string without_blanks(std::string_view text) {
    std::string bare(text);
    std::erase(bare, ' ');
    return bare;
  }

  Status dialects(const Unpacked& a, const Unpacked& b) {
    const bool arc = a.is_arc() || b.is_arc();
    for (const std::string_view name : kModel) {
      if ((arc && std::ranges::find(kArc, name) == kArc.end()) || (name == "id" && same_id_)) {
        continue;
      }
      const std::string_view x = a.is_arc() && !b.is_arc() ? of_arc(a, b, name) : get(a, name);
      const std::string_view y = b.is_arc() && !a.is_arc() ? of_arc(b, a, name) : get(b, name);
      const bool same_type = name == "content_type" && without_blanks(x) == without_blanks(y);
      // A record of 00.11 may name a record where others name its URI.
      const bool by_id =
          name == "uri" && kept_ &&
          ((!x.empty() && x == b.get("refers_to")) || (!y.empty() && y == a.get("refers_to")));
      if (!same_type && !by_id && !(kept_ && agree(name, x, y))) {
        FONDS_CHECK(compare(name, x, y));
      }
    }
    return {};
  }

  const HeaderComparison& how_;
  const HeaderDifference& differs_;
  bool same_id_;  // by what is kept of an old one
  bool kept_;     // one record keeps the header of the other
  bool same_version_ = false;
  bool told_ = false;
};

}  // namespace

Status compare_headers(const Entry& a, const Entry& b, const HeaderComparison& how,
                       const HeaderDifference& differs) {
  if (a.header == b.header) {
    return {};
  }
  const bool kept = a.keeps_header_of(b);
  const bool renamed = kept || (a.old_id_key != EntryKey{} && a.old_id_key == b.id_key) ||
                       (b.old_id_key != EntryKey{} && b.old_id_key == a.id_key);
  return HeaderComparer(how, differs, renamed, kept).run(unpack(a.header), unpack(b.header));
}

}  // namespace fonds::ops
