// Fixtures and hand-made checkpoint files for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <lz4frame.h>

#include <fonds/byte_sink.hpp>
#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>

#include "index/checkpoint.hpp"
#include "test_paths.hpp"

namespace fonds::index {

inline std::string checkpoint_fixture_path(const std::string& name) {
  const char* folder = std::getenv("FONDS_FIXTURES");  // NOLINT(concurrency-mt-unsafe)
  folder = folder == nullptr ? FONDS_TEST_DATA : folder;
  return std::string(folder == nullptr ? "." : folder) + "/checkpoint/" + name;
}

inline std::string checkpoint_fixture(const std::string& name) {
  std::ifstream file(checkpoint_fixture_path(name), std::ios::binary);
  if (!file) {
    throw std::runtime_error("no fixture " + name);
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline std::shared_ptr<ByteSource> source_of(std::string_view text, std::string name = "<memory>") {
  const ByteView bytes = as_bytes(text);
  return memory_source({bytes.begin(), bytes.end()}, std::move(name));
}

inline std::string le32_text(std::uint32_t value) {
  std::string text;
  for (int shift = 0; shift < 32; shift += 8) {
    text += static_cast<char>(value >> shift & 0xFF);
  }
  return text;
}

// The bytes of one chunk.
struct TestChunk {
  std::string id = "clueweb12-0000tw-00-00000";
  std::uint32_t document = 0;
  std::uint32_t delta = 1000;
  char bits = 3;
  char byte = 'x';
  char window = 'w';
  std::uint32_t skip = 7;

  std::string bytes() const {
    return id + le32_text(document) + le32_text(delta) + bits + byte +
           std::string(kCheckpointWindow, window) + le32_text(skip);
  }
};

// `n` chunks as they follow each other.
inline std::vector<TestChunk> test_chunks(int n) {
  std::vector<TestChunk> chunks(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    TestChunk& chunk = chunks[static_cast<std::size_t>(i)];
    chunk.id[20] = static_cast<char>('0' + i / 10000 % 10);
    chunk.id[21] = static_cast<char>('0' + i / 1000 % 10);
    chunk.id[22] = static_cast<char>('0' + i / 100 % 10);
    chunk.id[23] = static_cast<char>('0' + i / 10 % 10);
    chunk.id[24] = static_cast<char>('0' + i % 10);
    chunk.document = static_cast<std::uint32_t>(i);
    chunk.window = static_cast<char>('a' + i % 26);
  }
  return chunks;
}

inline std::string joined(const std::vector<TestChunk>& chunks) {
  std::string text;
  for (const TestChunk& chunk : chunks) {
    text += chunk.bytes();
  }
  return text;
}

// One lz4 frame.
inline std::string lz4_frame(std::string_view text, const LZ4F_preferences_t& preferences = {}) {
  std::string out(LZ4F_compressFrameBound(text.size(), &preferences), '\0');
  const std::size_t size =
      LZ4F_compressFrame(out.data(), out.size(), text.data(), text.size(), &preferences);
  if (LZ4F_isError(size) != 0U) {
    throw std::runtime_error("LZ4F_compressFrame");
  }
  out.resize(size);
  return out;
}

inline std::string frame_per_chunk(const std::vector<TestChunk>& chunks) {
  std::string text;
  for (const TestChunk& chunk : chunks) {
    text += lz4_frame(chunk.bytes());
  }
  return text;
}

}  // namespace fonds::index
