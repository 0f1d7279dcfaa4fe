#include "alacarte/train/fit.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>

#include "alacarte/core/error.hpp"
#include "alacarte/core/input_view.hpp"
#include "alacarte/core/version.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/likelihood.hpp"
#include "data/fingerprint.hpp"
#include "data/generators.hpp"
#include "io/documents.hpp"
#include "support/example_recipe.hpp"

namespace alacarte {
namespace {

Dataset friedman(Index rows, std::uint64_t seed) {
  Dataset data;
  RandomStream stream(seed);
  find_problem("friedman1")->generate(rows, stream, data.inputs, data.target);
  return data;
}

Recipe number_recipe(const std::string& model) {
  Recipe recipe = example_recipe(model, model == "gm" || model == "pwl" ? 32 : 64);
  recipe.training.starts = 2;
  recipe.training.probe_iterations = 5;
  recipe.training.iterations = 25;
  recipe.noise.prior_center = PriorCenter::fixed;
  if (model == "deep") recipe.network.training = NetworkTraining::evidence;  // minibatches: minibatches.unit.cpp
  return recipe;
}

Recipe mixture_of(std::vector<Recipe> members) {
  Recipe recipe;
  recipe.model = "mixture";
  recipe.members = std::move(members);
  return recipe;
}

Vector mean_at(const FittedModel& model, const Matrix& inputs) { return model.predict(inputs).distribution().mean(); }

double rmse(const FittedModel& model, const Dataset& test) {
  return std::sqrt((mean_at(model, test.inputs) - test.target).squaredNorm() / static_cast<double>(test.rows()));
}

FittedModel fit_small_numbers(const Recipe& recipe, const Dataset& data, FitOptions options = {}) {
  return fit(recipe, Schema(), data, options);
}

std::vector<std::string> every_model() {
  std::vector<std::string> names;
  for (const auto& entry : feature_maps()) names.push_back(entry.name);
  for (const auto& entry : kernels()) names.push_back(entry.name);
  return names;
}

TEST(Fit, StartsOfAnArdFitKnowWhichInputsMatter) {
  Dataset data = friedman(120, 1);  // five of ten inputs matter
  Recipe recipe = number_recipe("gm");
  recipe.training.starts = 1;
  recipe.training.iterations = 0;
  recipe.noise.prior_center = PriorCenter::ard;
  const auto ratio = [&](const std::string& start) {
    recipe.training.start = from_word<StartPoint>(start).value();
    const FittedModel model = fit_small_numbers(recipe, data);
    const Member& member = model.members[0];
    const auto relevance = member.prior.map()->describe(member.theta).relevance;
    return std::accumulate(relevance.begin(), relevance.begin() + 5, 0.0) /
           std::accumulate(relevance.begin() + 5, relevance.end(), 0.0);
  };
  EXPECT_LT(ratio("range"), 1.5);
  EXPECT_GT(ratio("ard"), 1.5);
  recipe.noise.prior_center = PriorCenter::fixed;
  EXPECT_LT(ratio("ard"), 1.5) << "without that fit, as from the ranges";
}

// These names are in recipes and model files, so that none of them may get lost; further ones need no line here.
TEST(Fit, EveryModelIsRegisteredOnce) {
  const std::vector<std::string> names = every_model();
  const std::set<std::string> registered(names.begin(), names.end());
  EXPECT_EQ(registered.size(), names.size());
  for (const char* name : {"rbf",
                           "ard",
                           "fsard",
                           "fsgbard",
                           "gm",
                           "pwl",
                           "ssgpr",
                           "matern",
                           "rq",
                           "laplace",
                           "ball",
                           "radial",
                           "linear",
                           "polynomial",
                           "dot-product",
                           "moments",
                           "local",
                           "positive",
                           "periodic",
                           "nystrom",
                           "tensor-sketch",
                           "gcws",
                           "sum",
                           "deep",
                           "exact-rbf",
                           "exact-ard",
                           "exact-matern",
                           "exact-rq",
                           "exact-linear",
                           "exact-sum",
                           "exact-product",
                           "exact-polynomial",
                           "exact-periodic",
                           "exact-minmax"})
    EXPECT_EQ(registered.count(name), 1u) << name;
}

/// SHA-256 of dense rows by the layout that fingerprint.hpp describes, from bytes that are put together here.
std::string sha256_of(const Dataset& data) {
  std::string bytes;
  const auto add = [&bytes](auto value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  add(static_cast<std::int64_t>(data.inputs.rows()));
  add(static_cast<std::int64_t>(data.inputs.cols()));
  for (Index i = 0; i < data.inputs.rows(); ++i) {
    for (Index j = 0; j < data.inputs.cols(); ++j) add(data.inputs(i, j));
    add(data.target[i]);
  }
  return text_sha256(bytes);
}

// A straight line reaches this, too; EveryModelLearnsWhatNoLineCan is stricter.
TEST(Fit, EveryModelLearnsFriedman) {
  const Dataset data = friedman(150, 1), test = friedman(300, 2);
  const double spread = std::sqrt((test.target.array() - test.target.mean()).square().mean());
  for (const std::string& name : every_model()) {
    SCOPED_TRACE(name);
    const FittedModel model = fit_small_numbers(number_recipe(name), data);
    ASSERT_EQ(model.members.size(), 1u);
    EXPECT_LT(rmse(model, test), 0.75 * spread);
    EXPECT_TRUE(model.members[0].theta.allFinite());
    EXPECT_EQ(model.members[0].theta.size(), model.members[0].prior.parameters().size());
    EXPECT_LT(to_json(model.training)["leave_one_out"]["rmse"].get<double>(), 0.75 * spread);
    EXPECT_EQ(to_json(model.training)["rows"], 150);
    EXPECT_EQ(to_json(model.training)["program_version"], version());
    EXPECT_EQ(model.training.data_sha256, sha256_of(data));
  }
}

// Returns a product of two centred inputs, which has no linear part: a straight line fits it by chance only.
Dataset product(Index rows, std::uint64_t seed) {
  Dataset data;
  RandomStream stream(seed);
  data.inputs.resize(rows, 2);
  data.target.resize(rows);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < 2; ++j) data.inputs(i, j) = 4 * stream.uniform() - 2;
    data.target[i] = data.inputs(i, 0) * data.inputs(i, 1) + 0.1 * stream.normal();
  }
  return data;
}

TEST(Fit, EveryModelLearnsWhatNoLineCan) {
  const Dataset data = product(150, 1), test = product(300, 2);
  const double spread = std::sqrt((test.target.array() - test.target.mean()).square().mean());
  for (const std::string& name : every_model()) {
    const double share = rmse(fit_small_numbers(number_recipe(name), data), test) / spread;
    if (name == "linear" || name == "exact-linear")
      EXPECT_GT(share, 0.9) << name;
    else  // the min-max kernel is not smooth: 0.22 and, by samples, 0.28; the others reach 0.08
      EXPECT_LT(share, name == "gcws" || name == "exact-minmax" ? 0.4 : 0.12) << name;
  }
}

TEST(Fit, ReachesTheNoiseFloor) {
  Recipe recipe = number_recipe("exact-ard");
  recipe.noise.prior_center = PriorCenter::ard;
  recipe.training.iterations = 60;
  const FittedModel model = fit_small_numbers(recipe, friedman(300, 3));
  EXPECT_LT(rmse(model, friedman(1000, 4)), 1.25);  // the noise has standard deviation 1
  EXPECT_NEAR(to_json(model.training)["leave_one_out"]["coverage"]["90"].get<double>(), 0.9, 0.06);
  EXPECT_EQ(to_json(model.members[0].summary)["noise_prior"]["from"], "ard");
  EXPECT_NEAR(to_json(model.members[0].summary)["noise_prior"]["center"].get<double>(), 0.2, 0.05);  // 1 of about 5
}

TEST(Fit, SameSeedSameBits) {
  const Dataset data = friedman(80, 5);
  Recipe member = number_recipe("exact-ard");
  member.copies = 2;
  const Recipe recipe = mixture_of({member, number_recipe("exact-rbf")});
  for (const int threads : {1, 2}) {
    FitOptions options;
    options.seed = 9;
    options.threads = threads;
    const FittedModel a = fit_small_numbers(recipe, data, options), b = fit_small_numbers(recipe, data, options);
    ASSERT_EQ(a.members.size(), 3u);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(a.members[k].theta, b.members[k].theta);
    EXPECT_EQ(mean_at(a, data.inputs), mean_at(b, data.inputs));
    EXPECT_NE(to_json(a.members[0].summary)["start_objectives"], to_json(a.members[1].summary)["start_objectives"]);
    EXPECT_EQ(to_json(a.members[0].summary)["name"], "exact-ard 1/2");
    EXPECT_EQ(to_json(a.members[2].summary)["name"], "exact-rbf");
  }
}

TEST(Fit, DegenerateDataTrainToSomethingFinite) {
  for (const std::string& name : every_model()) {
    for (const int kind : {0, 1, 2, 3, 4}) {
      SCOPED_TRACE(name + ", kind " + std::to_string(kind));
      Dataset data = friedman(kind == 0 ? 1 : kind == 1 ? 2 : 30, 6);
      if (kind == 2) data.target.setConstant(3.5);
      if (kind == 3) data.inputs.leftCols(9).setConstant(-7);
      if (kind == 4) data.inputs.bottomRows(29) = data.inputs.topRows(1).replicate(29, 1);
      Recipe recipe = number_recipe(name);
      recipe.noise.prior_center = PriorCenter::ard;
      recipe.training.iterations = 5;
      const FittedModel model = fit_small_numbers(recipe, data);
      const Vector mean = mean_at(model, data.inputs);
      EXPECT_TRUE(mean.allFinite());
      if (kind == 2) {
        EXPECT_LT((mean.array() - 3.5).abs().maxCoeff(), 1e-6);
      }
      EXPECT_LT((mean.array() - data.target.mean()).abs().maxCoeff(), 30);
    }
  }
}

class Names : public TrainingObserver {
 public:
  void on_progress(const Progress& progress) override { fits.insert(progress.fit); }
  std::set<std::string> fits;
};

TEST(Fit, SubsamplesGrowUntilAllRowsTakeOver) {
  const Dataset data = friedman(4000, 11), test = friedman(2000, 12);
  Recipe recipe = number_recipe("ard");
  const FittedModel plain = fit_small_numbers(recipe, data);
  recipe.training.subsample = 500;
  recipe.training.subsample_iterations = 5;
  recipe.training.iterations = 10;
  Names names;
  FitOptions options;
  options.observer = &names;
  const FittedModel model = fit_small_numbers(recipe, data, options);
  EXPECT_EQ(names.fits, (std::set<std::string>{"ard", "ard on 500 rows", "ard on 1000 rows", "ard on 2000 rows"}));
  EXPECT_EQ(model.members[0].theta, fit_small_numbers(recipe, data).members[0].theta);
  EXPECT_LT(rmse(model, test), 1.05 * rmse(plain, test));
  // All rows are only evaluated for the last stage.
  EXPECT_LE(to_json(model.members[0].summary)["iterations"], 10);
  EXPECT_EQ(to_json(model.members[0].summary)["start_objectives"].size(), 0u);

  recipe.training.subsample = 4000;
  const FittedModel whole = fit_small_numbers(recipe, data);
  recipe.training.subsample = 0;
  EXPECT_EQ(whole.members[0].theta, fit_small_numbers(recipe, data).members[0].theta);
}

// Without it, the few iterations on all rows begin along the gradient.
TEST(Fit, CurvatureOfSubsamplesHelpsOnAllRows) {
  Recipe recipe = number_recipe("exact-ard");
  recipe.training.starts = 1;
  recipe.training.subsample = 300;
  recipe.training.subsample_iterations = 12;
  recipe.training.iterations = 4;
  const auto objective = [&](bool carries, std::uint64_t seed) {
    recipe.training.carry_curvature = carries;
    return to_json(fit_small_numbers(recipe, friedman(600, seed)).members[0].summary)["objective"].get<double>();
  };
  for (const std::uint64_t seed : {11, 12, 13}) EXPECT_LT(objective(true, seed), objective(false, seed) - 2) << seed;
}

TEST(Fit, RefusesWhatCannotBeTrained) {
  const Recipe recipe = number_recipe("exact-ard");
  Dataset data = friedman(10, 7);
  data.inputs(3, 2) = std::nan("");
  EXPECT_THROW(fit_small_numbers(recipe, data), DataError);
  EXPECT_THROW(fit_small_numbers(recipe, Dataset()), DataError);
  Recipe nothing = number_recipe("ard");
  nothing.model = "nothing";
  EXPECT_THROW(fit_small_numbers(nothing, friedman(10, 7)), ConfigError);
  Recipe tight = recipe;
  tight.max_model_mb = 1e-4;
  try {
    plan_training(tight, friedman(10, 7), {});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.pointer(), "/max_model_mb");
  }
}

