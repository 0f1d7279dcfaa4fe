// Any number of ranks gives the same numbers as one process.
#include "mpi/ranks_test.hpp"

namespace alacarte::test {
namespace {

constexpr double kAlike = 1e-8;

class SameNumbers : public RanksTest {
 protected:
  /// Trains on one process and on several ranks, and compares evidence, parameters and predictions.
  void compare(const std::string& recipe, const std::string& data, const std::string& test,
               const std::vector<int>& counts, const std::vector<std::string>& more = {}) const {
    const std::string one = train(0, recipe, data, more);
    const double evidence = event("fitted")["objective"];
    for (const int count : counts) {
      const std::string own = train(count, recipe, data, more);
      EXPECT_NEAR(event("fitted")["objective"].get<double>(), evidence, kAlike * std::abs(evidence)) << count;
      EXPECT_LT(difference(inspected(one), inspected(own)), kAlike) << count;
      EXPECT_LT(difference_of_predictions(predictions(one, test), predictions(own, test)), kAlike) << count;
    }
  }
  /// Applies `change` to the cells of a column of a table.
  template <class Change>
  std::string with_target(const std::string& table, const std::string& name, const Change& change) const {
    const auto cells = cells_of(read_file(table));
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i)
      for (std::size_t j = 0; j < cells[i].size(); ++j) {
        const bool target = j + 1 == cells[i].size();
        text += target && i > 0 ? change(std::stod(cells[i][j])) : cells[i][j];
        text += target ? "\n" : ",";
      }
    return folder_.write(name, text);
  }
};

TEST_F(SameNumbers, OnOneToFourRanks) {
  const std::string table = friedman(1500, 1, "f.csv");
  compare(recipe("ard"), rows_of(table), table, {1, 2, 3, 4});
}

TEST_F(SameNumbers, AndTheSameBitsOnAsManyRanks) {
  const std::string table = friedman(1500, 1, "f.csv"), rows = rows_of(table);
  const std::string first = train(3, recipe("ard"), rows), predicted = predictions(first, table);
  const auto said = inspected(first);
  const std::string second = train(3, recipe("ard"), rows);
  EXPECT_EQ(predictions(second, table), predicted);
  EXPECT_EQ(inspected(second), said);
}

TEST_F(SameNumbers, OnUnevenParts) {
  const std::string table = friedman(1003, 1, "f.csv");
  const auto lines = lines_of(read_file(table));
  const auto part = [&](const std::string& name, std::size_t first, std::size_t last) {
    std::string text = lines[0] + "\n";
    for (std::size_t i = first; i <= last; ++i) text += lines[i] + "\n";
    return folder_.write(name, text);
  };
  rows_of(part("part-1.csv", 1, 700));
  // The first of these has no row, the others have one.
  must({"convert", part("pair.csv", 701, 702), "--parts", "3", "--out", folder_ / "part-2-*.rows", "--quiet"});
  rows_of(part("part-3.csv", 703, 1003));
  const std::string whole = train(0, recipe("ard"), rows_of(table)), pattern = folder_ / "part-*.rows";
  for (const int count : {0, 2, 4}) {
    const std::string own = folder_ / "parts";
    std::filesystem::rename(train(count, recipe("ard"), pattern), own);
    if (count == 0) train(0, recipe("ard"), folder_ / "f.rows");
    EXPECT_LT(difference(inspected(whole), inspected(own)), kAlike) << count;
    EXPECT_LT(difference_of_predictions(predictions(whole, table), predictions(own, table)), kAlike) << count;
  }
}

// A split in time leaves the last rank no row, so its rows in memory do not show that there are weights.
TEST_F(SameNumbers, OfWeightedRowsWhereARankHasNone) {
  const auto cells = cells_of(read_file(friedman(400, 1, "f.csv")));
  std::string weighted, mask = "fold_0\n";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    weighted += i == 0 ? "w," : i % 3 == 0 ? "2," : "1,";
    for (std::size_t j = 0; j < cells[i].size(); ++j) weighted += cells[i][j] + (j + 1 < cells[i].size() ? "," : "\n");
    if (i > 0) mask += i > 300 ? "1\n" : "0\n";
  }
  const std::string table = folder_.write("weighted.csv", weighted);
  compare(recipe("ard"), rows_of(table, {"--weights", "w"}), table, {4},
          {"--mask", folder_.write("mask.csv", mask), "--fold", "0"});
}

