// Training on minibatches by several ranks.
#include <fmt/format.h>

#include <chrono>

#include "mpi/ranks_test.hpp"

namespace alacarte::test {
namespace {

class RanksOnMinibatches : public RanksTest {
 protected:
  /// Returns a small network. more: keys, each after a comma.
  std::string deep(int epochs, int batch = 64,
                   const std::string& more = R"(, "noise": {"prior_center": "fixed"})") const {
    return folder_.write("deep.json",
                         R"({"model": "deep", "terms": [{"model": "ssgpr", "features": {"frequencies": 16}}],
        "network": {"widths": [24, 12], "epochs": )" +
                             std::to_string(epochs) + R"(, "batch": )" + std::to_string(batch) + "}" + more + "}");
  }
  std::string with_classes(const std::string& table, const std::string& name) const {
    std::string text;
    for (const auto& cells : cells_of(read_file(table))) {
      for (std::size_t j = 0; j + 1 < cells.size(); ++j) text += cells[j] + ",";
      const double y = std::atof(cells.back().c_str());
      text += (cells.back() == "y" ? "y" : y < 11 ? "a" : y < 17 ? "b" : "c") + std::string("\n");
    }
    return folder_.write(name, text);
  }
  nlohmann::json held_out(const std::string& model) const {
    return nlohmann::json::parse(
        must({"inspect", model, "--json"}).out)["fits"][0]["summary"]["minibatches"]["held_out"];
  }
  double score(const std::string& model, const std::string& table, const char* name) const {
    return nlohmann::json::parse(must({"evaluate", model, "--data", table}).out)[name];
  }
  double seconds_of(const std::function<void()>& work) const {
    const auto began = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }
};

// Float products are added in another order, which Adam amplifies with every step.
TEST_F(RanksOnMinibatches, GiveTheFeaturesOfOneProcess) {
  const std::string table = friedman(1500, 1, "f.csv"), rows = rows_of(table);
  const std::string one = predictions(train(0, deep(1), rows), table);
  const double rmse = held_out(folder_ / "model0")["rmse"];
  for (const int count : {1, 2, 3}) {
    SCOPED_TRACE(count);
    const std::string own = predictions(train(count, deep(1), rows), table);
    if (count == 1) {
      EXPECT_EQ(own, one);
    }
    EXPECT_LT(difference_of_predictions(one, own), 1e-4);
    EXPECT_NEAR(held_out(folder_ / ("model" + std::to_string(count)))["rmse"].get<double>(), rmse, 1e-5);
  }
  const std::string long_one = predictions(train(0, deep(8), rows), table);
  EXPECT_LT(difference_of_predictions(long_one, predictions(train(3, deep(8), rows), table)), 0.02);
}

TEST_F(RanksOnMinibatches, GiveTheSameBitsOnAsManyRanks) {
  const std::string table = friedman(900, 1, "f.csv"), rows = rows_of(table);
  const std::string first = predictions(train(3, deep(5), rows), table);
  EXPECT_EQ(predictions(train(3, deep(5), rows), table), first);
}

// A batch of two rows leaves at least one of three ranks without rows.
TEST_F(RanksOnMinibatches, WithoutARowOfABatchTakePart) {
  const std::string table = friedman(203, 1, "f.csv");
  const auto lines = lines_of(read_file(table));
  const auto part = [&](const std::string& name, std::size_t first, std::size_t last) {
    std::string text = lines[0] + "\n";
    for (std::size_t i = first; i <= last; ++i) text += lines[i] + "\n";
    rows_of(folder_.write(name, text));
  };
  part("part-1.csv", 1, 150);
  must({"convert", folder_.write("pair.csv", lines[0] + "\n" + lines[151] + "\n" + lines[152] + "\n"), "--parts", "3",
        "--out", folder_ / "part-2-*.rows", "--quiet"});
  part("part-3.csv", 153, 203);
  const std::string whole = predictions(train(0, deep(1, 2), rows_of(table)), table);
  for (const int count : {2, 3, 4})
    EXPECT_LT(difference_of_predictions(whole, predictions(train(count, deep(1, 2), folder_ / "part-*.rows"), table)),
              1e-4)
        << count;
}

TEST_F(RanksOnMinibatches, LearnClasses) {
  const std::string table = with_classes(friedman(1200, 1, "f.csv"), "c.csv");
  const std::string recipe = deep(3, 64, R"(, "likelihood": "softmax")");
  const std::string rows = rows_of(table, {"--recipe", recipe});
  const std::string one = train(0, recipe, rows);
  const double loss = -held_out(one)["log_density"].get<double>();
  for (const int count : {2, 3}) {
    const std::string own = train(count, recipe, rows);
    EXPECT_NEAR(-held_out(own)["log_density"].get<double>(), loss, 1e-3) << count;
    EXPECT_NEAR(score(own, table, "log_loss"), score(one, table, "log_loss"), 1e-3) << count;
  }
}

TEST_F(RanksOnMinibatches, ReadRowsThatDoNotFitTheMemory) {
  const std::string table = friedman(120000, 1, "f.csv"), test = friedman(2000, 2, "t.csv"), rows = rows_of(table);
  const std::string recipe = deep(2);
  const std::vector<std::string> limit{"--memory-limit", "52MB"};
  const std::string whole = train(0, recipe, rows);
  const double rmse = score(whole, test, "rmse"), nlpd = score(whole, test, "nlpd");
  for (const int count : {0, 2}) {
    SCOPED_TRACE(count);
    const std::string own = train(count, recipe, rows, limit);
    EXPECT_TRUE(has(last_.err, "passes over 110000 rows, read in each,")) << last_.err;
    EXPECT_NEAR(score(own, test, "rmse"), rmse, 0.05 * rmse);
    EXPECT_NEAR(score(own, test, "nlpd"), nlpd, 0.05);
    const std::string predicted = predictions(own, test);
    EXPECT_EQ(predictions(train(count, recipe, rows, limit), test), predicted);
  }
}

TEST_F(RanksOnMinibatches, ObeyTheClockAndRepeatWhatItCutShort) {
  const std::string table = friedman(2000, 1, "f.csv"), rows = rows_of(table);
  const std::string recipe = deep(1000000, 64, R"(, "copies": 2, "noise": {"prior_center": "fixed"})");
  EXPECT_LT(seconds_of([&] { train(2, recipe, rows, {"--seconds", "3"}); }), 20);
  const std::string model = folder_ / "kept";
  std::filesystem::rename(folder_ / "model2", model);
  EXPECT_TRUE(has(must({"inspect", model}).out, "seconds"));
  const std::string again = folder_ / "again";
  const RunResult result =
      ranks(2, {"train", "--repeat", model, "--data", rows, "--model", again, "--threads", "1", "--quiet"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(predictions(again, table), predictions(model, table));
}

TEST_F(RanksOnMinibatches, LearnHowTheNoiseVaries) {
  std::string text = "x,z,y\n";
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int i = 0; i < 2400; ++i) {
    const double x = uniform(random), z = uniform(random);
    text += fmt::format("{},{},{}\n", x, z, std::sin(3 * x) + (z > 0 ? 0.6 : 0.05) * normal(random));
  }
  const std::string table = folder_.write("n.csv", text), rows = rows_of(table);
  const std::string recipe =
      folder_.write("n.json", R"({"model": "ssgpr", "features": {"frequencies": 8}, "weights": "held-out",
      "noise": {"prior_center": "fixed", "varies": true, "rounds": 0},
      "training": {"starts": 1, "iterations": 15, "objective_tolerance": 0}})");
  const double one = score(train(0, recipe, rows), table, "nlpd");
  const std::string two = train(2, recipe, rows);
  EXPECT_TRUE(has(last_.err, "varies with the inputs")) << last_.err;
  EXPECT_NEAR(score(two, table, "nlpd"), one, 1e-3);
}

TEST_F(RanksOnMinibatches, AreTakenByAuto) {
  const std::string table = friedman(9000, 1, "f.csv"), test = friedman(2000, 2, "t.csv");
  // Sanitizers slow the same work several times.
  const std::string seconds = program_has_sanitizers() ? "30" : "6";
  const std::string own = train(2, "auto", rows_of(table), {"--seconds", seconds});
  EXPECT_TRUE(has(last_.err, "deep")) << last_.err;
  EXPECT_LT(score(own, test, "rmse"), 1.2);
  EXPECT_LT(score(own, test, "nlpd"), 1.6);
}

}  // namespace
}  // namespace alacarte::test