TEST(Fit, PlanShrinksToTheBudget) {
  Recipe member = number_recipe("exact-ard");
  member.copies = 3;
  member.training.samples = -1;
  member.training.starts = 4;
  member.training.iterations = 200;
  Recipe recipe = mixture_of({member});
  const Dataset data = friedman(60, 8);
  const TrainingPlan free = plan_training(recipe, data, {});
  EXPECT_EQ(free.fits.size(), 3u);
  EXPECT_TRUE(free.notes.empty());
  recipe.flops = 0.5 * free.total_flops;
  const TrainingPlan half = plan_training(recipe, data, {});
  EXPECT_EQ(half.fits.size(), 3u);
  EXPECT_LE(half.total_flops, recipe.flops);
  EXPECT_GT(half.total_flops, 0.9 * recipe.flops);
  EXPECT_FALSE(half.notes.empty());
  recipe.flops = 0.1 * free.total_flops;
  const TrainingPlan tenth = plan_training(recipe, data, {});
  EXPECT_LE(tenth.total_flops, recipe.flops);
  recipe.flops = 1;
  const TrainingPlan minimum = plan_training(recipe, data, {});
  EXPECT_EQ(minimum.fits.size(), 1u);
  EXPECT_NE(minimum.notes.back().find("at its smallest"), std::string::npos);
}

