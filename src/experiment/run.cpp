#include "runner.hpp"

#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>

#include "alacarte/app/evaluate_file.hpp"
#include "alacarte/app/train_file.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/core/random.hpp"
#include "alacarte/core/version.hpp"
#include "alacarte/eval/metrics.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "alacarte/model/likelihood.hpp"
#include "alacarte/train/fit.hpp"
#include "baselines.hpp"
#include "data/column_splits.hpp"
#include "data/fingerprint.hpp"
#include "data/splits.hpp"
#include "experiment/run_process.hpp"
#include "fold_predictions.hpp"
#include "io/documents.hpp"
#include "model/fit_inputs.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr Index kMaxUnitPredictions = 2000;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Training and test rows of a fold, in raw units.
struct Sides {
  Schema schema;
  Dataset train, test;
  SplitColumns columns = {};  // of train
  Index rows = 0;
};

Dataset rows_of(const Dataset& data, const std::vector<bool>& wanted) {
  std::vector<Index> kept;
  for (Index i = 0; i < data.rows(); ++i)
    if (wanted[static_cast<std::size_t>(data.source_rows[static_cast<std::size_t>(i)])]) kept.push_back(i);
  return data.select_rows(kept);
}

/// Returns the rows that are not left out, or as many of them as the run may train on.
std::vector<bool> training_rows(const std::vector<bool>& left_out, const Run& run) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < left_out.size(); ++i)
    if (!left_out[i]) rows.push_back(i);
  const auto all = static_cast<Index>(rows.size());
  RandomStream stream = RandomStreams(run.seed).stream("experiment.train_rows");
  std::vector<bool> chosen(left_out.size(), false);
  for (const Index k : draw_rows(stream, all, run.train_rows > 0 ? run.train_rows : all))
    chosen[rows[static_cast<std::size_t>(k)]] = true;
  return chosen;
}

Sides read_sides(const Run& run, const DataConfig& config) {
  const SplitColumns columns = read_split_columns(run.data, config);
  const auto reader = open_table(run.data, config);
  Schema::prepare(*reader, config);
  const TableChunk table = read_all(*reader);
  const Split split{run.folds == 0 ? run.mask : "", run.fold, run.folds, 0, run.seed};
  const auto classes = [&] { return classes_of(*reader, table, config); };
  const std::function<std::vector<Index>()> of_labels = config.labels ? classes : decltype(of_labels)();
  std::vector<bool> is_test = held_out_rows(split, table.rows(), of_labels, columns);
  std::vector<bool> left_out = left_out_rows(split, table.rows(), of_labels, columns);
  is_test.resize(static_cast<std::size_t>(table.rows()));
  left_out.resize(static_cast<std::size_t>(table.rows()));
  const std::vector<bool> is_training = training_rows(left_out, run);
  Sides sides;
  sides.rows = table.rows();
  sides.schema = Schema::learn(*reader, table, config, is_training);
  const Dataset data = sides.schema.encode(*reader, table, true);
  sides.train = rows_of(data, is_training);
  sides.test = rows_of(data, is_test);
  sides.columns = columns.of_rows(sides.train.source_rows);
  if (sides.test.rows() == 0) throw DataError(run.data, "the fold has no test row");
  return sides;
}

Json vector_json(ConstVec values) { return std::vector<double>(values.data(), values.data() + values.size()); }

Json first_predictions(const PredictiveDistribution& p, ConstVec target) {
  const Index rows = std::min(kMaxUnitPredictions, p.rows());
  const Vector sd = p.variance().head(rows).array().sqrt();
  Json first = {
      {"target", vector_json(target.head(rows))}, {"mean", vector_json(p.mean().head(rows))}, {"sd", vector_json(sd)}};
  if (!p.transform().is_identity()) {
    constexpr double kTail = 0.025;
    first["lower"] = vector_json(p.quantile(kTail).head(rows));
    first["upper"] = vector_json(p.quantile(1 - kTail).head(rows));
  }
  return first;
}

Json object_or_empty(Json json) { return json.is_object() ? std::move(json) : Json::object(); }

Json describe_fit(const FittedModel& model, const Member& member) {
  const Json summary = object_or_empty(to_json(member.summary));
  Json fit = {{"name", summary.value("name", member.recipe.model)},
              {"log_evidence", summary.value("log_evidence", Json())},
              {"iterations", summary.value("iterations", Json())},
              {"evaluations", summary.value("evaluations", Json())},
              {"stop", summary.value("stop", Json())},
              {"jitter", summary.value("jitter", Json())},
              {"restarts", summary.value("restarts", Json())},
              {"trace", summary.value("trace", Json::array())},
              {"noise_sd", std::sqrt(member.posterior->noise_variance()) * model.standardizer.target_scale()},
              {"parameters", Json::object()}};
  for (const ParameterSlot& slot : member.prior.parameters().slots())
    // Thousands of drawn frequencies are of no use to a reader; named scales are.
    // Those of columns of boosted trees are none of the inputs.
    if (slot.size <= 256 && view_of(member.recipe).trees == TreeInputs::none)
      fit["parameters"][slot.name] = vector_json(member.theta.segment(slot.offset, slot.size));
  const Json about = to_json(describe(model, member));
  if (about.contains("relevance")) fit["relevance"] = about["relevance"];
  return fit;
}

