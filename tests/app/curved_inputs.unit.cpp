// Fits that see their inputs through curves (scale.inputs), from the rows to predictions, files, slopes and updates.
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

namespace alacarte {
namespace {

using Json = nlohmann::json;

constexpr const char* kMixture =
    R"({"model": "mixture", "weights": "leave-one-out", "members": [
        {"model": "exact-ard"}, {"model": "exact-ard", "scale": {"inputs": "normal-scores"}},
        {"model": "ssgpr", "scale": {"inputs": "asinh"}, "features": {"frequencies": 16}}]})";

/// Rows whose target is the logarithm of a sum of two lognormal inputs, beside a useless one.
class CurvedInputs : public testing::Test {
 protected:
  static std::string table_text(Index rows, std::uint64_t seed, const std::string& kind) {
    RandomStream stream = RandomStreams(seed).stream("table");
    std::string text = "a,b,c,y\n";
    for (Index i = 0; i < rows; ++i) {
      const double a = std::exp(1.5 * stream.normal()), b = std::exp(1.5 * stream.normal()), c = stream.normal();
      const double y = std::log(a + b) + 0.02 * stream.normal();
      const std::string target = kind == "number" ? std::to_string(y) : y > 0.5 ? "high" : "low";
      text += std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(c) + "," + target + "\n";
    }
    return text;
  }
  Table table(Index rows, std::uint64_t seed, const std::string& kind = "number") const {
    return read_table(folder_.write("rows.csv", table_text(rows, seed, kind)));
  }
  static FittedModel trained(const std::string& recipe, const Table& rows) {
    Recipe parsed = parse_registered_recipe(Json::parse(recipe));
    if (parsed.learner.kind == LearnerKind::gp) parsed.training.iterations = 40;
    for (Recipe& member : parsed.members) member.training.iterations = 40;
    return fit(parsed, rows);
  }
  static double rmse(const FittedModel& model, const Table& rows) {
    const Vector mean = model.predict(rows).distribution().mean();
    return std::sqrt((mean - rows.rows.target).squaredNorm() / static_cast<double>(mean.size()));
  }
  test::TemporaryFolder folder_;
};

TEST_F(CurvedInputs, FindAFunctionOfSkewedInputsThatTheirScaleHides) {
  const Table rows = table(300, 1), fresh = table(500, 2);
  const double plain = rmse(trained(R"({"model": "exact-ard"})", rows), fresh);
  EXPECT_LT(rmse(trained(R"({"model": "exact-ard", "scale": {"inputs": "normal-scores"}})", rows), fresh), 0.6 * plain);
  const FittedModel both = trained(R"({"model": "mixture", "weights": "leave-one-out", "members": [
      {"model": "exact-ard"}, {"model": "exact-ard", "scale": {"inputs": "normal-scores"}}]})",
                                   rows);
  EXPECT_GT(both.members[1].weight, both.members[0].weight);
  EXPECT_LT(rmse(both, fresh), 0.6 * plain);
}

TEST_F(CurvedInputs, PredictWhatTheInnerPosteriorDoesAtTheirValues) {
  const Table rows = table(80, 3);
  const FittedModel model = trained(kMixture, rows);
  EXPECT_EQ(model.members[0].posterior->behind().inner, nullptr);
  const Matrix x = model.standardizer.inputs(rows.rows.inputs);
  for (const std::size_t k : {std::size_t{1}, std::size_t{2}}) {
    const auto [curves, inner] = model.members[k].posterior->behind();
    ASSERT_NE(curves, nullptr);
    const Matrix bent = curves->of(x);
    EXPECT_GT((bent - x).cwiseAbs().maxCoeff(), 0.5);
    Vector mean(80), variance(80), own(80), own_variance(80);
    function_of(*model.members[k].posterior).predict(InputView(x), mean, variance);
    function_of(*inner).predict(InputView(bent), own, own_variance);
    EXPECT_EQ(mean, own);
    EXPECT_EQ(variance, own_variance);
  }
}

TEST_F(CurvedInputs, AreSavedWithEveryBit) {
  for (const char* recipe :
       {kMixture, R"({"model": "deep", "scale": {"inputs": "clip"}, "network": {"widths": [8, 4], "epochs": 3},
                      "terms": [{"model": "ssgpr", "features": {"frequencies": 16}}]})"}) {
    const Table rows = table(120, 4);
    const FittedModel model = trained(recipe, rows);
    save(model, folder_ / "model");
    const FittedModel loaded = load_model(folder_ / "model");
    ASSERT_EQ(loaded.members.size(), model.members.size());
    for (std::size_t k = 0; k < model.members.size(); ++k)
      EXPECT_EQ(loaded.members[k].recipe.scale_inputs, model.members[k].recipe.scale_inputs) << k;
    EXPECT_EQ(to_json(loaded.recipe, model_infos()), to_json(model.recipe, model_infos()));
    EXPECT_EQ(loaded.predict(rows).distribution().mean(), model.predict(rows).distribution().mean());
    EXPECT_EQ(loaded.predict(rows).distribution().variance(), model.predict(rows).distribution().variance());
    ModelFile file = model.save();
    for (const auto& [name, tensor] : model.save().tensors)
      if (name.find("curves/counts") != std::string::npos) file.tensors.erase(name);
    EXPECT_THROW(FittedModel::load(file), IoError);
  }
}

