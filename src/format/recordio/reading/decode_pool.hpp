// Threads that undo blocks while their reader walks on.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace fonds::recordio {

struct FedBlock;

class DecodePool {
 public:
  explicit DecodePool(unsigned threads);
  ~DecodePool();  // blocks that nobody has begun are left as they are
  DecodePool(const DecodePool&) = delete;
  DecodePool& operator=(const DecodePool&) = delete;

  unsigned threads() const { return static_cast<unsigned>(pool_.size()); }
  // The block must live until wait() has returned for it, or the pool has gone.
  void add(FedBlock& block);
  // Waits until the block has been decoded.
  void wait(const FedBlock& block);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable added_, done_;
  std::deque<FedBlock*> queue_;            // under mutex_
  std::vector<const FedBlock*> finished_;  // under mutex_: decoded and not waited for
  bool stop_ = false;                      // under mutex_
  std::vector<std::jthread> pool_;
};

}  // namespace fonds::recordio
