// Archives of bytes that come from elsewhere: files that become records or items.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/bytes.hpp>
#include <fonds/date.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/writing.hpp>

namespace fonds {

// The bytes of an item.
class ItemContent {
 public:
  virtual ~ItemContent() = default;
  // For messages: the name of the file.
  virtual const std::string& name() const = 0;
  // Bytes that read() gives.
  virtual std::uint64_t length() const = 0;
  // Gives all bytes, from the start, in pieces; works as often as it is called. Errors: Io, also if
  // the content is not what it was at the first call; those of `out`.
  virtual Status read(const std::function<Status(ByteView)>& out) = 0;
};

// An item to be made. RecordIO takes the content alone.
struct NewItem {
  enum class Kind : std::uint8_t {
    Resource,
    Metadata,    // about the record `refers_to`
    Conversion,  // another rendition of the record `refers_to`
  } kind = Kind::Resource;
  std::string uri = {};  // target; empty: none, or for what refers to a record of the archive its
  std::string content_type = {};  // media type; empty: not known
  std::string refers_to = {};     // id, without <>
  std::optional<Date> date = {};  // of the content; nothing: now
  std::string source_uri = {};    // where the content was taken from, if that is to be told
};

struct MakeOptions {
  // `write`: of the new records; `read`, `skip_damaged`, `on_finding` and `progress` are for an
  // archive that is added to.
  RewriteOptions rewrite = {};
  enum class Ids : std::uint8_t {
    Content,  // the same input gives the same ids
    Random,
  } ids = Ids::Content;
  // Fields of the warcinfo beside those that are always there: "operator", "description", …
  std::vector<std::pair<std::string, std::string>> description = {};
  // Ids that items will refer to. Where an archive is added to, their target URIs are looked up.
  std::vector<std::string> originals = {};
};

// Writes items one after the other. After an error every further call returns the same error.
class ItemMaker {
 public:
  virtual ~ItemMaker() = default;
  // Errors: those of `content` and the sink; BadArgument for an item that the format has no form
  // for; LimitExceeded; NotFound for an original that the archive does not have, if its URI is
  // needed.
  virtual Status add(const NewItem& item, ItemContent& content) = 0;
  // Writes what closes the archive. The sink is committed by the caller.
  virtual Status finish() = 0;
  // What became of an archive that was added to: its records, and what was lost of it.
  virtual const RewriteReport& report() const = 0;
};

}  // namespace fonds
