// Training on minibatches: accuracy, error bars, bits, clock, interrupt, repetition.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "alacarte/core/error.hpp"
#include "alacarte/data/table.hpp"
#include "alacarte/eval/metrics.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/train/fit.hpp"
#include "core/ranks.hpp"
#include "data/distributed_rows.hpp"
#include "data/minibatch_rows.hpp"
#include "inference/held_out.hpp"
#include "inference/inference.hpp"
#include "io/documents.hpp"
#include "optimise/gradient_checker.hpp"
#include "support/example_recipe.hpp"
#include "train/search/minibatches.hpp"
#include "train/weigh/left_out.hpp"

namespace alacarte {
namespace {

/// Returns a rugged function of a warped coordinate: no stationary kernel fits its varying length-scales.
Dataset rugged(Index rows, std::uint64_t seed) {
  RandomStream stream(seed);
  Dataset data;
  data.inputs.resize(rows, 3);
  data.target.resize(rows);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < 3; ++j) data.inputs(i, j) = 2 * stream.uniform() - 1;
    const double a = data.inputs(i, 0), b = data.inputs(i, 1);
    data.target[i] = std::sin(9 * std::exp(0.8 * a) * b) + (a * b > 0.2 ? 1 : 0) + 0.1 * stream.normal();
  }
  return data;
}

Recipe deep_recipe(Index epochs) {
  Recipe recipe = example_recipe("deep", 24);
  recipe.network.widths = {48, 24};
  recipe.network.epochs = epochs;
  recipe.network.batch = 64;
  return recipe;
}

FittedModel fitted(const Recipe& recipe, const Dataset& data, FitOptions options = {}) {
  return fit(recipe, Schema(), data, options);
}

double rmse_of(const FittedModel& model, const Dataset& test) {
  const Vector mean = model.predict(test.inputs).distribution().mean();
  return std::sqrt((mean - test.target).squaredNorm() / static_cast<double>(test.rows()));
}

std::vector<Vector> bits(const FittedModel& model, const Dataset& data) {
  std::vector<Vector> all;
  for (const Member& member : model.members) all.push_back(member.theta);
  const PredictiveDistribution prediction = model.predict(data.inputs).distribution();
  all.push_back(prediction.mean());
  all.push_back(prediction.variance());
  return all;
}

/// Rows read as from a file, with a record of the reads.
class WatchedRows final : public RowSource {
 public:
  explicit WatchedRows(Dataset data) : rows_(std::move(data)) {}
  Index rows() const override { return rows_.rows(); }
  Index inputs() const override { return rows_.inputs(); }
  double scratch_bytes(Index count) const override { return 8.0 * static_cast<double>(count * (inputs() + 1)); }
  RowBlock read(Index first, Index count, RowScratch& scratch) const override {
    reads.emplace_back(first, count);
    return rows_.read(first, count, scratch);
  }
  mutable std::vector<std::pair<Index, Index>> reads;

 private:
  MemoryRows rows_;
};

/// Returns targets equal to the row numbers.
Dataset numbered(Index rows) {
  Dataset data = rugged(rows, 1);
  std::iota(data.target.begin(), data.target.end(), 0.0);
  return data;
}

TrainingRows with_held_out(std::shared_ptr<const RowSource> source, const Dataset& held) {
  TrainingRows rows{std::move(source), {}};
  rows.held_out = std::make_shared<MemoryRows>(held);
  return rows;
}

std::vector<double> targets_of(const BatchRows& batch) {
  std::vector<double> targets;
  for (Index i = 0; i < batch.count; ++i) targets.push_back(batch.y[batch.places[i]]);
  return targets;
}

/// Returns the targets of `batches` batches; each row has its own inputs.
std::vector<double> targets_of(MinibatchRows& rows, Index batches, const Dataset& data) {
  std::vector<double> targets;
  for (Index k = 0; k < batches; ++k) {
    const BatchRows batch = rows.next();
    for (const double target : targets_of(batch)) targets.push_back(target);
    for (Index i = 0; i < batch.count; ++i) {
      const Index place = batch.places[i];
      EXPECT_EQ(batch.x.row(place), data.inputs.row(static_cast<Index>(batch.y[place])));
    }
  }
  return targets;
}

