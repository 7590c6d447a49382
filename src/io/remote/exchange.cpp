#include "io/remote/exchange.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fonds/bytes.hpp>

#include "base/digest.hpp"
#include "io/remote/s3_error.hpp"

namespace fonds::remote {
namespace {

constexpr long kSlowSeconds = 600;

DigestValue digest_of(DigestAlgorithm algorithm, ByteView bytes) {
  Hasher hasher(algorithm);
  hasher.update(bytes);
  return hasher.finish();
}

}  // namespace

Exchange::Exchange(Session& session, Question question)
    : session_(session), question_(std::move(question)), tries_(session, question_.deed) {}

void Exchange::abandon() {
  constexpr std::chrono::seconds kLongest(1);  // the client's thread needs no server for it
  if (reply_) {
    reply_->abandon();
    static_cast<void>(reply_->await_end_for(kLongest));
  }
}

Status Exchange::start() {
  if (question_.body && sha256_.empty()) {
    const DigestValue digest = digest_of(DigestAlgorithm::Sha256, *question_.body);
    sha256_ = to_hex({digest.bytes.data(), digest.size});
  }
  FONDS_TRY(Request request, question_.body
                                 ? session_.request(question_.url, question_.query, sha256_)
                                 : session_.request(question_.url, question_.query));
  // A signature covers the body; without one the server needs something to compare it with.
  if (question_.body && !request.signing) {
    const DigestValue digest = digest_of(DigestAlgorithm::Md5, *question_.body);
    if (digest.size > 0) {
      request.headers.push_back("Content-MD5: " + to_base64({digest.bytes.data(), digest.size}));
    }
  }
  request.method = question_.method;
  request.headers.insert(request.headers.end(), question_.headers.begin(), question_.headers.end());
  request.body = question_.body;
  request.stall_seconds =
      question_.slow ? std::max<long>(kSlowSeconds, session_.options().stall_seconds) : 0;
  reply_ = std::make_shared<Reply>(session_, question_.room, Reply::Full::Stops);
  reply_->start(std::move(request));
  return {};
}

Result<Answer> Exchange::finish() {
  for (;;) {
    FONDS_CHECK(reply_->await_end());
    Answer answer;
    const auto failure = judge(answer);
    if (!failure) {
      return answer;
    }
    const Reply::Head* const head = reply_->known_head();
    const bool elsewhere =
        head != nullptr && session_.learn_region(question_.url, head->get("x-amz-bucket-region"));
    if (!elsewhere) {
      FONDS_CHECK(tries_.next(*failure, shown(question_.url), question_.what));
    }
    FONDS_CHECK(start());
  }
}

std::optional<Answer> Exchange::finish_within(std::chrono::milliseconds time) {
  Answer answer;
  if (!reply_->await_end_for(time) || judge(answer)) {
    return std::nullopt;
  }
  return answer;
}

tl::unexpected<Error> Exchange::refuse(const Answer& answer) const {
  return tries_.refuse(failure_of(answer.head, answer.body), shown(question_.url), question_.what);
}

std::optional<Failure> Exchange::judge(Answer& answer) {
  const Reply::Head* const head = reply_->known_head();
  if (head == nullptr) {
    return failure_of(reply_->outcome());
  }
  answer.head = *head;
  answer.body = as_text(reply_->take_all());
  const bool good = std::find(question_.answers.begin(), question_.answers.end(), head->status) !=
                    question_.answers.end();
  if (!good) {
    return failure_of(*head, answer.body);
  }
  if (reply_->outcome().kind != Outcome::Kind::Done) {
    return failure_of(reply_->outcome());
  }
  // Of work that takes long the server says that it goes well before it knows.
  if (head->status == 200 && parse_s3_error(answer.body)) {
    return failure_of(*head, answer.body);
  }
  return std::nullopt;
}

Result<Answer> ask(Session& session, Question question) {
  Exchange exchange(session, std::move(question));
  FONDS_CHECK(exchange.start());
  return exchange.finish();
}

}  // namespace fonds::remote
