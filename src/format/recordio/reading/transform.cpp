#include "format/recordio/reading/transform.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/formats/recordio.hpp>

#include "format/recordio/reading/grammar.hpp"

namespace fonds::recordio {
namespace {

// A name is as long as the header that it came from.
constexpr std::size_t kShownName = 200;
// What a stack keeps of its buffers between calls.
constexpr std::size_t kKept = std::size_t{8} << 20;

class Registry {
 public:
  void add(std::string name, TransformerFactory factory) {
    const std::lock_guard lock(mutex_);
    factories_.insert_or_assign(std::move(name), std::move(factory));
  }
  // Empty if nobody registered the name. A copy, so that it is called without the lock.
  TransformerFactory find(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto found = factories_.find(name);
    return found == factories_.end() ? TransformerFactory() : found->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, TransformerFactory, std::less<>> factories_ = {{"flate", make_flate},
                                                                       {"zstd", make_zstd}};
};

Registry& registry() {
  static Registry all;
  return all;
}

tl::unexpected<Error> over_limit(std::uint64_t size, std::uint64_t most) {
  return fail(ErrorCode::LimitExceeded,
              fmt::format("decoded data has {} bytes, the limit is {}", size, most));
}

class FunctionTransformer final : public Transformer {
 public:
  using Function = std::function<Status(ByteView in, Buffer& out)>;
  FunctionTransformer(Function apply, Function undo)
      : apply_(std::move(apply)), undo_(std::move(undo)) {}

  Status apply(ByteView in, Buffer& out) override {
    out.clear();
    return apply_ ? apply_(in, out)
                  : fail(ErrorCode::Unsupported, "the transformer has no function to apply it");
  }
  Status undo(ByteView in, std::uint64_t most, Buffer& out) override {
    out.clear();
    if (!undo_) {
      return fail(ErrorCode::Unsupported, "the transformer has no function to undo it");
    }
    FONDS_CHECK(undo_(in, out));
    return out.size() > most ? over_limit(out.size(), most) : Status();
  }

 private:
  Function apply_, undo_;
};

}  // namespace

Status Transformer::undo_prefix(ByteView in, std::uint64_t /*enough*/, std::uint64_t most,
                                Buffer& out) {
  return undo(in, most, out);
}

void register_transformer(std::string name, TransformerFactory factory) {
  registry().add(std::move(name), std::move(factory));
}

TransformerFactory transformer_of(std::function<Status(ByteView in, Buffer& out)> apply,
                                  std::function<Status(ByteView in, Buffer& out)> undo) {
  return [apply = std::move(apply),
          undo = std::move(undo)](std::string_view) -> Result<std::unique_ptr<Transformer>> {
    return std::make_unique<FunctionTransformer>(apply, undo);
  };
}

TransformerName split_transformer(std::string_view entry) noexcept {
  const std::size_t blank = entry.find(' ');
  if (blank == std::string_view::npos) {
    return {entry, {}};
  }
  return {entry.substr(0, blank), entry.substr(blank + 1)};
}

Fault transform_fault(const Error& error) {
  return {error.code() == ErrorCode::LimitExceeded ? "limit-exceeded" : "transform-damaged",
          error.message()};
}

Result<Stack> Stack::make(std::span<const std::string> entries) {
  Stack stack;
  for (const std::string& entry : entries) {
    const auto [name, argument] = split_transformer(entry);
    const TransformerFactory factory = registry().find(name);
    if (!factory) {
      return fail(ErrorCode::Unsupported,
                  fmt::format("unknown transformer {}", name.substr(0, kShownName)));
    }
    FONDS_TRY(auto transformer, factory(argument));
    if (transformer == nullptr) {
      return fail(ErrorCode::Unsupported, fmt::format("the factory of transformer {} made none",
                                                      name.substr(0, kShownName)));
    }
    stack.stages_.push_back(std::move(transformer));
  }
  return stack;
}

void Stack::trim() {
  for (Buffer& buffer : between_) {
    if (buffer.capacity() > kKept) {
      buffer.release();
    }
  }
}

Status Stack::apply(ByteView in, Buffer& out) {
  if (stages_.empty()) {
    out.clear();
    out.append(in);
    return {};
  }
  Status status;
  for (std::size_t i = 0; i < stages_.size() && status; ++i) {
    Buffer& result = i + 1 == stages_.size() ? out : between_[i % 2];
    status = stages_[i]->apply(in, result);
    in = result.view();
  }
  trim();
  return status;
}

Status Stack::undo(ByteView in, std::uint64_t most, Buffer& out) {
  return undo_stages(in, std::nullopt, most, out);
}

Status Stack::undo_prefix(ByteView in, std::uint64_t enough, std::uint64_t most, Buffer& out) {
  return undo_stages(in, enough, most, out);
}

Status Stack::undo_more(ByteView in, std::uint64_t enough, std::uint64_t most, Buffer& out) {
  // Of several stages only the last result was a prefix, and what it was made from is gone.
  return stages_.size() == 1 ? stages_[0]->undo_more(in, enough, most, out)
                             : undo_stages(in, enough, most, out);
}

Status Stack::undo_stages(ByteView in, std::optional<std::uint64_t> enough, std::uint64_t most,
                          Buffer& out) {
  if (stages_.empty()) {
    out.clear();
    if (in.size() > most) {
      return over_limit(in.size(), most);
    }
    out.append(enough && *enough < in.size() ? in.first(static_cast<std::size_t>(*enough)) : in);
    return {};
  }
  Status status;
  for (std::size_t i = stages_.size(); i-- > 0 && status;) {
    Buffer& result = i == 0 ? out : between_[i % 2];
    // Only of the last result is it known how much suffices.
    status = i == 0 && enough ? stages_[i]->undo_prefix(in, *enough, most, result)
                              : stages_[i]->undo(in, most, result);
    in = result.view();
  }
  trim();
  return status;
}

std::string_view Stack::oddity() const {
  for (const auto& stage : stages_) {
    if (const std::string_view odd = stage->oddity(); !odd.empty()) {
      return odd;
    }
  }
  return {};
}

std::optional<std::int64_t> parse_go_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') {
    text.remove_prefix(1);
  }
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

MutableByteView room_for(std::size_t size, Buffer& out) {
  out.clear();
  if (out.capacity() < size) {
    out.release();
    out.reserve(size);
  }
  return out.room(0);
}

}  // namespace fonds::recordio
