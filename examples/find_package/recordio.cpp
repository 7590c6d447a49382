// Writes a RecordIO file, reads it from start to end, and reads one item by its location.
#include <cstdio>
#include <string>

#include <fonds/formats/recordio.hpp>

namespace {

class FileSink final : public fonds::ByteSink {
 public:
  explicit FileSink(const char* path) : file_(std::fopen(path, "wb")) {}
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  ~FileSink() override { (void)close(); }

  fonds::Status write(fonds::ByteView bytes) override {
    if (file_ == nullptr || std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
      return fonds::fail(fonds::ErrorCode::Io, "cannot be written");
    }
    position_ += bytes.size();
    return {};
  }
  std::uint64_t position() const override { return position_; }
  fonds::Status close() {
    const bool closed = file_ == nullptr || std::fclose(file_) == 0;
    file_ = nullptr;
    return closed ? fonds::Status() : fonds::fail(fonds::ErrorCode::Io, "cannot be written");
  }

 private:
  std::FILE* file_;
  std::uint64_t position_ = 0;
};

fonds::Status write_items(const char* path) {
  FileSink sink(path);
  fonds::recordio::WriterOptions options;
  options.transformers = {"zstd"};
  options.header = {{"made-by", std::string("an example")}};
  FONDS_TRY(auto writer, fonds::recordio::Writer::create(sink, options));
  for (const char* item : {"hello", "", "world!"}) {
    FONDS_CHECK(writer.append(fonds::as_bytes(item)));
  }
  FONDS_CHECK(writer.finish());
  return sink.close();
}

fonds::Status read_items(const char* path) {
  FONDS_TRY(auto reader, fonds::recordio::Reader::open(path));
  fonds::recordio::Location last;
  while (true) {
    FONDS_TRY(const bool there, reader.next());
    if (!there) {
      break;
    }
    last = reader.location();
    std::printf("%llu/%llu: %zu bytes\n", static_cast<unsigned long long>(last.block),
                static_cast<unsigned long long>(last.item), reader.item().size());
  }
  FONDS_TRY(const fonds::ByteView item, reader.get(last));
  std::printf("the last one: %s\n", std::string(fonds::as_text(item)).c_str());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: recordio FILE\n");
    return 2;
  }
  auto done = write_items(argv[1]);
  if (done) {
    done = read_items(argv[1]);
  }
  if (!done) {
    std::fprintf(stderr, "%s: %s\n", argv[1], done.error().to_string().c_str());
    return 3;
  }
  return 0;
}
