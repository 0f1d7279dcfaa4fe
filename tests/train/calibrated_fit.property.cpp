// Calibration on held-out rows.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/data/rows_file.hpp"
#include "alacarte/eval/metrics.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/train/fit.hpp"
#include "io/documents.hpp"
#include "support/program.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

/// Returns sin with heavy-tailed noise, larger to the right: no Gaussian of one variance.
Dataset heavy_rows(Index rows, std::uint64_t seed) {
  RandomStream stream(seed);
  Dataset data;
  data.inputs.resize(rows, 1);
  data.target.resize(rows);
  for (Index i = 0; i < rows; ++i) {
    const double x = stream.uniform();
    const double tail = stream.normal() / std::sqrt(0.2 + stream.uniform());
    data.inputs(i, 0) = x;
    data.target[i] = std::sin(6 * x) + (0.1 + 0.4 * x) * tail;
  }
  return data;
}

/// Returns a recipe with kernel and noise fixed far from the truth: coverage must not depend on the model.
Recipe wrong_recipe(const std::string& more = "") {
  return parse_registered_recipe(Json::parse(
      R"({"model": "exact-rbf", "kernel": {"lengthscale": [0.3], "trained": false},
          "noise": {"sd": 0.1, "trained": false, "prior_center": "fixed"},
          "training": {"starts": 1, "probe_iterations": 1, "iterations": 0})" +
      more + "}"));
}

double covered(const FittedModel& model, const Dataset& rows, double probability) {
  const Interval bounds = model.interval(model.predict(rows.view()), probability);
  return static_cast<double>(
             (rows.target.array() >= bounds.lower.array() && rows.target.array() <= bounds.upper.array()).count()) /
         static_cast<double>(rows.rows());
}

std::vector<Index> first_of(const std::vector<Index>& order, Index from, Index count) {
  return {order.begin() + from, order.begin() + from + count};
}

// Over random splits of one table all rows are exchangeable, so the mean coverage is rank / (m + 1) exactly: 28 / 31
// for 90 % intervals from 30 rows. One split has a standard deviation of about 0.06; the mean of 200, 0.0045.
TEST(ConformalIntervals, CoverAsPromisedOver200RandomSplits) {
  const Dataset pool = heavy_rows(400, 1);
  const Recipe calibrated = wrong_recipe(R"(, "calibration": {"kind": "conformal", "share": 0.3})");
  double with = 0, without = 0;
  constexpr int kSplits = 200;
  for (int split = 0; split < kSplits; ++split) {
    RandomStream stream(100 + static_cast<std::uint64_t>(split));
    std::vector<Index> order(400);
    for (Index i = 0; i < 400; ++i) order[static_cast<std::size_t>(i)] = i;
    for (Index i = 399; i > 0; --i)
      std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(stream.below(i + 1))]);
    const Dataset training = pool.select_rows(first_of(order, 0, 100)),
                  test = pool.select_rows(first_of(order, 100, 300));
    FitOptions options;
    options.seed = static_cast<std::uint64_t>(split);
    const FittedModel model = fit(calibrated, Schema(), training, options);
    EXPECT_EQ(model.calibration.rows, 30);
    EXPECT_EQ(to_json(model.training)["rows"], 70);
    with += covered(model, test, 0.9) / kSplits;
    if (split < 20) without += covered(fit(wrong_recipe(), Schema(), training, options), test, 0.9) / 20;
  }
  EXPECT_NEAR(with, 28.0 / 31, 0.018);
  EXPECT_LT(without, 0.75) << "the model alone must be wrong here";
}

