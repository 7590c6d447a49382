// There and back again, for every record of the fixtures.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/grammar_test_support.hpp"
#include "format/warc/writing/conversion.hpp"
#include "format/warc/writing/conversion_test_support.hpp"

namespace fonds::warc {
namespace {

constexpr Target kTargets[] = {Target::Warc11, Target::Warc10, Target::Warc018, Target::Warc0011,
                               Target::Arc11};

std::optional<Target> target_of(const Header& header) {
  for (const auto target : kTargets) {
    if (is_of(header, target)) {
      return target;
    }
  }
  return std::nullopt;
}

// A reader would take the header's word for the length of the block.
bool has_length_of_block(const Sample& sample) {
  return sample.header.complete && sample.header.length_state != Header::LengthState::Missing &&
         sample.header.other_lengths.empty() &&
         sample.header.block_length == sample.facts.block_length;
}

ConversionScope scope_of(const Samples& samples) {
  ConversionScope scope;
  for (const auto& sample : samples) {
    scope.add(sample->header, sample->facts);
  }
  return scope;
}

// The record behind its converted header, or nothing if it was skipped.
std::unique_ptr<Sample> convert_sample(const Sample& sample, const ConversionScope& scope,
                                       const ConversionOptions& options) {
  auto made = convert_header(sample.header, sample.facts, scope, options);
  if (!made) {
    ADD_FAILURE() << made.error().to_string();
    return nullptr;
  }
  if (made->skip) {
    return nullptr;
  }
  auto result = sample_of(made->header, sample.block);
  fill_facts(*result, sample.facts.archive, sample.facts.decoded_offset);
  return result;
}

class EveryConvertibleArchive : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    samples_ = samples_of(read_decoded_fixture(GetParam()));
    std::erase_if(samples_, [](const auto& sample) { return !sample->header.complete; });
  }
  Samples samples_;
};

TEST_P(EveryConvertibleArchive, IsReadAsTheTargetWithTheSameBlocks) {
  const auto scope = scope_of(samples_);
  for (const bool original_header : {true, false}) {
    for (const auto target : kTargets) {
      for (const auto& sample : samples_) {
        if (is_of(sample->header, target)) {
          continue;
        }
        const auto made =
            convert_sample(*sample, scope, {.target = target, .original_header = original_header});
        if (made == nullptr) {
          EXPECT_EQ(target, Target::Arc11);
          continue;
        }
        EXPECT_TRUE(is_of(made->header, target)) << made->raw_header();
        EXPECT_TRUE(made->header.complete);
        EXPECT_EQ(made->header.length + sample->block.size(), made->octets.size())
            << made->raw_header();
        EXPECT_EQ(made->header.block_length, sample->facts.block_length) << made->raw_header();
      }
    }
  }
}

TEST_P(EveryConvertibleArchive, ComesBackOctetForOctetWithTheOriginalHeader) {
  const auto scope = scope_of(samples_);
  for (const auto& sample : samples_) {
    const auto source = target_of(sample->header);
    if (!source || !has_length_of_block(*sample)) {
      continue;
    }
    for (const auto target : kTargets) {
      if (target == *source) {  // then only an odd spelling of the version is mended
        continue;
      }
      const auto there = convert_sample(*sample, scope, {.target = target});
      if (there == nullptr || (target == Target::Arc11 && source != Target::Arc11)) {
        continue;
      }
      const auto back = convert_sample(*there, scope, {.target = *source});
      ASSERT_NE(back, nullptr) << there->raw_header();
      EXPECT_EQ(back->raw_header(), sample->raw_header());
    }
  }
}

TEST_P(EveryConvertibleArchive, ComesBackOctetForOctetOverTwoDialects) {
  const auto scope = scope_of(samples_);
  for (const auto& sample : samples_) {
    const auto source = target_of(sample->header);
    // An odd spelling of the version is mended by the last step.
    if (!source || !has_length_of_block(*sample) ||
        !stays(sample->header, as_bytes(sample->raw_header()), *source)) {
      continue;
    }
    const auto first = convert_sample(*sample, scope, {.target = Target::Warc11});
    const auto second = convert_sample(*first, scope, {.target = Target::Warc0011});
    const auto third = convert_sample(*second, scope, {.target = Target::Warc10});
    const auto back = convert_sample(*third, scope, {.target = *source});
    ASSERT_NE(back, nullptr) << third->raw_header();
    EXPECT_EQ(back->raw_header(), sample->raw_header());
  }
}

using Model = std::map<std::string, std::string>;

