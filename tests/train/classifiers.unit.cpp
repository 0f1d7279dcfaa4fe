// Learners svm and logistic through fit(), the model file and predict().
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "alacarte/core/error.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/registered.hpp"
#include "alacarte/train/fit.hpp"
#include "io/documents.hpp"

namespace alacarte {
namespace {

struct LabelledProblem {
  Schema schema;
  Dataset rows;
};

/// Returns rings about the origin, the outer ones rarer, which no line separates. `more`: further lines of the table.
LabelledProblem rings(Index rows, Index classes, const std::string& more = "") {
  RandomStream stream(5);
  std::string text = "a,b,kind\n";
  const char* const names[] = {"inner", "middle", "outer"};
  for (Index i = 0; i < rows; ++i) {
    const Index label = classes == 2 ? (i % 8 == 0 ? 1 : 0) : i % 3;
    const double radius = 1 + 2.0 * static_cast<double>(label) + 0.3 * stream.normal(),
                 turn = 6.2831853 * stream.uniform();
    text += std::to_string(radius * std::cos(turn)) + "," + std::to_string(10 * radius * std::sin(turn)) + "," +
            names[label] + "\n";
  }
  text += more;
  DataConfig config;
  config.labels = true;
  const auto reader = open_table_from_memory("rings.csv", text, config);
  Schema::prepare(*reader, config);
  const TableChunk table = read_all(*reader);
  LabelledProblem problem;
  problem.schema = Schema::learn(*reader, table, config, {});
  problem.rows = problem.schema.encode(*reader, table, true);
  return problem;
}

Recipe recipe_of(const std::string& model, const std::string& kind, const std::string& learner = "") {
  const std::string features = model.rfind("exact-", 0) == 0 ? "" : R"(, "features": {"frequencies": 64})";
  return parse_registered_recipe(nlohmann::json::parse(R"({"model": ")" + model + R"(", "learner": {"kind": ")" + kind +
                                                       "\"" + learner + "}" + features + "}"));
}

double accuracy(const FittedModel& model, const LabelledProblem& problem) {
  const auto labels = model.predict(problem.rows.inputs).classes().labels();
  Index right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i)
    right += static_cast<double>(labels[i]) == problem.rows.target[static_cast<Index>(i)];
  return static_cast<double>(right) / static_cast<double>(labels.size());
}

struct Case {
  std::string model, kind;
  Index classes;
};

class Classifiers : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, Classifiers,
                         testing::Values(Case{"rbf", "svm", 2}, Case{"rbf", "svm", 3}, Case{"rbf", "logistic", 2},
                                         Case{"rbf", "logistic", 3}, Case{"exact-rbf", "svm", 2},
                                         Case{"exact-rbf", "svm", 3}));

