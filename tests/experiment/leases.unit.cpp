// Leases of units: one holder each, taken over once from the dead, on this machine and on others.
#include "experiment/leases.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "alacarte/core/error.hpp"
#include "support/program.hpp"

namespace alacarte::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Runs `body` in a process that then dies without cleanup.
void in_process_that_dies(const std::function<void()>& body) {
  const pid_t process = ::fork();
  if (process == 0) {
    body();
    ::_exit(0);
  }
  ::waitpid(process, nullptr, 0);
}

class LeasesTest : public testing::Test {
 protected:
  std::vector<std::string> left(const char* below) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_ / below)) names.push_back(entry.path().filename().string());
    return names;
  }
  std::string out() const { return folder_.path().string(); }
  TemporaryFolder folder_;
};

TEST_F(LeasesTest, AUnitHasOneHolder) {
  {
    Leases one(out()), two(out());
    EXPECT_TRUE(one.try_take("a"));
    EXPECT_FALSE(two.try_take("a"));
    EXPECT_FALSE(one.try_take("a"));
    EXPECT_TRUE(two.try_take("b"));
    EXPECT_TRUE(one.holds("a"));
    EXPECT_FALSE(one.holds("b"));
    EXPECT_NE(Leases::holder(out(), "a"), "");
    one.release("a");
    EXPECT_FALSE(one.holds("a"));
    EXPECT_EQ(Leases::holder(out(), "a"), "");
    EXPECT_TRUE(two.try_take("a"));
  }
  EXPECT_TRUE(left("leases").empty());
  EXPECT_TRUE(left("runners").empty());
}

TEST_F(LeasesTest, AProcessThatDiedHereIsKnownAtOnce) {
  in_process_that_dies([&] {
    auto* const dead = new Leases(out());
    dead->try_take("a");
    std::ofstream(dead->scratch("half")) << "written";
  });
  ASSERT_EQ(left("leases").size(), 1u);
  Leases living(out(), 1000);
  EXPECT_TRUE(living.try_take("a"));
  living.release("a");
  EXPECT_TRUE(living.sweep(Clock::now()));
  EXPECT_TRUE(left("leases").empty());
  EXPECT_EQ(left("runners").size(), 1u);
}

