// alacarte predict, evaluate, inspect, explain and export: predictions, scores and contents of a trained model.
#include <fmt/format.h>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "alacarte/app/evaluate_file.hpp"
#include "alacarte/app/explain_file.hpp"
#include "alacarte/app/export_c.hpp"
#include "alacarte/app/predict_file.hpp"
#include "alacarte/data/rows_file.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/io/target_models.hpp"
#include "app/part_files.hpp"
#include "command.hpp"
#include "core/pipes.hpp"
#include "core/spelling.hpp"
#include "data/column_splits.hpp"
#include "data/row_parts.hpp"
#include "data/splits.hpp"
#include "io/documents.hpp"
#include "optimise/fit_context.hpp"
#include "report/columns.hpp"
#include "report/inspection.hpp"
#include "report/report.hpp"

namespace alacarte::cli {
namespace {

struct PredictArguments {
  std::string model, data;
  PredictFileOptions options;
};

int predict_rows(const PredictArguments& a, const CommonOptions& common) {
  PredictFileOptions options = a.options;
  if ((options.draws > 0) != !options.draws_out.empty()) throw UsageError("--draws and --draws-out go together");
  options.seed = common.seed();
  options.model_name = a.model;
  options.data_name = a.data;
  const std::string data_path = find_data(a.data);
  const std::vector<FittedModel> models = load_models(read_bundle(a.model));
  const bool in_parts = is_pattern(data_path);
  if (!FitContext::is_alone() && !in_parts)
    throw UsageError("several processes predict several files; give a pattern such as 'part-*.rows'");
  std::vector<std::string> read = in_parts ? files_of(data_path) : std::vector<std::string>{data_path};
  std::vector<std::string> written = {options.covariance, options.draws_out};
  const std::size_t files = in_parts && options.out.find('*') != std::string::npos ? read.size() : 0;
  for (std::size_t k = 1; k <= files; ++k) written.push_back(numbered_path(options.out, k, files));
  if (files == 0) written.push_back(options.out);
  read.push_back(a.model);
  if (FitContext::is_first()) require_writable(written, read);
  ProgressReporter reporter(common.threads);
  const Index rows = in_parts ? predict_parts(models, data_path, options, reporter.job())
                              : predict_file(models, data_path, options, reporter.job());
  log_event("predicted", {{"rows", rows}, {"out", options.out}}, fmt::format("predicted {} rows", rows));
  return kSuccess;
}

struct EvaluateArguments {
  std::string model, data;
  Split split;
  bool held_out = false;
};

/// Returns the rows to score; empty = all. Without options, the split of the model's training applies.
std::vector<bool> rows_to_score(EvaluateArguments& a, const FittedModel& model, const std::string& data_path) {
  const std::optional<SplitRecord>& record = model.training.held_out;
  const bool trained_on_part = record.has_value();
  Index trained_rows = 0;
  if (a.held_out) {
    if (a.split.given()) throw UsageError("--held-out excludes --mask, --fold, --folds and --holdout");
    if (!trained_on_part) throw ConfigError("--held-out", "the model was trained on all rows of its file");
    a.split = split_of(*record);
    trained_rows = record->rows;
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
  const std::vector<FittedModel> models = load_models(read_bundle(a.model));
  const FittedModel& model = models.front();
  a.split.seed = common.given_seed.value_or(model.seed);
  const std::vector<bool> selected = rows_to_score(a, model, data_path);
  ProgressReporter reporter(common.threads);
  const nlohmann::json scores = models.size() > 1
                                    ? to_json(evaluate_targets(models, data_path, selected, reporter.job()), models)
                                    : to_json(evaluate_file(model, data_path, selected, reporter.job()), model);
  if (FitContext::is_first()) std::cout << scores.dump() << '\n';
  return kSuccess;
}

struct InspectArguments {
  std::string model, html, data, vega, table;
  RecipeSource source;  // of --table: target and data options
  bool json = false;
  Index inputs = 20;
};

void write_page(const InspectArguments& a, const FittedModel& model, int threads) {
  const std::string data_path = a.data.empty() ? "" : find_one_table(a.data);
  require_writable({a.html}, {a.model, data_path});
  const std::vector<std::string> scripts = find_vega_scripts(a.vega);
  PageData data;
  ProgressReporter reporter(threads);
  if (!a.data.empty() && model.target() == TargetKind::counts)
    throw ConfigError("--data", "the page shows no predictions of counts; alacarte evaluate scores this model");
  if (!a.data.empty() && model.target() == TargetKind::classes) {
    data.classes = std::get<ClassMetrics>(evaluate_file(model, data_path, {}, reporter.job()).metrics);
  } else if (!a.data.empty()) {
    LabelledRows rows = predict_labelled(model, data_path, reporter.job());
    data.rows = {rows.distribution(), std::move(rows.target)};
  }
  const Report page = model_page(model, std::filesystem::path(a.model).filename().string(), data, a.inputs);
  write_file(a.html, [&](std::ostream& file) { write_html(page, scripts, file); });
}

/// Shows what a training would make of the columns of a table.
int inspect_table(const InspectArguments& a, const CommonOptions& common) {
  const std::string path = find_one_table(a.table);
  DataConfig config;
  apply_data_options(a.source, config);
  config.labels = !is_pattern(path) && has_class_target(path, config);
  static_cast<void>(read_split_columns(path, config));  // refuses columns that are absent or split nothing
  ProgressReporter reporter(common.threads);
  const Job job = reporter.job();
  const Schema schema =
      schema_of_table(path, config, [&](double share, Index rows) { job.report_rows("reading", share, rows); });
  clear_live_line();
  if (a.json) {
    std::cout << nlohmann::json{{"target", schema.target_name()}, {"columns", columns_json(schema)}}.dump(2) << '\n';
    return kSuccess;
  }
  const std::string text = columns_text(schema);
  std::cout << fmt::format("target '{}', {} inputs{}\n", one_line(schema.target_name()), schema.input_count(),
                           text.empty() ? ": numbers without gaps" : "")
            << text << (text.empty() ? "" : "\n");
  return kSuccess;
}

int inspect_model(const InspectArguments& a, const CommonOptions& common) {
  if (a.model.empty() == a.table.empty()) throw UsageError("inspect takes a model or --table, one of them");
  if (!a.table.empty() && !a.html.empty()) throw UsageError("--html shows a model, not a table");
  if (!a.table.empty()) return inspect_table(a, common);
  if (has_data_options(a.source)) throw UsageError("options of columns belong to inspect --table, not to a model");
  const std::vector<FittedModel> models = load_models(read_bundle(a.model));
  if (!a.html.empty() && models.size() > 1)
    throw ConfigError("--html", "shows one target, and this model predicts " + one_line(target_names(models)));
  if (!a.html.empty()) write_page(a, models.front(), common.threads);
  if (!a.html.empty() && !a.json) return kSuccess;
  nlohmann::json all = nlohmann::json::array();
  for (const FittedModel& model : models) {
    const Inspection inspection = inspect(model);
    if (a.json)
      all.push_back(to_json(inspection));
    else
      std::cout << (&model == &models.front() ? "" : "\n") << inspection_text(inspection, a.inputs);
  }
  if (a.json) std::cout << (models.size() == 1 ? all.front() : nlohmann::json{{"targets", all}}).dump(2) << '\n';
  return kSuccess;
}

struct ExplainArguments {
  std::string model, data, html, vega;
  bool json = false;
  ExplainOptions options;
};

int explain_model(const ExplainArguments& a, const CommonOptions& common) {
  ExplainOptions options = a.options;
  options.seed = common.seed();
  options.model_name = a.model;
  options.data_name = a.data;
  const std::string data_path = find_one_table(a.data);
  const FittedModel model = load_one_model(a.model);
  if (!a.html.empty()) require_writable({a.html}, {a.model, data_path});
  const std::vector<std::string> scripts = a.html.empty() ? std::vector<std::string>() : find_vega_scripts(a.vega);
  ProgressReporter reporter(common.threads);
  const Explanation explanation = explain_file(model, data_path, options, reporter.job());
  if (!a.html.empty()) {
    const Report page = explanation_page(explanation, std::filesystem::path(a.model).filename().string());
    write_file(a.html, [&](std::ostream& file) { write_html(page, scripts, file); });
  }
  if (a.json)
    std::cout << to_json(explanation).dump(2) << '\n';
  else if (a.html.empty())
    std::cout << explanation_text(explanation);
  return kSuccess;
}

}  // namespace

Command predict_command(CommonOptions& common) {
  const auto a = std::make_shared<PredictArguments>();
  PredictFileOptions& o = a->options;
  return {
      .name = "predict",
      .summary = "Predict rows with error bars, streaming",
      .footer =
          R"(Columns are matched by name where the model and the file have names: order is free, extra columns are ignored, a
missing one is an error. Without names they are matched by position, without the target.

Output columns: [row,] [key,] mean, sd_KIND, lower_KIND, upper_KIND, quantile_KIND(P).., above_KIND(T)..,
gradient(INPUT), gradient_sd(INPUT), .., share_outside[, unseen]. KIND says what the error bars cover: observation (noise
included) or latent. --quantiles and --probability-above add their columns, exact also for mixtures of fits; of counts
a quantile is a count. --gradient adds, for each numeric input, the slope of the mean, in units of the target for one
unit of the input, and its standard deviation. Intervals of a model that was trained with --calibrate conformal hold
with the probability of --interval, whatever the model.
share_outside is the share of the row's inputs outside the range seen in training: expect error bars to be too
small there. unseen, where the model reads text or had gaps in training, counts the row's inputs whose value no training
row had. row (data row, from 1) is there when the model drops rows with missing values, key when the recipe
names one. Of classes, in place of mean and error bars: label and, for each class NAME, its probability p(NAME),
or value(NAME), the decision value of a model without any.

Examples:
  alacarte predict price.model --data new.csv --out predictions.csv --interval 0.9
  alacarte predict price.model --data new.csv --out risk.csv --quantiles 0.05,0.5,0.95 --probability-above 250
  alacarte predict price.model --data new.csv --out slopes.csv --gradient)",
      .options =
          {model_argument(a->model),
           {"--data", &a->data,
            "Rows to predict, of any length; - is standard input; a pattern in quotes ('part-*.rows') for several "
            "files, also on several machines (mpirun)",
            "FILE", kRequired},
           {"--out", &o.out,
            "CSV to write; - is standard output; of several files a star makes one a part, otherwise they are one",
            "FILE.csv", kRequired},
           {"--interval", &o.interval, "Probability inside [lower, upper] (default: 0.95)", "", kShare},
           {"--quantiles", &o.quantiles, "Also these quantiles, a column each: 0.05,0.5,0.95", "P,..",
            kShare | kCommas | kRepeatable},
           {"--probability-above", &o.thresholds, "Also the probability of a value above T, a column each", "T,..",
            kCommas | kRepeatable},
           {"--gradient", &o.gradient, "Also the slope by each numeric input and its standard deviation"},
           {"--latent", &o.latent, "Error bars of the function itself, without the observation noise"},
           {"--covariance", &o.covariance, "Also write the full covariance of the rows (memory: rows^2 doubles)",
            "FILE.npy", kNoStream},
           {"--draws", &o.draws, "Also draw this many functions from the posterior, without observation noise", "N",
            kPositive},
           {"--draws-out", &o.draws_out, "Where the draws go, as an array (rows, N)", "FILE.npy", kNoStream},
           seed_option(common, "Seed of --draws"),
           threads_option(common)},
      .run = [a, &common] { return predict_rows(*a, common); }};
}

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
holds them in units of the training target's scale; conformal, of a model trained with --calibrate conformal, has
coverage and mean width of its intervals; seconds is the time of the predictions. Scores that need
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

Command inspect_command(CommonOptions& common) {
  const auto a = std::make_shared<InspectArguments>();
  Option data{"--data", &a->data, "Rows with the target column, for predictions and calibration in the page", "FILE"};
  data.needs = "--html";
  Option target{"--target", &a->source.target,
                "Target column of the table: a name or an index; the default is the last", "COL"};
  target.needs = "--table";
  return {
      .name = "inspect",
      .summary = "Show what a model has learned",
      .footer =
          R"(Relevance of an input: root mean square frequency of the learned spectrum along it, in radians per unit of the
scaled input; 0 means no influence. Its inverse, the length-scale, is given in the input's own unit. Relevance says
how fast the function may change along an input, not how much it does: it is no importance. A straight trend has
a small relevance however much of the target it explains, and all inputs of a linear model have the same; its
coefficients, in units of the target for each unit of the input, are shown beside. Noise is in units of the target. The leave-one-out scores come from the training rows, each predicted without itself.
The page shows relevances, learned spectra, evidence traces and amplitudes, and with --data predictions with
95 % intervals against true values and how many of them hold; of classes scores, confusions and the reliability of
the probabilities.

Examples:
  alacarte inspect price.model
  alacarte inspect price.model --html price.html --data test.csv
  alacarte inspect --table train.csv)",
      .options = with_data_options(
          {{"MODEL", &a->model, "Model file made by alacarte train", "", kNoStream},
           {"--table", &a->table, "Instead of a model, a table: what a training would make of its columns", "FILE"},
           target,
           {"--json", &a->json, "Everything, as JSON"},
           {"--html", &a->html, "Instead of text, a page with tables and charts", "FILE", kNoStream},
           data,
           vega_option(a->vega),
           {"--inputs", &a->inputs, "How many inputs the ranking shows", "N", kPositive | kShowDefault},
           threads_option(common)},
          a->source),
      .run = [a, &common] { return inspect_model(*a, common); }};
}

