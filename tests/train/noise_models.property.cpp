// Non-Gaussian or heteroscedastic noise, from the rows to the predictions.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/eval/metrics.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/train/fit.hpp"
#include "io/documents.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

double smooth(double x) { return std::sin(6 * x); }

Dataset grid_rows(Index rows) {
  Dataset data;
  data.inputs.resize(rows, 1);
  data.target.resize(rows);
  for (Index i = 0; i < rows; ++i) data.inputs(i, 0) = (static_cast<double>(i) + 0.5) / static_cast<double>(rows);
  return data;
}

Recipe noise_recipe(const std::string& model, const std::string& more) {
  const std::string features = model.starts_with("exact") ? "" : R"(, "features": {"frequencies": 40})";
  return parse_registered_recipe(Json::parse(R"({"model": ")" + model + '"' + features +
                                             R"(, "training": {"starts": 1, "probe_iterations": 5, "iterations": 25})" +
                                             more + "}"));
}

FittedModel reloaded(const FittedModel& model) {
  return FittedModel::load(parse_bundle(serialize_bundle(model.save()), "model"));
}

// ---- weights

TEST(WeightedNoise, OneHeavyOrLightRowLeavesTheOthersAlone) {
  Dataset rows = grid_rows(40);
  for (Index i = 0; i < 40; ++i) rows.target[i] = static_cast<double>(i * i % 13);
  const auto noise = [&](double weight) {
    rows.weights = Vector::Ones(40);
    rows.weights[3] = weight;
    return std::sqrt(fit(noise_recipe("exact-rbf", ""), Schema(), rows, {}).members[0].posterior->noise_variance());
  };
  const double usual = noise(1);
  for (const double weight : {1e4, 1e6, 1e-4}) EXPECT_NEAR(noise(weight), usual, 0.3 * usual) << weight;
}

// ---- outliers

TEST(StudentTNoise, OutliersOfAMillionDeviationsLeaveTheRestAlone) {
  Dataset clean = grid_rows(120);
  RandomStream stream(5);
  for (Index i = 0; i < 120; ++i) clean.target[i] = 40 + 10 * (smooth(clean.inputs(i, 0)) + 0.1 * stream.normal());
  Dataset wrong = clean;
  for (const Index i : {7, 30, 31, 66, 100}) wrong.target[i] += (i % 2 == 0 ? 1 : -1) * 1e6 * 1.0;  // noise is 1
  const Dataset at = grid_rows(50);
  for (const std::string model : {"exact-rbf", "ard"}) {
    SCOPED_TRACE(model);
    const Recipe recipe = noise_recipe(model, R"(, "likelihood": "student-t")");
    const FittedModel without = fit(recipe, Schema(), clean, {}), with = fit(recipe, Schema(), wrong, {});
    const Vector expected = without.predict(at.view()).distribution().mean();
    const Vector found = with.predict(at.view()).distribution().mean();
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1.5);  // noise 1, with five fewer rows
    Vector truth(50);
    for (Index i = 0; i < 50; ++i) truth[i] = 40 + 10 * smooth(at.inputs(i, 0));
    EXPECT_LT(std::sqrt((found - truth).squaredNorm() / 50), 0.6);
    // The noise of most rows is estimated well: half of the rows are in the 50 % intervals.
    const Prediction own = with.predict(clean.view());
    const Interval half = with.interval(own, 0.5);
    const double inside = static_cast<double>(
        (clean.target.array() >= half.lower.array() && clean.target.array() <= half.upper.array()).count());
    EXPECT_NEAR(inside / 120, 0.5, 0.15);
    EXPECT_TRUE(own.distribution().log_density(wrong.target).allFinite());
    EXPECT_GT(own.distribution().log_density(wrong.target).minCoeff(), -80) << "a power of the distance";
    EXPECT_TRUE(to_json(with.training)["leave_one_out"].is_object());
    // A Gaussian is far from all of it.
    const FittedModel gaussian = fit(noise_recipe(model, ""), Schema(), wrong, {});
    EXPECT_GT((gaussian.predict(at.view()).distribution().mean() - truth).cwiseAbs().maxCoeff(), 100);
  }
}

