// Effects of training.seconds on rows and search: subsampled rows, and the noise scale of interrupted fits.
#include "train/plan/rows_in_time.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/eval/metrics.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "io/documents.hpp"
#include "support/program.hpp"
#include "support/uniform_rows.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

/// Returns rows with four inputs, and more noise than training starts with.
Dataset rows_of_four(Index rows, std::uint64_t seed) {
  return test::uniform_rows(rows, 4, seed,
                            [](const auto& x, double normal) { return std::sin(5 * x[0]) + x[1] + 0.6 * normal; });
}

Recipe timed(const std::string& model, double seconds, const Json& more = Json::object()) {
  Json json = {{"model", model}, {"training", {{"seconds", seconds}, {"starts", 1}}}};
  if (model == "auto") json["training"].erase("starts");
  if (model == "deep") json["terms"] = {{{"model", "ssgpr"}}};
  json.update(more);
  return parse_registered_recipe(json);
}

Index rows_of(const Recipe& recipe, Index rows, int threads = 1) {
  const MemoryRows all(rows_of_four(rows, 1));
  FitOptions options;
  options.threads = threads;
  return rows_in_time(recipe, all, 0, options).rows;
}

TEST(RowsInTime, FollowFromTheTimeAndTheWork) {
  const Json features = {{"features", {{"frequencies", 128}}}}, more = {{"features", {{"frequencies", 512}}}};
  EXPECT_EQ(rows_of(timed("ssgpr", 0, more), 20000), 20000);
  EXPECT_EQ(rows_of(timed("ssgpr", 100, features), 20000), 20000);
  EXPECT_EQ(rows_of(timed("auto", 0.1), 20000), 20000);
  EXPECT_EQ(rows_of(timed("ssgpr", 1e-6, more), 20000), 500);
  EXPECT_EQ(rows_of(timed("ssgpr", 1e-6, more), 400), 400);
  const Index some = rows_of(timed("ssgpr", 1, more), 20000);
  EXPECT_GT(some, 500);
  EXPECT_LT(some, 20000);
  EXPECT_GT(rows_of(timed("ssgpr", 1, more), 20000, 2), some);
  EXPECT_GT(rows_of(timed("ssgpr", 2, more), 20000), some);
  EXPECT_GT(rows_of(timed("ssgpr", 1, features), 20000), some);
  EXPECT_LT(rows_of(timed("exact-ard", 1), 20000), rows_of(timed("exact-ard", 8), 20000));
  EXPECT_LT(rows_of(timed("deep", 0.5), 20000), rows_of(timed("deep", 2), 20000));
  const Json sum = {{"terms", {{{"model", "exact-ard"}}, {{"model", "exact-rq"}}}}};
  EXPECT_LT(rows_of(timed("exact-sum", 1, sum), 20000), rows_of(timed("exact-ard", 1), 20000));
  EXPECT_LT(rows_of(timed("ssgpr", 1, {{"likelihood", "poisson"}}), 200000),
            rows_of(timed("ssgpr", 1, {{"noise", {{"prior_center", "fixed"}}}}), 200000));
  // For an exact kernel Laplace's approximation takes ten times as long as for features, and so half of the rows.
  EXPECT_LT(rows_of(timed("exact-ard", 2, {{"likelihood", "poisson"}}), 20000),
            rows_of(timed("exact-ard", 2, {{"noise", {{"prior_center", "fixed"}}}}), 20000) * 2 / 5);
  EXPECT_LT(rows_of(timed("ssgpr", 1, {{"noise", {{"varies", true}}}}), 200000), rows_of(timed("ssgpr", 1), 200000));
  // One evaluation and a posterior take less than a search.
  Recipe fixed = timed("exact-ard", 1);
  fixed.training.iterations = 0;
  EXPECT_GT(rows_of(fixed, 20000), rows_of(timed("exact-ard", 1), 20000));
  // There are more landmarks than rows that the plan's map is drawn from.
  const auto nystrom = [](Index landmarks) {
    return timed("nystrom", 60, {{"terms", {{{"model", "exact-ard"}}}}, {"features", {{"frequencies", landmarks}}}});
  };
  EXPECT_LT(rows_of(nystrom(4000), 20000), rows_of(nystrom(1000), 20000) / 2);
}