TEST_F(CurvedInputs, OfClassesAreSavedWithEveryBit) {
  for (const char* recipe :
       {R"({"model": "exact-rbf", "likelihood": "softmax", "scale": {"inputs": "normal-scores"}})",
        R"({"model": "ard", "likelihood": "logit", "scale": {"inputs": "asinh"}, "features": {"frequencies": 16}})",
        R"({"model": "exact-rbf", "learner": {"kind": "svm"}, "scale": {"inputs": "normal-scores"}})"}) {
    const Table rows = table(120, 5, "word");
    const FittedModel model = trained(recipe, rows);
    save(model, folder_ / "model");
    const Matrix values = model.predict(rows).classes().values;
    EXPECT_EQ(load_model(folder_ / "model").predict(rows).classes().values, values) << recipe;
    Index right = 0;
    for (Index i = 0; i < 120; ++i)
      right += model.predict(rows).classes().labels()[static_cast<std::size_t>(i)] ==
               static_cast<Index>(rows.rows.target[i]);
    EXPECT_GT(right, 105) << recipe;
  }
}

TEST_F(CurvedInputs, OneRowIsPredictedAsManyAre) {
  const Table rows = table(90, 6);
  const FittedModel model = trained(kMixture, rows);
  OneRowWorkspace workspace = model.one_row_workspace();
  const PredictiveDistribution all = model.predict(rows).distribution();
  for (Index i = 0; i < 90; i += 7) {
    const OneRowPrediction& one = model.predict_one(rows.rows.inputs.row(i).transpose(), workspace);
    EXPECT_NEAR(one.mean, all.mean()[i], 1e-9);
    EXPECT_NEAR(one.variance, all.variance()[i], 1e-8 * all.variance()[i]);
  }
}

TEST_F(CurvedInputs, SlopesAreThoseOfDifferences) {
  const Table rows = table(90, 7);
  const FittedModel model = trained(kMixture, rows);
  const Matrix raw = rows.rows.inputs.topRows(9);
  const GradientPrediction slopes = predict_gradient(model, raw, {0, 1}, true);
  for (Index j = 0; j < 2; ++j) {
    Matrix up = raw, down = raw;
    const double h = 1e-7;  // curves have continuous slopes, but no second ones at their knots
    up.col(j).array() += h;
    down.col(j).array() -= h;
    const Vector numeric =
        (model.predict(up).distribution().mean() - model.predict(down).distribution().mean()) / (2 * h);
    EXPECT_LT((slopes.mean.col(j) - numeric).cwiseAbs().maxCoeff(), 1e-3 * numeric.cwiseAbs().maxCoeff());
    EXPECT_GT(slopes.variance.col(j).minCoeff(), 0);
  }
}

TEST_F(CurvedInputs, FormulasAndUpdatesGoThroughTheCurves) {
  const Table rows = table(90, 8);
  const FittedModel model = trained(kMixture, rows);
  const Matrix x = model.standardizer.inputs(rows.rows.inputs);
  double value = 0;
  for (const FitFormula& fit : mean_formula(model)) value += fit.share * evaluate(fit, Vector(x.row(4).transpose()));
  const double mean = model.predict(rows).distribution().mean()[4];
  EXPECT_NEAR(value * model.standardizer.target_scale() + model.standardizer.target_shift(), mean, 1e-8);

  const Table more = read_table(folder_.write("more.csv", table_text(60, 9, "number")), model.schema);
  ModelUpdate update(model, {});
  update.add(more.rows);
  const FittedModel updated = update.finish();
  EXPECT_NE(updated.members[1].posterior->behind().inner, nullptr);
  const Table fresh = read_table(folder_.write("fresh.csv", table_text(400, 10, "number")), model.schema);
  EXPECT_LT(rmse(updated, fresh), rmse(model, fresh));
}

TEST_F(CurvedInputs, RefuseWhatTheyDoNotGoWith) {
  const Table rows = table(60, 11);
  const auto error = [&](const std::string& recipe) {
    try {
      trained(recipe, rows);
    } catch (const ConfigError& refused) {
      return std::string(refused.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(error(R"({"model": "exact-ard", "scale": {"inputs": "clip", "unit_rows": true}})").find("/scale/inputs"),
            std::string::npos);
  EXPECT_NE(error(R"({"model": "exact-ard", "scale": {"inputs": "clip"}, "kernel": {"lengthscale": [2]}})")
                .find("/kernel/lengthscale"),
            std::string::npos);
  EXPECT_NE(error(R"({"model": "mixture", "members": [{"model": "ard", "scale": {"inputs": "range"}}]})")
                .find("/members/0/scale/inputs"),
            std::string::npos);
  EXPECT_NE(error(R"({"model": "mixture", "members": [{"model": "ard", "scale": {"target": "log"}}]})").find("member"),
            std::string::npos);
}

}  // namespace
}  // namespace alacarte
