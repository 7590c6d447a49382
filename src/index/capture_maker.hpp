// Captures of the records of an archive: the lines of its CDX or CDXJ. What is told of which record
// follows cdxj-indexer; docs/formats/cdx.md says where it does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fonds/format.hpp>
#include <fonds/reader.hpp>
#include <fonds/record.hpp>

#include "base/digest.hpp"
#include "index/capture.hpp"

namespace fonds::warc {
class WarcRecord;
}

namespace fonds::index {

struct CaptureOptions {
  std::string filename = {};   // of the archive, as its captures are to tell it
  bool all = false;            // requests, warcinfo and all others too
  bool record_digest = false;  // reads every stored byte
  bool post_append = false;    // joins requests that have a body with their responses
  // Octets of a request's body that are looked at.
  std::uint64_t max_body = std::uint64_t{16} << 20;
};

// One thread at a time.
class CaptureMaker {
 public:
  // `archive` outlives the maker.
  CaptureMaker(const Archive& archive, CaptureOptions options);

  // What reading the archive for captures needs: HTTP heads, and bodies passed over.
  static ReadOptions read_options(ReadOptions given, const CaptureOptions& options);

  // Makes the captures of `record`, the reader's current one, and passes over it with
  // reader.finish(), whose answer is `end`. With `post_append` those of a record may come with the
  // next one, in file order. They live until the next call. A record without a date has none.
  // Errors: those of reading.
  Result<std::span<const Capture>> take(RecordReader& reader, const Record& record, RecordEnd& end);
  // What is left at the end.
  std::span<const Capture> finish();

  // Records that would have a capture if they had a date.
  std::uint64_t undated() const { return undated_; }

 private:
  // A record that may be joined with the next one.
  struct Joinable {
    bool valid = false;
    bool wanted = false;  // its capture goes into the index
    std::string type, uri, id;
    std::vector<std::string> concurrent_to;
    std::string method, query;  // of a request
    Capture capture;
  };

  bool wants(const warc::WarcRecord& record) const;
  void describe(const warc::WarcRecord& record, Capture& capture) const;
  Status read_body(RecordReader& reader, const warc::WarcRecord& record, bool digest,
                   std::string* body);
  Status take_one(RecordReader& reader, const warc::WarcRecord& record, bool wanted,
                  std::string* query, Capture& capture, RecordEnd& end);
  void add_place(const warc::WarcRecord& record, Capture& capture) const;
  void add_length(const RecordEnd& end, Capture& capture) const;
  Status add_record_digest(Capture& capture);
  Status take_joinable(RecordReader& reader, const warc::WarcRecord& record, bool wanted,
                       RecordEnd& end);
  void put(Capture& capture);

  const Archive& archive_;
  CaptureOptions options_;
  bool plain_;                 // the archive is not compressed
  std::vector<Capture> made_;  // the first `count_` count; the others keep their memory
  std::size_t count_ = 0;
  Joinable before_;
  std::uint64_t undated_ = 0;
  Hasher sha1_{DigestAlgorithm::Sha1}, sha256_{DigestAlgorithm::Sha256};
};

}  // namespace fonds::index
