#include "ops/unpack.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "base/digest.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "format/common/judge.hpp"
#include "io/file_sink.hpp"
#include "ops/unpack_plan.hpp"

namespace fonds::ops {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kManifest = "manifest.jsonl";

tl::unexpected<Error> cannot(const std::string& what, const fs::path& path,
                             const std::error_code& error) {
  return fail(ErrorCode::Io, fmt::format("{}: {}", what, error.message()),
              {.source = path.string()});
}

// A directory for files that are not complete; nothing of it stays.
class Workshop {
 public:
  Workshop() = default;
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  ~Workshop() {
    std::error_code ignored;
    if (!path_.empty()) {
      fs::remove_all(path_, ignored);
    }
  }
  Status open(const fs::path& path) {
    std::error_code error;
    if (!fs::create_directory(path, error)) {
      return cannot("cannot be made", path,
                    error ? error : std::make_error_code(std::errc::file_exists));
    }
    path_ = path;
    return {};
  }
  fs::path file(std::size_t number) const { return path_ / std::to_string(number); }

 private:
  fs::path path_;
};

// A file in the making.
struct UnpackOutput {
  std::string name, input;
  std::vector<std::string> archives;
  std::size_t pieces_left = 0;
  std::optional<FileSink> sink;
  std::optional<Hasher> hasher;
  std::uint64_t records = 0, size = 0;
  std::string digest;  // once it is complete
};

class Unpacking {
 public:
  Unpacking(std::span<const Archive> archives, const UnpackOptions& options)
      : archives_(archives), options_(options), directory_(options.directory) {}

