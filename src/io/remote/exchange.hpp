// A request whose reply is taken whole, tried again where that may help.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>

#include "io/remote/reply.hpp"
#include "io/remote/request.hpp"
#include "io/remote/session.hpp"
#include "io/remote/transfer.hpp"
#include "io/remote/url.hpp"

namespace fonds::remote {

// What is asked for. To do it twice must be as good as once.
struct Question {
  std::string method = "GET";
  Url url;
  std::string query = {};  // as Session::request()
  std::vector<std::string> headers = {};
  Body body = {};
  std::string what;                             // in messages: "part 3"
  std::string_view deed = "fetched";            // "part 3 cannot be fetched"; static storage
  std::vector<int> answers = {200};             // statuses that are no failure
  std::uint64_t room = std::uint64_t{1} << 20;  // for the body of the reply
  bool slow = false;                            // the server may work for minutes before it answers
};

struct Answer {
  Reply::Head head;
  std::string body;
};

class Exchange {
 public:
  Exchange(Session& session, Question question);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() { abandon(); }

  // Sends the request; to be called first. Errors: those of Session::request().
  Status start();
  // Waits for an answer. Errors: the failure, with the number of tries; Cancelled.
  Result<Answer> finish();
  // Waits that long for the end of what was sent, cancelled or not; whether it came.
  bool ends_within(std::chrono::milliseconds time) { return reply_->await_end_for(time); }
  // Waits that long for an answer to what was sent, cancelled or not; nothing for a failure.
  std::optional<Answer> finish_within(std::chrono::milliseconds time);
  // Ends the transfer, if it is under way.
  void abandon();
  // The error for an answer that is not good enough after all.
  tl::unexpected<Error> refuse(const Answer& answer) const;

 private:
  // Of the reply that has ended. Fills `answer` unless there is a failure.
  std::optional<Failure> judge(Answer& answer);

  Session& session_;
  const Question question_;
  std::string sha256_;  // of the body
  Tries tries_;
  std::shared_ptr<Reply> reply_;
};

// Both in one.
Result<Answer> ask(Session& session, Question question);

}  // namespace fonds::remote
