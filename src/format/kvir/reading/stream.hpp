// Reads a KV-IR stream: events with the trees of keys that they refer to. Nothing here believes a
// length, an id or a count of the stream. docs/formats/kv-ir.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/bytes.hpp>
#include <fonds/codec.hpp>
#include <fonds/error.hpp>

#include "format/kvir/reading/cursor.hpp"
#include "format/kvir/reading/tree.hpp"

namespace fonds::kvir {

// Whether a KV-IR stream begins here, of this version or an older one.
bool starts_stream(ByteView head);

struct Metadata {
  std::string text;                                // as stored, a JSON object
  std::string version;                             // "0.1.0"
  std::string variables_schema, encoding_methods;  // empty if it does not say
  // Of USER_DEFINED_METADATA: keys, unescaped and each once, and values as JSON texts.
  std::vector<std::pair<std::string, std::string>> user;
  std::string user_text;  // the same as it is stored; empty if it is not there
};
// Errors: Corrupt for what is no such object; Unsupported for other versions.
Result<Metadata> parse_metadata(std::string_view json);

enum class ValueType : std::uint8_t {
  Null,
  EmptyObject,
  Integer,
  Real,
  Boolean,
  String,
  Array,
};
struct Value {
  ValueType type = ValueType::Null;
  bool encoded = false;  // a String that was stored as encoded text
  bool truth = false;
  std::int64_t integer = 0;
  double real = 0;  // may be NaN or infinite
  // Of a String its text, which may be no UTF-8; of an Array the JSON text of one.
  std::string_view text = {};
};
struct Pair {
  NodeId node = kRoot;
  Value value;
};

struct StreamLimits {
  std::uint64_t event_bytes = std::uint64_t{512} << 20;  // of one event or key, as stored
  std::uint64_t tree_bytes = std::uint64_t{256} << 20;   // that both trees take in memory
  std::uint32_t depth = 1024;                            // keys around a value, its own included
};

class EventReader {
 public:
  // Reads what comes before the first event. `decoder` stands at the stream's first byte and
  // outlives the reader. Errors: those of the decoder; Corrupt, Truncated; Unsupported for other
  // versions of the format.
  static Result<std::unique_ptr<EventReader>> open(Decoder& decoder,
                                                   const StreamLimits& limits = {});

  const Metadata& metadata() const { return metadata_; }
  bool eight_byte() const { return eight_byte_; }  // as its magic number says

  // Goes to the next event. False behind the last one, where the stream ends as it should; the
  // decoder then stands at what follows it.
  //
  // Errors: those of the decoder; Corrupt, Truncated and LimitExceeded with the decoded offset of
  // the fault and the number of the event that cannot be read. All events before it were given.
  // After an error every further call returns the same one.
  Result<bool> next();

  // Of the current event: its pairs, in the order of a document whose objects have their members
  // in the order in which their nodes came. An event without pairs is `{}`. Live until next().
  std::span<const Pair> generated() const { return generated_.pairs; }
  std::span<const Pair> user() const { return user_.pairs; }
  std::uint64_t number() const { return events_ - 1; }  // from 0
  const Place& place() const { return place_; }         // where it begins
  // Decoded bytes of the stream before it, and that it takes; node insertions that come before it
  // do not belong to it.
  std::uint64_t offset() const { return offset_; }
  std::uint64_t length() const { return used_; }

  // The keys so far. Nodes never change, and never go away.
  const Tree& generated_tree() const { return generated_.tree; }
  const Tree& user_tree() const { return user_.tree; }
  std::uint64_t events() const { return events_; }  // so far
  std::uint64_t utc_offset_changes() const { return utc_offset_changes_; }

 private:
  struct Side {
    Tree tree;
    LeafCheck check{tree};
    std::vector<Pair> pairs, sorted;
    std::vector<NodeId> leaves;
  };
  // Where a text that was decoded lies in texts_, which grows.
  struct Decoded {
    Side* side;
    std::size_t pair, offset, length;
  };

  EventReader(Decoder& decoder, const StreamLimits& limits);
  Result<bool> advance();
  template <typename Parse>
  Status read_unit(std::string_view what, const Parse& parse);
  tl::unexpected<Error> fail_at(ErrorCode code, std::string message, std::uint64_t offset) const;
  tl::unexpected<Error> fail_again() const;

  void read_preamble(Cursor& cursor);
  void read_node(Cursor& cursor);
  void read_event(Cursor& cursor);
  void read_value(Cursor& cursor, std::uint8_t tag, Side& side, std::size_t pair);
  void read_encoded(Cursor& cursor, std::uint8_t tag, Side& side, std::size_t pair);
  void put_in_order(Cursor& cursor, Side& side);

  Decoder& decoder_;
  StreamLimits limits_;
  Metadata metadata_;
  bool eight_byte_ = false;
  Side generated_, user_;
  std::string texts_;
  std::vector<Decoded> decoded_;
  ByteView view_;         // from the unit's first byte
  std::size_t used_ = 0;  // of it, by the unit
  std::uint64_t offset_ = 0;
  Place place_;
  std::uint64_t events_ = 0, utc_offset_changes_ = 0;
  bool ended_ = false;
  std::optional<Error> error_;
};

}  // namespace fonds::kvir