TEST(StudentTNoise, RowsWithoutNoiseAreFollowedInAnyUnit) {
  for (const std::string model : {"exact-matern", "ard"})
    for (const double unit : {1e-6, 1.0, 1e6}) {
      SCOPED_TRACE(model);
      SCOPED_TRACE(unit);
      Dataset rows = grid_rows(150);
      for (Index i = 0; i < 150; ++i) rows.target[i] = unit * smooth(rows.inputs(i, 0));
      const FittedModel trained = fit(noise_recipe(model, R"(, "likelihood": "student-t")"), Schema(), rows, {});
      const Vector error = trained.predict(rows.view()).distribution().mean() - rows.target;
      EXPECT_LT(std::sqrt(error.squaredNorm() / 150), 0.02 * unit);
    }
}

TEST(StudentTNoise, ScaleAndDegreesAreLearnedOrSet) {
  Dataset rows = grid_rows(600);
  RandomStream stream(6);
  for (Index i = 0; i < 600; ++i) {
    double chi = 0;  // t with 3 degrees of freedom
    for (int k = 0; k < 3; ++k) chi += std::pow(stream.normal(), 2);
    rows.target[i] = smooth(rows.inputs(i, 0)) + 0.2 * stream.normal() / std::sqrt(chi / 3);
  }
  const FittedModel model = fit(noise_recipe("ard", R"(, "likelihood": "student-t")"), Schema(), rows, {});
  const Vector theta = model.members[0].likelihood_theta;
  ASSERT_EQ(theta.size(), 2);
  EXPECT_NEAR(std::exp(theta[0]) * model.standardizer.target_scale(), 0.2, 0.04);
  EXPECT_NEAR(2 + std::exp(theta[1]), 3, 1);
  const Recipe by_hand =
      noise_recipe("ard", R"(, "likelihood": "student-t", "noise": {"sd": 0.3, "trained": false, "degrees": 5})");
  const FittedModel held = fit(by_hand, Schema(), rows, {});
  const double variance = held.members[0].posterior->noise_variance();
  EXPECT_NEAR(std::sqrt(variance * 3 / 5) * held.standardizer.target_scale(), 0.3, 1e-6);
  EXPECT_NEAR(held.members[0].likelihood_theta[1], std::log(3.0), 1e-12);
  EXPECT_GT(to_json(model.training)["leave_one_out"]["nlpd"], -1);
}

TEST(StudentTNoise, IsSavedAndLoadedAndPredictsOneRow) {
  Dataset rows = grid_rows(60);
  RandomStream stream(7);
  for (Index i = 0; i < 60; ++i) rows.target[i] = smooth(rows.inputs(i, 0)) + 0.2 * stream.normal();
  Recipe recipe = noise_recipe("ard", R"(, "likelihood": "student-t")");
  recipe.copies = 2;
  const FittedModel model = fit(recipe, Schema::numbers(1), rows, {}), loaded = reloaded(model);
  const Prediction own = model.predict(rows.view()), again = loaded.predict(rows.view());
  EXPECT_EQ(own.distribution().quantile(0.9), again.distribution().quantile(0.9));
  EXPECT_EQ(own.distribution().log_density(rows.target), again.distribution().log_density(rows.target));
  OneRowWorkspace workspace = model.one_row_workspace();
  const OneRowPrediction& one = model.predict_one(rows.inputs.row(3).transpose(), workspace);
  EXPECT_NEAR(one.mean, own.distribution().mean()[3], 1e-9);
  EXPECT_NEAR(one.variance, own.distribution().variance()[3], 1e-6 * one.variance);
  ModelFile damaged = model.save();
  damaged.tensors.erase("member[0]/likelihood");
  EXPECT_THROW(FittedModel::load(damaged), IoError);
}

// ---- counts