TEST_P(Classifiers, LearnsRingsAndKeepsEveryBitInItsFile) {
  const auto& [name, kind, classes] = GetParam();
  const LabelledProblem problem = rings(240, classes);
  FitOptions options;
  options.threads = 2;
  const Recipe recipe = recipe_of(name, kind, R"(, "costs": [0.1, 10], "scales": [0.3, 1], "folds": 3)");
  const FittedModel model = fit(recipe, problem.schema, problem.rows, options);
  EXPECT_GT(accuracy(model, problem), 0.95);

  const ClassPrediction prediction = model.predict(problem.rows.inputs).classes();
  ASSERT_EQ(prediction.values.cols(), classes);
  EXPECT_EQ(prediction.probabilities, kind == "logistic");
  if (prediction.probabilities) {
    EXPECT_LT((prediction.values.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
    EXPECT_GE(prediction.values.minCoeff(), 0);
  }
  const FittedModel loaded = FittedModel::load(model.save());
  EXPECT_EQ(loaded.predict(problem.rows.inputs).classes().values, prediction.values);
  options.threads = 1;
  EXPECT_EQ(fit(recipe, problem.schema, problem.rows, options).predict(problem.rows.inputs).classes().values,
            prediction.values);
  EXPECT_FALSE(model.has_variance());
  OneRowWorkspace workspace = model.one_row_workspace();
  for (const Index i : {0, 17, 239}) {
    const Vector one = model.predict_one(problem.rows.inputs.row(i).transpose(), workspace).class_values;
    EXPECT_LT((one.transpose() - prediction.values.row(i)).norm(), 1e-9 * (1 + one.norm()));
  }
}

TEST_P(Classifiers, TheSummaryHoldsTheTableTheChoiceWasMadeFrom) {
  const auto& [name, kind, classes] = GetParam();
  const LabelledProblem problem = rings(120, classes);
  const Recipe recipe = recipe_of(name, kind, R"(, "costs": [1, 0.01], "scales": [1, 0.2, 5], "folds": 3)");
  const FittedModel model = fit(recipe, problem.schema, problem.rows, {});
  const nlohmann::json summary = to_json(model.members.front().summary);
  ASSERT_EQ(summary.at("cross_validation").size(), 6U);
  double minimum = 1;
  for (const auto& one : summary.at("cross_validation")) minimum = std::min(minimum, one.at("error").get<double>());
  EXPECT_EQ(summary.at("cross_validation_error"), minimum);
  bool found = false;
  for (const auto& one : summary.at("cross_validation"))
    found = found || (one.at("cost") == summary.at("cost") && one.at("scale") == summary.at("scale") &&
                      one.at("error") == minimum);
  EXPECT_TRUE(found);
  // Three of the four scale and cost pairs that are far off are worse than the best.
  EXPECT_GT(summary.at("cross_validation").back().at("error"), minimum);
  EXPECT_NEAR(summary.at("training_error").get<double>(), 1 - accuracy(model, problem), 1e-12);
}

TEST_P(Classifiers, BalancedWeightsHelpTheRareClass) {
  const auto& [name, kind, classes] = GetParam();
  if (classes != 2) return;
  const LabelledProblem problem = rings(240, 2);
  const auto rare = [&, &name = name, &kind = kind](const std::string& weights) {
    const Recipe recipe =
        recipe_of(name, kind, R"(, "costs": [0.05], "scales": [3], "class_weights": ")" + weights + "\"");
    const auto labels = fit(recipe, problem.schema, problem.rows, {}).predict(problem.rows.inputs).classes().labels();
    return std::count(labels.begin(), labels.end(), Index{1});
  };
  EXPECT_GT(rare("balanced"), rare("none"));
}

TEST(ClassifierOptions, LengthScalesAreMultiplesOfTheMedianDistance) {
  const LabelledProblem problem = rings(100, 2);
  const auto lengthscale = [&](const std::string& scale) {
    const Recipe recipe = recipe_of("exact-rbf", "svm", R"(, "costs": [1], "scales": [)" + scale + "]");
    const FittedModel model = fit(recipe, problem.schema, problem.rows, {});
    return model.members.front().theta[model.members.front().prior.parameters().find("rbf.log_lengthscale").offset];
  };
  EXPECT_NEAR(lengthscale("2") - lengthscale("0.5"), std::log(4), 1e-12);
  // About 2000 of 4950 pairs of scaled rows are drawn, so the median is known to a few percent.
  const Matrix x = Standardizer::learn(problem.rows.inputs, problem.rows.target, Scaling::zscore, TargetScaling::none)
                       .inputs(problem.rows.inputs);
  std::vector<double> distances;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < i; ++j) distances.push_back((x.row(i) - x.row(j)).norm());
  std::nth_element(distances.begin(), distances.begin() + 2475, distances.end());
  EXPECT_NEAR(lengthscale("1"), std::log(distances[2475]), 0.06);
}

