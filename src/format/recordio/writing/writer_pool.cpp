#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "format/recordio/reading/grammar.hpp"
#include "format/recordio/reading/transform.hpp"
#include "format/recordio/writing/writer_detail.hpp"

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
      most_kept_(memory / 4 / threads),
      keep_items_(keep_items),
      jobs_(threads, memory, [this] { return make_work(); }) {}

bool EncoderPool::full(const ItemBlock& block) const noexcept { return jobs_.full(cost_of(block)); }

Status EncoderPool::submit(ItemBlock& block) {
  std::unique_ptr<Job> job;
  if (idle_.empty()) {
    job = std::make_unique<Job>();
  } else {
    job = std::move(idle_.back());
    idle_.pop_back();
  }
  const std::uint64_t cost = cost_of(block);
  job->block = std::move(block);
  block = ItemBlock();
  {
    const std::lock_guard lock(mutex_);
    if (!idle_blocks_.empty()) {
      block = std::move(idle_blocks_.back());
      idle_blocks_.pop_back();
    }
  }
  return jobs_.submit(job, cost);
}

void EncoderPool::pop() {
  std::unique_ptr<Job> job = jobs_.pop();
  if (keep_items_) {
    keep(std::move(job->block));
  }
  // Buffers that one huge block made are not kept for ordinary ones.
  if (job->stored.capacity() > most_kept_) {
    job->stored.release();
  }
  idle_.push_back(std::move(job));
}

void EncoderPool::keep(ItemBlock&& block) {
  block.clear();
  if (block.memory() <= most_kept_) {
    const std::lock_guard lock(mutex_);
    idle_blocks_.push_back(std::move(block));
  }
}

Result<EncoderPool::Jobs::Work> EncoderPool::make_work() {
  FONDS_TRY(Stack stack, Stack::make(transformers_));
  return Jobs::Work([this, encoder = std::make_shared<BlockEncoder>(layout_, std::move(stack))](
                        Job& job) { return encode(*encoder, job); });
}

Status EncoderPool::encode(BlockEncoder& encoder, Job& job) {
  FONDS_TRY(const BlockForm stored, encoder.encode(job.block, Magic::Packed, job.stored));
  job.transformed = stored.transformed;
  if (!keep_items_) {
    keep(std::exchange(job.block, ItemBlock()));
  }
  return {};
}

}  // namespace fonds::recordio