/// Returns three classes, by two thresholds.
Dataset rugged_classes(Index rows, std::uint64_t seed) {
  Dataset data = rugged(rows, seed);
  data.target = data.target.unaryExpr([](double y) { return y < -0.3 ? 0.0 : y < 0.6 ? 1.0 : 2.0; });
  return data;
}

Recipe deep_classifier(Index epochs) {
  Recipe recipe = deep_recipe(epochs);
  recipe.likelihood = "softmax";
  return apply_likelihood_defaults(recipe);
}

Schema schema_of_three_classes(Recipe& recipe) {
  recipe.data.strict = true;
  const std::string text = "a,b,c,y\n1,2,3,low\n1,2,3,low\n1,2,3,middle\n1,2,3,top\n";
  const auto reader = open_table_from_memory("t.csv", text, recipe.data);
  Schema::prepare(*reader, recipe.data);
  return Schema::learn(*reader, read_all(*reader), recipe.data, {});
}

ClassMetrics class_scores(const FittedModel& model, const Dataset& test) {
  return score_classes(model.predict(test.inputs).classes().values, test.target);
}

TEST(MinibatchRows, ComeAllInEveryPassWithinTheMemoryTheyAreGiven) {
  constexpr Index kRows = 5003, kBatch = 64, kBatches = kRows / kBatch;
  const Dataset data = numbered(kRows);
  for (const Index fit : {2 * kBatch, Index{1000}, Index{5002}}) {
    SCOPED_TRACE(fit);
    const auto watched = std::make_shared<WatchedRows>(data);
    const TrainingRows training = with_held_out(watched, rugged(20, 2));
    const double max_bytes = 8.0 * static_cast<double>(fit * (data.inputs.cols() + 2));
    MinibatchRows rows(*training.source, *training.held_out, kBatch, max_bytes, false, RandomStreams(1).stream("rows"));
    MinibatchRows again(*training.source, *training.held_out, kBatch, max_bytes, false,
                        RandomStreams(1).stream("rows"));
    EXPECT_FALSE(rows.in_memory());
    EXPECT_LE(rows.most_rows(), fit);
    EXPECT_EQ(rows.kept(), kRows);
    std::vector<std::vector<double>> passes;
    for (int pass = 0; pass < 3; ++pass) {
      watched->reads.clear();
      passes.push_back(targets_of(rows, kBatches, data));
      EXPECT_EQ(std::set<double>(passes.back().begin(), passes.back().end()).size(), kBatches * kBatch);
      // Neighbours are read several at a time if memory allows, and each block once.
      Index read = 0;
      for (const auto& [first, count] : watched->reads) read += count;
      EXPECT_EQ(read, kRows);
      if (fit > 1000) {
        EXPECT_LT(watched->reads.size(), kRows / 10);
      }
      EXPECT_EQ(targets_of(again, kBatches, data), passes.back());
    }
    EXPECT_NE(passes[0], passes[1]);
    if (fit < 1000) continue;
    // Batches contain rows from everywhere, the first as well as the last.
    for (const std::size_t first : {std::size_t{0}, std::size_t{(kBatches - 1) * kBatch}}) {
      const auto begin = passes[0].begin() + static_cast<std::ptrdiff_t>(first);
      const double mean = std::accumulate(begin, begin + kBatch, 0.0) / kBatch;
      EXPECT_NEAR(mean, kRows / 2.0, 5 * kRows / std::sqrt(12.0 * kBatch));
    }
  }
}

