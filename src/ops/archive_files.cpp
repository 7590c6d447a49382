#include "ops/archive_files.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <fonds/bytes.hpp>
#include <fonds/format.hpp>

namespace fonds::ops {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".clps";

tl::unexpected<Error> cannot(std::string_view what, const std::string& path,
                             const std::error_code& error) {
  return fail(ErrorCode::Io, fmt::format("{}: {}", what, error.message()), {.source = path});
}

std::error_code last_error() { return {errno, std::generic_category()}; }

// Makes names in a directory outlive a power cut, where that can be.
void sync_directory(const fs::path& path) {
  const int fd = ::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    static_cast<void>(::fsync(fd));
    ::close(fd);
  }
}

Status write_new_file(const std::string& path, ByteView bytes) {
  FONDS_TRY(FileSink sink, FileSink::create(path, false));
  FONDS_CHECK(sink.write(bytes));
  FONDS_CHECK(sink.settle());
  return sink.commit(false);  // its directory is synced once for all
}

// Puts `from` where `to` is, which goes. Where the file system cannot exchange both, there is a
// moment without either.
Status put_in_place_of(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) != 0) {
    const std::string aside = from + ".old";
    std::error_code error;
    fs::rename(to, aside, error);
    if (!error) {
      fs::rename(from, to, error);
    }
    if (error) {
      std::error_code ignored;
      fs::rename(aside, to, ignored);
      return cannot("cannot be replaced", to, error);
    }
    fs::rename(aside, from, error);
  }
  std::error_code ignored;
  fs::remove_all(from, ignored);
  return {};
}

Status rename_new(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) {
    return {};
  }
  std::error_code error = last_error();
  if (error == std::errc::invalid_argument || error == std::errc::function_not_supported) {
    error.clear();
    if (fs::exists(fs::symlink_status(to, error))) {
      error = std::make_error_code(std::errc::file_exists);
    } else {
      error.clear();
      fs::rename(from, to, error);
    }
  }
  return error ? cannot("cannot be finished", to, error) : Status();
}

}  // namespace

Status write_single_file(const clps::WrittenArchive& archive, ByteSink& sink) {
  FONDS_CHECK(sink.write(as_bytes(archive.head)));
  for (const auto& member : archive.members) {
    FONDS_CHECK(sink.write(member));
  }
  return {};
}

ArchiveFiles::~ArchiveFiles() {
  std::error_code ignored;
  for (const Item& item : items_) {
    if (!item.provisional.empty()) {
      fs::remove_all(item.provisional, ignored);
    }
  }
  if (made_directory_ && names_.empty()) {
    fs::remove(options_.output, ignored);  // unless something else has come into it
  }
}

Status ArchiveFiles::open() {
  std::string& output = options_.output;
  std::error_code error;
  const fs::file_status there = fs::status(output, error);
  const bool archive = fs::is_directory(there) && is_archive_directory(output);
  in_directory_ = !archive && (output.ends_with('/') || fs::is_directory(there));
  while (output.size() > 1 && output.ends_with('/')) {
    output.pop_back();
  }
  if (!in_directory_) {
    const fs::path parent = fs::path(output).parent_path();
    if (!parent.empty() && !fs::is_directory(parent, error)) {
      return fail(ErrorCode::Io, "there is no such directory", {.source = parent.string()});
    }
    return check_free(output);
  }
  if (!fs::exists(there)) {
    made_directory_ = fs::create_directory(output, error);
    if (!made_directory_) {
      return cannot("cannot be made", output, error);
    }
  } else if (!fs::is_directory(there)) {
    return fail(ErrorCode::Io, "is no directory", {.source = output});
  }
  return {};
}

// Whether an archive may get this name.
Status ArchiveFiles::check_free(const std::string& name) const {
  std::error_code ignored;
  const fs::file_status there = fs::status(name, ignored);
  if (!fs::exists(there)) {
    return {};
  }
  if (fs::is_directory(there)) {
    if (!is_archive_directory(name)) {
      return fail(ErrorCode::Io, "is a directory that is no archive", {.source = name});
    }
    if (!options_.directories) {
      return fail(ErrorCode::Io, "is an archive that is a directory; --directory makes another",
                  {.source = name});
    }
  } else if (!fs::is_regular_file(there)) {
    return fail(ErrorCode::Io, "is no plain file; -o - writes to standard output",
                {.source = name});
  }
  return options_.replace
             ? Status()
             : fail(ErrorCode::Io, "is there already; --force replaces it", {.source = name});
}