// Two ranks have different BLAS kernels, as on machines of different kinds: their factors differ in the last digits.
// The search for the mode must still take as many passes on each rank, and the model is that of one process.
TEST_F(SameNumbers, OnProcessorsOfDifferentKinds) {
  const auto version_with = [&](const char* kernel) {
    RunOptions options;
    options.environment["OPENBLAS_CORETYPE"] = kernel;
    return must({"--version"}, options).out;
  };
  if (version_with("Nehalem") == version_with("Haswell")) GTEST_SKIP() << "OpenBLAS has one kind of kernels here";
  const std::string table = friedman(600, 1, "f.csv");
  const std::string three = with_target(table, "three.csv", [](double y) { return y < 11 ? "a" : y < 17 ? "b" : "c"; });
  const std::string counts =
      with_target(table, "counts.csv", [](double y) { return std::to_string(std::lround(std::abs(y) / 3)); });
  const auto train_on_both = [&](const std::string& likelihood, const std::string& data, int frequencies) {
    const std::string own = recipe("ard", R"(, "features": {"frequencies": )" + std::to_string(frequencies) +
                                              R"(}, "likelihood": ")" + likelihood + '"');
    const std::string rows = rows_of(data, {"--recipe", own}), both = folder_ / "m";
    std::vector<std::string> words;
    for (const char* kernel : {"Nehalem", "Haswell"}) {
      const std::vector<std::string> rank{"-np",
                                          "1",
                                          "-x",
                                          std::string("OPENBLAS_CORETYPE=") + kernel,
                                          program_path(),
                                          "train",
                                          own,
                                          "--data",
                                          rows,
                                          "--model",
                                          both,
                                          "--threads",
                                          "1",
                                          "--quiet"};
      if (!words.empty()) words.emplace_back(":");
      words.insert(words.end(), rank.begin(), rank.end());
    }
    const RunResult result = run_program(kLauncher, words, as_root());
    ASSERT_EQ(result.code, 0) << likelihood << ": " << result.err;
    const std::string one = train(0, own, rows);
    EXPECT_LT(difference(inspected(one), inspected(both)), kAlike) << likelihood;
    // Small probabilities of classes have fewer digits in common.
    EXPECT_LT(difference_of_predictions(predictions(one, data), predictions(both, data)), 100 * kAlike) << likelihood;
  };
  train_on_both("softmax", three, 30);
  train_on_both("softmax", three, 400);  // one block of the curvature per class
  train_on_both("poisson", counts, 30);
  train_on_both("student-t", table, 30);
}

TEST_F(SameNumbers, FromFilesThatDoNotFitTheMemory) {
  const std::string table = friedman(80000, 1, "f.csv");
  compare(recipe("linear", R"(, "noise": {"prior_center": "fixed"})"), rows_of(table), friedman(100, 2, "t.csv"), {2},
          {"--memory-limit", "38MB"});
}

TEST_F(SameNumbers, OfRowsHeldOutAndCalibration) {
  const std::string table = friedman(1500, 1, "f.csv");
  compare(recipe("ard"), rows_of(table), table, {3}, {"--holdout", "0.2", "--calibrate", "conformal"});
}

TEST_F(SameNumbers, OfTheSubsampleSchedule) {
  const std::string table = friedman(3000, 1, "f.csv");
  const std::string schedule = folder_.write("s.json", R"({"model": "ard", "features": {"frequencies": 40},
      "noise": {"prior_center": "fixed"},
      "training": {"starts": 1, "iterations": 2, "objective_tolerance": 0, "subsample": 1000,
                   "subsample_iterations": 2}})");
  compare(schedule, rows_of(table), table, {2, 3});
}

