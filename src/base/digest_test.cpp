#include "base/digest.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include <fonds/bytes.hpp>

namespace fonds {
namespace {

using State = LabelledDigest::State;

// The block of every record of digests-good.warc: 325 octets.
std::string fixture_block() {
  std::string block = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";
  for (int i = 0; i < 20; ++i) {
    block += "Hello, world! ";
  }
  return block;
}

DigestValue hash(DigestAlgorithm algorithm, std::string_view text) {
  Hasher hasher(algorithm);
  hasher.update(as_bytes(text));
  return hasher.finish();
}

std::string hex(const DigestValue& value) {
  return to_hex(ByteView(value.bytes).first(value.size));
}

struct GoodCase {
  std::string_view text;
  DigestAlgorithm algorithm;
};

void PrintTo(const GoodCase& c, std::ostream* out) { *out << c.text; }

class GoodDigest : public testing::TestWithParam<GoodCase> {};

TEST_P(GoodDigest, IsTheDigestOfTheBlock) {
  const LabelledDigest digest = parse_digest(GetParam().text);
  ASSERT_EQ(digest.state, State::Good);
  EXPECT_EQ(digest.algorithm, GetParam().algorithm);
  EXPECT_EQ(hex(digest.value), hex(hash(digest.algorithm, fixture_block())));
  EXPECT_EQ(digest.value, hash(digest.algorithm, fixture_block()));
}

// The fields of digests-good.warc.
INSTANTIATE_TEST_SUITE_P(
    FixtureFile, GoodDigest,
    testing::Values(
        GoodCase{"sha1:SHZCEP6TGVOZTJHVKCF3GUYLLOHOWXIS", DigestAlgorithm::Sha1},
        GoodCase{"sha1:shzcep6tgvoztjhvkcf3guyllohowxis", DigestAlgorithm::Sha1},
        GoodCase{"sha1:91f2223fd3355d99a4f5508bb3530b5b8eeb5d12", DigestAlgorithm::Sha1},
        GoodCase{"SHA1:SHZCEP6TGVOZTJHVKCF3GUYLLOHOWXIS", DigestAlgorithm::Sha1},
        GoodCase{"sha-1:SHZCEP6TGVOZTJHVKCF3GUYLLOHOWXIS", DigestAlgorithm::Sha1},
        GoodCase{"sha1:kfIiP9M1XZmk9VCLs1MLW47rXRI=", DigestAlgorithm::Sha1},
        GoodCase{"md5:74f3cc8098edd057929a4780c401e9d8", DigestAlgorithm::Md5},
        GoodCase{"md5:OTZ4ZAEY5XIFPEU2I6AMIAPJ3A======", DigestAlgorithm::Md5},
        GoodCase{"md5:OTZ4ZAEY5XIFPEU2I6AMIAPJ3A", DigestAlgorithm::Md5},
        GoodCase{"sha256:7a65d63cf5c3462143e79fee8ef16f7813412cf462d2d286a5df4efcfccb3ca8",
                 DigestAlgorithm::Sha256},
        GoodCase{"sha-256:7a65d63cf5c3462143e79fee8ef16f7813412cf462d2d286a5df4efcfccb3ca8",
                 DigestAlgorithm::Sha256},
        GoodCase{"sha256:7A65D63CF5C3462143E79FEE8EF16F7813412CF462D2D286A5DF4EFCFCCB3CA8",
                 DigestAlgorithm::Sha256},
        GoodCase{"sha256:PJS5MPHVYNDCCQ7HT7XI54LPPAJUCLHUMLJNFBVF35HPZ7GLHSUA====",
                 DigestAlgorithm::Sha256},
        GoodCase{"sha256:PJS5MPHVYNDCCQ7HT7XI54LPPAJUCLHUMLJNFBVF35HPZ7GLHSUA",
                 DigestAlgorithm::Sha256},
        GoodCase{"sha256:emXWPPXDRiFD55/ujvFveBNBLPRi0tKGpd9O/PzLPKg=", DigestAlgorithm::Sha256},
        GoodCase{"sha256:emXWPPXDRiFD55_ujvFveBNBLPRi0tKGpd9O_PzLPKg=", DigestAlgorithm::Sha256},
        GoodCase{"sha384:3faa55ff60df71dab8f27635f26d0265ee4db72cf349402ee58ee880fbcecf8df926"
                 "8b506a82aba35a0b67e05d8efc99",
                 DigestAlgorithm::Sha384},
        GoodCase{"sha512:f4e7459e3f25611fb842ef0bdb4996d8af549cf5cfdbb616c21fc83e74f37c36f2d4"
                 "ac3fb56448cdf161027fc8212329396ec8ebecd109a29943f4dac8103704",
                 DigestAlgorithm::Sha512},
        GoodCase{"sha512:6TTULHR7EVQR7OCC54F5WSMW3CXVJHHVZ7N3MFWCD7ED45HTPQ3PFVFMH62WISGN6FQQ"
                 "E76IEERSSOLOZDV6ZUIJUKMUH5G2ZAIDOBA=",
                 DigestAlgorithm::Sha512},
        GoodCase{"blake2b:bc860850fb8a5c456282bda27791e048a44394ceacc27c6db302781bb393fb45c7b"
                 "f23d07cf02a1d3e504b626b46734b3550befe884b899c189e9bfd9cea7223",
                 DigestAlgorithm::Blake2b512},
        GoodCase{"sha3-256:6a02cc3a8adc620cc32779f4116a1e3b56138ce1a104882153def56ab7f168a8",
                 DigestAlgorithm::Sha3_256}));

struct StateCase {
  std::string_view text;
  State state;
};

void PrintTo(const StateCase& c, std::ostream* out) { *out << '"' << c.text << '"'; }

class DigestState : public testing::TestWithParam<StateCase> {};

TEST_P(DigestState, TellsGoodFromUnsupportedFromMalformed) {
  EXPECT_EQ(parse_digest(GetParam().text).state, GetParam().state);
}

// The fields of digests-bad.warc.
INSTANTIATE_TEST_SUITE_P(
    FixtureFile, DigestState,
    testing::Values(StateCase{"sha1:US2IVAONVMPBUXOTPED5NSC4UHDB3XD4", State::Good},
                    StateCase{"sha1:AB2CD3EF4GH5IJ6KL7MN8OPQ", State::Malformed},
                    StateCase{"foo:AAAA", State::Unsupported},
                    StateCase{"nocolon", State::Malformed}, StateCase{"", State::Malformed}));

INSTANTIATE_TEST_SUITE_P(
    Table, DigestState,
    testing::Values(StateCase{" sha1:US2IVAONVMPBUXOTPED5NSC4UHDB3XD4 ", State::Good},
                    StateCase{"S-H-A-1:US2IVAONVMPBUXOTPED5NSC4UHDB3XD4", State::Good},
                    StateCase{"sha1:US2IVAONVMPBUXOTPED5NSC4UHDB3XD1", State::Malformed},
                    StateCase{"sha1:US2IVAONVMPBUXOTPED5NSC4UHDB3XD", State::Malformed},
                    StateCase{"sha1:US2IVAONVMPBUXOTPED5NSC4UHDB3XD44", State::Malformed},
                    StateCase{"sha1:US2IVAONVMPBUXOTPED5NSC4UHDB3XD\xb5", State::Malformed},
                    StateCase{"sha1:", State::Malformed}, StateCase{"sha1:====", State::Malformed},
                    StateCase{":", State::Malformed}, StateCase{":AAAA", State::Malformed},
                    StateCase{"foo:", State::Malformed},
                    StateCase{"a-label-that-is-longer-than-any-known-one:AAAA", State::Unsupported},
                    StateCase{"md5:74f3cc8098edd057929a4780c401e9d8", State::Good},
                    StateCase{"md5:74f3cc8098edd057929a4780c401e9d8=", State::Malformed},
                    StateCase{"md5:dPPMgJjt0FeSmkeAxAHp2A==", State::Good},
                    StateCase{"md5:dPPMgJjt0FeSmkeAxAHp2A", State::Good},
                    StateCase{"urn:sha1:US2IVAONVMPBUXOTPED5NSC4UHDB3XD4", State::Unsupported}));

struct KnownAnswer {
  std::string_view name;
  DigestAlgorithm algorithm;
  std::string_view of_abc;
};

class HasherOfAbc : public testing::TestWithParam<KnownAnswer> {};

TEST_P(HasherOfAbc, GivesThePublishedValueEachTime) {
  Hasher hasher(GetParam().algorithm);
  EXPECT_EQ(hasher.algorithm(), GetParam().algorithm);
  hasher.update(as_bytes("a"));
  hasher.update(as_bytes(""));
  hasher.update(as_bytes("bc"));
  EXPECT_EQ(hex(hasher.finish()), GetParam().of_abc);
  hasher.update(as_bytes("abc"));
  EXPECT_EQ(hex(hasher.finish()), GetParam().of_abc);
}

INSTANTIATE_TEST_SUITE_P(
    Algorithms, HasherOfAbc,
    testing::Values(
        KnownAnswer{"Md5", DigestAlgorithm::Md5, "900150983cd24fb0d6963f7d28e17f72"},
        KnownAnswer{"Sha1", DigestAlgorithm::Sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"},
        KnownAnswer{"Sha256", DigestAlgorithm::Sha256,
                    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        KnownAnswer{"Sha384", DigestAlgorithm::Sha384,
                    "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                    "8086072ba1e7cc2358baeca134c825a7"},
        KnownAnswer{"Sha512", DigestAlgorithm::Sha512,
                    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"},
        KnownAnswer{"Blake2b", DigestAlgorithm::Blake2b512,
                    "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                    "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"},
        KnownAnswer{"Blake2s", DigestAlgorithm::Blake2s256,
                    "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982"},
        KnownAnswer{"Sha3", DigestAlgorithm::Sha3_256,
                    "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"}),
    [](const testing::TestParamInfo<KnownAnswer>& param) { return std::string(param.param.name); });

TEST(Hasher, CanBeMoved) {
  Hasher first(DigestAlgorithm::Sha1);
  first.update(as_bytes("a"));
  Hasher second(std::move(first));
  second.update(as_bytes("bc"));
  EXPECT_EQ(hex(second.finish()), "a9993e364706816aba3e25717850c26c9cd0d89d");
}

TEST(DigestValue, DiffersBySizeAndByContent) {
  const DigestValue md5 = hash(DigestAlgorithm::Md5, "a");
  DigestValue longer = md5;
  longer.size = 20;
  EXPECT_FALSE(md5 == longer);
  EXPECT_FALSE(md5 == hash(DigestAlgorithm::Md5, "b"));
  DigestValue same_prefix = md5;
  same_prefix.bytes[40] = std::byte{1};
  EXPECT_TRUE(md5 == same_prefix);
}

struct Encodings {
  std::string_view bytes, hex, base32, base64;
};

class Rfc4648 : public testing::TestWithParam<Encodings> {};

TEST_P(Rfc4648, EncodesAndDecodes) {
  const Encodings& e = GetParam();
  EXPECT_EQ(to_hex(as_bytes(e.bytes)), e.hex);
  EXPECT_EQ(to_base32(as_bytes(e.bytes)), e.base32);
  EXPECT_EQ(to_base64(as_bytes(e.bytes)), e.base64);
  EXPECT_EQ(from_hex(e.hex), e.bytes);
  EXPECT_EQ(from_base32(e.base32), e.bytes);
  EXPECT_EQ(from_base64(e.base64), e.bytes);
  EXPECT_EQ(from_base32(e.base32.substr(0, e.base32.find('='))), e.bytes);
  EXPECT_EQ(from_base64(e.base64.substr(0, e.base64.find('='))), e.bytes);
}

INSTANTIATE_TEST_SUITE_P(
    Section10, Rfc4648,
    testing::Values(Encodings{"", "", "", ""}, Encodings{"f", "66", "MY======", "Zg=="},
                    Encodings{"fo", "666f", "MZXQ====", "Zm8="},
                    Encodings{"foo", "666f6f", "MZXW6===", "Zm9v"},
                    Encodings{"foob", "666f6f62", "MZXW6YQ=", "Zm9vYg=="},
                    Encodings{"fooba", "666f6f6261", "MZXW6YTB", "Zm9vYmE="},
                    Encodings{"foobar", "666f6f626172", "MZXW6YTBOI======", "Zm9vYmFy"},
                    Encodings{"\xff\xfe\xfb", "fffefb", "777PW===", "//77"}));

TEST(Decoding, TakesBothCasesAndTheUrlSafeAlphabet) {
  EXPECT_EQ(from_hex("FFfe"), "\xff\xfe");
  EXPECT_EQ(from_base32("mzxw6ytb"), "fooba");
  EXPECT_EQ(from_base64("__77"), "\xff\xfe\xfb");
  EXPECT_EQ(from_base64("-_-_"), from_base64("+/+/"));
}

class Undecodable : public testing::TestWithParam<std::string_view> {};

TEST_P(Undecodable, IsNothingInAnyEncoding) {
  EXPECT_EQ(from_hex(GetParam()), std::nullopt);
  EXPECT_EQ(from_base32(GetParam()), std::nullopt);
  EXPECT_EQ(from_base64(GetParam()), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Table, Undecodable,
                         testing::Values("a", "A=BC", "=", "====", "AA AA", "AAA\xc1", "!!!!",
                                         "AAAAA=", "A=======", "AAAA====="));

TEST(Decoding, RefusesPaddingThatFillsNoGroup) {
  EXPECT_EQ(from_base64("Zg="), std::nullopt);
  EXPECT_EQ(from_base64("Zm9v===="), std::nullopt);
  EXPECT_EQ(from_base32("MY====="), std::nullopt);
  EXPECT_EQ(from_base32("MZXW6YTB========"), std::nullopt);
}

}  // namespace
}  // namespace fonds