TEST(MinibatchRows, AreReadOnceWhereTheyFit) {
  const Dataset data = numbered(500);
  const auto watched = std::make_shared<WatchedRows>(data);
  const TrainingRows training = with_held_out(watched, rugged(20, 2));
  MinibatchRows rows(*training.source, *training.held_out, 50, 500 * 8.0 * 5, false, RandomStreams(1).stream("rows"));
  EXPECT_TRUE(rows.in_memory());
  watched->reads.clear();
  RandomStream same = RandomStreams(1).stream("rows");
  for (int pass = 0; pass < 2; ++pass) {
    const std::vector<double> targets = targets_of(rows, 10, data);
    const auto order = same.permutation(500);
    EXPECT_TRUE(std::equal(targets.begin(), targets.end(), order.begin(), order.end()));
  }
  EXPECT_TRUE(watched->reads.empty());
}

/// Transport of one rank that knows the row counts of the others, which do not exist.
class ScriptedRanks final : public ranks::Transport {
 public:
  ScriptedRanks(std::vector<Index> rows, int own) : rows_(std::move(rows)), own_(own) {}
  int count() const override { return static_cast<int>(rows_.size()); }
  int own() const override { return own_; }
  int on_this_machine() const override { return count(); }
  std::string machine() const override { return "here"; }
  void sum(double* values, std::size_t count) override {
    if (count == rows_.size()) std::copy(rows_.begin(), rows_.end(), values);
  }
  void minimum(double* values, std::size_t) override {
    values[0] = std::min(values[0], -static_cast<double>(*std::max_element(rows_.begin(), rows_.end())));
  }
  void share(void*, std::size_t, int) override {}
  void abort(int code) override { std::_Exit(code); }

 private:
  const std::vector<Index> rows_;
  const int own_;
};

TEST(MinibatchRows, AreThoseOfEachRankThatHasSomeOfABatch) {
  const std::vector<Index> counts = {900, 1, 0, 1100};
  constexpr Index kRows = 2001, kBatch = 40, kBatches = kRows / kBatch;
  const Dataset data = numbered(kRows);
  const TrainingRows whole = with_held_out(std::make_shared<MemoryRows>(data), rugged(20, 2));
  MinibatchRows one(*whole.source, *whole.held_out, kBatch, 1e9, false, RandomStreams(1).stream("rows"));
  for (const double max_bytes : {1e9, 300 * 8.0 * 6}) {
    SCOPED_TRACE(max_bytes);
    std::vector<std::vector<double>> batches(2 * kBatches);
    Index first = 0;
    for (int rank = 0; rank < 4; ++rank) {
      ranks::join(std::make_unique<ScriptedRanks>(counts, rank));
      const Index own = counts[static_cast<std::size_t>(rank)];
      std::vector<Index> order(static_cast<std::size_t>(own));
      std::iota(order.begin(), order.end(), first);
      first += own;
      const TrainingRows training =
          with_held_out(distribute(std::make_shared<MemoryRows>(data.select_rows(order))), rugged(20, 2));
      EXPECT_EQ(training.source->rows(), kRows);
      MinibatchRows rows(*training.source, *training.held_out, kBatch, max_bytes, false,
                         RandomStreams(1).stream("rows"));
      EXPECT_EQ(rows.in_memory(), max_bytes == 1e9);
      // 4 numbers per row, and two index entries per row for the largest rank.
      EXPECT_LE(static_cast<double>(rows.most_rows()),
                rows.in_memory() ? static_cast<double>(own) : max_bytes / (8 * (4 + kRows / 1100.0)));
      for (auto& batch : batches)
        for (const double target : targets_of(rows, 1, data)) batch.push_back(target);
    }
    ranks::join(nullptr);
    for (int pass = 0; pass < 2; ++pass) {
      std::set<double> seen;
      for (Index k = 0; k < kBatches; ++k) {
        auto& batch = batches[static_cast<std::size_t>(pass * kBatches + k)];
        EXPECT_EQ(batch.size(), kBatch);
        seen.insert(batch.begin(), batch.end());
        if (max_bytes < 1e9) continue;
        std::vector<double> of_one = targets_of(one, 1, data);
        std::sort(of_one.begin(), of_one.end());
        std::sort(batch.begin(), batch.end());
        EXPECT_EQ(batch, of_one);
      }
      EXPECT_EQ(seen.size(), kBatches * kBatch);
    }
  }
}

