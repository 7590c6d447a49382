// Plain bytes.
#include <cstddef>
#include <memory>

#include <fonds/bytes.hpp>
#include <fonds/encoder.hpp>
#include <fonds/error.hpp>

#include "codec/encoder_units.hpp"

namespace fonds::none {
namespace {

class Units final : public UnitCodec {
 public:
  Larger larger() const override { return Larger::Pass; }
  std::size_t most_held() const override { return 0; }
  Result<std::unique_ptr<WholeEncoder>> whole_encoder() const override { return no_encoder(); }
  Result<std::unique_ptr<StreamEncoder>> stream_encoder() const override { return no_encoder(); }
  Status check_stored(ByteView) const override { return {}; }

 private:
  static tl::unexpected<Error> no_encoder() {
    return fail(ErrorCode::Internal, "plain bytes have no encoder");
  }
};

}  // namespace

Result<std::unique_ptr<UnitCodec>> make_unit_codec(const EncodeOptions& options) {
  FONDS_CHECK(choose_level(options));
  return std::make_unique<Units>();
}

}  // namespace fonds::none
