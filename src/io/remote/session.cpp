#include "io/remote/session.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fmt/core.h>

#include "base/bytes.hpp"
#include "io/remote/reply.hpp"
#include "io/remote/s3_list.hpp"

namespace fonds {
namespace remote {
namespace {

struct Process {
  std::mutex mutex;
  RemoteOptions options;             // under mutex
  std::unique_ptr<Session> session;  // under mutex; stays once it is there
};

// Never taken down: transfers may be under way when the process ends.
Process& process() {
  static Process* const one = new Process;
  return *one;
}

// Where the module may lie: told by the environment, beside the program, or where it is installed.
std::vector<std::filesystem::path> module_paths() {
  std::vector<std::filesystem::path> paths;
  if (const char* const told = std::getenv("FONDS_REMOTE_MODULE"); told != nullptr) {
    paths.emplace_back(told);
  }
  std::error_code ignored;
  if (const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored); !ignored) {
    paths.push_back(program.parent_path() / FONDS_REMOTE_MODULE_NAME);
    paths.push_back(program.parent_path() / FONDS_REMOTE_MODULE_FROM_BIN);
  }
  paths.emplace_back(FONDS_REMOTE_MODULE_INSTALLED);
  return paths;
}

Result<MakeClient> load_module() {
  std::string words = "is not there";
  for (const auto& path : module_paths()) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
      continue;
    }
    void* const module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) {
      words = ::dlerror();
      continue;
    }
    if (void* const symbol = ::dlsym(module, "fonds_remote_client"); symbol != nullptr) {
      return reinterpret_cast<MakeClient>(symbol);
    }
    words = "is of another version";
  }
  return fail(ErrorCode::Unsupported,
              fmt::format("URLs need the module {}, which {}", FONDS_REMOTE_MODULE_NAME, words));
}

}  // namespace

Result<Session*> Session::get() {
  const std::lock_guard lock(process().mutex);
  if (!process().session) {
    FONDS_TRY(const MakeClient make, load_module());
    std::unique_ptr<Session> session(new Session(process().options));
    const RemoteOptions& options = session->options_;
    session->client_.reset(
        make({.ca_file = options.ca_file,
              .proxy = options.proxy,
              .connect_timeout_ms = static_cast<long>(options.connect_seconds) * 1000,
              .stall_seconds = static_cast<long>(options.stall_seconds),
              .connections = static_cast<long>(options.requests),
              .redirects = 10,
              .user_agent = "fonds"}));
    if (!session->client_) {
      return fail(ErrorCode::Unsupported, "the network library cannot be started");
    }
    process().session = std::move(session);
  }
  return process().session.get();
}

void Session::remember(const Url& url) {
  if (!url.user_password.empty()) {
    const std::lock_guard lock(mutex_);
    passwords_[url.origin()] = url.user_password;
  }
}

Result<S3Keys> Session::keys() {
  if (!s3_->keys.key.empty()) {
    return s3_->keys;
  }
  if (!lent_) {
    lent_.emplace(process_environment(), read_whole_file, [this](Request request) {
      const auto reply = std::make_shared<Reply>(*this, kLargestKeys, Reply::Full::Stops);
      reply->start(std::move(request));
      LentKeys::Answer answer;
      if (reply->await_end() && reply->outcome().kind == Outcome::Kind::Done) {
        answer.status = reply->known_head()->status;
        answer.body = as_text(reply->take_all());
      }
      return answer;
    });
  }
  return lent_->get(std::time(nullptr));
}

Result<Request> Session::request(const Url& url, std::string_view query, std::string_view sha256) {
  Request request;
  request.headers = options_.headers;
  request.headers.emplace_back("Accept-Encoding: identity");
  const std::lock_guard lock(mutex_);
  Url location = url;
  if (url.scheme == "s3") {
    if (!s3_) {
      FONDS_TRY(s3_, s3_config());
    }
    const auto known = regions_.find(url.host);
    const std::string& region = known == regions_.end() ? s3_->region : known->second;
    location = s3_location(*s3_, url, region);
    request.exact_path = true;
    FONDS_TRY(S3Keys keys, this->keys());
    if (!keys.key.empty()) {
      request.signing = std::make_shared<const Signing>(Signing{.key = std::move(keys.key),
                                                                .secret = std::move(keys.secret),
                                                                .region = region,
                                                                .token = std::move(keys.token)});
      request.headers.push_back(fmt::format("x-amz-content-sha256: {}", sha256));
    }
  } else if (const auto known = passwords_.find(url.origin()); known != passwords_.end()) {
    request.user_password = known->second;
  }
  request.url = location.text();
  if (!query.empty()) {
    request.url += location.query.empty() ? '?' : '&';
    request.url += query;
  }
  return request;
}

bool Session::learn_region(const Url& url, std::string_view region) {
  const std::lock_guard lock(mutex_);
  if (url.scheme != "s3" || region.empty() || (s3_ && !s3_->endpoint.empty())) {
    return false;
  }
  const auto [known, is_new] = regions_.emplace(url.host, region);
  return is_new;
}

Status Session::wait(std::uint64_t milliseconds) const {
  constexpr std::uint64_t kStep = 50;
  for (std::uint64_t left = milliseconds; left > 0; left -= std::min(left, kStep)) {
    if (options_.cancelled && options_.cancelled()) {
      return fail(ErrorCode::Cancelled, "interrupted");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(std::min(left, kStep)));
  }
  return {};
}

}  // namespace remote

Status set_remote_options(RemoteOptions options) {
  for (const std::string& header : options.headers) {
    const std::size_t colon = header.find(':');
    if (colon == 0 || colon == std::string::npos ||
        header.find_first_of("\r\n") != std::string::npos) {
      return fail(ErrorCode::BadArgument, "a header is `Name: value`, on one line");
    }
  }
  options.requests = std::clamp(options.requests, 1U, 64U);
  options.tries = std::max(options.tries, 1U);
  const std::lock_guard lock(remote::process().mutex);
  remote::process().options = std::move(options);
  return {};
}

RemoteUse remote_use() {
  const std::lock_guard lock(remote::process().mutex);
  const remote::Session* const session = remote::process().session.get();
  return session == nullptr ? RemoteUse()
                            : RemoteUse{.requests = session->requests,
                                        .bytes = session->bytes,
                                        .sent = session->sent,
                                        .tries = session->tries};
}

bool is_remote(std::string_view path) { return remote::is_url(path); }

bool is_remote_directory(std::string_view path) {
  if (!remote::is_url(path)) {
    return false;
  }
  const auto url = remote::parse_url(path);
  return url && url->scheme == "s3" && url->path.ends_with('/');
}

Result<std::vector<std::string>> list_remote(std::string_view url, bool deep) {
  FONDS_TRY(const remote::Url parsed, remote::parse_url(url));
  if (!is_remote_directory(url)) {
    return fail(ErrorCode::BadArgument, "only s3://BUCKET/PREFIX/ can be listed",
                {.source = remote::shown(parsed)});
  }
  return remote::list(parsed, deep);
}

}  // namespace fonds
