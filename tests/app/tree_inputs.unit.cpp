// Fits that see columns of boosted trees (data.trees), from the rows to predictions, files, slopes and updates.
#include "app/fits_behind_inputs.hpp"
#include "trees/boosting.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

constexpr const char* kTreeMixture =
    R"({"model": "mixture", "weights": "leave-one-out", "members": [
        {"model": "exact-ard"}, {"model": "exact-ard", "data": {"trees": true}, "scale": {"inputs": "normal-scores"}},
        {"model": "linear", "data": {"trees": "alone"}},
        {"model": "ssgpr", "data": {"trees": true}, "features": {"frequencies": 16}}]})";

/// Rows whose target jumps with two inputs and a word, beside a sine.
class TreeInputsTest : public test::FitsBehindInputs {
 protected:
  void SetUp() override {
    if (!can_boost()) GTEST_SKIP() << "this build trains no trees";
  }
  std::string table_text(Index rows, std::uint64_t seed, const std::string& kind) const override {
    RandomStream stream = RandomStreams(seed).stream("table");
    std::string text = "a,b,c,y\n";
    for (Index i = 0; i < rows; ++i) {
      const double a = 4 * stream.uniform(), b = 4 * stream.uniform();
      const bool word = stream.uniform() < 0.5;
      const double jumps = std::floor(a) - 2 * std::fmod(std::floor(3 * b), 2.0) * (word ? 1 : -1);
      const double y = jumps + 0.3 * std::sin(2 * a) + 0.05 * stream.normal();
      const std::string target = kind == "number"  ? std::to_string(y)
                                 : kind == "count" ? std::to_string(std::lround(std::max(0.0, jumps)))
                                 : y > 3           ? "high"
                                 : y > 0           ? "middle"
                                                   : "low";
      text += std::to_string(a) + "," + std::to_string(b) + "," + (word ? "yes" : "no") + "," + target + "\n";
    }
    return text;
  }
};

TEST_F(TreeInputsTest, FindJumpsThatKernelsSmooth) {
  const Table rows = table(600, 1), fresh = table(500, 2);
  const double plain = rmse(trained(R"({"model": "exact-ard"})", rows), fresh);
  const double alone = rmse(trained(R"({"model": "linear", "data": {"trees": "alone"}})", rows), fresh);
  const FittedModel beside = trained(R"({"model": "exact-ard", "data": {"trees": true}})", rows);
  EXPECT_LT(alone, 0.8 * plain);
  EXPECT_LT(rmse(beside, fresh), 0.8 * plain);
  const Vector deviation = beside.predict(fresh).distribution().variance().cwiseSqrt();
  const Vector error = beside.predict(fresh).distribution().mean() - fresh.rows.target;
  const Index inside = (error.array().abs() < 1.96 * deviation.array()).count();
  EXPECT_GT(inside, 450);
}

TEST_F(TreeInputsTest, PredictWhatTheInnerPosteriorDoesAtTheirColumns) {
  const Table rows = table(200, 3);
  const FittedModel model = trained(kTreeMixture, rows);
  EXPECT_EQ(model.members[0].posterior->behind().inner, nullptr);
  const Matrix x = model.standardizer.inputs(rows.rows.inputs);
  const Index inputs = x.cols();
  const std::vector<Index> seen = {inputs, inputs + 1, 1, inputs + 1};
  for (std::size_t k = 1; k < 4; ++k) {
    const auto [view, inner] = model.members[k].posterior->behind();
    ASSERT_NE(view, nullptr);
    EXPECT_EQ(view->trees(), model.members[1].posterior->behind().inputs->trees()) << "one set of trees for all";
    const Matrix columns = view->of(x);
    EXPECT_EQ(columns.cols(), seen[k]);
    Vector mean(200), variance(200), own(200), own_variance(200);
    function_of(*model.members[k].posterior).predict(InputView(x), mean, variance);
    function_of(*inner).predict(InputView(columns), own, own_variance);
    EXPECT_EQ(mean, own);
    EXPECT_EQ(variance, own_variance);
  }
}

TEST_F(TreeInputsTest, AreSavedWithEveryBit) {
  const Table rows = table(150, 4);
  for (const char* recipe :
       {kTreeMixture, R"({"model": "deep", "data": {"trees": true}, "network": {"widths": [8, 4], "epochs": 3},
                      "terms": [{"model": "ssgpr", "features": {"frequencies": 16}}]})"})
    expect_saved_with_every_bit(trained(recipe, rows), rows, "trees/base");
}

