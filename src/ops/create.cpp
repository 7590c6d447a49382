#include "ops/create.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "ops/file_content.hpp"

namespace fonds::ops {
namespace {

namespace fs = std::filesystem;

// A file that becomes an item.
struct Input {
  std::string path;  // "-": standard input
  std::string rest;  // of the path below the input that was given; its name for a file
};

bool is_pchar(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return letter || std::string_view("-._~!$&'()*+,;=:@").find(c) != std::string_view::npos;
}

// Lists the files of all inputs.
class Walk {
 public:
  explicit Walk(const CreateOptions& options) : options_(options) {
    struct stat of = {};
    if (!options.output.empty() && ::stat(options.output.c_str(), &of) == 0) {
      output_ = {of.st_dev, of.st_ino};
    }
  }

  Status add(const std::string& name) {
    if (name == "-") {
      inputs.push_back({name, "-"});
      return {};
    }
    std::error_code error;
    const fs::file_status status = fs::status(name, error);
    if (status.type() == fs::file_type::not_found) {
      return fail(ErrorCode::NotFound, "is not there", {.source = name});
    }
    if (fs::is_directory(status)) {
      return add_directory(name, "");
    }
    if (!fs::is_regular_file(status)) {
      return fail(ErrorCode::Io, "is no plain file; - reads standard input", {.source = name});
    }
    if (is_output(name)) {
      return fail(ErrorCode::BadArgument, "is the archive that is written", {.source = name});
    }
    inputs.push_back({name, fs::path(name).filename().string()});
    return {};
  }

  std::vector<Input> inputs;

 private:
  Status add_directory(const std::string& directory, const std::string& rest) {
    if (options_.stop.stop_requested()) {
      return fail(ErrorCode::Cancelled, "stopped");
    }
    std::error_code error;
    std::vector<std::string> names;
    auto entry = fs::directory_iterator(directory, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      names.push_back(entry->path().filename().string());
    }
    if (error) {
      return trouble(directory, "cannot be listed: " + error.message());
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      const std::string path =
          fmt::format("{}{}{}", directory, directory.ends_with('/') ? "" : "/", name);
      const fs::file_type type = fs::symlink_status(path, error).type();
      if (type == fs::file_type::directory) {
        FONDS_CHECK(add_directory(path, fmt::format("{}{}/", rest, name)));
      } else if (type != fs::file_type::regular) {
        leave_out(path, type == fs::file_type::symlink ? "is a symbolic link" : "is no plain file");
      } else if (is_output(path)) {
        leave_out(path, "is the archive that is written");
      } else {
        inputs.push_back({path, rest + name});
      }
    }
    return {};
  }

  Status trouble(const std::string& path, const std::string& what) {
    if (!options_.make.rewrite.skip_damaged) {
      return fail(ErrorCode::Io, what, {.source = path});
    }
    if (options_.left_out) {
      options_.left_out(path, what, true);
    }
    return {};
  }

  void leave_out(const std::string& path, std::string_view why) {
    if (options_.left_out) {
      options_.left_out(path, why, false);
    }
  }

  bool is_output(const std::string& path) const {
    struct stat of = {};
    return output_ && ::stat(path.c_str(), &of) == 0 && of.st_dev == output_->first &&
           of.st_ino == output_->second;
  }

