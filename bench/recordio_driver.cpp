// recordio_driver: what bench/recordio.py measures of the library, through its installed headers
// alone. The sub-commands and the JSON line are those of the driver of the Go library
// (tests/interop/recordio_go/measure.go), so that the answers can be compared.

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ratio>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <fonds/byte_sink.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/formats/recordio.hpp>

#include "limits/support.hpp"

namespace fonds::bench {
namespace {

constexpr std::string_view kUsage =
    R"(recordio_driver write -in ITEMS -out FILE [-t NAME]... [-block BYTES] [-maxitems N] [-threads N] [-index FILE]
recordio_driver scan  -in FILE [-threads N] [-memory BYTES]
recordio_driver get   -in FILE -index FILE [-n N] [-seed N] [-memory BYTES] [-cached]

ITEMS holds items, each behind its length as 8 bytes little-endian. An index file has 12 bytes an
item: block offset (8 bytes little-endian) and number in the block (4). -cached: all from one block.
)";

struct Arguments {
  std::string in, out, index;
  std::vector<std::string> transformers;
  std::uint64_t block = 0, max_items = 16384, memory = std::uint64_t{1} << 30;
  std::uint64_t n = 1000, seed = 1;
  unsigned threads = 1;
  bool cached = false;
};

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) {
    fail("not a number: " + std::string(text));
  }
  return value;
}

Arguments parse_arguments(int argc, char** argv) {
  Arguments given;
  for (int i = 2; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "-cached") {
      given.cached = true;
      continue;
    }
    if (i + 1 == argc) {
      fail(kUsage);
    }
    const std::string value = argv[++i];
    if (option == "-in") {
      given.in = value;
    } else if (option == "-out") {
      given.out = value;
    } else if (option == "-index") {
      given.index = value;
    } else if (option == "-t") {
      given.transformers.push_back(value);
    } else if (option == "-block") {
      given.block = number(value);
    } else if (option == "-maxitems") {
      given.max_items = number(value);
    } else if (option == "-memory") {
      given.memory = number(value);
    } else if (option == "-threads") {
      given.threads = static_cast<unsigned>(number(value));
    } else if (option == "-n") {
      given.n = number(value);
    } else if (option == "-seed") {
      given.seed = number(value);
    } else {
      fail(kUsage);
    }
  }
  return given;
}

template <typename T>
T checked(Result<T> result) {
  if (!result) {
    fail(result.error().to_string());
  }
  return std::move(*result);
}
void check(const Status& status) {
  if (!status) {
    fail(status.error().to_string());
  }
}

std::uint64_t little_endian(ByteView bytes, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  }
  return value;
}

class Run {
 public:
  // An item was read: its length, and its last byte, which proves that it was there.
  void take(ByteView item) {
    ++records_;
    bytes_ += item.size();
    last_byte_sum_ += item.empty() ? 0 : std::to_integer<std::uint64_t>(item.back());
  }
  void start() { begin_ = times_now(); }
  void stop() { taken_ = times_now() - begin_; }
  // `extra`: more members of the object, each behind a comma.
  void print(std::string_view op, const std::string& extra = {}) const {
    std::printf(
        "{\"op\":\"%.*s\",\"records\":%llu,\"bytes\":%llu,\"last_byte_sum\":%llu,\"wall_s\":%.6f,"
        "\"user_s\":%.6f,\"sys_s\":%.6f,\"max_rss_KiB\":%llu%s}\n",
        static_cast<int>(op.size()), op.data(), static_cast<unsigned long long>(records_),
        static_cast<unsigned long long>(bytes_), static_cast<unsigned long long>(last_byte_sum_),
        taken_.wall, taken_.user, taken_.system, static_cast<unsigned long long>(peak_kib()),
        extra.c_str());
  }

 private:
  std::uint64_t records_ = 0, bytes_ = 0, last_byte_sum_ = 0;
  Times begin_, taken_;
};

class FileOut final : public ByteSink {
 public:
  explicit FileOut(const std::string& path)
      : fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {}
  ~FileOut() override { ::close(fd_); }
  FileOut(const FileOut&) = delete;
  FileOut& operator=(const FileOut&) = delete;

  Status write(ByteView bytes) override {
    while (!bytes.empty()) {
      const auto written = ::write(fd_, bytes.data(), bytes.size());
      if (written < 0) {
        return fonds::fail(ErrorCode::Io, "the output cannot be written");
      }
      bytes = bytes.subspan(static_cast<std::size_t>(written));
      position_ += static_cast<std::uint64_t>(written);
    }
    return {};
  }
  std::uint64_t position() const override { return position_; }

 private:
  int fd_;
  std::uint64_t position_ = 0;
};

