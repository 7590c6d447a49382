#include "format/warc/searching/fields.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/date.hpp>
#include <fonds/error.hpp>
#include <fonds/query.hpp>
#include <fonds/reader.hpp>
#include <fonds/record_fields.hpp>

#include "base/date_span.hpp"
#include "base/text.hpp"
#include "format/common/field_path.hpp"
#include "format/common/http_message.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/record.hpp"
#include "query/tree.hpp"

namespace fonds::warc {
namespace {

using Tell = void (*)(const WarcRecord&, const FieldTeller&);

struct KnownField {
  FieldInfo info;
  Tell tell = nullptr;
  bool place = false;  // of the storage, not of the record: only its own name reaches it
};

template <std::string_view Header::* Member>
void tell_text(const WarcRecord& record, const FieldTeller& out) {
  out.some_text(record.header.*Member);
}

void tell_date(std::string_view text, const std::optional<Date>& date, const FieldTeller& out) {
  if (date) {
    out.time(text, span_of(*date));
  } else {
    out.some_text(text);
  }
}

std::string mime_of(const WarcRecord& record) {
  std::string type = record.has_http ? record.http.media_type() : std::string();
  if (type.empty()) {
    const std::string_view own = record.header.content_type;
    type = to_lower(trim(own.substr(0, own.find(';'))));
  }
  return type;
}

constexpr FieldStage kHeader = FieldStage::Header;
constexpr FieldStage kHttp = FieldStage::Http;
constexpr FieldStage kContent = FieldStage::Content;

// The order is that of the documentation.
constexpr std::array kKnown = std::to_array<KnownField>({
    {{"type", "text", kHeader,
      "`warcinfo`, `response`, `resource`, `request`, `metadata`, `revisit`, `conversion`, "
      "`continuation`, or an unknown type as written"},
     [](const WarcRecord& r, const FieldTeller& out) { out.some_text(r.kind()); }},
    {{"uri", "text", kHeader, "target, without `<>`, blanks as `%20`"}, tell_text<&Header::uri>},
    {{"host", "text", kHeader, "host of the target in lower case, without port"},
     [](const WarcRecord& r, const FieldTeller& out) { out.some_text(host_of(r.header.uri)); }},
    {{"date", "time", kHeader, "W3C-DTF in UTC with the precision it was written with"},
     [](const WarcRecord& r, const FieldTeller& out) {
       if (r.header.date.value) {
         tell_date(r.header.date.value->to_string(), r.header.date.value, out);
       }
     }},
    {{"status", "number", kHttp, "of the HTTP response in the block; also `http.status`"},
     [](const WarcRecord& r, const FieldTeller& out) {
       if (r.has_http && r.http.status != 0) {
         out.number(static_cast<std::uint64_t>(r.http.status));
       }
     }},
    {{"mime", "text", kHttp,
      "media type of the HTTP message, else of the block; lower case, without parameters"},
     [](const WarcRecord& r, const FieldTeller& out) { out.some_text(mime_of(r)); }},
    {{"method", "text", kHttp, "of the HTTP request in the block; also `http.method`"},
     [](const WarcRecord& r, const FieldTeller& out) {
       if (r.has_http) {
         out.some_text(r.http.method);
       }
     }},
    {{"ip", "text", kHeader, "address of the host"}, tell_text<&Header::ip>},
    {{"length", "number", kHeader, "octets of the content block by the header"},
     [](const WarcRecord& r, const FieldTeller& out) {
       if (r.block_length) {
         out.number(*r.block_length);
       }
     }},
    {{"id", "text", kHeader, "record id without `<>`"}, tell_text<&Header::id>},
    {{"payload", "text", kContent,
      "the content freed of transfer and content coding; of a record that is no HTTP message the "
      "block"}},
    {{"body", "json", kContent, "the payload, where it is JSON: `body.user.name`"}},
    {{"http.*", "text", kHttp,
      "a header field of the HTTP message by its name in any letter case: `http.server`"}},
    {{"*", "text", kHeader,
      "a header field of the record by its name in any letter case: `WARC-Target-URI`"}},
    {{"headers.*", "text", kHeader, "the same, where the name is that of another field"}},
    {{"http", "object", kHttp, "there is an HTTP head: `http: *`"},
     [](const WarcRecord& r, const FieldTeller& out) {
       if (r.has_http) {
         out.object();
       }
     }},
    {{"http.status", "number", kHttp, "as `status`"},
     [](const WarcRecord& r, const FieldTeller& out) {
       if (r.has_http && r.http.status != 0) {
         out.number(static_cast<std::uint64_t>(r.http.status));
       }
     }},
    {{"http.content_type", "text", kHttp, "Content-Type of the HTTP message as stored"},
     [](const WarcRecord& r, const FieldTeller& out) {
       if (r.has_http) {
         out.some_text(r.http.get("Content-Type"));
       }
     }},
    {{"http.protocol", "text", kHttp, "`HTTP/1.1`, …"},
     [](const WarcRecord& r, const FieldTeller& out) {
       if (r.has_http) {
         out.some_text(r.http.protocol);
       }
     }},
    {{"http.reason", "text", kHttp, "what follows the status, as stored"},
     [](const WarcRecord& r, const FieldTeller& out) {
       if (r.has_http) {
         out.some_text(r.http.reason);
       }
     }},
    {{"http.method", "text", kHttp, "as `method`"},
     [](const WarcRecord& r, const FieldTeller& out) {
       if (r.has_http) {
         out.some_text(r.http.method);
       }
     }},
    {{"http.target", "text", kHttp, "of an HTTP request: what was asked for, as stored"},
     [](const WarcRecord& r, const FieldTeller& out) {
       if (r.has_http) {
         out.some_text(r.http.target);
       }
     }},
    {{"version", "text", kHeader, "`WARC/1.0`, `warc/00.11`, `ARC/1.1`, …"},
     tell_text<&Header::version>},
    {{"stored_type", "text", kHeader, "the file's word for the type, where it is another"},
     tell_text<&Header::stored_type>},
    {{"date_raw", "text", kHeader, "the date as written, where it differs or is none"},
     [](const WarcRecord& r, const FieldTeller& out) {
       if (!r.header.date.value || r.header.date.value->to_string() != r.header.date_raw) {
         out.some_text(r.header.date_raw);
       }
     }},
    {{"content_type", "text", kHeader, "media type of the block as stored"},
     tell_text<&Header::content_type>},
    {{"truncated", "text", kHeader, "reason: `length`, `time`, …"}, tell_text<&Header::truncated>},
    {{"segment", "object", kHeader, "the record is a segment: `segment: *`"},
     [](const WarcRecord& r, const FieldTeller& out) {
       if (r.header.segment || !r.header.segment_origin.empty() || r.header.segment_total) {
         out.object();
       }
     }},
    {{"segment.number", "number", kHeader, "of a segment"},
     [](const WarcRecord& r, const FieldTeller& out) {
       if (r.header.segment) {
         out.number(r.header.segment->number);
       }
     }},
    {{"segment.code", "text", kHeader, "of a segment in 00.11: `p`, `w`, `t`, `z`"},
     [](const WarcRecord& r, const FieldTeller& out) {
       if (r.header.segment && r.header.segment->code != 0) {
         out.text(std::string_view(&r.header.segment->code, 1));
       }
     }},
    {{"segment.origin", "text", kHeader, "id of the first segment"},
     tell_text<&Header::segment_origin>},
    {{"segment.total_length", "number", kHeader, "octets of all segments"},
     [](const WarcRecord& r, const FieldTeller& out) {
       if (r.header.segment_total) {
         out.number(*r.header.segment_total);
       }
     }},
    {{"block_digest", "text", kHeader, "as stored"}, tell_text<&Header::block_digest>},
    {{"payload_digest", "text", kHeader, "as stored"}, tell_text<&Header::payload_digest>},
    {{"refers_to", "text", kHeader, "id of the record that this one is about"},
     tell_text<&Header::refers_to>},
    {{"refers_to_uri", "text", kHeader, "its target"}, tell_text<&Header::refers_to_uri>},
    {{"refers_to_date", "time", kHeader, "its date, as stored"},
     [](const WarcRecord& r, const FieldTeller& out) {
       if (!r.header.refers_to_date.empty()) {
         tell_date(r.header.refers_to_date, parse_warc_date(r.header.refers_to_date).value, out);
       }
     }},
    {{"concurrent_to", "text", kHeader, "ids of records made at the same time; any of them"},
     [](const WarcRecord& r, const FieldTeller& out) {
       for (const std::string_view id : r.header.concurrent_to) {
         out.text(id);
       }
     }},
    {{"profile", "text", kHeader, "of a revisit"}, tell_text<&Header::profile>},
    {{"warcinfo_id", "text", kHeader, "id of the warcinfo record that applies"},
     tell_text<&Header::warcinfo_id>},
    {{"filename", "text", kHeader, "WARC-Filename, or the file name of an ARC"},
     tell_text<&Header::filename>},
    {{"trec_id", "text", kHeader, "WARC-TREC-ID"}, tell_text<&Header::trec_id>},
    {{"headers", "object", kHeader, "there are named header fields: `headers: *`"},
     [](const WarcRecord& r, const FieldTeller& out) {
       if (!r.header.fields.empty()) {
         out.object();
       }
     }},
    {{"format", "text", kHeader, "`warc` or `arc`"},
     [](const WarcRecord& r, const FieldTeller& out) { out.text(r.format()); },
     true},
    {{"index", "number", kHeader, "number of the record in the archive, from 0"},
     [](const WarcRecord& r, const FieldTeller& out) { out.number(r.ordinal); },
     true},
    {{"offset", "number", kHeader, "stored offset of the unit in which the record begins"},
     [](const WarcRecord& r, const FieldTeller& out) { out.number(r.place.unit); },
     true},
    {{"inner", "number", kHeader, "decoded bytes from there to the record, if not 0"},
     [](const WarcRecord& r, const FieldTeller& out) {
       if (r.place.inner > 0) {
         out.number(r.place.inner);
       }
     },
     true},
    {{"header_length", "number", kHeader, "octets of the header with its empty line"},
     [](const WarcRecord& r, const FieldTeller& out) { out.number(r.header.length); },
     true},
});

class WarcFieldReader final : public FieldReader {
 public:
  explicit WarcFieldReader(std::span<const query::Path> wanted) : paths_(wanted) {
    stages_.resize(wanted.size(), kHeader);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (asks_content(wanted[i])) {
        stages_[i] = kContent;
      } else if (asks_fields(wanted[i])) {
        resolve(i, wanted[i]);
      }
    }
  }