  const CreateOptions& options_;
  std::optional<std::pair<dev_t, ino_t>> output_;
};

Result<std::string> file_uri(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error).lexically_normal();
  if (error) {
    return fail(ErrorCode::Io, "has no absolute path: " + error.message(), {.source = path});
  }
  return "file://" + percent_encoded_path(absolute.string());
}

Result<NewItem> item_of(const Input& input, const FileContent& content,
                        const CreateOptions& options, bool captures) {
  NewItem item;
  item.kind = options.kind;
  item.refers_to = options.refers_to;
  item.content_type = options.content_type;
  if (item.content_type.empty()) {
    item.content_type = media_type_of_name(input.rest);
  }
  item.date = content.date();
  const bool piped = input.path == "-";
  if (!options.target_uri.empty()) {
    item.uri = options.target_uri;
  } else if (captures && options.kind == NewItem::Kind::Resource) {
    if (piped) {
      return fail(ErrorCode::BadArgument,
                  "what comes from a pipe has no name; --target-uri gives "
                  "the record its URI");
    }
    if (options.base_uri.empty()) {
      FONDS_TRY(item.uri, file_uri(input.path));
    } else {
      item.uri = options.base_uri + (options.base_uri.ends_with('/') ? "" : "/") +
                 percent_encoded_path(input.rest);
    }
  }
  const bool elsewhere = !options.base_uri.empty() || !options.target_uri.empty();
  if (options.tell_source && elsewhere && !piped) {
    FONDS_TRY(item.source_uri, file_uri(input.path));
  }
  return item;
}

Status check(const CreateOptions& options, std::size_t inputs) {
  if (!options.target_uri.empty() && options.kind == NewItem::Kind::Resource && inputs > 1) {
    return fail(
        ErrorCode::BadArgument,
        fmt::format("one target URI cannot name {} files; --base-uri gives each its own", inputs));
  }
  return {};
}

}  // namespace

Result<CreateReport> create(std::span<const std::string> inputs, const Format& format,
                            const Archive* existing, ByteSink& sink, const CreateOptions& options) {
  const FormatWriting* const writing = format.writing();
  if (writing == nullptr) {
    return fail(ErrorCode::Unsupported, fmt::format("{} archives cannot be made", format.name()));
  }
  Walk walk(options);
  for (const std::string& input : inputs) {
    FONDS_CHECK(walk.add(input));
  }
  FONDS_CHECK(check(options, walk.inputs.size()));
  auto made = existing == nullptr ? writing->make_items(sink, options.make)
                                  : writing->append_items(*existing, sink, options.make);
  FONDS_TRY(const std::unique_ptr<ItemMaker> maker, std::move(made));
  CreateReport report;
  std::uint64_t bytes = 0;
  for (const Input& input : walk.inputs) {
    if (options.stop.stop_requested()) {
      return fail(ErrorCode::Cancelled, "stopped");
    }
    auto content = FileContent::open(input.path, options.stop);
    if (!content) {
      if (!options.make.rewrite.skip_damaged || content.error().code() == ErrorCode::Cancelled) {
        return tl::unexpected(std::move(content.error()));
      }
      if (options.left_out) {
        options.left_out(input.path, content.error().message(), true);
      }
      continue;
    }
    FONDS_TRY(const NewItem item, item_of(input, *content, options, format.traits().captures));
    FONDS_CHECK(maker->add(item, *content));
    ++report.items;
    bytes += content->length();
    if (options.progress) {
      options.progress(bytes);
    }
  }
  FONDS_CHECK(maker->finish());
  report.archive = maker->report();
  return report;
}

std::string target_of_name(std::string_view file_name) {
  constexpr std::array<std::string_view, 4> kCompressed = {".gz", ".zst", ".lz4", ""};
  for (const std::string_view compressed : kCompressed) {
    if (!file_name.ends_with(compressed)) {
      continue;
    }
    const std::string_view name = file_name.substr(0, file_name.size() - compressed.size());
    if (name.ends_with(".arc")) {
      return "arc/1.1";
    }
    for (const Format* const format : formats()) {
      if (format->writing() != nullptr && !format->traits().captures &&
          name.ends_with(format->traits().file_ending.empty()
                             ? "." + std::string(format->name())
                             : std::string(format->traits().file_ending))) {
        return std::string(format->name());
      }
    }
  }
  return "warc/1.1";
}

std::string percent_encoded_path(std::string_view path) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  out.reserve(path.size());
  for (const char c : path) {
    if (c == '/' || is_pchar(c)) {
      out += c;
    } else {
      const auto octet = static_cast<unsigned char>(c);
      out += '%';
      out += kDigits[octet >> 4];
      out += kDigits[octet & 15];
    }
  }
  return out;
}

}  // namespace fonds::ops
