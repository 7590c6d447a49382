#include "format/recordio/reading/transform.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/formats/recordio.hpp>

namespace fonds::recordio {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint64_t kMost = std::uint64_t{64} << 20;

std::string text(const Buffer& buffer) { return std::string(as_text(buffer.view())); }

Stack stack_of(const std::vector<std::string>& entries) {
  auto stack = Stack::make(entries);
  EXPECT_TRUE(stack.has_value());
  return stack ? std::move(*stack) : Stack();
}
std::string applied(Stack& stack, std::string_view in) {
  Buffer out;
  const Status status = stack.apply(as_bytes(in), out);
  EXPECT_TRUE(status.has_value()) << status.error().message();
  return text(out);
}
std::string applied(const std::string& entry, std::string_view in) {
  Stack stack = stack_of({entry});
  return applied(stack, in);
}
// The result, or the message of the error.
std::string undone(Stack& stack, std::string_view in, std::uint64_t most = kMost) {
  Buffer out;
  const Status status = stack.undo(as_bytes(in), most, out);
  return status ? text(out) : status.error().message();
}
std::string undone(const std::string& entry, std::string_view in, std::uint64_t most = kMost) {
  Stack stack = stack_of({entry});
  return undone(stack, in, most);
}
ErrorCode undo_error(const std::string& entry, std::string_view in, std::uint64_t most = kMost) {
  Stack stack = stack_of({entry});
  Buffer out;
  const Status status = stack.undo(as_bytes(in), most, out);
  return status ? ErrorCode::Internal : status.error().code();
}

// Text that compresses to about a third, the same each time.
std::string sample(std::size_t size) {
  std::string result;
  std::uint64_t state = 7;
  while (result.size() < size) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    result += (state >> 62) == 0 ? "request served " : "user " + std::to_string(state >> 40) + "; ";
  }
  result.resize(size);
  return result;
}
std::string noise(std::size_t size) {
  std::string result;
  std::uint64_t state = 11;
  while (result.size() < size) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    result += static_cast<char>(state >> 56);
  }
  return result;
}

TEST(SplitTransformer, CutsAtTheFirstBlank) {
  EXPECT_EQ(split_transformer("flate").name, "flate");
  EXPECT_EQ(split_transformer("flate ").argument, "");
  EXPECT_EQ(split_transformer("flate  3").argument, " 3");
  EXPECT_EQ(split_transformer("xor 90 and more").argument, "90 and more");
}

TEST(StackMake, UnknownNameIsUnsupportedAndNamed) {
  const auto stack = Stack::make(std::vector<std::string>{"seal 3"});
  ASSERT_FALSE(stack.has_value());
  EXPECT_EQ(stack.error().code(), ErrorCode::Unsupported);
  EXPECT_EQ(stack.error().message(), "unknown transformer seal");
}

TEST(StackMake, NamesAreCaseSensitive) {
  EXPECT_FALSE(Stack::make(std::vector<std::string>{"Flate"}).has_value());
}

TEST(EmptyStack, CopiesWithinTheLimit) {
  Stack stack;
  EXPECT_EQ(applied(stack, "abc"), "abc");
  EXPECT_EQ(undone(stack, "abc"), "abc");
  Buffer out;
  const Status status = stack.undo(as_bytes("abc"s), 2, out);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), ErrorCode::LimitExceeded);
}

// ---- round trips ----

struct RoundTripCase {
  std::string name;
  std::vector<std::string> entries;
};
class RoundTrip : public testing::TestWithParam<RoundTripCase> {};

TEST_P(RoundTrip, UndoGivesBackWhatWasApplied) {
  Stack stack = stack_of(GetParam().entries);
  for (const std::string& content :
       {""s, "x"s, sample(300), sample(500000), std::string(3000000, 0), noise(100000)}) {
    EXPECT_TRUE(undone(stack, applied(stack, content)) == content) << content.size();
    EXPECT_EQ(stack.oddity(), "");
  }
}

TEST_P(RoundTrip, PrefixIsABeginningOfTheWhole) {
  Stack stack = stack_of(GetParam().entries);
  for (const std::string& content : {sample(700000), noise(200000), std::string(300000, 'z')}) {
    const std::string stored = applied(stack, content);
    for (const std::size_t enough : {0, 1, 3000, 65536, 150000, 199999, 200000, 640000, 5000000}) {
      Buffer out;
      const Status status = stack.undo_prefix(as_bytes(stored), enough, kMost, out);
      ASSERT_TRUE(status.has_value()) << status.error().message();
      EXPECT_GE(out.size(), std::min(enough, content.size()));
      EXPECT_TRUE(std::string_view(content).starts_with(as_text(out.view()))) << enough;
    }
  }
}

