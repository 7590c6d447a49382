// Asks an archive of logs a query: prints the events that match, then how many there are.
#include <cstdio>
#include <string_view>

#include <fonds/format.hpp>
#include <fonds/query.hpp>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: search_logs QUERY ARCHIVE\n");
    return 2;
  }
  const auto query = fonds::query::parse(argv[1]);
  if (!query) {
    std::fprintf(stderr, "%s\n", fonds::query::explain(argv[1], query.error()).c_str());
    return 2;
  }
  const auto archive = fonds::open_archive(argv[2]);
  if (!archive) {
    std::fprintf(stderr, "%s\n", archive.error().to_string().c_str());
    return 3;
  }
  fonds::SearchSink sink;
  sink.lines = [](std::string_view lines) -> fonds::Result<bool> {
    std::fwrite(lines.data(), 1, lines.size(), stdout);
    return true;  // go on
  };
  sink.finding = [](const fonds::Finding& finding) {
    std::fprintf(stderr, "%s\n", finding.message.c_str());
  };
  const auto report = archive->format->search(*archive, *query, {}, sink);
  if (!report) {
    std::fprintf(stderr, "%s\n", report.error().to_string().c_str());
    return 3;
  }
  std::printf("%llu events\n", static_cast<unsigned long long>(report->matched));
  return report->matched > 0 ? 0 : 1;
}
