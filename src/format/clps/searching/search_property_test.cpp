// The columns give the answers that the records give.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/clps/searching/search_testing.hpp"
#include "test_paths.hpp"

namespace fonds::clps {
namespace {

using namespace testing_archive;  // NOLINT(google-build-using-namespace)

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

bool is_json(const std::string& record) {
  return query::matches_json(*query::parse("*"), record).has_value();
}

// Asks many queries of an archive and of its records. Records with damaged arrays may come or not.
void compare(const std::string& bytes, std::uint32_t seed, int queries) {
  const auto archive = Archive::open(as_source(bytes));
  ASSERT_TRUE(archive) << archive.error().to_string();
  const Read read = read_all(bytes);
  ASSERT_EQ(read.error, "");
  std::vector<std::string> records = lines_of(read.text);
  const std::size_t all = records.size();
  std::erase_if(records, [](const std::string& record) { return !is_json(record); });
  QueryMaker maker(samples_of(records), seed);
  std::size_t some = 0;
  for (int i = 0; i < queries; ++i) {
    const query::Query query = maker.make(i % 3 == 0);
    query::RecordMatch match(query);
    std::vector<std::string> expected;
    for (const std::string& record : records) {
      if (*match.matches(record)) {
        expected.push_back(record);
      }
    }
    some += !expected.empty() && expected.size() < records.size() ? 1 : 0;
    // Decided by now in this archive's dictionaries, or not yet.
    const auto fresh = i % 2 == 0 ? *archive : *Archive::open(as_source(bytes));
    const Searched found = search_in(fresh, query, {.threads = i % 5 == 0 ? 3U : 1U});
    ASSERT_EQ(found.error, "") << query.text;
    std::vector<std::string> lines = lines_of(found.text);
    std::erase_if(lines, [](const std::string& record) { return !is_json(record); });
    ASSERT_EQ(lines, expected) << query.text << (query.options.ignore_case ? " -i" : "");
    SearchOptions counting;
    counting.want = SearchOptions::Want::Count;
    if (all == records.size()) {
      ASSERT_EQ(search_in(fresh, query, counting).report.matched, expected.size()) << query.text;
    }
  }
  if (records.size() > 3) {
    EXPECT_GT(some, 20U);
  }
}

// Archives whose values the records tell of entirely: without a timestamp column and keys of "@".
std::vector<std::string> plain_fixtures() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(FONDS_TEST_DATA "/clp-s")) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".clps" && !name.starts_with("bad-") &&
        name.find("-ts-") == std::string::npos && name.find("service") == std::string::npos &&
        name.find("kvir") == std::string::npos && name.find("velox") == std::string::npos) {
      names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

class ClpsSearchFixture : public testing::TestWithParam<std::string> {};

TEST_P(ClpsSearchFixture, AnswersAsItsRecordsDo) {
  std::ifstream file(FONDS_TEST_DATA "/clp-s/" + GetParam(), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  compare(bytes, 1, 400);
}

INSTANTIATE_TEST_SUITE_P(Archives, ClpsSearchFixture, testing::ValuesIn(plain_fixtures()),
                         [](const auto& one) {
                           std::string name = one.param.substr(0, one.param.size() - 5);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Archives of writers that split texts and lay out tables in ways of their own.
class ClpsSearchMade : public testing::TestWithParam<std::uint32_t> {
 protected:
  std::mt19937 random_{GetParam()};
  std::size_t below(std::size_t n) { return random_() % n; }
  template <typename T>
  const T& one_of(const std::vector<T>& from) {
    return from[below(from.size())];
  }

  std::string text(bool json) {
    static const std::vector<std::string> kPieces = {
        "a",  "b",    "K",    "k",    "s",        "needle",       " ",
        "1",  "25",   "-",    ".",    "\xC3\xA9", "\xE2\x84\xAA", "\\",
        "\"", "\x11", "\x12", "\x13", "Z"};
    std::string made;
    for (std::size_t i = below(5); i > 0; --i) {
      made += one_of(kPieces);
    }
    if (json) {
      std::erase_if(made, [](char c) { return c == '"' || c == '\\' || c < ' '; });
    }
    return made;
  }
  static std::string escaped(std::string_view text) {
    std::string stored;
    for (const char c : text) {
      stored += (c == '\\' || (c >= 0x11 && c <= 0x13)) ? std::string("\\") + c : std::string(1, c);
    }
    return stored;
  }

  // A text cut anywhere into literal pieces and variables of all kinds.
  std::string split_cell(const std::vector<std::string>& parts, std::string& variables,
                         std::uint64_t& count) {
    std::string type;
    for (const std::string& part : parts) {
      type += escaped(part);
      switch (below(4)) {
        case 0:
          type += '\x11';
          variables += word(below(2) == 0 ? below(200) : 0 - std::uint64_t{25});
          break;
        case 1:
          type += '\x13';
          variables += word(one_of(std::vector<std::uint64_t>{0xFA21, 0x500, 0x8000000000000510}));
          break;
        case 2:
          type += '\x12';
          variables += word(below(made_.variables.size()));
          break;
        default:
          continue;
      }
      ++count;
    }
    return type;
  }

  std::string split_column(std::uint64_t records, std::vector<std::string>& types, bool array) {
    std::string cells, variables;
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < records; ++i) {
      const std::uint64_t first = count;
      std::vector<std::string> parts;
      for (std::size_t n = 1 + below(3); n > 0; --n) {
        parts.push_back(text(array));
      }
      std::string type = array ? array_cell(variables, count) : split_cell(parts, variables, count);
      const auto known = std::find(types.begin(), types.end(), type);
      cells += word(static_cast<std::uint64_t>(known - types.begin()) | first << 24);
      if (known == types.end()) {
        types.push_back(std::move(type));
      }
    }
    return cells + word(count) + variables;
  }

  std::size_t json_variable() {
    return below(30) == 0 ? below(made_.variables.size()) : below(json_variables_);
  }

  // An array whose variables stand for numbers, texts, or parts of them.
  std::string array_cell(std::string& variables, std::uint64_t& count) {
    std::string type = "[";
    for (std::size_t i = below(4); i > 0; --i) {
      const auto variable = [&](char kind, std::uint64_t value) {
        variables += word(value);
        ++count;
        return std::string(1, kind);
      };
      switch (below(8)) {
        case 0:
          type += variable('\x11', below(30));
          break;
        case 1:
          type += variable('\x13', 0xFA21);
          break;
        case 2:
          type += "{\"k\":" + variable('\x11', below(30)) + ", \"n\":[null,true]}";
          break;
        case 3:
          type += "\"" + escaped(text(true)) + variable('\x12', json_variable()) + "\"";
          break;
        case 4:
          type += "{\"\\u006b\":\"\\u0061" + variable('\x12', json_variable()) + "\"}";
          break;
        case 6:
          type += variable('\x12', json_variables_ + below(4));
          break;
        case 5:
          type += "[" + variable('\x11', below(30)) + "]";
          break;
        default:
          type += "\"" + variable('\x12', json_variable()) + "\"";
          break;
      }
      type += i > 1 ? "," : "";
    }
    return type + "]";
  }

  std::string column(NodeType type, std::uint64_t records) {
    std::string bytes;
    for (std::uint64_t i = 0; i < records; ++i) {
      switch (type) {
        case NodeType::Integer:
          bytes += word(static_cast<std::uint64_t>(static_cast<std::int64_t>(below(60)) - 20));
          break;
        case NodeType::Float: {
          const double value = static_cast<double>(below(60)) / 8 + (below(2) == 0 ? 1e-7 : 0);
          bytes += word(std::bit_cast<std::uint64_t>(value));
          break;
        }
        case NodeType::Boolean:
          bytes += static_cast<char>(below(2));
          break;
        case NodeType::VarString:
          bytes += word(below(made_.variables.size()));
          break;
        case NodeType::DictionaryFloat:
          bytes += word(made_.variables.size() - 1 - below(3));
          break;
        case NodeType::ClpString:
          return split_column(records, made_.log_types, false);
        case NodeType::UnstructuredArray:
          return split_column(records, made_.array_types, true);
        default:
          break;
      }
    }
    return bytes;
  }

  std::string build() {
    made_.nodes = usual_roots();
    for (json_variables_ = 0; json_variables_ < 12; ++json_variables_) {
      made_.variables.push_back(text(true));
    }
    for (const char* inserted : {"25", "1e1", "5,\"needle\"", "{\"k\":5}"}) {
      made_.variables.emplace_back(inserted);
    }
    for (int i = 0; i < 20; ++i) {
      made_.variables.push_back(text(false));
    }
    made_.variables.emplace_back("a\",5,{\"k\":\"b");
    for (const char* number : {"18446744073709551615", "1e400", "-0"}) {
      made_.variables.emplace_back(number);
    }
    const std::vector<NodeType> types = {NodeType::Integer,   NodeType::Float,
                                         NodeType::Boolean,   NodeType::VarString,
                                         NodeType::ClpString, NodeType::DictionaryFloat,
                                         NodeType::NullValue, NodeType::UnstructuredArray};
    made_.nodes.push_back({2, NodeType::Object, "o"});
    std::vector<std::int32_t> leaves;
    for (const NodeType type : types) {
      for (const char* key : {"k", "m"}) {
        leaves.push_back(static_cast<std::int32_t>(made_.nodes.size()));
        made_.nodes.push_back({*key == 'k' ? 2 : 3, type, key});
      }
    }
    std::uint64_t logged = 0;
    for (std::size_t table = 0; table < 6; ++table) {
      MadeSchema schema{{1}, {}};
      for (const std::int32_t leaf : leaves) {
        // A key once in a record.
        if (below(3) == 0 &&
            std::none_of(schema.ordered.begin(), schema.ordered.end(), [&](std::int32_t other) {
              return other > 3 && made_.nodes[other].key == made_.nodes[leaf].key;
            })) {
          schema.ordered.push_back(leaf);
        }
      }
      const std::uint64_t records = 1 + below(150);
      std::vector<std::uint64_t> places(records);
      for (std::uint64_t& place : places) {
        place = logged++;
      }
      std::string columns = differences(places);
      for (const std::int32_t node : schema.ordered) {
        columns +=
            node == 1 ? "" : column(made_.nodes[static_cast<std::size_t>(node)].type, records);
      }
      made_.schemas.push_back(schema);
      made_.tables.push_back({table, records, columns, table / 2});
    }
    return made_.build();
  }

  MadeArchive made_;
  std::size_t json_variables_ = 0;
};

TEST_P(ClpsSearchMade, AnswersAsItsRecordsDo) { compare(build(), GetParam() + 100, 120); }

INSTANTIATE_TEST_SUITE_P(Seeds, ClpsSearchMade, testing::Range(0U, 30U));

}  // namespace
}  // namespace fonds::clps
