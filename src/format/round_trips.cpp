#include "format/round_trips.hpp"

#include "format/clps/format.hpp"
#include "format/clps/reading/container.hpp"
#include "format/warc/format.hpp"
#include "format/warc/reading/grammar.hpp"

namespace fonds {

bool stands_alone(const Format& format, ByteView head) {
  if (&format != &warc::warc_format()) {
    return false;
  }
  const warc::Start start = warc::classify_start(head);
  const bool of_warc = start == warc::Start::Modern || start == warc::Start::Positional;
  return of_warc && warc::starts_record(head);  // records of ARC need its definition
}

void begin_use(const Archive& archive, const ReadOptions& options) {
  const bool plain = archive.codecs.size() == 1 && archive.codec().name() == "none";
  if (archive.format == &clps::clps_format() && plain && archive.source->random_access() &&
      !archive.source->view()) {
    clps::will_read_front(*archive.source, options);
  }
}

}  // namespace fonds