TEST_P(RoundTrip, CutAnywhereIsAnError) {
  Stack stack = stack_of(GetParam().entries);
  const std::string stored = applied(stack, sample(2000));
  for (std::size_t n = 0; n < stored.size(); ++n) {
    Buffer out;
    const Status status = stack.undo(as_bytes(stored).first(n), kMost, out);
    ASSERT_FALSE(status.has_value()) << n;
    EXPECT_EQ(transform_fault(status.error()).code, "transform-damaged");
  }
}

TEST_P(RoundTrip, ResultOfExactlyTheLimitIsAllowedAndOneMoreIsNot) {
  Stack stack = stack_of(GetParam().entries);
  const std::string content = sample(200000);
  const std::string stored = applied(stack, content);
  EXPECT_TRUE(undone(stack, stored, content.size()) == content);
  Buffer out;
  const Status status = stack.undo(as_bytes(stored), content.size() - 1, out);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), ErrorCode::LimitExceeded);
  EXPECT_EQ(transform_fault(status.error()).code, "limit-exceeded");
  EXPECT_LT(out.size(), content.size());
}

INSTANTIATE_TEST_SUITE_P(
    Transformers, RoundTrip,
    testing::Values(RoundTripCase{"flate", {"flate"}}, RoundTripCase{"flate_empty", {"flate "}},
                    RoundTripCase{"flate_huffman", {"flate -2"}},
                    RoundTripCase{"flate_default", {"flate -1"}},
                    RoundTripCase{"flate_stored", {"flate 0"}},
                    RoundTripCase{"flate_1", {"flate 1"}}, RoundTripCase{"flate_9", {"flate 9"}},
                    RoundTripCase{"zstd", {"zstd"}}, RoundTripCase{"zstd_negative", {"zstd -7"}},
                    RoundTripCase{"zstd_0", {"zstd 0"}}, RoundTripCase{"zstd_19", {"zstd 19"}},
                    RoundTripCase{"zstd_above", {"zstd 99"}},
                    RoundTripCase{"flate_zstd", {"flate 1", "zstd 3"}},
                    RoundTripCase{"zstd_flate", {"zstd 3", "flate 6"}},
                    RoundTripCase{"three", {"flate 1", "zstd 1", "flate -2"}}),
    [](const auto& one) { return one.param.name; });

class BadLevel : public testing::TestWithParam<std::string> {};
TEST_P(BadLevel, FailsWhenAppliedAndIsIgnoredWhenUndone) {
  Stack stack = stack_of({GetParam()});
  Buffer out;
  const Status status = stack.apply(as_bytes("abc"s), out);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), ErrorCode::BadArgument);
  const std::string name(split_transformer(GetParam()).name);
  EXPECT_EQ(undone(stack, applied(name, "abc")), "abc");
}
INSTANTIATE_TEST_SUITE_P(Levels, BadLevel,
                         testing::Values("flate 10", "flate -3", "flate fast", "flate  3",
                                         "flate 3 ", "flate +", "flate +-1", "flate 0x3",
                                         "flate 99999999999999999999", "zstd fast", "zstd  3",
                                         "zstd 3.5", "zstd -"));

TEST(Levels, PlusSignIsPartOfANumber) {
  EXPECT_EQ(undone("flate", applied("flate +3", "abc")), "abc");
  EXPECT_EQ(undone("zstd", applied("zstd +3", "abc")), "abc");
}

TEST(Levels, HigherOnesMakeLessOfTheSameText) {
  const std::string content = sample(300000);
  EXPECT_LT(applied("flate 9", content).size(), applied("flate 1", content).size());
  EXPECT_LT(applied("flate 1", content).size(), applied("flate -2", content).size());
  EXPECT_LT(applied("zstd 19", content).size(), applied("zstd 1", content).size());
  EXPECT_TRUE(applied("zstd -1", content) == applied("zstd 5", content));
  EXPECT_TRUE(applied("zstd 0", content) == applied("zstd 3", content));
  EXPECT_TRUE(applied("zstd 100", content) == applied("zstd 22", content));
}

// ---- flate ----

TEST(Flate, BytesBehindTheStreamAreAnOddity) {
  Stack stack = stack_of({"flate"});
  const std::string stored = applied(stack, "some text");
  EXPECT_EQ(undone(stack, stored + "tail!"), "some text");
  EXPECT_EQ(stack.oddity(),
            "bytes behind the deflate stream: 5 of " + std::to_string(stored.size() + 5));
  EXPECT_EQ(undone(stack, stored), "some text");
  EXPECT_EQ(stack.oddity(), "");
}

TEST(Flate, CutStreamIsTruncatedAndSaysSo) {
  const std::string stored = applied("flate", sample(10000));
  const std::string cut = stored.substr(0, stored.size() / 2);
  EXPECT_EQ(undo_error("flate", cut), ErrorCode::Truncated);
  EXPECT_THAT(undone("flate", cut), StartsWith("deflate stream cut"));
}