template <class E>
std::string message(const std::function<void()>& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(ClassifierOptions, WhatMeansNothingIsRefused) {
  const LabelledProblem problem = rings(60, 2);
  const auto refusal = [&](const Recipe& recipe, const FitOptions& options = {}) {
    return message<ConfigError>([&] { fit(recipe, problem.schema, problem.rows, options); });
  };
  EXPECT_EQ(refusal(recipe_of("exact-rbf", "logistic")),
            "/learner/kind: logistic regression needs features; 'exact-rbf' is an exact kernel (svm takes those)");
  EXPECT_EQ(refusal(parse_registered_recipe(
                nlohmann::json::parse(R"({"model": "linear", "learner": {"kind": "svm", "scales": [2]}})"))),
            "/learner/scales: model 'linear' has no length-scale");
  FitOptions options;
  options.checkpoint_path = "c";
  EXPECT_EQ(refusal(recipe_of("rbf", "svm"), options), "--checkpoint: learner 'svm' keeps no state to go on from");
  const auto parsed = [](const std::string& text) {
    return message<ConfigError>([&] { parse_registered_recipe(nlohmann::json::parse(text)); });
  };
  EXPECT_EQ(parsed(R"({"model": "rbf", "learner": {"scales": [2]}})"),
            "/learner/scales: means nothing for learner 'gp'");
  EXPECT_EQ(parsed(R"({"model": "rbf", "learner": {"search": "subsample"}})"),
            "/learner/search: means nothing for learner 'gp'");
  EXPECT_EQ(parsed(R"({"model": "rbf", "learner": {"kind": "svm", "search": "coarse"}})").rfind("/learner/search", 0),
            0);
  EXPECT_EQ(
      parsed(R"({"model": "rbf", "learner": {"kind": "svm", "search_rows": 2}})").rfind("/learner/search_rows", 0), 0);
  EXPECT_EQ(parsed(R"({"model": "rbf", "learner": {"kind": "svm"}, "training": {"starts": 2}})"),
            "/training: means nothing for learner 'svm'");
}

constexpr const char* kSubsample =
    R"(, "costs": [0.01, 0.1, 1, 10, 100], "scales": [0.3, 1, 20], "folds": 3, "search": "subsample", "search_rows": 90)";

TEST_P(Classifiers, ASubsampleChoosesTheScaleAndTheCostsThatAllRowsTry) {
  const auto& [name, kind, classes] = GetParam();
  const LabelledProblem problem = rings(400, classes);
  const Recipe recipe = recipe_of(name, kind, kSubsample);
  FitOptions options;
  options.threads = 2;
  const FittedModel model = fit(recipe, problem.schema, problem.rows, options);
  EXPECT_GT(accuracy(model, problem), 0.95);
  const nlohmann::json summary = to_json(model.members.front().summary);
  EXPECT_EQ(summary.at("search").size(), 15U);
  EXPECT_NEAR(summary.at("search_rows").get<double>(), 90, 2);
  ASSERT_GE(summary.at("cross_validation").size(), 2U);
  ASSERT_LE(summary.at("cross_validation").size(), 3U);
  for (const auto& one : summary.at("cross_validation")) EXPECT_EQ(one.at("scale"), summary.at("scale"));
  EXPECT_LT(summary.at("scale"), 20);
  for (const int threads : {1, 3}) {
    options.threads = threads;
    EXPECT_EQ(fit(recipe, problem.schema, problem.rows, options).predict(problem.rows.inputs).classes().values,
              model.predict(problem.rows.inputs).classes().values);
  }
}

TEST_P(Classifiers, ASubsampleOfAllRowsIsTheGrid) {
  const auto& [name, kind, classes] = GetParam();
  const LabelledProblem problem = rings(90, classes);
  Recipe recipe = recipe_of(name, kind, kSubsample);
  const nlohmann::json search = to_json(fit(recipe, problem.schema, problem.rows, {}).members.front().summary);
  recipe.learner.search = CostSearch::grid;
  const nlohmann::json grid = to_json(fit(recipe, problem.schema, problem.rows, {}).members.front().summary);
  EXPECT_EQ(search.at("cross_validation"), grid.at("cross_validation"));
  EXPECT_FALSE(search.contains("search"));
}

TEST_P(Classifiers, AnInterruptOfTheSubsampleFitsTheBestOfIt) {
  struct Stopper : TrainingObserver {
    std::atomic<bool> stop = false;
    int reports = 0;
    void on_progress(const Progress&) override { stop = ++reports >= 3; }  // the folds of the first scale
  } stopper;
  const auto& [name, kind, classes] = GetParam();
  const LabelledProblem problem = rings(400, classes);
  FitOptions options;
  options.observer = &stopper;
  options.interrupt = &stopper.stop;
  const FittedModel model = fit(recipe_of(name, kind, kSubsample), problem.schema, problem.rows, options);
  const nlohmann::json summary = to_json(model.members.front().summary);
  EXPECT_EQ(summary.at("search").size(), 5U);
  EXPECT_FALSE(summary.contains("cross_validation"));
  EXPECT_EQ(summary.at("stop"), "interrupted");
  EXPECT_GT(accuracy(model, problem), 0.9);
}

TEST(ClassifierOptions, TheSmallestMemoryThatWorksWorks) {
  const LabelledProblem problem = rings(3000, 3);
  const Recipe recipe = recipe_of("rbf", "svm", R"(, "costs": [1])");
  FitOptions options;
  options.memory_bytes = 1e6;
  const std::string text = message<MemoryLimitError>([&] { fit(recipe, problem.schema, problem.rows, options); });
  const auto at = text.find("works is ");
  ASSERT_NE(at, std::string::npos) << text;
  options.memory_bytes = 1e6 * std::stod(text.substr(at + 9));
  const TrainingPlan plan = plan_training(recipe, problem.rows, options);
  EXPECT_LE(plan.memory_bytes, options.memory_bytes);
  // The features take 16 bytes each, and two nodes per row.
  EXPECT_GT(plan.memory_bytes, 16.0 * 3000 * (128 + 2));
  EXPECT_GT(accuracy(fit(recipe, problem.schema, problem.rows, options), problem), 0.9);
}

TEST(ClassifierOptions, APlanLooksAtRowsFromAllOverTheFile) {
  LabelledProblem problem = rings(1000, 2);
  problem.rows.inputs.conservativeResizeLike(Matrix::Ones(1000, 200));
  problem.rows.inputs.topRows(100).setZero();
  const Recipe recipe = parse_registered_recipe(nlohmann::json::parse(
      R"({"model": "linear", "scale": {"inputs": "none"}, "learner": {"kind": "svm", "costs": [1]}})"));
  FitOptions options;
  options.threads = 1;
  const double bytes = plan_training(recipe, problem.rows, options).fits.front().evaluation.memory_bytes;
  EXPECT_GT(bytes, 16.0 * 850 * 200);
}

TEST(ClassifierOptions, AnEarlyInterruptIsAnError) {
  const LabelledProblem problem = rings(60, 2);
  const std::atomic<bool> interrupt = true;
  FitOptions options;
  options.interrupt = &interrupt;
  EXPECT_EQ(message<NumericalError>([&] { fit(recipe_of("rbf", "svm"), problem.schema, problem.rows, options); }),
            "training of 'rbf': interrupted before anything was fitted");
}

TEST(ClassifierOptions, TheClockEndsTheSearchAndTheChoiceIsFittedToAllRows) {
  const LabelledProblem problem = rings(600, 3);
  for (const std::string model : {"rbf", "exact-rbf"}) {
    SCOPED_TRACE(model);
    Recipe recipe = recipe_of(model, "svm", R"(, "search": "grid", "costs": [0.1, 10, 1000], "scales": [0.5, 1, 2])");
    const FittedModel whole = fit(recipe, problem.schema, problem.rows, {});
    EXPECT_EQ(to_json(whole.members[0].summary).at("stop"), "converged");
    recipe.training.seconds = 1e-6;
    const FittedModel cut = fit(recipe, problem.schema, problem.rows, {});
    const nlohmann::json summary = to_json(cut.members[0].summary);
    EXPECT_EQ(summary.at("stop"), "seconds");
    EXPECT_EQ(summary.at("cost"), 10);
    EXPECT_EQ(summary.at("scale"), 1);
    EXPECT_FALSE(summary.contains("cross_validation"));
    EXPECT_EQ(to_json(cut.training).at("cut_short"), true);
    EXPECT_GT(accuracy(cut, problem), 0.9);
    recipe.training.seconds = 1000;
    EXPECT_EQ(to_json(fit(recipe, problem.schema, problem.rows, {}).members[0].summary).at("cross_validation"),
              to_json(whole.members[0].summary).at("cross_validation"));
  }
}

TEST(ClassifierOptions, AnInterruptKeepsTheFitsThatAreDone) {
  struct Stopper : TrainingObserver {
    std::atomic<bool> stop = false;
    void on_progress(const Progress& progress) override { stop = stop || progress.fit == "rbf 2/2"; }
  } stopper;
  const LabelledProblem problem = rings(120, 3);
  Recipe recipe = recipe_of("rbf", "svm", R"(, "costs": [0.1, 1])");
  recipe.copies = 2;
  FitOptions options;
  options.observer = &stopper;
  options.interrupt = &stopper.stop;
  const FittedModel model = fit(recipe, problem.schema, problem.rows, options);
  EXPECT_TRUE(stopper.stop);
  EXPECT_EQ(model.members.size(), 1U);
  EXPECT_EQ(to_json(model.training).at("cut_short"), true);
  EXPECT_GT(accuracy(model, problem), 0.9);
}

// A class of one row trains in every fold.
TEST_P(Classifiers, AClassOfOneRowIsNoneOfAFold) {
  const auto& [name, kind, classes] = GetParam();
  if (classes != 3) return;
  const LabelledProblem problem = rings(61, 2, "9,90,at the edge\n-9,-90,zenith\n");
  const Recipe recipe = recipe_of(name, kind, R"(, "costs": [1, 10], "folds": 4, "class_weights": "balanced")");
  const FittedModel model = fit(recipe, problem.schema, problem.rows, {});
  EXPECT_LT(to_json(model.members.front().summary).at("cross_validation_error"), 0.3);
  EXPECT_GE(to_json(model.members.front().summary).at("cross_validation_error"),
            2.0 / 63);  // no fold gets those two right
  EXPECT_EQ(model.predict(problem.rows.inputs).classes().values.cols(), 4);
  EXPECT_EQ(FittedModel::load(model.save()).predict(problem.rows.inputs).classes().values,
            model.predict(problem.rows.inputs).classes().values);
}

// The schema's classes were learned from more rows.
TEST_P(Classifiers, AClassWithoutAnyRowNeverWins) {
  const auto& [name, kind, classes] = GetParam();
  if (classes != 2) return;
  LabelledProblem problem = rings(80, 2, "0,0,never\n");
  std::vector<Index> others(80);
  std::iota(others.begin(), others.end(), Index{0});
  problem.rows = problem.rows.select_rows(others);
  const FittedModel model = fit(recipe_of(name, kind, R"(, "costs": [1])"), problem.schema, problem.rows, {});
  const FittedModel loaded = FittedModel::load(model.save());
  for (const Index label : loaded.predict(problem.rows.inputs).classes().labels()) EXPECT_NE(label, 2);
  EXPECT_GT(accuracy(loaded, problem), 0.8);
}

TEST(ClassifierOptions, APlanCountsTheCacheOfSupportVectors) {
  const LabelledProblem problem = rings(600, 2);
  const TrainingPlan plan = plan_training(recipe_of("exact-rbf", "svm", R"(, "costs": [1])"), problem.rows, {});
  const TrainingPlan fewer = plan_training(recipe_of("exact-rbf", "svm", R"(, "costs": [1])"), rings(300, 2).rows, {});
  // The matrix and the cache of its columns take 16 and 4 bytes per number.
  EXPECT_GT(plan.memory_bytes - fewer.memory_bytes, 20.0 * (600 * 600 - 300 * 300));
}

/// Holds 120 rows of 40 inputs, mostly zeros, as both kinds of rows.
struct WideProblem {
  Schema schema;
  Dataset sparse, dense;

  WideProblem() {
    DataConfig config;
    config.labels = true;
    schema = Schema::sparse(40, config, {"a", "b", "c"});
    RandomStream stream(3);
    Matrix x = Matrix::Zero(120, 40);
    sparse.target.resize(120);
    for (Index i = 0; i < 120; ++i) {
      sparse.target[i] = static_cast<double>(i % 3);
      for (int k = 0; k < 6; ++k) x(i, stream.below(40)) = 1 + stream.normal();
      x(i, i % 3) += 2;
    }
    dense.inputs = x;
    dense.target = sparse.target;
    sparse.sparse = to_sparse(x);
  }
};

class SparseClassifiers : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(
    Maps, SparseClassifiers,
    testing::Values(
        R"("model": "linear")", R"("model": "gcws", "features": {"samples": 32, "bits": 4})",
        R"("model": "tensor-sketch", "features": {"sketch": 64, "learn_lengthscale": false})",
        R"("model": "sum", "terms": [{"model": "linear"}, {"model": "gcws", "features": {"samples": 16}}])"));

TEST_P(SparseClassifiers, PredictTheSameFromEitherKindOfRows) {
  const WideProblem problem;
  const Recipe recipe = parse_registered_recipe(nlohmann::json::parse(
      "{" + GetParam() +
      R"(, "scale": {"inputs": "none"}, "learner": {"kind": "svm", "costs": [0.1, 1], "folds": 3}})"));
  ASSERT_TRUE(takes_sparse_rows(recipe));
  const FittedModel model = fit(recipe, problem.schema, problem.sparse, {});
  const Matrix values = model.predict(problem.sparse.view()).classes().values;
  EXPECT_LT((model.predict(problem.dense.view()).classes().values - values).cwiseAbs().maxCoeff(),
            1e-9 * (1 + values.cwiseAbs().maxCoeff()));
  EXPECT_EQ(FittedModel::load(model.save()).predict(problem.sparse.view()).classes().values, values);
  EXPECT_LT(to_json(model.members.front().summary).at("cross_validation_error"), 0.5);
}

TEST(SparseAndDense, LearnTheSame) {
  const WideProblem problem;
  const Dataset &sparse = problem.sparse, &dense = problem.dense;
  const Schema& schema = problem.schema;
  Recipe recipe = parse_registered_recipe(nlohmann::json::parse(
      R"({"model": "linear", "scale": {"inputs": "none", "unit_rows": true}, "learner": {"kind": "logistic", "costs": [10]}})"));
  ASSERT_TRUE(takes_sparse_rows(recipe));
  const FittedModel from_sparse = fit(recipe, schema, sparse, {});
  const FittedModel from_dense = fit(recipe, schema, dense, {});
  PredictOptions two;
  two.threads = 2;
  const Matrix values = from_sparse.predict(sparse.view(), two).classes().values;
  EXPECT_LT((from_dense.predict(dense.view()).classes().values - values).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((from_sparse.predict(dense.view()).classes().values - values).cwiseAbs().maxCoeff(), 1e-12);
  const FittedModel loaded = FittedModel::load(from_sparse.save());
  EXPECT_EQ(loaded.predict(sparse.view(), two).classes().values, values);
  EXPECT_THROW(from_dense.predict(sparse.view()).classes(), std::invalid_argument);

  recipe.scale_inputs = Scaling::zscore;
  EXPECT_FALSE(takes_sparse_rows(recipe));
  EXPECT_EQ(message<ConfigError>([&] { fit(recipe, schema, sparse, {}); }),
            "/model: 'linear' with these settings takes no sparse rows");
  EXPECT_FALSE(takes_sparse_rows(recipe_of("rbf", "svm")));
}

TEST(SparseAndDense, ATargetThatIsNoClassIsRefused) {
  const Recipe recipe = parse_registered_recipe(
      nlohmann::json::parse(R"({"model": "linear", "scale": {"inputs": "none"}, "learner": {"kind": "svm"}})"));
  for (const double target : {-1.0, 3.0, 0.5}) {
    WideProblem problem;
    problem.sparse.target[5] = target;
    EXPECT_THROW(fit(recipe, problem.schema, problem.sparse, {}), DataError) << target;
  }
  WideProblem gap, wild;
  gap.sparse.target[5] = std::nan("");
  EXPECT_THROW(fit(recipe, gap.schema, gap.sparse, {}), DataError);
  wild.sparse.sparse.values[7] = std::nan("");
  EXPECT_THROW(fit(recipe, wild.schema, wild.sparse, {}), DataError);
}

TEST(ClassifierOptions, CopiesVote) {
  const LabelledProblem problem = rings(150, 3);
  Recipe recipe = recipe_of("rbf", "logistic", R"(, "costs": [1])");
  recipe.copies = 2;
  const FittedModel model = fit(recipe, problem.schema, problem.rows, {});
  ASSERT_EQ(model.members.size(), 2U);
  const Matrix values = model.predict(problem.rows.inputs).classes().values;
  EXPECT_LT((values.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
  EXPECT_EQ(FittedModel::load(model.save()).predict(problem.rows.inputs).classes().values, values);
  FitOptions options;
  options.threads = 2;  // the copies run side by side
  EXPECT_EQ(plan_training(recipe, problem.rows, options).concurrent_fits, 2);
  EXPECT_EQ(fit(recipe, problem.schema, problem.rows, options).predict(problem.rows.inputs).classes().values, values);
}

}  // namespace
}  // namespace alacarte
