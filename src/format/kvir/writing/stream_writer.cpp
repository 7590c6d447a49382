#include "format/kvir/writing/stream_writer.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "base/error_copy.hpp"
#include "base/nearest_double.hpp"
#include "base/text.hpp"
#include "format/kvir/reading/document.hpp"
#include "format/kvir/reading/stream.hpp"
#include "format/kvir/reading/text.hpp"
#include "format/kvir/reading/tree.hpp"
#include "format/kvir/tags.hpp"
#include "query/json_scanner.hpp"

namespace fonds::kvir {
namespace {

using query::JsonScanner;
using query::JsonToken;

constexpr std::string_view kFixedMetadata =
    R"({"VARIABLES_SCHEMA_ID":"com.yscope.clp.VariablesSchemaV2",)"
    R"("VARIABLE_ENCODING_METHODS_ID":"com.yscope.clp.VariableEncodingMethodsV1",)"
    R"("VERSION":"0.1.0")";
constexpr std::size_t kMostMetadata = 0xFFFF;
constexpr std::size_t kFlushAt = std::size_t{64} << 10;
constexpr std::uint64_t kMostEvent = std::uint64_t{1} << 30;  // lengths are below 2^31

tl::unexpected<Error> refuse(std::string message, std::size_t at,
                             ErrorCode code = ErrorCode::BadArgument) {
  Location where;
  where.decoded_offset = at;
  return fail(code, std::move(message), std::move(where));
}

// The tag and the number of the shortest form of an id; `first` is the tag of one byte.
void append_id(std::uint8_t first, NodeId node, bool generated, std::string& out) {
  const std::int64_t id = generated ? ~static_cast<std::int64_t>(node) : std::int64_t{node};
  const unsigned step = node <= 0x7F ? 0 : node <= 0x7FFF ? 1 : 2;
  out += static_cast<char>(first + step);
  append_big_endian(static_cast<std::uint64_t>(id), 1U << step, out);
}

void append_integer(std::int64_t value, std::string& out) {
  const unsigned step = value == static_cast<std::int8_t>(value)    ? 0
                        : value == static_cast<std::int16_t>(value) ? 1
                        : value == static_cast<std::int32_t>(value) ? 2
                                                                    : 3;
  out += static_cast<char>(kInteger + step);
  append_big_endian(static_cast<std::uint64_t>(value), 1U << step, out);
}

}  // namespace

Result<std::unique_ptr<StreamWriter>> StreamWriter::open(ByteSink& sink,
                                                         const StreamWriterOptions& options) {
  std::unique_ptr<StreamWriter> writer(new StreamWriter(options));
  writer->generated_.generated = true;
  EncodeOptions encode;
  encode.codec = options.codec;
  encode.level = options.level;
  encode.one_unit = options.codec == "gzip" || options.codec == "lz4";
  encode.frame_bytes = std::uint64_t{1} << 30;
  encode.memory_budget = options.memory_budget;
  FONDS_TRY(writer->encoder_, make_encoder(sink, encode));
  FONDS_CHECK(writer->encoder_->begin_unit());
  FONDS_CHECK(writer->put_preamble());
  return writer;
}

Status StreamWriter::put_preamble() {
  std::string metadata(kFixedMetadata);
  if (!options_.user_metadata.empty()) {
    metadata += R"(,"USER_DEFINED_METADATA":)" + options_.user_metadata;
  }
  metadata += '}';
  if (metadata.size() > kMostMetadata) {
    return fail(ErrorCode::BadArgument,
                fmt::format("the metadata take {} bytes; a stream holds {} at most",
                            metadata.size(), kMostMetadata));
  }
  if (const auto parsed = parse_metadata(metadata); !parsed) {
    return fail(ErrorCode::BadArgument, parsed.error().message());
  }
  nodes_ = options_.eight_byte ? kMagicEight : kMagicFour;
  nodes_ += static_cast<char>(kMetadataIsJson);
  append_length(kMetadataLength, metadata.size(), nodes_);
  nodes_ += metadata;
  return put_out();
}

Status StreamWriter::put_out() {
  FONDS_CHECK(encoder_->write(as_bytes(nodes_)));
  nodes_.clear();
  FONDS_CHECK(encoder_->write(as_bytes(event_)));
  event_.clear();
  return {};
}

Status StreamWriter::add(std::string_view json, std::string_view generated) {
  if (error_) {
    return tl::unexpected(copy_of(*error_));
  }
  event_changes_.clear();
  std::swap(changes_, event_changes_);
  Status status = generated.empty() ? Status() : walk(generated, generated_);
  if (generated.empty()) {
    generated_.pairs.clear();
  }
  if (status) {
    status = walk(json, user_);
  }
  if (status) {
    put_event();
  }
  std::swap(changes_, event_changes_);
  if (!status) {
    return status;
  }
  for (const auto& [kind, n] : event_changes_) {
    changes_[kind] += n;
    change_count_ += n;
  }
  ++events_;
  status = put_out();
  if (!status) {
    error_ = copy_of(status.error());
  }
  return status;
}

Status StreamWriter::finish() {
  if (error_) {
    return tl::unexpected(copy_of(*error_));
  }
  event_ += static_cast<char>(kEnd);
  FONDS_CHECK(put_out());
  FONDS_CHECK(encoder_->end_unit());
  return encoder_->finish();
}

Status StreamWriter::walk(std::string_view json, Side& side) {
  side.pairs.clear();
  side.values.clear();
  side.asked = 0;
  side.dropped = false;
  if (json.size() > kMostEvent) {
    return refuse(fmt::format("the event has more than {} octets", kMostEvent), 0,
                  ErrorCode::LimitExceeded);
  }
  if (!is_utf8(json)) {
    return refuse("the event is not UTF-8", 0);
  }
  JsonScanner scanner(json);
  if (scanner.next() != JsonToken::BeginObject) {
    return refuse("the event is no JSON object", scanner.at());
  }
  open_.assign(1, {.object = ++objects_});
  while (!open_.empty()) {
    const JsonToken token = scanner.next();
    if (token == JsonToken::Key) {
      key_ = unquoted(scanner.spelled(), key_scratch_);
      open_.back().empty = false;
      FONDS_CHECK(take_value(json, scanner, side));
    } else if (token == JsonToken::EndObject) {
      const Frame ended = open_.back();
      open_.pop_back();
      if (!open_.empty()) {
        if (ended.empty) {
          side.pairs.push_back({ended.node, side.values.size(), side.values.size() + 1});
          side.values += static_cast<char>(kEmptyObject);
        }
        side.marks[ended.key].end = side.pairs.size();
      }
    } else {
      return refuse("the event is no JSON", scanner.at());
    }
  }
  if (scanner.next() != JsonToken::End) {
    return refuse("something follows the JSON object of the event", scanner.at());
  }
  return {};
}

Status StreamWriter::take_value(std::string_view json, JsonScanner& scanner, Side& side) {
  const JsonToken token = scanner.next();
  switch (token) {
    case JsonToken::BeginObject: {
      FONDS_CHECK(begin_value(side, NodeType::Object));
      const NodeId node = side.last_nodes[side.asked - 1];
      open_.push_back({.node = node, .object = ++objects_, .key = side.tree[node].first_of_key});
      return {};
    }
    case JsonToken::BeginArray:
      return take_array(json, scanner, side);
    case JsonToken::String:
      return take_text(unquoted(scanner.spelled(), text_scratch_), side);
    case JsonToken::Number:
      return take_number(scanner.spelled(), side);
    case JsonToken::True:
    case JsonToken::False: {
      FONDS_CHECK(begin_value(side, NodeType::Boolean));
      const std::size_t begin = side.values.size();
      side.values += static_cast<char>(token == JsonToken::True ? kTrue : kFalse);
      end_value(side, begin);
      return {};
    }
    case JsonToken::Null:
      return take_null(side);
    default:
      return refuse("the event is no JSON", scanner.at());
  }
}

Result<NodeId> StreamWriter::node_of(Side& side, NodeId parent, std::string_view key,
                                     NodeType type) {
  if (side.asked == side.last_nodes.size()) {
    side.last_nodes.push_back(kRoot);
  }
  NodeId& last = side.last_nodes[side.asked++];
  const Node& guess = side.tree[last];
  if (last != kRoot && guess.parent == parent && guess.type == type && guess.key == key) {
    return last;
  }
  if (const auto found = side.tree.find(parent, key, type)) {
    last = *found;
    return last;
  }
  if (side.tree[parent].depth >= options_.depth) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("a key lies deeper than {} levels", options_.depth));
  }
  if (generated_.tree.held() + user_.tree.held() + key.size() > options_.tree_bytes) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("the keys of all events take more than {} bytes of memory",
                            options_.tree_bytes));
  }
  last = side.tree.add(parent, key, type);
  side.marks.resize(side.tree.size());
  put_node(side, last);
  return last;
}

