// Requests by libcurl: one thread drives all transfers.
#include <algorithm>
#include <atomic>
#include <cctype>
#include <csignal>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <curl/curl.h>

#include "io/remote/transfer.hpp"

namespace fonds::remote {
namespace {

struct ListFree {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using List = std::unique_ptr<curl_slist, ListFree>;

void append(List& list, const std::string& line) {
  if (curl_slist* const longer = curl_slist_append(list.get(), line.c_str())) {
    static_cast<void>(list.release());
    list.reset(longer);
  }
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

Outcome::Kind kind_of(CURLcode code) {
  switch (code) {
    case CURLE_OK:
      return Outcome::Kind::Done;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return Outcome::Kind::Name;
    case CURLE_COULDNT_CONNECT:
      return Outcome::Kind::Refused;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CERTPROBLEM:
      return Outcome::Kind::Certificate;
    case CURLE_OPERATION_TIMEDOUT:
      return Outcome::Kind::Timeout;
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_SEND_FAIL_REWIND:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:  // of a reply: of a request only http and https are left
      return Outcome::Kind::Broken;
    default:
      return Outcome::Kind::Other;
  }
}

// One request under way.
class Running {
 public:
  Running(Request request, std::shared_ptr<Handler> handler, const ClientOptions& options)
      : request_(std::move(request)), handler_(std::move(handler)), easy_(curl_easy_init()) {
    if (easy_ != nullptr) {
      set_up(options);
    }
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() { curl_easy_cleanup(easy_); }

  CURL* easy() const { return easy_; }
  const std::shared_ptr<Handler>& handler() const { return handler_; }

  void end_early() { handler_->done({.kind = Outcome::Kind::Stopped, .words = {}}); }

  void end(CURLcode code) {
    if (code == CURLE_OK && whole_head_) {
      tell_head();  // of a reply without a body
    }
    if (stopped_) {
      end_early();
      return;
    }
    Outcome outcome = {.kind = kind_of(code), .words = {}};
    if (code == CURLE_OK && !told_) {
      outcome = {.kind = Outcome::Kind::Broken,
                 .words = "the connection ended in the reply's head"};
    } else if (code != CURLE_OK) {
      outcome.words = words_[0] != '\0' ? words_ : curl_easy_strerror(code);
    }
    handler_->done(outcome);
  }

 private:
  template <typename T>
  void set(CURLoption option, T value) {
    curl_easy_setopt(easy_, option, value);
  }

  void set_up(const ClientOptions& options) {
    set(CURLOPT_URL, request_.url.c_str());
    set(CURLOPT_PRIVATE, this);
    set(CURLOPT_ERRORBUFFER, words_);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    // A signature names its host, and what is sent is meant for one.
    set(CURLOPT_FOLLOWLOCATION, request_.signing || request_.method != "GET" ? 0L : 1L);
    set(CURLOPT_MAXREDIRS, options.redirects);
    set(CURLOPT_PATH_AS_IS, request_.exact_path ? 1L : 0L);
    set(CURLOPT_CONNECTTIMEOUT_MS, options.connect_timeout_ms);
    set(CURLOPT_TIMEOUT_MS, request_.total_ms);
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME,
        request_.stall_seconds == 0 ? options.stall_seconds : request_.stall_seconds);
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
    set(CURLOPT_BUFFERSIZE, 256L << 10);
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_USERAGENT, options.user_agent.c_str());
    if (!options.ca_file.empty()) {
      set(CURLOPT_CAINFO, options.ca_file.c_str());
    }
    if (request_.direct) {
      set(CURLOPT_PROXY, "");  // also none of the environment
    } else if (!options.proxy.empty()) {
      set(CURLOPT_PROXY, options.proxy.c_str());
    }
    set_method();
    set_identity();
    for (const std::string& line : request_.headers) {
      append(headers_, line);
    }
    append(headers_, "Expect:");  // a second round trip for nothing
    set(CURLOPT_HTTPHEADER, headers_.get());
    set(CURLOPT_HEADERFUNCTION, &Running::on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &Running::on_data);
    set(CURLOPT_WRITEDATA, this);
  }

  void set_method() {
    if (request_.method != "GET") {
      set(CURLOPT_CUSTOMREQUEST, request_.method.c_str());
    }
    if (request_.body) {
      // Of no octets there need not be a pointer, without which they would be asked for.
      const bool empty = request_.body->empty();
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body->size()));
      set(CURLOPT_POSTFIELDS, empty ? "" : reinterpret_cast<const char*>(request_.body->data()));
    }
  }

  void set_identity() {
    if (request_.signing) {
      set(CURLOPT_AWS_SIGV4, ("aws:amz:" + request_.signing->region + ":s3").c_str());
      set(CURLOPT_USERPWD, (request_.signing->key + ":" + request_.signing->secret).c_str());
      if (!request_.signing->token.empty()) {
        append(headers_, "x-amz-security-token: " + request_.signing->token);
      }
    } else if (!request_.user_password.empty()) {
      set(CURLOPT_HTTPAUTH, static_cast<long>(CURLAUTH_BASIC));
      set(CURLOPT_USERPWD, request_.user_password.c_str());
    }
  }

  static std::size_t on_header(char* text, std::size_t /*one*/, std::size_t n, void* self) {
    static_cast<Running*>(self)->take_header(std::string_view(text, n));
    return n;
  }

  void take_header(std::string_view line) {
    if (line.starts_with("HTTP/")) {  // also of an interim reply, and of one that leads elsewhere
      fields_.clear();
      whole_head_ = false;
      return;
    }
    whole_head_ = whole_head_ || trimmed(line).empty();
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      return;
    }
    std::string name(line.substr(0, colon));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    fields_.emplace_back(std::move(name), trimmed(line.substr(colon + 1)));
  }