Command export_command() {
  struct ExportArguments {
    std::string model, c, prefix = "alacarte";
  };
  const auto a = std::make_shared<ExportArguments>();
  return {
      .name = "export",
      .summary = "Write a model's mean as one C file",
      .footer =
          R"(The file is C99 and needs libm alone: NAME_mean(x) is the mean of the target in its unit, x the inputs in their units,
in the order of NAME_input_names. Text columns are indicators there ("colour=red" is 1 or 0), dates are days.
Exported are maps whose features are sinusoids (gm, ard, rbf, matern, fsard, ssgpr and their like), linear ones,
sums and deep kernels of these, exact-rbf, -ard, -rq, -matern and their sums with all training rows, mixtures; what
cannot be is refused. Error bars stay with alacarte predict.

Example:
  alacarte export price.model --c price.c --name price && cc -std=c99 -O2 -c price.c)",
      .options = {model_argument(a->model),
                  {"--c", &a->c, "C file to write; it appears whole or not at all", "FILE.c", kRequired | kNoStream},
                  {"--name", &a->prefix, "What the names in the file begin with", "NAME", kShowDefault}},
      .run = [a] {
        require_writable({a->c}, {a->model});
        export_c(load_one_model(a->model), a->c, a->prefix);
        log_info(fmt::format("wrote {}", one_line(a->c)));
        return kSuccess;
      }};
}

