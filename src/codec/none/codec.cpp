#include "codec/none/codec.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "io/window.hpp"

namespace fonds::none {
namespace {

class PlainDecoder final : public Decoder {
 public:
  PlainDecoder(std::shared_ptr<ByteSource> source, const DecodeOptions& options)
      : window_(std::move(source)), position_(options.start), max_buffer_(options.max_buffer) {}

  Result<ByteView> peek(std::size_t at_least) override {
    if (!window_.mapped() && at_least > max_buffer_) {
      return fail(ErrorCode::LimitExceeded,
                  fmt::format("{} bytes would have to be held at once, the limit is {}", at_least,
                              max_buffer_),
                  {.stored_offset = position_});
    }
    window_.release(position_);
    FONDS_TRY(const ByteView view, window_.at(position_, at_least));
    shown_ = view.size();
    return view;
  }
  std::size_t shown_of_unit() const override { return shown_; }
  void consume(std::size_t n) override { position_ += n; }
  Place place() const override { return {position_, 0}; }
  Result<bool> next_run() override { return false; }
  std::uint64_t stored_position() const override { return position_; }

  Result<std::uint64_t> skip(std::uint64_t n) override {
    if (!window_.mapped()) {
      return Decoder::skip(n);
    }
    FONDS_TRY(const ByteView rest, window_.at(position_, 1));
    const auto step = std::min<std::uint64_t>(n, rest.size());
    position_ += step;
    return step;
  }

 private:
  Window window_;
  std::uint64_t position_;
  std::uint64_t max_buffer_;
  std::size_t shown_ = 0;
};

class NoneCodec final : public Codec {
 public:
  std::string_view name() const override { return "none"; }
  int probe(ByteView) const override { return 0; }
  Result<std::unique_ptr<Decoder>> decode(std::shared_ptr<ByteSource> source,
                                          const DecodeOptions& options) const override {
    return std::unique_ptr<Decoder>(std::make_unique<PlainDecoder>(std::move(source), options));
  }
  std::uint64_t find_unit(ByteView stored, std::uint64_t from, std::uint64_t to,
                          const RecordProbe& probe) const override {
    return probe.find_record != nullptr ? probe.find_record(stored, from, to) : to;
  }
};

}  // namespace

const Codec& none_codec() {
  static const NoneCodec codec;
  return codec;
}

}  // namespace fonds::none