std::string ArchiveFiles::provisional(std::size_t number) const {
  return fmt::format("{}{}-{}-{}.tmp", options_.output, in_directory_ ? "/fonds" : ".fonds",
                     ::getpid(), number);
}

std::string ArchiveFiles::part_name(std::size_t number) const {
  const fs::path path(options_.output);
  const std::string ending = path.extension().string();
  const std::string stem = options_.output.substr(0, options_.output.size() - ending.size());
  return fmt::format("{}-{:05}{}", stem, number, ending);
}

// Archives of the same content have the same id.
std::string ArchiveFiles::name_in_directory(const std::string& id) {
  for (std::size_t n = 0;; ++n) {
    std::string name = fmt::format("{}/{}{}{}", options_.output, id,
                                   n == 0 ? std::string() : fmt::format("-{}", n),
                                   options_.directories ? std::string_view() : kEnding);
    if (taken_.insert(name).second) {
      return name;
    }
  }
}

Status ArchiveFiles::write_file(const clps::WrittenArchive& archive, Item& item) const {
  const bool nameless = items_.size() < options_.most_nameless;
  const std::string temporary = provisional(items_.size());
  auto created = FileSink::create(temporary, options_.replace);
  if (!created) {
    return fail(ErrorCode::Io, created.error().message(), {.source = options_.output});
  }
  auto sink = std::make_unique<FileSink>(std::move(*created));
  FONDS_CHECK(write_single_file(archive, *sink));
  if (nameless) {
    FONDS_CHECK(sink->settle());
    item.sink = std::move(sink);
    return {};
  }
  FONDS_CHECK(sink->commit(true));
  item.provisional = temporary;
  return {};
}

Status ArchiveFiles::write_directory(const clps::WrittenArchive& archive, const Item& item) const {
  std::error_code error;
  if (!fs::create_directory(item.provisional, error)) {
    return cannot("cannot be made", item.provisional,
                  error ? error : std::make_error_code(std::errc::file_exists));
  }
  FONDS_CHECK(write_new_file(item.provisional + "/header", as_bytes(archive.head)));
  for (std::size_t i = 0; i < clps::kMembers; ++i) {
    const auto name = clps::to_string(static_cast<clps::Member>(i));  // with its slash
    FONDS_CHECK(write_new_file(item.provisional + std::string(name), archive.members[i]));
  }
  sync_directory(item.provisional);
  return {};
}

Status ArchiveFiles::add(const clps::WrittenArchive& archive) {
  const std::size_t number = items_.size();
  if (!in_directory_ && number > 0) {  // what the first is called was looked at by open()
    if (number == 1) {
      FONDS_CHECK(check_free(part_name(0)));
    }
    FONDS_CHECK(check_free(part_name(number)));
  }
  Item item{.id = archive.id, .sink = nullptr, .provisional = {}};
  if (!options_.directories) {
    FONDS_CHECK(write_file(archive, item));
    items_.push_back(std::move(item));
    return {};
  }
  item.provisional = provisional(number);
  items_.push_back(std::move(item));  // from here on it is cleaned up
  return write_directory(archive, items_.back());
}

Status ArchiveFiles::appear(Item& item, const std::string& name) const {
  FONDS_CHECK(check_free(name));
  if (item.sink != nullptr) {
    item.sink->call(name);
    return item.sink->commit(true);
  }
  std::error_code ignored;
  Status status = options_.replace && fs::exists(fs::symlink_status(name, ignored))
                      ? put_in_place_of(item.provisional, name)
                      : rename_new(item.provisional, name);
  if (status) {
    item.provisional.clear();
    sync_directory(fs::path(name).parent_path());
  }
  return status;
}

Status ArchiveFiles::commit() {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    std::string name = in_directory_        ? name_in_directory(items_[i].id)
                       : items_.size() == 1 ? options_.output
                                            : part_name(i);
    Status status = appear(items_[i], name);
    if (!status) {
      // What was replaced cannot come back; what is new goes.
      std::error_code ignored;
      for (const std::string& made : names_) {
        if (!options_.replace) {
          fs::remove_all(made, ignored);
        }
      }
      names_.clear();
      return status;
    }
    names_.push_back(std::move(name));
  }
  return {};
}

}  // namespace fonds::ops
