#include "format/kvir/facts.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "format/clps/facts.hpp"
#include "format/common/json_search.hpp"
#include "format/kvir/reading/record_reader.hpp"
#include "format/kvir/reading/stream.hpp"
#include "format/kvir/reading/tree.hpp"

namespace fonds::kvir {
namespace {

// How many events have each node of a tree.
class NodeCounts {
 public:
  explicit NodeCounts(const Tree& tree) : tree_(tree) {}
  void add(std::span<const Pair> pairs) {
    counts_.resize(tree_.size());
    seen_.resize(tree_.size());
    ++event_;
    for (const Pair& pair : pairs) {
      for (NodeId at = pair.node; at != kRoot && seen_[at] != event_; at = tree_[at].parent) {
        seen_[at] = event_;
        ++counts_[at];
      }
    }
    values_ += pairs.size();
  }
  std::uint64_t operator[](NodeId id) const { return id < counts_.size() ? counts_[id] : 0; }
  std::uint64_t values() const { return values_; }

 private:
  const Tree& tree_;
  std::vector<std::uint64_t> counts_, seen_;
  std::uint64_t event_ = 0, values_ = 0;
};

struct Counted {
  std::unique_ptr<StreamReader> reader;
  std::unique_ptr<NodeCounts> generated, user;
};

// Reads all events.
Result<Counted> count_all(const Archive& archive, const ReadOptions& options,
                          const std::function<void(const Finding&)>& finding) {
  Counted counted;
  FONDS_TRY(counted.reader, StreamReader::open(archive, options));
  const EventReader& stream = counted.reader->stream();
  counted.generated = std::make_unique<NodeCounts>(stream.generated_tree());
  counted.user = std::make_unique<NodeCounts>(stream.user_tree());
  while (true) {
    FONDS_TRY(const Record* const record, counted.reader->next());
    for (const Finding& found : counted.reader->take_loose_findings()) {
      finding(found);
    }
    if (record == nullptr) {
      return counted;
    }
    counted.generated->add(stream.generated());
    counted.user->add(stream.user());
  }
}

// Both trees as the one of an archive in columns, which knows how queries write keys.
class FieldList {
 public:
  FieldList(const Counted& counted, const std::function<Status(const EventField&)>& out)
      : counted_(counted), out_(out) {
    const EventReader& stream = counted.reader->stream();
    std::vector<clps::Node> nodes;
    add(stream.generated_tree(), "@", nodes);
    user_begin_ = nodes.size();
    add(stream.user_tree(), "", nodes);
    tree_ = clps::SchemaTree(std::move(nodes), nullptr);
  }

  Status give() {
    const EventReader& stream = counted_.reader->stream();
    FONDS_CHECK(give(stream.user_tree(), *counted_.user, user_begin_));
    return give(stream.generated_tree(), *counted_.generated, 0);
  }

 private:
  static void add(const Tree& tree, std::string_view root, std::vector<clps::Node>& nodes) {
    const auto begin = static_cast<clps::NodeId>(nodes.size());
    nodes.push_back({.parent = clps::kNoNode, .type = clps::NodeType::Object, .key = root});
    for (const Node& node : tree.nodes().subspan(1)) {
      nodes.push_back({.parent = begin + static_cast<clps::NodeId>(node.parent),
                       .type = clps::NodeType::Object,
                       .key = node.key});
    }
  }

  Status give(const Tree& tree, const NodeCounts& counts, std::size_t begin) {
    std::vector<std::vector<NodeId>> children(tree.size());
    for (NodeId id = 1; id < tree.size(); ++id) {
      children[tree[id].parent].push_back(id);
    }
    std::vector<NodeId> waiting(children[kRoot].rbegin(), children[kRoot].rend());
    while (!waiting.empty()) {
      const NodeId id = waiting.back();
      waiting.pop_back();
      const std::string path =
          clps::query_path(tree_, static_cast<clps::NodeId>(begin + std::size_t{id}));
      EventField field;
      field.path = path;
      field.key = tree[id].key;
      field.type = to_string(tree[id].type);
      field.depth = tree[id].depth - 1;
      field.leaf = tree[id].type != NodeType::Object;
      field.events = counts[id];
      FONDS_CHECK(out_(field));
      waiting.insert(waiting.end(), children[id].rbegin(), children[id].rend());
    }
    return {};
  }