TEST(Ranks, AreAloneInASingleRankScope) {
  ranks::join(std::make_unique<ScriptedRanks>(std::vector<Index>{1, 1, 1}, 2));
  EXPECT_EQ(ranks::count(), 3);
  EXPECT_FALSE(ranks::is_first());
  {
    const ranks::SingleRankScope alone;
    EXPECT_EQ(ranks::count(), 1);
    EXPECT_TRUE(ranks::is_first());
    EXPECT_EQ(ranks::of_each(7), Vector::Constant(1, 7));
    { const ranks::SingleRankScope within; }
    EXPECT_EQ(ranks::count(), 1);
  }
  EXPECT_EQ(ranks::count(), 3);
  ranks::join(nullptr);
}

TEST(MinibatchRows, HaveTheSameUnitInMemoryAndNot) {
  const Dataset data = rugged(2000, 3);
  const TrainingRows training = with_held_out(std::make_shared<WatchedRows>(data), rugged(100, 4));
  const MinibatchRows all(*training.source, *training.held_out, 10, 1e9, true, RandomStreams(1).stream("rows"));
  MinibatchRows few(*training.source, *training.held_out, 10, 1e4, true, RandomStreams(1).stream("rows"));
  EXPECT_FALSE(few.in_memory());
  EXPECT_NEAR(all.mean(), data.target.mean(), 1e-12);
  EXPECT_NEAR(all.mean(), few.mean(), 1e-12);
  EXPECT_NEAR(all.sd(), few.sd(), 1e-12);
  EXPECT_NEAR(all.whole_mean(), few.whole_mean(), 1e-12);
  EXPECT_LT((all.held().y - few.held().y).cwiseAbs().maxCoeff(), 1e-12);
  double sum = 0, squares = 0;
  for (int k = 0; k < 200; ++k)
    for (const double y : targets_of(few.next())) {
      sum += y;
      squares += y * y;
    }
  EXPECT_NEAR(sum / 2000, 0, 1e-9);
  EXPECT_NEAR(squares / 2000, 1, 1e-9);
}

