// Opening what lies beside an archive.
#include "index/companions.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include <fonds/format.hpp>
#include <fonds/record_index.hpp>
#include <fonds/remote.hpp>

#include "index/capture_index.hpp"
#include "index/capture_search.hpp"
#include "index/checkpoint.hpp"
#include "index/checkpoint_index.hpp"
#include "index/companion_kind.hpp"
#include "index/companion_names.hpp"
#include "index/gzidx.hpp"
#include "io/remote/url.hpp"

namespace fonds {
namespace {

class Opener {
 public:
  // A damaged companion is no damage of the archive.
  Opener(const Archive& archive, const std::function<void(const Finding&)>& finding)
      : archive_(archive), finding_([&finding](Finding problem) {
          problem.severity = std::min(problem.severity, Severity::Warning);
          finding(problem);
        }) {}

  Status open(const std::string& path) {
    FONDS_TRY(auto file, open_source(path));
    FONDS_TRY(const index::CompanionKind kind, index::companion_kind(*file));
    switch (kind) {
      case index::CompanionKind::Checkpoints:
        return add_checkpoints(std::move(file));
      case index::CompanionKind::Gzidx:
        return add_gzidx(std::move(file));
      case index::CompanionKind::Captures:
        break;
    }
    index::CaptureSearch search;
    FONDS_CHECK(search.add(std::move(file)));
    found.records.push_back(index::capture_index(path, std::move(search)));
    return {};
  }

  Companions found;

 private:
  Status add_checkpoints(std::shared_ptr<ByteSource> file) {
    FONDS_TRY(const std::uint64_t size, archive_.source->size());
    FONDS_TRY(auto checkpoints, index::CheckpointFile::read(std::move(file), size));
    for (const Finding& finding : checkpoints->findings()) {
      finding_(finding);
    }
    add_seek(checkpoints);
    found.records.push_back(index::checkpoint_index(std::move(checkpoints)));
    return {};
  }

  Status add_gzidx(std::shared_ptr<ByteSource> file) {
    FONDS_TRY(const std::uint64_t size, archive_.source->size());
    FONDS_TRY(auto points, index::GzidxFile::read(std::move(file), size));
    for (const Finding& finding : points->findings()) {
      finding_(finding);
    }
    // Where members are short, each thread reads members of its own.
    std::size_t inside = 0;
    for (std::size_t i = 0; i < points->size(); ++i) {
      inside += points->begins_member(i) ? 0 : 1;
    }
    if (inside > points->size() / 2) {
      add_seek(std::move(points));
    }
    return {};
  }

  // The index with the most points is the best for decoding on many threads.
  void add_seek(std::shared_ptr<const SeekIndex> seek) {
    const std::size_t there = found.seek == nullptr ? 0 : found.seek->size();
    if (archive_.codecs.size() == 1 && archive_.codec().name() == "gzip" && seek->size() > there) {
      found.seek = std::move(seek);
    }
  }

  const Archive& archive_;
  std::function<void(Finding)> finding_;
};

}  // namespace

std::vector<std::string> companion_paths(const Archive& archive) {
  std::vector<std::string> paths;
  for (const std::string_view ending : index::kCompanionEndings) {
    std::string path = archive.source->name() + std::string(ending);
    std::error_code ignored;
    if (archive.source->random_access() && std::filesystem::is_regular_file(path, ignored)) {
      paths.push_back(std::move(path));
    }
  }
  return paths;
}

namespace {

// URLs beside that of an archive where companions that tell of the keys could be.
std::vector<std::string> remote_candidates(const std::string& archive, std::span<const Key> keys) {
  bool ids = false, uris = false;
  for (const Key& key : keys) {
    const bool bare = key.kind == Key::Kind::Bare;
    uris = uris || bare || key.kind == Key::Kind::Uri;
    ids = ids || ((bare || key.kind == Key::Kind::Id) && key.text.size() == index::kCheckpointId);
  }
  std::vector<std::string> urls;
  const auto url = remote::parse_url(archive);
  if (!url || !url->query.empty()) {
    return urls;  // what comes behind the path is the archive's own: a signature, say
  }
  const auto add = [&](std::string_view ending) {
    urls.push_back(remote::beside(*url, remote::file_name(*url) + std::string(ending)).text());
  };
  if (ids) {
    add(".chk.lz4");
  }
  if (uris) {
    std::ranges::for_each(std::array<std::string_view, 3>{".cdxj", ".cdx", ".idx"}, add);
  }
  return urls;
}

}  // namespace

Result<Companions> open_companions(const Archive& archive, std::span<const std::string> given,
                                   const std::function<void(const Finding&)>& finding) {
  return index::open_companions(archive, given, finding, {});
}

Result<Companions> index::open_companions(const Archive& archive,
                                          std::span<const std::string> given,
                                          const std::function<void(const Finding&)>& finding,
                                          std::span<const Key> keys) {
  Opener opener(archive, finding);
  for (const std::string& path : given) {
    FONDS_CHECK(opener.open(path));
  }
  if (!given.empty()) {
    return std::move(opener.found);
  }
  const auto stale = [&](const std::string& path, const Error& error) {
    finding(make_finding("companion-stale",
                         fmt::format("the companion {} cannot be used: {}", path, error.message()),
                         {.source = archive.source->name()}));
  };
  if (is_remote(archive.source->name())) {
    for (const std::string& url : remote_candidates(archive.source->name(), keys)) {
      if (const auto status = opener.open(url); status) {
        break;
      } else if (status.error().code() == ErrorCode::Cancelled) {
        return fail(ErrorCode::Cancelled, status.error().message());
      } else if (status.error().code() != ErrorCode::NotFound) {
        stale(url, status.error());
      }
    }
    return std::move(opener.found);
  }
  for (const std::string& path : companion_paths(archive)) {
    if (path.ends_with(index::kOffsets)) {
      continue;
    }
    if (const auto status = opener.open(path); !status) {
      stale(path, status.error());
    }
  }
  return std::move(opener.found);
}

}  // namespace fonds
