// How repair goes through an archive: group by group. A group is what can be copied alone: the
// units from one that begins with a record up to the next such one, or one record stored plain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/format.hpp>
#include <fonds/writing.hpp>

#include "base/digest.hpp"
#include "format/warc/reading/record.hpp"
#include "format/warc/rewriting/repair_output.hpp"
#include "format/warc/rewriting/repair_record.hpp"
#include "format/warc/rewriting/repair_watch.hpp"
#include "io/window.hpp"

namespace fonds::warc {

// What the records of one unit have in common while it is judged.
struct RepairGroup {
  std::uint64_t begin = 0;  // stored offset
  std::uint64_t first = 0;  // number of its first record
  std::string state;        // to read it again
  bool plain = false;
  bool changed = false;  // something in it has to be written anew
  bool shared = false;   // not a unit for each record
  bool garbage = false;  // octets between its records
  std::uint64_t records = 0, kept = 0, cut = 0;
  std::uint64_t needed = 0;                   // records up to the last that is kept
  std::uint64_t unconfirmed = 0;              // records without a digest that is right
  std::optional<std::uint64_t> last_unit;     // in which its last record ends
  std::uint64_t garbage_octets = 0;           // decoded, from there on
  std::optional<std::uint64_t> garbage_from;  // the unit behind it that holds no record
  // Of blocks that are too large to be held until it shows what is wrong, by number in the group.
  std::map<std::uint64_t, RecordChange> large;
  bool claims_large = false;  // a header tells of more than can be held
};

class Repair {
 public:
  Repair(const Archive& archive, std::uint64_t size, ByteSink& sink, const RewriteOptions& options,
         const RangeSeen& seen);
  Result<RewriteReport> run();

 private:
  // Of the record in hand, once it was read to its end.
  struct Last {
    std::uint64_t begin = 0;   // decoded bytes before it
    std::uint64_t octets = 0;  // header, block and the line ends behind it
    std::uint64_t ordinal = 0;
    std::uint64_t header = 0;  // octets of the header
    RecordChange change;
    bool only_separator = false;      // lacks_only_separator()
    std::string new_header, closing;  // stored plain: what is to be changed
  };
  using Group = RepairGroup;

  Status take_head(const WarcRecord* first);
  Status take_dictionary(std::uint64_t& from);
  Status take_record(const WarcRecord& record);
  // Reads what is left of the block, gives it to `out` if there is one.
  static Result<BlockRead> read_block(WarcReader& reader, const WarcRecord& record,
                                      const ByteOutput& out);
  void tell_of_record(const WarcRecord& record, const RecordEnd& end, const RecordChange& change,
                      const BlockRead& block);
  // The record in hand is over: the next one, if one `followed` in its unit, begins at the end of
  // what was decoded, but for
  // `header` octets that were read of it.
  void end_record(bool followed, std::uint64_t header);
  void lose_octets(std::uint64_t n);
  Status close_group(std::uint64_t end);
  Status close_plain(std::uint64_t end);
  Status close_units(std::uint64_t end);
  // Whether stored bytes are all among these.
  Result<bool> are_all(std::uint64_t from, std::uint64_t to, std::string_view octets);
  Status leave_out(std::uint64_t from, std::uint64_t to, const Finding* why);
  void tell_of_damage(const std::vector<Finding>& damage, std::uint64_t end);
  Status rewrite(std::uint64_t end);
  // Reads the group in hand up to `end` once more.
  Status read_again(std::uint64_t end,
                    const std::function<Status(WarcReader&, const WarcRecord&)>& take);
  void tell_of_cut(const WarcRecord& record, const RecordChange& change, std::uint64_t ordinal);
  Status rewrite_record(WarcReader& reader, const WarcRecord& record);
  Status rewrite_large(WarcReader& reader, const WarcRecord& record, RecordChange change);
  std::vector<Finding> take_damage(std::uint64_t before);
  void tell(Finding finding, std::optional<Severity> severity = {});
  bool begins_group(const WarcRecord& record) const;
  bool is_plain(const WarcRecord& record) const;

  const Archive& archive_;
  Window stored_;       // the archive, for what is looked at again
  std::uint64_t size_;  // of it
  const RewriteOptions& options_;
  ReadOptions read_;
  std::uint64_t held_;  // octets of a block that may lie in memory
  RepairOutput output_;
  Watch watch_;
  std::unique_ptr<WarcReader> reader_;
  std::optional<Group> group_;
  std::optional<Last> last_;
  bool garbage_before_ = false;  // octets in front of the first record, in its unit
  bool rewrite_all_ = false;     // the dictionary of all frames is lost
  std::uint64_t told_ = 0;
};

// Damage and stray bytes: what repair does not leave as it is.
bool is_mended(const Finding& finding);

// Hashes octets with the algorithm of a digest; nothing if the digest cannot be compared.
class DigestCheck {
 public:
  explicit DigestCheck(std::string_view text);
  void update(ByteView octets);
  void finish();
  bool can() const { return hasher_.has_value(); }
  bool right() const { return right_; }
  const std::string& text() const { return text_; }  // the digest of the octets, labelled

 private:
  std::string_view wanted_;
  LabelledDigest digest_;
  std::optional<Hasher> hasher_;
  std::string text_;
  bool right_ = false;
};

}  // namespace fonds::warc
