// limit_gzip_sha1 FILE UNITS block|all: libdeflate and OpenSSL's SHA-1 alone. Inflates every member
// and compares the digest of its record's block with the declared one; `all` does the same with the
// payload of each response.

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string_view>
#include <vector>

#include <libdeflate.h>
#include <openssl/evp.h>
#include <openssl/types.h>

#include "support.hpp"

namespace {

using fonds::bench::ByteView;
using fonds::bench::Sha1;
using fonds::bench::Unit;

// One context and one fetched algorithm, used again for every record.
class Hasher {
 public:
  bool matches(ByteView bytes, const Sha1& expected) {
    Sha1 actual{};
    if (EVP_DigestInit_ex2(context_.get(), algorithm_.get(), nullptr) != 1 ||
        EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1 ||
        EVP_DigestFinal_ex(context_.get(), reinterpret_cast<unsigned char*>(actual.data()),
                           nullptr) != 1) {
      fonds::bench::fail("SHA-1 is not available");
    }
    return actual == expected;
  }

 private:
  std::unique_ptr<EVP_MD, void (*)(EVP_MD*)> algorithm_{EVP_MD_fetch(nullptr, "SHA1", nullptr),
                                                        EVP_MD_free};
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

}  // namespace

int main(int argc, char** argv) {
  using namespace fonds::bench;
  if (argc != 4) {
    fail("usage: limit_gzip_sha1 FILE UNITS block|all");
  }
  const bool payloads = std::string_view(argv[3]) == "all";
  const MappedFile file(argv[1]);
  const std::vector<Unit> units = load_units(argv[2], file.bytes());
  std::vector<std::byte> out(largest_unit(units));
  libdeflate_decompressor* const inflater = libdeflate_alloc_decompressor();
  Hasher hasher;
  unsigned long long digests = 0;
  unsigned long long bad = 0;
  for (const Unit& unit : units) {
    if (libdeflate_gzip_decompress(inflater, file.bytes().data() + unit.stored_offset,
                                   unit.stored_length, out.data(), unit.decoded_length,
                                   nullptr) != LIBDEFLATE_SUCCESS) {
      fail("a gzip member cannot be inflated");
    }
    const ByteView block = ByteView(out).subspan(unit.block_start, unit.block_length);
    if (unit.has_block_digest != 0) {
      ++digests;
      bad += hasher.matches(block, unit.block_digest) ? 0 : 1;
    }
    if (payloads && unit.has_payload_digest != 0) {
      ++digests;
      const ByteView payload = block.subspan(unit.payload_start - unit.block_start);
      bad += hasher.matches(payload, unit.payload_digest) ? 0 : 1;
    }
  }
  libdeflate_free_decompressor(inflater);
  std::printf("{\"records\": %zu, \"digests\": %llu, \"bad\": %llu}\n", units.size(), digests, bad);
  return 0;
}
