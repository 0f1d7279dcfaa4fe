#include "alacarte/app/predict_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "alacarte/model/explanation.hpp"
#include "app/training_rows.hpp"
#include "data/csv_writer.hpp"
#include "finite.hpp"
#include "quantities.hpp"

namespace alacarte {
namespace {

constexpr Index kPredictedRows = 4096;  // rows per chunk
constexpr const char* kPredictionStage = "prediction";

/// Returns true if the options request more of the distribution than its mean.
bool wants_distribution(const PredictFileOptions& options) {
  return options.interval || !options.quantiles.empty() || !options.thresholds.empty();
}

bool is_joint(const PredictFileOptions& options) { return !options.covariance.empty() || options.draws > 0; }

void check_options(const PredictFileOptions& options, const FittedModel& model) {
  const double interval = options.interval.value_or(0.95);
  require(interval > 0 && interval < 1, "predict_file: the interval's probability must lie between 0 and 1");
  for (const double probability : options.quantiles)
    require(probability > 0 && probability < 1, "predict_file: the probability of a quantile must lie between 0 and 1");
  require((options.draws > 0) == !options.draws_out.empty(), "predict_file: draws and draws_out go together");
  const bool latent = options.latent || is_joint(options);
  if (model.schema.knows_noise() && !options.covariance.empty() && !options.latent)
    throw ConfigError("--covariance", "of rows whose noise is known is that of the function; add --latent");
  if (options.gradient)
    if (const std::string why = why_no_gradient(model); !why.empty()) throw ConfigError(options.model_name, why);
  if (model.target() == TargetKind::classes && (wants_distribution(options) || latent))
    throw ConfigError(options.model_name,
                      "predicts classes: there are no intervals, quantiles, latent values, covariances or draws");
  if (model.target() == TargetKind::counts && is_joint(options))
    throw ConfigError(options.model_name, "predicts counts: there are no covariances or draws");
  if (model.calibration.is_conformal() && model.has_variance() && !options.latent) {
    try {
      static_cast<void>(model.calibration.factor(interval));
    } catch (const ConfigError& error) {
      throw error.at("--interval");
    }
  }
  if ((wants_distribution(options) || latent) && !model.has_variance())
    throw ConfigError(options.model_name, "was saved with --mean-only: it has no variances, covariances or draws");
}

/// Returns true if predictions have a column that counts the values of a row that no training row had: where the model
/// reads text or exposures, or training rows had gaps.
bool flags_unseen(const Schema& schema) {
  const auto& inputs = schema.input_columns();
  return schema.counts_unseen() &&
         (schema.has_exposure() || std::any_of(inputs.begin(), inputs.end(), [](const InputColumn& input) {
            return input.form != InputForm::number || input.gaps > 0;
          }));
}

/// Writes the CSV. Its columns depend on the model and the options, not on the rows.
class PredictionTable {
 public:
  /// models: one, or one per target.
  PredictionTable(const std::vector<const FittedModel*>& models, const PredictFileOptions& options, int threads)
      : models_(models),
        model_(*models.front()),
        interval_(options.interval.value_or(0.95)),
        probabilities_(options.quantiles),
        thresholds_(options.thresholds),
        row_(model_.schema.config().missing == MissingCells::drop),
        key_(!model_.schema.config().key.empty()),
        unseen_(flags_unseen(model_.schema)),
        out_(options.out) {
    how_.latent = options.latent;
    how_.variance = model_.has_variance();
    how_.threads = threads;
    if (options.gradient) slopes_ = numeric_inputs(model_.schema);
    out_.header(header());
  }

  void add(const Dataset& rows) {
    if (model_.target() == TargetKind::classes) return add(rows, model_.predict(rows.view(), how_).classes());
    std::vector<Vector> columns;
    how_.weights = rows.weights;
    how_.offsets = rows.offsets;
    for (const FittedModel* model : models_) {
      const Prediction prediction = model->predict(rows.view(), how_);
      const Interval bounds = how_.variance ? model->interval(prediction, interval_) : Interval{};
      if (prediction.kind() == TargetKind::counts)
        add(prediction.counts(), bounds, columns);
      else
        add(prediction.distribution(), bounds, columns);
      if (!slopes_.empty()) add_slopes(*model, rows, columns);
    }
    for_rows(rows, [&](Index i) {
      for (const Vector& column : columns) out_.cell(finite_at(column[i], rows, i));
    });
  }

