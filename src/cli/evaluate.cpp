// alacarte evaluate: scores of a model on rows whose target is known, as one JSON object.
#include <iostream>

#include "alacarte/app/evaluate_file.hpp"
#include "alacarte/core/pipes.hpp"
#include "alacarte/io/model_file.hpp"
#include "command.hpp"

namespace alacarte::cli {
namespace {

struct EvaluateArguments {
  std::string model, data;
  Split split;
  bool held_out = false;
};

/// The rows to score; empty = all. The split the model was trained with may stand in for options.
std::vector<bool> rows_to_score(EvaluateArguments& a, const FittedModel& model, const std::string& data_path) {
  const auto record = model.training.find("held_out");
  const bool trained_on_part = record != model.training.end();
  Index trained_rows = 0;
  if (a.held_out) {
    if (a.split.given()) throw UsageError("--held-out excludes --mask, --fold, --folds and --holdout");
    if (!trained_on_part) throw ConfigError("--held-out", "the model was trained on all rows of its file");
    a.split = split_from_json(*record);
    trained_rows = record->value("rows", Index{0});
  }
  resolve_split(a.split, data_path);
  if (!a.split.given()) {
    if (trained_on_part)
      log_info("all rows are scored; if this is the training file, --held-out scores only rows the model has not seen");
    return {};
  }
  if (is_stream(data_path)) throw UsageError("a split of the rows needs a file, not standard input or a pipe");
  return held_out_rows(a.split, data_path, model.schema, trained_rows);
}

int evaluate_model(EvaluateArguments a, const CommonOptions& common) {
  const std::string data_path = find_data(a.data);
  const FittedModel model = FittedModel::load(read_bundle(a.model));
  a.split.seed = common.given_seed.value_or(model.seed);
  const std::vector<bool> selected = rows_to_score(a, model, data_path);
  ProgressReporter reporter(common.threads);
  const Scores scores = evaluate_file(model, data_path, selected, reporter.job());
  std::cout << to_json(scores, model).dump() << '\n';
  return kSuccess;
}

}  // namespace

Command evaluate_command(CommonOptions& common) {
  const auto a = std::make_shared<EvaluateArguments>();
  std::vector<Option> options = {
      model_argument(a->model),
      {"--data", &a->data, "Rows with the target column; - is standard input; read in flat memory", "FILE", kRequired},
      {"--held-out", &a->held_out, "Score the rows that were held out when the model was trained on this file"},
      {"--seed", &common.given_seed, "Seed of --folds and --holdout (default: the model's)"},
      threads_option(common)};
  return {
      .name = "evaluate",
      .summary = "Score a model on rows with known target",
      .footer =
          R"(Standard output gets one JSON object: n, rmse, mae, r2, smse, nlpd (mean negative log predictive density),
nlpd_median, crps, coverage of the central 50, 90 and 95 % intervals, all in units of the target; standardised
holds them in units of the training target's scale; seconds is the time of the predictions. Scores that need
error bars are null for a model saved with --mean-only. With a split only the held-out rows are scored.

Of classes: n, accuracy, log_loss (mean of -log p of the own class, nats), brier (0 to 2), ece (expected
calibration error over ece_bins bins of the predicted class's probability), classes, and confusion: rows of own
class i and predicted class j. Without probabilities (svm) log_loss, brier and ece are null. A label that the
training rows did not have is an error. Random splits hold out each class alike. Of counts: n, rmse, mae and
nlpd, the mean of -log P(count).

Example:
  alacarte evaluate price.model --data test.csv)",
      .options = with_split_options(std::move(options), a->split, "scores the rows of"),
      .run = [a, &common] { return evaluate_model(*a, common); }};
}

}  // namespace alacarte::cli
