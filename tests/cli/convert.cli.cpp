#include <signal.h>
#include <unistd.h>

#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Convert : public ProgramTest {
 protected:
  std::string model(const std::string& data, const std::string& name, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"train",        quick_recipe(), "--data", data,    "--model",
                                       folder_ / name, "--threads",    "1",      "--log", "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    last_ = must(arguments);
    return folder_ / name;
  }
  json scores(const std::string& model, const std::string& data, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"evaluate", model, "--data", data, "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    json result = json::parse(must(arguments).out);
    result.erase("seconds");
    return result;
  }
  /// Returns the smallest limit that a refusal names for these rows.
  int smallest_megabytes(const std::string& rows) const {
    const RunResult refused =
        run({"train", quick_recipe(), "--data", rows, "--model", folder_ / "none", "--quiet", "--memory-limit", "1MB"});
    const std::string words = "smallest that works is ";
    expect_failure(refused, 2, {"--memory-limit", "1 MB are too little", words});
    const auto at = refused.err.find(words);
    return at == std::string::npos ? 0 : std::stoi(refused.err.substr(at + words.size()));
  }
  mutable RunResult last_;
};

TEST_F(Convert, RowsTrainAndPredictLikeTheirTable) {
  const std::string table = friedman(400, 1, "d.csv"), rows = folder_ / "d.rows";
  must({"convert", table, "--out", rows, "--target", "y"});
  const std::string a = model(table, "a.ala", {"--holdout", "0.25"}), b = model(rows, "b.ala", {"--holdout", "0.25"});
  EXPECT_EQ(scores(a, table, {"--held-out"}), scores(b, rows, {"--held-out"}));
  EXPECT_EQ(scores(b, table), scores(b, rows));
  must({"predict", a, "--data", table, "--out", folder_ / "a.csv", "--quiet"});
  must({"predict", b, "--data", rows, "--out", folder_ / "b.csv", "--quiet"});
  EXPECT_EQ(read_file(folder_ / "a.csv"), read_file(folder_ / "b.csv"));
}

TEST_F(Convert, ManyPartsNeedFewOpenFilesAndAppearTogether) {
  const std::string table = friedman(2000, 1, "d.csv");
  const std::string command =
      program_path() + " convert " + table + " --parts 300 --out '" + (folder_ / "part-*.rows") + "' --quiet";
  const RunResult result = run_program("/bin/bash", {"-c", "ulimit -n 50; " + command});
  EXPECT_EQ(result.code, 0) << result.err;
  std::size_t parts = 0;
  for (const std::string& name : folder_.entries()) parts += name.ends_with(".rows");
  EXPECT_EQ(parts, 300u);
  expect_no_leftovers();
  const std::string model_of_all = model(table, "a.ala");
  EXPECT_EQ(scores(model_of_all, table)["n"], scores(model_of_all, folder_ / "part-*.rows")["n"]);
  expect_failure(run({"convert", table, "--parts", "1001", "--out", folder_ / "q-*.rows"}), 1, {"--parts", "1000"});
  fs::create_directory(folder_ / "r-2.rows");
  expect_failure(run({"convert", table, "--parts", "3", "--out", folder_ / "r-*.rows", "--quiet"}), 4, {"r-2.rows"});
  EXPECT_FALSE(fs::exists(folder_ / "r-1.rows"));
}

