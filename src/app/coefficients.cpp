#include "coefficients.hpp"

#include <fmt/format.h>
#include <numeric>

#include "core/spelling.hpp"
#include "model/fit_inputs.hpp"
#include "quantities.hpp"

namespace alacarte {
namespace {

constexpr Index kMaxInputs = 1000;

bool has_coefficients(const FittedModel& model) {
  if (model.target() != TargetKind::numbers || model.members.size() != 1) return false;
  const Member& member = model.members.front();
  return member.recipe.model == "linear" && view_of(member.recipe).is_plain() &&
         member.posterior->as_function() != nullptr && !model.standardizer.is_sparse() &&
         model.standardizer.rows() == RowScaling() && model.standardizer.input_shift().size() <= kMaxInputs;
}

}  // namespace

std::optional<LinearCoefficients> linear_coefficients(const FittedModel& model) {
  if (!has_coefficients(model)) return std::nullopt;
  const FunctionPosterior& posterior = function_of(*model.members.front().posterior);
  const Standardizer& standardizer = model.standardizer;
  const Index d = standardizer.smooth_count(), levels = standardizer.input_shift().size() - d;
  // The slopes are differences of f at the origin and at each unit vector, for an unknown level.
  Matrix points = Matrix::Constant(d + 1, d + levels, -1);
  points.leftCols(d) << Matrix::Zero(1, d), Matrix::Identity(d, d);
  Vector mean(d + 1), none(0);
  posterior.predict(InputView(points), mean, none);
  Matrix covariance;
  if (posterior.has_variance()) covariance = posterior.covariance(InputView(points));
  // Unknown levels differ from row to row, and a slope does not: it is a derivative.
  Matrix slopes(1, d), slope_variances(1, d);
  const bool has_slopes = levels > 0 && posterior.has_variance() && posterior.has_tangent();
  if (has_slopes)
    posterior.predict_tangents(
        InputView(points.topRows(1)), d, [](Index k, Index, MatRef x_dot) { x_dot.setZero(), x_dot.col(k).setOnes(); },
        slopes, slope_variances);
  LinearCoefficients result;
  result.intercept = standardizer.target_shift() + standardizer.target_scale() * mean[0];
  for (Index j = 0; j < d; ++j) {
    const double unit = standardizer.target_scale() / standardizer.input_scale()[j];
    LinearCoefficients::Coefficient one{
        model.schema.input_names()[static_cast<std::size_t>(j)], unit * (mean[j + 1] - mean[0]), {}};
    if (covariance.size() > 0) {
      const double variance =
          has_slopes ? slope_variances(0, j) : covariance(j + 1, j + 1) + covariance(0, 0) - 2 * covariance(j + 1, 0);
      one.sd = unit * std::sqrt(std::max(variance, 0.0));
    }
    result.intercept -= one.value * standardizer.input_shift()[j];
    result.inputs.push_back(std::move(one));
  }
  return result;
}

std::string coefficients_text(const LinearCoefficients& coefficients, const FittedModel& model, std::size_t most) {
  std::vector<std::size_t> order(coefficients.inputs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto moves = [&](std::size_t j) {
    return std::abs(coefficients.inputs[j].value) * model.standardizer.input_scale()[static_cast<Index>(j)];
  };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return moves(a) > moves(b); });
  std::vector<std::vector<std::string>> rows = {{"input", "coefficient", "sd"},
                                                {"(intercept)", fmt::format("{:.6g}", coefficients.intercept), ""}};
  for (const std::size_t j : order) {
    if (rows.size() == most + 2) break;
    const auto& input = coefficients.inputs[j];
    rows.push_back(
        {one_line(input.name), fmt::format("{:.6g}", input.value), input.sd ? fmt::format("{:.2g}", *input.sd) : "-"});
  }
  std::string text =
      fmt::format("coefficients, in units of '{}'{} for each unit of the input\n", one_line(model.schema.target_name()),
                  model.standardizer.transform().is_identity()
                      ? ""
                      : fmt::format(" after scale.target '{}'", word(model.recipe.scale_target))) +
      text_table(rows, "lrr", 2);
  if (order.size() > most) text += fmt::format("  .. and {} that move it less\n", order.size() - most);
  return text;
}

// The effects are the last terms of a sum.
std::vector<RandomEffect> random_effects(const FittedModel& model, const KernelDescription& description) {
  const std::vector<Index> counts = model.schema.level_counts();
  const auto smooth = static_cast<std::size_t>(model.standardizer.smooth_count());
  const auto& names = model.schema.input_names();
  std::vector<RandomEffect> effects;
  for (std::size_t k = 0; k < counts.size() && counts.size() < description.terms.size(); ++k) {
    const KernelDescription& term = description.terms[description.terms.size() - counts.size() + k];
    effects.push_back({smooth + k < names.size() ? names[smooth + k] : std::to_string(k), counts[k],
                       term.amplitude * model.standardizer.target_scale()});
  }
  return effects;
}

}  // namespace alacarte
