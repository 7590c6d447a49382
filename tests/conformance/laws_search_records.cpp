// Laws of asking records by their fields: an answer is what a plain condition on each record gives.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fonds/format.hpp>
#include <fonds/query.hpp>
#include <fonds/search.hpp>

#include "archives/memory.hpp"
#include "conformance/laws.hpp"
#include "conformance/reading.hpp"
#include "conformance/rows.hpp"
#include "conformance/sites.hpp"
#include "ops/convert.hpp"
#include "ops/list.hpp"
#include "ops/record_filter.hpp"
#include "ops/search_records.hpp"

namespace fonds::laws {
namespace {

using Json = nlohmann::json;

// A record as a plain condition sees it.
struct Seen {
  std::string line;  // of `ls --json --headers`
  Json json;
  std::string content;  // freed of all codings
};

struct Question {
  const char* query;
  std::function<bool(const Seen&)> matches;
};

bool is(const Seen& seen, const char* key, const char* text) {
  return seen.json.contains(key) && seen.json[key] == text;
}
bool has_text(const Seen& seen, const char* key, std::string_view part) {
  return seen.json.contains(key) && seen.json[key].is_string() &&
         seen.json[key].get<std::string>().find(part) != std::string::npos;
}
// False for a record that has no such number.
bool number(const Seen& seen, const char* key, const std::function<bool(std::uint64_t)>& good) {
  return seen.json.contains(key) && seen.json[key].is_number_unsigned() &&
         good(seen.json[key].get<std::uint64_t>());
}
bool status(const Seen& seen, const std::function<bool(std::uint64_t)>& good) {
  return seen.json.contains("http") && seen.json["http"].contains("status") &&
         good(seen.json["http"]["status"].get<std::uint64_t>());
}
bool contains(const Seen& seen, std::string_view part) {
  return seen.content.find(part) != std::string::npos;
}

const std::vector<Question>& questions() {
  static const std::vector<Question> all = {
      {"*", [](const Seen&) { return true; }},
      {"not *", [](const Seen&) { return false; }},
      {"type: response", [](const Seen& s) { return is(s, "type", "response"); }},
      {"type: (request revisit)",
       [](const Seen& s) { return is(s, "type", "request") || is(s, "type", "revisit"); }},
      {"not type: re*",
       [](const Seen& s) {
         return !s.json.contains("type") || !s.json["type"].get<std::string>().starts_with("re");
       }},
      {"index >= 2 and index < 5",
       [](const Seen& s) {
         return number(s, "index", [](std::uint64_t n) { return n >= 2 && n < 5; });
       }},
      {"length > 100",
       [](const Seen& s) { return number(s, "length", [](std::uint64_t n) { return n > 100; }); }},
      {"uri: *example*", [](const Seen& s) { return has_text(s, "uri", "example"); }},
      {"id: *1* and date: *",
       [](const Seen& s) { return has_text(s, "id", "1") && s.json.contains("date"); }},
      {"status: 200",
       [](const Seen& s) { return status(s, [](std::uint64_t n) { return n == 200; }); }},
      {"status >= 300 or type: warcinfo",
       [](const Seen& s) {
         return status(s, [](std::uint64_t n) { return n >= 300; }) || is(s, "type", "warcinfo");
       }},
      {"payload: *the*", [](const Seen& s) { return contains(s, "the"); }},
      {"payload: *a*e* and not payload: *html*",
       [](const Seen& s) {
         const std::size_t a = s.content.find('a');
         return a != std::string::npos && s.content.find('e', a) != std::string::npos &&
                !contains(s, "html");
       }},
      {"length < 50 or payload: *WARC/1.0*",
       [](const Seen& s) {
         return number(s, "length", [](std::uint64_t n) { return n < 50; }) ||
                contains(s, "WARC/1.0");
       }},
  };
  return all;
}

Result<std::vector<std::string>> decoded(const Archive& archive, const ReadOptions& read) {
  std::vector<std::string> all;
  FONDS_TRY(const auto reader, archive.format->open(archive, read));
  while (true) {
    FONDS_TRY(const Record* const record, reader->next());
    if (record == nullptr) {
      return all;
    }
    std::string& content = all.emplace_back();
    std::vector<Finding> findings;
    FONDS_CHECK(archive.format->write_part(
        *reader, *record, RecordPart::Decoded, ~std::uint64_t{0},
        [&content](ByteView piece) {
          content += as_text(piece);
          return Status();
        },
        findings));
    FONDS_CHECK(reader->finish());
  }
}

Result<std::vector<Seen>> see(const Row& row, Opened& archive) {
  ops::ListOptions list;
  list.json = list.headers = true;
  list.scan.read = row.read;
  const Given given = listed(*archive, list);
  FONDS_TRY(const auto contents, decoded(*archive, row.read));
  std::vector<Seen> all;
  for (std::string_view rest = given.text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n') + 1);
    rest.remove_prefix(line.size());
    const std::string content = all.size() < contents.size() ? contents[all.size()] : "";
    all.push_back({std::string(line), Json::parse(line, nullptr, false), content});
  }
  if (all.size() != contents.size()) {
    return fail(ErrorCode::Internal, fmt::format("{} lines of {} records: {}", all.size(),
                                                 contents.size(), given.error));
  }
  return all;
}

struct Answer {
  std::string lines, error;
  std::uint64_t matched = 0;
};

Answer asked(const Row& row, const Archive& archive, const char* text, unsigned threads) {
  const auto query = query::parse(text);
  require(query.has_value(), text);
  SearchOptions options;
  options.read = row.read;
  ops::ScanOptions scan;
  scan.threads = threads;
  Answer answer;
  SearchSink sink;
  sink.lines = [&answer](std::string_view lines) -> Result<bool> {
    answer.lines += lines;
    return true;
  };
  sink.finding = [](const Finding&) {};
  const auto found = ops::search_records(archive, *query, options, scan, sink);
  answer.error = found ? "" : found.error().to_string();
  answer.matched = found ? found->report.matched : 0;
  return answer;
}

std::string fields_are_filter(const Row& row) {
  auto archive = open(row);
  if (!archive) {
    return archive.error().to_string();
  }
  const auto seen = see(row, archive);
  if (!seen) {
    return seen.error().to_string();
  }
  for (const Question& question : questions()) {
    std::string expected;
    std::uint64_t matches = 0;
    for (const Seen& one : *seen) {
      if (question.matches(one)) {
        expected += one.line;
        ++matches;
      }
    }
    const Answer answer = asked(row, *archive, question.query, 1);
    if (auto complaint = difference(question.query, answer.lines + answer.error, expected);
        !complaint.empty()) {
      return complaint;
    }
    if (answer.matched != matches) {
      return fmt::format("{}: counted {} of {}", question.query, answer.matched, matches);
    }
  }
  return {};
}

std::string threads_agree(const Row& row) {
  auto archive = open(row);
  if (!archive) {
    return {};
  }
  for (const char* const query : {"type: re* or index < 3", "payload: *a* and not status: 404"}) {
    const Answer one = asked(row, *archive, query, 1);
    for (const unsigned threads : {2U, 7U}) {
      const Answer many = asked(row, *archive, query, threads);
      if (auto complaint = difference(fmt::format("{} on {} threads", query, threads),
                                      many.lines + many.error, one.lines + one.error);
          !complaint.empty()) {
        return complaint;
      }
    }
  }
  return {};
}

// Headers and blocks of what is written are those of the records that match, and of the version
// block of an ARC.
std::string chosen_is_filter(const Row& row) {
  auto archive = open(row);
  if (!archive) {
    return archive.error().to_string();
  }
  const auto seen = see(row, archive);
  const auto target = ops::parse_target(row.to);
  if (!seen || !target) {
    return seen ? target.error().to_string() : seen.error().to_string();
  }
  const Contents every = contents(*archive, row.read);
  for (const Question& question : questions()) {
    Contents expected;
    for (std::size_t n = 0; n < seen->size(); ++n) {
      const bool defines = row.name.starts_with("arc/") && every.kinds[n] == "warcinfo";
      if (question.matches((*seen)[n]) || defines) {
        expected.blocks.push_back(every.blocks[n]);
        expected.headers.push_back(every.headers[n]);
      }
    }
    const auto query = query::parse(question.query);
    require(query.has_value(), question.query);
    ops::ConvertOptions options;
    options.rewrite.read = row.read;
    options.rewrite.write = row.write;
    options.where = &*query;
    TextSink sink;
    if (const auto report = ops::convert({&*archive, 1}, *target, sink, options); !report) {
      return report.error().to_string();
    }
    if (sink.content.empty() && expected.blocks.empty()) {
      continue;
    }
    const auto written = in_memory(row, sink.content);
    if (!written) {
      return fmt::format("{}: {}", question.query, written.error().to_string());
    }
    if (auto complaint = difference(question.query, contents(*written, row.read), expected);
        !complaint.empty()) {
      return complaint;
    }
  }
  return {};
}

bool has_fields(const Row& row) {
  return row.format != "clp-s" && row.format != "kv-ir" && !row.name.starts_with("jsonl-events/");
}
bool is_written_of_fields(const Row& row) { return has_fields(row) && !row.to.empty(); }

}  // namespace

std::vector<Law> field_search_laws() {
  return {
      {.name = "FieldsAreFilter",
       .title = "search of fields = filter by brute force",
       .meaning = "A query gives the records that a plain condition on what `ls` says of each, and "
                  "on its decoded content, gives, and counts them.",
       .of_damaged = false,
       .is_about = has_fields,
       .about = "WARC, ARC, RecordIO, lines, JSON Lines of items",
       .complaint = fields_are_filter},
      {.name = "FieldSearchThreadsAgree",
       .title = "search of fields on 1 = 2 = 7 threads",
       .meaning = "The answers are the same.",
       .of_damaged = true,
       .is_about = has_fields,
       .about = "WARC, ARC, RecordIO, lines, JSON Lines of items",
       .complaint = threads_agree},
      {.name = "ChosenIsFilter",
       .title = "convert --where = filter by brute force",
       .meaning = "What is written are the records for which a plain condition holds, header and "
                  "block, and the version block of an ARC.",
       .of_damaged = false,
       .is_about = is_written_of_fields,
       .about = "what fonds writes of WARC, ARC, RecordIO, lines, JSON Lines of items",
       .complaint = chosen_is_filter},
  };
}

}  // namespace fonds::laws