TEST(Counts, AreFollowedOverTwelveOrdersOfMagnitude) {
  for (const std::string likelihood : {"poisson", "negative-binomial"})
    for (const double unit : {1.0, 1e3, 1e6, 1e9, 1e12}) {
      SCOPED_TRACE(likelihood);
      SCOPED_TRACE(unit);
      Dataset rows = grid_rows(150);
      for (Index i = 0; i < 150; ++i) rows.target[i] = std::round(unit * std::exp(smooth(rows.inputs(i, 0))));
      const FittedModel trained =
          fit(noise_recipe("exact-rbf", R"(, "likelihood": ")" + likelihood + '"'), Schema::numbers(1), rows, {});
      const Vector error = trained.predict(rows.view()).counts().mean() - rows.target;
      // A count has the standard deviation of its root, and rounding is as large where counts are a few.
      EXPECT_LT(std::sqrt(error.squaredNorm() / 150), std::sqrt(unit) + 0.02 * unit);
    }
}

TEST(NegativeBinomialNoise, LearnsTheDispersionAndBeatsPoisson) {
  Dataset rows = grid_rows(500), test = grid_rows(400);
  RandomStream stream(8);
  const auto fill = [&](Dataset& data) {
    for (Index i = 0; i < data.rows(); ++i) {
      // Poisson with a Gamma-distributed rate of shape 2: a = 0.5. Shape 2 is the sum of two exponentials.
      const double rate = 4 * std::exp(smooth(data.inputs(i, 0))) * -0.5 *
                          (std::log(1 - stream.uniform()) + std::log(1 - stream.uniform()));
      double product = 1, count = -1;
      for (; product > std::exp(-rate); ++count) product *= 1 - stream.uniform();
      data.target[i] = count;
    }
  };
  fill(rows);
  fill(test);
  const FittedModel model =
      fit(noise_recipe("ard", R"(, "likelihood": "negative-binomial")"), Schema::numbers(1), rows, {});
  EXPECT_NEAR(std::exp(model.members[0].likelihood_theta[0]), 0.5, 0.15);
  const FittedModel poisson = fit(noise_recipe("ard", R"(, "likelihood": "poisson")"), Schema::numbers(1), rows, {});
  const auto score_of = [&](const FittedModel& own) {
    return own.predict(test.view()).counts().log_probability(test.target).mean();
  };
  EXPECT_GT(score_of(model), score_of(poisson) + 0.1);
  const Interval bounds = model.interval(model.predict(test.view()), 0.9);
  const double inside = static_cast<double>(
      (test.target.array() >= bounds.lower.array() && test.target.array() <= bounds.upper.array()).count());
  EXPECT_GT(inside / 400, 0.87);
  EXPECT_LT(inside / 400, 0.97);
  const FittedModel loaded = reloaded(model);
  EXPECT_EQ(loaded.predict(test.view()).counts().log_probability(test.target),
            model.predict(test.view()).counts().log_probability(test.target));
  EXPECT_TRUE(to_json(model.training)["leave_one_out"]["nlpd"].is_number());
}

// ---- noise as a function

double true_sd(double x) { return 0.05 + 0.6 * x * x; }

Dataset uneven_rows(Index rows, std::uint64_t seed) {
  Dataset data = grid_rows(rows);
  RandomStream stream(seed);
  for (Index i = 0; i < rows; ++i) {
    data.inputs(i, 0) = stream.uniform();
    data.target[i] = 100 + 5 * (smooth(data.inputs(i, 0)) + true_sd(data.inputs(i, 0)) * stream.normal());
  }
  return data;
}

TEST(UnevenNoise, IsFoundWhereItIs) {
  const Dataset rows = uneven_rows(400, 9), test = uneven_rows(2000, 10);
  for (const std::string model : {"exact-rbf", "ard"}) {
    SCOPED_TRACE(model);
    const FittedModel uneven = fit(noise_recipe(model, R"(, "noise": {"varies": true})"), Schema::numbers(1), rows, {});
    const FittedModel even = fit(noise_recipe(model, ""), Schema::numbers(1), rows, {});
    ASSERT_NE(uneven.noise_model, nullptr);
    const Dataset at = grid_rows(10);
    const Vector sd = uneven.predict(at.view()).distribution().variance().cwiseSqrt();
    for (Index i = 0; i < 10; ++i)
      EXPECT_LT(std::abs(std::log(sd[i] / (5 * true_sd(at.inputs(i, 0))))), 0.4) << at.inputs(i, 0);
    const Metrics with = score(uneven.predict(test.view()).distribution(), test.target);
    const Metrics without = score(even.predict(test.view()).distribution(), test.target);
    EXPECT_LT(with.nlpd, without.nlpd - 0.25);
    EXPECT_NEAR(with.coverage90, 0.9, 0.04);
    EXPECT_LT(to_json(uneven.training)["leave_one_out"]["nlpd"],
              to_json(even.training)["leave_one_out"]["nlpd"].get<double>() - 0.2);
    // Every row counts alike, however noisy it is: the scores are those of rows that were not seen.
    const nlohmann::json left_out = to_json(uneven.training)["leave_one_out"];
    EXPECT_NEAR(left_out["rmse"].get<double>() / with.rmse, 1, 0.15);
    EXPECT_NEAR(left_out["nlpd"].get<double>(), with.nlpd, 0.15);

    const FittedModel loaded = reloaded(uneven);
    EXPECT_EQ(loaded.predict(test.view()).distribution().variance(),
              uneven.predict(test.view()).distribution().variance());
    OneRowWorkspace workspace = uneven.one_row_workspace();
    const OneRowPrediction& one = uneven.predict_one(test.inputs.row(3).transpose(), workspace);
    const Prediction all = uneven.predict(test.view());
    EXPECT_NEAR(one.variance, all.distribution().variance()[3], 1e-6 * one.variance);
    EXPECT_NEAR(uneven.covariance(test.inputs.topRows(5), false)(3, 3), all.distribution().variance()[3],
                1e-6 * one.variance);
  }
}

TEST(UnevenNoise, ItsFitsShareTheOperations) {
  struct Plans : TrainingObserver {
    void on_plan(const TrainingPlan& plan) override { flops += plan.total_flops; }
    double flops = 0;
  } plans;
  Recipe recipe = noise_recipe("exact-rbf", R"(, "noise": {"varies": true}, "flops": 1e9)");
  FitOptions options;
  options.observer = &plans;
  const FittedModel model = fit(recipe, Schema::numbers(1), uneven_rows(200, 3), options);
  EXPECT_LT(plans.flops, 1.3e9);  // iterations are whole, and a fit takes at least one
  EXPECT_GT(plans.flops, 2e8);
  EXPECT_EQ(model.recipe.flops, 1e9);
}

TEST(UnevenNoise, OfOneSizeStaysNearlySo) {
  Dataset rows = grid_rows(300);
  RandomStream stream(11);
  for (Index i = 0; i < 300; ++i) rows.target[i] = smooth(rows.inputs(i, 0)) + 0.2 * stream.normal();
  const FittedModel model = fit(noise_recipe("exact-rbf", R"(, "noise": {"varies": true})"), Schema(), rows, {});
  const Vector sd = model.predict(rows.view()).distribution().variance().cwiseSqrt();
  EXPECT_LT(sd.maxCoeff() / sd.minCoeff(), 2);
  EXPECT_NEAR(sd.mean(), 0.2, 0.03);
}

// If half of the targets are exactly 1, the noise of these rows tends to 0 and takes all weight: rounds let the mean
// give up the others, and are not kept.
TEST(UnevenNoise, KeepsTheRoundThatPredictsLeftOutRowsBest) {
  struct Messages : TrainingObserver {
    void on_message(const std::string& text) override { worse += text.find("left-out rows") != std::string::npos; }
    int worse = 0;
  };
  Messages even, uneven;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    Dataset rows = grid_rows(120);
    RandomStream stream(seed);
    const double low = rows.inputs.minCoeff(), span = rows.inputs.maxCoeff() - low;
    for (Index i = 0; i < 120; ++i) {
      const double x = (rows.inputs(i, 0) - low) / span;
      const bool is_exact = seed % 2 == 0 && x < 0.5;
      rows.target[i] = is_exact ? 1 : std::sin(8 * x) + 0.5 * stream.normal();
    }
    const auto nlpd = [&](const char* more, Messages& messages) {
      FitOptions options;
      options.observer = &messages;
      const FittedModel model = fit(noise_recipe("exact-ard", more), Schema::numbers(1), rows, options);
      return to_json(model.training)["leave_one_out"]["nlpd"].get<double>();
    };
    const double of_one_size = nlpd("", even);
    EXPECT_LE(nlpd(R"(, "noise": {"varies": true})", uneven), of_one_size + 1e-9) << seed;
  }
  EXPECT_EQ(even.worse, 0);
  EXPECT_GT(uneven.worse, 0);
}

