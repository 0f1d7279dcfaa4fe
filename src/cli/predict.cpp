// alacarte predict: rows in, predictions out, in flat memory.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/data/csv_writer.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/model/fitted_model.hpp"
#include "alacarte/model/likelihood.hpp"
#include "command.hpp"
#include "guard.hpp"
#include "log.hpp"
#include "output.hpp"
#include "paths.hpp"
#include "progress.hpp"
#include "signals.hpp"

namespace alacarte::cli {
namespace {

constexpr Index kPredictChunkRows = 4096;
constexpr const char* kStage = "prediction";

struct PredictArguments {
  std::string model, data, out, covariance, draws_out;
  double interval = 0.95;
  bool interval_given = false, latent = false;
  Index draws = 0;
  bool joint() const { return !covariance.empty() || draws > 0; }
};

void check_arguments(const PredictArguments& a, const FittedModel& model) {
  if (!(a.interval > 0 && a.interval < 1)) throw UsageError("--interval must lie between 0 and 1");
  if ((a.draws > 0) != !a.draws_out.empty()) throw UsageError("--draws and --draws-out go together");
  if (model.has_classes() && (a.interval_given || a.latent || a.joint()))
    throw ConfigError(a.model, "predicts classes: there are no intervals, latent values, covariances or draws");
  if (model.has_counts() && (a.latent || a.joint()))
    throw ConfigError(a.model, "predicts counts: there are no latent values, covariances or draws");
  if (model.has_variance() || model.has_classes()) return;
  const bool asked = a.interval_given || a.latent || a.joint();
  if (asked) throw ConfigError(a.model, "was saved with --mean-only: it has no variances, covariances or draws");
}

/// Which columns the output has: they depend on the model and the options, not on the rows.
struct Layout {
  bool key = false, row = false, variance = true;
  std::string key_name, kind;
  std::vector<std::string> classes;

  Layout(const FittedModel& model, bool latent)
      : key(!model.schema.config().key.empty()),
        row(model.schema.config().missing == "drop"),
        variance(model.has_variance()),
        key_name(model.schema.config().key),
        kind(latent ? "latent" : "observation") {
    const std::string value = gives_probabilities(model.recipe) ? "p(" : "value(";
    for (const std::string& name : model.schema.classes()) classes.push_back(value + name + ')');
  }

