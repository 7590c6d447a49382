// Laws of searching events: an answer is what a filter over all of them gives.
#include <array>
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

#include "conformance/laws.hpp"
#include "conformance/reading.hpp"
#include "conformance/rows.hpp"
#include "conformance/sites.hpp"

namespace fonds::laws {
namespace {

using Json = nlohmann::json;

// A query, and the same asked of one event by hand.
struct Question {
  const char* query;
  std::function<bool(const Json&)> matches;
};

bool has(const Json& event, const char* key) { return event.contains(key); }
bool text_has(const Json& event, const char* key, std::string_view part) {
  return has(event, key) && event[key].is_string() &&
         event[key].get<std::string>().find(part) != std::string::npos;
}

const std::vector<Question>& questions() {
  static const std::vector<Question> all = {
      {"*", [](const Json&) { return true; }},
      {"status: 404", [](const Json& e) { return has(e, "status") && e["status"] == 404; }},
      {"level: ERROR", [](const Json& e) { return has(e, "level") && e["level"] == "ERROR"; }},
      {"level: err* or ok: true", [](const Json& e) { return has(e, "ok") && e["ok"] == true; }},
      {R"(msg: "*took 1*")", [](const Json& e) { return text_has(e, "msg", "took 1"); }},
      {R"(text: "*Größe*")", [](const Json& e) { return text_has(e, "text", "Größe"); }},
      {"value > 3", [](const Json& e) { return has(e, "value") && e["value"].get<double>() > 3; }},
      {"value <= -7.5",
       [](const Json& e) { return has(e, "value") && e["value"].get<double>() <= -7.5; }},
      {"ctx.id < -100 and status: 200",
       [](const Json& e) {
         return has(e, "ctx") && e["ctx"]["id"].get<int>() < -100 && e["status"] == 200;
       }},
      {"big: 9007199254740996",
       [](const Json& e) { return has(e, "big") && e["big"] == 9007199254740996; }},
      {"not level: * and not status: *",
       [](const Json& e) { return !has(e, "level") && !has(e, "status"); }},
      {"status: 405", [](const Json&) { return false; }},
  };
  return all;
}

struct Answer {
  std::string lines;
  std::uint64_t matched = 0;
  std::string error;
};

Answer asked(const Row& row, const Archive& archive, const char* text, unsigned threads,
             SearchOptions::Want want = SearchOptions::Want::Records) {
  Answer answer;
  const auto query = query::parse(text);
  require(query.has_value(), text);
  SearchOptions options;
  options.read = row.read;
  options.threads = threads;
  options.want = want;
  SearchSink sink;
  sink.lines = [&answer](std::string_view lines) -> Result<bool> {
    answer.lines += lines;
    return true;
  };
  sink.finding = [](const Finding&) {};
  const auto report = archive.format->search(archive, *query, options, sink);
  answer.error = report ? "" : report.error().to_string();
  answer.matched = report ? report->matched : 0;
  return answer;
}

std::string search_is_filter(const Row& row) {
  auto archive = open(row);
  if (!archive) {
    return archive.error().to_string();
  }
  const std::vector<std::string> events = contents(*archive, row.read).blocks;
  std::vector<Json> parsed;
  for (const std::string& event : events) {
    parsed.push_back(Json::parse(event, nullptr, false));
  }
  for (const Question& question : questions()) {
    std::string expected;
    std::uint64_t matches = 0;
    for (std::size_t n = 0; n < events.size(); ++n) {
      if (parsed[n].is_object() && question.matches(parsed[n])) {
        expected += events[n] + "\n";
        ++matches;
      }
    }
    const Answer answer = asked(row, *archive, question.query, 1);
    if (!answer.error.empty()) {
      return answer.error;
    }
    if (auto complaint = difference(question.query, answer.lines, expected); !complaint.empty()) {
      return complaint;
    }
    const Answer count = asked(row, *archive, question.query, 2, SearchOptions::Want::Count);
    if (count.matched != matches) {
      return fmt::format("{}: counted {} of {}", question.query, count.matched, matches);
    }
  }
  return {};
}

std::string search_threads_agree(const Row& row) {
  auto archive = open(row);
  if (!archive) {
    return {};
  }
  for (const char* const query : {"*", "status: 404", "not ts > 1700000200000"}) {
    const Answer one = asked(row, *archive, query, 1);
    for (const unsigned threads : {2U, 7U}) {
      const Answer many = asked(row, *archive, query, threads);
      const auto what = fmt::format("{} on {} threads", query, threads);
      if (auto complaint = difference(what, many.lines + many.error, one.lines + one.error);
          !complaint.empty()) {
        return complaint;
      }
    }
    if (!one.error.empty() && !row.damaged) {
      return one.error;
    }
  }
  return {};
}

bool is_searched(const Row& row) {
  return row.format == "clp-s" || row.format == "kv-ir" || row.name.starts_with("jsonl-events/");
}

}  // namespace

std::vector<Law> search_laws() {
  return {
      {.name = "SearchIsFilter",
       .title = "search = filter by brute force",
       .meaning = "A query gives the records that a plain condition on each of them gives, and "
                  "counts them.",
       .of_damaged = false,
       .is_about = is_searched,
       .about = "clp-s, KV-IR, JSON Lines of events",
       .complaint = search_is_filter},
      {.name = "SearchThreadsAgree",
       .title = "search on 1 = 2 = 7 threads",
       .meaning = "The answers are the same.",
       .of_damaged = true,
       .is_about = is_searched,
       .about = "clp-s, KV-IR, JSON Lines of events",
       .complaint = search_threads_agree},
  };
}

}  // namespace fonds::laws
