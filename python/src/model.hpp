#pragma once
// Models and feature maps as Python holds them.
#include <pybind11/eigen.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "alacarte/model/fitted_model.hpp"
#include "encoding.hpp"
#include "table.hpp"

namespace alacarte::python {

/// Leave-one-out predictions of training rows.
struct LeftOut {
  std::vector<Index> rows;  ///< empty: all
  Matrix values;            ///< (rows, 2) mean and standard deviation; of classes (rows, K) their probabilities
};

/// A trained model. Const after it is made: threads may share it.
class Model {
 public:
  explicit Model(FittedModel model) : model_(std::move(model)) {}

  /// Trains on all rows of the table, whose last column is the target. recipe: JSON text. Messages of the training go
  /// to messages(). threads 0: those of the machine, or of OMP_NUM_THREADS. seconds_before: what of the time is spent.
  /// start: null, or the model at whose hyperparameters it begins.
  static std::shared_ptr<Model> fit(const std::string& recipe, const Table& table, std::uint64_t seed, int threads,
                                    pybind11::object progress, double seconds_before,
                                    const std::shared_ptr<Model>& start);
  /// fit() of several targets, a table each of the same rows: one kernel for all, or one each where the recipe says
  /// so; a model for each. targets: the columns of these names, all of which each table has; none: the last column.
  static std::vector<std::shared_ptr<Model>> fit_targets(const std::string& recipe, const std::vector<Table>& tables,
                                                         const std::vector<std::string>& targets, std::uint64_t seed,
                                                         int threads, pybind11::object progress, double seconds_before);
  /// Models of several targets of one file, or the one of a file of one.
  static std::vector<std::shared_ptr<Model>> read_targets(const std::string& path);
  static void write_targets(const std::vector<std::shared_ptr<Model>>& models, const std::string& path);
  static std::shared_ptr<Model> parse(const pybind11::bytes& bytes);
  void export_c(const std::string& path, const std::string& name) const;  ///< app/export_c.hpp
  pybind11::bytes bytes() const;

  std::string describe() const;  ///< recipe, schema, training and fits, as JSON text
  const std::vector<std::string>& messages() const { return messages_; }
  const std::optional<LeftOut>& left_out() const { return left_out_; }  ///< none of a model that was read
  /// Rows as predict() takes them, of a table of the model's inputs.
  Matrix encode(const Table& table) const;

  struct Numbers {
    Vector mean;
    std::optional<Vector> sd, lower, upper;
  };
  /// Of numbers and counts. interval: probability between lower and upper; 0 = none. weights: of the observations, one
  /// for each row, or none (PredictOptions::weights of model/fitted_model.hpp); below too.
  Numbers predict(const Rows& rows, bool with_sd, bool latent, double interval, int threads,
                  const Vector& weights = {}) const;
  /// Of numbers and counts, observations: quantiles at these probabilities, then P(Y > threshold); (rows, both).
  Matrix distribution(const Rows& rows, const std::vector<double>& probabilities, const std::vector<double>& thresholds,
                      int threads, const Vector& weights = {}) const;
  Matrix class_values(const Rows& rows, int threads) const;
  /// Slopes of the mean by the numeric inputs (rows, k), and their standard deviations if asked for.
  std::pair<Matrix, std::optional<Matrix>> gradient(const Rows& rows, bool with_sd, int threads) const;
  /// JSON text of explain() (app/explain_file.hpp). target: (rows) or empty; row: from 0, -1 = none.
  std::string explain(const Rows& rows, const Vector& target, Index row, Index inputs, Index interactions,
                      Index background, Index repeats, std::uint64_t seed, int threads) const;
  Matrix covariance(const Rows& rows, bool latent) const;
  Matrix draws(const Rows& rows, Index count, std::uint64_t seed) const;
  /// The model of these rows too (model/update.hpp); weights: one for each row, or none.
  std::shared_ptr<Model> update(const Rows& rows, const List<double>& target, const List<double>& weights,
                                double forget, int threads) const;
  /// One row (d) on the calling thread, which keeps the GIL: it guards the work space.
  const OneRowPrediction& predict_one(const List<double>& row, bool with_sd, bool latent) const;
  const FittedModel& fitted() const { return model_; }

 private:
  /// Throws std::invalid_argument for another width, and DataError for sparse rows of a model of dense ones.
  RowBlocks inputs(const Rows& rows) const;

  FittedModel model_;
  std::vector<std::string> messages_;
  std::optional<LeftOut> left_out_;
  mutable std::optional<OneRowWorkspace> workspace_;  // made by the first predict_one()
};

/// psi of rows: the map of a recipe at its first start, or that of a trained model.
class Features {
 public:
  /// The table as for Model::fit(); of its target only the place counts.
  static std::shared_ptr<Features> start(const std::string& recipe, const Table& table, std::uint64_t seed);
  /// Throws ConfigError for an exact kernel or a mixture.
  static std::shared_ptr<Features> of_model(const Model& model);
  static std::shared_ptr<Features> parse(const pybind11::bytes& bytes);
  pybind11::bytes bytes() const;

  std::string describe() const;  ///< recipe and schema, as JSON text
  Matrix encode(const Table& table) const;
  Index count() const { return map_->feature_count(); }
  /// (rows, count())
  Matrix transform(const Rows& rows, int threads) const;

 private:
  Recipe recipe_;
  Schema schema_;
  Standardizer standardizer_;
  std::shared_ptr<const FeatureMap> map_;
  Vector theta_;
};

const char* target_name(TargetKind kind);
Recipe parse_recipe_text(const std::string& text);
int thread_count(int threads);

}  // namespace alacarte::python