TEST(Minibatches, OfRowsThatDoNotFitTheMemoryAreAsGood) {
  const Dataset data = rugged(6000, 1);
  const Recipe recipe = deep_recipe(30);
  const PreparedRows prepared = prepare_rows(recipe, data, 0);
  TrainingRows seen = rows_seen(prepared.rows, draw_held_out(data.rows(), 0));
  const FitJob job = make_job(recipe, seen.statistics, RandomStreams(0));
  const auto inference = make_job_inference(job, seen, 0.5, 1);
  const ParameterLayout& layout = inference->parameters();
  const Vector start = make_job_starts(job, seen, layout, 0.5).front();
  const auto train_within = [&](double bytes, int threads) {
    return train_on_minibatches(job, seen, layout, start, threads, bytes, {});
  };
  const MinibatchResult all = train_within(1e9, 1), few = train_within(8.0 * 5 * 800, 1);
  EXPECT_LT(few.held_out.rmse, 1.1 * all.held_out.rmse);
  EXPECT_LT(all.held_out.rmse, 0.5);
  EXPECT_NEAR(few.held_out.log_density, all.held_out.log_density, 0.1);
  EXPECT_NEAR(few.passes, all.passes, 1e-9);
  EXPECT_EQ(train_within(8.0 * 5 * 800, 1).theta, few.theta);
  EXPECT_LT((train_within(8.0 * 5 * 800, 2).theta - few.theta).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Minibatches, BeatFreeFrequenciesOnARuggedFunctionWithTrueErrorBars) {
  const Dataset data = rugged(4000, 1), test = rugged(2000, 2);
  const FittedModel deep = fitted(deep_recipe(60), data);
  Recipe spectrum = example_recipe("ssgpr", 48);
  spectrum.training.starts = 1;
  spectrum.training.iterations = 60;
  const FittedModel flat = fitted(spectrum, data);
  const double error = rmse_of(deep, test);
  EXPECT_LT(error, 0.8 * rmse_of(flat, test));
  const Metrics scores = score(deep.predict(test.inputs).distribution(), test.target);
  EXPECT_GT(scores.coverage95, 0.92);
  EXPECT_LT(scores.coverage95, 0.98);
  const auto record = to_json(deep.members[0].summary).at("minibatches");
  EXPECT_EQ(record.at("held_out").at("rows"), 400);
  EXPECT_EQ(record.at("stop"), "epochs");
  // The rows held out, each left out of the posterior of all others.
  EXPECT_NEAR(to_json(deep.training).at("leave_one_out").at("nlpd"), scores.nlpd, 0.1);
}

TEST(Minibatches, WithoutLayersTrainFreeFrequencies) {
  const Dataset data = rugged(2000, 1), test = rugged(1000, 2);
  Recipe recipe = deep_recipe(40);
  recipe.network.widths.clear();
  const FittedModel model = fitted(recipe, data);
  EXPECT_EQ(model.members[0].prior.map()->feature_count(), 48);
  EXPECT_LT(rmse_of(model, test), 0.8 * std::sqrt((test.target.array() - test.target.mean()).square().mean()));
  for (const ParameterSlot& slot : model.members[0].prior.parameters().slots())
    EXPECT_EQ(slot.name.find("layer"), std::string::npos) << slot.name;
  // The map's gradient of the evidence equals differences.
  const Matrix x = data.inputs.topRows(60);
  const Vector y = data.target.head(60);
  const auto objective = make_inference(model.members[0].prior, x, y, InferenceOptions());
  RandomStream stream(7);
  Vector theta(objective->parameters().size());
  theta << model.members[0].prior.start(training_statistics(x, y, stream), 0, stream), -1;
  EXPECT_LT(check_gradient(*objective, theta, 24).worst(), 1e-6);
}

TEST(Minibatches, TheSameBitsOnEveryRunAndTheSameFeaturesOnAnyNumberOfThreads) {
  const Dataset data = rugged(900, 3);
  Recipe recipe = deep_recipe(4);
  FitOptions options;
  const FittedModel one = fitted(recipe, data, options);
  EXPECT_EQ(bits(fitted(recipe, data, options), data), bits(one, data));
  options.threads = 2;
  const FittedModel two = fitted(recipe, data, options);
  EXPECT_EQ(bits(fitted(recipe, data, options), data), bits(two, data));
  // Noise and amplitude are sums over threads; the rest is not.
  const Vector difference = (one.members[0].theta - two.members[0].theta).cwiseAbs();
  EXPECT_EQ((difference.array() > 0).count() > 1, false);
  EXPECT_LT(difference.maxCoeff(), 1e-9);
  options.seed = 1;
  EXPECT_GT((fitted(recipe, data, options).members[0].theta - two.members[0].theta).cwiseAbs().maxCoeff(), 0.01);
}

TEST(Minibatches, ObeyTheClockAndRepeatWhatItCutShort) {
  const Dataset data = rugged(2000, 4);
  Recipe recipe = deep_recipe(1000000);
  recipe.training.seconds = 1.5;
  recipe.copies = 2;
  const auto began = std::chrono::steady_clock::now();
  const FittedModel first = fitted(recipe, data);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(), 20);
  EXPECT_TRUE(to_json(first.training).at("cut_short"));
  EXPECT_EQ(first.members.size(), 2u);
  FitOptions options;
  options.repeat = &first.training;
  const FittedModel again = fitted(recipe, data, options);
  EXPECT_EQ(bits(again, data), bits(first, data));
  EXPECT_EQ(to_json(again.training).at("work"), to_json(first.training).at("work"));
}

TEST(Minibatches, AnInterruptKeepsTheBestSoFar) {
  const Dataset data = rugged(500, 5);
  const std::atomic<bool> interrupt{true};
  FitOptions options;
  options.interrupt = &interrupt;
  const FittedModel model = fitted(deep_recipe(1000000), data, options);
  EXPECT_TRUE(to_json(model.training).at("cut_short"));
  EXPECT_EQ(to_json(model.members[0].summary).at("stop"), "interrupted");
  EXPECT_TRUE(model.predict(data.inputs).distribution().mean().allFinite());
}