TEST(Fit, PlanCountsEveryKernelOfASumMinibatchesAndTheFitOfTheNoisePrior) {
  const Dataset data = friedman(60, 8);
  Recipe one = number_recipe("exact-ard");
  one.noise.prior_center = PriorCenter::fixed;
  const TrainingPlan plan = plan_training(one, data, {});
  EXPECT_EQ(plan.noise_prior.planned_evaluations, 0);
  EXPECT_EQ(plan.fits[0].minibatches, 0);
  Recipe deep = number_recipe("deep");
  deep.terms = {number_recipe("ssgpr")};
  deep.network.training = NetworkTraining::minibatches;
  const TrainingPlan::Fit network = plan_training(deep, friedman(600, 8), {}).fits[0];
  EXPECT_GT(network.minibatches, 0);
  EXPECT_GT(network.planned_evaluations, network.minibatches);
  one.noise.prior_center = PriorCenter::ard;
  one.priors = true;
  one.training.samples = -1;
  one.noise.prior_rows = 50;
  const TrainingPlan with_prior = plan_training(one, data, {});
  EXPECT_GT(with_prior.noise_prior.planned_evaluations, 30);
  EXPECT_GT(with_prior.noise_prior.evaluation.flops, 50.0 * 50 * 50);
  EXPECT_LT(with_prior.noise_prior.evaluation.flops, with_prior.fits[0].evaluation.flops);
  // The fit skips it, too.
  EXPECT_EQ(plan_training(one, friedman(9, 8), {}).noise_prior.planned_evaluations, 0);
  Recipe of_sparse = number_recipe("linear");
  of_sparse.scale_inputs = Scaling::none;
  of_sparse.noise.prior_center = PriorCenter::ard;
  of_sparse.priors = true;
  EXPECT_GT(plan_training(of_sparse, data, {}).noise_prior.planned_evaluations, 0);
  Dataset sparse = data;
  sparse.sparse = to_sparse(data.inputs);
  sparse.inputs.resize(0, 0);
  EXPECT_EQ(plan_training(of_sparse, std::move(sparse), {}).noise_prior.planned_evaluations, 0);
  Recipe sum = number_recipe("exact-sum");
  sum.noise.prior_center = PriorCenter::fixed;
  sum.terms = {number_recipe("exact-ard"), number_recipe("exact-matern"), number_recipe("exact-rq")};
  const EvaluationPlan of_one = plan.fits[0].evaluation, of_sum = plan_training(sum, data, {}).fits[0].evaluation;
  EXPECT_EQ(of_sum.pair_flops, 3 * of_one.pair_flops);
  EXPECT_EQ(of_sum.flops - of_sum.pair_flops, of_one.flops - of_one.pair_flops);
}