Model model_of(const Header& header) {
  Model model;
  const auto add = [&model](const char* name, std::string_view value) {
    if (!value.empty()) {
      model[name] = value;
    }
  };
  add("type", header.type);
  add("id", header.id);
  add("uri", header.uri);
  add("date", header.date.value ? header.date.value->to_string() : "");
  add("content type", header.content_type);
  add("ip", header.ip);
  add("block digest", header.block_digest);
  add("payload digest", header.payload_digest);
  add("refers to", header.refers_to);
  add("refers to uri", header.refers_to_uri);
  add("refers to date", header.refers_to_date);
  std::string concurrent;
  for (const auto id : header.concurrent_to) {
    concurrent += std::string(id) + " ";
  }
  add("concurrent to", concurrent);
  add("profile", header.profile);
  add("truncated", header.truncated);
  add("warcinfo id", header.warcinfo_id);
  add("filename", header.filename);
  add("trec id", header.trec_id);
  add("payload type", header.payload_type);
  add("segment", header.segment ? std::to_string(header.segment->number) : "");
  add("segment origin", header.segment_origin);
  add("segment total", header.segment_total ? std::to_string(*header.segment_total) : "");
  return model;
}

// What a record of WARC 1.1 cannot do without, and those that must not have it.
void forget_what_is_filled_in(const Header& before, Model& there, Model& back) {
  const auto forget = [&](const char* name) {
    there.erase(name);
    back.erase(name);
  };
  const bool control = before.uri.find_first_of("\r\f\t") != std::string_view::npos;
  if (before.uri.empty() || control) {
    forget("uri");
  }
  if (before.content_type.empty()) {
    forget("content type");
  }
  if (before.id.empty()) {
    forget("id");
  }
  if (!before.date.value) {
    forget("date");
  }
  if (before.type.empty()) {
    forget("type");
  }
  if (before.type == "revisit" && before.profile.empty()) {
    forget("profile");
  }
  if (before.type == "warcinfo" || before.type == "conversion" || before.type == "continuation") {
    forget("ip");
  }
}

TEST_P(EveryConvertibleArchive, OfWarc11ComesBackFrom0011WithTheSameModel) {
  for (const auto& sample : samples_) {
    if (sample->header.dialect != Dialect::Modern) {
      continue;
    }
    const ConversionScope none;
    const auto plain = [](Target target) {
      return ConversionOptions{.target = target, .original_header = false};
    };
    const auto first = convert_sample(*sample, none, plain(Target::Warc10));
    const auto there = convert_sample(*first, none, plain(Target::Warc11));
    const auto middle = convert_sample(*there, none, plain(Target::Warc0011));
    ASSERT_NE(middle, nullptr);
    const auto back = convert_sample(*middle, none, plain(Target::Warc11));
    ASSERT_NE(back, nullptr);
    auto before = model_of(there->header);
    auto after = model_of(back->header);
    forget_what_is_filled_in(there->header, before, after);
    EXPECT_EQ(before, after) << there->raw_header() << middle->raw_header();
  }
}

TEST_P(EveryConvertibleArchive, Of0011ComesBackFromWarc11WithTheSameModel) {
  const auto scope = scope_of(samples_);
  for (const auto& sample : samples_) {
    if (sample->header.dialect != Dialect::Positional) {
      continue;
    }
    const auto there =
        convert_sample(*sample, scope, {.target = Target::Warc11, .original_header = false});
    const auto back =
        convert_sample(*there, scope, {.target = Target::Warc0011, .original_header = false});
    ASSERT_NE(back, nullptr);
    auto before = model_of(sample->header);
    auto after = model_of(back->header);
    forget_what_is_filled_in(sample->header, before, after);
    // Whether a reference is one to a record shows only in WARC 1.1.
    for (const char* name : {"uri", "refers to", "refers to uri"}) {
      before.erase(name);
      after.erase(name);
    }
    // Without digits the date was filled up.
    if (sample->header.date.value->precision != Date::Precision::Second) {
      before.erase("date");
      after.erase("date");
    }
    // A total and a profile are said by 1.1 alone.
    after.erase("segment total");
    after.erase("profile");
    EXPECT_EQ(before, after) << sample->raw_header() << there->raw_header() << back->raw_header();
  }
}

TEST_P(EveryConvertibleArchive, OfArcComesBackFromWarc11WithTheSameModel) {
  const auto scope = scope_of(samples_);
  for (const auto& sample : samples_) {
    if (sample->header.dialect != Dialect::Arc) {
      continue;
    }
    const auto there =
        convert_sample(*sample, scope, {.target = Target::Warc11, .original_header = false});
    const auto back =
        convert_sample(*there, scope, {.target = Target::Arc11, .original_header = false});
    ASSERT_NE(back, nullptr) << there->raw_header();
    auto before = model_of(sample->header);
    auto after = model_of(back->header);
    forget_what_is_filled_in(sample->header, before, after);
    for (const char* name : {"payload type", "filename"}) {  // columns of their own
      before.erase(name);
      after.erase(name);
    }
    if (!sample->facts.has_status_line) {
      before.erase("content type");
      after.erase("content type");
    }
    if (sample->header.date.value &&
        sample->header.date.value->precision != Date::Precision::Second) {
      before.erase("date");
      after.erase("date");
    }
    EXPECT_EQ(before, after) << sample->raw_header() << there->raw_header() << back->raw_header();
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, EveryConvertibleArchive, testing::ValuesIn(archive_fixtures()),
                         fixture_name);

}  // namespace
}  // namespace fonds::warc