  Result<UnpackReport> run() {
    FONDS_CHECK(plan());
    std::error_code error;
    fs::create_directories(directory_, error);
    if (error) {
      return cannot("cannot be made", directory_, error);
    }
    FONDS_CHECK(workshop_.open(directory_ / work_name_));
    for (const std::size_t archive : order_) {
      FONDS_CHECK(read(archive));
    }
    // What no archive gave an event of.
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs_[i].digest.empty()) {
        FONDS_CHECK(open(i));
        FONDS_CHECK(close(i));
      }
    }
    FONDS_CHECK(write_manifest());
    FONDS_CHECK(let_appear());
    report_.files = outputs_.size();
    return std::move(report_);
  }

 private:
  // An input of an archive.
  using Key = std::tuple<std::size_t, std::string, std::uint64_t, std::uint64_t>;
  static Key key_of(std::size_t archive, const EventInput& input) {
    return {archive, input.name, input.part, input.begin};
  }

  Status plan() {
    work_name_ = fmt::format(".fonds-{}.tmp", ::getpid());
    names_.reserve(std::string(kManifest));
    names_.reserve(work_name_);
    FONDS_CHECK(check_free(std::string(kManifest)));
    std::vector<std::vector<EventInput>> inputs;
    for (const Archive& archive : archives_) {
      // A pipe is read once, and tells of its inputs then.
      if (!archive.source->random_access()) {
        return fail(ErrorCode::Unsupported,
                    "a directory of files is made of archives in files; a pipe can only be read "
                    "from start to end",
                    {.source = archive.source->name()});
      }
      FONDS_TRY(auto some, archive.format->event_inputs(archive, options_.rewrite.read));
      std::erase_if(some, [this](const EventInput& input) {
        return !options_.rewrite.read.input.empty() && input.name != options_.rewrite.read.input;
      });
      inputs.push_back(std::move(some));
    }
    UnpackPlan plan = plan_unpacking(inputs, names_);
    report_.remarks = std::move(plan.remarks);
    order_ = std::move(plan.order);
    if (const std::string& wanted = options_.rewrite.read.input; !wanted.empty()) {
      std::erase_if(order_, [&inputs](std::size_t archive) { return inputs[archive].empty(); });
      if (order_.empty()) {
        return fail(ErrorCode::NotFound,
                    fmt::format("no input of the archives is called {}", wanted));
      }
    }
    for (UnpackFile& file : plan.files) {
      FONDS_CHECK(check_free(file.name));
      UnpackOutput output;
      for (const UnpackFile::Piece& piece : file.pieces) {
        places_.emplace(key_of(piece.archive, piece.input), outputs_.size());
        output.archives.push_back(archives_[piece.archive].source->name());
      }
      output.pieces_left = file.pieces.size();
      output.name = std::move(file.name);
      output.input = std::move(file.input);
      outputs_.push_back(std::move(output));
    }
    return {};
  }

  Status check_free(const std::string& name) const {
    std::error_code ignored;
    const fs::path path = directory_ / name;
    const fs::file_status there = fs::symlink_status(path, ignored);
    if (fs::is_directory(there)) {
      return fail(ErrorCode::Io, "is a directory, in the way of a file", {.source = path.string()});
    }
    if (!options_.force && fs::exists(there)) {
      return fail(ErrorCode::Io, "is there already; --force replaces it",
                  {.source = path.string()});
    }
    return {};
  }

  Status read(std::size_t archive) {
    current_.reset();
    reading_ = &archives_[archive];
    const EventSink sink = {
        .lines = [this](std::string_view lines) -> Result<bool> {
          FONDS_CHECK(write(lines));
          return true;
        },
        .input = [this, archive](const EventInput* input) { return come_to(archive, input); },
        .finding = [this](const Finding& finding) { findings_.push_back(finding); }};
    ReadOptions read = options_.rewrite.read;
    read.stored_order = false;
    FONDS_CHECK(reading_->format->write_events(*reading_, read, options_.threads, sink));
    FONDS_CHECK(judge(*reading_, std::exchange(findings_, {}), options_.rewrite));
    FONDS_CHECK(leave());
    const auto strays = strays_.find(archive);
    return strays == strays_.end() ? Status() : close(strays->second);
  }

  // The following events are of this input.
  Status come_to(std::size_t archive, const EventInput* input) {
    FONDS_CHECK(leave());
    std::size_t place = outputs_.size();
    if (input != nullptr) {
      const auto found = places_.find(key_of(archive, *input));
      if (found == places_.end()) {
        return fail(ErrorCode::Corrupt,
                    fmt::format("events of {} are in more places than the archive says",
                                escape_for_terminal(input->name)));
      }
      place = found->second;
      places_.erase(found);
    } else {
      FONDS_TRY(place, place_of_strays(archive));
    }
    current_ = place;
    return open(place);
  }

  // For events of no input.
  Result<std::size_t> place_of_strays(std::size_t archive) {
    if (const auto known = strays_.find(archive); known != strays_.end()) {
      return known->second;
    }
    const fs::path path = fs::path(archives_[archive].source->name()).lexically_normal();
    const fs::path last = path.has_filename() ? path.filename() : path.parent_path().filename();
    const bool known_ending = last.extension() == archives_[archive].format->traits().file_ending;
    UnpackOutput output;
    output.name = names_.take((known_ending ? last.stem() : last).string() + ".jsonl");
    output.archives.push_back(archives_[archive].source->name());
    output.pieces_left = 0;  // until the archive ends
    FONDS_CHECK(check_free(output.name));
    outputs_.push_back(std::move(output));
    strays_.emplace(archive, outputs_.size() - 1);
    return outputs_.size() - 1;
  }

  // No more events of the current input come from this archive.
  Status leave() {
    if (!current_) {
      return {};
    }
    UnpackOutput& output = outputs_[*current_];
    const std::size_t place = *std::exchange(current_, std::nullopt);
    if (output.pieces_left > 0 && --output.pieces_left == 0) {
      return close(place);
    }
    return {};
  }

  Status open(std::size_t place) {
    UnpackOutput& output = outputs_[place];
    if (!output.sink) {
      FONDS_TRY(auto sink, FileSink::create(workshop_.file(place).string(), false));
      output.sink.emplace(std::move(sink));
      output.hasher.emplace(DigestAlgorithm::Sha256);
    }
    return {};
  }

  Status write(std::string_view lines) {
    if (!current_) {
      return fail(ErrorCode::Internal, "events came before their input");
    }
    if (!findings_.empty()) {
      // Damage ends the work where it is met.
      FONDS_CHECK(judge(*reading_, std::exchange(findings_, {}), options_.rewrite));
    }
    UnpackOutput& output = outputs_[*current_];
    output.hasher->update(as_bytes(lines));
    const auto records = static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), '\n'));
    output.records += records;
    report_.records += records;
    return output.sink->write(as_bytes(lines));
  }

  Status close(std::size_t place) {
    UnpackOutput& output = outputs_[place];
    output.size = output.sink->position();
    FONDS_CHECK(output.sink->commit(true));
    const DigestValue digest = output.hasher->finish();
    output.digest = to_hex(ByteView(digest.bytes).first(digest.size));
    output.sink.reset();
    output.hasher.reset();
    return {};
  }

  Status write_manifest() {
    FONDS_TRY(auto sink, FileSink::create(workshop_.file(outputs_.size()).string(), false));
    std::string line;
    for (const UnpackOutput& output : outputs_) {
      line.clear();
      JsonWriter json(line);
      json.begin_object().member("name", std::string_view(output.name));
      if (!output.input.empty()) {
        json.member("input", std::string_view(output.input));
      }
      json.key("archives").begin_array();
      for (const std::string& archive : output.archives) {
        json.value(std::string_view(archive));
      }
      json.end_array()
          .member("records", output.records)
          .member("size", output.size)
          .member("sha256", std::string_view(output.digest))
          .end_object();
      line += '\n';
      FONDS_CHECK(sink.write(as_bytes(line)));
    }
    return sink.commit(true);
  }

  Status let_appear() {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      FONDS_CHECK(make_directories(fs::path(outputs_[i].name).parent_path()));
      FONDS_CHECK(move(i, outputs_[i].name));
    }
    return move(outputs_.size(), std::string(kManifest));
  }

  // Follows no link out of the directory.
  Status make_directories(const fs::path& below) const {
    fs::path path = directory_;
    for (const fs::path& step : below) {
      path /= step;
      std::error_code error;
      const fs::file_status there = fs::symlink_status(path, error);
      if (fs::is_directory(there)) {
        continue;
      }
      if (fs::exists(there)) {
        return fail(ErrorCode::Io, "is in the way of a directory", {.source = path.string()});
      }
      if (!fs::create_directory(path, error)) {
        return cannot("cannot be made", path, error);
      }
    }
    return {};
  }

  Status move(std::size_t number, const std::string& name) const {
    std::error_code error;
    const fs::path path = directory_ / name;
    fs::rename(workshop_.file(number), path, error);
    return error ? Status(cannot("cannot be written", path, error)) : Status();
  }

  std::span<const Archive> archives_;
  const UnpackOptions& options_;
  fs::path directory_;
  std::string work_name_;
  Workshop workshop_;
  SafeNames names_;
  std::vector<std::size_t> order_;
  std::vector<UnpackOutput> outputs_;
  std::multimap<Key, std::size_t> places_;     // of inputs that have not come yet
  std::map<std::size_t, std::size_t> strays_;  // by archive
  std::optional<std::size_t> current_;         // in outputs_
  const Archive* reading_ = nullptr;
  std::vector<Finding> findings_;
  UnpackReport report_;
};

}  // namespace

Result<UnpackReport> unpack(std::span<const Archive> archives, const UnpackOptions& options) {
  return Unpacking(archives, options).run();
}

}  // namespace fonds::ops