TEST(Fit, InterruptedTrainingStillGivesAModel) {
  Recipe member = number_recipe("exact-ard");
  member.copies = 4;
  for (const int threads : {1, 2}) {
    const std::atomic<bool> interrupt{true};
    FitOptions options;
    options.interrupt = &interrupt;
    options.threads = threads;
    const FittedModel model = fit_small_numbers(member, friedman(40, 9), options);
    EXPECT_GE(model.members.size(), 1u);
    EXPECT_LT(model.members.size(), 4u);
    EXPECT_EQ(to_json(model.members[0].summary)["stop"], "interrupted");
    EXPECT_TRUE(to_json(model.training)["cut_short"]);
    EXPECT_TRUE(mean_at(model, friedman(5, 1).inputs).allFinite());
  }
}

TEST(Fit, ClockCutsShort) {
  Recipe recipe = number_recipe("exact-ard");
  recipe.training.seconds = 1e-6;
  const FittedModel model = fit_small_numbers(recipe, friedman(40, 9));
  EXPECT_EQ(to_json(model.members.at(0).summary)["stop"], "seconds");
}

/// Returns theta of every fit, and moments of f at some rows.
std::vector<Vector> bits_of(const FittedModel& model, const Dataset& at) {
  std::vector<Vector> all;
  for (const Member& member : model.members) {
    all.push_back(member.theta);
    Matrix means(at.rows(), member.posterior->outputs()), covariances(at.rows(), pair_count(means.cols()));
    member.posterior->predict_outputs(model.standardizer.inputs(at.inputs), means, covariances);
    all.push_back(means.reshaped());
    all.push_back(covariances.reshaped());
  }
  return all;
}

