// Writes KV-IR streams of events that come as JSON texts. docs/formats/kv-ir.md.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/byte_sink.hpp>
#include <fonds/encoder.hpp>
#include <fonds/error.hpp>

#include "format/kvir/reading/text.hpp"
#include "format/kvir/reading/tree.hpp"
#include "query/json_scanner.hpp"

namespace fonds::kvir {

struct StreamWriterOptions {
  bool eight_byte = false;
  std::string user_metadata = {};  // a JSON object; empty: none
  std::string codec = "zstd";      // of the whole: "none", "gzip", "zstd", "lz4"
  std::optional<int> level = {};   // of the codec
  std::uint64_t tree_bytes = std::uint64_t{256} << 20;  // that both trees may take in memory
  std::uint32_t depth = 1024;                           // of keys
  std::uint64_t memory_budget = std::uint64_t{1} << 30;
};

// What the stream does not say as its events did, by kind: "keys that stood twice".
using Changes = std::map<std::string, std::uint64_t, std::less<>>;

class StreamWriter {
 public:
  // Writes what comes before the first event. `sink` outlives the writer. Errors: BadArgument for
  // metadata that are no JSON object or longer than a stream can hold, and for options of the
  // codec; those of the sink.
  static Result<std::unique_ptr<StreamWriter>> open(ByteSink& sink,
                                                    const StreamWriterOptions& options = {});

  // Adds an event: a JSON object of its user keys, and one of its auto-generated keys, or nothing.
  //
  // Errors: those of the sink, which stay. BadArgument for what is no JSON object in UTF-8, with
  // the octets before the fault as decoded_offset; LimitExceeded for keys that are too deep or too
  // many. Then the event is left out, and others may follow.
  Status add(std::string_view json, std::string_view generated = {});
  // Ends the stream. The sink is the caller's.
  Status finish();

  std::uint64_t events() const { return events_; }
  const Changes& changes() const { return changes_; }
  std::uint64_t change_count() const { return change_count_; }  // of all kinds

 private:
  struct Pair {
    NodeId node;
    std::size_t begin, end;  // of its value in Side::values
    bool dropped = false;    // a later value of the key counts
  };
  struct Mark {
    std::uint64_t object = 0;        // the last one that has the key
    std::size_t begin = 0, end = 0;  // of the key's pairs in it
  };
  struct Side {
    bool generated = false;
    Tree tree;
    std::vector<Mark> marks;  // at the first node of each key
    std::vector<Pair> pairs;
    std::string values;
    // The nodes of the last event in the order in which they were asked for: the next event is
    // probably like it.
    std::vector<NodeId> last_nodes;
    std::size_t asked = 0;
    bool dropped = false;
  };
  struct Frame {
    NodeId node = kRoot;
    std::uint64_t object = 0;
    bool empty = true;
    NodeId key = kRoot;  // the first node of the key that it is the value of
  };

  explicit StreamWriter(const StreamWriterOptions& options)
      : options_(options), text_(options.eight_byte) {}
  Status put_preamble();
  Status walk(std::string_view json, Side& side);
  Status take_value(std::string_view json, query::JsonScanner& scanner, Side& side);
  Status take_array(std::string_view json, query::JsonScanner& scanner, Side& side);
  Status begin_value(Side& side, NodeType type);
  void end_value(Side& side, std::size_t begin);
  Status take_number(std::string_view spelled, Side& side);
  Status take_real(std::string_view spelled, bool integer, Side& side);
  Status take_null(Side& side);
  Status take_text(std::string_view text, Side& side);
  std::string_view unquoted(std::string_view spelled, std::string& scratch);
  Result<NodeId> node_of(Side& side, NodeId parent, std::string_view key, NodeType type);
  void put_node(const Side& side, NodeId node);
  void put_event();
  void change(std::string_view kind) { ++changes_[std::string(kind)]; }
  Status put_out();

  StreamWriterOptions options_;
  TextEncoder text_;
  std::unique_ptr<Encoder> encoder_;
  Side generated_, user_;
  std::vector<Frame> open_;  // objects around the place
  std::string key_;          // of the value in hand
  std::string key_scratch_, text_scratch_;
  std::uint64_t objects_ = 0;
  std::string nodes_, event_;  // not given to the encoder yet
  std::uint64_t events_ = 0, change_count_ = 0;
  Changes changes_, event_changes_;
  std::optional<Error> error_;
};

}  // namespace fonds::kvir