TEST(ConformalIntervals, AreSavedAndLoadedBitForBit) {
  const Dataset rows = heavy_rows(80, 2);
  const FittedModel model =
      fit(wrong_recipe(R"(, "calibration": {"kind": "conformal"})"), Schema::numbers(1), rows, {});
  EXPECT_EQ(model.calibration.rows, 16);
  const FittedModel loaded = FittedModel::load(parse_bundle(serialize_bundle(model.save()), "model"));
  EXPECT_EQ(loaded.recipe, model.recipe);
  EXPECT_EQ(loaded.calibration.scores, model.calibration.scores);
  const Dataset test = heavy_rows(30, 3);
  const Interval own = model.interval(model.predict(test.view()), 0.9);
  const Interval again = loaded.interval(loaded.predict(test.view()), 0.9);
  EXPECT_EQ(own.lower, again.lower);
  EXPECT_EQ(own.upper, again.upper);
  // Latent intervals are the model's own.
  PredictOptions latent;
  latent.latent = true;
  const Prediction function = model.predict(test.view(), latent);
  EXPECT_LT((model.interval(function, 0.9).lower - function.distribution().quantile(0.05)).cwiseAbs().maxCoeff(),
            1e-12);

  ModelFile damaged = model.save();
  damaged.tensors["calibration/scores"].f64[0] = 1e9;
  EXPECT_THROW(FittedModel::load(damaged), IoError);
  damaged = model.save();
  damaged.document.erase("calibration");
  EXPECT_THROW(FittedModel::load(damaged), IoError);
}

TEST(ConformalIntervals, LeftOutRowsAreNamedAmongAll) {
  const Dataset rows = heavy_rows(50, 4);
  std::vector<Index> named;
  Vector means;
  FitOptions options;
  options.on_left_out = [&](const Prediction& prediction, const std::vector<Index>& scored) {
    EXPECT_EQ(prediction.rows(), static_cast<Index>(scored.size()));
    named = scored;
    means = prediction.distribution().mean();
  };
  static_cast<void>(fit(wrong_recipe(R"(, "calibration": {"kind": "conformal"})"), Schema(), rows, options));
  ASSERT_EQ(named.size(), 40u);
  EXPECT_TRUE(std::is_sorted(named.begin(), named.end()));
  EXPECT_LT(named.back(), 50);
  // The predictions belong to the named rows: those of the first forty are further from them.
  const Vector target = rows.target(named), other = rows.target.head(40);
  EXPECT_LT((means - target).squaredNorm(), (means - other).squaredNorm());
}

TEST(ConformalIntervals, OfCountsAreCounts) {
  Dataset rows = heavy_rows(120, 5);
  rows.target = (2 * rows.target.array()).exp().floor().min(50.0);
  const Recipe recipe = parse_registered_recipe(Json::parse(
      R"({"model": "exact-rbf", "likelihood": "poisson", "calibration": {"kind": "conformal", "share": 0.4},
          "training": {"starts": 1, "probe_iterations": 2, "iterations": 5}})"));
  const FittedModel model = fit(recipe, Schema(), rows, {});
  const Interval bounds = model.interval(model.predict(rows.view()), 0.9);
  EXPECT_TRUE((bounds.lower.array() >= 0).all() && (bounds.lower.array() == bounds.lower.array().floor()).all());
  EXPECT_TRUE((bounds.upper.array() >= bounds.lower.array()).all());
  EXPECT_TRUE((bounds.upper.array() == bounds.upper.array().floor()).all());
}

/// Returns two classes with even probabilities in the middle and nearly separable features, to show overconfidence.
Dataset noisy_classes(Index rows, std::uint64_t seed) {
  RandomStream stream(seed);
  Dataset data;
  data.inputs.resize(rows, 2);
  data.target.resize(rows);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < 2; ++j) data.inputs(i, j) = stream.normal();
    const double p = 1 / (1 + std::exp(-data.inputs(i, 0)));
    data.target[i] = stream.uniform() < p ? 1 : 0;
  }
  return data;
}

TEST(Temperature, CorrectsProbabilitiesThatAreTooSure) {
  const Dataset rows = noisy_classes(600, 6), test = noisy_classes(1000, 7);
  const std::string recipe =
      R"({"model": "ard", "features": {"frequencies": 60}, "learner": {"kind": "logistic", "costs": [100]}%s})";
  const auto with = [&](const std::string& more) {
    std::string text = recipe;
    return parse_registered_recipe(Json::parse(text.replace(text.find("%s"), 2, more)));
  };
  const Schema schema = Schema::numbers(2, {"0", "1"});
  const FittedModel model = fit(with(R"(, "calibration": {"kind": "temperature", "share": 0.3})"), schema, rows, {});
  EXPECT_GT(model.calibration.temperature, 1.1);
  const auto loss = [&](const FittedModel& own) {
    return score_classes(own.predict(test.view()).classes().values, test.target).log_loss;
  };
  FittedModel uncorrected = FittedModel::load(parse_bundle(serialize_bundle(model.save()), "model"));
  uncorrected.calibration.temperature = 1;
  EXPECT_LT(loss(model), loss(uncorrected));
  OneRowWorkspace workspace = model.one_row_workspace();
  const Vector one = model.predict_one(test.inputs.row(0).transpose(), workspace).class_values;
  EXPECT_LT((one.transpose() - model.predict(test.view()).classes().values.row(0)).cwiseAbs().maxCoeff(), 1e-12);
  const FittedModel loaded = FittedModel::load(parse_bundle(serialize_bundle(model.save()), "model"));
  EXPECT_EQ(loaded.predict(test.view()).classes().values, model.predict(test.view()).classes().values);
}