TEST(Fit, SmallTrainingsHaveTheSameBitsOnAnyNumberOfThreads) {
  Recipe counts = number_recipe("ard");
  counts.likelihood = "poisson";
  counts.noise = {};  // it has none
  Recipe copies = number_recipe("gm");
  copies.copies = 2;
  copies.noise.prior_center = PriorCenter::ard;
  for (const Recipe& recipe : {number_recipe("exact-ard"), counts, copies}) {
    SCOPED_TRACE(recipe.model + " " + recipe.likelihood);
    Dataset data = friedman(300, 11);
    if (recipe.likelihood == "poisson") data.target = data.target.array().abs().round();
    const std::vector<Vector> one = bits_of(fit_small_numbers(recipe, data), data);
    for (const int threads : {2, 3}) {
      FitOptions options;
      options.threads = threads;
      EXPECT_EQ(bits_of(fit_small_numbers(recipe, data, options), data), one) << threads;
    }
  }
}

TEST(Fit, WorkRepeatsATrainingThatTheClockCutShort) {
  Recipe recipe = number_recipe("gm");
  recipe.copies = 2;
  recipe.noise.prior_center = PriorCenter::ard;
  recipe.training.starts = 3;
  recipe.training.iterations = 2000;
  recipe.training.gradient_tolerance = 0;
  Recipe drawn = recipe;
  drawn.training.subsample = 60;
  drawn.training.carry_curvature = true;
  const Dataset data = friedman(300, 11);
  bool any_cut_short = false;
  for (Recipe& one : std::vector{recipe, drawn})
    for (const int threads : {1, 2})
      for (const double seconds : {0.02, 0.1, 0.3}) {
        SCOPED_TRACE(fmt::format("{} threads, {} s, subsample {}", threads, seconds, one.training.subsample));
        one.training.seconds = seconds;
        FitOptions options;
        options.threads = threads;
        const FittedModel first = fit_small_numbers(one, data, options);
        any_cut_short = any_cut_short || to_json(first.training)["cut_short"];
        options.repeat = &first.training;
        const FittedModel again = fit_small_numbers(one, data, options);
        EXPECT_EQ(bits_of(again, data), bits_of(first, data));
        EXPECT_EQ(to_json(again.training)["work"], to_json(first.training)["work"]);
        EXPECT_EQ(to_json(again.training)["evaluations"], to_json(first.training)["evaluations"]);
      }
  EXPECT_TRUE(any_cut_short);
}

