// Fits that see columns of boosted trees (data.trees), from the rows to predictions, files, slopes and updates.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/app/workflow.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/explanation.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/model/update.hpp"
#include "app/mean_formula.hpp"
#include "model/fit_inputs.hpp"
#include "support/program.hpp"
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
class TreeInputsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_boost()) GTEST_SKIP() << "this build trains no trees";
  }
  static std::string table_text(Index rows, std::uint64_t seed, const std::string& kind) {
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
  Table table(Index rows, std::uint64_t seed, const std::string& kind = "number") const {
    return read_table(folder_.write("rows.csv", table_text(rows, seed, kind)));
  }
  static FittedModel trained(const std::string& recipe, const Table& rows) {
    Recipe parsed = parse_registered_recipe(Json::parse(recipe));
    if (parsed.learner.kind == LearnerKind::gp) parsed.training.iterations = 30;
    for (Recipe& member : parsed.members) member.training.iterations = 30;
    return fit(parsed, rows);
  }
  static double rmse(const FittedModel& model, const Table& rows) {
    const Vector mean = model.predict(rows).distribution().mean();
    return std::sqrt((mean - rows.rows.target).squaredNorm() / static_cast<double>(mean.size()));
  }
  test::TemporaryFolder folder_;
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
  for (const char* recipe :
       {kTreeMixture, R"({"model": "deep", "data": {"trees": true}, "network": {"widths": [8, 4], "epochs": 3},
                      "terms": [{"model": "ssgpr", "features": {"frequencies": 16}}]})"}) {
    const Table rows = table(150, 4);
    const FittedModel model = trained(recipe, rows);
    save(model, folder_ / "model");
    const FittedModel loaded = load_model(folder_ / "model");
    EXPECT_EQ(to_json(loaded.recipe, model_infos()), to_json(model.recipe, model_infos()));
    EXPECT_EQ(loaded.predict(rows).distribution().mean(), model.predict(rows).distribution().mean());
    EXPECT_EQ(loaded.predict(rows).distribution().variance(), model.predict(rows).distribution().variance());
    ModelFile file = model.save();
    file.tensors.erase("trees/base");
    EXPECT_THROW(FittedModel::load(file), IoError);
  }
}

TEST_F(TreeInputsTest, OfClassesAndCountsAreSavedWithEveryBit) {
  for (const char* recipe : {R"({"model": "linear", "likelihood": "softmax", "data": {"trees": "alone"}})",
                             R"({"model": "exact-rbf", "likelihood": "softmax", "data": {"trees": true}})",
                             R"({"model": "exact-rbf", "learner": {"kind": "svm"}, "data": {"trees": true}})"}) {
    const Table rows = table(240, 5, "word");
    const FittedModel model = trained(recipe, rows);
    save(model, folder_ / "model");
    EXPECT_EQ(load_model(folder_ / "model").predict(rows).classes().values, model.predict(rows).classes().values);
    Index right = 0;
    const auto labels = model.predict(rows).classes().labels();
    for (Index i = 0; i < 240; ++i)
      right += labels[static_cast<std::size_t>(i)] == static_cast<Index>(rows.rows.target[i]);
    EXPECT_GT(right, 190) << recipe;
  }
  const std::string path = folder_.write("counts.csv", table_text(240, 6, "count"));
  const Table rows = read_table(path, {{}, TargetColumn::numbers});
  const FittedModel counts =
      trained(R"({"model": "linear", "likelihood": "poisson", "data": {"trees": "alone"}})", rows);
  save(counts, folder_ / "model");
  EXPECT_EQ(load_model(folder_ / "model").predict(rows).counts().mean(), counts.predict(rows).counts().mean());
}

TEST_F(TreeInputsTest, OneRowIsPredictedAsManyAre) {
  const Table rows = table(150, 7);
  const FittedModel model = trained(kTreeMixture, rows);
  OneRowWorkspace workspace = model.one_row_workspace();
  const PredictiveDistribution all = model.predict(rows).distribution();
  for (Index i = 0; i < 150; i += 7) {
    const OneRowPrediction& one = model.predict_one(rows.rows.inputs.row(i).transpose(), workspace);
    EXPECT_NEAR(one.mean, all.mean()[i], 1e-9);
    EXPECT_NEAR(one.variance, all.variance()[i], 1e-8 * all.variance()[i]);
  }
}

TEST_F(TreeInputsTest, SlopesAreThoseOfTheInputsBesideThem) {
  const Table rows = table(150, 8);
  const FittedModel model = trained(kTreeMixture, rows);
  // Thresholds are values of training rows, at which the function has no slope.
  const Matrix raw = read_table(folder_.write("fresh.csv", table_text(9, 21, "number")), model.schema).rows.inputs;
  const GradientPrediction slopes = predict_gradient(model, raw, {0, 1}, true);
  for (Index j = 0; j < 2; ++j) {
    Matrix up = raw, down = raw;
    const double h = 1e-7;  // no threshold is as near as that
    up.col(j).array() += h;
    down.col(j).array() -= h;
    const Vector numeric =
        (model.predict(up).distribution().mean() - model.predict(down).distribution().mean()) / (2 * h);
    EXPECT_LT((slopes.mean.col(j) - numeric).cwiseAbs().maxCoeff(), 1e-3 * numeric.cwiseAbs().maxCoeff());
  }
  const FittedModel alone = trained(R"({"model": "linear", "data": {"trees": "alone"}})", rows);
  EXPECT_EQ(predict_gradient(alone, raw, {0, 1}, true).mean.cwiseAbs().maxCoeff(), 0);
}

TEST_F(TreeInputsTest, FormulasAndUpdatesGoThroughThem) {
  const Table rows = table(150, 9);
  const FittedModel model = trained(kTreeMixture, rows);
  const Matrix x = model.standardizer.inputs(rows.rows.inputs);
  double value = 0;
  for (const FitFormula& fit : mean_formula(model)) value += fit.share * evaluate(fit, Vector(x.row(4).transpose()));
  const double mean = model.predict(rows).distribution().mean()[4];
  EXPECT_NEAR(value * model.standardizer.target_scale() + model.standardizer.target_shift(), mean, 1e-8);
  const Table more = read_table(folder_.write("more.csv", table_text(100, 10, "number")), model.schema);
  ModelUpdate update(model, {});
  update.add(more.rows);
  const FittedModel updated = update.finish();
  EXPECT_NE(updated.members[2].posterior->behind().inner, nullptr);
  save(updated, folder_ / "model");
  EXPECT_EQ(load_model(folder_ / "model").predict(rows).distribution().mean(),
            updated.predict(rows).distribution().mean());
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
  const auto error = [&](const std::string& recipe) {
    try {
      trained(recipe, rows);
    } catch (const ConfigError& refused) {
      return std::string(refused.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(error(R"({"model": "ard", "data": {"trees": true}, "scale": {"unit_rows": true}})").find("/data/trees"),
            std::string::npos);
  EXPECT_NE(error(R"({"model": "exact-ard", "data": {"trees": true}, "kernel": {"lengthscale": [2]}})")
                .find("/kernel/lengthscale"),
            std::string::npos);
  EXPECT_NE(error(R"({"model": "ard", "data": {"trees": "some"}})").find("/data/trees"), std::string::npos);
  EXPECT_NE(error(R"({"model": "ard", "data": {"trees": 1}})").find("/data/trees"), std::string::npos);
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
