#include "base/digest.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <openssl/evp.h>
#include <openssl/types.h>

#include <fonds/bytes.hpp>

#include "base/text.hpp"

namespace fonds {
namespace {

struct AlgorithmInfo {
  DigestAlgorithm algorithm;
  std::size_t size;          // octets of a value
  const char* openssl_name;  // for EVP_MD_fetch
};

constexpr std::array<AlgorithmInfo, 8> kAlgorithms = {{
    {DigestAlgorithm::Md5, 16, "MD5"},
    {DigestAlgorithm::Sha1, 20, "SHA1"},
    {DigestAlgorithm::Sha256, 32, "SHA256"},
    {DigestAlgorithm::Sha384, 48, "SHA384"},
    {DigestAlgorithm::Sha512, 64, "SHA512"},
    {DigestAlgorithm::Blake2b512, 64, "BLAKE2B-512"},
    {DigestAlgorithm::Blake2s256, 32, "BLAKE2S-256"},
    {DigestAlgorithm::Sha3_256, 32, "SHA3-256"},
}};

const AlgorithmInfo& info_of(DigestAlgorithm algorithm) {
  return kAlgorithms[static_cast<std::size_t>(algorithm)];
}

struct Label {
  std::string_view name;  // without hyphens, lower case
  DigestAlgorithm algorithm;
};

constexpr std::array<Label, 10> kLabels = {{
    {"sha1", DigestAlgorithm::Sha1},
    {"sha256", DigestAlgorithm::Sha256},
    {"md5", DigestAlgorithm::Md5},
    {"sha512", DigestAlgorithm::Sha512},
    {"sha384", DigestAlgorithm::Sha384},
    {"blake2b", DigestAlgorithm::Blake2b512},
    {"blake2b512", DigestAlgorithm::Blake2b512},
    {"blake2s", DigestAlgorithm::Blake2s256},
    {"blake2s256", DigestAlgorithm::Blake2s256},
    {"sha3256", DigestAlgorithm::Sha3_256},
}};

std::optional<DigestAlgorithm> algorithm_of_label(std::string_view label) {
  std::array<char, 16> plain = {};
  std::size_t length = 0;
  for (const char c : label) {
    if (c == '-') {
      continue;
    }
    if (length == plain.size()) {
      return std::nullopt;
    }
    plain[length++] = to_lower(c);
  }
  const std::string_view name(plain.data(), length);
  for (const Label& known : kLabels) {
    if (known.name == name) {
      return known.algorithm;
    }
  }
  return std::nullopt;
}

// The value of a character in an encoding, or -1.
int base32_value(char c) {
  if (c >= '2' && c <= '7') {
    return c - '2' + 26;
  }
  const char lower = to_lower(c);
  return lower >= 'a' && lower <= 'z' ? lower - 'a' : -1;
}

int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') {
    return c - 'A';
  }
  if (c >= 'a' && c <= 'z') {
    return c - 'a' + 26;
  }
  if (c >= '0' && c <= '9') {
    return c - '0' + 52;
  }
  if (c == '+' || c == '-') {
    return 62;
  }
  return c == '/' || c == '_' ? 63 : -1;
}

// Decodes `text` of characters of `bits` bits each and hands every octet to `put`. Bits that do not
// fill an octet at the end are dropped. False at a character outside the encoding.
template <typename Value, typename Put>
bool decode_bits(std::string_view text, unsigned bits, Value value_of, Put put) {
  std::uint32_t buffer = 0;
  unsigned held = 0;
  for (const char c : text) {
    const int value = value_of(c);
    if (value < 0) {
      return false;
    }
    buffer = (buffer << bits) | static_cast<std::uint32_t>(value);
    held += bits;
    if (held >= 8) {
      held -= 8;
      put(static_cast<std::byte>((buffer >> held) & 0xffU));
    }
  }
  return true;
}

template <typename Value>
std::optional<std::string> decode_to_string(std::string_view text, unsigned bits, Value value_of) {
  std::string out;
  out.reserve(text.size() * bits / 8);
  const auto put = [&out](std::byte b) { out += static_cast<char>(b); };
  if (!decode_bits(text, bits, value_of, put)) {
    return std::nullopt;
  }
  return out;
}

std::string encode_bits(ByteView bytes, unsigned bits, std::string_view alphabet) {
  std::string out;
  out.reserve(bytes.size() * 8 / bits + 8);
  const std::uint32_t mask = (1U << bits) - 1;
  std::uint32_t buffer = 0;
  unsigned held = 0;
  for (const std::byte b : bytes) {
    buffer = (buffer << 8U) | std::to_integer<std::uint32_t>(b);
    held += 8;
    while (held >= bits) {
      held -= bits;
      out += alphabet[(buffer >> held) & mask];
    }
  }
  if (held > 0) {
    out += alphabet[(buffer << (bits - held)) & mask];
  }
  return out;
}

void pad(std::string& text, std::size_t group) {
  while (text.size() % group != 0) {
    text += '=';
  }
}

