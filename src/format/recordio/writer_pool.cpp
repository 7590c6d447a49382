#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "format/recordio/grammar.hpp"
#include "format/recordio/transform.hpp"
#include "format/recordio/writer_detail.hpp"

namespace fonds::recordio {

namespace {

// The items, their transformed form and the stored form are held at the same time; and the sizes.
std::uint64_t cost_of(const ItemBlock& block) noexcept {
  return 3 * block.items_size() + 2 * sizeof(std::uint64_t) * block.count();
}

}  // namespace

EncoderPool::EncoderPool(Layout layout, std::vector<std::string> transformers, unsigned threads,
                         std::uint64_t memory, bool keep_items)
    : layout_(layout),
      transformers_(std::move(transformers)),
      threads_(threads),
      memory_(memory),
      keep_items_(keep_items) {}

EncoderPool::~EncoderPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_came_.notify_all();
  workers_.clear();  // joins
}

bool EncoderPool::full(const ItemBlock& block) const noexcept {
  if (in_flight_.empty()) {
    return false;
  }
  return in_flight_.size() >= std::size_t{2} * threads_ ||
         cost_of(block) > memory_ - std::min(memory_, cost_);
}

Status EncoderPool::submit(ItemBlock& block) {
  if (workers_.size() < threads_) {
    FONDS_CHECK(start_worker());
  }
  std::unique_ptr<Job> job;
  if (idle_.empty()) {
    job = std::make_unique<Job>();
  } else {
    job = std::move(idle_.back());
    idle_.pop_back();
  }
  job->cost = cost_of(block);
  cost_ += job->cost;
  job->block = std::move(block);
  block = ItemBlock();
  in_flight_.push_back(std::move(job));
  {
    const std::lock_guard lock(mutex_);
    if (!idle_blocks_.empty()) {
      block = std::move(idle_blocks_.back());
      idle_blocks_.pop_back();
    }
    queue_.push_back(in_flight_.back().get());
  }
  work_came_.notify_one();
  return {};
}

EncoderPool::Job* EncoderPool::front(bool wait) {
  if (in_flight_.empty()) {
    return nullptr;
  }
  Job* const job = in_flight_.front().get();
  std::unique_lock lock(mutex_);
  if (wait) {
    job_done_.wait(lock, [&] { return job->done; });
  }
  return job->done ? job : nullptr;
}

void EncoderPool::pop() {
  std::unique_ptr<Job> job = std::move(in_flight_.front());
  in_flight_.pop_front();
  cost_ -= job->cost;
  if (keep_items_) {
    const std::lock_guard lock(mutex_);
    keep(std::move(job->block));
  }
  // Buffers that one huge block made are not kept for ordinary ones.
  if (job->stored.capacity() > memory_ / 4 / threads_) {
    job->stored.release();
  }
  job->done = false;
  job->error.reset();
  idle_.push_back(std::move(job));
}

void EncoderPool::keep(ItemBlock&& block) {
  block.clear();
  if (block.memory() <= memory_ / 4 / threads_) {
    idle_blocks_.push_back(std::move(block));
  }
}

Status EncoderPool::start_worker() {
  FONDS_TRY(Stack stack, Stack::make(transformers_));
  try {
    workers_.emplace_back([this, encoder = BlockEncoder(layout_, std::move(stack))]() mutable {
      work(std::move(encoder));
    });
  } catch (const std::system_error& error) {
    if (workers_.empty()) {
      return fail(ErrorCode::Io, std::string("cannot start a thread: ") + error.what());
    }
  }
  return {};
}

void EncoderPool::work(BlockEncoder encoder) {
  std::unique_lock lock(mutex_);
  while (true) {
    work_came_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (stopping_) {
      return;
    }
    Job* const job = queue_.front();
    queue_.pop_front();
    lock.unlock();
    run(encoder, *job);
    if (job->error) {
      failed_.store(true, std::memory_order_relaxed);
    }
    ItemBlock block;
    if (!keep_items_) {
      block = std::move(job->block);
      job->block = ItemBlock();
    }
    lock.lock();
    if (!keep_items_) {
      keep(std::move(block));
    }
    job->done = true;
    job_done_.notify_one();
  }
}

void EncoderPool::run(BlockEncoder& encoder, Job& job) const {
  auto stored = guarded([&] { return encoder.encode(job.block, Magic::Packed, job.stored); });
  if (stored) {
    job.transformed = stored->transformed;
  } else {
    job.error = std::move(stored.error());
  }
}

}  // namespace fonds::recordio