TEST(RowsInTime, OfAutoFollowFromTheLevelsThatNothingEliminates) {
  const auto rows = [](const std::vector<Index>& levels, double seconds) {
    Dataset data = rows_of_four(20000, 1);
    const Index smooth = data.inputs.cols();
    data.inputs.conservativeResize(Eigen::NoChange, smooth + static_cast<Index>(levels.size()));
    for (Index j = 0; j < static_cast<Index>(levels.size()); ++j)
      for (Index i = 0; i < data.inputs.rows(); ++i)
        data.inputs(i, smooth + j) = static_cast<double>((i * (j + 3)) % levels[static_cast<std::size_t>(j)]);
    data.level_counts = levels;
    FitOptions options;
    options.threads = 1;
    return rows_in_time(timed("auto", seconds), MemoryRows(std::move(data)), 0, options).rows;
  };
  EXPECT_EQ(rows({5000}, 10), 20000);
  EXPECT_EQ(rows({5000, 30}, 10), 20000);
  EXPECT_EQ(rows({5000, 3000}, 10), 20000);  // the second has a single level
  EXPECT_LT(rows({5000, 1900}, 2), 10000);
  EXPECT_LT(rows({5000, 1900}, 2), rows({5000, 1900}, 60));
}

TEST(RowsInTime, SubsamplesComeFirstWhereThereIsNoTimeForAllEvaluations) {
  const auto is_short = [&](const std::string& model, double seconds, Index rows = 20000) {
    return rows_in_time(timed(model, seconds), MemoryRows(rows_of_four(rows, 1)), 0, {}).is_short;
  };
  EXPECT_FALSE(is_short("ssgpr", 0));
  EXPECT_FALSE(is_short("ssgpr", 1000));
  EXPECT_TRUE(is_short("ssgpr", 1));
  EXPECT_TRUE(is_short("exact-ard", 1000));
  EXPECT_FALSE(is_short("auto", 0.1));
  EXPECT_FALSE(is_short("exact-ard", 10, 300));
  EXPECT_TRUE(is_short("exact-ard", 0.01, 300));
  Recipe few = timed("exact-ard", 0.3);
  EXPECT_FALSE(begin_on_few_rows(few, {700, true}, 1));
  Recipe fixed = timed("ssgpr", 1);
  fixed.training.iterations = 0;
  EXPECT_FALSE(begin_on_few_rows(fixed, {20000, true}, 1));
  EXPECT_EQ(fixed.training.subsample, 0);
  Recipe recipe = timed("ssgpr", 1);
  EXPECT_TRUE(begin_on_few_rows(recipe, {20000, true}, 1));
  EXPECT_EQ(recipe.training.subsample, 1000);
  EXPECT_TRUE(recipe.training.carry_curvature);
  for (const char* model : {"ssgpr", "fsgbard", "ard"}) {
    const auto drawn = [&](double seconds, Index rows, bool is_short = true, const Json& fields = Json::object()) {
      Recipe given = timed(model, seconds, fields);
      const bool begins = begin_on_few_rows(given, {rows, is_short}, seconds);
      EXPECT_EQ(begins, is_short || given.training.drawn_rows > 0);
      EXPECT_EQ(given.training.subsample > 0, is_short && given.training.drawn_rows == 0);
      return given.training.drawn_rows;
    };
    EXPECT_EQ(drawn(30, 20000), model == std::string("ard") ? 0 : 1000);
    EXPECT_EQ(drawn(30, 20000, false), model == std::string("ard") ? 0 : 1000);
    EXPECT_EQ(drawn(10, 20000, false), 0);
    EXPECT_EQ(drawn(10, 20000), 0);
    EXPECT_EQ(drawn(30, 9000), 0);
    EXPECT_EQ(drawn(30, 20000, true, {{"likelihood", "poisson"}}), 0);
  }
  Recipe own = timed("ssgpr", 1);
  own.training.subsample = 300;
  own.training.subsample_growth = 5;
  EXPECT_FALSE(begin_on_few_rows(own, {20000, true}, 1));
  EXPECT_EQ(own.training.subsample, 300);
  EXPECT_EQ(own.training.subsample_growth, 5);
  Recipe network = timed("deep", 1);
  EXPECT_FALSE(begin_on_few_rows(network, {20000, true}, 1));
  EXPECT_EQ(network.training.subsample, 0);
  Recipe mixture = parse_registered_recipe(
      {{"model", "mixture"}, {"training", {{"seconds", 1}}}, {"members", {{{"model", "ard"}}, {{"model", "gm"}}}}});
  EXPECT_TRUE(begin_on_few_rows(mixture, {20000, true}, 1));
  EXPECT_EQ(mixture.members[1].training.subsample, 1000);
}