// Takes off padding, which must fill the last group of `group` characters if it is there at all.
std::optional<std::string_view> without_padding(std::string_view text, std::size_t group) {
  std::string_view plain = text;
  while (!plain.empty() && plain.back() == '=') {
    plain.remove_suffix(1);
  }
  if (plain.size() != text.size() &&
      (text.size() % group != 0 || text.size() - plain.size() >= group)) {
    return std::nullopt;
  }
  return plain;
}

bool decode_value(std::string_view text, std::size_t size, DigestValue& out) {
  std::string_view plain = text;
  while (!plain.empty() && plain.back() == '=') {
    plain.remove_suffix(1);
  }
  const auto put = [&out](std::byte b) { out.bytes[out.size++] = b; };
  if (plain.size() == 2 * size) {
    // 32 characters of an MD5 with padding are no hex (docs/formats/warc.md, "Digests").
    const bool padded_md5 = size == 16 && plain.size() != text.size();
    return !padded_md5 && decode_bits(plain, 4, hex_value, put);
  }
  if (plain.size() == (8 * size + 4) / 5) {
    return decode_bits(plain, 5, base32_value, put);
  }
  if (plain.size() == (8 * size + 5) / 6) {
    return decode_bits(plain, 6, base64_value, put);
  }
  return false;
}

struct MdFree {
  void operator()(EVP_MD* md) const { EVP_MD_free(md); }
};
struct ContextFree {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

}  // namespace

bool operator==(const DigestValue& a, const DigestValue& b) {
  return a.size == b.size && a.size <= a.bytes.size() &&
         std::equal(a.bytes.begin(), a.bytes.begin() + static_cast<std::ptrdiff_t>(a.size),
                    b.bytes.begin());
}

LabelledDigest parse_digest(std::string_view text) {
  LabelledDigest digest;
  text = trim(text);
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) {
    return digest;
  }
  const std::optional<DigestAlgorithm> algorithm = algorithm_of_label(text.substr(0, colon));
  if (!algorithm) {
    digest.state = LabelledDigest::State::Unsupported;
    return digest;
  }
  DigestValue value;
  if (decode_value(text.substr(colon + 1), info_of(*algorithm).size, value)) {
    digest.state = LabelledDigest::State::Good;
    digest.algorithm = *algorithm;
    digest.value = value;
  }
  return digest;
}

struct Hasher::State {
  DigestAlgorithm algorithm = DigestAlgorithm::Sha1;
  std::unique_ptr<EVP_MD, MdFree> md;
  std::unique_ptr<EVP_MD_CTX, ContextFree> context;
  bool usable = false;

  // Fetching costs more than hashing a small block, so it is done once; the context is reused.
  void start() {
    usable = md && context && EVP_DigestInit_ex2(context.get(), md.get(), nullptr) == 1;
  }
};

Hasher::Hasher(DigestAlgorithm algorithm) : state_(std::make_unique<State>()) {
  state_->algorithm = algorithm;
  state_->md.reset(EVP_MD_fetch(nullptr, info_of(algorithm).openssl_name, nullptr));
  state_->context.reset(EVP_MD_CTX_new());
  state_->start();
}

Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

void Hasher::update(ByteView bytes) {
  if (state_->usable && !bytes.empty()) {
    state_->usable = EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) == 1;
  }
}

DigestValue Hasher::finish() {
  DigestValue value;
  unsigned length = 0;
  if (state_->usable &&
      EVP_DigestFinal_ex(state_->context.get(),
                         reinterpret_cast<unsigned char*>(value.bytes.data()), &length) == 1) {
    value.size = length;
  }
  state_->start();
  return value;
}

DigestAlgorithm Hasher::algorithm() const { return state_->algorithm; }

std::string to_hex(ByteView bytes) { return encode_bits(bytes, 4, "0123456789abcdef"); }

std::string to_base32(ByteView bytes) {
  std::string out = encode_bits(bytes, 5, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
  pad(out, 8);
  return out;
}

std::string to_base64(ByteView bytes) {
  std::string out =
      encode_bits(bytes, 6, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
  pad(out, 4);
  return out;
}

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) {
    return std::nullopt;
  }
  return decode_to_string(text, 4, hex_value);
}

std::optional<std::string> from_base32(std::string_view text) {
  const std::optional<std::string_view> plain = without_padding(text, 8);
  if (!plain) {
    return std::nullopt;
  }
  const std::size_t last_group = plain->size() % 8;
  if (last_group == 1 || last_group == 3 || last_group == 6) {
    return std::nullopt;
  }
  return decode_to_string(*plain, 5, base32_value);
}

std::optional<std::string> from_base64(std::string_view text) {
  const std::optional<std::string_view> plain = without_padding(text, 4);
  if (!plain || plain->size() % 4 == 1) {
    return std::nullopt;
  }
  return decode_to_string(*plain, 6, base64_value);
}

}  // namespace fonds