  const Counted& counted_;
  const std::function<Status(const EventField&)>& out_;
  clps::SchemaTree tree_;
  std::size_t user_begin_ = 0;
};

// Asks the events of a stream, one after the other.
class StreamSearch {
 public:
  using Told = std::function<void(const Finding&)>;
  // All outlive the object.
  static Result<StreamSearch> open(const Archive& archive, const query::Query& query,
                                   const SearchOptions& options, const Told& finding) {
    FONDS_TRY(JsonJudge judge, JsonJudge::make(query, options, archive.source->name(), "kv-ir"));
    FONDS_TRY(auto reader, StreamReader::open(archive, options.read));
    return StreamSearch(std::move(judge), std::move(reader), finding);
  }

  // The next event, added to the answer if it matches; nullptr at the end.
  Result<const Record*> next(JsonAnswer& answer) {
    FONDS_TRY(const Record* const record, reader_->next());
    tell(reader_->take_loose_findings());
    if (record != nullptr) {
      const auto& event = static_cast<const EventRecord&>(*record);
      FONDS_CHECK(judge_.take({.user = event.json,
                               .generated = event.generated,
                               .archive = reader_->stream().metadata().user_text},
                              answer));
    }
    return record;
  }
  Status pass_over() {
    FONDS_TRY(const RecordEnd end, reader_->finish());
    tell(end.findings);
    return {};
  }
  RecordReader& reader() { return *reader_; }

 private:
  StreamSearch(JsonJudge judge, std::unique_ptr<StreamReader> reader, const Told& finding)
      : judge_(std::move(judge)), reader_(std::move(reader)), finding_(finding) {}
  void tell(const std::vector<Finding>& findings) const {
    for (const Finding& finding : findings) {
      finding_(finding);
    }
  }

  JsonJudge judge_;
  std::unique_ptr<StreamReader> reader_;
  const Told& finding_;
};

}  // namespace

Status describe_stream(const Archive& archive, const ReadOptions& options, bool deep,
                       AttributeSink& out) {
  if (!archive.source->random_access()) {
    return {};  // a pipe is read only once
  }
  Counted counted;
  if (deep) {
    FONDS_TRY(counted, count_all(archive, options, [](const Finding&) {}));
  } else {
    FONDS_TRY(counted.reader, StreamReader::open(archive, options));
  }
  const EventReader& stream = counted.reader->stream();
  out.text("version", stream.metadata().version);
  out.text("encoding", stream.eight_byte() ? "eight-byte" : "four-byte");
  if (!stream.metadata().user.empty()) {
    out.begin_list("metadata");
    for (const auto& [key, value] : stream.metadata().user) {
      out.begin_list("");
      out.text("", to_utf8(key));
      out.text("", value);
      out.end_list();
    }
    out.end_list();
  }
  if (deep) {
    out.number("events", stream.events());
    out.number("nodes", stream.user_tree().size() - 1);
    out.number("values", counted.user->values());
    out.number("generated_nodes", stream.generated_tree().size() - 1);
    out.number("generated_values", counted.generated->values());
  }
  return {};
}

Status list_fields(const Archive& archive, const ReadOptions& options,
                   const std::function<Status(const EventField&)>& out,
                   const std::function<void(const Finding&)>& finding) {
  FONDS_TRY(const Counted counted, count_all(archive, options, finding));
  return FieldList(counted, out).give();
}

Result<SearchReport> search_stream(const Archive& archive, const query::Query& query,
                                   const SearchOptions& options, const SearchSink& sink) {
  using Want = SearchOptions::Want;
  FONDS_TRY(auto search, StreamSearch::open(archive, query, options, sink.finding));
  JsonAnswer answer(options.want);
  const std::uint64_t memory = options.read.memory_budget / 8;
  bool more = true;
  while (more && (!options.limit || answer.matched < *options.limit) &&
         (options.want != Want::Any || answer.matched == 0)) {
    FONDS_TRY(const Record* const record, search.next(answer));
    if (record == nullptr) {
      break;
    }
    FONDS_CHECK(search.pass_over());
    if (!answer.lines.empty()) {
      FONDS_TRY(more, sink.lines(answer.lines));
      answer.lines.clear();
    }
    FONDS_CHECK(answer.total.check(memory));
  }
  return answer.report();
}

Status find_records(const Archive& archive, const query::Query& query, const SearchOptions& options,
                    const RecordSearch::Take& take,
                    const std::function<void(const Finding&)>& finding) {
  FONDS_TRY(auto search, StreamSearch::open(archive, query, options, finding));
  JsonAnswer answer(SearchOptions::Want::Records);
  while (true) {
    FONDS_TRY(const Record* const record, search.next(answer));
    if (record == nullptr) {
      return {};
    }
    FONDS_CHECK(answer.matched > 0 ? take(search.reader(), *record) : search.pass_over());
    answer.matched = 0;
    answer.lines.clear();
  }
}

}  // namespace fonds::kvir
