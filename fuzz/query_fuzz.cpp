// Any text as a query, in both languages: it is refused with a place in the text, or its tree has a
// text that parses to the same tree. What is accepted is asked of records; a record made of the
// input itself is, too.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fonds/error.hpp>
#include <fonds/query.hpp>

#include "query/tree.hpp"
#include "require.hpp"

namespace {

using fonds::fuzz::require;
using namespace fonds::query;  // NOLINT(google-build-using-namespace)

constexpr std::string_view kRecord =
    R"({"a":{"b":[1,-2.5,"x y",{"c":null}],"":true},"é":"É","big":18446744073709551615,"a":[[]]})";

void check_refusal(std::string_view text, const fonds::Error& error) {
  require(error.code() == fonds::ErrorCode::BadArgument);
  require(error.where().decoded_offset && *error.where().decoded_offset <= text.size());
  require(explain(text, error).starts_with(error.message()));
}

void check_records(const Query& query, std::string_view text) {
  RecordMatch match(query);
  const auto answer = match.matches(kRecord, R"({"k":"x"})", R"({"_filename":"f"})");
  require(answer.has_value());
  // A query is rarely JSON; if it is not, the matcher must still be as new.
  const auto other = match.matches(text);
  require(other || other.error().code() == fonds::ErrorCode::Corrupt);
  require(*match.matches(kRecord, R"({"k":"x"})", R"({"_filename":"f"})") == *answer);

  Query negated{.text = {}, .options = query.options, .root = {}};
  negated.root.kind = Node::Kind::Not;
  negated.root.children.push_back(query.root);
  require(*matches_json(negated, kRecord, R"({"k":"x"})", R"({"_filename":"f"})") != *answer);
}

void check(std::string_view text, const ParseOptions& options) {
  const auto query = parse(text, options);
  if (!query) {
    check_refusal(text, query.error());
    return;
  }
  const std::string tree = to_string(query->root);
  const auto again = parse(tree, options);
  // Escapes may take a query over the longest that is allowed.
  require(again || tree.size() > text.size());
  if (again) {
    require(same_tree(query->root, again->root));
    require(to_string(again->root) == tree);
  }
  check_records(*query, text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > 8192) {
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  for (const Meaning meaning : {Meaning::Default, Meaning::ClpS}) {
    check(text, {.meaning = meaning, .ignore_case = data[0] % 2 == 1});
  }
  if (const auto path = parse_path(text); !path) {
    check_refusal(text, path.error());
  }
  return 0;
}
