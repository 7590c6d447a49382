#include "format/common/item_line.hpp"

#include <cstddef>
#include <exception>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"

namespace fonds {
namespace {

// Takes the members of the outermost object and builds nothing of the rest.
class ItemLineEvents final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return other(); }
  bool boolean(bool) override { return other(); }
  bool number_integer(number_integer_t) override { return other(); }
  bool number_float(number_float_t, const string_t&) override { return other(); }
  bool binary(binary_t&) override { return other(); }
  bool number_unsigned(number_unsigned_t number) override {
    if (depth_ == 1 && member_ == Member::Block) {
      line.place.block = number;
      return true;
    }
    if (depth_ == 1 && member_ == Member::Item) {
      line.place.item = number;
      return true;
    }
    return other();
  }
  bool string(string_t& text) override {
    if (depth_ != 1 || (member_ != Member::Data && member_ != Member::Base64)) {
      return other();
    }
    if (std::exchange(has_data_, true)) {
      return wrong("has more than one of data and data_base64");
    }
    if (member_ == Member::Data) {
      line.data = std::move(text);
      return true;
    }
    auto decoded = from_base64(text);
    if (!decoded) {
      return wrong("has a data_base64 that is not Base64");
    }
    line.data = std::move(*decoded);
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ == 1) {
      member_ = name == "data"          ? Member::Data
                : name == "data_base64" ? Member::Base64
                : name == "block"       ? Member::Block
                : name == "item"        ? Member::Item
                                        : Member::Other;
    }
    return true;
  }
  bool start_object(std::size_t) override { return depth_ == 0 ? ++depth_ > 0 : open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    return wrong(fmt::format("is no JSON: broken at its byte {}", position));
  }

  std::string finish() {
    if (why_.empty() && !has_data_) {
      wrong("has neither data nor data_base64");
    }
    return std::move(why_);
  }
  ItemLine line;

 private:
  enum class Member : std::uint8_t { Other, Data, Base64, Block, Item };

  bool wrong(std::string why) {
    why_ = std::move(why);
    return false;
  }
  // A value that is not the one its name asks for.
  bool other() {
    if (depth_ == 0) {
      return wrong("is no JSON object");
    }
    if (depth_ == 1 && member_ != Member::Other) {
      return wrong(member_ == Member::Block || member_ == Member::Item
                       ? "has a block or item that is no whole number"
                       : "has a data or data_base64 that is no string");
    }
    return true;
  }
  bool open() {
    const bool fits = other();
    ++depth_;
    return fits;
  }
  bool close() {
    --depth_;
    return true;
  }

  std::size_t depth_ = 0;
  Member member_ = Member::Other;
  bool has_data_ = false;
  std::string why_;
};

class PlaceSink final : public AttributeSink {
 public:
  void text(std::string_view, std::string_view) override {}
  void number(std::string_view name, std::uint64_t value) override {
    if (depth_ == 0 && name == "block") {
      place.block = value;
    } else if (depth_ == 0 && name == "item") {
      place.item = value;
    }
  }
  void begin_object(std::string_view) override { ++depth_; }
  void end_object() override { --depth_; }
  void begin_list(std::string_view) override { ++depth_; }
  void end_list() override { --depth_; }

  ItemPlace place;

 private:
  int depth_ = 0;
};

}  // namespace

Result<ItemLine> parse_item_line(std::string_view line) {
  ItemLineEvents events;
  std::string why;
  try {
    nlohmann::json::sax_parse(line.begin(), line.end(), &events);
    why = events.finish();
  } catch (const std::exception& error) {
    why = fmt::format("cannot be parsed: {}", error.what());
  }
  if (!why.empty()) {
    return fail(ErrorCode::Corrupt, std::move(why));
  }
  return std::move(events.line);
}

void emit_item_line(std::string& out, const ItemPlace& place, ByteView data) {
  JsonWriter json(out);
  json.begin_object();
  if (place.block) {
    json.member("block", *place.block);
  }
  if (place.item) {
    json.member("item", *place.item);
  }
  const std::string_view text = as_text(data);
  if (is_utf8(text)) {
    json.member("data", text);
  } else {
    json.member("data_base64", std::string_view(to_base64(data)));
  }
  json.end_object();
  out += '\n';
}

ItemPlace item_place(const Record& record) {
  PlaceSink sink;
  record.describe(sink, false);
  return sink.place;
}

}  // namespace fonds
