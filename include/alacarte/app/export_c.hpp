#pragma once
// A trained model's mean as one C file, for programs and devices that do not have this library.
#include <alacarte/model/fitted_model.hpp>
#include <string>

namespace alacarte {

/// One self-contained C99 file (mean_formula.hpp) with
///   double PREFIX_mean(const double *x);           the mean in the unit of the target, x (d) encoded rows
///   const int PREFIX_input_count;                  d
///   const char *const PREFIX_input_names[];        what each entry of x is
/// Equal to the predictions of the model to rounding: about 1e-12 of the target's scale. Throws ConfigError as
/// mean_formula(), and for a prefix that is no identifier.
std::string mean_as_c(const FittedModel& model, const std::string& prefix = "alacarte");

/// Writes it to a file, whole or not at all. Throws IoError, and as mean_as_c().
void export_c(const FittedModel& model, const std::string& path, const std::string& prefix = "alacarte");

}  // namespace alacarte
