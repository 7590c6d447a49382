// Objects of S3 as sinks: by one request, or by a multipart upload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/remote.hpp>

#include "io/remote/exchange.hpp"
#include "io/remote/session.hpp"
#include "io/remote/url.hpp"

namespace fonds::remote {

// S3 takes no more parts of an object.
inline constexpr std::uint32_t kMostParts = 10'000;

// How large the part with this number, from 1 on, has to be, unless it is the last: small ones
// first, and yet all together reach 5 TiB, the largest object.
std::size_t part_size(std::uint32_t number);

// Errors: Corrupt for what is no <InitiateMultipartUploadResult> with an id.
Result<std::string> parse_upload_id(std::string_view xml);
// The body of the request that completes an upload; the ETags in the order of the parts.
std::string emit_completion(const std::vector<std::string>& etags);

class Upload final : public ObjectSink {
 public:
  // Errors: as create_object().
  static Result<std::unique_ptr<Upload>> create(Session& session, Url url, bool replace);
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;
  ~Upload() override;

  Status write(ByteView bytes) override;
  std::uint64_t position() const override { return position_; }
  Result<std::shared_ptr<ByteSource>> written() const override;
  Status commit() override;
  Status abandon() override;

 private:
  Upload(Session& session, Url url, bool replace);
  // Whether the object is there is asked before hours of work, and with it whether the server knows
  // the bucket and the keys.
  Status look();
  Status begin();
  // Sends what is held as a part.
  Status send_part();
  Status begin_part();
  // Waits for the oldest part that is under way.
  Status settle_part();
  // Sends the request by which the object appears; `condition`: if there is none yet.
  Status appear(Question question, bool condition);
  // Whether the object is the one that was written here: its appearing may have been the answer
  // that was lost.
  bool has_appeared() const;
  // Gives the parts that are under way a while to be stored, and ends the others; whether there
  // were none of those.
  bool let_parts_end();
  Question question(std::string_view method, std::string what) const;
  std::string upload_query() const;

  struct Part {
    std::unique_ptr<Exchange> exchange;
    std::uint32_t number = 0;
    std::size_t size = 0;
  };

  Session& session_;
  const Url url_;
  const std::string name_;
  const bool replace_;
  std::string mark_;       // stays with the object: by it this knows its own
  std::string upload_id_;  // empty: nothing was sent yet
  std::vector<std::byte> buffer_;
  std::uint64_t position_ = 0;
  std::uint32_t parts_ = 0;  // that were begun
  std::deque<Part> under_way_;
  std::uint64_t bytes_under_way_ = 0;
  std::vector<std::string> etags_;  // of the parts that the server has
  bool failed_ = false;             // never to be completed
  bool ended_ = false;              // committed or abandoned
};

}  // namespace fonds::remote