TEST(Fit, AnInterruptedRepetitionDoesNotClaimTheWholeWork) {
  Recipe recipe = number_recipe("exact-ard");
  recipe.training.seconds = 0.1;
  const FittedModel first = fit_small_numbers(recipe, friedman(40, 9));
  ASSERT_TRUE(to_json(first.training).contains("work"));
  const std::atomic<bool> interrupt{true};
  FitOptions options;
  options.interrupt = &interrupt;
  options.repeat = &first.training;
  const FittedModel again = fit_small_numbers(recipe, friedman(40, 9), options);
  EXPECT_TRUE(to_json(again.training)["cut_short"]);
  EXPECT_FALSE(to_json(again.training).contains("work"));
}

TEST(Fit, RepeatRefusesOtherRowsAndUnknownWork) {
  Recipe recipe = number_recipe("exact-ard");
  recipe.training.seconds = 1e-6;
  FittedModel model = fit_small_numbers(recipe, friedman(40, 9));
  FitOptions options;
  options.repeat = &model.training;
  EXPECT_THROW(fit_small_numbers(recipe, friedman(40, 8), options), DataError);
  model.training.work.reset();
  EXPECT_THROW(fit_small_numbers(recipe, friedman(40, 9), options), ConfigError);
}

class FitCheckpointTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "alacarte-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    options_.checkpoint_path = folder_ + "/checkpoint.json";
    options_.seed = 4;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string refusal(const Recipe& recipe, const Dataset& data) const {
    try {
      fit_small_numbers(recipe, data, options_);
    } catch (const IoError& error) {
      return error.what();
    }
    return "no error";
  }
  std::string folder_;
  FitOptions options_;
};

class Stopper : public TrainingObserver {
 public:
  explicit Stopper(int after) : left_(after) {}
  void on_progress(const Progress&) override {
    if (--left_ <= 0) interrupt = true;
  }
  std::atomic<bool> interrupt{false};

 private:
  int left_;
};

TEST_F(FitCheckpointTest, FinishedTrainingIsNotRepeated) {
  Recipe recipe = number_recipe("exact-ard");
  recipe.copies = 2;
  recipe.training.samples = -1;
  recipe.noise.prior_center = PriorCenter::ard;
  const Dataset data = friedman(60, 10);
  const FittedModel first = fit_small_numbers(recipe, data, options_);
  options_.resume = true;
  Stopper nothing_to_do(1);
  options_.observer = &nothing_to_do;
  const FittedModel second = fit_small_numbers(recipe, data, options_);
  EXPECT_FALSE(nothing_to_do.interrupt) << "an evaluation was made again";
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(first.members[k].theta, second.members[k].theta);
  EXPECT_EQ(to_json(first.training)["evaluations"], to_json(second.training)["evaluations"]);
  // The fit of the noise prior tells no observer; made again now, it would stop elsewhere.
  const std::atomic<bool> stop{true};
  options_.interrupt = &stop;
  const FittedModel third = fit_small_numbers(recipe, data, options_);
  EXPECT_EQ(to_json(first.members[0].summary)["noise_prior"], to_json(third.members[0].summary)["noise_prior"]);
}

TEST_F(FitCheckpointTest, AnInterruptedTrainingGoesOnToTheSameBits) {
  std::vector<Recipe> recipes = {number_recipe("exact-ard"), number_recipe("gm"), number_recipe("ard")};
  recipes[1].copies = 2;
  recipes[1].noise.prior_center = PriorCenter::ard;
  recipes[2].precision = Precision::mixed;
  recipes[1].training.start = StartPoint::ard;
  recipes.push_back(number_recipe("ard"));
  recipes.back().likelihood = "poisson";
  recipes.back().noise = {};  // it has none
  for (const std::size_t k : {0, 3}) {
    recipes.push_back(recipes[k]);
    recipes.back().training.samples = 4;
  }
  for (const Recipe& recipe : recipes) {
    SCOPED_TRACE(recipe.model + " " + recipe.likelihood + " " + std::to_string(recipe.training.samples));
    Dataset data = friedman(120, 11);
    if (recipe.likelihood == "poisson") data.target = data.target.array().abs().round();
    FitOptions plain;
    plain.seed = options_.seed;
    const std::vector<Vector> whole = bits_of(fit_small_numbers(recipe, data, plain), data);
    for (const int after : {1, 4, 9, 14, 20, 30}) {
      SCOPED_TRACE(after);
      std::filesystem::remove(options_.checkpoint_path);
      Stopper stopper(after);
      FitOptions first = options_;
      first.observer = &stopper;
      first.interrupt = &stopper.interrupt;
      fit_small_numbers(recipe, data, first);
      FitOptions rest = options_;
      rest.resume = true;
      EXPECT_EQ(bits_of(fit_small_numbers(recipe, data, rest), data), whole);
    }
  }
}