void StreamWriter::put_node(const Side& side, NodeId node) {
  const Node& added = side.tree[node];
  nodes_ += static_cast<char>(kNode + static_cast<unsigned>(added.type));
  append_id(kParentId, added.parent, side.generated, nodes_);
  append_length(kString, added.key.size(), nodes_);
  nodes_ += added.key;
}

// Finds the node of the key in hand; an earlier value of the same key in this object does not
// count any more.
Status StreamWriter::begin_value(Side& side, NodeType type) {
  const Frame& frame = open_.back();
  FONDS_TRY(const NodeId node, node_of(side, frame.node, key_, type));
  Mark& mark = side.marks[side.tree[node].first_of_key];
  if (mark.object == frame.object) {
    change("keys that stood twice in an object, of which the last counts");
    side.dropped = true;
    for (std::size_t i = mark.begin; i < mark.end; ++i) {
      side.pairs[i].dropped = true;
    }
  }
  mark.object = frame.object;
  mark.begin = side.pairs.size();
  mark.end = mark.begin;
  return {};
}

// The value of the node that was asked for last stands behind `begin`.
void StreamWriter::end_value(Side& side, std::size_t begin) {
  const NodeId node = side.last_nodes[side.asked - 1];
  side.pairs.push_back({node, begin, side.values.size()});
  side.marks[side.tree[node].first_of_key].end = side.pairs.size();
}

