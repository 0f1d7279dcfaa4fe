// Updated models against the posterior of all rows at the same hyperparameters and scaling.
#include "alacarte/model/update.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/io/model_file.hpp"
#include "inference/inference.hpp"
#include "io/documents.hpp"
#include "support/small_model.hpp"

namespace alacarte {
namespace {

constexpr double kTolerance = 1e-10;

/// Returns the objective of the rows at the model's scaling, with the settings of small_model().
std::unique_ptr<Inference> inference_of(const FittedModel& model, const Dataset& rows, double weight_of_first,
                                        Index first) {
  Dataset z;
  z.inputs = model.standardizer.inputs(rows.inputs);
  z.target = model.standardizer.target(rows.target);
  z.weights = rows.weights;
  if (weight_of_first != 1) {
    if (z.weights.size() == 0) z.weights = Vector::Ones(rows.rows());
    z.weights.head(first) *= weight_of_first;
  }
  const std::shared_ptr<RowSource> source = std::move(z);
  return make_inference(model.members.front().prior, source, {});
}

/// Returns theta of the objective: that of the member, and its noise.
Vector theta_of(const Inference& inference, const Member& member) {
  Vector theta(inference.parameters().size());
  theta << member.theta, std::log(0.2);
  return theta;
}

double log_evidence_of(Inference& inference, const Member& member) {
  Vector gradient(inference.parameters().size());
  return -inference.evaluate(theta_of(inference, member), gradient);
}

Dataset first_rows(const Dataset& rows, Index count) {
  std::vector<Index> places;
  for (Index i = 0; i < count; ++i) places.push_back(i);
  return rows.select_rows(places);
}

Dataset rows_between(const Dataset& rows, Index first, Index last) {
  std::vector<Index> places;
  for (Index i = first; i < last; ++i) places.push_back(i);
  return rows.select_rows(places);
}

void expect_same(const Posterior& updated, const Posterior& whole, const FittedModel& model, const Dataset& rows) {
  const Matrix x = model.standardizer.inputs(rows.inputs);
  Vector means[2], variances[2];
  for (const int k : {0, 1}) {
    means[k].resize(x.rows());
    variances[k].resize(x.rows());
    function_of(k == 0 ? updated : whole).predict(x, means[k], variances[k]);
  }
  EXPECT_LT((means[0] - means[1]).cwiseAbs().maxCoeff(), kTolerance);
  EXPECT_LT((variances[0] - variances[1]).cwiseAbs().maxCoeff(), kTolerance);
  EXPECT_NEAR(updated.noise_variance(), whole.noise_variance(), 1e-15);
}

struct UpdateCase {
  std::string model;
  Index learned, rows;  // small_model() has fewer than about 30 features
  bool weighted;
  double forget;
};

class Update : public ::testing::TestWithParam<std::tuple<std::string, int>> {};

UpdateCase case_of(const std::tuple<std::string, int>& parameters) {
  const auto& [name, variant] = parameters;
  if (variant == 0) return {name, 60, 90, false, 0};
  if (variant == 1) return {name, 8, 10, true, 0};      // dual forms stay dual with enough features
  if (variant == 2) return {name, 9, 80, false, 0.25};  // and become primal here
  return {name, 60, 90, true, 0.4};
}

TEST_P(Update, IsThePosteriorOfAllRows) {
  const UpdateCase c = case_of(GetParam());
  SmallProblem problem = small_problem(c.rows);
  Dataset all = problem.rows;
  problem.rows = first_rows(all, c.learned);
  FittedModel model = small_model({c.model}, problem);
  if (c.weighted) {
    RandomStream stream(5);
    all.weights = Vector(all.rows());
    for (double& weight : all.weights) weight = 0.3 + 2 * stream.uniform();
    const auto learned = inference_of(model, first_rows(all, c.learned), 1, 0);
    model.members.front().posterior = learned->posterior(theta_of(*learned, model.members.front()));
  }
  Member& member = model.members.front();
  {
    const auto learned = inference_of(model, first_rows(all, c.learned), 1, 0);
    member.summary.log_evidence = log_evidence_of(*learned, member);
  }
  UpdateOptions options;
  options.forget = c.forget;
  ModelUpdate update(model, options);
  const Index middle = (c.learned + c.rows) / 2;
  update.add(rows_between(all, c.learned, middle));
  update.add(rows_between(all, middle, c.rows));
  const FittedModel updated = update.finish();

  const auto whole = inference_of(model, all, 1 - c.forget, c.learned);
  const auto posterior = whole->posterior(theta_of(*whole, member));
  expect_same(*updated.members.front().posterior, *posterior, model, all);
  const auto evidence = to_json(updated.members.front().summary).at("log_evidence");
  if (c.forget > 0) {
    EXPECT_TRUE(evidence.is_null());
  } else {
    EXPECT_NEAR(evidence.get<double>(), log_evidence_of(*whole, member), 1e-8);
  }
  // A saved model continues.
  const FittedModel loaded = FittedModel::load(updated.save());
  EXPECT_EQ(loaded.predict(all.inputs).distribution().component_means(),
            updated.predict(all.inputs).distribution().component_means());
  EXPECT_EQ(to_json(loaded.training).at("rows"), c.rows);
}

INSTANTIATE_TEST_SUITE_P(Registered, Update,
                         ::testing::Combine(::testing::ValuesIn(registered_models()), ::testing::Range(0, 4)),
                         [](const auto& info) {
                           std::string name = std::get<0>(info.param) + "_" + std::to_string(std::get<1>(info.param));
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

TEST(Updates, OneAfterTheOtherAreOneOfAll) {
  SmallProblem problem = small_problem(90);
  const Dataset all = problem.rows;
  problem.rows = first_rows(all, 50);
  const FittedModel model = small_model({"ard", "exact-rbf"}, problem);
  ModelUpdate first(model, {});
  first.add(rows_between(all, 50, 70));
  const FittedModel half = first.finish();
  ModelUpdate second(half, {});
  second.add(rows_between(all, 70, 90));
  const FittedModel twice = second.finish();
  ModelUpdate at_once(model, {});
  at_once.add(rows_between(all, 50, 90));
  const FittedModel once = at_once.finish();
  const Matrix a = once.predict(all.inputs).distribution().component_means(),
               b = twice.predict(all.inputs).distribution().component_means();
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_EQ(to_json(twice.training).at("updates").size(), 2u);
  EXPECT_EQ(to_json(twice.training).at("rows"), 90);
}

TEST(Updates, HaveTheSameBitsWithAnyThreadsAndTellOfDrift) {
  SmallProblem problem = small_problem(80);
  const Dataset all = problem.rows;
  problem.rows = first_rows(all, 60);
  FittedModel model = small_model({"ard", "gm", "exact-rbf"}, problem);
  model.training.leave_one_out = Metrics{.nlpd = 0.5};
  Dataset far = rows_between(all, 60, 80);
  far.target.array() += 40;
  std::vector<Matrix> means;
  for (const int threads : {1, 3}) {
    UpdateOptions options;
    options.threads = threads;
    ModelUpdate update(model, options);
    update.add(far);
    const FittedModel updated = update.finish();
    means.push_back(updated.predict(all.inputs).distribution().component_means());
    const auto record = to_json(updated.training).at("updates").back();
    EXPECT_EQ(record.at("rows"), 20);
    EXPECT_EQ(record.at("leave_one_out_nlpd"), 0.5);
    EXPECT_GT(record.at("before_learning").at("nlpd"), 5);
    EXPECT_GT(record.at("before_learning").at("squared_z"), 10);
    EXPECT_TRUE(to_json(updated.training).at("leave_one_out").is_null());
    EXPECT_NE(update_text(updated.training).find("consider training anew"), std::string::npos);
  }
  EXPECT_EQ(means[0], means[1]);
  EXPECT_EQ(update_text(model.training), "");
}

TEST(Updates, OfAFewRowsSayNothingOfDrift) {
  SmallProblem problem = small_problem(80);
  const Dataset all = problem.rows;
  problem.rows = first_rows(all, 60);
  FittedModel model = small_model({"ard"}, problem);
  model.training.leave_one_out = Metrics{.nlpd = -100};
  const auto text_of = [&](Index rows) {
    ModelUpdate update(model, {});
    update.add(rows_between(all, 60, 60 + rows));
    return update_text(update.finish().training);
  };
  EXPECT_EQ(text_of(1).find("consider training anew"), std::string::npos) << text_of(1);
  EXPECT_EQ(text_of(9).find(" +- "), std::string::npos);
  EXPECT_NE(text_of(10).find("consider training anew"), std::string::npos);
}

TEST(Updates, WidenTheRangesOfTheInputs) {
  SmallProblem problem = small_problem(40);
  const FittedModel model = small_model({"ard"}, problem);
  Dataset far;
  far.inputs = Matrix(1, 2);
  far.inputs << 50, 1000;
  far.target = Vector::Constant(1, 60);
  EXPECT_EQ(model.standardizer.share_outside(far.inputs)[0], 1);
  ModelUpdate update(model, {});
  update.add(far);
  const FittedModel updated = update.finish();
  EXPECT_EQ(updated.standardizer.share_outside(far.inputs)[0], 0);
  EXPECT_EQ(updated.standardizer.input_scale(), model.standardizer.input_scale());
  EXPECT_EQ(to_json(updated.training).at("updates").back().at("before_learning").at("share_outside"), 1);
}

TEST(Updates, AreRefusedInOneLine) {
  const SmallProblem problem = small_problem(40);
  const FittedModel model = small_model({"exact-rbf"}, problem);
  const auto refusal = [](const FittedModel& of, const UpdateOptions& options) -> std::string {
    try {
      ModelUpdate update(of, options);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  UpdateOptions all_forgotten;
  all_forgotten.forget = 1;
  EXPECT_NE(refusal(model, all_forgotten).find("forget"), std::string::npos);
  EXPECT_NE(refusal(FittedModel::load(model.save(true)), {}).find("--mean-only"), std::string::npos);
  FittedModel counts = small_model({"ard"}, problem);
  counts.recipe.likelihood = "poisson";
  EXPECT_NE(refusal(counts, {}).find("predicts counts"), std::string::npos);
  FittedModel machine = small_model({"ard"}, problem);
  machine.recipe.learner.kind = LearnerKind::svm;
  EXPECT_NE(refusal(machine, {}).find("learner 'svm'"), std::string::npos);
  ModelUpdate none(model, {});
  EXPECT_THROW(none.finish(), DataError);
  FittedModel small = small_model({"exact-rbf"}, problem);
  small.recipe.max_model_mb = 1e-3;
  ModelUpdate large(small, {});
  EXPECT_THROW(large.add(problem.rows), ConfigError);
}

}  // namespace
}  // namespace alacarte
