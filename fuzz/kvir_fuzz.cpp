// KV-IR streams: no crash, no hang, bounded memory; a pipe in small pieces gives the same events;
// each event is JSON; what is written of the events reads back as the same. An input that begins
// with the magic is a stream; others are what follows a preamble.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/codec.hpp>

#include "format/kvir/reading/document.hpp"
#include "format/kvir/reading/stream.hpp"
#include "format/kvir/writing/stream_writer.hpp"
#include "io/testing.hpp"
#include "memory_sink.hpp"
#include "query/json_scanner.hpp"
#include "require.hpp"

namespace {

using fonds::fuzz::require;
using namespace fonds::kvir;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kMostText = std::size_t{2} << 20;
constexpr std::string_view kPreamble = "\xFD\x2F\xB5\x29\x01\x11\x13{\"VERSION\":\"0.1.0\"}";

std::shared_ptr<fonds::ByteSource> source_of(std::string_view bytes) {
  const auto* const data = reinterpret_cast<const std::byte*>(bytes.data());
  return fonds::memory_source({data, data + bytes.size()});
}

struct Events {
  std::vector<std::string> user, generated;
  std::uint64_t lost = 0;
  std::string error;
  bool more = false;  // than kMostText
};

Events read(const std::shared_ptr<fonds::ByteSource>& source) {
  Events out;
  const auto decoder = fonds::probe_codec({}).decode(source, {});
  const StreamLimits limits = {.event_bytes = 1 << 20, .tree_bytes = 1 << 20, .depth = 100};
  const auto reader = EventReader::open(**decoder, limits);
  if (!reader) {
    require(reader.error().where().decoded_offset.has_value());
    out.error = reader.error().message();
    return out;
  }
  DocumentWriter user((*reader)->user_tree());
  DocumentWriter generated((*reader)->generated_tree());
  fonds::clps::TextBuffer json;
  std::size_t text = 0;
  while (true) {
    const auto more = (*reader)->next();
    if (!more) {
      require(more.error().where().decoded_offset.has_value());
      out.error = more.error().to_string();
      return out;
    }
    if (!*more) {
      return out;
    }
    json.clear();
    json.limit(kMostText);
    out.lost += user.append((*reader)->user(), json);
    require(json.full() || fonds::query::is_json(json.view()));
    out.user.emplace_back(json.view());
    json.clear();
    json.limit(kMostText);
    out.lost += generated.append((*reader)->generated(), json);
    require(json.full() || fonds::query::is_json(json.view()));
    out.generated.emplace_back(json.view());
    text += out.user.back().size() + out.generated.back().size();
    if (text > kMostText) {
      out.more = true;
      return out;
    }
  }
}

// Writes the events and reads them again.
void check_written(const Events& events, bool eight_byte) {
  fonds::fuzz::MemorySink sink;
  const auto writer = StreamWriter::open(sink, {.eight_byte = eight_byte, .codec = "none"});
  require(writer.has_value());
  std::vector<std::string> user;
  std::vector<std::string> generated;
  for (std::size_t i = 0; i < events.user.size(); ++i) {
    if ((*writer)->add(events.user[i], events.generated[i])) {
      user.push_back(events.user[i]);
      generated.push_back(events.generated[i]);
    }
  }
  require((*writer)->finish().has_value());
  const Events again = read(source_of(sink.text));
  if (again.more) {
    return;
  }
  require(again.user.size() == user.size() || !again.error.empty());
  if ((*writer)->changes().empty() && again.error.empty()) {
    require(again.user == user);
    for (std::size_t i = 0; i < user.size(); ++i) {
      require(again.generated[i].size() == generated[i].size());  // perhaps in another order
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string stream(reinterpret_cast<const char*>(data), size);
  if (!stream.starts_with(kPreamble.substr(0, 3))) {
    stream.insert(0, kPreamble);
  }
  const Events whole = read(source_of(stream));
  const fonds::ByteView bytes = fonds::as_bytes(stream);
  const Events pieces = read(std::make_shared<fonds::testing_io::Pipe>(
      std::vector<std::byte>(bytes.begin(), bytes.end()), 1 + size % 7));
  require(pieces.user == whole.user && pieces.generated == whole.generated);
  require(pieces.error == whole.error);
  if (!whole.more) {
    check_written(whole, size % 2 == 0);
  }
  return 0;
}
