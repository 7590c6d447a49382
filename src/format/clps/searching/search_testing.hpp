// Searches of archives in memory, and random queries about records, for tests.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <fonds/formats/clps.hpp>
#include <fonds/query.hpp>
#include <fonds/search.hpp>

#include "format/clps/testing.hpp"
#include "query/json_scanner.hpp"

namespace fonds::clps::testing_archive {

struct Searched {
  std::string text;
  SearchReport report;
  std::vector<Finding> findings;
  std::string error;
  std::optional<ErrorCode> code;
};

inline Searched search_in(const std::shared_ptr<const Archive>& archive, const query::Query& query,
                          const SearchOptions& options = {}) {
  Searched found;
  const SearchSink sink{
      .lines = [&found](std::string_view lines) -> Result<bool> {
        found.text += lines;
        return true;
      },
      .finding = [&found](const Finding& finding) { found.findings.push_back(finding); }};
  auto report = search(archive, query, options, sink);
  if (report) {
    found.report = std::move(*report);
  } else {
    found.error = report.error().message();
    found.code = report.error().code();
  }
  return found;
}

inline Searched search_in(std::string_view bytes, std::string_view text,
                          const SearchOptions& options = {},
                          const query::ParseOptions& parsing = {}) {
  Searched failed;
  auto archive = Archive::open(as_source(bytes));
  if (!archive) {
    failed.error = archive.error().to_string();
    return failed;
  }
  auto query = query::parse(text, parsing);
  if (!query) {
    failed.error = query.error().to_string();
    return failed;
  }
  return search_in(*archive, *query, options);
}

// A value somewhere in a record: its key, and the text of a scalar.
struct Sample {
  std::vector<std::string> keys;
  std::string text;  // unescaped
  bool string = false;
};

// The scalars of records.
inline std::vector<Sample> samples_of(const std::vector<std::string>& records) {
  using query::JsonToken;
  std::vector<Sample> samples;
  for (const std::string& record : records) {
    query::JsonScanner scanner(record);
    std::vector<std::string> keys;
    std::vector<bool> objects;
    std::string scratch;
    for (JsonToken token = scanner.next(); token != JsonToken::End && token != JsonToken::Damaged;
         token = scanner.next()) {
      const bool member = !objects.empty() && objects.back();
      switch (token) {
        case JsonToken::Key:
          keys.emplace_back(query::unquoted_json(scanner.spelled(), scratch));
          continue;
        case JsonToken::BeginObject:
        case JsonToken::BeginArray:
          objects.push_back(token == JsonToken::BeginObject);
          continue;
        case JsonToken::EndObject:
        case JsonToken::EndArray:
          objects.pop_back();
          break;
        case JsonToken::String:
          samples.push_back(
              {keys, std::string(query::unquoted_json(scanner.spelled(), scratch)), true});
          break;
        case JsonToken::True:
          samples.push_back({keys, "true", false});
          break;
        case JsonToken::False:
          samples.push_back({keys, "false", false});
          break;
        case JsonToken::Null:
          samples.push_back({keys, "null", false});
          break;
        default:
          samples.push_back({keys, std::string(scanner.spelled()), false});
          break;
      }
      const bool closed = token == JsonToken::EndObject || token == JsonToken::EndArray;
      if (closed ? !objects.empty() && objects.back() : member) {
        keys.pop_back();
      }
    }
  }
  return samples;
}

// Makes queries that have a chance to match some records and not others.
class QueryMaker {
 public:
  QueryMaker(std::vector<Sample> samples, std::uint32_t seed)
      : samples_(std::move(samples)), random_(seed) {}

  query::Query make(bool ignore_case) {
    query::Query query;
    query.options.ignore_case = ignore_case;
    query.root = node(below(3));
    query.text = query::to_string(query.root);
    return query;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

  query::Node node(std::size_t depth) {
    query::Node made;
    const std::size_t kind = depth == 0 ? 0 : below(4);
    if (kind == 0) {
      made.filter = filter();
      return made;
    }
    made.kind = kind == 1   ? query::Node::Kind::And
                : kind == 2 ? query::Node::Kind::Or
                            : query::Node::Kind::Not;
    for (std::size_t i = kind == 3 ? 1 : 2 + below(2); i > 0; --i) {
      made.children.push_back(node(depth - 1));
    }
    return made;
  }

  query::Filter filter() {
    static const std::vector<std::string> kComparisons = {": ", " < ", " <= ", " > ", " >= "};
    static const Sample kNone{{"nosuch"}, "1", false};
    const Sample& key =
        samples_.empty() || below(20) == 0 ? kNone : samples_[below(samples_.size())];
    const Sample& value =
        samples_.empty() || below(4) != 0 ? key : samples_[below(samples_.size())];
    const std::string literal = literal_of(value);
    auto query = query::parse("k" + kComparisons[below(2) == 0 ? 0 : below(5)] + literal);
    if (!query) {
      query = query::parse("k: " + literal);
    }
    if (!query) {
      query = query::parse("k: *");
    }
    query::Filter made = query->root.filter;
    made.path.steps = steps_of(key);
    return made;
  }

  std::vector<query::PathStep> steps_of(const Sample& sample) {
    std::vector<query::PathStep> steps;
    const auto wildcard = [&steps] {
      if (steps.empty() || !steps.back().wildcard) {
        steps.push_back({.wildcard = true, .key = {}});
      }
    };
    for (const std::string& key : sample.keys) {
      const std::size_t change = below(12);
      if (change == 0) {
        wildcard();
      } else if (change != 1) {
        steps.push_back({.wildcard = false, .key = key});
      }
    }
    if (steps.empty() || below(12) == 0) {
      wildcard();
    }
    return steps;
  }

  std::string literal_of(const Sample& sample) {
    if (below(10) == 0) {
      return "*";
    }
    if (!sample.string && below(2) == 0) {
      static const std::vector<std::string> kNear = {
          "0.5", "-1", "1e3", "42", "true", "null", "9223372036854775808"};
      return below(2) == 0 ? kNear[below(kNear.size())]
                           : sample.text + (below(2) == 0 ? "0" : ".5");
    }
    std::string text = sample.text;
    for (std::size_t changes = below(4); changes > 1 && !text.empty(); --changes) {
      const std::size_t at = below(text.size());
      const std::size_t length = below(std::min<std::size_t>(text.size() - at, 6)) + 1;
      // Marks that escape() leaves alone.
      text.replace(at, length, below(2) == 0 ? "\x01" : std::string(below(3) + 1, '\x02'));
    }
    if (below(6) == 0) {
      text = '\x01' + text.substr(below(text.size() + 1)) + '\x01';
    }
    return '"' + escape(text) + '"';
  }

  static std::string escape(std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (c == '\x01' || c == '\x02') {
        out += c == '\x01' ? '*' : '?';
      } else if (std::string_view("\\\"*?").find(c) != std::string_view::npos) {
        out += std::string("\\") + c;
      } else {
        out += c;
      }
    }
    return out;
  }

  std::vector<Sample> samples_;
  std::mt19937 random_;
};

}  // namespace fonds::clps::testing_archive
