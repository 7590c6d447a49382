// Laws of finding single records: by their places, keys and indexes.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fonds/format.hpp>
#include <fonds/record_index.hpp>

#include "archives/beside.hpp"
#include "conformance/laws.hpp"
#include "conformance/reading.hpp"
#include "conformance/rows.hpp"
#include "conformance/sites.hpp"
#include "ops/find.hpp"
#include "ops/make_index.hpp"

namespace fonds::laws {
namespace {

// Where reading a record means decoding all before it, not every one is looked for.
std::size_t most_places(const Row& row) { return tries_less(row) ? 6 : 20; }

std::string places_lead(const Row& row) {
  auto archive = open(row);
  if (!archive) {
    return {};
  }
  const Contents all = contents(*archive, row.read);
  const Archive& fresh = *archive;
  ops::Opener opener(fresh);
  const std::size_t step = all.places.size() / most_places(row) + 1;
  for (std::size_t n = 0; n < all.places.size(); n += step) {
    const auto reader = opener.at(row.read, all.places[n]);
    if (!reader) {
      return reader.error().to_string();
    }
    const auto record = (*reader)->next();
    if (!record || *record == nullptr) {
      return fmt::format("nothing at the place of record {}", n);
    }
    if ((*record)->place != all.places[n] || as_text((*record)->raw_header()) != all.headers[n]) {
      return fmt::format("another record at the place of record {}", n);
    }
  }
  return {};
}

// Keys of one kind, and the blocks that they have to lead to.
struct Keys {
  std::string kind;
  std::vector<std::string> keys, blocks;
};

// What `ls --json` says of each record.
std::vector<nlohmann::json> objects(const Archive& archive, const ReadOptions& read) {
  ops::ListOptions options;
  options.scan.read = read;
  options.json = true;
  const Given given = listed(archive, options);
  std::vector<nlohmann::json> all;
  for (std::size_t at = 0; at < given.text.size();) {
    const std::size_t end = given.text.find('\n', at);
    all.push_back(nlohmann::json::parse(given.text.substr(at, end - at)));
    at = end + 1;
  }
  return all;
}

std::string text_of(const nlohmann::json& object, const char* name) {
  return object.contains(name) && object[name].is_string() ? object[name].get<std::string>() : "";
}

std::string digits_of(const std::string& date) {
  std::string digits;
  std::ranges::copy_if(date, std::back_inserter(digits),
                       [](char c) { return c >= '0' && c <= '9'; });
  return digits.size() >= 4 && date.ends_with('Z') ? digits.substr(0, 14) : "";
}

Keys keys_of_ids(const std::vector<nlohmann::json>& records, const Contents& all) {
  std::map<std::string, int> seen;
  for (const auto& record : records) {
    ++seen[text_of(record, "id")];
  }
  Keys keys{"id", {}, {}};
  for (std::size_t n = 0; n < records.size(); ++n) {
    const std::string id = text_of(records[n], "id");
    if (!id.empty() && seen[id] == 1) {
      keys.keys.push_back("id:" + id);
      keys.blocks.push_back(all.blocks[n]);
    }
  }
  return keys;
}

// Of captures, each at another time: other records stand behind them, and no CDX tells of them.
Keys keys_of_uris(const std::vector<nlohmann::json>& records, const Contents& all) {
  const auto key = [](const nlohmann::json& record) {
    const std::string uri = text_of(record, "uri"), time = digits_of(text_of(record, "date"));
    return uri.empty() || time.empty() ? "" : "uri:" + uri + "@" + time;
  };
  std::map<std::string, int> seen;
  for (const auto& record : records) {
    ++seen[key(record)];
  }
  Keys keys{"uri", {}, {}};
  for (std::size_t n = 0; n < records.size(); ++n) {
    const std::string type = text_of(records[n], "type");
    const std::string name = key(records[n]);
    if (!name.empty() && seen[name] == 1 &&
        (type == "response" || type == "resource" || type == "revisit")) {
      keys.keys.push_back(name);
      keys.blocks.push_back(all.blocks[n]);
    }
  }
  return keys;
}

Keys keys_of_places(const Row& row, const Contents& all, std::string_view kind) {
  Keys keys{std::string(kind), {}, {}};
  const std::size_t step = kind == "index" ? 1 : all.places.size() / most_places(row) + 1;
  for (std::size_t n = 0; n < all.places.size(); n += step) {
    const Place& place = all.places[n];
    keys.keys.push_back(kind == "index"    ? fmt::format("index:{}", n)
                        : kind == "offset" ? fmt::format("offset:{}+{}", place.unit, place.inner)
                                           : fmt::format("block:{}/{}", place.unit, place.inner));
    keys.blocks.push_back(all.blocks[n]);
  }
  return keys;
}

// Leaves out some where all take too long.
Keys thinned(const Row& row, const Keys& all) {
  if (!tries_less(row)) {
    return all;
  }
  Keys some{all.kind, {}, {}};
  const std::size_t step = all.keys.size() / most_places(row) + 1;
  for (std::size_t n = 0; n < all.keys.size(); n += step) {
    some.keys.push_back(all.keys[n]);
    some.blocks.push_back(all.blocks[n]);
  }
  return some;
}

std::vector<Keys> keys_of(const Row& row, Opened& archive, const Contents& all) {
  std::vector<Keys> kinds = {keys_of_places(row, all, "index"), keys_of_places(row, all, "offset")};
  const FormatTraits traits = archive->format->traits();
  if (traits.item_blocks) {
    kinds.push_back(keys_of_places(row, all, "block"));
  }
  if (traits.captures) {
    const std::vector<nlohmann::json> records = objects(*archive, row.read);
    if (records.size() == all.blocks.size()) {
      kinds.push_back(keys_of_ids(records, all));
      kinds.push_back(keys_of_uris(records, all));
    }
  }
  return kinds;
}

std::string keys_lead_by(const Row& row, Opened& archive, const ops::ScanOptions& scan,
                         const Contents& all) {
  for (const Keys& every : keys_of(row, archive, all)) {
    const Keys keys = thinned(row, every);
    if (keys.keys.empty()) {
      continue;
    }
    const Given given = content(*archive, scan, keys.keys);
    if (!given.error.empty()) {
      return keys.kind + ": " + given.error;
    }
    if (auto complaint = difference(keys.kind, given.text, with_lengths(keys.blocks));
        !complaint.empty()) {
      return complaint;
    }
  }
  return {};
}

std::string keys_lead(const Row& row) {
  auto archive = open(row);
  if (!archive) {
    return archive.error().to_string();
  }
  ops::ScanOptions scan;
  scan.read = row.read;
  const Contents all = contents(*archive, row.read);
  return keys_lead_by(row, archive, scan, all);
}

// ---- indexes ----

std::string leads(const Row& row, Opened& archive, const std::string& path, const Contents& all) {
  std::string complaint;
  const std::vector<std::string> paths = {path};
  auto companions =
      open_companions(*archive, paths, [&](const Finding& finding) { complaint = shown(finding); });
  if (!companions) {
    return companions.error().to_string();
  }
  if (!complaint.empty()) {
    return complaint;
  }
  ops::ScanOptions scan;
  scan.read = row.read;
  scan.companions = std::make_shared<Companions>(std::move(*companions));
  scan.read.seek = scan.companions->seek;
  complaint = keys_lead_by(row, archive, scan, all);
  if (complaint.empty()) {
    complaint = difference("reading with it", contents(*archive, scan.read), all);
  }
  // A CDX can only tell of the unit, not where in it a record begins.
  const bool can_tell =
      !path.ends_with(".cdx") ||
      std::ranges::all_of(all.places, [](const Place& at) { return at.inner == 0; });
  if (complaint.empty() && can_tell) {
    const Given verdict = verified(*archive, scan, paths);
    for (const Finding& finding : verdict.raw) {
      if (finding.severity == Severity::Note) {
        continue;
      }
      if (finding.code.starts_with("companion") || finding.code.starts_with("checkpoint") ||
          finding.code.starts_with("cdx") || finding.code.starts_with("index")) {
        return shown(finding);
      }
    }
  }
  return complaint;
}

std::string indexes_lead(const Row& row) {
  if (row.directory) {
    return "has no index";
  }
  const Laid file(row, row.bytes());
  Opened archive([&] { return open_archive(file.name(), {.format = row.format}); });
  if (!archive) {
    return archive.error().to_string();
  }
  const Contents all = contents(*archive, row.read);
  std::size_t made = 0;
  for (const char* const type :
       {"offsets", "cdxj", "cdx9", "cdx11", "zipnum", "checkpoint", "gzidx"}) {
    if (!ops::index_type(*archive, type)) {
      continue;
    }
    ++made;
    ops::IndexOptions options;
    options.spacing = 40'000;
    options.block_lines = 7;
    const auto index = testing_archives::write_index_beside(*archive, file.path(), type, options);
    if (!index && std::string_view(type) == "checkpoint" &&
        index.error().code() == ErrorCode::BadArgument) {
      continue;  // its documents have no ids of 25 bytes
    }
    if (index && std::filesystem::file_size(*index) == 0) {
      continue;  // there is nothing that such an index tells of
    }
    ops::ScanOptions beside;
    beside.read = row.read;
    const std::string complaint =
        !index ? index.error().to_string()
        : std::string_view(type) == "offsets"
            ? keys_lead_by(row, archive, beside, all)
            : leads(row, archive, file.name() + index->substr(file.path().size()), all);
    if (!complaint.empty()) {
      return std::string(type) + ": " + complaint;
    }
  }
  return made == 0 ? "has no index" : "";
}

}  // namespace

std::vector<Law> finding_laws() {
  return {
      {.name = "PlacesLead",
       .title = "offset = sequential",
       .meaning = "Reading at the place of a record gives this record.",
       .of_damaged = true,
       .complaint = places_lead},
      {.name = "KeysLead",
       .title = "`cat KEY` = sequential",
       .meaning = "Keys of each kind (`index:`, `offset:`, `block:`, `id:`, `uri:`) lead to their "
                  "records.",
       .of_damaged = false,
       .complaint = keys_lead},
      {.name = "IndexesLead",
       .title = "index + `cat KEY` = sequential",
       .meaning = "The same by each index that the archive can have, which verifies against it.",
       .of_damaged = false,
       .is_about = [](const Row& row) { return row.format.empty() || row.format == "recordio"; },
       .about = "web archives, RecordIO",
       .complaint = indexes_lead},
  };
}

}  // namespace fonds::laws
