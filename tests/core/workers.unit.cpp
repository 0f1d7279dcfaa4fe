#include "core/workers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <vector>

namespace alacarte {
namespace {

TEST(Workers, RunEachOnce) {
  std::vector<int> calls(5, 0);
  run_workers(5, [&](int worker) { ++calls[static_cast<std::size_t>(worker)]; });
  EXPECT_EQ(calls, std::vector<int>(5, 1));
}

TEST(Workers, TheExceptionOfTheLowestIsToldAfterAllHaveEnded) {
  std::atomic<int> ended = 0;
  const auto body = [&](int worker) {
    if (worker == 2) throw std::bad_alloc();
    if (worker == 3) throw std::runtime_error("three");
    ++ended;
  };
  EXPECT_THROW(run_workers(4, body), std::bad_alloc);
  EXPECT_EQ(ended, 2);
}

TEST(Workers, NestedOnesCarryTheirExceptionsOut) {
  const auto outer = [](int) {
    run_workers(2, [](int worker) {
      if (worker == 1) throw std::bad_alloc();
    });
  };
  EXPECT_THROW(run_workers(2, outer), std::bad_alloc);
}

TEST(Workers, DealEveryNumberOnce) {
  for (const Index chunk : {1, 3, 100})
    for (const int workers : {1, 3}) {
      std::vector<std::atomic<int>> calls(50);
      run_dealt(workers, 50, chunk, [&](Index i) { ++calls[static_cast<std::size_t>(i)]; });
      for (const auto& count : calls) EXPECT_EQ(count, 1);
    }
  run_dealt(2, 0, 4, [](Index) { FAIL(); });
}

TEST(Workers, AFailureEndsTheDeal) {
  std::atomic<int> calls = 0;
  const auto body = [&](Index i) {
    ++calls;
    if (i == 3) throw std::bad_alloc();
  };
  EXPECT_THROW(run_dealt(1, 1000, 8, body), std::bad_alloc);
  EXPECT_EQ(calls, 4);
}

}  // namespace
}  // namespace alacarte