TEST_F(LeasesTest, ARunnerElsewhereIsDeadWhenItsCounterStandsStill) {
  Leases living(out(), 0.3), beating(out(), 0.3, "another machine");
  auto silent = std::make_unique<Leases>(out(), 0.3, "a third");
  ASSERT_TRUE(beating.try_take("a"));
  ASSERT_TRUE(silent->try_take("b"));
  bool taken = false;
  const auto began = Clock::now();
  while (!taken && Clock::now() - began < std::chrono::seconds(20)) {
    living.beat();
    beating.beat();
    EXPECT_FALSE(living.try_take("a"));
    taken = living.try_take("b");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(taken);
  EXPECT_GT(Clock::now() - began, std::chrono::milliseconds(290));
  // The runner that was taken for dead was only asleep.
  EXPECT_FALSE(silent->holds("b"));
  silent->release("b");
  EXPECT_TRUE(living.holds("b"));
  // Its scratch files are removed; it detects that and starts anew.
  EXPECT_TRUE(beating.holds("a"));
  living.sweep(Clock::now());
  EXPECT_FALSE(silent->beat());
  EXPECT_TRUE(silent->try_take("c"));
  EXPECT_TRUE(silent->beat());
}

/// It slept between its last look at the lease and the rename.
TEST_F(LeasesTest, ARunnerThatWasTakenForDeadCanPublishNothing) {
  Leases living(out(), 0.2), asleep(out(), 0.2, "another machine");
  ASSERT_TRUE(asleep.try_take("a"));
  std::ofstream(asleep.scratch("a.json")) << "result";
  ASSERT_TRUE(asleep.holds("a"));
  EXPECT_FALSE(asleep.taken_for_dead());
  for (int polls = 0; !living.try_take("a") && polls < 2000; ++polls)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_TRUE(living.holds("a"));
  EXPECT_THROW(asleep.place(asleep.scratch("a.json"), folder_ / "a.json"), IoError);
  EXPECT_THROW(asleep.write(folder_ / "a.json", "failed"), IoError);
  EXPECT_THROW(asleep.try_take("b"), IoError);
  EXPECT_FALSE(fs::exists(folder_ / "a.json"));
  EXPECT_TRUE(asleep.taken_for_dead());
  asleep.rejoin();
  EXPECT_FALSE(asleep.taken_for_dead());
  EXPECT_FALSE(asleep.holds("a"));
  EXPECT_TRUE(asleep.try_take("b"));
  EXPECT_EQ(left("runners").size(), 2u);
}

/// Simulates a runner that died between rename and removal.
TEST_F(LeasesTest, WhatWasBuriedIsSweptAndNothingElse) {
  Leases living(out()), other(out());
  folder_.write("runners/over.host-1-00/draft", "half");
  living.sweep(Clock::now());
  EXPECT_EQ(left("runners").size(), 2u);
  EXPECT_FALSE(fs::exists(folder_ / "runners/over.host-1-00"));
  EXPECT_TRUE(other.beat());
}

TEST_F(LeasesTest, TimeInWhichNobodyLookedDoesNotCount) {
  Leases living(out(), 1);
  Leases other(out(), 1, "another machine");
  ASSERT_TRUE(other.try_take("a"));
  EXPECT_FALSE(living.try_take("a"));
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // simulates a suspended process
  EXPECT_FALSE(living.try_take("a"));
}

TEST_F(LeasesTest, TheUnitsOfADeadRunnerAreTakenOverOnce) {
  constexpr int kUnits = 40, kThreads = 8;
  for (const char* machine : {"", "another machine"}) {
    in_process_that_dies([&] {
      auto* const dead = *machine ? new Leases(out(), 0.2, machine) : new Leases(out(), 0.2);
      for (int k = 0; k < kUnits; ++k) dead->try_take(std::to_string(k));
    });
    std::vector<std::atomic<int>> takers(kUnits);
    std::vector<std::thread> threads;
    std::atomic<int> ready{0}, taken{0};
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        Leases own(out(), 0.2);
        ++ready;
        while (ready < kThreads) std::this_thread::yield();
        const auto began = Clock::now();
        // A few more passes after all units are taken, in which none may be taken again.
        for (int after = 0; after < 20 && Clock::now() - began < std::chrono::seconds(60);) {
          if (taken >= kUnits) ++after;
          for (int k = 0; k < kUnits; ++k) {
            if (!own.try_take(std::to_string(k))) continue;
            ++takers[static_cast<std::size_t>(k)];
            ++taken;
          }
          own.beat();
        }
        ++ready;
        while (ready < 2 * kThreads) {
          own.beat();
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (int k = 0; k < kUnits; ++k) EXPECT_EQ(takers[static_cast<std::size_t>(k)], 1) << machine << " unit " << k;
    Leases last(out(), 0.2);
    const auto since = Clock::now();
    for (int polls = 0; polls < 400 && !last.sweep(since); ++polls)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(left("leases").empty()) << machine;
    EXPECT_EQ(left("runners").size(), 1u) << machine;
  }
}

TEST_F(LeasesTest, AHalfWrittenLeaseIsRemovedInTime) {
  Leases living(out(), 0.2);
  folder_.write("leases/a", "host-1-00");  // without hard links, a writer may die between making and writing it
  bool taken = false;
  for (int polls = 0; !taken && polls < 1000; ++polls) {
    taken = living.try_take("a");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(taken);
}

TEST_F(LeasesTest, ADeadHolderOfTheRightToRemoveLosesIt) {
  std::string runner;
  in_process_that_dies([&] {
    auto* const dead = new Leases(out());
    dead->try_take("a");
    // Simulates death while returning the unit: right and lease both exist.
    std::string text = read_file(folder_ / "leases/a");
    text.pop_back();
    text.replace(text.find('/'), 1, ".");
    folder_.write("leases/over." + text, text.substr(0, text.rfind('.')) + "/77\n");
  });
  ASSERT_EQ(left("leases").size(), 2u);
  Leases living(out());
  bool taken = false;
  for (int polls = 0; !taken && polls < 3; ++polls) taken = living.try_take("a");
  EXPECT_TRUE(taken);
  EXPECT_EQ(left("leases").size(), 1u);
}

TEST_F(LeasesTest, AFolderThatCannotBeWrittenToIsNamed) {
  folder_.write("file", "");
  EXPECT_THROW(Leases(folder_ / "file/out"), IoError);
}

TEST_F(LeasesTest, SharedFilesLeaveNothingBesidesThem) {
  write_shared_file(out(), "experiment.json", "{}");
  write_shared_file(out(), "experiment.json", "{}");
  EXPECT_EQ(read_file(folder_ / "experiment.json"), "{}");
  EXPECT_TRUE(left("runners").empty());
}

}  // namespace
}  // namespace alacarte::test
