#pragma once
// Writes the features psi(x) of the rows of a file in formats that other programs read.
#include <alacarte/app/job.hpp>
#include <alacarte/core/recipe.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <string>

namespace alacarte {

/// Options of transform_file().
struct TransformFileOptions {
  std::string out;                   ///< .csv, .npy or .libsvm, some also with .gz (data/feature_writer.hpp)
  bool with_target = true;           ///< write the target with the features of each row
  std::uint64_t seed = 0;            ///< seed of the draws of a recipe's map
  std::string model_name = "model";  ///< name in messages
};

/// Size of the output.
struct TransformedFile {
  Index rows = 0, features = 0;  ///< rows written, numbers per row
};

/// Writes the features psi(x) of the scaled rows under the recipe's map at its first starting point
/// (train/plan/start.hpp); statistics and scales are computed from these rows. A table is read through a temporary rows
/// file beside `out`, a LIBSVM file twice if its rows stay sparse. Throws ConfigError for a recipe without features or
/// an unknown file format, DataError, IoError, NumericalError, Interrupted; then nothing is written. Memory:
/// independent of the number of rows.
TransformedFile transform_file(const Recipe& recipe, const std::string& path, const TransformFileOptions& options,
                               const Job& job = {});
/// Writes the features of the rows under the map of a trained model at its learned theta, scaled like its training
/// rows. Throws ConfigError for an exact kernel or a mixture, and as above.
TransformedFile transform_file(const FittedModel& model, const std::string& path, const TransformFileOptions& options,
                               const Job& job = {});

}  // namespace alacarte