TEST(Flate, ImpossibleBlockIsCorrupt) {
  EXPECT_EQ(undo_error("flate", "\x07xxxxxxx"), ErrorCode::Corrupt);
  EXPECT_THAT(undone("flate", "\x07xxxxxxx"), StartsWith("deflate data invalid"));
}

TEST(Flate, DistanceBeforeTheBeginningIsCorruptForThePrefixToo) {
  // A fixed block: literal 'a', then length 3 at distance 4, then its end.
  Stack stack = stack_of({"flate"});
  const std::string stored = "\x4b\x04\x43\x00"s;
  Buffer out;
  EXPECT_EQ(undo_error("flate", stored), ErrorCode::Corrupt);
  EXPECT_FALSE(stack.undo_prefix(as_bytes(stored), 4, kMost, out).has_value());
}

TEST(Flate, WhatIsBeforeDamageIsLeft) {
  Stack stack = stack_of({"flate"});
  const std::string content = sample(100000);
  const std::string stored = applied(stack, content);
  Buffer out;
  EXPECT_FALSE(stack.undo(as_bytes(stored).first(stored.size() / 2), kMost, out).has_value());
  EXPECT_GT(out.size(), content.size() / 3);
  EXPECT_TRUE(content.starts_with(as_text(out.view())));
}

TEST(Flate, BombEndsAtTheLimit) {
  const std::string bomb = applied("flate 9", std::string(std::size_t{40} << 20, 0));
  EXPECT_EQ(undo_error("flate", bomb, 1 << 20), ErrorCode::LimitExceeded);
}

// ---- zstd ----

// Frames by hand: no content size, a window of 1 KiB, one raw block.
std::string raw_frame(std::string_view content) {
  const auto header = static_cast<char>(content.size() << 3 | 1);
  return "\x28\xb5\x2f\xfd\x00\x00"s + header + "\0\0"s + std::string(content);
}

TEST(Zstd, FramesWithoutContentSizeAndSkippableOnesAreRead) {
  const std::string skippable = "\x50\x2a\x4d\x18\x03\0\0\0abc"s;
  const std::string all = raw_frame("one ") + skippable + applied("zstd", "two ") + raw_frame("!");
  EXPECT_EQ(undone("zstd", all), "one two !");
  Stack stack = stack_of({"zstd"});
  Buffer out;
  ASSERT_TRUE(stack.undo_prefix(as_bytes(all), 6, kMost, out).has_value());
  EXPECT_TRUE("one two !"sv.starts_with(as_text(out.view())));
  EXPECT_GE(out.size(), 6U);
}

TEST(Zstd, FrameTellsItsContentSize) {
  const std::string stored = applied("zstd", sample(1000));
  // RFC 8878, 3.1.1.1.1: single segment, two bytes of content size, no checksum.
  EXPECT_EQ(stored[4] & 0xff, 0x60);
}

TEST(Zstd, ForeignEmptyAndTrailingBytesAreInvalid) {
  for (const std::string& bytes : {""s, "no frame here"s, raw_frame("x") + "behind"}) {
    EXPECT_EQ(undo_error("zstd", bytes), ErrorCode::Corrupt) << bytes;
    EXPECT_THAT(undone("zstd", bytes), StartsWith("zstd data invalid")) << bytes;
  }
}

TEST(Zstd, ClaimThatTheBlocksCannotHoldIsRefusedWithoutTheMemory) {
  // Eight bytes of content size: 2^40, single segment; one block of one byte.
  const std::string lie = "\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\x01\0\0\x09\0\0x"s;
  EXPECT_EQ(undo_error("zstd", lie, ~std::uint64_t{0}), ErrorCode::Corrupt);
  EXPECT_THAT(undone("zstd", lie), HasSubstr("claim 1099511627776 bytes"));
}

TEST(Zstd, WindowAboveTheLimitIsRefused) {
  const std::string frame = "\x28\xb5\x2f\xfd\x00\x90\x09\0\0x"s;  // 2^28 bytes
  EXPECT_EQ(undo_error("zstd", frame), ErrorCode::LimitExceeded);
}

TEST(Zstd, BombEndsAtTheLimit) {
  const std::string content(std::size_t{60} << 20, 0);
  const std::string bomb = applied("zstd", content);
  EXPECT_EQ(undo_error("zstd", bomb, 1 << 20), ErrorCode::LimitExceeded);
  EXPECT_TRUE(undone("zstd", bomb, content.size()) == content);
}

