#pragma once
// Predicts the rows of a file and writes CSV, in memory independent of the number of rows.
#include <alacarte/app/job.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

/// Outputs of predict_file() and their files.
struct PredictFileOptions {
  std::string out;                 ///< CSV to write; "-" is standard output
  std::optional<double> interval;  ///< probability inside [lower, upper], in (0, 1); 0.95 if nothing is requested
  std::vector<double> quantiles;   ///< probabilities in (0, 1), a column of quantiles each
  std::vector<double> thresholds;  ///< values in target units, a column with the probability of exceeding each
  bool gradient = false;           ///< slopes of the mean along each numeric input, with error bars
  bool latent = false;             ///< error bars of the function itself, without the observation noise
  std::string covariance;  ///< "" = none; NPY (rows, rows): covariance of the mixture, as FittedModel::covariance()
  Index draws = 0;         ///< number of functions to draw from the posterior; written to draws_out
  std::string draws_out;   ///< NPY (rows, draws)
  std::uint64_t seed = 0;  ///< seed of the draws
  std::string model_name = "model", data_name = {};  ///< names in messages; empty data_name: the path
};

/// Predicts the rows of a table or rows file ("-" is standard input) and returns their number. Columns: [row,] [key,]
/// mean, sd_KIND, lower_KIND, upper_KIND, quantile_KIND(P).., above_KIND(T).., gradient(INPUT), gradient_sd(INPUT) of
/// each numeric input, share_outside; KIND is observation or latent. Gradients are those of f (model/explanation.hpp).
/// For classification: label and, for each class NAME, p(NAME), or value(NAME) for a model without probabilities, in
/// place of mean and error bars. A model without variances has the mean only. row: present if the model drops rows;
/// share_outside: share of inputs outside the training range. Nothing is written unless all succeeds (except the
/// covariance and the draws, which precede the CSV). Throws ConfigError for outputs that the model lacks and for a
/// covariance or draws larger than the machine's memory; DataError, IoError, NumericalError, Interrupted. Memory:
/// constant, but covariance and draws hold all rows.
Index predict_file(const FittedModel& model, const std::string& path, const PredictFileOptions& options,
                   const Job& job = {});
/// Predicts with models of several targets of the same inputs (load_models()): a block of columns each, named
/// TARGET.COLUMN. Covariances and draws are not available.
Index predict_file(const std::vector<FittedModel>& models, const std::string& path, const PredictFileOptions& options,
                   const Job& job = {});

/// Predicts every file that matches a pattern ('part-*.csv'), shared among processes that run together. If options.out
/// has a star, each part gets a file with its number in place of the star; otherwise one file has the parts in order.
/// Returns the total number of rows. Throws ConfigError for covariances, draws and standard output.
Index predict_parts(const std::vector<FittedModel>& models, const std::string& pattern,
                    const PredictFileOptions& options, const Job& job = {});

}  // namespace alacarte
