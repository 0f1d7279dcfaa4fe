// alacarte evaluate: scores of a model on rows whose target is known, as one JSON object.
#include <fmt/format.h>

#include <cmath>
#include <iostream>

#include "alacarte/core/error.hpp"
#include "alacarte/data/rows_file.hpp"
#include "alacarte/data/splits.hpp"
#include "alacarte/eval/count_metrics.hpp"
#include "alacarte/eval/metrics.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/model/fitted_model.hpp"
#include "command.hpp"
#include "guard.hpp"
#include "labelled_rows.hpp"
#include "log.hpp"
#include "paths.hpp"
#include "split_options.hpp"

namespace alacarte::cli {
namespace {

struct EvaluateArguments {
  std::string model, data;
  SplitOptions split;
  bool held_out = false;
};

Index rows_of(const std::string& path, const Schema& schema) {
  return is_rows_file(path) ? RowsFile(path).table_rows() : count_rows(path, schema.config());
}

/// The rows to score; empty = all. The split the model was trained with may stand in for options.
std::vector<bool> rows_to_score(EvaluateArguments& a, const FittedModel& model, const std::string& data_path) {
  const auto record = model.training.find("held_out");
  const bool trained_on_part = record != model.training.end();
  if (a.held_out) {
    if (a.split.given()) throw UsageError("--held-out excludes --mask, --fold, --folds and --holdout");
    if (!trained_on_part) throw ConfigError("--held-out", "the model was trained on all rows of its file");
    a.split = split_from_json(*record);
  }
  resolve(a.split, data_path);
  if (!a.split.given()) {
    if (trained_on_part) {
      log_info("all rows are scored; if this is the training file, --held-out scores only rows the model has not seen");
    }
    return {};
  }
  if (data_path == "-") throw UsageError("a split of the rows needs a file, not standard input");
  const Index rows = rows_of(data_path, model.schema);
  if (a.held_out && rows != record->value("rows", rows)) {
    throw DataError(data_path, fmt::format("has {} rows, but the file the model was trained on had {}", rows,
                                           record->value("rows", rows)));
  }
  const auto classes = [&] { return read_classes(data_path, model.schema.config()); };
  return held_out_rows(a.split, rows, model.has_classes() ? classes : std::function<std::vector<Index>()>());
}

nlohmann::json scores(const Metrics& metrics, const FittedModel& model, double seconds) {
  nlohmann::json json = to_json(metrics, model.standardizer.target_scale());
  if (!model.has_variance()) {
    for (const char* key : {"nlpd", "nlpd_median", "crps", "coverage"}) json[key] = nullptr;
    for (const char* key : {"nlpd", "crps"}) json["standardised"][key] = nullptr;
  }
  json["seconds"] = seconds;
  return json;
}

nlohmann::json class_scores(const FittedModel& model, const std::string& path, const std::vector<bool>& selected,
                            int threads) {
  const ClassScores scored = score_classes(model, path, selected, threads);
  nlohmann::json json = to_json(scored.metrics, model.schema.classes());
  json["seconds"] = scored.seconds;
  return json;
}

nlohmann::json count_scores(const FittedModel& model, const std::string& path, const std::vector<bool>& selected,
                            int threads) {
  if (!model.has_variance()) throw ConfigError(path, "the model was saved with --mean-only; its counts have no scores");
  CountScoreSums sums;
  const double seconds = predict_labelled_counts(
      model, path, selected, threads, [&](const CountDistribution& p, const Vector& target) { sums.add(p, target); });
  nlohmann::json json = sums.result();
  json["seconds"] = seconds;
  return json;
}

int evaluate_model(EvaluateArguments a, const CommonOptions& common, bool seed_given) {
  const std::string data_path = find_data(a.data);
  const FittedModel model = FittedModel::load(read_bundle(a.model));
  a.split.seed = seed_given ? common.seed : model.seed;
  const std::vector<bool> selected = rows_to_score(a, model, data_path);
  if (model.has_classes()) {
    std::cout << class_scores(model, data_path, selected, common.threads).dump() << '\n';
    return kSuccess;
  }
  if (model.has_counts()) {
    std::cout << count_scores(model, data_path, selected, common.threads).dump() << '\n';
    return kSuccess;
  }
  ScoreSums sums;
  const double seconds =
      predict_labelled(model, data_path, selected, common.threads,
                       [&](const PredictiveDistribution& p, const Vector& target) { sums.add(p, target); });
  std::cout << scores(sums.result(), model, seconds).dump() << '\n';
  return kSuccess;
}

std::function<int()> configure_evaluate(CLI::App& app, CommonOptions& common) {
  auto a = std::make_shared<EvaluateArguments>();
  app.add_option("MODEL", a->model, "Model file made by alacarte train")->required();
  app.add_option("--data", a->data, "Rows with the target column; - is standard input; read in flat memory")
      ->required()
      ->type_name("FILE");
  app.add_flag("--held-out", a->held_out, "Score the rows that were held out when the model was trained on this file");
  add_split_options(app, a->split, "scores the rows of");
  auto* seed = app.add_option("--seed", common.seed, "Seed of --folds and --holdout (default: the model's)");
  add_threads_option(app, common);
  add_log_options(app, common);
  app.footer(
      "Standard output gets one JSON object: n, rmse, mae, r2, smse, nlpd (mean negative log predictive density),\n"
      "nlpd_median, crps, coverage of the central 50, 90 and 95 % intervals, all in units of the target; standardised\n"
      "holds them in units of the training target's scale; seconds is the time of the predictions. Scores that need\n"
      "error bars are null for a model saved with --mean-only. With a split only the held-out rows are scored.\n\n"
      "Of classes: n, accuracy, log_loss (mean of -log p of the own class, nats), brier (0 to 2), ece (expected\n"
      "calibration error over ece_bins bins of the predicted class's probability), classes, and confusion: rows of "
      "own\n"
      "class i and predicted class j. Without probabilities (svm) log_loss, brier and ece are null. A label that the\n"
      "training rows did not have is an error. Random splits hold out each class alike. Of counts: n, rmse, mae and\n"
      "nlpd, the mean of -log P(count).\n\n"
      "Example:\n"
      "  alacarte evaluate price.model --data test.csv");
  return [a, seed, &common] { return evaluate_model(*a, common, seed->count() > 0); };
}

}  // namespace

const Command kEvaluateCommand{"evaluate", "Score a model on rows with known target", configure_evaluate};

}  // namespace alacarte::cli
