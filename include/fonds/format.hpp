// Formats: how records lie in the bytes that a codec gives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/byte_source.hpp>
#include <fonds/codec.hpp>
#include <fonds/error.hpp>
#include <fonds/events.hpp>
#include <fonds/finding.hpp>
#include <fonds/reader.hpp>
#include <fonds/record_fields.hpp>
#include <fonds/record_index.hpp>
#include <fonds/search.hpp>
#include <fonds/writing.hpp>

namespace fonds {

class Format;

// An opened archive: its bytes, and what they were recognized as.
struct Archive {
  std::shared_ptr<ByteSource> source;
  const Format* format = nullptr;
  std::vector<const Codec*> codecs;  // the outermost first; usually one, {"none"} for plain bytes

  // The outermost codec.
  const Codec& codec() const { return *codecs.front(); }

  // The record that a key names: "offset:784", "id:urn:uuid:…", "uri:http://example.com/@2017".
  // Uses the companions beside the archive and checks what they say; without them, or if they lead
  // nowhere, the archive is read. The archive must outlive the reader in the result. Errors:
  // BadArgument for what is no key; NotFound; Unsupported for a pipe; those of reading.
  Result<OpenRecord> at(std::string_view key, const ReadOptions& options = {}) const;
};

struct OpenOptions {
  std::string_view format;  // name of a format; empty: recognized from the content
};

// Opens a path (or "-", or a directory that is an archive) and recognizes codec and format from the
// content, never from the name. Errors: NotFound, Io; Unsupported if the content is no archive that
// this library knows.
Result<Archive> open_archive(std::string_view path, const OpenOptions& options = {});
Result<Archive> open_archive(std::shared_ptr<ByteSource> source, const OpenOptions& options = {});

// Opens a path as open_source() does, and a directory if it is an archive by itself.
Result<std::shared_ptr<ByteSource>> open_archive_source(std::string_view path);
// Whether a path is a directory that is an archive by itself, also one of a version that cannot be
// read.
bool is_archive_directory(std::string_view path);

// What of a record is asked for.
enum class RecordPart : std::uint8_t {
  Record,   // as stored, decompressed, with the line ends that close it
  Header,   // the header's octets
  Block,    // the content block
  Http,     // the HTTP head of the block
  Body,     // what follows the HTTP head, as stored; without a head the block
  Payload,  // the body freed of its transfer coding
  Decoded,  // the payload freed of its content coding
};
using ByteOutput = std::function<Status(ByteView)>;

struct VerifyOptions {
  bool digests = true;
  std::uint64_t max_payload = std::uint64_t{16}
                              << 20;  // of larger blocks only the stored octets are hashed
  // What may be remembered of records to compare them with each other; where it does not suffice, a
  // finding says so.
  std::uint64_t memory = std::uint64_t{512} << 20;
};

// Checks records one by one, on the thread that reads them, and remembers what VerifyWhole needs.
class VerifyPart {
 public:
  virtual ~VerifyPart() = default;
  // Reads what is left of the record's block and appends what it finds.
  virtual Status check(RecordReader& reader, const Record& record, std::vector<Finding>& out) = 0;
  // Called once the reader has passed over the record: appends what its end shows.
  virtual void end(const Record& record, const RecordEnd& end, std::vector<Finding>& out) {
    static_cast<void>(record), static_cast<void>(end), static_cast<void>(out);
  }
  // Bytes that the last record has added to what is remembered, if they are many.
  virtual std::size_t held() const { return 0; }
};

// Checks what only a whole archive, or several together, can show. Takes the parts in file order.
class VerifyWhole {
 public:
  virtual ~VerifyWhole() = default;
  // Called before the parts of each archive.
  virtual void begin(const Archive& archive) = 0;
  // `first_ordinal` is the number of the part's first record in its archive.
  virtual void add(VerifyPart& part, std::uint64_t first_ordinal) = 0;
  // Called after the parts of each archive, with the number of its records. `all_read` is false if
  // a limit kept some from being read. Errors: Io, where stored bytes are looked at once more.
  virtual Status end(std::uint64_t records, bool all_read,
                     const std::function<void(Finding)>& out) = 0;
  // Called at the very end: what no archive of the run could answer.
  virtual void finish(const std::function<void(Finding)>& out) = 0;
};

// What a format is like, for those who treat all formats alike.
struct FormatTraits {
  bool captures = false;     // records are captures of URLs: a CDX tells of them
  bool item_blocks = false;  // records are items of blocks: block:OFFSET/ITEM names one
  bool extras = false;       // its usual layout holds header entries and a trailer
  bool search = false;       // Format::search() gives an answer
  // Records are events of a log, each a JSON object on a line of its own: the members of Format
  // with `event` in their names, and ReadOptions::stored_order, input and range mean something.
  bool events = false;
  bool text = false;  // any text of its form, which whoever takes text reads by themselves
  // Recognized only where OpenOptions::format names it; of several formats with that name the one
  // whose probe() says most.
  bool only_named = false;
  std::string_view file_ending = {};  // of its files, with a dot; empty: a dot and the name
  std::string_view other_name = {};   // under which it is written too: "arc"
  std::string_view converts_to = {};  // what `convert` makes of it unless told; empty: itself
};

// Puts together records that were cut into segments, over several archives.
class SegmentJoiner {
 public:
  virtual ~SegmentJoiner() = default;
  // The whole record, as an archive of this one record for a single reader, if `record` of the
  // archive with this number is its first segment and all others are there. Else nothing; what is
  // missing is told. The archive must not outlive the joiner. Errors: those of reading.
  virtual Result<std::optional<Archive>> whole(
      std::size_t archive, const Record& record,
      const std::function<void(const Finding&)>& finding) const = 0;
  // Whether the record is a later segment of such a record.
  virtual bool absorbed(std::size_t archive, const Record& record) const = 0;
};

// What was counted by reading all records.
struct Totals {
  std::uint64_t records = 0;
  std::uint64_t units = 0;  // in which records begin: members, blocks, …
  std::uint64_t bytes = 0;  // of records, decoded
};

// Stateless; one object per format, in the list of formats().
class Format {
 public:
  virtual ~Format() = default;
  virtual std::string_view name() const = 0;
  // How well `decoded_head` fits: 0 not at all, up to 100. `whole`: it is all there is. Up to 10 is
  // a guess, for which damage is looked through first: records of another format may lie behind.
  virtual int probe(ByteView decoded_head, bool whole) const = 0;
  virtual RecordProbe record_probe() const = 0;
  // If a directory with these entries, sorted, is one archive of this format: the files that it is
  // read from, in the order in which they read like a single file. Else nothing. Errors:
  // Unsupported if it is an archive of a version that cannot be read.
  virtual Result<std::vector<std::string>> directory_files(
      std::span<const std::string> entries) const;
  // The columns of a list that has not been told which.
  virtual std::span<const std::string_view> columns() const = 0;
  virtual FormatTraits traits() const { return {}; }
  // Facts of the container for `info`, as attributes of the object under the format's name; with
  // `totals` (of a reader that has read everything) also what follows from them. Findings about
  // what had to be looked at go to `finding`. Errors: those of reading.
  virtual Status describe(const Archive& archive, const ReadOptions& options, const Totals* totals,
                          AttributeSink& out,
                          const std::function<void(const Finding&)>& finding) const;
  // With FormatTraits::extras: what the archive has of them. Damage of the header goes to
  // `finding`. Errors: those of reading; Corrupt for a damaged trailer, unless
  // ReadOptions::search_damaged; Unsupported for a pipe.
  virtual Result<Extras> extras(const Archive& archive, const ReadOptions& options,
                                const std::function<void(const Finding&)>& finding) const;
  // The first stored offset in [from, to) at which a reader could begin, for cutting an archive
  // into parts; `to` if there is none. A guess, as Codec::find_unit, which is what it does unless
  // the format knows better. Called only for sources with a view.
  virtual std::uint64_t find_start(const Archive& archive, std::uint64_t from,
                                   std::uint64_t to) const;
  // Where the records with these 0-based numbers begin, by an index beside the archive; one place
  // each, in their order. Empty if no index tells of them all, or it was made for an archive of
  // another size. What lies there is not looked at. Errors: Io of the archive.
  virtual Result<std::vector<Place>> locate(const Archive& archive,
                                            std::span<const std::uint64_t> ordinals) const;
  // Looks for segments in all of `archives`, which must outlive the joiner. Errors: those of
  // reading; Unsupported for a pipe and for formats without segments.
  virtual Result<std::unique_ptr<SegmentJoiner>> join_segments(std::span<const Archive> archives,
                                                               const ReadOptions& options) const;
  // Gives the records that a query matches, as JSON Lines, or what `options.want` asks for. Errors:
  // those of reading; BadArgument for what the query or the options cannot mean on this archive;
  // Unsupported for formats that are not searched.
  virtual Result<SearchReport> search(const Archive& archive, const query::Query& query,
                                      const SearchOptions& options, const SearchSink& sink) const;
  // With FormatTraits::events: the inputs, in the order of their events; empty if the archive does
  // not tell. Errors: those of reading.
  virtual Result<std::vector<EventInput>> event_inputs(const Archive& archive,
                                                       const ReadOptions& options) const;
  // With FormatTraits::events: the keys of all events. Errors: those of reading and of `out`.
  virtual Status event_fields(const Archive& archive, const ReadOptions& options,
                              const std::function<Status(const EventField&)>& out,
                              const std::function<void(const Finding&)>& finding) const;
  // With FormatTraits::events: all events that `options` mean, as a reader gives them one by one,
  // but faster. Errors: those of reading and of the sink.
  virtual Status write_events(const Archive& archive, const ReadOptions& options, unsigned threads,
                              const EventSink& sink) const;
  // The fields that a query can ask of its records; empty: none.
  virtual std::span<const FieldInfo> fields() const { return {}; }
  // A reader of the fields that these paths name, `*` all of them; the paths must outlive it.
  // nullptr if fields() is empty.
  virtual std::unique_ptr<FieldReader> read_fields(std::span<const query::Path> wanted) const;
  // What the format can do beyond reading; nullptr: nothing.
  virtual const FormatWriting* writing() const { return nullptr; }
  virtual Result<std::unique_ptr<RecordReader>> open(const Archive& archive,
                                                     const ReadOptions& options) const = 0;
  // Gives a part of the reader's current record to `out`, piece by piece; the closing line ends of
  // RecordPart::Record are not given (they come with RecordReader::finish). Payloads of more than
  // `max_payload` bytes are not decoded: finding limit-exceeded. A record without headers of any
  // kind is its block in every part but Header and Http, which are empty. What is odd about the
  // part is appended to `findings`. Errors: those of reading and of `out`.
  virtual Status write_part(RecordReader& reader, const Record& record, RecordPart part,
                            std::uint64_t max_payload, const ByteOutput& out,
                            std::vector<Finding>& findings) const;
  // What is to be checked beyond what reading checks by itself.
  virtual std::unique_ptr<VerifyPart> verify_part(const Archive& archive,
                                                  const VerifyOptions& options) const;
  virtual std::unique_ptr<VerifyWhole> verify_whole(const VerifyOptions& options) const;
};

// All formats: the one list is src/format/registry.cpp.
std::span<const Format* const> formats();

// The limits of a reader as those of its decoder.
DecodeOptions decode_options(const ReadOptions& options);

// Starts a decoder through all codecs of the archive. Errors: those of Codec::decode.
Result<std::unique_ptr<Decoder>> open_decoder(const Archive& archive, const DecodeOptions& options);

}  // namespace fonds
