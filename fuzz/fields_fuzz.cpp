// Fields of records: what a stage decides stays so once everything is known, a query and its
// negation part the records, and content in pieces of any size gives the same answer. The first
// line is the query, the rest an archive.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/format.hpp>
#include <fonds/query.hpp>

#include "query/record_plan.hpp"
#include "require.hpp"

namespace {

using fonds::FieldStage;
using fonds::fuzz::require;
using fonds::query::RecordPlan;
using fonds::query::Truth;

constexpr std::uint64_t kMemory = std::uint64_t{64} << 20;
constexpr std::uint64_t kMostContent = std::uint64_t{1} << 20;

// A query and the reader of its fields.
struct Asked {
  Asked(const fonds::Format& format, const fonds::query::Query& query)
      : plan(query), fields(format.read_fields(plan.paths())) {
    if (fields != nullptr) {
      plan.learn_stages(*fields);
    }
  }
  RecordPlan plan;
  std::unique_ptr<fonds::FieldReader> fields;
};

// What each stage says; nothing of the block is consumed.
std::vector<Truth> heads(Asked& asked, fonds::RecordReader& reader, const fonds::Record& record) {
  std::vector<Truth> said;
  asked.plan.begin();
  for (const FieldStage stage : {FieldStage::Header, FieldStage::Http}) {
    require(asked.fields->read(stage, reader, record, asked.plan).has_value());
    said.push_back(asked.plan.after(stage));
  }
  return said;
}

Truth with_content(RecordPlan& plan, std::string_view content, std::size_t most_piece) {
  plan.begin_content(kMostContent);
  bool more = true;
  while (more && !content.empty()) {
    const std::size_t n = std::min(content.size(), most_piece);
    more = plan.take_content(fonds::as_bytes(content.substr(0, n)));
    content.remove_prefix(n);
  }
  plan.end_content();
  return plan.after(FieldStage::Content);
}

Truth opposite(Truth truth) {
  return truth == Truth::Unknown ? truth : truth == Truth::True ? Truth::False : Truth::True;
}

void check(Asked& asked, Asked& negated, const fonds::Format& format, fonds::RecordReader& reader,
           const fonds::Record& record, std::size_t piece) {
  const std::vector<Truth> said = heads(asked, reader, record);
  const std::vector<Truth> denied = heads(negated, reader, record);
  for (std::size_t stage = 0; stage < said.size(); ++stage) {
    require(denied[stage] == opposite(said[stage]));
    require(said[stage] == Truth::Unknown || said[stage] == said.back());
  }
  if (said.back() != Truth::Unknown) {
    require(asked.plan.after(FieldStage::Content) == said.back());
    return;
  }
  std::string content;
  std::vector<fonds::Finding> findings;
  const auto status = format.write_part(
      reader, record, fonds::RecordPart::Decoded, kMostContent,
      [&content](fonds::ByteView bytes) -> fonds::Status {
        content += fonds::as_text(bytes);
        return content.size() < kMostContent ? fonds::Status()
                                             : fonds::fail(fonds::ErrorCode::Cancelled, "enough");
      },
      findings);
  if (!status) {
    return;
  }
  const Truth answer = with_content(asked.plan, content, content.size() + 1);
  require(answer != Truth::Unknown);
  require(with_content(asked.plan, content, piece) == answer);
  require(with_content(negated.plan, content, piece) == opposite(answer));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = input.find('\n');
  const std::string text(input.substr(0, end));
  const fonds::query::ParseOptions options = {.ignore_case = size % 5 == 0, .date_ranges = true};
  const auto query = fonds::query::parse(text, options);
  if (!query || end == std::string_view::npos) {
    return 0;
  }
  fonds::query::Query negation{.text = {}, .options = options, .root = {}};
  negation.root.kind = fonds::query::Node::Kind::Not;
  negation.root.children.push_back(query->root);
  const fonds::ByteView bytes = fonds::as_bytes(input.substr(end + 1));
  const auto archive = fonds::open_archive(fonds::memory_source({bytes.begin(), bytes.end()}));
  if (!archive || archive->format->fields().empty()) {
    return 0;
  }
  Asked asked(*archive->format, *query);
  Asked negated(*archive->format, negation);
  fonds::ReadOptions read;
  read.memory_budget = kMemory;
  const auto reader = archive->format->open(*archive, read);
  require(reader.has_value());
  while (true) {
    const auto record = (*reader)->next();
    if (!record || *record == nullptr) {
      return 0;
    }
    check(asked, negated, *archive->format, **reader, **record, 1 + size % 13);
    if (!(*reader)->finish()) {
      return 0;
    }
  }
}
