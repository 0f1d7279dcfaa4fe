#pragma once
// Checks of every fit that sees its inputs through something (curves, boosted trees), from the rows to predictions,
// files, slopes, formulas and updates. Each test of one of them has a table of its own.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

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

namespace alacarte::test {

class FitsBehindInputs : public testing::Test {
 protected:
  /// The cells of a table with columns a, b, c and the target y, of this kind: "number", "word" or "count".
  virtual std::string table_text(Index rows, std::uint64_t seed, const std::string& kind) const = 0;

  Table table(Index rows, std::uint64_t seed, const std::string& kind = "number") const {
    return read_table(folder_.write("rows.csv", table_text(rows, seed, kind)));
  }
  /// Rows of numbers for a model that was trained on others.
  Table fresh_table(const FittedModel& model, Index rows, std::uint64_t seed) const {
    return read_table(folder_.write("fresh.csv", table_text(rows, seed, "number")), model.schema);
  }

  static FittedModel trained(const std::string& recipe, const Table& rows) {
    Recipe parsed = parse_registered_recipe(nlohmann::json::parse(recipe));
    if (parsed.learner.kind == LearnerKind::gp) parsed.training.iterations = 40;
    for (Recipe& member : parsed.members) member.training.iterations = 40;
    return fit(parsed, rows);
  }
  static double rmse(const FittedModel& model, const Table& rows) {
    const Vector mean = model.predict(rows).distribution().mean();
    return std::sqrt((mean - rows.rows.target).squaredNorm() / static_cast<double>(mean.size()));
  }
  /// The message with which a recipe is refused.
  static std::string refusal(const std::string& recipe, const Table& rows) {
    try {
      trained(recipe, rows);
    } catch (const ConfigError& refused) {
      return refused.what();
    }
    return "no error";
  }

  FittedModel saved_and_loaded(const FittedModel& model) const {
    save(model, folder_ / "model");
    return load_model(folder_ / "model");
  }
  /// A model of numbers is the same bits in its file, and no model without the tensors of this name.
  void expect_saved_with_every_bit(const FittedModel& model, const Table& rows, const std::string& needed) const {
    const FittedModel loaded = saved_and_loaded(model);
    ASSERT_EQ(loaded.members.size(), model.members.size());
    for (std::size_t k = 0; k < model.members.size(); ++k)
      EXPECT_EQ(view_of(loaded.members[k].recipe), view_of(model.members[k].recipe)) << k;
    EXPECT_EQ(to_json(loaded.recipe, model_infos()), to_json(model.recipe, model_infos()));
    EXPECT_EQ(loaded.predict(rows).distribution().mean(), model.predict(rows).distribution().mean());
    EXPECT_EQ(loaded.predict(rows).distribution().variance(), model.predict(rows).distribution().variance());
    const ModelFile whole = model.save();
    ModelFile file = whole;
    for (const auto& [name, tensor] : whole.tensors)
      if (name.find(needed) != std::string::npos) file.tensors.erase(name);
    EXPECT_THROW(FittedModel::load(file), IoError);
  }
  /// A model of classes is the same bits in its file, and has so many rows right.
  void expect_classes_saved_with_every_bit(const std::string& recipe, const Table& rows, Index right) const {
    const FittedModel model = trained(recipe, rows);
    const ClassPrediction predicted = model.predict(rows).classes();
    EXPECT_EQ(saved_and_loaded(model).predict(rows).classes().values, predicted.values) << recipe;
    const std::vector<Index> labels = predicted.labels();
    Index found = 0;
    for (std::size_t i = 0; i < labels.size(); ++i)
      found += labels[i] == static_cast<Index>(rows.rows.target[static_cast<Index>(i)]);
    EXPECT_GT(found, right) << recipe;
  }
  static void expect_one_row_is_predicted_as_many_are(const FittedModel& model, const Table& rows) {
    OneRowWorkspace workspace = model.one_row_workspace();
    const PredictiveDistribution all = model.predict(rows).distribution();
    for (Index i = 0; i < all.mean().size(); i += 7) {
      const OneRowPrediction& one = model.predict_one(rows.rows.inputs.row(i).transpose(), workspace);
      EXPECT_NEAR(one.mean, all.mean()[i], 1e-9);
      EXPECT_NEAR(one.variance, all.variance()[i], 1e-8 * all.variance()[i]);
    }
  }
  /// Slopes of the first two inputs at raw rows are those of differences: a step of 1e-7 passes few knots of curves,
  /// where they have no second derivative, and thresholds of trees.
  static void expect_slopes_of_differences(const FittedModel& model, const Matrix& raw) {
    const GradientPrediction slopes = predict_gradient(model, raw, {0, 1}, true);
    const double h = 1e-7;
    for (Index j = 0; j < 2; ++j) {
      Matrix up = raw, down = raw;
      up.col(j).array() += h;
      down.col(j).array() -= h;
      const Vector numeric =
          (model.predict(up).distribution().mean() - model.predict(down).distribution().mean()) / (2 * h);
      EXPECT_LT((slopes.mean.col(j) - numeric).cwiseAbs().maxCoeff(), 1e-3 * numeric.cwiseAbs().maxCoeff());
      EXPECT_GT(slopes.variance.col(j).minCoeff(), 0);
    }
  }
  static void expect_formula_of_the_mean(const FittedModel& model, const Table& rows) {
    const Matrix x = model.standardizer.inputs(rows.rows.inputs);
    double value = 0;
    for (const FitFormula& fit : mean_formula(model)) value += fit.share * evaluate(fit, Vector(x.row(4).transpose()));
    const double mean = model.predict(rows).distribution().mean()[4];
    EXPECT_NEAR(value * model.standardizer.target_scale() + model.standardizer.target_shift(), mean, 1e-8);
  }
  /// The model after an update with so many further rows.
  FittedModel updated(const FittedModel& model, Index rows, std::uint64_t seed) const {
    ModelUpdate update(model, {});
    update.add(fresh_table(model, rows, seed).rows);
    return update.finish();
  }

  TemporaryFolder folder_;
};

}  // namespace alacarte::test