TEST(RowsInTime, CopiesWaitUntilTwoOfEachMemberAreTrained) {
#ifdef ALACARTE_SANITIZED
  GTEST_SKIP() << "with sanitizers the time is up before two copies are trained";
#endif
  const Dataset rows = rows_of_four(3000, 2);
  const Json copies = {{"copies", 3}, {"features", {{"frequencies", 64}}}};
  const FittedModel brief = fit(timed("ssgpr", 0.3, copies), Schema::numbers(4), rows, {});
  EXPECT_EQ(brief.members.size(), 2U);
  EXPECT_EQ(to_json(brief.training)["cut_short"], true);
  FitOptions again;
  again.repeat = &brief.training;
  const FittedModel repeated = fit(timed("ssgpr", 0.3, copies), Schema::numbers(4), rows, again);
  EXPECT_EQ(repeated.members.size(), 2U);
  EXPECT_EQ(repeated.predict(rows.view()).distribution().mean(), brief.predict(rows.view()).distribution().mean());
  const FittedModel whole = fit(timed("ssgpr", 100, copies), Schema::numbers(4), rows, {});
  EXPECT_EQ(whole.members.size(), 3U);
  EXPECT_FALSE(to_json(whole.training).contains("short_of_time"));
  // In a mixture each member has two fits before any has a third.
  const Json members = {{{"model", "ssgpr"}, {"copies", 3}, {"features", {{"frequencies", 64}}}},
                        {{"model", "ard"}, {"copies", 3}, {"features", {{"frequencies", 64}}}}};
  const FittedModel mixture = fit(timed("mixture", 0.6, {{"members", members}}), Schema::numbers(4), rows, {});
  std::vector<std::string> models;
  for (const auto& member : mixture.members) models.push_back(member.recipe.model);
  EXPECT_EQ(models, (std::vector<std::string>{"ssgpr", "ssgpr", "ard", "ard"}));
}

TEST(RowsInTime, OfMapsThatAreTooLargeAreRefused) {
  const MemoryRows all(rows_of_four(20000, 1));
  FitOptions options;
  options.memory_bytes = 1e6;
  EXPECT_THROW(rows_in_time(timed("ssgpr", 1, {{"features", {{"frequencies", 100000}}}}), all, 0, options),
               ConfigError);
}

TEST(RowsInTime, AreDrawnByTheSeedNamedAndRepeated) {
  const Dataset rows = rows_of_four(6000, 2);
  const Recipe recipe = timed("exact-ard", 0.3);
  FitOptions options;
  options.seed = 4;
  std::vector<Index> named;
  Vector means;
  options.on_left_out = [&](const Prediction& prediction, const std::vector<Index>& which) {
    named = which;
    means = prediction.distribution().mean();
  };
  const FittedModel model = fit(recipe, Schema::numbers(4), rows, options);
  const Index drawn = to_json(model.training)["rows_drawn"];
  EXPECT_GE(drawn, 500);
  EXPECT_LT(drawn, 6000);
  EXPECT_EQ(to_json(model.training)["rows"], drawn);
  EXPECT_EQ(to_json(model.training)["rows_given"], 6000);
  EXPECT_EQ(to_json(model.training)["short_of_time"], true);
  EXPECT_EQ(model.recipe.training.subsample, 0);  // too few are drawn
  EXPECT_EQ(named, draw_training_rows(6000, drawn, 4));
  // The leave-one-out predictions belong to the named rows.
  const Vector target = rows.target(named), other = rows.target.head(drawn);
  EXPECT_LT((means - target).squaredNorm(), 0.9 * (means - other).squaredNorm());
  FitOptions again;
  again.seed = 4;
  again.repeat = &model.training;
  const FittedModel repeated = fit(timed("exact-ard", 50), Schema::numbers(4), rows, again);
  const Dataset at = rows_of_four(10, 3);
  EXPECT_EQ(repeated.predict(at.view()).distribution().variance(), model.predict(at.view()).distribution().variance());
}

TEST(RowsInTime, SubsamplesThatTheClockGaveAreRepeated) {
  const Dataset rows = rows_of_four(6000, 2);
  const FittedModel model = fit(timed("ssgpr", 4, {{"copies", 3}}), Schema::numbers(4), rows, {});
  ASSERT_EQ(to_json(model.training)["short_of_time"], true);
  const Json work = to_json(model.training)["work"];
  const bool has_subsample = work.dump().find("on 1000 rows") != std::string::npos;
  EXPECT_TRUE(has_subsample) << work;
  const Dataset at = rows_of_four(10, 3);
  FitOptions again;
  again.repeat = &model.training;
  for (const Recipe& recipe : {timed("ssgpr", 50, {{"copies", 3}}), model.recipe}) {
    const FittedModel repeated = fit(recipe, Schema::numbers(4), rows, again);
    EXPECT_EQ(repeated.predict(at.view()).distribution().variance(),
              model.predict(at.view()).distribution().variance());
    EXPECT_EQ(to_json(repeated.training)["short_of_time"], true);
    EXPECT_EQ(to_json(repeated.training)["work"], work);
  }
}

