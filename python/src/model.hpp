#pragma once
// Models and feature maps as Python objects.
#include <pybind11/eigen.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "alacarte/model/fitted_model.hpp"
#include "encoding.hpp"
#include "table.hpp"

namespace alacarte::python {

/// Weights and offsets of rows to predict (PredictOptions of model/fitted_model.hpp): one for each row, or none.
struct RowValues {
  Vector weights, offsets;
  void check(Index rows) const {
    for (const Vector* values : {&weights, &offsets})
      require(values->size() == 0 || values->size() == rows, "predict: one weight and offset for each row, or none");
  }
};

/// Leave-one-out predictions of training rows.
struct LeftOut {
  std::vector<Index> rows;  ///< empty: all rows
  Matrix values;            ///< (rows, 2) mean and standard deviation; for classification (rows, K) probabilities
};

/// A trained model. Immutable, so that threads may share it.
class Model {
 public:
  explicit Model(FittedModel model) : model_(std::move(model)) {}

  /// Trains on all rows of the table, whose last column is the target. recipe: JSON text. Messages of the training go
  /// to messages(). threads 0: those of the machine, or OMP_NUM_THREADS. seconds_before: time already spent. start:
  /// null, or the model whose hyperparameters are the start.
  static std::shared_ptr<Model> fit(const std::string& recipe, const Table& table, std::uint64_t seed, int threads,
                                    pybind11::object progress, double seconds_before,
                                    const std::shared_ptr<Model>& start);
  /// Trains several targets, a table each of the same rows: one kernel for all, or one each if the recipe says so;
  /// returns a model each. targets: names of the target columns, which all tables have; none: the last column.
  static std::vector<std::shared_ptr<Model>> fit_targets(const std::string& recipe, const std::vector<Table>& tables,
                                                         const std::vector<std::string>& targets, std::uint64_t seed,
                                                         int threads, pybind11::object progress, double seconds_before);
  /// Reads the models of several targets of one file, or the only one.
  static std::vector<std::shared_ptr<Model>> read_targets(const std::string& path);
  static void write_targets(const std::vector<std::shared_ptr<Model>>& models, const std::string& path);
  static std::shared_ptr<Model> parse(const pybind11::bytes& bytes);
  void export_c(const std::string& path, const std::string& name) const;  ///< calls app/export_c.hpp
  pybind11::bytes bytes() const;

  std::string describe() const;  ///< returns recipe, schema, columns, training and fits as JSON text
  const std::vector<std::string>& messages() const { return messages_; }
  const std::optional<LeftOut>& left_out() const { return left_out_; }  ///< empty for a model that was read
  /// Returns the rows of the table of fit() that were learned; empty if all were, or for a model that was read.
  const std::vector<Index>& learned_rows() const { return learned_rows_; }
  std::string summary() const;  ///< returns the text of alacarte inspect
  /// Encodes a table of the model's inputs for predict().
  Matrix encode(const Table& table) const;
  /// Returns how many inputs of each row of a table have a value that no training row had; the schema counts them.
  std::vector<Index> count_unseen(const Table& table) const;

  struct Numbers {
    Vector mean;
    std::optional<Vector> sd, lower, upper;
  };
  /// Predicts for regression and counts. interval: probability between lower and upper; 0 = none.
  Numbers predict(const Rows& rows, bool with_sd, bool latent, double interval, int threads,
                  const RowValues& values) const;
  /// Returns, for observations of regression and counts, quantiles, then P(Y > threshold); (rows, both).
  Matrix distribution(const Rows& rows, const std::vector<double>& probabilities, const std::vector<double>& thresholds,
                      int threads, const RowValues& of_rows) const;
  Matrix class_values(const Rows& rows, int threads) const;
  /// Returns slopes of the mean along the numeric inputs (rows, k), and optionally their standard deviations.
  std::pair<Matrix, std::optional<Matrix>> gradient(const Rows& rows, bool with_sd, int threads) const;
  /// Returns the JSON text of explain() (app/explain_file.hpp). target: (rows) or empty; row: from 0, -1 = none.
  std::string explain(const Rows& rows, const Vector& target, Index row, Index inputs, Index interactions,
                      Index background, Index repeats, std::uint64_t seed, int threads) const;
  Matrix covariance(const Rows& rows, bool latent) const;
  Matrix draws(const Rows& rows, Index count, std::uint64_t seed) const;
  /// Returns the model updated with these rows (model/update.hpp); weights: one per row, or none.
  std::shared_ptr<Model> update(const Rows& rows, const List<double>& target, const List<double>& weights,
                                double forget, int threads) const;
  /// Predicts one row (d) on the calling thread, which keeps the GIL: it guards the work space. exposure: of a count.
  const OneRowPrediction& predict_one(const List<double>& row, bool with_sd, bool latent, double exposure) const;
  const FittedModel& fitted() const { return model_; }

 private:
  /// Throws std::invalid_argument for another width, and DataError for sparse rows and a model of dense ones.
  RowBlocks inputs(const Rows& rows) const;

  FittedModel model_;
  std::vector<std::string> messages_;
  std::optional<LeftOut> left_out_;
  std::vector<Index> learned_rows_;
  mutable std::optional<OneRowWorkspace> workspace_;  // made by the first predict_one()
};

/// Features psi of rows: the map of a recipe at its first start, or of a trained model.
class Features {
 public:
  /// Makes the map of a recipe at its first start. The table is as in Model::fit(); its target's values are ignored.
  static std::shared_ptr<Features> start(const std::string& recipe, const Table& table, std::uint64_t seed);
  /// Returns the map of a model. Throws ConfigError for an exact kernel or a mixture.
  static std::shared_ptr<Features> of_model(const Model& model);
  static std::shared_ptr<Features> parse(const pybind11::bytes& bytes);
  pybind11::bytes bytes() const;

  std::string describe() const;  ///< returns recipe and schema as JSON text
  Matrix encode(const Table& table) const;
  Index count() const { return map_->feature_count(); }
  /// Returns psi (rows, count()).
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
