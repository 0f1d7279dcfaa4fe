// --memory-limit while a table is read and encoded.
#include <fstream>

#include "alacarte/train/fit.hpp"  // kProgramBytes
#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

class MemoryLimit : public ProgramTest {
 protected:
  void SetUp() override {
    if (program_has_sanitizers()) GTEST_SKIP() << "a sanitizer keeps freed memory back";
  }

  /// Expects a peak below the smallest limit, within four megabytes and from `least`, at which the rows of a table stay
  /// in memory; the program's own memory is excluded.
  void expect_peak_below(const std::string& table, const std::string& few, int least,
                         const std::vector<std::string>& more) const {
    constexpr int kMax = 180, kStep = 4;
    const auto train = [&](const std::string& data, int megabytes) {
      std::vector<std::string> arguments{"train",          "linear",
                                         "--data",         data,
                                         "--model",        folder_ / "m.ala",
                                         "--threads",      "1",
                                         "--memory-limit", std::to_string(megabytes) + "MB"};
      arguments.insert(arguments.end(), more.begin(), more.end());
      return run(arguments);
    };
    const auto peak = [](const RunResult& result) { return 1024.0 * static_cast<double>(result.peak_kilobytes); };
    const auto keeps_rows = [](const RunResult& result) { return result.code == 0 && !has(result.err, "do not fit"); };
    const RunResult program = train(few, kMax);
    ASSERT_TRUE(keeps_rows(program)) << program.err;
    for (int megabytes = least; megabytes < kMax; megabytes += kStep)
      if (const RunResult result = train(table, megabytes); keeps_rows(result)) {
        EXPECT_LT(peak(result) - peak(program), 1e6 * megabytes - kProgramBytes);
        return;
      }
    ADD_FAILURE() << "the rows are never kept";
  }

  /// Writes named rows of friedman1, line by line, since this process's memory counts in its children's peak.
  std::string named(int rows, const std::string& name) const {
    std::ifstream table(friedman(rows, 1, name));
    std::ofstream out(folder_ / ("named-" + name));
    std::string line;
    for (int row = 0; std::getline(table, line); ++row)
      out << (row == 0 ? "id" : "r" + std::to_string(row)) << ',' << line << '\n';
    return folder_ / ("named-" + name);
  }
};

TEST_F(MemoryLimit, HoldsForPlainRows) {
  expect_peak_below(friedman(300000, 1, "d.csv"), friedman(100, 1, "few.csv"), 76, {});
}

TEST_F(MemoryLimit, HoldsWhereMostColumnsAreIgnored) {
  expect_peak_below(friedman(300000, 1, "d.csv"), friedman(100, 1, "few.csv"), 60,
                    {"--ignore", "x1,x2,x3,x4,x5,x6,x7,x8"});
}

TEST_F(MemoryLimit, HoldsForRowsWithNames) {
  expect_peak_below(named(300000, "d.csv"), named(100, "few.csv"), 100, {"--set", "/data/key=id"});
}

TEST_F(MemoryLimit, HoldsForColumnsOfText) {
  const auto table = [&](int rows, const std::string& name) {
    std::ofstream out(folder_ / name);
    out << "a,b,c,d,e,f,g,h,y\n";
    for (int i = 0; i < rows; ++i) {
      for (int column = 0; column < 8; ++column) out << (i + column) % (2 + column % 2) << "k,";
      out << i % 7 << '\n';
    }
    return folder_ / name;
  };
  expect_peak_below(table(200000, "d.csv"), table(100, "few.csv"), 140, {});
}

TEST_F(MemoryLimit, HoldsForTwoTargets) {
  expect_peak_below(friedman(300000, 1, "d.csv"), friedman(100, 1, "few.csv"), 76, {"--target", "y,x10"});
}

TEST_F(MemoryLimit, AnAddressSpaceHoldsTheThreadsThatRun) {
  const std::string data = friedman(100, 1, "d.csv");
  for (const char* kilobytes : {"4000000", "8000000", "16000000", "40000000"}) {
    const std::string command = std::string("ulimit -v ") + kilobytes + "; exec " + program_path() +
                                " train linear --data '" + data + "' --model '" + (folder_ / "m.ala") + "'";
    const RunResult result = run_program("/bin/bash", {"-c", command});
    EXPECT_EQ(result.code, 0) << kilobytes << ": " << result.err;
  }
}

}  // namespace
}  // namespace alacarte::test
