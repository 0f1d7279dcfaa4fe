// Left-out predictions, weights and calibration of a training whose rows have groups or times.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "alacarte/train/fit.hpp"
#include "data/column_splits.hpp"

namespace alacarte {
namespace {

constexpr Index kGroups = 24, kEach = 10, kRows = kGroups * kEach;

/// Returns rows whose first two inputs are a place of their group, and whose target has an effect of the group.
Dataset grouped_rows(const std::string& target = "number") {
  RandomStream stream(11);
  Dataset data;
  data.inputs.resize(kRows, 3);
  data.target.resize(kRows);
  for (Index g = 0; g < kGroups; ++g) {
    const Vector place = 4 * stream.normals(2);
    const double effect = stream.normal();
    for (Index i = g; i < kRows; i += kGroups) {
      data.inputs.row(i) << place.transpose(), stream.normal();
      const double f = effect + 0.5 * data.inputs(i, 2);
      data.target[i] = target == "class" ? f + 0.1 * stream.normal() > 0 : f + 0.1 * stream.normal();
      if (target == "count") data.target[i] = std::floor(std::exp(0.7 * f + 1) + stream.uniform());
    }
  }
  return data;
}

SplitColumns groups_of_rows() {
  SplitColumns columns;
  for (Index i = 0; i < kRows; ++i) columns.groups.push_back(i % kGroups);
  return columns;
}

Recipe quick(const std::string& model, const std::string& likelihood = "gaussian") {
  Recipe recipe;
  recipe.model = model;
  recipe.likelihood = likelihood;
  if (likelihood == "gaussian") recipe.noise.prior_center = PriorCenter::fixed;
  recipe.training.starts = 1;
  recipe.training.iterations = 15;
  return recipe;
}

struct Trained {
  FittedModel model;
  std::vector<Index> rows;  // with left-out predictions; empty: all
  Vector means;
};

Trained train(Recipe recipe, Dataset data, SplitColumns columns, Index classes = 0) {
  FitOptions options;
  options.seed = 5;
  options.columns = std::move(columns);
  Trained trained;
  options.on_left_out = [&](const Prediction& prediction, const std::vector<Index>& rows) {
    trained.rows = rows;
    if (prediction.kind() == TargetKind::numbers) trained.means = prediction.distribution().mean();
  };
  std::vector<std::string> names;
  for (Index k = 0; k < classes; ++k) names.push_back(std::to_string(k));
  recipe.data.labels = classes > 0;
  const Schema schema = Schema::numbers(data.inputs.cols(), names);
  trained.model = fit(recipe, schema, std::move(data), options);
  return trained;
}

double rmse(const Trained& trained) { return std::get<Metrics>(*trained.model.training.leave_one_out).rmse; }

TEST(LeftOutByGroups, ScoresAreThoseOfNewGroups) {
  const Trained rows = train(quick("exact-rbf"), grouped_rows(), {});
  const Trained groups = train(quick("exact-rbf"), grouped_rows(), groups_of_rows());
  EXPECT_LT(rmse(rows), 0.25);
  EXPECT_GT(rmse(groups), 0.7);
  EXPECT_TRUE(groups.rows.empty());  // all rows, each by the other groups
  EXPECT_EQ(groups.means.size(), kRows);
  // The parameters are learned from all rows alike.
  EXPECT_EQ(groups.model.members[0].theta, rows.model.members[0].theta);
}

// Three length-scales for 24 groups: learned without the groups that are scored.
TEST(LeftOutByGroups, AreUnseenByManyParameters) {
  for (const char* model : {"exact-ard", "ard"}) {
    const Trained rows = train(quick(model), grouped_rows(), {});
    const Trained groups = train(quick(model), grouped_rows(), groups_of_rows());
    EXPECT_LT(rmse(rows), 0.25) << model;
    EXPECT_GT(rmse(groups), 0.5) << model;
    EXPECT_NE(groups.model.members[0].theta, rows.model.members[0].theta);
    EXPECT_EQ(groups.model.training.rows, kRows);
    ASSERT_EQ(groups.rows.size(), 5u * kEach) << model;
  }
}

// A kernel that knows each place wins for rows of known groups, a line through the last input for those of new ones.
TEST(LeftOutByGroups, WeighMembersForNewGroups) {
  Recipe mixture = quick("mixture");
  mixture.weights = FitWeights::leave_one_out;
  mixture.members = {quick("exact-ard"), quick("linear")};
  const auto weight_of_line = [&](SplitColumns columns, FitWeights weights) {
    mixture.weights = weights;
    const Trained trained = train(mixture, grouped_rows(), std::move(columns));
    return trained.model.members.at(1).weight;
  };
  for (const FitWeights weights : {FitWeights::leave_one_out, FitWeights::held_out}) {
    const double rows = weight_of_line({}, weights), groups = weight_of_line(groups_of_rows(), weights);
    EXPECT_GT(groups, rows + 0.1);
  }
}

TEST(LeftOutByGroups, AreHeldOutTogetherWithOtherLikelihoods) {
  for (const std::string target : {"class", "count"}) {
    const Index classes = target == "class" ? 2 : 0;
    const Trained trained =
        train(quick("ard", target == "class" ? "probit" : "poisson"), grouped_rows(target), groups_of_rows(), classes);
    ASSERT_TRUE(trained.model.training.leave_one_out) << target;
    ASSERT_EQ(trained.rows.size(), 5u * kEach) << target;
    std::vector<Index> whole;  // of each group in it all rows
    for (Index i = 0; i < kRows; ++i)
      if (std::any_of(trained.rows.begin(), trained.rows.end(), [&](Index row) { return (row - i) % kGroups == 0; }))
        whole.push_back(i);
    EXPECT_EQ(trained.rows, whole);
  }
}

TEST(LeftOutByGroups, PartFoldsOfClassesAndCosts) {
  Recipe mixture = quick("mixture", "probit");
  mixture.weights = FitWeights::folds;
  mixture.members = {quick("ard", "probit"), quick("linear", "probit")};
  mixture.members[0].features.frequencies = 24;
  for (Recipe& member : mixture.members) member.training.iterations = 6;
  const Trained rows = train(mixture, grouped_rows("class"), {}, 2);
  const Trained groups = train(mixture, grouped_rows("class"), groups_of_rows(), 2);
  EXPECT_GT(groups.model.members.at(1).weight, rows.model.members.at(1).weight);
  Recipe svm;
  svm.model = "exact-rbf";
  svm.learner.kind = LearnerKind::svm;
  const auto error = [&](SplitColumns columns) {
    return *train(svm, grouped_rows("class"), std::move(columns), 2).model.members[0].summary.cross_validation_error;
  };
  EXPECT_GT(error(groups_of_rows()), error({}) + 0.05);
}

TEST(LeftOutInTime, AreTheLastRowsByThoseBefore) {
  const Dataset data = grouped_rows();
  SplitColumns columns;
  columns.times = Vector(kRows);
  std::vector<Index> first, last;
  for (Index i = 0; i < kRows; ++i) {
    columns.times[i] = static_cast<double>((7 * i) % kRows);
    (columns.times[i] < 0.9 * kRows ? first : last).push_back(i);
  }
  Recipe recipe = quick("exact-rbf");  // all parameters are given
  recipe.scale_inputs = Scaling::none;
  recipe.scale_target = TargetScaling::none;
  recipe.kernel.lengthscale = {2};
  recipe.kernel.amplitude = 1.5;
  recipe.kernel.trained = recipe.noise.trained = false;
  recipe.noise.sd = 0.3;
  const Trained trained = train(recipe, data, columns), past = train(recipe, data.select_rows(first), {});
  EXPECT_EQ(trained.rows, last);
  const Prediction expected = past.model.predict(Matrix(data.inputs(last, Eigen::all)));
  EXPECT_LT((trained.means - expected.distribution().mean()).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_EQ(trained.model.training.rows, kRows);  // the model has all of them
  EXPECT_NEAR(std::get<Metrics>(*trained.model.training.leave_one_out).nlpd,
              -expected.distribution().log_density(data.target(last)).mean(), 1e-8);
}

TEST(LeftOutInTime, CalibrateByTheLastRows) {
  // Errors are ten times as large in the last fifth.
  RandomStream stream(3);
  Dataset data;
  data.inputs.resize(300, 1);
  data.target.resize(300);
  SplitColumns columns;
  columns.times = Vector::LinSpaced(300, 0, 299);
  for (Index i = 0; i < 300; ++i) {
    data.inputs(i, 0) = stream.normal();
    data.target[i] = data.inputs(i, 0) + (i < 240 ? 0.1 : 1.0) * stream.normal();
  }
  Recipe recipe = quick("linear");
  recipe.calibration.kind = CalibrationKind::conformal;
  recipe.calibration.share = 0.2;
  const auto width = [&](SplitColumns own) {
    const FittedModel model = train(recipe, data, std::move(own)).model;
    EXPECT_EQ(model.training.calibrated->rows, 60);
    const Interval interval = model.interval(model.predict(Matrix(Matrix::Zero(1, 1))), 0.8);
    return interval.upper[0] - interval.lower[0];
  };
  EXPECT_GT(width(columns), 2 * width({}));
}

TEST(LeftOutByColumns, FallBackOnRowsWhereThereIsOneGroup) {
  SplitColumns one;
  one.groups.assign(kRows, 3);
  const Trained trained = train(quick("ard"), grouped_rows(), one), rows = train(quick("ard"), grouped_rows(), {});
  EXPECT_EQ(rmse(trained), rmse(rows));
  const auto& notes = *trained.model.training.notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(),
                          [](const std::string& note) { return note.find("one group") != std::string::npos; }));
  one.groups.pop_back();
  EXPECT_THROW(train(quick("ard"), grouped_rows(), one), std::invalid_argument);
}

}  // namespace
}  // namespace alacarte