  FieldStage stage(std::size_t wanted) const override { return stages_[wanted]; }

  Status read(FieldStage stage, RecordReader& reader, const Record& record,
              FieldSink& out) override {
    const auto& warc = static_cast<const WarcRecord&>(record);
    if (stage == kHeader) {
      tell_known(header_, warc, out);
      tell_headers(warc.header.fields, out);
    } else if (stage == kHttp) {
      FONDS_CHECK(reader.read_http());
      tell_known(http_, warc, out);
      if (warc.has_http) {
        tell_http(warc.http.fields, out);
      }
    }
    return {};
  }

 private:
  struct Field {
    std::size_t wanted;
    const KnownField* known;
  };
  struct Named {
    std::size_t wanted;
    std::string name;  // of HTTP header fields as it is told
  };

  void resolve(std::size_t i, const query::Path& path) {
    const bool wildcard = query::has_wildcard(path);
    bool found = false;
    for (const KnownField& known : kKnown) {
      if (known.tell == nullptr || (wildcard && known.place) ||
          !names_field(path, known.info.name)) {
        continue;
      }
      (known.info.stage == kHttp ? http_ : header_).push_back({i, &known});
      stages_[i] = std::max(stages_[i], known.info.stage);
      found = true;
    }
    const query::PathStep& first = path.steps.front();
    if (wildcard) {
      any_header_.push_back(i);
      if (first.wildcard || first.key == "http") {
        any_http_.push_back(i);
        stages_[i] = kHttp;
      }
    } else if (!found && path.steps.size() == 1) {
      named_headers_.push_back({i, first.key});
    } else if (!found && path.steps.size() == 2 && first.key == "headers") {
      named_headers_.push_back({i, path.steps[1].key});
    } else if (!found && path.steps.size() == 2 && first.key == "http") {
      named_http_.push_back({i, "http." + to_lower(path.steps[1].key)});
      stages_[i] = kHttp;
    }
  }

