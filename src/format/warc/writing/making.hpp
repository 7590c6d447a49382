// Records made of bytes that come from elsewhere.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fonds/encoder.hpp>
#include <fonds/making.hpp>

#include "format/warc/writing/conversion.hpp"

namespace fonds::warc {

// What the archive that is added to had before.
struct Before {
  bool there = false;                // an archive is added to
  std::uint64_t records = 0;         // of it
  bool needs_version_block = false;  // ARC: what governs at its end is another definition
  // Target URIs of records with the ids of MakeOptions::originals; empty: it has none.
  std::map<std::string, std::string, std::less<>> originals;
  RewriteReport report;
};

class Maker final : public ItemMaker {
 public:
  Maker(std::unique_ptr<Encoder> encoder, Target target, const MakeOptions& options, Before before);

  // Reads the content twice: its digest stands before it.
  Status add(const NewItem& item, ItemContent& content) override;
  Status finish() override;
  const RewriteReport& report() const override { return before_.report; }

 private:
  Status begin();
  Status put_warcinfo();
  Status put(std::string_view header, std::string_view block);
  Result<std::string> target_of(const NewItem& item) const;
  Result<std::string> header_of(const NewItem& item, const std::string& uri, std::string_view sha1,
                                std::uint64_t length);
  Status put_content(std::string_view header, ItemContent& content, std::string_view sha1);

  std::unique_ptr<Encoder> encoder_;
  ConversionOptions conversion_;
  MakeOptions options_;
  Before before_;
  std::string warcinfo_id_;
  std::uint64_t number_ = 0;  // of the next record in the archive
  bool begun_ = false;
};

}  // namespace fonds::warc
