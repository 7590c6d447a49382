#include "codec/nested.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "codec/decoded_source.hpp"

namespace fonds {
namespace {

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
