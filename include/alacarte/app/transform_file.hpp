#pragma once
// Rows in, the features of a map out, for other programs.
#include <alacarte/app/job.hpp>
#include <alacarte/core/recipe.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <string>

namespace alacarte {

struct TransformFileOptions {
  std::string out;                   ///< .csv, .npy or .libsvm, some also with .gz (data/feature_writer.hpp)
  bool with_target = true;           ///< beside the features of each row
  std::uint64_t seed = 0;            ///< of the draws of a recipe's map
  std::string model_name = "model";  ///< in messages
};

struct TransformedFile {
  Index rows = 0, features = 0;
};

/// The features psi(x) of the scaled rows under the recipe's map where learning would start (train/start.hpp), made and
/// scaled for these rows. A table is read through a temporary rows file beside `out`, a LIBSVM file twice where its
/// rows stay sparse. Throws ConfigError for a recipe without features or a name without a format, DataError, IoError,
/// NumericalError, Interrupted; nothing is written then. Memory: flat.
TransformedFile transform_file(const Recipe& recipe, const std::string& path, const TransformFileOptions& options,
                               const Job& job = {});
/// Under the map of a trained model where its learning ended, with the scales of its training rows. ConfigError for an
/// exact kernel, or a model of several fits.
TransformedFile transform_file(const FittedModel& model, const std::string& path, const TransformFileOptions& options,
                               const Job& job = {});

}  // namespace alacarte