TEST(Zstd, FlippedBitsNeverDoMoreThanFail) {
  const std::string stored = applied("zstd", sample(3000));
  Stack stack = stack_of({"zstd"});
  for (std::size_t bit = 0; bit < stored.size() * 8; ++bit) {
    std::string flipped = stored;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    Buffer out;
    const Status status = stack.undo(as_bytes(flipped), 5000, out);
    EXPECT_LE(out.size(), 5000U) << bit;
  }
}

// ---- of the application ----

Status exclusive_or(ByteView in, Buffer& out) {
  for (const std::byte byte : in) {
    out.push_back(byte ^ std::byte{90});
  }
  return {};
}

TEST(TransformerOf, RunsTheFunctionsAndKeepsTheLimit) {
  register_transformer("test-xor", transformer_of(exclusive_or, exclusive_or));
  EXPECT_EQ(applied("test-xor 90", "\x5a\x5b"), "\0\x01"s);
  EXPECT_EQ(undone("test-xor 90", "\0\x01"s), "\x5a\x5b");
  EXPECT_EQ(undo_error("test-xor", "abc", 2), ErrorCode::LimitExceeded);
}

TEST(TransformerOf, MissingFunctionIsUnsupported) {
  register_transformer("test-read-only", transformer_of(nullptr, exclusive_or));
  Stack stack = stack_of({"test-read-only"});
  Buffer out;
  const Status status = stack.apply(as_bytes("abc"s), out);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), ErrorCode::Unsupported);
}

TEST(RegisterTransformer, LaterFactoryReplacesTheEarlier) {
  const auto failing = [](std::string_view argument) -> Result<std::unique_ptr<Transformer>> {
    return fail(ErrorCode::BadArgument, "no " + std::string(argument));
  };
  register_transformer("test-replaced", transformer_of(exclusive_or, exclusive_or));
  register_transformer("test-replaced", failing);
  const auto stack = Stack::make(std::vector<std::string>{"test-replaced key"});
  ASSERT_FALSE(stack.has_value());
  EXPECT_EQ(stack.error().message(), "no key");
}

// ---- commands ----

std::string run_command(const std::string& command, std::string_view in,
                        const std::string& argument = "", std::uint64_t most = kMost) {
  register_transformer("test-command", transformer_of_commands(command, command));
  return undone("test-command" + (argument.empty() ? "" : " " + argument), in, most);
}

TEST(Command, GetsTheBytesAndTheArgument) {
  EXPECT_EQ(run_command("tr a-c \"$1\"", "abcabc", "x-z"), "xyzxyz");
  EXPECT_EQ(run_command("cat; printf %s \"$1\"", "", "; two  words"), "; two  words");
}

TEST(Command, LargeDataGoesBothWaysAtOnce) {
  const std::string content = noise(3000000);
  EXPECT_TRUE(run_command("cat", content) == content);
}

TEST(Command, ExitStatusAndSignalAreErrors) {
  EXPECT_EQ(run_command("cat; exit 3", "abc"),
            "the command \"cat; exit 3\" ended with exit status 3");
  EXPECT_EQ(run_command("kill -9 $$", "abc"), "the command \"kill -9 $$\" was ended by signal 9");
  EXPECT_THAT(run_command("/no/such/program 2>/dev/null", "abc"), HasSubstr("exit status 127"));
  EXPECT_EQ(undo_error("test-command", "abc"), ErrorCode::Corrupt);
}

TEST(Command, ThatDoesNotReadItsInputEndsNobody) {
  const std::string content(1000000, 'x');
  EXPECT_EQ(run_command("exec <&-; echo done", content), "done\n");
  EXPECT_EQ(run_command("head -c 5", content), "xxxxx");
  sigset_t pending, mask;
  sigpending(&pending);
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
  EXPECT_EQ(sigismember(&mask, SIGPIPE), 0);
}

TEST(Command, EndlessOutputEndsAtTheLimit) {
  EXPECT_EQ(run_command("cat /dev/zero", "", "", 100000),
            "the command wrote more than 100000 bytes, which is the limit");
  EXPECT_EQ(run_command("printf abc", "", "", 3), "abc");
}

TEST(Command, LeavesNoZombie) {
  run_command("exit 1", "abc");
  run_command("cat /dev/zero", "", "", 10);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(Command, EmptyOneIsUnsupported) {
  register_transformer("test-undo-only", transformer_of_commands("", "cat"));
  Stack stack = stack_of({"test-undo-only"});
  Buffer out;
  const Status status = stack.apply(as_bytes("abc"s), out);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), ErrorCode::Unsupported);
}

TEST(Command, ArgumentWithAZeroByteIsRefused) {
  register_transformer("test-command", transformer_of_commands("cat", "cat"));
  EXPECT_FALSE(Stack::make(std::vector<std::string>{"test-command a\0b"s}).has_value());
}

}  // namespace
}  // namespace fonds::recordio