  void commit() { out_.commit(); }

 private:
  std::vector<std::string> header() const {
    std::vector<std::string> names;
    if (row_) names.emplace_back("row");
    if (key_) names.push_back(model_.schema.config().key);
    for (const FittedModel* model : models_) {
      const std::string prefix = models_.size() == 1 ? "" : model->schema.target_name() + '.';
      for (const std::string& name : block()) names.push_back(prefix + name);
    }
    names.emplace_back("share_outside");
    if (unseen_) names.emplace_back("unseen");
    return names;
  }

  /// Returns the column names of one target.
  std::vector<std::string> block() const {
    const bool classes = model_.target() == TargetKind::classes;
    std::vector<std::string> names = {classes ? "label" : "mean"};
    const std::string value = gives_probabilities(model_.recipe) ? "p(" : "value(";
    for (const std::string& name : model_.schema.classes()) names.push_back(value + name + ')');
    if (classes) return names;
    const std::string kind = how_.latent ? "latent" : "observation";
    if (how_.variance) {
      for (const char* name : {"sd_", "lower_", "upper_"}) names.push_back(name + kind);
      for (const double probability : probabilities_)
        names.push_back(fmt::format("quantile_{}({})", kind, probability));
      for (const double threshold : thresholds_) names.push_back(fmt::format("above_{}({})", kind, threshold));
    }
    for (const Index j : slopes_) {
      const std::string& input = model_.schema.input_names()[static_cast<std::size_t>(j)];
      names.push_back(fmt::format("gradient({})", input));
      if (how_.variance) names.push_back(fmt::format("gradient_sd({})", input));
    }
    return names;
  }

  /// Writes the columns common to all rows around those that body(row) writes.
  template <class Body>
  void for_rows(const Dataset& rows, const Body& body) {
    const Vector outside =
        rows.is_sparse() ? Vector::Zero(rows.rows()) : model_.standardizer.share_outside(rows.inputs);
    for (Index i = 0; i < rows.rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (row_) out_.cell(rows.source_rows[at] + 1);
      if (key_) out_.cell(rows.keys[at]);
      body(i);
      // A value that no training row had lies outside of their range, too.
      const double more = rows.unseen.empty() ? 0 : static_cast<double>(rows.unseen[at]);
      out_.cell(std::min(1.0, outside[i] + more / static_cast<double>(model_.schema.input_count())));
      if (unseen_) out_.cell(rows.unseen.empty() ? Index{0} : rows.unseen[at]);
      out_.end_row();
    }
  }

  static Index source_row(const Dataset& rows, Index i) {
    return rows.source_rows.empty() ? i : rows.source_rows[static_cast<std::size_t>(i)];
  }

  static double finite_at(double value, const Dataset& rows, Index i) {
    if (std::isfinite(value)) return value;
    throw NumericalError(fmt::format("{} of row {}", kPredictionStage, source_row(rows, i) + 1),
                         "a result is not a finite number", value);
  }

  /// Returns the gradients of all rows; an error names the first row without one.
  GradientPrediction gradient_of(const FittedModel& model, const Dataset& rows) const {
    try {
      return predict_gradient(model, rows.view(), slopes_, how_.variance, how_.threads);
    } catch (const NumericalError&) {
      for (Index i = 0; i < rows.rows(); ++i) {
        try {
          predict_gradient(model, rows.view().middle_rows(i, 1), slopes_, how_.variance, 1);
        } catch (const NumericalError& error) {
          throw NumericalError(fmt::format("{} of row {}", kPredictionStage, source_row(rows, i) + 1), error.what());
        }
      }
      throw;
    }
  }

  void add_slopes(const FittedModel& model, const Dataset& rows, std::vector<Vector>& columns) const {
    const GradientPrediction slopes = gradient_of(model, rows);
    for (Index k = 0; k < slopes.mean.cols(); ++k) {
      columns.emplace_back(slopes.mean.col(k));
      if (how_.variance) columns.emplace_back(slopes.variance.col(k).cwiseSqrt());
    }
  }

  template <class Distribution>
  void add(const Distribution& prediction, const Interval& bounds, std::vector<Vector>& columns) const {
    columns.push_back(prediction.mean());
    if (!how_.variance) return;
    columns.insert(columns.end(), {prediction.variance().cwiseSqrt(), bounds.lower, bounds.upper});
    for (const double probability : probabilities_) columns.push_back(prediction.quantile(probability));
    for (const double threshold : thresholds_)
      columns.push_back(prediction.survival(Vector::Constant(prediction.rows(), threshold)));
  }

