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
  FONDS_TRY(JsonJudge judge, JsonJudge::make(query, options, archive.source->name(), "kv-ir"));
  FONDS_TRY(const auto reader, StreamReader::open(archive, options.read));
  const std::string& user_metadata = reader->stream().metadata().user_text;
  JsonAnswer answer;
  JsonAnswer one;
  const std::uint64_t memory = options.read.memory_budget / 8;
  while ((!options.limit || answer.matched < *options.limit) &&
         (options.want != Want::Any || answer.matched == 0)) {
    FONDS_TRY(const Record* const record, reader->next());
    for (const Finding& finding : reader->take_loose_findings()) {
      sink.finding(finding);
    }
    if (record == nullptr) {
      break;
    }
    const auto& event = static_cast<const EventRecord&>(*record);
    FONDS_CHECK(judge.take(
        {.user = event.json, .generated = event.generated, .archive = user_metadata}, one));
    FONDS_TRY(const RecordEnd end, reader->finish());
    for (const Finding& finding : end.findings) {
      sink.finding(finding);
    }
    if (one.matched == 0) {
      continue;
    }
    if (!one.lines.empty()) {
      FONDS_TRY(const bool more, sink.lines(one.lines));
      if (!more) {
        ++answer.matched;
        break;
      }
      one.lines.clear();
    }
    FONDS_CHECK(answer.add(std::exchange(one, {}), options.want, memory));
  }
  return answer.report();
}

}  // namespace fonds::kvir