TEST_F(Convert, RowsThatDoNotFitAreReadFromDisk) {
  const std::string table = friedman(30000, 1, "d.csv"), rows = folder_ / "d.rows";
  const std::string memory = model(table, "a.ala");
  EXPECT_EQ(last_.err.find("do not fit the memory"), std::string::npos) << last_.err;
  must({"convert", table, "--out", rows, "--quiet"});
  const std::string tight = std::to_string(smallest_megabytes(rows)) + "MB";
  const std::string streamed = model(table, "b.ala", {"--memory-limit", tight});
  EXPECT_NE(last_.err.find("do not fit the memory"), std::string::npos) << last_.err;
  const std::string stored = model(rows, "c.ala", {"--memory-limit", tight});
  const json a = scores(memory, table), b = scores(streamed, table), c = scores(stored, rows);
  EXPECT_EQ(b, c);
  EXPECT_NEAR(a["rmse"].get<double>(), b["rmse"].get<double>(), 1e-6);
  const auto files = folder_.entries();
  EXPECT_EQ(files.size(), 6u) << "table, rows, recipe, three models";
  // The table and its rows file give the same split.
  const std::string held = model(table, "d.ala", {"--memory-limit", tight, "--holdout", "0.5"});
  EXPECT_EQ(scores(held, table, {"--held-out"})["n"], 15000);
  EXPECT_EQ(scores(held, rows, {"--held-out"}), scores(held, table, {"--held-out"}));
}

TEST_F(Convert, TheSmallestLimitNamedWorksAndATenthLessDoesNot) {
  const std::string rows = folder_ / "d.rows";
  must({"convert", friedman(3000, 1, "d.csv"), "--out", rows, "--quiet"});
  const auto train = [&](const std::string& limit) {
    return run(
        {"train", quick_recipe(), "--data", rows, "--model", folder_ / "m.ala", "--quiet", "--memory-limit", limit});
  };
  const int megabytes = smallest_megabytes(rows);
  EXPECT_EQ(train(std::to_string(megabytes) + "MB").code, 0);
  expect_failure(train(std::to_string(900 * megabytes) + "kB"), 2, {"--memory-limit"});
  for (const char* bad : {"none", "1 PB", "-1MB", "0", "1e400"}) expect_failure(train(bad), 1, {"is no size"});
}

TEST_F(Convert, RefusesWhatIsNotSo) {
  const std::string table = friedman(300, 1, "d.csv"), rows = folder_ / "d.rows";
  must({"convert", table, "--out", rows, "--quiet"});
  expect_failure(run({"convert", rows, "--out", folder_ / "e.rows"}), 3, {"is a rows file already"});
  expect_failure(run({"convert", table, "--out", folder_ / "e.rows", "--target", "z"}), 2, {"/data/target", "'z'"});
  expect_failure(run({"convert", table, "--out", folder_ / "no/e.rows"}), 4, {"e.rows"});
  expect_failure(run({"train", quick_recipe(), "--data", rows, "--target", "x1", "--model", folder_ / "m"}), 2,
                 {"/data/target", "other data options"});
  std::string bytes = read_file(rows);
  bytes[1000] = static_cast<char>(bytes[1000] ^ 4);
  const std::string damaged = folder_.write("bad.rows", bytes);
  expect_failure(run({"train", quick_recipe(), "--data", damaged, "--model", folder_ / "m"}), 3,
                 {"bad.rows", "chunk 1 (rows 1 to 300) is damaged"});
  expect_failure(run({"train", quick_recipe(), "--data", folder_.write("cut.rows", bytes.substr(0, 5000)), "--model",
                      folder_ / "m"}),
                 3, {"cut.rows", "cut short"});
}

TEST_F(Convert, AnInterruptLeavesNothing) {
  const std::string table = friedman(400000, 1, "d.csv");
  const auto before = folder_.entries();
  RunResult result;
  for (int attempt = 0; attempt < 10; ++attempt) {
    RunningProgram program(program_path(), {"convert", table, "--out", folder_ / "d.rows"});
    for (int i = 0; i < 60000 && folder_.entries() == before; ++i) ::usleep(1000);
    program.send(SIGTERM);
    result = program.wait();
    if (result.code != 0) break;
    fs::remove(folder_ / "d.rows");  // ended before this test could run
  }
  EXPECT_EQ(result.code, 130) << result.err;
  EXPECT_EQ(folder_.entries(), before);
}

}  // namespace
}  // namespace alacarte::test