Command explain_command(CommonOptions& common) {
  const auto a = std::make_shared<ExplainArguments>();
  ExplainOptions& o = a->options;
  Option vega = vega_option(a->vega);
  vega.needs = "--html";
  return {
      .name = "explain",
      .summary = "Show what the inputs do to the predictions of a model",
      .footer =
          R"(Importance: how much larger the RMSE becomes when an input is permuted among the rows; it needs the target, and is
left out without it. Partial dependence: the average of the function over rows with one input set to a value.
Interactions: what two inputs do together beyond what each does alone. Averages have the standard deviation of
the posterior, covariances between rows included. --row explains one prediction by Shapley values, sampled: what
each input adds to the average prediction; they add up to its difference from the row's. All in the unit of the
target. Models of numbers on dense rows.

Examples:
  alacarte explain price.model --data test.csv
  alacarte explain price.model --data test.csv --row 17 --html why.html)",
      .options =
          {model_argument(a->model),
           {"--data", &a->data, "Rows to explain by, held in memory; - is standard input", "FILE", kRequired},
           {"--row", &o.row, "Also explain the prediction of this data row, counted from 1", "K", kPositive},
           {"--inputs", &o.inputs, "Partial dependences of that many inputs, those that change predictions most", "N",
            kPositive | kShowDefault},
           {"--interactions", &o.interactions, "Inputs, the first of those, whose pairs are looked at", "N",
            kNotNegative | kShowDefault},
           {"--background", &o.background, "Rows, drawn from those given, to average over", "N",
            kPositive | kShowDefault},
           {"--repeats", &o.repeats, "Permutations of each input for its importance", "N", kShowDefault, {{2, 10000}}},
           {"--json", &a->json, "Everything, as JSON"},
           {"--html", &a->html, "Instead of text, a page with tables and charts", "FILE", kNoStream},
           vega,
           seed_option(common, "Seed of rows and permutations"),
           threads_option(common)},
      .run = [a, &common] { return explain_model(*a, common); }};
}

}  // namespace alacarte::cli
