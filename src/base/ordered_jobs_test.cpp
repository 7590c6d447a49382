#include "base/ordered_jobs.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include <fonds/error.hpp>

namespace fonds {
namespace {

struct Job {
  int in = 0, out = 0;
};
using Jobs = OrderedJobs<Job>;

Result<Jobs::Work> doubling() {
  return Jobs::Work([](Job& job) -> Status {
    if (job.in < 0) {
      return fail(ErrorCode::BadArgument, "below zero");
    }
    if (job.in == 1000) {
      throw std::runtime_error("a thousand");
    }
    job.out = 2 * job.in;
    return {};
  });
}

Status submit(Jobs& jobs, int in, std::uint64_t cost = 1) {
  auto job = std::make_unique<Job>(Job{.in = in});
  return jobs.submit(job, cost);
}

TEST(OrderedJobsThreads, GiveJobsBackInTheirOrder) {
  Jobs jobs(3, 1000, doubling);
  std::vector<int> out;
  for (int n = 0; n < 500; ++n) {
    while (jobs.full(1)) {
      out.push_back(jobs.front(true).job->out);
      jobs.pop();
    }
    ASSERT_TRUE(submit(jobs, n));
  }
  while (!jobs.empty()) {
    out.push_back(jobs.front(true).job->out);
    jobs.pop();
  }
  ASSERT_EQ(out.size(), 500U);
  for (int n = 0; n < 500; ++n) {
    EXPECT_EQ(out[static_cast<std::size_t>(n)], 2 * n);
  }
  EXPECT_EQ(jobs.front(true).job, nullptr);
}

TEST(OrderedJobsThreads, AnErrorComesInItsTurn) {
  Jobs jobs(2, 1000, doubling);
  ASSERT_TRUE(submit(jobs, 1));
  ASSERT_TRUE(submit(jobs, -1));
  ASSERT_TRUE(submit(jobs, 1000));
  EXPECT_EQ(jobs.front(true).error, nullptr);
  jobs.pop();
  EXPECT_EQ(jobs.front(true).error->message(), "below zero");
  jobs.pop();
  EXPECT_EQ(jobs.front(true).error->message(), "a thousand") << "an exception is an error, too";
  EXPECT_TRUE(jobs.failed());
}

TEST(OrderedJobsThreads, OneJobMayCostMoreThanTheBudget) {
  Jobs jobs(2, 10, doubling);
  EXPECT_FALSE(jobs.full(100));
  ASSERT_TRUE(submit(jobs, 1, 100));
  EXPECT_TRUE(jobs.full(1));
  static_cast<void>(jobs.front(true));
  jobs.pop();
  EXPECT_FALSE(jobs.full(100));
}

TEST(OrderedJobsThreads, WhatNobodyBeganIsLeftAtTheEnd) {
  std::atomic<int> done = 0;
  {
    Jobs jobs(1, 1000, [&]() -> Result<Jobs::Work> {
      return Jobs::Work([&](Job&) -> Status {
        ++done;
        return {};
      });
    });
    for (int n = 0; n < 2; ++n) {
      ASSERT_TRUE(submit(jobs, n));
    }
  }
  EXPECT_LE(done.load(), 2);
}

TEST(OrderedJobsThreads, AWorkerThatCannotBeMadeIsAnError) {
  Jobs jobs(1, 1000,
            []() -> Result<Jobs::Work> { return fail(ErrorCode::LimitExceeded, "no memory"); });
  auto job = std::make_unique<Job>();
  const Status status = jobs.submit(job, 1);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(), "no memory");
  EXPECT_NE(job, nullptr);
  EXPECT_TRUE(jobs.empty());
}

}  // namespace
}  // namespace fonds