  static void tell_known(const std::vector<Field>& fields, const WarcRecord& record,
                         FieldSink& out) {
    for (const Field& field : fields) {
      field.known->tell(record, FieldTeller(out, field.wanted, field.known->info.name));
    }
  }

  void tell_headers(const std::vector<fonds::Field>& fields, FieldSink& out) const {
    if (named_headers_.empty() && any_header_.empty()) {
      return;
    }
    for (const fonds::Field& field : fields) {
      for (const Named& named : named_headers_) {
        if (equals_ignoring_case(named.name, field.name)) {
          FieldTeller(out, named.wanted, field.name).text(field.value);
        }
      }
      for (const std::size_t i : any_header_) {
        if (names_field(paths_[i], std::array{field.name}, true) ||
            names_field(paths_[i], std::array{std::string_view("headers"), field.name}, true)) {
          FieldTeller(out, i, field.name).text(field.value);
        }
      }
    }
  }

  void tell_http(const std::vector<http::HeaderField>& fields, FieldSink& out) {
    constexpr std::string_view kPrefix = "http.";
    for (const http::HeaderField& field : fields) {
      for (const Named& named : named_http_) {
        if (equals_ignoring_case(std::string_view(named.name).substr(kPrefix.size()), field.name)) {
          FieldTeller(out, named.wanted, named.name).text(field.value);
        }
      }
      for (const std::size_t i : any_http_) {
        if (names_field(paths_[i], std::array{std::string_view("http"), field.name}, true)) {
          FieldTeller(out, i, std::string(kPrefix) + to_lower(field.name)).text(field.value);
        }
      }
    }
  }