// The kept round has the best weighted score, as reported.
TEST(UnevenNoise, RoundsAreScoredByTheWeightsOfTheRows) {
  for (const std::uint64_t seed : {2, 5})
    for (const double weight : {0.05, 20.0}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", weight " << weight);
      Dataset rows = grid_rows(120);
      rows.weights = Vector::Ones(120);
      RandomStream stream(seed);
      for (Index i = 0; i < 120; ++i) {
        const double x = static_cast<double>(i) / 119;
        rows.target[i] = x < 0.5 ? 1 : std::sin(8 * x) + 0.5 * stream.normal();
        if (x < 0.5) rows.weights[i] = weight;
      }
      const auto nlpd = [&](const char* more) {
        const FittedModel model = fit(noise_recipe("exact-ard", more), Schema::numbers(1), rows, {});
        return to_json(model.training)["leave_one_out"]["nlpd"].get<double>();
      };
      EXPECT_LT(nlpd(R"(, "noise": {"varies": true})"), nlpd(""));
    }
}

// ---- refused settings

std::string noise_refusal(const std::string& more, const FitOptions& options = {}) {
  try {
    static_cast<void>(fit(noise_recipe("exact-rbf", more), Schema(), uneven_rows(30, 1), options));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(NoiseModels, AreRefusedWhereTheyMeanNothing) {
  EXPECT_EQ(noise_refusal(R"(, "noise": {"degrees": 4})"), "/noise/degrees: means nothing for likelihood 'gaussian'");
  EXPECT_EQ(noise_refusal(R"(, "likelihood": "poisson", "noise": {"dispersion": 4})"),
            "/noise/dispersion: means nothing for likelihood 'poisson'");
  EXPECT_EQ(noise_refusal(R"(, "likelihood": "student-t", "noise": {"degrees": 1.5})"),
            "/noise/degrees: must be more than 2, so that the noise has a variance, or 0 = learned");
  EXPECT_EQ(noise_refusal(R"(, "likelihood": "student-t", "scale": {"target": "range"})"),
            "/scale/target: likelihood 'student-t' scales its target by quartiles; leave it out");
  EXPECT_EQ(noise_refusal(R"(, "likelihood": "student-t", "noise": {"varies": true})"),
            "/noise: means nothing for likelihood 'student-t'");
  EXPECT_EQ(noise_refusal(R"(, "noise": {"rounds": 3})"), "/noise/rounds: means nothing for noise that does not vary");
  const Recipe with_network = parse_registered_recipe(Json::parse(R"({"model": "mixture", "noise": {"varies": true},
      "members": [{"model": "ard"}, {"model": "deep", "terms": [{"model": "ssgpr"}]}]})"));
  std::atomic<bool> at_once{true};
  FitOptions stopped;
  stopped.interrupt = &at_once;  // the first training would end here
  try {
    static_cast<void>(fit(with_network, Schema(), uneven_rows(300, 1), stopped));
    ADD_FAILURE() << "not refused";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "/noise/varies: of a network that is trained on minibatches is learned once: take rounds 0");
  }
  FitOptions checkpoint;
  checkpoint.checkpoint_path = "nowhere";
  EXPECT_EQ(noise_refusal(R"(, "noise": {"varies": true})", checkpoint),
            "--checkpoint: a training whose noise varies keeps none; leave it out");
}

}  // namespace
}  // namespace alacarte
