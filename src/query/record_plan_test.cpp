#include "query/record_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/date_span.hpp"
#include "query/tree.hpp"

namespace fonds::query {
namespace {

// `h…` is known by the header, `n…` by the HTTP head, `payload` and `body` by the content.
class Stages final : public FieldReader {
 public:
  explicit Stages(std::span<const Path> paths) : paths_(paths) {}
  FieldStage stage(std::size_t wanted) const override {
    const PathStep& first = paths_[wanted].steps.front();
    if (first.wildcard || first.key.starts_with('n')) {
      return FieldStage::Http;
    }
    return first.key == "payload" || first.key == "body" ? FieldStage::Content : FieldStage::Header;
  }
  Status read(FieldStage, RecordReader&, const Record&, FieldSink&) override { return {}; }

 private:
  std::span<const Path> paths_;
};

class RecordPlanTest : public testing::Test {
 protected:
  void ask(std::string_view text) {
    const auto query = parse(text, {.date_ranges = true});
    ASSERT_TRUE(query.has_value()) << query.error().message();
    plan_ = std::make_unique<RecordPlan>(*query);
    plan_->learn_stages(Stages(plan_->paths()));
    plan_->begin();
  }
  void tell(std::string_view key, const FieldValue& value) {
    for (std::size_t i = 0; i < plan_->paths().size(); ++i) {
      if (plan_->paths()[i].any() || plan_->paths()[i].steps.front().key == key) {
        plan_->value(i, key, value);
      }
    }
  }
  void text(std::string_view key, std::string_view value) { tell(key, {.text = value}); }
  void number(std::string_view key, std::string_view value) {
    tell(key, {.kind = FieldValue::Kind::Number, .text = value});
  }
  // What the query says of a record whose date is this one.
  bool of_date(std::string_view query, std::string_view date) {
    ask(query);
    const DateSpan span = span_of(parse_user_date(date).value());
    tell("h", {.kind = FieldValue::Kind::Time, .text = date, .begin = span.begin, .end = span.end});
    return plan_->after(FieldStage::Content) == Truth::True;
  }
  bool of_text(std::string_view query, std::string_view value) {
    ask(query);
    text("h", value);
    return plan_->after(FieldStage::Content) == Truth::True;
  }
  Truth of_content(std::string_view query, std::string_view content, std::uint64_t memory = 1000) {
    ask(query);
    plan_->begin_content(memory);
    while (!content.empty() && plan_->take_content(as_bytes(content.substr(0, 3)))) {
      content.remove_prefix(std::min<std::size_t>(3, content.size()));
      left_ = content.size();
    }
    plan_->end_content();
    return plan_->after(FieldStage::Content);
  }
  Truth after(FieldStage stage) const { return plan_->after(stage); }