TEST_F(TreeInputsTest, OfClassesAndCountsAreSavedWithEveryBit) {
  const Table words = table(240, 5, "word");
  for (const char* recipe : {R"({"model": "linear", "likelihood": "softmax", "data": {"trees": "alone"}})",
                             R"({"model": "exact-rbf", "likelihood": "softmax", "data": {"trees": true}})",
                             R"({"model": "exact-rbf", "learner": {"kind": "svm"}, "data": {"trees": true}})"})
    expect_classes_saved_with_every_bit(recipe, words, 190);
  const std::string path = folder_.write("counts.csv", table_text(240, 6, "count"));
  const Table rows = read_table(path, {{}, TargetColumn::numbers});
  const FittedModel counts =
      trained(R"({"model": "linear", "likelihood": "poisson", "data": {"trees": "alone"}})", rows);
  EXPECT_EQ(saved_and_loaded(counts).predict(rows).counts().mean(), counts.predict(rows).counts().mean());
}

TEST_F(TreeInputsTest, OneRowIsPredictedAsManyAre) {
  const Table rows = table(150, 7);
  expect_one_row_is_predicted_as_many_are(trained(kTreeMixture, rows), rows);
}

TEST_F(TreeInputsTest, SlopesAreThoseOfTheInputsBesideThem) {
  const Table rows = table(150, 8);
  const FittedModel model = trained(kTreeMixture, rows);
  // Thresholds are values of training rows, at which the function has no slope.
  const Matrix raw = fresh_table(model, 9, 21).rows.inputs;
  expect_slopes_of_differences(model, raw);
  const FittedModel alone = trained(R"({"model": "linear", "data": {"trees": "alone"}})", rows);
  EXPECT_EQ(predict_gradient(alone, raw, {0, 1}, true).mean.cwiseAbs().maxCoeff(), 0);
}

TEST_F(TreeInputsTest, FormulasAndUpdatesGoThroughThem) {
  const Table rows = table(150, 9);
  const FittedModel model = trained(kTreeMixture, rows), more = updated(model, 100, 10);
  expect_formula_of_the_mean(model, rows);
  EXPECT_NE(more.members[2].posterior->behind().inner, nullptr);
  EXPECT_EQ(saved_and_loaded(more).predict(rows).distribution().mean(), more.predict(rows).distribution().mean());
}

TEST_F(TreeInputsTest, AreRepeatedOnAnyNumberOfThreads) {
  const Table rows = table(400, 12);
  Recipe recipe = parse_registered_recipe(Json::parse(R"({"model": "linear", "data": {"trees": "alone"}})"));
  recipe.training.seconds = 0.3;
  const FittedModel first = fit(recipe, rows);
  FitOptions options;
  options.threads = 2;
  options.repeat = &first.training;
  const FittedModel again = fit(recipe, rows, options);
  EXPECT_EQ(again.predict(rows).distribution().mean(), first.predict(rows).distribution().mean());
  TrainingRecord other = first.training;
  ASSERT_TRUE(other.work.has_value());
  (*other.work)["boosted trees: effort"] = 100;
  options.repeat = &other;
  EXPECT_THROW(fit(recipe, rows, options), DataError);
}

TEST_F(TreeInputsTest, RefuseWhatTheyDoNotGoWith) {
  const Table rows = table(60, 11);
  const auto expect = [&](const char* recipe, const char* place) {
    EXPECT_NE(refusal(recipe, rows).find(place), std::string::npos) << refusal(recipe, rows);
  };
  expect(R"({"model": "ard", "data": {"trees": true}, "scale": {"unit_rows": true}})", "/data/trees");
  expect(R"({"model": "exact-ard", "data": {"trees": true}, "kernel": {"lengthscale": [2]}})", "/kernel/lengthscale");
  expect(R"({"model": "ard", "data": {"trees": "some"}})", "/data/trees");
  expect(R"({"model": "ard", "data": {"trees": 1}})", "/data/trees");
}

TEST(TreeRecipes, AreWrittenOnlyWhereTheyHaveTrees) {
  const auto written = [](const char* recipe) {
    return to_json(parse_registered_recipe(Json::parse(recipe)), model_infos());
  };
  EXPECT_FALSE(written(R"({"model": "ard"})")["data"].contains("trees"));
  EXPECT_EQ(written(R"({"model": "ard", "data": {"trees": true}})")["data"]["trees"], true);
  EXPECT_EQ(written(R"({"model": "ard", "data": {"trees": "alone"}})")["data"]["trees"], "alone");
  const Json mixture = written(kTreeMixture);
  EXPECT_FALSE(mixture["members"][0].contains("data"));
  EXPECT_EQ(mixture["members"][1]["data"]["trees"], true);
  EXPECT_EQ(written(mixture.dump().c_str()), mixture);
}

}  // namespace
}  // namespace alacarte