/// Returns the rows as a rows file, read from disk in every pass.
std::shared_ptr<RowsFile> on_disk(const Dataset& data, const std::string& path) {
  TableChunk chunk;
  chunk.numbers.resize(data.rows(), 2);
  chunk.numbers << data.inputs, data.target;
  chunk.text.resize(2);
  chunk.line_numbers.resize(static_cast<std::size_t>(data.rows()));
  const auto reader = open_table_from_memory("t", "1,1\n", {});
  const Schema schema = Schema::learn(*reader, chunk, {}, {});
  RowsFileWriter writer(path, 1, RowExtras{});
  writer.add(data);
  return writer.finish_and_open(schema, data.rows());
}

// Feature maps read rows in every pass; held-out rows and the noise of each row are the same from disk.
TEST(Calibration, AndUnevenNoiseOfRowsOnDiskAreThoseOfMemory) {
  const Dataset data = heavy_rows(3000, 9);
  const test::TemporaryFolder folder;
  for (const std::string more :
       {R"("calibration": {"kind": "conformal", "share": 0.3})", R"("noise": {"varies": true, "rounds": 1})"}) {
    const Recipe recipe = parse_registered_recipe(Json::parse(
        R"({"model": "ard", "features": {"frequencies": 16},
            "training": {"starts": 1, "probe_iterations": 2, "iterations": 4}, )" +
        more + "}"));
    const FittedModel memory = fit(recipe, Schema(), data, {});
    const FittedModel disk = fit(recipe, Schema(), on_disk(data, folder / "t.rows"), {});
    EXPECT_EQ(to_json(memory.training)["rows"], to_json(disk.training)["rows"]);
    const Prediction a = memory.predict(data.view()), b = disk.predict(data.view());
    EXPECT_LT((a.distribution().mean() - b.distribution().mean()).cwiseAbs().maxCoeff(), 1e-5) << more;
    const Interval own = memory.interval(a, 0.9), other = disk.interval(b, 0.9);
    EXPECT_LT((own.upper - other.upper).cwiseAbs().maxCoeff(), 1e-4) << more;
  }
}

std::string refusal_of(const std::string& recipe, Index rows = 50) {
  try {
    static_cast<void>(fit(parse_registered_recipe(Json::parse(recipe)), Schema(), heavy_rows(rows, 1), {}));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Calibration, IsRefusedWhereItMeansNothing) {
  EXPECT_EQ(refusal_of(R"({"likelihood": "softmax", "calibration": {"kind": "conformal"}})"),
            "/calibration/kind: 'conformal' is of numbers and counts; classes take 'temperature'");
  EXPECT_EQ(refusal_of(R"({"calibration": {"kind": "temperature"}})"),
            "/calibration/kind: 'temperature' is of classes; numbers and counts take 'conformal'");
  EXPECT_EQ(refusal_of(R"({"learner": {"kind": "svm"}, "calibration": {"kind": "temperature"}})"),
            "/calibration/kind: 'temperature' is of probabilities, which learner 'svm' has none of");
  EXPECT_EQ(refusal_of(R"({"calibration": {"share": 0.3}})"),
            "/calibration/share: means nothing for calibration of kind 'none'");
  EXPECT_EQ(refusal_of(R"({"calibration": {"kind": "conformal", "share": 0.001}})"),
            "/calibration/share: 0.001 of 50 rows leaves none for calibration");
}

}  // namespace
}  // namespace alacarte
