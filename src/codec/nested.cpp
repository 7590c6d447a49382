#include "codec/nested.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace fonds {
namespace {

class DecodedSource final : public ByteSource {
 public:
  DecodedSource(std::unique_ptr<Decoder> decoder, std::string name)
      : decoder_(std::move(decoder)), name_(std::move(name)) {}
  const std::string& name() const override { return name_; }
  bool random_access() const override { return false; }
  Result<std::uint64_t> size() override {
    return fail(ErrorCode::Unsupported, "a decoded stream has no size");
  }
  Result<std::size_t> read_at(std::uint64_t, MutableByteView) override {
    return fail(ErrorCode::Unsupported, "a decoded stream cannot be read at positions");
  }
  Result<std::size_t> read_next(MutableByteView out) override {
    while (true) {
      FONDS_TRY(const ByteView view, decoder_->peek(1));
      if (!view.empty()) {
        const std::size_t n = std::min(view.size(), out.size());
        std::memcpy(out.data(), view.data(), n);
        decoder_->consume(n);
        return n;
      }
      FONDS_TRY(const bool more, decoder_->next_run());
      if (!more) {
        return std::size_t{0};
      }
    }
  }
  Decoder& decoder() { return *decoder_; }

 private:
  std::unique_ptr<Decoder> decoder_;
  std::string name_;
};

class NestedDecoder final : public Decoder {
 public:
  NestedDecoder(std::shared_ptr<DecodedSource> source, std::unique_ptr<Decoder> inner)
      : source_(std::move(source)), inner_(std::move(inner)) {}
  Result<ByteView> peek(std::size_t at_least) override {
    auto view = inner_->peek(at_least);
    collect();
    return view;
  }
  void consume(std::size_t n) override {
    inner_->consume(n);
    consumed_ += n;
  }
  Place place() const override { return {0, consumed_}; }
  std::size_t shown_of_unit() const override { return inner_->shown_of_unit(); }
  Result<bool> next_run() override {
    auto more = inner_->next_run();
    collect();
    return more;
  }
  std::uint64_t stored_position() const override { return source_->decoder().stored_position(); }

 private:
  void collect() {
    for (Decoder* from : {static_cast<Decoder*>(inner_.get()), &source_->decoder()}) {
      for (Finding& finding : from->take_findings()) {
        findings_.push_back(std::move(finding));
      }
    }
  }
  std::shared_ptr<DecodedSource> source_;
  std::unique_ptr<Decoder> inner_;
  std::uint64_t consumed_ = 0;
};

}  // namespace

Result<std::unique_ptr<Decoder>> decode_nested(std::unique_ptr<Decoder> outer,
                                               const std::string& name, const Codec& inner,
                                               const DecodeOptions& options) {
  auto source = std::make_shared<DecodedSource>(std::move(outer), name);
  DecodeOptions from_start = options;
  from_start.start = 0;
  FONDS_TRY(auto decoder, inner.decode(source, from_start));
  return std::unique_ptr<Decoder>(
      std::make_unique<NestedDecoder>(std::move(source), std::move(decoder)));
}

}  // namespace fonds
