// HeadInflater against zlib's raw inflate: same bytes, same verdict, whatever the steps it is run
// in.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include <zlib.h>

#include "codec/gzip/head_inflater.hpp"

namespace {

using fonds::ByteView;
using fonds::gzip::HeadInflater;
using State = HeadInflater::State;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

struct Expected {
  State state = State::More;
  std::size_t consumed = 0;
  std::vector<Bytef> bytes;
};

Expected inflate_with_zlib(ByteView input) {
  Expected expected;
  expected.bytes.resize(HeadInflater::kMaxOutput + 1024);
  std::vector<Bytef> copy(input.size() + 1);
  std::copy_n(reinterpret_cast<const Bytef*>(input.data()), input.size(), copy.begin());
  z_stream stream{};
  require(inflateInit2(&stream, -15) == Z_OK);
  stream.next_in = copy.data();
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = expected.bytes.data();
  stream.avail_out = static_cast<uInt>(expected.bytes.size());
  const int status = inflate(&stream, Z_NO_FLUSH);
  expected.bytes.resize(stream.total_out);
  expected.consumed = stream.total_in;
  if (status == Z_STREAM_END) {
    expected.state = State::End;
  } else if (status == Z_DATA_ERROR) {
    expected.state = State::Corrupt;
  } else if (stream.avail_out != 0) {
    expected.state = State::NeedInput;
  }
  inflateEnd(&stream);
  return expected;
}

void compare(HeadInflater& inflater, ByteView input, const Expected& expected, std::size_t step) {
  inflater.start(input);
  std::size_t wanted = 0;
  State state = State::More;
  while (state == State::More && wanted < HeadInflater::kMaxOutput) {
    wanted = std::min(wanted + step, HeadInflater::kMaxOutput);
    const std::size_t consumed_before = inflater.consumed();
    state = inflater.run(wanted);
    const ByteView output = inflater.output();
    require(output.size() <= wanted + HeadInflater::kMaxOvershoot);
    require(output.size() <= expected.bytes.size());
    require(output.empty() ||
            std::memcmp(output.data(), expected.bytes.data(), output.size()) == 0);
    require(inflater.consumed() >= consumed_before && inflater.consumed() <= input.size());
    require(state != State::More || output.size() >= wanted);
    require(expected.state != State::End || inflater.consumed() <= expected.consumed);
  }
  if (state == State::More) {
    require(expected.bytes.size() >= HeadInflater::kMaxOutput);
    return;
  }
  require(inflater.run(HeadInflater::kMaxOutput) == state);
  require(state == expected.state);
  require(inflater.output().size() == expected.bytes.size());
  require(state != State::End || inflater.consumed() == expected.consumed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto inflater = std::make_unique<HeadInflater>();
  if (size > (1U << 20)) {
    return 0;
  }
  const ByteView input = fonds::as_bytes({reinterpret_cast<const char*>(data), size});
  const Expected expected = inflate_with_zlib(input);
  for (const std::size_t step :
       {std::size_t{1}, std::size_t{7}, std::size_t{400}, HeadInflater::kMaxOutput}) {
    compare(*inflater, input, expected, step);
  }
  return 0;
}