TEST_F(SameNumbers, OfOtherMaps) {
  const std::string table = friedman(900, 1, "f.csv"), rows = rows_of(table);
  for (const char* model : {"gm", "ssgpr", "pwl", "fsard", "local"}) compare(recipe(model), rows, table, {3});
  compare(recipe("linear", R"(, "noise": {"prior_center": "fixed"})"), rows, table, {3});
  compare(recipe("deep", R"(, "terms": [{"model": "ssgpr", "features": {"frequencies": 20}}],
      "network": {"training": "evidence", "widths": [8]}, "noise": {"prior_center": "fixed"})"),
          rows, table, {3});
  compare(recipe("nystrom", R"(, "terms": [{"model": "exact-ard"}], "features": {"frequencies": 40},
      "noise": {"prior_center": "fixed"})"),
          rows, table, {3});
}

TEST_F(SameNumbers, OfMixturesWeighedByHeldOutRows) {
  const std::string table = friedman(900, 1, "f.csv");
  const std::string mixture =
      folder_.write("m.json", R"({"model": "mixture", "members": [{"model": "ard", "features": {"frequencies": 20}},
      {"model": "linear"}], "weights": "held-out", "noise": {"prior_center": "fixed"},
      "training": {"starts": 1, "iterations": 4, "objective_tolerance": 0}})");
  compare(mixture, rows_of(table), table, {3});
}

TEST_F(SameNumbers, OfTheDualFormAndExactKernels) {
  const std::string table = friedman(120, 1, "f.csv"), rows = rows_of(table);
  compare(
      recipe("ard", R"(, "evidence": "dual", "features": {"frequencies": 100}, "noise": {"prior_center": "fixed"})"),
      rows, table, {3});
  compare(folder_.write("e.json", R"({"model": "exact-ard", "noise": {"prior_center": "fixed"},
      "training": {"starts": 1, "iterations": 5, "objective_tolerance": 0}})"),
          rows, table, {3});
}

TEST_F(SameNumbers, OfClassesAndCounts) {
  const std::string table = friedman(600, 1, "f.csv");
  const std::string three = with_target(table, "three.csv", [](double y) { return y < 11 ? "a" : y < 17 ? "b" : "c"; });
  const std::string two = with_target(table, "two.csv", [](double y) { return y < 14 ? "no" : "yes"; });
  const std::string counts =
      with_target(table, "counts.csv", [](double y) { return std::to_string(std::lround(std::abs(y) / 3)); });
  const auto rows = [&](const std::string& path, const std::string& recipe) {
    return rows_of(path, {"--recipe", recipe});
  };
  const auto of = [&](const std::string& likelihood) {
    return recipe("ard", R"(, "features": {"frequencies": 30}, "likelihood": ")" + likelihood + '"');
  };
  const std::string labelled = rows(three, of("softmax"));
  compare(of("softmax"), labelled, three, {2, 3});
  const std::string sides = rows(two, of("logit"));
  compare(of("logit"), sides, two, {3});
  const std::string counted = rows(counts, of("poisson"));
  compare(of("poisson"), counted, counts, {3});
  compare(of("student-t"), rows_of(table), table, {3});
}

TEST_F(SameNumbers, OfTheBoundForManyFeatures) {
  const std::string table = friedman(300, 1, "f.csv");
  const std::string three = with_target(table, "three.csv", [](double y) { return y < 11 ? "a" : y < 17 ? "b" : "c"; });
  const std::string bound = folder_.write("b.json", R"({"model": "ard", "likelihood": "softmax",
      "features": {"frequencies": 400},
      "training": {"starts": 1, "start": "range", "iterations": 1, "objective_tolerance": 0}})");
  compare(bound, rows_of(three, {"--recipe", bound}), three, {2});
}

}  // namespace
}  // namespace alacarte::test