  static std::size_t on_data(char* data, std::size_t /*one*/, std::size_t n, void* self) {
    return static_cast<Running*>(self)->take_data({reinterpret_cast<std::byte*>(data), n});
  }

  std::size_t take_data(std::span<const std::byte> piece) {
    tell_head();
    const Handler::Take take = stopped_ ? Handler::Take::Stop : handler_->data(piece);
    if (take == Handler::Take::Pause) {
      return CURL_WRITEFUNC_PAUSE;
    }
    stopped_ = take == Handler::Take::Stop;
    return stopped_ ? 0 : piece.size();
  }

  void tell_head() {
    if (!told_) {
      told_ = true;
      long status = 0;
      curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
      stopped_ = !handler_->head(static_cast<int>(status), std::move(fields_));
    }
  }

  Request request_;
  std::shared_ptr<Handler> handler_;
  CURL* easy_;
  List headers_;
  std::vector<std::pair<std::string, std::string>> fields_;
  bool whole_head_ = false;
  bool told_ = false;
  bool stopped_ = false;
  char words_[CURL_ERROR_SIZE] = {};
};

class CurlClient final : public Client {
 public:
  explicit CurlClient(const ClientOptions& options) : options_(options), multi_(curl_multi_init()) {
    curl_multi_setopt(multi_, CURLMOPT_MAX_HOST_CONNECTIONS, options_.connections);
    curl_multi_setopt(multi_, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX));
    // Signals are for the threads of the program, whose waiting reads they end.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~CurlClient() override {
    ending_ = true;
    curl_multi_wakeup(multi_);
    thread_.join();
    curl_multi_cleanup(multi_);
  }

  void start(Request request, std::shared_ptr<Handler> handler) override {
    {
      const std::lock_guard lock(mutex_);
      waiting_.emplace_back(std::move(request), std::move(handler));
    }
    curl_multi_wakeup(multi_);
  }

  void resume(const std::shared_ptr<Handler>& handler) override {
    {
      const std::lock_guard lock(mutex_);
      resumed_.push_back(handler);
    }
    curl_multi_wakeup(multi_);
  }

  void stop(const std::shared_ptr<Handler>& handler) override {
    {
      const std::lock_guard lock(mutex_);
      stopped_.push_back(handler);
    }
    curl_multi_wakeup(multi_);
  }

 private:
  void run() {
    while (!ending_) {
      take_orders();
      int left = 0;
      curl_multi_perform(multi_, &left);
      end_finished();
      curl_multi_poll(multi_, nullptr, 0, 1000, nullptr);
    }
    for (auto& [easy, running] : running_) {
      curl_multi_remove_handle(multi_, easy);
      running->end_early();
    }
    running_.clear();
    const std::lock_guard lock(mutex_);
    for (auto& [request, handler] : waiting_) {
      handler->done({.kind = Outcome::Kind::Stopped, .words = {}});
    }
  }

  void take_orders() {
    std::vector<std::pair<Request, std::shared_ptr<Handler>>> waiting;
    std::vector<std::shared_ptr<Handler>> resumed, stopped;
    {
      const std::lock_guard lock(mutex_);
      waiting.swap(waiting_);
      resumed.swap(resumed_);
      stopped.swap(stopped_);
    }
    for (auto& [request, handler] : waiting) {
      auto running = std::make_unique<Running>(std::move(request), std::move(handler), options_);
      CURL* const easy = running->easy();
      if (easy == nullptr || curl_multi_add_handle(multi_, easy) != CURLM_OK) {
        running->handler()->done({.kind = Outcome::Kind::Other, .words = "no request can be made"});
        continue;
      }
      running_.emplace(easy, std::move(running));
    }
    for (const auto& handler : resumed) {
      if (const auto found = find(handler); found != running_.end()) {
        curl_easy_pause(found->first, CURLPAUSE_CONT);
      }
    }
    for (const auto& handler : stopped) {
      if (const auto found = find(handler); found != running_.end()) {
        curl_multi_remove_handle(multi_, found->first);
        found->second->end_early();
        running_.erase(found);
      }
    }
  }

  std::unordered_map<CURL*, std::unique_ptr<Running>>::iterator find(
      const std::shared_ptr<Handler>& handler) {
    return std::find_if(running_.begin(), running_.end(),
                        [&](const auto& one) { return one.second->handler() == handler; });
  }

  void end_finished() {
    int queued = 0;
    while (const CURLMsg* const message = curl_multi_info_read(multi_, &queued)) {
      if (message->msg != CURLMSG_DONE) {
        continue;
      }
      CURL* const easy = message->easy_handle;
      const CURLcode code = message->data.result;
      const auto found = running_.find(easy);
      curl_multi_remove_handle(multi_, easy);
      if (found != running_.end()) {
        found->second->end(code);
        running_.erase(found);
      }
    }
  }

  ClientOptions options_;
  CURLM* multi_;
  std::atomic<bool> ending_ = false;
  std::mutex mutex_;
  std::vector<std::pair<Request, std::shared_ptr<Handler>>> waiting_;  // under mutex_
  std::vector<std::shared_ptr<Handler>> resumed_, stopped_;            // under mutex_
  std::unordered_map<CURL*, std::unique_ptr<Running>> running_;        // the thread's own
  std::thread thread_;
};

}  // namespace
}  // namespace fonds::remote

extern "C" __attribute__((visibility("default"))) fonds::remote::Client* fonds_remote_client(
    const fonds::remote::ClientOptions& options) {
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return nullptr;
  }
  return new fonds::remote::CurlClient(options);
}
