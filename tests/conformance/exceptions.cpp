// Where a law does not hold for a row, and why.
#include <string>
#include <vector>

#include "conformance/laws.hpp"

namespace fonds::laws {
namespace {

using enum Exception::Kind;
using Names = std::vector<std::string>;

// Fixtures that are good, but not without a warning: they show what departs from a standard.
const Names& warned_about() {
  static const Names names = {
      "checkpoint/0000tw-00.warc.gz",
      "checkpoint/01.warc.gz",
      "recordio/legacy-packed-slack.grail-rpk",
      "recordio/v2-behind-trailer.rio",
      "recordio/v2-flag-set.rio",
      "recordio/v2-trailer-missing.rio",
      "warc-zst/bad-no-checksum.warc.zst",
      "warc-zst/bad-no-content-size.warc.zst",
      "warc-zst/bad-window-16m.warc.zst",
      "warc-zst/ok-dict-compressed.warc.zst",
      "warc-zst/ok-dict-extension.warc.zst",
      "warc-zst/ok-dict-raw.warc.zst",
      "warc-zst/ok-empty-frames.warc.zst",
      "warc-zst/ok-extension-frames.warc.zst",
      "warc-zst/ok-multi-frame-records.warc.zst",
      "warc-zst/ok-nodict.warc.zst",
      "warc-zst/ok-window-8m.warc.zst",
      "warc/0011/04-folding-charset.warc",
      "warc/0011/05-segments-b.warc",
      "warc/0011/05-segments-c.warc",
      "warc/0011/12-mixed-versions.warc",
      "warc/0011/13-lf-only.warc",
      "warc/own/arc-control-in-url.arc",
      "warc/own/arc-dates.arc",
      "warc/own/arc-empty-body.arc",
      "warc/own/arc-ipv6-hostname-ip.arc",
      "warc/own/arc-length-plus1.arc",
      "warc/own/arc-mime-with-space.arc",
      "warc/own/arc-no-filedesc.arc",
      "warc/own/arc-space-in-url.arc",
      "warc/own/arc-transposed.arc",
      "warc/own/arc-v2-def-v1-records.arc",
      "warc/own/arc-v2.arc",
      "warc/own/bom.warc",
      "warc/own/bz2-whole.warc.bz2",
      "warc/own/dates.warc",
      "warc/own/digests-payload-forms.warc",
      "warc/own/extra-newlines.warc",
      "warc/own/folded.warc",
      "warc/own/gz-double.warc.gz",
      "warc/own/gz-record-over-members.warc.gz",
      "warc/own/gz-single-member.warc.gz",
      "warc/own/gz-tail-plain.warc.gz",
      "warc/own/gz-two-per-member.warc.gz",
      "warc/own/header-case.warc",
      "warc/own/header-lf-only.warc",
      "warc/own/header-mixed-eol.warc",
      "warc/own/header-no-colon.warc",
      "warc/own/header-non-utf8.warc",
      "warc/own/http-chunked.warc",
      "warc/own/http-content-encodings.warc",
      "warc/own/http-variants.warc",
      "warc/own/length-missing.warc",
      "warc/own/length-plus-space.warc",
      "warc/own/length-twice.warc",
      "warc/own/lz4-single-frame.warc.lz4",
      "warc/own/segmented-2.warc",
      "warc/own/segmented-3.warc",
      "warc/own/space-before-colon.warc",
      "warc/own/unknown-type.warc",
      "warc/own/uri-brackets.warc",
      "warc/own/versions.warc",
      "warc/own/xz-whole.warc.xz",
      "warc/own/zst-per-record.warc.zst",
      "warc/own/zst-single-frame.warc.zst",
      "warc/third-party/aut-issue-493.warc",
      "warc/third-party/cc-whirlwind.warc.gz",
      "warc/third-party/cc-whirlwind.warc.wat.gz",
      "warc/third-party/iagowarc-good.warc.gz.open",
      "warc/third-party/jwat-invalid-warcfile-duplicate-fields.warc",
      "warc/third-party/jwat-invalid-warcfile-encoding-headers.warc.gz",
      "warc/third-party/jwat-invalid-warcfile-segment-number-continuation.warc",
      "warc/third-party/jwat-valid-warcfile-contenttype-continuation.warc",
      "warc/third-party/jwat-valid-warcfile-fields-continuation.warc",
      "warc/third-party/jwat-valid-warcfile-upper-lower-case.warc",
      "warc/third-party/nodewarc-parseMe.warc.gz",
      "warc/third-party/pywacz-example-warcinfo-metadata.warc",
      "warc/third-party/resiliparse-block-sized-records.warc.gz",
      "warc/third-party/resiliparse-block-sized-records.warc.lz4",
      "warc/third-party/resiliparse-clueweb-quirk.warc.gz",
      "warc/third-party/solrwayback-transfer_compression_gzip_chunked.warc.gz",
      "warc/third-party/wac-IAH-urls-wget.warc.gz",
      "warc/third-party/warcio-example-bad.warc.gz.bad",
      "warc/third-party/warcio-example-digest.warc",
      "warc/third-party/warcio-example-space-in-target-uri.warc.gz",
      "warc/third-party/warcio-example.warc",
      "warc/third-party/warcio-example.warc.gz",
  };
  return names;
}

Names of_dialects(const Names& shapes) {
  Names names;
  for (const char* const dialect :
       {"warc-1.1/", "warc-1.0/", "warc-0.18/", "warc-0.17/", "warc-00.11/", "arc/"}) {
    for (const std::string& shape : shapes) {
      names.push_back(dialect + shape);
    }
  }
  return names;
}

std::vector<Exception> verify_exceptions() {
  return {
      {Fails, "VerifyIsSilent", of_dialects({"gzip-one-member", "lz4-one-frame", "bzip2", "xz"}),
       "records that share a unit cannot be read alone, which is a warning"},
      {Fails, "VerifyIsSilent", warned_about(),
       "the file shows what departs from a standard without damage"},
      {Fails,
       "VerifyIsSilent",
       {"arc/zstd*"},
       "no standard tells of ARC in Zstandard frames, which is a warning"},
  };
}

std::vector<Exception> finding_exceptions() {
  return {
      {Fails,
       "IndexesLead",
       {"warc/own/arc-control-in-url.arc"},
       "a CDX has control characters percent-encoded, and verify takes the key for another URL's"},
      {Fails, "IndexesLead", {"warc/own/gz-double.warc.gz"}, "gzip in gzip has no offsets"},
      {Fails,
       "IndexesLead",
       {"warc/own/gz-tail-plain.warc.gz"},
       "verify does not find records stored plain behind gzip members by a CDXJ"},
  };
}

std::vector<Exception> rewriting_exceptions() {
  return {
      {Fails, "RepairKeeps", {"recordio/v2-gzip"}, "what is written is not compressed as a whole"},
      {Fails,
       "RepairKeeps",
       {"warc/own/zst-single-frame.warc.zst"},
       "records that share a frame get one each, as WARC-Zstandard asks"},
      {Fails,
       "RepairKeeps",
       {"recordio/v2-behind-trailer.rio"},
       "the block behind the trailer comes before it"},
      {Fails,
       "RepairKeeps",
       {"recordio/v2-trailer-missing.rio"},
       "a trailer that is missing is no longer promised"},
      {Fails,
       "RepairMends",
       {"warc/own/bom.warc"},
       "of a file that is cut the byte order mark stays"},
      {Fails,
       "RepairMends",
       {"warc/own/length-missing.warc"},
       "a last record without length has the line ends behind it"},
      {Fails,
       "PartsAddUp",
       {"warc/own/length-missing.warc"},
       "a last record without length has the line ends behind it"},
      {Pointless, "RepairMends", of_dialects({"bzip2", "xz"}),
       "what has to be compressed anew is refused: neither is written"},
      {Pointless,
       "RepairMends",
       {"warc/own/bz2-whole.warc.bz2", "warc/own/xz-whole.warc.xz"},
       "what has to be compressed anew is refused: neither is written"},
      {Pointless,
       "RepairMends",
       {"recordio/v2-custom-transformer.rio", "recordio/v2-transformer-unknown.rio"},
       "blocks of an unknown transformer are copied unchecked"},
      {Fails,
       "RepairMends",
       {"warc-zst/ok-dict-extension.warc.zst"},
       "behind a dictionary that is lost an extension frame comes first"},
      {Pointless,
       "RepairMends",
       {"warc/own/lz4-single-frame.warc.lz4"},
       "of a cut frame a second repair finds another border"},
      {Fails, "MergeOfSplitIsWhole", {"warc/own/empty.warc"}, "it has no parts"},
  };
}

std::vector<Exception> writing_exceptions() {
  return {
      {Fails,
       "ThereAndBack",
       {"clp-s/0.3.1*"},
       "archives before 0.4.1 print six digits of fractions, others those that are needed"},
      {Fails,
       "ThereAndBack",
       {"clp-s/0.4.1-no-order", "clp-s/0.5.0-no-order"},
       "without a log order keys may come in another order"},
  };
}

// What can be read only once.
std::vector<Exception> stream_exceptions() {
  const Names web = {"warc*", "arc/*", "checkpoint/*"};
  const Names no_order = {"clp-s/0.3.1-no-order", "clp-s/0.4.1-no-order", "clp-s/0.5.0-no-order"};
  return {
      {Pointless, "PlacesLead", {"*"}, "reading cannot go back to a place", kOnce},
      {Refused, "KeysLead", {"*"}, "records are looked for, and then read", kOnce},
      {Refused, "IndexesLead", {"*"}, "an index leads back", kOnce},
      {Refused, "RepairKeeps", web, "damaged places are read twice", kOnce},
      {Refused, "RepairMends", web, "damaged places are read twice", kOnce},
      {Pointless,
       "RepairKeeps",
       {"recordio/v2-trailer-missing.rio"},
       "whether a trailer comes shows behind the header that promises it",
       kOnce},
      {Pointless,
       "RepairMends",
       {"recordio/v2*"},
       "whether a trailer comes shows behind the header that promises it",
       kOnce},
      {Refused, "PartsAddUp", {"*"}, "records are read twice", kOnce},
      {Refused, "MergeOfSplitIsWhole", {"clp-s/*"}, "events are read twice", kOnce},
      {Refused, "AppendIsWrite", {"*"}, "the end is looked at first", kOnce},
      {Refused, "ChosenIsFilter", {"*"}, "content is read by the query, and then written", kOnce},
      {Refused, "SearchIsFilter", no_order,
       "what matches is read again if the answer is large, or has records without a column", kOnce},
      {Refused, "SearchThreadsAgree", no_order,
       "what matches is read again if the answer is large, or has records without a column", kOnce},
      {Fails,
       "ServedIsMapped",
       {"warc-zst/bad-truncated-frame.warc.zst", "warc-zst/bad-window-16m.warc.zst"},
       "the rules of frames are checked once all is read",
       kOnce},
  };
}

}  // namespace

const std::vector<Exception>& exceptions() {
  static const std::vector<Exception> all = [] {
    std::vector<Exception> together = stream_exceptions();  // the first that fits counts
    for (auto part : {verify_exceptions(), finding_exceptions(), rewriting_exceptions(),
                      writing_exceptions()}) {
      together.insert(together.end(), part.begin(), part.end());
    }
    return together;
  }();
  return all;
}

}  // namespace fonds::laws
