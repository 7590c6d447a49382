// Prints the header of the record that a key names.
#include <cstdio>

#include <fonds/format.hpp>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: look_up ARCHIVE KEY\n");
    return 2;
  }
  const auto archive = fonds::open_archive(argv[1]);
  if (!archive) {
    std::fprintf(stderr, "%s\n", archive.error().to_string().c_str());
    return 3;
  }
  const auto found = archive->at(argv[2]);  // companions beside the archive are used and checked
  if (!found) {
    std::fprintf(stderr, "%s\n", found.error().to_string().c_str());
    return found.error().code() == fonds::ErrorCode::NotFound ? 1 : 3;
  }
  const auto header = fonds::as_text(found->record->raw_header());
  std::fwrite(header.data(), 1, header.size(), stdout);
  return 0;
}
