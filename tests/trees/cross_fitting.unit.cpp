// Boosting and its cross-fitted columns: what they find, and that no row's column has seen its target.
#include "trees/cross_fitting.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/data/dataset.hpp"

namespace alacarte {
namespace {

#define SKIP_WITHOUT_TREES() \
  if (!can_boost()) GTEST_SKIP() << "this build trains no trees"

/// Rows of three inputs in [0, 1]; y = 2 where x0 > 0.5 and x1 > 0.3, otherwise 0, and normal noise.
BoostingRows steps(Index rows, double noise, std::uint64_t seed) {
  RandomStream stream = RandomStreams(seed).stream("steps");
  BoostingRows made{Matrix(rows, 3), Vector(rows)};
  for (double& value : made.x.reshaped()) value = stream.uniform();
  for (Index i = 0; i < rows; ++i)
    made.y[i] = (made.x(i, 0) > 0.5 && made.x(i, 1) > 0.3 ? 2 : 0) + noise * stream.normal();
  return made;
}

std::shared_ptr<RowSource> source_of(const BoostingRows& rows) {
  Dataset data;
  data.inputs = rows.x;
  data.target = rows.y;
  data.weights = rows.weights;
  data.offsets = rows.offsets;
  return std::make_shared<MemoryRows>(std::move(data));
}

double rms(const Vector& values) { return std::sqrt(values.squaredNorm() / static_cast<double>(values.size())); }

// The library's own evaluation of the stored arrays has the loss that XGBoost reports.
TEST(Boosting, TheArraysHaveTheLossThatTheTrainerReports) {
  SKIP_WITHOUT_TREES();
  BoostingRows rows = steps(400, 0.1, 1), held = steps(300, 0.1, 2);
  BoostingSettings settings;
  settings.rounds = 40;
  const BoostingResult squares = boost(rows, held, settings, {});
  EXPECT_NEAR(rms(squares.trees.of(held.x).col(0) - held.y), squares.score, 1e-5);
  EXPECT_LT(squares.score, 0.25);

  settings.loss = BoostingLoss::counts;
  for (BoostingRows* one : {&rows, &held}) {
    one->y = one->y.array().round().max(0);
    one->offsets = Vector::LinSpaced(one->y.size(), -1, 1);
  }
  const BoostingResult counts = boost(rows, held, settings, {});
  const Vector log_mean = counts.trees.of(held.x).col(0) + held.offsets;
  double loss = 0;
  for (Index i = 0; i < held.y.size(); ++i)
    loss += std::exp(log_mean[i]) - held.y[i] * log_mean[i] + std::lgamma(held.y[i] + 1);
  EXPECT_NEAR(loss / static_cast<double>(held.y.size()), counts.score, 1e-4);

  settings.loss = BoostingLoss::classes;
  for (const Index classes : {2, 3}) {
    settings.classes = classes;
    for (BoostingRows* one : {&rows, &held})
      for (Index i = 0; i < one->y.size(); ++i)
        one->y[i] = (one->x(i, 0) > 0.5) + (classes > 2 && one->x(i, 1) > 0.6 ? 1 : 0);
    const BoostingResult result = boost(rows, held, settings, {});
    const Matrix margins = result.trees.of(held.x);
    ASSERT_EQ(margins.cols(), classes == 2 ? 1 : 3);
    double log_loss = 0;
    for (Index i = 0; i < held.y.size(); ++i) {
      Vector all = Vector::Zero(classes);
      if (classes == 2)
        all[1] = margins(i, 0);
      else
        all = margins.row(i).transpose();
      log_loss += std::log((all.array() - all[static_cast<Index>(held.y[i])]).exp().sum());
    }
    EXPECT_NEAR(log_loss / static_cast<double>(held.y.size()), result.score, 1e-4) << classes;
  }
}

TEST(CrossFitting, FindsStepsInRowsThatItHasNotSeen) {
  SKIP_WITHOUT_TREES();
  const BoostingRows rows = steps(600, 0.1, 3), fresh = steps(400, 0, 4);
  CrossFitting how;
  const CrossFitted fitted = cross_fit_trees(*source_of(rows), {}, how);
  ASSERT_EQ(fitted.columns.cols(), 1);
  EXPECT_NEAR(fitted.columns.mean(), 0, 1e-12);
  EXPECT_NEAR(rms(fitted.columns.col(0)), 1, 1e-12);
  const auto correlation = [](const Vector& a, const Vector& b) {
    const Vector u = a.array() - a.mean(), v = b.array() - b.mean();
    return u.dot(v) / std::sqrt(u.squaredNorm() * v.squaredNorm());
  };
  EXPECT_GT(correlation(fitted.columns.col(0), rows.y), 0.95);
  EXPECT_GT(correlation(fitted.trees->of(fresh.x).col(0), fresh.y), 0.95);
  how.threads = 2;
  const CrossFitted again = cross_fit_trees(*source_of(rows), {}, how);
  EXPECT_EQ(again.columns, fitted.columns);
  EXPECT_EQ(again.trees->of(fresh.x), fitted.trees->of(fresh.x));
  EXPECT_NE(fitted.note.find("in 5 folds"), std::string::npos) << fitted.note;
}

// A column that had seen its row's target would follow noise, and that of a group would follow the group's effect.
TEST(CrossFitting, NoColumnHasSeenItsRowOrItsGroup) {
  SKIP_WITHOUT_TREES();
  BoostingRows rows = steps(600, 1, 5);
  rows.y = (rows.y.array() - (rows.x.col(0).array() > 0.5 && rows.x.col(1).array() > 0.3).cast<double>() * 2).eval();
  const auto along = [&](const CrossFitted& fitted) { return fitted.columns.col(0).dot(rows.y) / 600; };
  EXPECT_LT(along(cross_fit_trees(*source_of(rows), {}, {})), 0.12);

  // Twenty groups, known by an input, whose effects are drawn: nothing tells of a group that is left out.
  RandomStream stream = RandomStreams(6).stream("effects");
  Vector effects(20);
  for (double& effect : effects) effect = stream.normal();
  SplitColumns columns;
  for (Index i = 0; i < 600; ++i) {
    columns.groups.push_back(i % 20);
    rows.x(i, 2) = static_cast<double>(i * 7 % 20);
    rows.y[i] = effects[i % 20] + 0.1 * stream.normal();
  }
  rows.y.array() -= rows.y.mean();
  EXPECT_GT(along(cross_fit_trees(*source_of(rows), {}, {})), 0.8);
  EXPECT_LT(along(cross_fit_trees(*source_of(rows), columns, {})), 0.4);
}

TEST(CrossFitting, FewerOperationsTakeLargerSteps) {
  SKIP_WITHOUT_TREES();
  const BoostingRows rows = steps(300, 0.1, 7);
  CrossFitting how;
  how.flops = 1;
  EXPECT_NE(cross_fit_trees(*source_of(rows), {}, how).note.find("step 0.5"), std::string::npos);
  how.flops = 1e15;
  EXPECT_NE(cross_fit_trees(*source_of(rows), {}, how).note.find("step 0.05"), std::string::npos);
  const std::vector<Index> numbers(5, 256), indicators(5, 2);
  EXPECT_LT(least_cross_fitting_flops(1000, numbers, 1), least_cross_fitting_flops(1000, numbers, 3));
  EXPECT_LT(least_cross_fitting_flops(1000, numbers, 1), least_cross_fitting_flops(100'000, numbers, 1));
  EXPECT_LT(least_cross_fitting_flops(1000, indicators, 1), least_cross_fitting_flops(1000, numbers, 1));
}

TEST(CrossFitting, StopsWhereItIsTold) {
  SKIP_WITHOUT_TREES();
  CrossFitting how;
  std::vector<Index> told;
  how.threads = 2;
  how.after_round = [&](Index rounds) {
    told.push_back(rounds);
    return true;
  };
  const CrossFitted fitted = cross_fit_trees(*source_of(steps(300, 0.1, 8)), {}, how);
  EXPECT_LE(fitted.trees->trees(), 5) << "a round of each fold";
  ASSERT_EQ(told.size(), 7U) << "a round of each fold, and of two more settings";
  for (std::size_t k = 0; k < told.size(); ++k) EXPECT_EQ(told[k], static_cast<Index>(k) + 1);
  EXPECT_THROW(cross_fit_trees(*source_of(steps(9, 0.1, 8)), {}, {}), DataError);
}

}  // namespace
}  // namespace alacarte