TEST_F(FitCheckpointTest, AFinishedNetworkKeepsWhatItsMinibatchesCameTo) {
  Recipe recipe = number_recipe("deep");
  recipe.network.widths = {16, 8};
  recipe.network.training = NetworkTraining::minibatches;
  recipe.network.epochs = 3;
  const Dataset data = friedman(200, 12);
  const FittedModel first = fit_small_numbers(recipe, data, options_);
  options_.resume = true;
  const FittedModel second = fit_small_numbers(recipe, data, options_);
  ASSERT_TRUE(to_json(first.members[0].summary).contains("minibatches"));
  EXPECT_EQ(to_json(first.members[0].summary)["minibatches"], to_json(second.members[0].summary)["minibatches"]);
  EXPECT_EQ(to_json(first.members[0].summary)["stop"], to_json(second.members[0].summary)["stop"]);
  EXPECT_EQ(bits_of(first, data), bits_of(second, data));
}

TEST_F(FitCheckpointTest, ACheckpointIsNotOverwritten) {
  const Recipe recipe = number_recipe("exact-ard");
  const Dataset data = friedman(30, 12);
  std::ofstream(options_.checkpoint_path).close();  // an empty file has nothing to lose
  EXPECT_EQ(refusal(recipe, data), "no error");
  const std::string refused =
      options_.checkpoint_path + ": a checkpoint is there already: go on from it with --resume, or remove it";
  EXPECT_EQ(refusal(recipe, data), refused);
}

TEST_F(FitCheckpointTest, EveryFlippedBitIsFound) {
  const Recipe recipe = number_recipe("exact-ard");
  const Dataset data = friedman(30, 12);
  const std::string path = options_.checkpoint_path;
  fit_small_numbers(recipe, data, options_);
  options_.resume = true;
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  const std::string good = text.str();
  const std::string damaged =
      path + ": the checkpoint is damaged, or of another version of alacarte; remove it to begin anew";
  for (std::size_t k = 0; k < 97; ++k) {
    std::string bytes = good;
    char& byte = bytes[k < 40 ? k : k * (good.size() - 1) / 96];
    byte = static_cast<char>(byte ^ (1 << k % 8));
    std::ofstream(path, std::ios::binary) << bytes;
    EXPECT_EQ(refusal(recipe, data), damaged) << k;
  }
  std::ofstream(path, std::ios::binary) << good.substr(0, good.size() / 2);
  EXPECT_EQ(refusal(recipe, data), damaged);
  std::ofstream(path, std::ios::binary) << good;
  EXPECT_EQ(refusal(recipe, data), "no error");
}

TEST_F(FitCheckpointTest, AnothersCheckpointIsRefused) {
  const Recipe recipe = number_recipe("exact-ard");
  const Dataset data = friedman(30, 12);
  fit_small_numbers(recipe, data, options_);
  options_.resume = true;
  const std::string path = options_.checkpoint_path;
  EXPECT_EQ(refusal(number_recipe("exact-rbf"), data), path + ": the checkpoint belongs to another recipe");
  EXPECT_EQ(refusal(recipe, friedman(30, 13)), path + ": the checkpoint belongs to another training set");
  Recipe timed = recipe;
  timed.training.seconds = 100;
  EXPECT_EQ(refusal(timed, data), path +
                                      ": the checkpoint belongs to another recipe; with --seconds, go on with the "
                                      "--threads and --memory-limit of the first run");
  ++options_.seed;
  EXPECT_EQ(refusal(recipe, data), path + ": the checkpoint belongs to another seed");
  std::ofstream(path).close();
  EXPECT_EQ(refusal(recipe, data), path + ": the checkpoint is empty; remove it to begin anew");
  std::filesystem::remove(path);
  EXPECT_EQ(refusal(recipe, data), "no error");
}

}  // namespace
}  // namespace alacarte