Status StreamWriter::take_array(std::string_view json, JsonScanner& scanner, Side& side) {
  const std::size_t text_begin = scanner.at() - 1;
  for (std::size_t depth = 1; depth > 0;) {
    switch (scanner.next()) {
      case JsonToken::BeginArray:
      case JsonToken::BeginObject:
        ++depth;
        break;
      case JsonToken::EndArray:
      case JsonToken::EndObject:
        --depth;
        break;
      case JsonToken::Damaged:
      case JsonToken::End:
        return refuse("the event is no JSON", scanner.at());
      default:
        break;
    }
  }
  FONDS_CHECK(begin_value(side, NodeType::Array));
  const std::size_t begin = side.values.size();
  side.values += static_cast<char>(options_.eight_byte ? kTextEight : kTextFour);
  text_.append(json.substr(text_begin, scanner.at() - text_begin), side.values);
  end_value(side, begin);
  return {};
}

Status StreamWriter::take_text(std::string_view text, Side& side) {
  FONDS_CHECK(begin_value(side, NodeType::String));
  const std::size_t begin = side.values.size();
  if (text.find(' ') == std::string_view::npos) {
    append_length(kString, text.size(), side.values);
    side.values += text;
  } else {
    side.values += static_cast<char>(options_.eight_byte ? kTextEight : kTextFour);
    text_.append(text, side.values);
  }
  end_value(side, begin);
  return {};
}

Status StreamWriter::take_null(Side& side) {
  FONDS_CHECK(begin_value(side, NodeType::Object));
  const std::size_t begin = side.values.size();
  side.values += static_cast<char>(kNull);
  end_value(side, begin);
  return {};
}

Status StreamWriter::take_number(std::string_view spelled, Side& side) {
  if (spelled.find_first_of(".eE") != std::string_view::npos) {
    return take_real(spelled, false, side);
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(spelled.data(), spelled.data() + spelled.size(), value);
  if (error != std::errc()) {
    return take_real(spelled, true, side);
  }
  if (spelled == "-0") {
    change("integers that were written as -0");
  }
  FONDS_CHECK(begin_value(side, NodeType::Integer));
  const std::size_t begin = side.values.size();
  append_integer(value, side.values);
  end_value(side, begin);
  return {};
}

Status StreamWriter::take_real(std::string_view spelled, bool integer, Side& side) {
  const double value = nearest_double(spelled);
  if (!std::isfinite(value)) {
    change("numbers beyond the range of floats, which are null now");
    return take_null(side);
  }
  text_scratch_.clear();
  append_real(value, text_scratch_);
  if (integer) {
    change("integers beyond 64 bits, which are floats now");
  } else if (text_scratch_ != spelled) {
    change("floats in another spelling");
  }
  FONDS_CHECK(begin_value(side, NodeType::Real));
  const std::size_t begin = side.values.size();
  side.values += static_cast<char>(kReal);
  append_big_endian(std::bit_cast<std::uint64_t>(value), 8, side.values);
  end_value(side, begin);
  return {};
}

// The text of a string. Halves of surrogate pairs, which no UTF-8 has, become U+FFFD.
std::string_view StreamWriter::unquoted(std::string_view spelled, std::string& scratch) {
  const std::string_view text = query::unquoted_json(spelled, scratch);
  if (text.data() != scratch.data() || is_utf8(text)) {
    return text;
  }
  std::string& out = scratch;
  for (std::size_t at = 0; (at = out.find('\xED', at)) != std::string::npos; ++at) {
    if (out.size() - at >= 3 && static_cast<unsigned char>(out[at + 1]) >= 0xA0) {
      out.replace(at, 3, "\xEF\xBF\xBD");
      change("halves of surrogate pairs, which are U+FFFD now");
    }
  }
  return out;
}

void StreamWriter::put_event() {
  for (const Pair& pair : generated_.pairs) {
    if (!pair.dropped) {
      append_id(kKeyId, pair.node, true, event_);
      event_.append(generated_.values, pair.begin, pair.end - pair.begin);
    }
  }
  NodeId before = kRoot;
  bool any = false;
  bool in_order = true;
  for (const Pair& pair : user_.pairs) {
    if (!pair.dropped) {
      in_order = in_order && (!any || user_.tree.comes_before(before, pair.node));
      before = pair.node;
      any = true;
      append_id(kKeyId, pair.node, false, event_);
    }
  }
  if (!in_order) {
    change("events whose keys come in another order");
  }
  if (!any) {
    event_ += static_cast<char>(kEmptyObject);
  } else if (!user_.dropped) {
    event_ += user_.values;
  } else {
    for (const Pair& pair : user_.pairs) {
      if (!pair.dropped) {
        event_.append(user_.values, pair.begin, pair.end - pair.begin);
      }
    }
  }
}

}  // namespace fonds::kvir