  void add(const Dataset& rows, const ClassPrediction& prediction) {
    const std::vector<Index> labels = prediction.labels();
    for_rows(rows, [&](Index i) {
      out_.cell(model_.schema.classes()[static_cast<std::size_t>(labels[static_cast<std::size_t>(i)])]);
      for (Index k = 0; k < prediction.values.cols(); ++k) out_.cell(finite_at(prediction.values(i, k), rows, i));
    });
  }

  std::vector<const FittedModel*> models_;
  const FittedModel& model_;  // first model
  PredictOptions how_;
  double interval_;
  std::vector<double> probabilities_;  // probabilities of the quantiles
  std::vector<double> thresholds_;
  std::vector<Index> slopes_;  // inputs whose slopes are requested
  bool row_, key_, unseen_;
  CsvWriter out_;
};

/// Throws if covariances and joint draws, which need all rows at once, exceed the machine's memory.
void require_joint_fits(Index rows, const PredictFileOptions& options, const std::string& data_name) {
  const bool covariance = !options.covariance.empty();
  const double columns = static_cast<double>(covariance ? std::max(rows, options.draws) : options.draws);
  const double bytes = static_cast<double>(rows) * columns * sizeof(double);
  const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (bytes <= memory) return;
  throw ConfigError(
      covariance ? "--covariance" : "--draws",
      fmt::format("needs more than {} for the rows of {}; give it fewer rows", format_bytes(bytes), data_name));
}

void write_joint(const Dataset& rows, const FittedModel& model, const PredictFileOptions& options, const Job& job) {
  if (!options.covariance.empty()) {
    job.stop_if_interrupted();
    write_finite_npy(options.covariance, model.covariance(rows.view(), options.latent));
  }
  if (options.draws > 0) {
    job.stop_if_interrupted();
    write_finite_npy(options.draws_out, model.draws(rows.view(), options.draws, options.seed));
  }
}

/// Throws if an output with noise lacks the noise of a row where the noise of rows is known.
void require_known_noise(const Dataset& rows, const FittedModel& model, const std::string& path,
                         const PredictFileOptions& options) {
  if (!model.schema.knows_noise() || rows.weights.size() > 0 || options.latent || !model.has_variance()) return;
  throw DataError(path, "the column '" + model.schema.config().noise_sd +
                            "' with the known noise of rows is missing: error bars of observations need it, those of "
                            "--latent do not");
}

/// Predicts with one model, or one per target.
Index predict_all(const std::vector<const FittedModel*>& models, const std::string& path,
                  const PredictFileOptions& options, const Job& job) {
  const FittedModel& model = *models.front();
  for (const FittedModel* one : models) check_options(options, *one);
  if (!model.has_variance() && model.target() != TargetKind::classes)
    job.message("the model was saved with --mean-only: means without error bars");
  DatasetStream stream(path, model.schema, false, options.latent ? RowWeights::none : RowWeights::known_noise);
  PredictionTable table(models, options, job.threads);
  std::vector<Dataset> kept;
  Dataset chunk;
  Index count = 0;
  while (stream.next(chunk, kPredictedRows)) {
    job.stop_if_interrupted();
    require_known_noise(chunk, model, path, options);
    table.add(chunk);
    count += chunk.rows();
    if (!is_joint(options)) continue;
    require_joint_fits(count, options, options.data_name.empty() ? path : options.data_name);
    kept.push_back(std::exchange(chunk, {}));
  }
  job.stop_if_interrupted();
  for (const std::string& remark : stream.remarks()) job.message("the table: " + remark);
  if (is_joint(options)) write_joint(join_rows(kept, count, model.schema.input_count()), model, options, job);
  table.commit();
  return count;
}

}  // namespace

Index predict_file(const FittedModel& model, const std::string& path, const PredictFileOptions& options,
                   const Job& job) {
  return predict_all({&model}, path, options, job);
}

Index predict_file(const std::vector<FittedModel>& models, const std::string& path, const PredictFileOptions& options,
                   const Job& job) {
  if (models.size() > 1 && is_joint(options))
    throw ConfigError(options.model_name, "predicts several targets: there are no covariances or draws");
  std::vector<const FittedModel*> all;
  for (const FittedModel& model : models) all.push_back(&model);
  return predict_all(all, path, options, job);
}

}  // namespace alacarte