  std::unique_ptr<RecordPlan> plan_;
  std::size_t left_ = 0;  // of the content, when no more was wanted
};

TEST_F(RecordPlanTest, KnowsAsSoonAsAStageDecides) {
  ask("h: a and n: b");
  text("h", "x");
  EXPECT_EQ(after(FieldStage::Header), Truth::False);

  plan_->begin();
  text("h", "a");
  EXPECT_EQ(after(FieldStage::Header), Truth::Unknown);
  text("n", "b");
  EXPECT_EQ(after(FieldStage::Http), Truth::True);

  ask("h: a or n: b");
  text("h", "a");
  EXPECT_EQ(after(FieldStage::Header), Truth::True);
}

TEST_F(RecordPlanTest, NotOfWhatIsUnknownIsUnknown) {
  ask("not n: b");
  EXPECT_EQ(after(FieldStage::Header), Truth::Unknown);
  EXPECT_EQ(after(FieldStage::Http), Truth::True);
  text("n", "b");
  EXPECT_EQ(after(FieldStage::Header), Truth::False);
}

TEST_F(RecordPlanTest, AFieldThatIsMissingIsFalseAndItsNegationTrue) {
  ask("h: a");
  EXPECT_EQ(after(FieldStage::Header), Truth::False);
  ask("not h: *");
  EXPECT_EQ(after(FieldStage::Header), Truth::True);
  ask("*");
  EXPECT_EQ(after(FieldStage::Header), Truth::True);
}

TEST_F(RecordPlanTest, AnyOfSeveralValuesCounts) {
  ask("h: (and a b)");
  text("h", "a");
  text("h", "c");
  EXPECT_EQ(after(FieldStage::Header), Truth::False);
  text("h", "b");
  EXPECT_EQ(after(FieldStage::Header), Truth::True);
}

TEST_F(RecordPlanTest, ListsOfValuesAreAskedAtOnce) {
  ask("h: (a b* \"3\" 4.0 2017)");
  EXPECT_EQ(plan_->paths().size(), 1U);
  const auto holds = [this](FieldValue value) {
    plan_->begin();
    tell("h", value);
    return after(FieldStage::Header) == Truth::True;
  };
  const auto number = FieldValue::Kind::Number;
  EXPECT_TRUE(holds({.text = "a"}));
  EXPECT_TRUE(holds({.text = "bcd"}));
  EXPECT_TRUE(holds({.text = "4.0"}));
  EXPECT_TRUE(holds({.kind = number, .text = "4"}));
  EXPECT_TRUE(holds({.kind = number, .text = "3"}));
  EXPECT_FALSE(holds({.text = "4"}));
  EXPECT_FALSE(holds({.kind = number, .text = "5"}));
  const DateSpan day = span_of(parse_user_date("2017-03-05").value());
  EXPECT_TRUE(holds(
      {.kind = FieldValue::Kind::Time, .text = "2017-03-05", .begin = day.begin, .end = day.end}));
  EXPECT_EQ(of_content("payload: (x *needle*)", "a needle"), Truth::True);
  EXPECT_EQ(of_content("body.a: (1 2)", R"({"a": 2})"), Truth::True);
}

TEST_F(RecordPlanTest, RecordsDoNotInheritValues) {
  ask("h: a");
  text("h", "a");
  plan_->begin();
  EXPECT_EQ(after(FieldStage::Header), Truth::False);
}

TEST_F(RecordPlanTest, NumbersAreNumbersAndTextsSpellThem) {
  ask("h >= 400 and h < 500");
  number("h", "404");
  EXPECT_EQ(after(FieldStage::Header), Truth::True);
  ask("h: 4*");
  number("h", "404");
  EXPECT_EQ(after(FieldStage::Header), Truth::False);
  EXPECT_TRUE(of_text("h > 1000", "1234"));
  EXPECT_FALSE(of_text("h > 1000", "999"));
  EXPECT_FALSE(of_text("h > 1000", "infinity"));
  EXPECT_FALSE(of_text("h < 1000", "12 kB"));
  EXPECT_TRUE(of_text("h: 12*", "1234"));
}

TEST_F(RecordPlanTest, DatesAreSpans) {
  EXPECT_TRUE(of_date("h: 2017", "2017-03-05T10:20:30Z"));
  EXPECT_TRUE(of_date("h: \"2017-03\"", "2017-03-05T10:20:30Z"));
  EXPECT_TRUE(of_date("h: \"2017-03-05T10:20:30Z\"", "2017-03-05T10:20:30Z"));
  EXPECT_TRUE(of_date("h: \"2017-03-05T11:20:30+01:00\"", "2017-03-05T10:20:30Z"));
  EXPECT_FALSE(of_date("h: 2016", "2017-03-05T10:20:30Z"));
  EXPECT_FALSE(of_date("h: \"2017-03-05\"", "2017"));  // lies somewhere in 2017
  EXPECT_TRUE(of_date("h: 2017-03*", "2017-03-05T10:20:30Z"));
  EXPECT_FALSE(of_date("h > 2017", "2017-12-31T23:59:59Z"));
  EXPECT_TRUE(of_date("h > 2017", "2018-01-01T00:00:00Z"));
  EXPECT_TRUE(of_date("h >= 2017", "2017"));
  EXPECT_TRUE(of_date("h <= 2017", "2017-12-31T23:59:59Z"));
  EXPECT_FALSE(of_date("h < 2017", "2017-01-01T00:00:00Z"));
  EXPECT_TRUE(of_date("h < \"2017-01-02\"", "2017-01-01T00:00:00Z"));
}

TEST_F(RecordPlanTest, NumbersThatAreNoDatesCompareWithNone) {
  for (const std::string literal : {"20170", "201", "99999999", "1.5", "-2017"}) {
    for (const std::string comparison : {": ", " > ", " >= ", " < ", " <= "}) {
      EXPECT_FALSE(of_date("h" + comparison + literal, "2017-03-05T10:20:30Z"))
          << comparison << literal;
    }
  }
  EXPECT_TRUE(of_date("h: *", "2017-03-05T10:20:30Z"));
}

TEST_F(RecordPlanTest, TimestampsAndNumbersSince1970AreInstants) {
  EXPECT_TRUE(of_date("h: timestamp(\"2017-03-05T10:20:30Z\")", "2017-03-05T10:20:30Z"));
  EXPECT_TRUE(of_date("h > timestamp(\"2017-03-05T10:20:29Z\")", "2017-03-05T10:20:30Z"));
  EXPECT_FALSE(of_date("h > timestamp(\"2017-03-05T10:20:30Z\")", "2017-03-05T10:20:30Z"));
  EXPECT_TRUE(of_date("h: 1488709230", "2017-03-05T10:20:30Z"));
  EXPECT_TRUE(of_date("h: 1488709230000", "2017-03-05T10:20:30Z"));
}

TEST_F(RecordPlanTest, TextsOfTheContentAreMatchedWhole) {
  EXPECT_EQ(of_content("payload: *needle*", "hay needle hay"), Truth::True);
  EXPECT_EQ(of_content("payload: needle", "hay needle hay"), Truth::False);
  EXPECT_EQ(of_content("payload: \"hay needle\"", "hay needle"), Truth::True);
  EXPECT_EQ(of_content("not payload: *needle*", "hay"), Truth::True);
  EXPECT_EQ(of_content("payload: *", ""), Truth::True);
}

TEST_F(RecordPlanTest, ContentIsLeftAsSoonAsItIsDecided) {
  EXPECT_EQ(of_content("payload: *a*", "bbbabbbbbbbb"), Truth::True);
  EXPECT_GT(left_, 0U);
  EXPECT_EQ(of_content("body.a: 1", "<html></html>"), Truth::False);
  EXPECT_GT(left_, 0U);
}

TEST_F(RecordPlanTest, BodiesThatAreJsonHaveKeys) {
  EXPECT_EQ(of_content("body.a.b: 5", R"( {"a": {"b": [1, 5]}})"), Truth::True);
  EXPECT_EQ(of_content("body.a.b: 6", R"({"a": {"b": [1, 5]}})"), Truth::False);
  EXPECT_EQ(of_content("body.a.b: 5", "\xef\xbb\xbf{\"a\": {\"b\": 5}}"), Truth::True);
  EXPECT_EQ(of_content("body.a.b: 5", R"({"a": {"b": 5})"), Truth::False);
  EXPECT_EQ(of_content("body: *", "[]"), Truth::True);
  EXPECT_EQ(of_content("body: *", ""), Truth::False);
  EXPECT_EQ(of_content("not body: *", "no JSON"), Truth::True);
  EXPECT_EQ(of_content("body.a: 1 and payload: *z*", R"({"a": 1, "b": "z"})"), Truth::True);
}

TEST_F(RecordPlanTest, ABodyBeyondTheMemoryMatchesNothingAndIsTold) {
  EXPECT_EQ(of_content("body.a: 1", R"({"a": 1, "b": "long enough"})", 20), Truth::False);
  EXPECT_TRUE(plan_->too_long());
  EXPECT_EQ(of_content("body.a: 1", R"({"a": 1})", 20), Truth::True);
  EXPECT_FALSE(plan_->too_long());
}

TEST(RefuseDateRanges, SaysWhatTheParserSays) {
  const auto strict = parse("a: 1 and b > \"2017-03\"");
  ASSERT_FALSE(strict.has_value());
  const auto query = parse("a: 1 and b > \"2017-03\"", {.date_ranges = true});
  ASSERT_TRUE(query.has_value());
  const auto refused = refuse_date_ranges(query->root);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message(), strict.error().message());
  EXPECT_EQ(refused.error().where().decoded_offset, strict.error().where().decoded_offset);
  EXPECT_FALSE(parse("b > \"soon\"", {.date_ranges = true}).has_value());
}

}  // namespace
}  // namespace fonds::query
