#pragma once
// Exports a model's mean as one C file, for programs and devices without this library.
#include <alacarte/model/fitted_model.hpp>
#include <string>

namespace alacarte {

/// Returns a self-contained C99 file (mean_formula.hpp) with
///   double PREFIX_mean(const double *x);           mean in target units; x: (d) encoded rows
///   const int PREFIX_input_count;                  d
///   const char *const PREFIX_input_names[];        meaning of each entry of x
/// It agrees with the model's predictions to rounding: about 1e-12 of the target's scale. Throws ConfigError as
/// mean_formula(), and for a prefix that is no identifier.
std::string mean_as_c(const FittedModel& model, const std::string& prefix = "alacarte");

/// Writes mean_as_c() to a file atomically. Throws IoError, and as mean_as_c().
void export_c(const FittedModel& model, const std::string& path, const std::string& prefix = "alacarte");

}  // namespace alacarte
