// Reads lines of text: each a record (LinesReader), an item in JSON (JsonlReader), or an event in
// JSON (EventsReader).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/codec.hpp>
#include <fonds/reader.hpp>

#include "format/common/item_line.hpp"

namespace fonds::lines {

// The lines of a decoder's bytes, each readable piece by piece. A line ends at its LF, at the end
// of the data, or where bytes are missing; what follows missing bytes up to the next LF may be the
// end of another line: it is passed over unless `offer_torn`.
class LineStream {
 public:
  LineStream(std::unique_ptr<Decoder> decoder, bool offer_torn)
      : decoder_(std::move(decoder)), offer_torn_(offer_torn) {}

  Status skip(std::uint64_t n);
  // Goes to the next line, from behind the one before (see end_line). False at the end of the data.
  Result<bool> next_line();
  // Bytes of the line from the current position in it: at least `at_least`, fewer only at its end.
  Result<ByteView> peek(std::size_t at_least);
  void consume(std::size_t n);
  // Passes over the rest of the line. Returns the number of its bytes, without the LF, and whether
  // the LF was there.
  struct End {
    std::uint64_t length = 0;
    bool line_end = false;
  };
  Result<End> end_line();

  // Bytes of the line behind the current position, once its end has been seen.
  std::optional<std::uint64_t> left() const { return end_; }
  // Goes to where in the line in hand, whose end has been seen, the next unit begins: the line then
  // counts as torn. False if it lies in one unit.
  bool leave_unit();
  // Whether bytes are missing in front of the line.
  bool torn() const { return torn_; }
  // Where the line begins; at the end of the data, that end.
  const Place& place() const { return place_; }
  Decoder& decoder() { return *decoder_; }
  const Decoder& decoder() const { return *decoder_; }

 private:
  Status begin_line();

  std::unique_ptr<Decoder> decoder_;
  bool offer_torn_;
  bool torn_ = false;
  Place place_;
  std::optional<std::size_t> end_;  // of the line, from the current position
  std::size_t searched_ = 0;        // bytes from the current position that hold no LF
  bool line_end_ = false;           // an LF stands at end_
  std::uint64_t consumed_ = 0;
};

// A line, or the item in it.
class TextRecord final : public Record {
 public:
  explicit TextRecord(std::string_view format) : format_(format) {}
  std::string_view format() const override { return format_; }
  std::string_view kind() const override { return "item"; }
  std::string_view id() const override { return {}; }
  std::optional<Date> date() const override { return std::nullopt; }
  std::span<const Field> fields() const override { return {}; }
  ByteView raw_header() const override { return {}; }
  std::optional<std::uint64_t> length() const override { return known_length; }
  bool is_json() const override { return is_event; }
  void describe(AttributeSink& out, bool with_headers) const override;

  std::optional<std::uint64_t> known_length;
  ItemPlace item;
  bool is_event = false;

 private:
  std::string_view format_;
};

// What both readers have in common.
class TextReader : public RecordReader {
 public:
  // `plain`: the bytes are stored without compression. `offer_torn`: as LineStream has it.
  TextReader(std::string_view format, std::unique_ptr<Decoder> decoder, std::string source,
             bool plain, const ReadOptions& options, bool offer_torn = false);

  Result<Record*> next() final;
  Result<RecordEnd> finish() final;
  std::vector<Finding> take_loose_findings() final { return std::exchange(loose_, {}); }
  Place end_place() const final { return lines_.place(); }
  std::string state() const final { return lines_.decoder().state(lines_.place()); }
  std::uint64_t stored_position() const final { return lines_.decoder().stored_position(); }

 protected:
  // Whether the line in hand is a record; fills in record_. If it is none it need not be read to
  // its end.
  virtual Result<bool> begin_record() = 0;
  void take_findings(std::vector<Finding>& into);
  // The whole line in hand; nothing if it is too long, which is told, or blank. Errors: those of
  // decoders.
  Result<std::optional<ByteView>> whole_line();
  // A finding at the line in hand.
  Finding finding_here(std::string_view code, std::string message) const;

  LineStream lines_;
  std::string source_;
  ReadOptions options_;
  TextRecord record_;
  std::vector<Finding> loose_;
  std::vector<Finding> of_record_;         // besides those of the decoder
  std::set<std::uint64_t> damaged_units_;  // that errors were told of, from the line in hand on

 private:
  Result<Record*> advance();
  Result<RecordEnd> pass_over();
  void keep_error(const Error& error);
  // What is known of the record once its line has been passed.
  virtual void describe_end(const LineStream::End& line, RecordEnd& end) const = 0;

  std::optional<Error> error_;
  bool plain_;
  std::uint64_t read_ = 0;  // records
  bool started_ = false, in_record_ = false, ended_ = false;
};

class LinesReader final : public TextReader {
 public:
  using TextReader::TextReader;
  Result<ByteView> peek_block(std::size_t at_least) override { return lines_.peek(at_least); }
  void consume_block(std::size_t n) override { lines_.consume(n); }

 private:
  Result<bool> begin_record() override;
  void describe_end(const LineStream::End& line, RecordEnd& end) const override;
};

// Lines that are JSON objects. A line behind missing bytes may be one: no end of an object is an
// object itself. So may what stands behind a damaged unit, whose end is no part of it.
class ObjectsReader : public TextReader {
 public:
  ObjectsReader(std::string_view format, std::unique_ptr<Decoder> decoder, std::string source,
                bool plain, const ReadOptions& options)
      : TextReader(format, std::move(decoder), std::move(source), plain, options, true) {}

 protected:
  // Whether the line in hand is an object of the kind; if it is none, fault_ tells why.
  virtual Result<bool> begin_object() = 0;

  std::string fault_;

 private:
  Result<bool> begin_record() final;
};

class JsonlReader final : public ObjectsReader {
 public:
  using ObjectsReader::ObjectsReader;
  Result<ByteView> peek_block(std::size_t) override { return as_bytes(data_).subspan(given_); }
  void consume_block(std::size_t n) override { given_ += n; }

 private:
  Result<bool> begin_object() override;
  void describe_end(const LineStream::End& line, RecordEnd& end) const override;

  std::string data_;
  std::size_t given_ = 0;
};

// JSON Lines: each line that holds a JSON object is a record.
class EventsReader final : public ObjectsReader {
 public:
  using ObjectsReader::ObjectsReader;
  Result<ByteView> peek_block(std::size_t at_least) override;
  void consume_block(std::size_t n) override;

 private:
  Result<bool> begin_object() override;
  void describe_end(const LineStream::End& line, RecordEnd& end) const override;

  std::size_t left_ = 0;  // of the object
  bool carriage_return_ = false;
  std::uint64_t events_ = 0;  // also those that are not asked for
};

}  // namespace fonds::lines