Json describe_training(const FittedModel& model) {
  const Json record = object_or_empty(to_json(model.training));
  Json training = {{"evaluations", record.value("evaluations", 0)},
                   {"cut_short", record.value("cut_short", false)},
                   {"leave_one_out", record.value("leave_one_out", Json())},
                   {"fits", Json::array()}};
  double evidence = 0, fits = 0;
  Index iterations = 0;
  for (const Member& member : model.members) {
    if (is_further_sample(member)) continue;
    training["fits"].push_back(describe_fit(model, member));
    evidence += member.summary.log_evidence.value_or(0);
    iterations += member.summary.iterations.value_or(0);
    ++fits;
  }
  training["log_evidence"] = evidence / fits;  // mean over the fits of a mixture
  training["iterations"] = iterations;
  return training;
}

Json count_scores(const CountDistribution& predicted, ConstVec target, ConstVec weights) {
  CountScoreSums sums;
  sums.add(predicted, target, weights);
  Json json = to_json(sums.result());
  json["coverage"] = nullptr;
  return json;
}

Json scores_of(const Prediction& prediction, const Dataset& rows, const FittedModel& model) {
  const Vector weights = model.schema.score_weights(rows.weights);
  if (prediction.kind() == TargetKind::counts) return count_scores(prediction.counts(), rows.target, weights);
  if (prediction.kind() == TargetKind::numbers)
    return to_json(score(prediction.distribution(), rows.target, weights), model.standardizer.target_spread());
  const ClassPrediction& classes = prediction.classes();
  return to_json(score_classes(classes.values, rows.target, classes.probabilities, weights), model.schema.classes());
}

Prediction predict_rows(const FittedModel& model, const Dataset& rows, PredictOptions how) {
  how.weights = rows.weights;
  how.offsets = rows.offsets;
  return model.predict(rows.inputs, how);
}

/// Fills train, test, training, seconds and predictions.
void train_and_score(const Run& run, const Recipe& recipe, const Sides& split, Json& result) {
  FitOptions options;
  options.seed = run.seed;
  options.threads = run.threads;
  options.columns = split.columns;
  const auto began = Clock::now();
  const FittedModel model = fit(recipe, split.schema, split.train, options);
  result["seconds"]["train"] = since(began);
  result["training"] = describe_training(model);
  PredictOptions how;
  how.threads = run.threads;
  const auto asked = Clock::now();
  const Prediction test = predict_rows(model, split.test, how);
  result["seconds"]["predict"] = since(asked);
  result["test"] = scores_of(test, split.test, model);
  result["train"] = scores_of(predict_rows(model, split.train, how), split.train, model);
  if (!run.predictions.empty()) write_fold_predictions(run.predictions, run.fold, split.test, test, model.schema);
  if (test.kind() == TargetKind::numbers)
    result["predictions"] = first_predictions(test.distribution(), split.test.target);
  else
    result["predictions"] = nullptr;
}

void score_baseline(const Run& run, const Sides& split, Json& result) {
  const double scale =
      Standardizer::learn(split.train.inputs, split.train.target, Scaling::none, TargetScaling::zscore).target_scale();
  const auto began = Clock::now();
  const PredictiveDistribution test =
      predict_baseline(run.baseline, split.train.inputs, split.train.target, split.test.inputs);
  result["seconds"] = {{"train", 0.0}, {"predict", since(began)}};
  result["test"] = to_json(score(test, split.test.target, split.schema.score_weights(split.test.weights)), scale);
  result["train"] = nullptr;  // each row is its own nearest neighbour
  result["training"] = nullptr;
  result["predictions"] = first_predictions(test, split.test.target);
  if (!run.predictions.empty()) write_fold_predictions(run.predictions, run.fold, split.test, {test}, split.schema);
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(std::min(line.size(), line.find(':') + 2));
  return "unknown";
}

void check_unchanged(const std::string& path, const std::string& now, const std::string& before) {
  if (now != before) throw DataError(path, "the file changed after the run began");
}

}  // namespace

Json result_frame(const Run& run, const std::string& status, const std::string& reason) {
  return {{"format", 1},
          {"status", status},
          {"reason", reason},
          {"experiment", run.experiment},
          {"trainer", run.trainer()},
          {"unit",
           {{"dataset", run.dataset},
            {"recipe", run.baseline.empty() ? run.recipe_name : run.baseline},
            {"label", run.label},
            {"fold", run.fold},
            {"seed", run.seed}}},
          {"hash", run.hash()}};
}

Json execute_run(const Run& run) {
  check_unchanged(run.data, table_sha256(run.data), run.data_sha256);
  if (!run.mask.empty()) check_unchanged(run.mask, file_sha256(run.mask), run.mask_sha256);
  Recipe recipe;
  if (run.baseline.empty()) recipe = parse_registered_recipe(run.recipe);
  if (!run.baseline.empty()) recipe.data.strict = run.data_section.is_null();  // a table of the catalogue
  if (!run.data_section.is_null()) recipe.data = data_config(run.data_section);
  const Sides split = read_sides(run, recipe.data);
  const BuildInfo build = build_info();
  Json result = {
      {"data",
       {{"rows", split.rows},
        {"inputs", split.train.inputs.cols() - static_cast<Index>(split.train.level_counts.size())},
        {"train_rows", split.train.rows()},
        {"test_rows", split.test.rows()},
        {"data_sha256", run.data_sha256},
        {"mask_sha256", run.mask_sha256}}},
      {"program",
       {{"version", version()}, {"commit", build.commit}, {"compiler", build.compiler}, {"flags", build.flags}}},
      {"machine", {{"cpu", processor()}, {"cores", std::thread::hardware_concurrency()}, {"threads", run.threads}}},
      {"recipe", run.recipe}};
  if (run.folds > 0) result["data"]["folds"] = run.folds;
  if (run.baseline.empty())
    train_and_score(run, recipe, split, result);
  else
    score_baseline(run, split, result);
  result["peak_mb"] = peak_megabytes();
  return result;
}

}  // namespace alacarte
