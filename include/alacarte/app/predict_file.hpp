#pragma once
// Predicts the rows of a file and writes CSV, in memory that does not grow with the rows.
#include <alacarte/app/job.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <optional>
#include <string>
#include <vector>

namespace alacarte {

/// What predict_file() computes and where it goes.
struct PredictFileOptions {
  std::string out;                 ///< CSV to write; "-" is standard output
  std::optional<double> interval;  ///< probability inside [lower, upper], in (0, 1); 0.95 where nothing is asked for
  std::vector<double> quantiles;   ///< probabilities in (0, 1): their quantiles, a column each
  std::vector<double> thresholds;  ///< in the unit of the target: the probability of a value above, a column each
  bool gradient = false;           ///< slopes of the mean by each numeric input, and their error bars
  bool latent = false;             ///< error bars of the function itself, without the observation noise
  std::string covariance;          ///< "" = none; NPY (rows, rows): of the mixture, as FittedModel::covariance()
  Index draws = 0;                 ///< functions to draw from the posterior; their values go to draws_out
  std::string draws_out;           ///< NPY (rows, draws)
  std::uint64_t seed = 0;          ///< of the draws
  std::string model_name = "model", data_name = {};  ///< in messages; empty data_name: the path
};

/// Predicts the rows of a table or rows file ("-" is standard input) and returns their number. Columns: [row,] [key,]
/// mean, sd_KIND, lower_KIND, upper_KIND, quantile_KIND(P).., above_KIND(T).., gradient(INPUT), gradient_sd(INPUT) of
/// each numeric input, share_outside; KIND is observation or latent. Gradients are those of f (model/gradient.hpp). Of
/// classes: label and, for each class NAME, p(NAME), or value(NAME) of a model without probabilities, in place of mean
/// and error bars. A model without variances has the mean alone. row: there when the model drops rows; share_outside:
/// share of the inputs outside the range seen in training. Nothing is written unless all succeeds (up to the covariance
/// and the draws, which come before the CSV). Throws ConfigError for what the model does not have, or for a covariance
/// or draws that are larger than the memory of the machine; DataError, IoError, NumericalError, Interrupted. Memory:
/// flat, but covariance and draws hold all rows.
Index predict_file(const FittedModel& model, const std::string& path, const PredictFileOptions& options,
                   const Job& job = {});
/// predict_file() of models of several targets of the same inputs (load_models()): a block of columns for each, whose
/// names begin with that of the target and a dot. There are no covariances and draws.
Index predict_file(const std::vector<FittedModel>& models, const std::string& path, const PredictFileOptions& options,
                   const Job& job = {});

/// predict_file() of every file that matches a pattern ('part-*.csv'), shared out among processes that run together.
/// options.out with a star: a file for each part, its number in place of the star; without: one, in the order of the
/// parts. Returns the rows of all. ConfigError for covariances and draws, and standard output.
Index predict_parts(const std::vector<FittedModel>& models, const std::string& pattern,
                    const PredictFileOptions& options, const Job& job = {});

}  // namespace alacarte
