// The table of commands and flags.
#include "flags.hpp"

#include <array>
#include <span>

namespace fonds::cli {
namespace {

constexpr std::array kCommon = {
    Flag{"--threads", 0, "N",
         "worker threads; 0 = one per core (default 0); output never depends on it"},
    Flag{"--memory", 0, "SIZE", "decoded data held at once, such as 256M (default 1G)"},
    Flag{"--format", 0, "NAME",
         "read as this format instead of recognizing it: warc, recordio, clp-s, kv-ir, lines or "
         "jsonl"},
    Flag{"--recursive", 'r', "",
         "read the archives in directories, but not the indexes beside them"},
    Flag{"--files-from", 0, "FILE",
         "read the names of archives from FILE, one a line; - is standard input"},
    Flag{"--concatenated", 0, "", "RecordIO: later header blocks begin further files, no damage"},
    Flag{"--assume-transformer", 0, "NAME",
         "RecordIO: flate, 'zstd 5', … where the file does not say; repeat for a stack"},
    Flag{"--undo", 0, "NAME=COMMAND",
         "RecordIO: read blocks of this transformer through a command"},
    Flag{"--apply", 0, "NAME=COMMAND",
         "RecordIO: write blocks of this transformer through a command"},
    Flag{"--http-header", 0, "NAME: VALUE",
         "URLs: send this header with every request; repeat for more"},
    Flag{"--ca-file", 0, "FILE", "URLs: trust the certificates in this PEM file"},
    Flag{"--timeout", 0, "SECONDS", "URLs: a request without a byte for so long has failed (30)"},
    Flag{"--tries", 0, "N", "URLs: tries of one request, the first one included (5)"},
    Flag{"--retry-wait", 0, "MS",
         "URLs: milliseconds before the second try, doubled for each further one (200)"},
    Flag{"--strict", 0, "", "count warnings as errors; reading commands stop at the first"},
    Flag{"--progress", 0, "", "show progress on standard error"},
    Flag{"--no-progress", 0, "", "never show progress"},
    Flag{"--color", 0, "WHEN", "auto, always or never (default auto; NO_COLOR is honoured)"},
    Flag{"--quiet", 'q', "", "no messages but errors"},
    Flag{"--verbose", 'v', "", "also show warnings and notes"},
    Flag{"--help", 'h', "", "show this help"},
    Flag{"--version", 0, "", "show the version"},
};

constexpr Flag kWhere{"--where", 0, "QUERY",
                      "only records that match, as `fonds search` finds them: 'status: 404'"};
constexpr Flag kIgnoreCase{"--ignore-case", 'i', "",
                           "with --where: letters of values match in either case"};

constexpr std::array kInfoFlags = {
    Flag{"--deep", 0, "", "look at all records and count them"},
    Flag{"--json", 0, "", "one JSON object an archive"},
    Flag{"--index", 0, "FILE",
         "use this companion instead of those beside the archive; repeat for more"},
    Flag{"--no-index", 0, "", "use no companion"},
};
constexpr std::array kInfoExamples = {
    Example{"fonds info crawl.warc.gz", "format, version, compression, size"},
    Example{"fonds info --deep --json crawl.warc.gz", "with counts of records, as JSON"},
};

constexpr std::array kLsFlags = {
    Flag{"--json", 0, "", "one JSON object a record"},
    Flag{"--headers", 0, "", "with --json: all header fields"},
    Flag{"--fields", 0, "A,B,C",
         "columns: index, offset, date, type, status, media_type, length, target, sha256, and any "
         "attribute of --json"},
    Flag{"--full", 0, "", "read every byte and check it, instead of skipping bodies"},
    Flag{"--hash", 0, "", "SHA-256 of each block or item; reads every byte"},
    Flag{"--skip-damaged", 0, "", "look for records inside damaged ones too"},
    Flag{"--table-order", 0, "", "clp-s: records as they lie in the archive, not as logged"},
    Flag{"--source", 0, "NAME", "clp-s: only records of the input with this name"},
    Flag{"--range", 0, "FROM:TO", "clp-s: only records with these numbers in the log, TO not"},
    kWhere,
    kIgnoreCase,
    Flag{"--limit", 0, "N", "stop after N records of each archive"},
    Flag{"--index", 0, "FILE",
         "use this companion instead of those beside the archive; repeat for more"},
    Flag{"--no-index", 0, "", "use no companion"},
};
constexpr std::array kLsExamples = {
    Example{"fonds ls crawl.warc.gz", "one line a record"},
    Example{"fonds ls --fields offset,status,target crawl.warc.gz", "chosen columns"},
    Example{"fonds ls --where 'type: response and status >= 400' crawl.warc.gz",
            "what went wrong in a crawl"},
    Example{"fonds ls --json --headers crawl.warc.gz",
            "everything that the headers say, as JSON Lines"},
    Example{"fonds ls --hash events.rio", "items with their SHA-256"},
};

constexpr std::array kCatFlags = {
    Flag{"--part", 0, "PART", "record (default), header, block, http, body, payload or decoded"},
    Flag{"--resolve", 0, "", "a revisit gives the content of its original"},
    Flag{"--join-segments", 0, "", "WARC: the first segment of a record gives the whole record"},
    Flag{"--with", 0, "ARCHIVE",
         "with --resolve and --join-segments: originals and segments are looked for in this one "
         "too; repeat for more"},
    Flag{"--newline", 0, "", "a line end behind each record"},
    Flag{"--null", 0, "", "a zero byte behind each record"},
    Flag{"--length-prefixed", 0, "", "the length before each record, 8 bytes little-endian"},
    Flag{"--jsonl", 0, "",
         "one JSON object a record: block, item, and data or, where not UTF-8, data_base64"},
    kWhere,
    kIgnoreCase,
    Flag{"--limit", 0, "N", "stop after N records of each archive"},
    Flag{"--tail", 0, "N", "only the last N records"},
    Flag{"--table-order", 0, "", "clp-s: records as they lie in the archive, not as logged"},
    Flag{"--source", 0, "NAME", "clp-s: only records of the input with this name"},
    Flag{"--range", 0, "FROM:TO", "clp-s: only records with these numbers in the log, TO not"},
    Flag{"--trailer", 0, "", "the trailer of a RecordIO file instead of its items"},
    Flag{"--skip-damaged", 0, "", "look for records inside damaged ones too"},
    Flag{"--output", 'o', "DIR",
         "one file a record in DIR, and manifest.jsonl with sizes and SHA-256"},
    Flag{"--force", 'f', "", "replace files that are there"},
    Flag{"--raw", 0, "", "write control characters to a terminal as they are"},
    Flag{"--index", 0, "FILE",
         "use this companion instead of those beside the archive; repeat for more"},
    Flag{"--no-index", 0, "", "use no companion"},
};
constexpr std::array kCatExamples = {
    Example{"fonds cat crawl.warc.gz offset:4711", "the record at a stored offset, decompressed"},
    Example{"fonds cat --part decoded crawl.warc.gz uri:http://example.com/@2014",
            "the page, nearest to 2014"},
    Example{"fonds cat --part decoded --where 'mime: application/json' crawl.warc.gz",
            "all JSON of a crawl"},
    Example{"fonds cat --part block -o blocks crawl.warc.gz", "every block into a file of its own"},
    Example{"fonds cat --newline --tail 10 events.rio", "the last ten items, one a line"},
    Example{"fonds cat events.rio block:32768/7", "item 7 of the block at 32768"},
};

constexpr std::array kVerifyFlags = {
    Flag{"--json", 0, "", "one JSON object a finding, and one an archive"},
    Flag{"--against", 0, "INPUT",
         "clp-s: whether the archives, in the order given, hold the events of INPUT, a log or a "
         "web archive; repeat for more"},
    Flag{"--index", 0, "FILE",
         "use this companion instead of those beside the archive; repeat for more"},
    Flag{"--no-index", 0, "", "use no companion"},
};
constexpr std::array kVerifyExamples = {
    Example{"fonds verify crawl.warc.gz", "framing, checksums, digests and the standard's rules"},
    Example{"fonds verify --strict --json *.warc.gz", "what most writers get wrong counts too"},
    Example{"fonds verify --against app.jsonl app.clps",
            "whether each line of a log is in the archive"},
};

constexpr std::array kSearchFlags = {
    Flag{"--ignore-case", 'i', "", "letters of values match in either case; keys never do"},
    Flag{"--since", 0, "TIME",
         "only records at or after TIME: epoch milliseconds, or like 2024-03-01T12:30:00Z"},
    Flag{"--until", 0, "TIME", "only records at or before TIME"},
    Flag{"--tge", 0, "TIME", "another name of --since"},
    Flag{"--tle", 0, "TIME", "another name of --until"},
    Flag{"--timestamp-key", 0, "KEY",
         "the key of the records' time, in JSON Lines and KV-IR, which do not tell it"},
    Flag{"--projection", 0, "KEYS",
         "only these keys of each record, with what encloses them: a,b.c; repeat for more"},
    Flag{"--limit", 0, "N", "stop after N records of all archives"},
    Flag{"--table-order", 0, "", "records as they lie in the archive, not as they were logged"},
    Flag{"--count", 'c', "", "the number of records instead of them, for each archive"},
    Flag{"--count-by-time", 0, "DURATION",
         "numbers of records by intervals such as 10s, 5m or 1h; a plain number is milliseconds"},
    Flag{"--min", 0, "KEY", "the smallest number under KEY in matching records"},
    Flag{"--max", 0, "KEY", "the largest number under KEY in matching records"},
    Flag{"--unique", 0, "KEY",
         "the different values under KEY in matching records, and how often each is there"},
    Flag{"--total", 0, "", "with the last five: one answer for all archives together"},
    Flag{"--files-with-matches", 'l', "", "only the names of archives in which a record matches"},
    Flag{"--list-fields", 0, "",
         "no query: the keys of the archives, their types, and how many records have them"},
    Flag{"--json", 0, "", "answers that are no records as JSON objects, one a line"},
    Flag{"--compat", 0, "clp-s", "give queries exactly the meaning that they have for clp-s 0.12"},
    Flag{"--skip-damaged", 0, "", "look for records inside damaged ones too"},
    Flag{
        "--index", 0, "FILE",
        "web archives: do not read records that this CDXJ rules out, on its word; repeat for more"},
    Flag{"--raw", 0, "", "write control characters to a terminal as they are"},
};
constexpr std::array kSearchExamples = {
    Example{"fonds search 'level: ERROR and latency > 500' logs.clps",
            "matching records as JSON Lines, in the order of the log"},
    Example{"fonds search --count-by-time 1h 'msg: \"*timeout*\"' archives/",
            "how many an hour, in each archive of a directory"},
    Example{"fonds search --projection ts,user.id --limit 10 'not status: 200' logs.clps",
            "two keys of the first ten"},
    Example{"fonds search --since 2024-03-01T12:00:00Z --unique host '*' logs.clps",
            "all hosts since noon"},
    Example{"fonds search 'type: response and status: 404 and host: *.example.com' crawl.warc.gz",
            "records of a web archive by their fields"},
    Example{"fonds search --list-fields logs.clps", "what can be asked for"},
};

constexpr std::array kConvertFlags = {
    Flag{"--output", 'o', "OUT",
         "the archive to write: a file, s3://BUCKET/KEY, or - for standard output; clp-s to jsonl: "
         "a directory gets a file for each input that the archives were made of"},
    Flag{"--to", 0, "FORMAT",
         "warc/1.1, warc/1.0, warc/0.18, warc/00.11, arc/1.1; recordio, recordio/legacy, "
         "recordio/packed; clp-s, clp-s/0.4.1, clp-s/0.3.1; jsonl or lines (default: as the first "
         "ARCHIVE)"},
    Flag{
        "--compression", 0, "NAME",
        "WARC: none, gzip, zstd or lz4 (default: by the ending of OUT, else as the first ARCHIVE); "
        "RecordIO: none, flate or zstd, repeat for a stack"},
    Flag{"--per-record", 0, "", "WARC: a member or frame for each record (default)"},
    Flag{"--one-member", 0, "", "WARC: everything in one gzip member or lz4 frame"},
    Flag{"--dictionary", 0, "FILE",
         "WARC, zstd: compress with this dictionary; train: make one, and use it if it pays; none: "
         "without (default)"},
    Flag{"--raw-dictionary", 0, "", "WARC, zstd: store the dictionary uncompressed"},
    Flag{"--extension", 0, "NAME",
         "WARC, zstd: size-prefix or seek-table, which other readers step over"},
    Flag{"--frame-size", 0, "SIZE",
         "WARC, zstd: larger records are cut into frames of so many bytes (default 32M)"},
    Flag{"--skip-lengths", 0, "", "WARC, gzip: the extra field of WARC 00.11 in each member"},
    Flag{"--no-original-header", 0, "",
         "WARC: do not keep headers of another dialect in WARC-Original-Header"},
    Flag{"--legal-ids", 0, "", "WARC: ids that are no URI become one; the old one is kept"},
    Flag{"--no-warcinfo", 0, "", "WARC: no record in front that says what was converted"},
    Flag{"--level", 0, "N", "of the compression"},
    Flag{"--check", 0, "",
         "read what was written, and compare a digest of each record with that of what was read"},
    Flag{"--block-size", 0, "SIZE", "RecordIO: bytes of items in a block before compression"},
    Flag{"--block-items", 0, "N", "RecordIO: items in a block at most"},
    Flag{"--header", 0, "KEY=VALUE",
         "RecordIO: add a header entry; KEY:TYPE=VALUE with string, bool, int64 or uint64; repeat "
         "for more"},
    Flag{"--trailer", 0, "FILE", "RecordIO: the content of FILE becomes the trailer"},
    kWhere,
    kIgnoreCase,
    Flag{"--table-order", 0, "", "clp-s: records as they lie in the archive, not as logged"},
    Flag{"--source", 0, "NAME", "clp-s: only records of the input with this name"},
    Flag{"--range", 0, "FROM:TO", "clp-s: only records with these numbers in the log, TO not"},
    Flag{"--timestamp-key", 0, "KEY",
         "to clp-s: the key of the events' time, such as ts or a.b (default for web archives: "
         "date)"},
    Flag{"--structurize-arrays", 0, "",
         "to clp-s: arrays as columns of their elements, not as texts"},
    Flag{"--disable-log-order", 0, "",
         "to clp-s: do not keep the order of events, nor which input they came from"},
    Flag{"--no-retain-float-format", 0, "", "to clp-s: numbers with a point lose their spelling"},
    Flag{"--exact", 0, "", "to clp-s: keep what gives back the input byte for byte"},
    Flag{"--no-search-data", 0, "",
         "to clp-s: leave out what tells of tables, by which fonds searches faster"},
    Flag{"--keep-unparsed", 0, "",
         "to clp-s: what is no event goes in as {\"_unparsed\":\"…\"} instead of being left out"},
    Flag{"--rejects", 0, "FILE",
         "to clp-s: what is no event goes to FILE, each stretch followed by a line end"},
    Flag{"--max-document-size", 0, "SIZE", "to clp-s: of one event at most (default 512M)"},
    Flag{"--target-encoded-size", 0, "SIZE",
         "to clp-s: an archive that takes so much before compression is followed by another "
         "(default 8G)"},
    Flag{"--min-table-size", 0, "SIZE",
         "to clp-s: tables are compressed together up to so much (default 1M)"},
    Flag{"--compression-level", 0, "N", "to clp-s: another name of --level; 1 to 19 (default 3)"},
    Flag{"--single-file-archive", 0, "", "to clp-s: an archive is a file (default)"},
    Flag{"--directory", 0, "", "to clp-s: an archive is a directory of files"},
    Flag{"--property", 0, "KEY=VALUE",
         "to clp-s: tell of all inputs, for queries of $KEY; VALUE is JSON or else a text; repeat "
         "for more"},
    Flag{"--normalize-paths", 0, "",
         "to clp-s: inputs are called by their absolute paths, without . and .."},
    Flag{"--remove-path-prefix", 0, "DIR",
         "to clp-s: leave away the directory that the names of inputs begin with"},
    Flag{"--remove-leading-slash", 0, "", "to clp-s: leave away the / that names begin with"},
    Flag{"--creator-id", 0, "UUID",
         "to clp-s: of this run; random makes one (default: by the names of the inputs)"},
    Flag{"--print-archive-stats", 0, "",
         "to clp-s: a JSON object for each archive, as clp-s prints it"},
    Flag{"--json", 0, "",
         "to clp-s: one JSON object for each stretch that is no event, each archive, and the run"},
    Flag{"--skip-damaged", 0, "", "leave out what is damaged and list it, instead of stopping"},
    Flag{"--force", 'f', "", "replace the file that is there"},
};
constexpr std::array kConvertExamples = {
    Example{"fonds convert --to clp-s --timestamp-key ts -o logs.clps logs/",
            "all JSON logs below logs/ become one archive that can be searched"},
    Example{"fonds convert --to clp-s -o crawl.clps crawl/",
            "a catalog of the web archives below crawl/: an event a record, without the bodies"},
    Example{"fonds convert --to clp-s --rejects bad.txt -o app.clps app.jsonl.gz",
            "lines that are no JSON go to a file"},
    Example{"fonds convert --to warc/1.1 -o new.warc.gz old.arc.gz", "an ARC becomes a WARC"},
    Example{"fonds convert -o crawl.warc.zst crawl.warc.gz", "the same records as Zstandard"},
    Example{"fonds convert --where 'mime: application/pdf' -o pdf.warc.gz crawl.warc.gz",
            "only some records, as they are"},
    Example{"fonds convert -o events.rio --format lines --compression zstd events.txt",
            "each line becomes an item"},
    Example{"fonds convert -o - --to jsonl events.rio", "items as JSON Lines"},
    Example{"fonds convert -o new.rio --header source=import --header 'shard:int64=7' "
            "old.grail-rpk",
            "a legacy file in the layout of today, with header entries"},
};

constexpr std::array kCreateFlags = {
    Flag{"--output", 'o', "OUT",
         "the archive to write: a file, s3://BUCKET/KEY, or - for standard output"},
    Flag{"--append", 0, "",
         "add to OUT behind its last whole record, in its dialect and compression"},
    Flag{"--to", 0, "FORMAT",
         "warc/1.1, warc/1.0, warc/0.18, warc/00.11, arc/1.1; recordio, recordio/legacy, "
         "recordio/packed (default: by the ending of OUT, else warc/1.1)"},
    Flag{"--base-uri", 0, "URI",
         "target URIs are URI and the path below the INPUT, not file: URIs"},
    Flag{"--target-uri", 0, "URI", "the target URI of the one INPUT, or of the original"},
    Flag{"--content-type", 0, "TYPE", "of all records (default: by the endings of the names)"},
    Flag{"--metadata-for", 0, "ID", "the inputs become metadata about this record"},
    Flag{"--conversion-of", 0, "ID", "the inputs become other renditions of this record"},
    Flag{"--warcinfo", 0, "KEY=VALUE",
         "a field of the warcinfo, such as operator or description; repeat for more"},
    Flag{"--no-warcinfo", 0, "", "WARC: no warcinfo in front of the records"},
    Flag{"--no-source-uri", 0, "", "WARC: do not tell in WARC-Source-URI where files were"},
    Flag{"--ids", 0, "HOW",
         "content (default): the same input gives the same record ids; random: it does not"},
    Flag{
        "--compression", 0, "NAME",
        "WARC: none, gzip, zstd or lz4 (default: by the ending of OUT, else gzip); RecordIO: none, "
        "flate or zstd, repeat for a stack"},
    Flag{"--level", 0, "N", "of the compression"},
    Flag{"--dictionary", 0, "FILE", "WARC, zstd: compress with this dictionary; none: without"},
    Flag{"--one-member", 0, "", "WARC: everything in one gzip member or lz4 frame"},
    Flag{"--skip-lengths", 0, "", "WARC, gzip: the extra field of WARC 00.11 in each member"},
    Flag{"--block-size", 0, "SIZE", "RecordIO: bytes of items in a block before compression"},
    Flag{"--block-items", 0, "N", "RecordIO: items in a block at most"},
    Flag{"--header", 0, "KEY=VALUE", "RecordIO: add a header entry, as of convert"},
    Flag{"--trailer", 0, "FILE", "RecordIO: the content of FILE becomes the trailer"},
    Flag{"--skip-damaged", 0, "",
         "leave out files that cannot be read; with --append cut off a damaged end of OUT"},
    Flag{"--force", 'f', "", "replace the file that is there"},
};
constexpr std::array kCreateExamples = {
    Example{"fonds create -o site.warc.gz --base-uri https://example.com/ site/",
            "all files below site/, as records of https://example.com/…"},
    Example{"fonds create -o files.warc.zst --warcinfo operator=Library report.pdf data/",
            "files under their file: URIs, as Zstandard"},
    Example{"fonds create -o site.warc.gz --append --metadata-for urn:uuid:… note.txt",
            "a note about a record of the archive"},
    Example{"fonds create -o photos.rio photos/", "each file becomes an item"},
};

constexpr std::array kMergeFlags = {
    Flag{"--output", 'o', "OUT",
         "the archive to write: a file, s3://BUCKET/KEY, or - for standard output"},
    Flag{"--join-segments", 0, "",
         "WARC: segments of one record become that record, across the archives"},
    Flag{"--level", 0, "N", "WARC: of what has to be compressed again"},
    Flag{"--skip-damaged", 0, "", "leave out what is damaged and list it, instead of stopping"},
    Flag{"--force", 'f', "", "replace the file that is there"},
};
constexpr std::array kMergeExamples = {
    Example{"fonds merge -o day.warc.gz hour-*.warc.gz", "one file out of many"},
    Example{"fonds merge --join-segments -o whole.warc.gz part-*.warc.gz",
            "and the segments of a record become one again"},
};

constexpr std::array kSplitFlags = {
    Flag{"--size", 0, "SIZE",
         "stored bytes of a part at most, such as 500M or 1G = 2^30 (default 1000000000); a part "
         "has at least one record or block"},
    Flag{"--output", 'o', "PREFIX", "the parts are PREFIX-00000.warc.gz, PREFIX-00001.warc.gz, …"},
    Flag{"--oversize", 0, "HOW",
         "WARC: a record that fits into no part: keep (default), segment or truncate"},
    Flag{"--by", 0, "mime", "WARC: parts for each media type, PREFIX-text-html-00000.warc.gz"},
    Flag{"--compression", 0, "NAME",
         "WARC: none, gzip, zstd or lz4 (default: as ARCHIVE, whose members are then copied)"},
    Flag{"--level", 0, "N", "of the compression; compresses everything anew"},
    Flag{"--dictionary", 0, "FILE",
         "WARC, zstd: compress with this dictionary; train: with one made for each sequence of "
         "parts, where it pays"},
    Flag{"--timestamp", 0, "TIME",
         "WARC: PREFIX-TIME-00000…: now, first (of each part's first record), or 14 digits"},
    Flag{"--crawlhost", 0, "NAME", "names end with a host: PREFIX-…-00000-NAME.warc.gz"},
    Flag{"--first-serial", 0, "N", "the number of the first part (default 0)"},
    Flag{"--no-warcinfo", 0, "", "WARC: do not repeat or make a warcinfo for each part"},
    Flag{"--skip-damaged", 0, "", "leave out what is damaged and list it, instead of stopping"},
    Flag{"--force", 'f', "", "replace files that are there"},
};
constexpr std::array kSplitExamples = {
    Example{"fonds split --size 1G -o part crawl.warc.gz", "parts of up to 1 GiB"},
    Example{"fonds split --oversize segment -o part crawl.warc.gz",
            "parts of up to 10^9 bytes, larger records as segments"},
    Example{"fonds split --by mime --dictionary train -o crawl crawl.warc.gz",
            "Zstandard, with parts and a dictionary for each media type"},
    Example{"fonds split --size 1G -o part day.rio", "blocks of a RecordIO file"},
};

constexpr std::array kDedupFlags = {
    Flag{"--output", 'o', "OUT",
         "the archive to write: a file, s3://BUCKET/KEY, or - for standard output"},
    Flag{"--index", 0, "FILE",
         "a CDX, CDXJ or ZipNum of archives kept elsewhere: what they hold is not kept again; "
         "repeat for more"},
    Flag{"--min-size", 0, "SIZE",
         "payloads below this stay (default 1); in any case those whose revisit would not be "
         "smaller"},
    Flag{"--not-modified", 0, "",
         "responses with status 304 become revisits of the response before to the same URI"},
    Flag{"--compression", 0, "NAME",
         "none, gzip, zstd or lz4 (default: by the ending of OUT, else as the first ARCHIVE)"},
    Flag{"--level", 0, "N", "of the compression of what is written anew"},
    Flag{"--skip-damaged", 0, "", "leave out what is damaged and list it, instead of stopping"},
    Flag{"--force", 'f', "", "replace the file that is there"},
};
constexpr std::array kDedupExamples = {
    Example{"fonds dedup -o small.warc.gz crawl.warc.gz", "one file, without repeated payloads"},
    Example{"fonds dedup -o monday.warc.gz --index sunday.cdxj crawl-monday.warc.gz",
            "without what another archive holds"},
};

constexpr std::array kRepairFlags = {
    Flag{"--output", 'o', "OUT",
         "the archive to write: a file, s3://BUCKET/KEY, or - for standard output"},
    Flag{"--whole-blocks", 0, "", "RecordIO: save no single items of damaged blocks"},
    Flag{"--per-record", 0, "",
         "WARC, ARC: records that share a gzip member or frame get their own"},
    Flag{"--json", 0, "", "one JSON object a lost range, and one about the archive"},
    Flag{"--force", 'f', "", "replace the file that is there"},
};
constexpr std::array kRepairExamples = {
    Example{"fonds repair -o good.warc.gz damaged.warc.gz",
            "all that can be read, and a list of the rest"},
    Example{"fonds repair --per-record -o new.warc.gz one-member.warc.gz",
            "and a gzip member for each record"},
};

constexpr std::array kIndexFlags = {
    Flag{"--type", 0, "TYPE",
         "cdxj (default for WARC and ARC), cdx9, cdx11, zipnum; checkpoint or gzidx for long gzip "
         "members; offsets (RecordIO)"},
    Flag{"--output", 'o', "FILE",
         "the index to write: a file, s3://BUCKET/KEY, or - for standard output; default: ARCHIVE "
         "with an ending for the type"},
    Flag{"--no-sort", 0, "", "CDX, CDXJ: in the order of the archive"},
    Flag{"--all", 0, "", "CDX, CDXJ: requests, warcinfo and all others too"},
    Flag{"--post-append", 0, "", "CDX, CDXJ: join requests that have a body with their responses"},
    Flag{"--record-digest", 0, "", "CDXJ: SHA-256 of each record as it is stored"},
    Flag{"--block-lines", 0, "N", "zipnum: lines of a block (default 300)"},
    Flag{"--classic", 0, "", "zipnum: a secondary index with tabs instead of JSON"},
    Flag{"--spacing", 0, "SIZE",
         "distance of points: checkpoint, stored bytes (default 8M); gzidx, decoded bytes (default "
         "4M)"},
    Flag{"--id-field", 0, "NAME",
         "checkpoint: the header field with a document's id (default WARC-TREC-ID, else "
         "WARC-Record-ID)"},
    Flag{"--sparse", 0, "",
         "checkpoint: zeros for what nothing refers to; less than half the size"},
    Flag{"--layout", 0, "NAME", "checkpoint: default, or reference for the points of ir_datasets"},
    Flag{"--skip-damaged", 0, "", "look for records inside damaged ones too"},
    Flag{"--force", 'f', "", "replace the file that is there"},
};
constexpr std::array kIndexExamples = {
    Example{"fonds index crawl.warc.gz", "writes crawl.warc.gz.cdxj"},
    Example{"fonds index --type checkpoint 0000tw-00.warc.gz",
            "makes look-ups in one long gzip member direct"},
    Example{"fonds index -o all.cdxj *.warc.gz", "one index of many archives"},
    Example{"fonds index events.rio", "writes events.rio.offsets"},
};

constexpr std::array kCompareFlags = {
    Flag{"--blocks-only", 0, "", "presence, order and blocks; not the headers"},
    Flag{"--ignore-field", 0, "NAME", "leave this header field or attribute out; repeat for more"},
    Flag{"--json", 0, "", "one JSON object a difference, and one at the end"},
};
constexpr std::array kCompareExamples = {
    Example{"fonds compare old.arc.gz new.warc.gz", "whether all records are there"},
    Example{"fonds compare --strict a.warc.gz a.warc.zst", "octet by octet, headers too"},
    Example{"fonds compare --ignore-field WARC-Date a.warc.gz b.warc.gz", "all but the dates"},
};

constexpr std::array kTrainFlags = {
    Flag{"--output", 'o', "DICT",
         "the dictionary to write: a file, s3://BUCKET/KEY, or - for standard output"},
    Flag{"--size", 0, "SIZE", "of the dictionary at most, 1K to 8M (default 256K)"},
    Flag{"--level", 0, "N", "the level at which it will be used (default 3)"},
    Flag{"--sample", 0, "SIZE", "of the records it is made of, in memory (default 64M)"},
    Flag{"--skip-damaged", 0, "", "leave out what is damaged and list it, instead of stopping"},
    Flag{"--force", 'f', "", "replace the file that is there"},
};
constexpr std::array kTrainExamples = {
    Example{"fonds train -o crawl.dict crawl-0001.warc.gz", "a dictionary for a whole crawl"},
    Example{"fonds convert --dictionary crawl.dict -o crawl-0002.warc.zst crawl-0002.warc.gz",
            "which is then used"},
};

constexpr std::array kHelpExamples = {Example{"fonds help cat", "the same as fonds cat --help"}};

constexpr std::array kCommands = {
    Command{"info", "ARCHIVE…", "What is it: format, version, compression, sizes",
            "Says what an archive is and reads only what it must. Formats are recognized from the "
            "content.",
            kInfoFlags, kInfoExamples, 0, run_info},
    Command{"ls", "ARCHIVE…", "One line a record",
            "Lists the records of archives. Bodies are skipped where the container allows it, so a "
            "damaged body is not\n"
            "noticed; --full and `fonds verify` read every byte.",
            kLsFlags, kLsExamples, 0, run_ls},
    Command{"cat", "ARCHIVE [KEY…]", "The content of records",
            "Writes the records that the keys name, or all, to standard output.\n"
            "Keys: index:N, offset:N or offset:N+M, id:X, uri:X or uri:X@TIME; a bare key is tried "
            "as id, then as URI.\n"
            "Items of RecordIO: index:N, or block:OFFSET/ITEM.",
            kCatFlags, kCatExamples, 1, run_cat},
    Command{
        "search", "QUERY ARCHIVE…", "Records that match a query",
        "Prints the records that a query matches, as JSON Lines. Directories stand for the "
        "archives in them.\n"
        "A query is `key: value` and `key > 5`, joined by and, or, not and parentheses; `*` in "
        "a value is any run of\n"
        "characters, `key: *` asks whether the key is there. Status 1 if nothing matches. "
        "docs/reference/query-language.md\n"
        "is the whole language, docs/reference/fields.md tells what records of web archives and "
        "items can be asked;\n"
        "they are given as `ls --json --headers` gives them.",
        kSearchFlags, kSearchExamples, 0, run_search},
    Command{"index", "ARCHIVE…", "Write an index beside an archive",
            "Writes a companion that tells where each record is. It can be made again from the "
            "archive at any time.",
            kIndexFlags, kIndexExamples, 0, run_index},
    Command{
        "convert", "-o OUT ARCHIVE…", "Write records into an archive of another format",
        "Writes the records of all archives, in order, into one. Without --to web archives keep "
        "every record as it is.\n"
        "Text is read with --format lines or jsonl, and becomes recordio. What the new format "
        "cannot hold is listed; with\n"
        "--strict nothing is written then. Stops at damage and writes nothing, unless "
        "--skip-damaged is given.\n"
        "With --to clp-s the inputs are JSON logs, plain or compressed, directories of them, and "
        "clp-s archives. What is no\n"
        "event is told and left out, with status 1. Of web archives it makes a catalog: an event "
        "for each record.",
        kConvertFlags, kConvertExamples, 0, run_convert},
    Command{"create", "-o OUT INPUT…", "Make an archive of files and directories",
            "Files become resource records, or what --metadata-for and --conversion-of say; "
            "directories are walked in the order\n"
            "of names, symbolic links in them are not followed. In RecordIO each file is an item. "
            "A file that changes while it\n"
            "is read ends the work, and nothing is written.",
            kCreateFlags, kCreateExamples, 0, run_create},
    Command{"merge", "-o OUT ARCHIVE…", "Join archives of one format",
            "Joins archives, without compressing again what need not be. Stops at damage and "
            "writes nothing, unless\n"
            "--skip-damaged is given.",
            kMergeFlags, kMergeExamples, 0, run_merge},
    Command{"split", "[--size SIZE] -o PREFIX ARCHIVE", "Cut an archive into parts",
            "Cuts an archive between records or blocks, without compressing again what need not "
            "be. The size is a hard limit;\n"
            "only a record that fits into no part may pass it. Each part of a web archive begins "
            "with a warcinfo. The parts\n"
            "appear all together at the end.",
            kSplitFlags, kSplitExamples, 0, run_split},
    Command{"dedup", "-o OUT ARCHIVE…", "Keep each payload once",
            "Writes the records of all archives, in order, into one. A response or resource whose "
            "payload was there before becomes\n"
            "a revisit that names the earlier record; all other records stay as they are stored. "
            "`fonds cat --resolve` gives the\n"
            "payload back.",
            kDedupFlags, kDedupExamples, 0, run_dedup},
    Command{"repair", "-o OUT ARCHIVE", "Save what can be read of a damaged archive",
            "Writes all that can be read as a valid archive and lists what was lost, byte range "
            "by byte range. The damaged\n"
            "archive stays as it is.",
            kRepairFlags, kRepairExamples, 0, run_repair},
    Command{"verify", "ARCHIVE…", "Check every byte",
            "Reads every byte and checks framing, checksums, digests and the rules of the format. "
            "One line a finding;\n"
            "notes are shown with --verbose. The list of codes is docs/reference/findings.md.",
            kVerifyFlags, kVerifyExamples, 0, run_verify},
    Command{"compare", "A B", "Whether two archives have the same records",
            "Compares two archives record by record and lists the differences; status 1 if there "
            "are any. Records are paired by\n"
            "place and id. Order of header fields, letter case of their names and the WARC version "
            "count only with --strict.",
            kCompareFlags, kCompareExamples, 0, run_compare},
    Command{"train", "-o DICT ARCHIVE…", "Make a zstd dictionary of records",
            "Makes a dictionary of samples of the records and says, by other samples, what it "
            "saves. Archives of its kind are\n"
            "then compressed with convert --dictionary DICT.",
            kTrainFlags, kTrainExamples, 0, run_train},
    Command{"help",
            "[COMMAND]",
            "Help on a command",
            "Shows the help of a command.",
            {},
            kHelpExamples,
            0,
            run_help},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }
std::span<const Flag> common_flags() { return kCommon; }

}  // namespace fonds::cli
