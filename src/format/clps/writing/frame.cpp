#include "format/clps/writing/frame.hpp"

#include <algorithm>
#include <utility>

#include <zstd.h>

namespace fonds::clps::writing {

struct Frame::Context {
  ZSTD_CCtx* zstd = nullptr;
};

void Frame::Free::operator()(Context* context) const {
  ZSTD_freeCCtx(context->zstd);
  delete context;
}

Result<Frame> Frame::begin(std::vector<std::byte>& out, int level,
                           std::optional<std::uint64_t> plain) {
  std::unique_ptr<Context, Free> context(new Context{ZSTD_createCCtx()});
  if (context->zstd == nullptr) {
    return fail(ErrorCode::LimitExceeded, "no memory to compress with");
  }
  ZSTD_CCtx_setParameter(context->zstd, ZSTD_c_compressionLevel, level);
  if (plain) {
    ZSTD_CCtx_setPledgedSrcSize(context->zstd, *plain);
  }
  return Frame(out, std::move(context));
}

Status Frame::add(std::string_view octets) {
  if (octets.size() > kPending - std::min(kPending, used_)) {
    FONDS_CHECK(flush());
    if (octets.size() > kPending) {
      return compress(octets, false);
    }
  }
  if (!octets.empty()) {
    std::memcpy(pending_.get() + used_, octets.data(), octets.size());
    used_ += octets.size();
  }
  return {};
}

Status Frame::flush() { return compress({pending_.get(), std::exchange(used_, 0)}, false); }

Status Frame::end() { return compress({pending_.get(), std::exchange(used_, 0)}, true); }

Status Frame::compress(std::string_view octets, bool end) {
  ZSTD_inBuffer in{octets.data(), octets.size(), 0};
  while (true) {
    const std::size_t before = out_->size();
    const std::size_t room = ZSTD_CStreamOutSize() / 2;
    out_->resize(before + room);
    ZSTD_outBuffer out{out_->data() + before, room, 0};
    const std::size_t left =
        ZSTD_compressStream2(context_->zstd, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
    out_->resize(before + out.pos);
    if (ZSTD_isError(left) != 0) {
      return fail(ErrorCode::Internal, std::string("zstd: ") + ZSTD_getErrorName(left));
    }
    if (end ? left == 0 : in.pos == in.size) {
      return {};
    }
  }
}

}  // namespace fonds::clps::writing