TEST(RowsInTime, WithoutItsWorkATimedTrainingIsNotRepeated) {
  const Dataset rows = rows_of_four(300, 2);
  const test::TemporaryFolder folder;
  FitOptions options;
  options.checkpoint_path = folder / "state";
  options.resume = true;  // there is no checkpoint yet
  const FittedModel model = fit(timed("exact-ard", 20), Schema::numbers(4), rows, options);
  ASSERT_TRUE(to_json(model.training).contains("work"));
  const FittedModel resumed = fit(timed("exact-ard", 20), Schema::numbers(4), rows, options);
  EXPECT_FALSE(to_json(resumed.training).contains("work"));
  for (const FittedModel* one : {&model, &resumed}) {
    FitOptions again;
    again.repeat = &one->training;
    if (one == &model)
      EXPECT_NO_THROW(fit(timed("exact-ard", 20), Schema::numbers(4), rows, again));
    else
      EXPECT_THROW(fit(timed("exact-ard", 20), Schema::numbers(4), rows, again), ConfigError);
  }
}

TEST(RowsInTime, AreDrawnForSeveralTargets) {
  Dataset rows = rows_of_four(6000, 2);
  rows.more_targets = rows_of_four(6000, 7).target;
  const std::vector<Schema> schemas(2, Schema::numbers(4));
  const auto models = fit_targets(timed("exact-ard", 0.5), schemas, std::make_shared<MemoryRows>(rows), {});
  ASSERT_EQ(models.size(), 2U);
  const Index drawn = to_json(models[0].training)["rows_drawn"];
  EXPECT_LT(drawn, rows_of(timed("exact-ard", 0.5), 6000));
  const std::vector<Index> which = draw_training_rows(6000, drawn, 0);
  for (std::size_t t = 0; t < 2; ++t) {
    EXPECT_EQ(to_json(models[t].training)["rows"], drawn);
    EXPECT_EQ(to_json(models[t].training)["rows_given"], 6000);
    const Vector target = t == 0 ? rows.target : Vector(rows.more_targets.col(0));
    EXPECT_NEAR(models[t].standardizer.target_shift(), target(which).mean(), 1e-9);
  }
}

TEST(SecondsBefore, AreTakenOffOnceBeforeTheRestIsShared) {
  EXPECT_EQ(seconds_of_each(10, 4, 3), 2);
  EXPECT_EQ(seconds_of_each(1, 5, 3), 1e-3);
  EXPECT_EQ(seconds_of_each(0, 5, 3), 0);
}

/// Reading took a part of the time, which is deducted only once.
TEST(SecondsBefore, LeaveEachStageItsShareOfTheRest) {
  const Dataset rows = rows_of_four(250, 2);
  const Json features = {{"features", {{"frequencies", 32}}}};
  FitOptions late;
  late.seconds_before = 50;
  const auto center = [&](const FitOptions& options) {
    const FittedModel model = fit(timed("ssgpr", 100, features), Schema::numbers(4), rows, options);
    return to_json(model.members[0].summary).at("noise_prior").at("center").get<double>();
  };
  EXPECT_EQ(center(late), center({}));
  const Json varies = {{"noise", {{"varies", true}}}};
  const FittedModel model = fit(timed("exact-ard", 100, varies), Schema::numbers(4), rows, late);
  EXPECT_EQ(to_json(model.training)["cut_short"], false);
  EXPECT_EQ(model.recipe.training.seconds, 100);
}

/// Stops a training after some evaluations.
class StopsLater : public TrainingObserver {
 public:
  std::atomic<bool> flag = false;
  void on_progress(const Progress& progress) override {
    if (progress.evaluation > 3) flag = true;
  }
};