  std::vector<std::string> header() const {
    std::vector<std::string> names;
    if (row) names.emplace_back("row");
    if (key) names.push_back(key_name);
    names.emplace_back(classes.empty() ? "mean" : "label");
    names.insert(names.end(), classes.begin(), classes.end());
    if (variance && classes.empty()) {
      for (const char* name : {"sd_", "lower_", "upper_"}) names.push_back(name + kind);
    }
    names.emplace_back("share_outside");
    return names;
  }
};

/// What every row has, around what body(row) writes.
template <class Body>
void for_rows(CsvWriter& out, const Layout& layout, const FittedModel& model, const Dataset& chunk, const Body& body) {
  const Vector outside =
      chunk.is_sparse() ? Vector::Zero(chunk.rows()) : model.standardizer.share_outside(chunk.inputs);
  for (Index i = 0; i < chunk.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (layout.row) out.cell(chunk.source_rows[at] + 1);
    if (layout.key) out.cell(chunk.keys[at]);
    body(i);
    out.cell(outside[i]);
    out.end_row();
  }
}

/// What there is to say of a number: columns of the output.
struct Numbers {
  Vector mean, sd, lower, upper;
};

template <class Distribution>
Numbers numbers_of(const Distribution& prediction, bool variance, double interval) {
  Numbers numbers{prediction.mean(), {}, {}, {}};
  if (!variance) return numbers;
  numbers.sd = prediction.variance().cwiseSqrt();
  numbers.lower = prediction.quantile((1 - interval) / 2);
  numbers.upper = prediction.quantile((1 + interval) / 2);
  return numbers;
}

void write_rows(CsvWriter& out, const Layout& layout, const FittedModel& model, const Dataset& chunk,
                const PredictArguments& a, int threads) {
  PredictOptions options;
  options.latent = a.latent;
  options.variance = layout.variance;
  options.threads = threads;
  const Numbers numbers = model.has_counts()
                              ? numbers_of(model.predict_counts(chunk.inputs, options), layout.variance, a.interval)
                              : numbers_of(model.predict(chunk.inputs, options), layout.variance, a.interval);
  for_rows(out, layout, model, chunk, [&](Index i) {
    out.cell(finite(numbers.mean[i], kStage));
    if (!layout.variance) return;
    for (const Vector* column : {&numbers.sd, &numbers.lower, &numbers.upper}) out.cell(finite((*column)[i], kStage));
  });
}

void write_classes(CsvWriter& out, const Layout& layout, const FittedModel& model, const Dataset& chunk, int threads) {
  PredictOptions options;
  options.threads = threads;
  const ClassPrediction prediction = model.predict_classes(chunk, options);
  const std::vector<Index> labels = prediction.labels();
  for_rows(out, layout, model, chunk, [&](Index i) {
    out.cell(model.schema.classes()[static_cast<std::size_t>(labels[static_cast<std::size_t>(i)])]);
    for (Index k = 0; k < prediction.values.cols(); ++k) out.cell(finite(prediction.values(i, k), kStage));
  });
}

/// Covariances and joint draws need all rows at once; refused when they cannot fit the machine.
void keep_inputs(std::vector<Matrix>& kept, Index rows, Dataset& chunk, const PredictArguments& a) {
  const double columns = static_cast<double>(a.covariance.empty() ? a.draws : std::max(rows, a.draws));
  const double bytes = static_cast<double>(rows) * columns * sizeof(double);
  const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (bytes > memory) {
    throw ConfigError(
        a.covariance.empty() ? "--draws" : "--covariance",
        fmt::format("needs more than {} for the rows of {}; give it fewer rows", format_bytes(bytes), a.data));
  }
  kept.push_back(std::move(chunk.inputs));
}

void write_joint(const std::vector<Matrix>& kept, Index rows, const FittedModel& model, const PredictArguments& a,
                 std::uint64_t seed) {
  Matrix inputs(rows, model.schema.input_count());
  Index at = 0;
  for (const Matrix& part : kept) {
    inputs.middleRows(at, part.rows()) = part;
    at += part.rows();
  }
  if (!a.covariance.empty()) {
    stop_if_interrupted();
    write_finite_npy(a.covariance, model.covariance(inputs, a.latent));
  }
  if (a.draws > 0) {
    stop_if_interrupted();
    write_finite_npy(a.draws_out, model.draws(inputs, a.draws, seed));
  }
}

int predict_rows(const PredictArguments& a, const CommonOptions& common) {
  const std::string data_path = find_data(a.data);
  const FittedModel model = FittedModel::load(read_bundle(a.model));
  check_arguments(a, model);
  std::vector<std::string> others = {data_path, a.model};
  for (const std::string& path : {a.out, a.covariance, a.draws_out}) {
    if (path.empty()) continue;
    require_writable(path, others);
    others.push_back(path);
  }
  const Layout layout(model, a.latent);
  if (!layout.variance && !model.has_classes())
    log_info("the model was saved with --mean-only: means without error bars");

  DatasetStream rows(data_path, model.schema, false);
  CsvWriter out(a.out);
  out.header(layout.header());
  std::vector<Matrix> kept;
  Dataset chunk;
  Index count = 0;
  while (rows.next(chunk, kPredictChunkRows)) {
    stop_if_interrupted();
    if (model.has_classes())
      write_classes(out, layout, model, chunk, common.threads);
    else
      write_rows(out, layout, model, chunk, a, common.threads);
    count += chunk.rows();
    if (a.joint()) keep_inputs(kept, count, chunk, a);
  }
  stop_if_interrupted();
  if (a.joint()) write_joint(kept, count, model, a, common.seed);
  out.commit();
  log_event("predicted", {{"rows", count}, {"out", a.out}}, fmt::format("predicted {} rows", count));
  return kSuccess;
}

std::function<int()> configure_predict(CLI::App& app, CommonOptions& common) {
  auto a = std::make_shared<PredictArguments>();
  app.add_option("MODEL", a->model, "Model file made by alacarte train")->required();
  app.add_option("--data", a->data, "Rows to predict, of any length; - is standard input")
      ->required()
      ->type_name("FILE");
  app.add_option("--out", a->out, "CSV to write; - is standard output")->required()->type_name("FILE.csv");
  auto* interval =
      app.add_option("--interval", a->interval, "Probability inside [lower, upper]")->capture_default_str();
  app.add_flag("--latent", a->latent, "Error bars of the function itself, without the observation noise");
  app.add_option("--covariance", a->covariance, "Also write the full covariance of the rows (memory: rows^2 doubles)")
      ->type_name("FILE.npy");
  app.add_option("--draws", a->draws, "Also draw this many functions from the posterior, without observation noise")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  app.add_option("--draws-out", a->draws_out, "Where the draws go, as an array (rows, N)")->type_name("FILE.npy");
  add_seed_option(app, common, "Seed of --draws");
  add_threads_option(app, common);
  add_log_options(app, common);
  app.footer(
      "Columns are matched by name where the model and the file have names: order is free, extra columns are ignored, "
      "a\n"
      "missing one is an error. Without names they are matched by position, without the target.\n\n"
      "Output columns: [row,] [key,] mean, sd_KIND, lower_KIND, upper_KIND, share_outside. KIND says what the error\n"
      "bars cover: observation (noise included) or latent. share_outside is the share of the row's inputs outside the\n"
      "range seen in training: expect error bars to be too small there. row (data row, from 1) is there when the "
      "model\n"
      "drops rows with missing values, key when the recipe names one. Of classes, in place of mean and error bars: "
      "label\n"
      "and, for each class NAME, its probability p(NAME), or value(NAME), the decision value of a model without "
      "any.\n\n"
      "Example:\n"
      "  alacarte predict price.model --data new.csv --out predictions.csv --interval 0.9");
  return [a, interval, &common] {
    a->interval_given = interval->count() > 0;
    return predict_rows(*a, common);
  };
}

}  // namespace

const Command kPredictCommand{"predict", "Predict rows with error bars, streaming", configure_predict};

}  // namespace alacarte::cli
