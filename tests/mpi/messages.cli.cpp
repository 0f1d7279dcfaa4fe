// Ranks send what the formulas predict.
#include <alacarte/features/feature_map.hpp>
#include <alacarte/io/model_file.hpp>
#include <alacarte/io/target_models.hpp>

#include "mpi/ranks_test.hpp"

namespace alacarte::test {
namespace {

class Messages : public RanksTest {
 protected:
  struct Sent {
    double evaluations, sums, bytes;
  };
  Sent train_for(int iterations, const std::string& rows) const {
    const std::string recipe = folder_.write("r.json", R"({"model": "ard", "features": {"frequencies": 40},
      "noise": {"prior_center": "fixed"},
      "training": {"starts": 1, "objective_tolerance": 0, "iterations": )" +
                                                           std::to_string(iterations) + "}}");
    train(2, recipe, rows);
    const auto ranks = event("ranks");
    return {event("fitted")["evaluations"], ranks["sums"], ranks["sum_bytes"]};
  }
};

// An evaluation sends the triangle of the Gram matrix with its sums, D (D + 1) / 2 + 2 D + 5 numbers, and the sums of
// the gradient, G + 1; a trial rejected by its bound sends the first only. Statistics of the rows and scores are
// independent of the length of the training.
TEST_F(Messages, AreTwoSumsAnEvaluation) {
  const std::string rows = rows_of(friedman(600, 1, "f.csv"));
  const Sent few = train_for(2, rows), more = train_for(12, rows);
  const auto models = load_models(read_bundle(folder_ / "model2"));
  const Member& member = models.front().members.front();
  const auto features = static_cast<double>(member.prior.map()->feature_count());
  const auto slopes = static_cast<double>(member.prior.map()->prepare(member.theta)->accumulator_size());
  const double first = 8 * (features * (features + 1) / 2 + 2 * features + 5), second = 8 * (slopes + 1);
  const double sums = more.sums - few.sums, evaluations = more.evaluations - few.evaluations;
  const double whole = (sums * first - (more.bytes - few.bytes)) / (first - second);  // evaluations with a gradient
  EXPECT_GT(evaluations, 5);
  EXPECT_NEAR(whole, std::round(whole), 1e-9);
  EXPECT_LE(whole, evaluations);
  // The posterior takes one more sum if the best point is not the last.
  EXPECT_NEAR(sums, whole + evaluations, 1);
}

TEST_F(Messages, OfOneProcessAreNone) {
  train(1, recipe("ard"), rows_of(friedman(200, 1, "f.csv")));
  EXPECT_FALSE(has(last_.err, "\"event\":\"ranks\""));
}

TEST_F(Messages, ProgressNamesTheSlowestRank) {
  train(3, recipe("ard"), rows_of(friedman(600, 1, "f.csv")));
  const auto ranks = event("ranks");
  EXPECT_EQ(ranks["ranks"], 3);
  EXPECT_EQ(ranks["rows_per_second"].size(), 3u);
  EXPECT_LT(ranks["slowest"], 3);
  EXPECT_NE(ranks["machine"], "");
  EXPECT_TRUE(has(last_.err, "rows_per_second")) << last_.err;
}

}  // namespace
}  // namespace alacarte::test