TEST(RowsInTime, AreTheSameWhenATrainingGoesOn) {
  const Dataset rows = rows_of_four(6000, 2);
  const test::TemporaryFolder folder;
  StopsLater observer;
  FitOptions options;
  options.observer = &observer;
  options.interrupt = &observer.flag;
  options.checkpoint_path = folder / "state";
  const FittedModel cut = fit(timed("exact-ard", 0.3), Schema::numbers(4), rows, options);
  ASSERT_TRUE(to_json(cut.training)["cut_short"].get<bool>());
  ASSERT_TRUE(std::filesystem::exists(options.checkpoint_path));
  FitOptions again;
  again.checkpoint_path = options.checkpoint_path;
  again.resume = true;
  again.seconds_before = 0.2;  // reading took longer this time
  const FittedModel model = fit(timed("exact-ard", 0.3), Schema::numbers(4), rows, again);
  EXPECT_LT(to_json(model.training)["rows_drawn"], 6000);
  EXPECT_EQ(to_json(model.training)["rows_drawn"], to_json(cut.training)["rows_drawn"]);
  EXPECT_GE(to_json(model.training)["evaluations"], to_json(cut.training)["evaluations"]);
}

TEST(RowsInTime, AClassMayBeMissingAmongThem) {
  Dataset rows = rows_of_four(20000, 3);
  for (Index i = 0; i < rows.rows(); ++i) rows.target[i] = rows.inputs(i, 0) > 0.5 ? 1 : 0;
  rows.target[7] = 2;
  const Recipe recipe = timed("ssgpr", 0.05, {{"likelihood", "softmax"}});
  const FittedModel model = fit(recipe, Schema::numbers(4, {"a", "b", "rare"}), rows, {});
  ASSERT_LT(to_json(model.training)["rows_drawn"], 1000);
  const std::vector<Index> drawn = draw_training_rows(20000, to_json(model.training)["rows_drawn"], 0);
  ASSERT_FALSE(std::binary_search(drawn.begin(), drawn.end(), 7));
  const Dataset test = rows_of_four(500, 4);
  const Matrix p = model.predict(test.view()).classes().values;
  ASSERT_EQ(p.cols(), 3);
  EXPECT_NEAR((p.rowwise().sum().array() - 1).abs().maxCoeff(), 0, 1e-9);
  EXPECT_LT(p.col(2).maxCoeff(), 0.1);
}

/// Stops a training at its first evaluation.
class StopsAtOnce : public TrainingObserver {
 public:
  std::atomic<bool> flag = false;
  std::string messages;
  void on_progress(const Progress&) override { flag = true; }
  void on_message(const std::string& text) override { messages += text + '\n'; }
};

TEST(CutShort, IntervalsHoldAndTheMeanStays) {
  const Dataset rows = rows_of_four(800, 5), test = rows_of_four(2000, 6);
  for (const std::string model : {"exact-ard", "ssgpr"}) {
    SCOPED_TRACE(model);
    StopsAtOnce observer;
    FitOptions options;
    options.observer = &observer;
    options.interrupt = &observer.flag;
    Json more = {{"noise", {{"start", 0.05}, {"prior_center", "fixed"}}}};
    if (model == "ssgpr") more["features"] = {{"frequencies", 30}};
    const FittedModel cut = fit(timed(model, 0, more), Schema::numbers(4), rows, options);
    ASSERT_TRUE(to_json(cut.training)["cut_short"].get<bool>());
    EXPECT_NE(observer.messages.find("scale is taken from its leave-one-out errors"), std::string::npos)
        << observer.messages;
    const Metrics scores = score(cut.predict(test.view()).distribution(), test.target);
    EXPECT_NEAR(scores.coverage95, 0.95, 0.03);
    EXPECT_NEAR(to_json(cut.training)["leave_one_out"]["coverage"]["95"].get<double>(), 0.95, 0.03);
    FitOptions again;
    again.repeat = &cut.training;
    const FittedModel repeated = fit(timed(model, 0, more), Schema::numbers(4), rows, again);
    EXPECT_EQ(repeated.predict(test.view()).distribution().variance(),
              cut.predict(test.view()).distribution().variance());
    // The evidence of the start has the same mean.
    Json start = more;
    start["training"] = {{"starts", 1}, {"iterations", 0}};
    const FittedModel begun = fit(parse_registered_recipe([&] {
                                    start["model"] = model;
                                    return start;
                                  }()),
                                  Schema::numbers(4), rows, {});
    const Vector mean = begun.predict(test.view()).distribution().mean();
    EXPECT_LT((cut.predict(test.view()).distribution().mean() - mean).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_LT(score(begun.predict(test.view()).distribution(), test.target).coverage95, 0.6);
  }
}

}  // namespace
}  // namespace alacarte
