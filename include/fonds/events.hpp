// Records that are events of a log, each a JSON object: what formats that hold such can tell beyond
// what all formats can.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <fonds/error.hpp>
#include <fonds/finding.hpp>

namespace fonds {

// A file that events were read from when the archive was made.
struct EventInput {
  std::string name;                  // as it was given then; hostile text
  std::string run;                   // who made the archive: one id for each run of the tool
  std::uint64_t part = 0;            // of inputs that go on in another archive: 0, 1, …
  std::uint64_t begin = 0, end = 0;  // its events by their number in the log, `end` excluded
};

// A key of the events. Objects come before what they contain.
struct EventField {
  std::string_view path;     // as the query language writes it; empty where it would be too long
  std::string_view key;      // its last step, as stored
  std::string_view type;     // "integer", "string", "object", …
  std::size_t depth = 0;     // keys around it
  bool leaf = false;         // values of it are stored
  std::uint64_t events = 0;  // that have it; saturated
};

// Takes events as lines.
struct EventSink {
  // Whole lines, possibly many; of an archive that keeps the original bytes of its inputs those,
  // unless ReadOptions say otherwise. False: enough.
  std::function<Result<bool>(std::string_view lines)> lines;
  // Called before the lines of each input, also if there are none; with nullptr before events that
  // belong to no input. Not needed.
  std::function<Status(const EventInput* input)> input = {};
  std::function<void(const Finding&)> finding;
};

}  // namespace fonds