TEST(Minibatches, WhoInterruptsClassesDoesNotWaitForThePosteriorOfAllRows) {
  const Dataset data = rugged_classes(60000, 5), test = rugged_classes(500, 6);
  Recipe recipe = deep_classifier(1000000);
  const Schema schema = schema_of_three_classes(recipe);
  const std::atomic<bool> interrupt{true};
  FitOptions options;
  options.interrupt = &interrupt;
  const FittedModel model = fit(recipe, schema, data, options);
  EXPECT_EQ(to_json(model.members[0].summary).at("stop"), "interrupted");
  EXPECT_EQ(to_json(model.members[0].summary).at("minibatches").at("posterior_rows"), 50000);
  FitOptions again;
  again.repeat = &model.training;
  EXPECT_EQ(fit(recipe, schema, data, again).predict(test.inputs).classes().values,
            model.predict(test.inputs).classes().values);
}

TEST(Minibatches, RefuseWeightsAndParametersHeldByHand) {
  Dataset data = rugged(100, 6);
  const Recipe good = deep_recipe(1);
  const auto refused = [&](Recipe recipe) {
    try {
      fitted(recipe, data);
    } catch (const ConfigError& error) {
      return error.pointer();
    }
    return std::string("none");
  };
  Recipe held = good;
  held.noise.trained = false;
  EXPECT_EQ(refused(held), "/noise/trained");
  held = good;
  held.kernel.trained = false;
  EXPECT_EQ(refused(held), "/kernel/trained");
  held = good;
  held.kernel.lengthscale = {1.0};
  EXPECT_EQ(refused(held), "/kernel/lengthscale");
  data.weights = Vector::Constant(100, 2.0);
  EXPECT_EQ(refused(good), "/data/weights");
}

TEST(Minibatches, LearnClassesAndSayHowSureTheyAre) {
  const Dataset data = rugged_classes(3000, 6), test = rugged_classes(2000, 7);
  Recipe recipe = deep_classifier(40);
  const Schema schema = schema_of_three_classes(recipe);
  const FittedModel deep = fit(recipe, schema, data, {});
  Recipe flat = apply_likelihood_defaults(example_recipe("ssgpr", 24));
  flat.likelihood = "softmax";
  flat.training.starts = 1;
  flat.training.iterations = 25;
  const ClassMetrics own = class_scores(deep, test);
  const ClassMetrics other = class_scores(fit(apply_likelihood_defaults(flat), schema, data, {}), test);
  EXPECT_LT(own.log_loss, 0.9 * other.log_loss);
  EXPECT_LT(own.ece, 0.05);
  const auto held = to_json(deep.members[0].summary).at("minibatches").at("held_out");
  EXPECT_NEAR(-held.at("log_density").get<double>(), own.log_loss, 0.1);
}

TEST(Minibatches, OfClassesObeyTheClockAndRepeatIt) {
  const Dataset data = rugged_classes(6000, 8), test = rugged_classes(1000, 9);
  Recipe recipe = deep_classifier(1000000);
  const Schema schema = schema_of_three_classes(recipe);
  recipe.training.seconds = 1;
  const FittedModel first = fit(recipe, schema, data, {});
  EXPECT_TRUE(to_json(first.training).at("cut_short"));
  FitOptions options;
  options.repeat = &first.training;
  const FittedModel again = fit(recipe, schema, data, options);
  EXPECT_EQ(again.predict(test.inputs).classes().values, first.predict(test.inputs).classes().values);
}

// Limits on a slow machine: few trials of the amplitude, and a posterior of some of the rows.
TEST(Minibatches, OfClassesHoldFewerRowsOutUnderAClock) {
  const Dataset data = rugged_classes(25000, 7);
  Recipe recipe = deep_classifier(1);
  const Schema schema = schema_of_three_classes(recipe);
  const auto held_out = [&] {
    return to_json(fit(recipe, schema, data, {}).members[0].summary).at("minibatches").at("held_out").at("rows");
  };
  EXPECT_EQ(held_out(), 2500);
  recipe.training.seconds = 1000;  // more than one pass takes
  EXPECT_EQ(held_out(), 2000);
}

