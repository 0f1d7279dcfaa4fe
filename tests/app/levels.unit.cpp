// Tables with a column of many levels, from the file to the prediction, by models of every kind.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "alacarte/app/workflow.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/model/update.hpp"
#include "app/coefficients.hpp"
#include "support/program.hpp"

namespace alacarte {
namespace {

constexpr Index kSubjects = 40, kOfSubject = 8;

/// Writes rows of a number, a subject and a target with an effect of sd 1 of each subject and noise of sd 0.3.
class GroupedTable : public testing::Test {
 protected:
  enum class Target { number, word, count };

  std::string table(Target target = Target::number, const std::string& subject = "s") const {
    const std::string path = folder_ / (subject + ".csv");
    std::ofstream file(path);
    RandomStream stream(subject == "s" ? 5 : 6);
    const Vector effects = stream.normals(kSubjects);
    file << "x,subject,y\n";
    for (Index i = 0; i < kSubjects * kOfSubject; ++i) {
      const double x = stream.normal(), f = std::sin(x) + effects[i % kSubjects], y = f + 0.3 * stream.normal();
      file << x << ',' << subject << i % kSubjects << ',';
      if (target == Target::word)
        file << (y > 0 ? "high\n" : "low\n");
      else if (target == Target::count)
        file << std::floor(std::exp(0.5 * f + 1) + stream.uniform()) << '\n';
      else
        file << y << '\n';
    }
    return path;
  }

  static FittedModel trained(const std::string& recipe, const Table& rows) {
    Recipe parsed = parse_registered_recipe(nlohmann::json::parse(recipe));
    parsed.training.iterations = std::min<Index>(parsed.training.iterations, 40);
    return fit(parsed, rows);
  }

  test::TemporaryFolder folder_;
};

class LevelsOfNumbers : public GroupedTable, public testing::WithParamInterface<const char*> {};

TEST_P(LevelsOfNumbers, AreLearnedSavedAndWidenUnknownRows) {
  const Table rows = read_table(table());
  ASSERT_EQ(rows.schema.level_counts(), std::vector<Index>{kSubjects});
  const FittedModel model = trained(GetParam(), rows);
  const Table others = read_table(table(Target::number, "other"), model.schema);
  save(model, folder_ / "model");
  const FittedModel loaded = load_model(folder_ / "model");
  const auto own = model.predict(rows).distribution(), unknown = model.predict(others).distribution();
  EXPECT_EQ(loaded.predict(rows).distribution().variance(), own.variance());
  EXPECT_EQ(loaded.predict(others).distribution().mean(), unknown.mean());
  EXPECT_EQ(loaded.predict(others).distribution().variance(), unknown.variance());
  // Training rows: noise 0.3 and what is not known of an effect; others: the effect of sd 1, too.
  EXPECT_LT(own.variance().cwiseSqrt().mean(), 0.55);
  EXPECT_GT(unknown.variance().cwiseSqrt().mean(), 0.8);
  EXPECT_LT(unknown.variance().cwiseSqrt().mean(), 1.5);
  EXPECT_LT(std::sqrt((own.mean() - rows.rows.target).squaredNorm() / static_cast<double>(rows.count())), 0.4);
  for (const Member& member : model.members) {
    const std::vector<RandomEffect> effects = random_effects(model, describe(model, member));
    ASSERT_EQ(effects.size(), 1U);
    EXPECT_EQ(effects[0].name, "subject");
    EXPECT_EQ(effects[0].levels, kSubjects);
    EXPECT_NEAR(effects[0].sd, 1, 0.4);
  }
  Matrix one = others.rows.inputs.topRows(2);
  auto work = model.one_row_workspace();
  EXPECT_NEAR(model.predict_one(one.row(0).transpose(), work).mean, unknown.mean()[0], 1e-9);
  EXPECT_EQ(model.covariance(one, false).rows(), 2);
}

INSTANTIATE_TEST_SUITE_P(
    Recipes, LevelsOfNumbers,
    testing::Values(
        R"({"model": "exact-ard"})", R"({"model": "ard", "features": {"frequencies": 32}})",
        R"({"model": "gm", "features": {"frequencies": 16, "components": 2}})",
        R"({"model": "sum", "terms": [{"model": "linear"}, {"model": "ard", "features": {"frequencies": 16}}]})",
        R"({"model": "exact-sum", "terms": [{"model": "exact-linear"}, {"model": "exact-rbf"}]})",
        R"({"model": "nystrom", "terms": [{"model": "exact-rbf"}], "features": {"frequencies": 24}})",
        R"({"model": "deep", "terms": [{"model": "linear"}], "network": {"widths": [8]}})",
        R"({"model": "ard", "likelihood": "student-t", "features": {"frequencies": 16}})"),
    [](const auto& info) { return "number" + std::to_string(info.index); });

TEST_F(GroupedTable, ClassesAndCountsTakeLevels) {
  for (const auto& [target, recipe] :
       {std::pair{Target::word, R"({"model": "ard", "likelihood": "softmax", "features": {"frequencies": 16}})"},
        std::pair{Target::word,
                  R"({"model": "ard", "learner": {"kind": "logistic"}, "features": {"frequencies": 16}})"},
        std::pair{Target::word, R"({"model": "exact-rbf", "learner": {"kind": "svm"}})"},
        std::pair{Target::count, R"({"model": "ard", "likelihood": "poisson", "features": {"frequencies": 16}})"}}) {
    const Table rows = read_table(table(target));
    Recipe parsed = parse_registered_recipe(nlohmann::json::parse(recipe));
    if (parsed.learner.kind == LearnerKind::gp) parsed.training.iterations = 10;
    const FittedModel model = fit(parsed, rows);
    save(model, folder_ / "model");
    const FittedModel loaded = load_model(folder_ / "model");
    if (target == Target::word) {
      const std::vector<Index> labels = model.predict(rows).classes().labels();
      EXPECT_EQ(loaded.predict(rows).classes().values, model.predict(rows).classes().values);
      Index right = 0;
      for (std::size_t i = 0; i < labels.size(); ++i) right += labels[i] == rows.rows.target[static_cast<Index>(i)];
      EXPECT_GT(right, 0.8 * static_cast<double>(rows.count())) << recipe;
    } else {
      EXPECT_EQ(loaded.predict(rows).counts().mean(), model.predict(rows).counts().mean());
    }
  }
}

TEST_F(GroupedTable, UpdatesTakeRowsOfKnownLevelsAlone) {
  const Table rows = read_table(table());
  const FittedModel exact = trained(R"({"model": "exact-ard"})", rows);
  ModelUpdate update(exact, {});
  update.add(rows.rows.select_rows({1, 2, 3}));
  EXPECT_EQ(update.finish().members.size(), 1U);
  const Table others = read_table(table(Target::number, "other"), exact.schema);
  ModelUpdate refused(exact, {});
  EXPECT_THROW(refused.add(others.rows), DataError);
  const FittedModel map = trained(R"({"model": "linear"})", rows);
  EXPECT_THROW(ModelUpdate(map, {}), ConfigError);
}

TEST_F(GroupedTable, CoefficientsAreThoseOfTheOtherInputs) {
  const Table rows = read_table(table());
  const auto coefficients = linear_coefficients(trained(R"({"model": "linear"})", rows));
  ASSERT_TRUE(coefficients);
  ASSERT_EQ(coefficients->inputs.size(), 1U);
  EXPECT_EQ(coefficients->inputs[0].name, "x");
  EXPECT_NEAR(coefficients->inputs[0].value, 0.65, 0.15);
}

}  // namespace
}  // namespace alacarte