  std::span<const query::Path> paths_;
  std::vector<FieldStage> stages_;
  std::vector<Field> header_, http_;
  std::vector<Named> named_headers_, named_http_;
  std::vector<std::size_t> any_header_, any_http_;  // paths with wildcards
};

}  // namespace

std::string host_of(std::string_view uri) {
  const std::size_t scheme = uri.find("://");
  if (scheme == std::string_view::npos || uri.find_first_of("/?#") < scheme) {
    return {};
  }
  std::string_view host = uri.substr(scheme + 3);
  host = host.substr(0, host.find_first_of("/?#"));
  host = host.substr(host.rfind('@') + 1);
  if (host.starts_with('[')) {
    host = host.substr(1, host.find(']') - 1);
  } else {
    host = host.substr(0, host.find(':'));
  }
  return to_lower(host);
}

std::span<const FieldInfo> field_table() {
  static const std::vector<FieldInfo> table = [] {
    std::vector<FieldInfo> rows;
    rows.reserve(kKnown.size());
    for (const KnownField& known : kKnown) {
      rows.push_back(known.info);
    }
    return rows;
  }();
  return table;
}

std::unique_ptr<FieldReader> make_field_reader(std::span<const query::Path> wanted) {
  return std::make_unique<WarcFieldReader>(wanted);
}

}  // namespace fonds::warc