std::vector<ByteView> cut_items(ByteView file) {
  std::vector<ByteView> items;
  while (!file.empty()) {
    const std::uint64_t length = file.size() < 8 ? 0 : little_endian(file, 8);
    if (file.size() < 8 || length > file.size() - 8) {
      fail("the items are cut short");
    }
    items.push_back(file.subspan(8, static_cast<std::size_t>(length)));
    file = file.subspan(8 + static_cast<std::size_t>(length));
  }
  return items;
}

void write(const Arguments& given) {
  const MappedFile file(given.in.c_str());
  const std::vector<ByteView> items = cut_items(file.bytes());  // brings the pages in, too
  std::vector<std::byte> index;
  recordio::WriterOptions options;
  options.transformers = given.transformers;
  options.max_block_bytes = given.block;
  options.max_items = given.max_items;
  options.threads = given.threads;
  if (!given.index.empty()) {
    index.reserve(12 * items.size());
    options.on_block = [&index](const recordio::WrittenBlock& block) -> Status {
      for (std::uint64_t n = 0; n < block.items.size(); ++n) {
        for (unsigned shift = 0; shift < 64; shift += 8) {
          index.push_back(static_cast<std::byte>(block.offset >> shift & 0xFFU));
        }
        for (unsigned shift = 0; shift < 32; shift += 8) {
          index.push_back(static_cast<std::byte>(n >> shift & 0xFFU));
        }
      }
      return {};
    };
  }
  Run run;
  std::uint64_t stored = 0;
  run.start();
  {
    FileOut out(given.out);
    auto writer = checked(recordio::Writer::create(out, std::move(options)));
    for (const ByteView item : items) {
      check(writer.append(item));
      run.take(item);
    }
    check(writer.finish());
    stored = out.position();
  }
  run.stop();
  if (!given.index.empty()) {
    FileOut out(given.index);
    check(out.write(index));
  }
  run.print("write", ",\"file_bytes\":" + std::to_string(stored));
}

recordio::ReaderOptions reader_options(const Arguments& given) {
  recordio::ReaderOptions options;
  options.threads = given.threads;
  options.memory_budget = given.memory;
  options.max_block = std::min(options.max_block, given.memory / 2);
  return options;
}

void scan(const Arguments& given) {
  Run run;
  run.start();
  auto reader = checked(recordio::Reader::open(given.in, reader_options(given)));
  while (checked(reader.next())) {
    run.take(reader.item());
  }
  run.stop();
  run.print("scan");
}

// The generator splitmix64: the same picks in the driver of the Go library.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ z >> 30U) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27U) * 0x94D049BB133111EBU;
    return z ^ z >> 31U;
  }

 private:
  std::uint64_t state_;
};

recordio::Location entry(ByteView index, std::uint64_t n) {
  const ByteView packed = index.subspan(static_cast<std::size_t>(12 * n), 12);
  return {.block = little_endian(packed, 8), .item = little_endian(packed.subspan(8), 4)};
}

// The entries of the block that entry `n` belongs to: the first of them, and how many.
std::pair<std::uint64_t, std::uint64_t> entries_of_block(ByteView index, std::uint64_t n) {
  const std::uint64_t block = entry(index, n).block;
  std::uint64_t first = n;
  std::uint64_t end = n;
  while (first > 0 && entry(index, first - 1).block == block) {
    --first;
  }
  while (end < index.size() / 12 && entry(index, end).block == block) {
    ++end;
  }
  return {first, end - first};
}

void get(const Arguments& given) {
  const MappedFile index_file(given.index.c_str());
  const ByteView index = index_file.bytes();
  SplitMix random(given.seed);
  std::uint64_t first = 0;
  std::uint64_t count = index.size() / 12;
  if (count == 0 || given.n == 0) {
    fail("nothing to get");
  }
  auto reader = checked(recordio::Reader::open(given.in, reader_options(given)));
  if (given.cached) {
    std::tie(first, count) = entries_of_block(index, random.next() % count);
    checked(reader.get(entry(index, first)));
  }
  std::vector<double> taken(static_cast<std::size_t>(given.n));
  Run run;
  run.start();
  for (double& one : taken) {
    const auto begin = std::chrono::steady_clock::now();
    run.take(checked(reader.get(entry(index, first + random.next() % count))));
    one =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  }
  run.stop();
  std::sort(taken.begin(), taken.end());
  std::array<char, 80> extra{};
  std::snprintf(extra.data(), extra.size(), ",\"p50_us\":%.3f,\"p99_us\":%.3f",
                taken[taken.size() / 2], taken[taken.size() * 99 / 100]);
  run.print("get", extra.data());
}

}  // namespace
}  // namespace fonds::bench

int main(int argc, char** argv) {
  using namespace fonds::bench;
  const std::string_view op = argc > 1 ? argv[1] : "";
  const Arguments given = parse_arguments(argc, argv);
  if (op == "write") {
    write(given);
  } else if (op == "scan") {
    scan(given);
  } else if (op == "get") {
    get(given);
  } else {
    fail(kUsage);
  }
  return 0;
}
