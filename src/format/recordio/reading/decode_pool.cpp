#include "format/recordio/reading/decode_pool.hpp"

#include <algorithm>
#include <exception>

#include "format/recordio/reading/decode.hpp"
#include "format/recordio/reading/feed.hpp"

namespace fonds::recordio {

DecodePool::DecodePool(unsigned threads) {
  for (unsigned i = 0; i < threads; ++i) {
    pool_.emplace_back([this] { work(); });
  }
}

DecodePool::~DecodePool() {
  {
    const std::unique_lock lock(mutex_);
    stop_ = true;
  }
  added_.notify_all();
}

void DecodePool::add(FedBlock& block) {
  {
    const std::unique_lock lock(mutex_);
    queue_.push_back(&block);
  }
  added_.notify_one();
}

void DecodePool::wait(const FedBlock& block) {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] {
    const auto found = std::find(finished_.begin(), finished_.end(), &block);
    if (found == finished_.end()) {
      return false;
    }
    finished_.erase(found);
    return true;
  });
}

void DecodePool::work() {
  BlockDecoder decoder;
  while (true) {
    FedBlock* block = nullptr;
    {
      std::unique_lock lock(mutex_);
      added_.wait(lock, [&] { return stop_ || !queue_.empty(); });
      if (stop_) {
        return;
      }
      block = queue_.front();
      queue_.pop_front();
    }
    try {
      block->fault = decoder.decode(block->stored, *block->transformation, block->most,
                                    block->content, block->items);
      block->oddity = decoder.oddity();
    } catch (const std::exception& error) {
      // Out of memory, or a transformer of the application.
      block->fault = Fault{"transform-damaged", error.what()};
    }
    {
      const std::unique_lock lock(mutex_);
      finished_.push_back(block);
    }
    done_.notify_one();
  }
}

}  // namespace fonds::recordio
