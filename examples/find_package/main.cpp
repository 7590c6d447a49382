// Counts the records of an archive by kind, and says what is damaged.
#include <cstdio>
#include <map>
#include <string>

#include <fonds/format.hpp>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: count_records ARCHIVE\n");
    return 2;
  }
  const auto archive = fonds::open_archive(argv[1]);
  if (!archive) {
    std::fprintf(stderr, "%s\n", archive.error().to_string().c_str());
    return 3;
  }
  const auto reader = archive->format->open(*archive, {});
  if (!reader) {
    std::fprintf(stderr, "%s\n", reader.error().to_string().c_str());
    return 3;
  }

  std::map<std::string, int> kinds;
  int records = 0;
  bool damaged = false;
  while (true) {
    const auto record = (*reader)->next();  // views into the reader, until its next call
    if (!record) {
      std::fprintf(stderr, "%s\n", record.error().to_string().c_str());
      return 3;
    }
    if (*record == nullptr) {
      break;
    }
    ++records;
    ++kinds[std::string((*record)->kind())];
    const auto end = (*reader)->finish();
    if (!end) {
      std::fprintf(stderr, "%s\n", end.error().to_string().c_str());
      return 3;
    }
    for (const auto& finding : end->findings) {
      damaged = damaged || finding.severity == fonds::Severity::Error;
    }
  }

  std::printf("%d records\n", records);
  for (const auto& [kind, count] : kinds) {
    std::printf("%6d %s\n", count, kind.c_str());
  }
  return damaged ? 1 : 0;
}