TEST(Minibatches, ThePosteriorOfClassesMayBeOfFewerRows) {
  const Dataset data = rugged_classes(6000, 8), test = rugged_classes(2000, 9);
  Recipe recipe = deep_classifier(1000000);
  const Schema schema = schema_of_three_classes(recipe);
  recipe.training.seconds = 60;
  TrainingRecord training;
  training.cut_short = true;
  training.work = {{"deep: minibatches", 200}, {"deep: round 0", 10}, {"deep: final", 1}};
  Recipe short_recipe = deep_classifier(1);
  training.data_sha256 = fit(short_recipe, schema, data, {}).training.data_sha256;
  FitOptions options;
  options.repeat = &training;
  const FittedModel all = fit(recipe, schema, data, options);
  (*training.work)["deep: amplitude"] = 3;
  (*training.work)["deep: amplitude rows"] = 1000;
  (*training.work)["deep: posterior rows"] = 2000;
  const FittedModel some = fit(recipe, schema, data, options);
  EXPECT_EQ(to_json(all.members[0].summary).at("minibatches").at("posterior_rows"), 0);
  EXPECT_EQ(to_json(some.members[0].summary).at("minibatches").at("posterior_rows"), 2000);
  const Matrix of_all = all.predict(test.inputs).classes().values, of_some = some.predict(test.inputs).classes().values;
  EXPECT_GT((of_all - of_some).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_NEAR(class_scores(some, test).log_loss, class_scores(all, test).log_loss, 0.03);
  // Held-out rows are among those of the posterior, and are left out of it.
  const double held = to_json(some.training).at("leave_one_out").at("log_loss");
  EXPECT_NEAR(held, class_scores(some, test).log_loss, 0.1);
  EXPECT_EQ(fit(recipe, schema, data, options).predict(test.inputs).classes().values, of_some);
}

TEST(Minibatches, LearnCounts) {
  Dataset data = rugged(3000, 6), test = rugged(2000, 7);
  RandomStream stream(8);
  // A sum of many small probabilities gives a Poisson number.
  for (Dataset* rows : {&data, &test})
    for (double& y : rows->target) {
      const double chance = std::exp(1 + y) / 200;
      y = 0;
      for (int trial = 0; trial < 200; ++trial) y += stream.uniform() < chance ? 1 : 0;
    }
  Recipe recipe = deep_recipe(40);
  recipe.likelihood = "poisson";
  recipe = apply_likelihood_defaults(recipe);
  const FittedModel deep = fitted(recipe, data);
  const double score = deep.predict(test.inputs).counts().log_probability(test.target).mean();
  Recipe linear = example_recipe("linear", 0);
  linear.likelihood = "poisson";
  linear = apply_likelihood_defaults(linear);
  EXPECT_GT(score, fitted(linear, data).predict(test.inputs).counts().log_probability(test.target).mean() + 0.2);
}

TEST(Minibatches, DegenerateDataTrainToSomethingFinite) {
  for (const int kind : {0, 1, 2, 3}) {
    SCOPED_TRACE(kind);
    Dataset data = rugged(kind == 0 ? 2 : 140, 8);
    if (kind == 1) data.target.setConstant(3.5);
    if (kind == 2) data.inputs.setConstant(-7);
    if (kind == 3) data.inputs.bottomRows(139) = data.inputs.topRows(1).replicate(139, 1);
    const FittedModel model = fitted(deep_recipe(5), data);
    const PredictiveDistribution prediction = model.predict(data.inputs).distribution();
    EXPECT_TRUE(prediction.mean().allFinite() && prediction.variance().allFinite());
    if (kind == 1) {
      EXPECT_LT((prediction.mean().array() - 3.5).abs().maxCoeff(), 1e-6);
    }
    EXPECT_EQ(model.members[0].recipe.network.training,
              kind == 0 ? NetworkTraining::evidence : NetworkTraining::minibatches);
  }
}

// Without overfitted features, the noise and amplitude of held-out rows are the true ones.
TEST(Minibatches, HeldOutRowsTellNoiseAndAmplitude) {
  const Index n = 6000, d = 5;
  RandomStream stream(7);
  const Matrix x = Eigen::Map<const Matrix>(Vector(stream.normals(n * d)).data(), n, d);
  const auto entry = find_feature_map("linear");
  Recipe recipe;
  recipe.model = "linear";
  const auto map = entry->make(recipe, d, RandomStreams(1), {});
  const auto prepared = map->prepare(Vector::Zero(1));
  std::vector<double> amplitudes, noises;
  for (int draw = 0; draw < 40; ++draw) {
    Matrix psi(n, d);
    prepared->forward(x, psi);
    const Vector y = psi * (2 * stream.normals(d)) + 0.5 * stream.normals(n);
    std::vector<Index> kept, held;
    for (Index i = 0; i < n; ++i) (i % 10 == 0 ? held : kept).push_back(i);
    const auto some = [&](const std::vector<Index>& rows) {
      return std::make_shared<MemoryRows>(Matrix(x(rows, Eigen::all)), Vector(y(rows)));
    };
    const HeldOutRows rows{some(kept), some(held), 0, 1};
    const HeldOutFit one = fit_held_out(*prepared, d, rows, 1);
    const HeldOutFit other = fit_held_out(*prepared, d, rows, 2);
    const HeldOutFit in_unit = fit_held_out(*prepared, d, {rows.kept, rows.held, 0, 2}, 1);
    EXPECT_NEAR(in_unit.noise_variance, one.noise_variance / 4, 1e-9);
    EXPECT_NEAR(in_unit.amplitude, one.amplitude / 2, 1e-9);
    EXPECT_NEAR(one.noise_variance, 0.25, 0.06);
    EXPECT_NEAR(one.rmse, 0.5, 0.06);
    EXPECT_NEAR(one.noise_variance, other.noise_variance, 1e-12);
    EXPECT_NEAR(one.log_density, -0.5 * (std::log(kTwoPi * one.noise_variance) + 1), 2e-3);
  }
}

TEST(Minibatches, SettingsThatDoNotFitAreNamed) {
  const auto refusal = [](const char* text) {
    try {
      const Recipe recipe = parse_registered_recipe(nlohmann::json::parse(text));
      make_prior(recipe, 2, RandomStreams(1), {});
    } catch (const ConfigError& error) {
      return error.pointer();
    }
    return std::string("none");
  };
  EXPECT_EQ(refusal(R"({"model": "deep", "terms": [{"model": "ssgpr"}]})"), "none");
  EXPECT_EQ(refusal(R"({"model": "deep", "network": {"widths": [4, 0]}, "terms": [{"model": "ssgpr"}]})"),
            "/network/widths/1");
  EXPECT_EQ(refusal(R"({"model": "deep", "network": {"widths": [2.5]}, "terms": [{"model": "ssgpr"}]})"),
            "/network/widths/0");
  EXPECT_EQ(refusal(R"({"model": "deep", "network": {"activation": "relu"}, "terms": [{"model": "ssgpr"}]})"),
            "/network/activation");
  EXPECT_EQ(refusal(R"({"model": "deep", "terms": [{"model": "ard"}]})"), "/terms/0/model");
  EXPECT_EQ(refusal(R"({"model": "deep", "terms": [{"model": "ssgpr"}, {"model": "linear"}]})"), "/terms");
  EXPECT_EQ(refusal(R"({"model": "deep", "features": {"frequencies": 3}, "terms": [{"model": "ssgpr"}]})"),
            "/features/frequencies");
  EXPECT_EQ(refusal(R"({"model": "ard", "network": {"skip": false}})"), "/network/skip");
}

}  // namespace
}  // namespace alacarte
