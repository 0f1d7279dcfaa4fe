#include "alacarte/model/explanation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "data/row_pass.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

/// Returns the name of a recipe's model with its members: "gcws", or "exact-product of exact-rbf, exact-minmax".
std::string name_of(const Recipe& recipe) {
  std::vector<std::string> terms;
  for (const Recipe& term : recipe.terms) terms.push_back(term.model);
  return terms.empty() ? recipe.model : fmt::format("{} of {}", recipe.model, fmt::join(terms, ", "));
}

/// The derivative of a standardised row by one raw input, for the rows of a batch.
class ScalingTangent {
 public:
  ScalingTangent(const Standardizer& standardizer, ConstMat raw) : scaling_(standardizer.rows()) {
    scale_ = standardizer.input_scale();
    if (!scaling_.roots && !scaling_.unit) return;
    // The steps of standardise() for a row.
    stretched_ = raw;
    for (Index j = 0; j < raw.cols(); ++j)
      stretched_.col(j) = (raw.col(j).array() - standardizer.input_shift()[j]) / scale_[j];
    if (scaling_.roots && (stretched_.array() == 0).any())
      throw NumericalError("gradient", "an input is 0, where the root that it is scaled by has no slope");
    if (scaling_.roots) stretched_ = stretched_.array().sign() * stretched_.array().abs().sqrt();
    if (scaling_.unit) norms_ = stretched_.rowwise().stableNorm();
  }

  /// Fills x_dot (m, d) for input j at the rows first .. first + m - 1.
  void operator()(Index j, Index first, MatRef x_dot) const {
    x_dot.setZero();
    x_dot.col(j).setConstant(1 / scale_[j]);
    if (scaling_.roots) x_dot.col(j).array() /= 2 * stretched_.col(j).segment(first, x_dot.rows()).array().abs();
    for (Index i = 0; scaling_.unit && i < x_dot.rows(); ++i) {
      const double norm = norms_[first + i], own = x_dot(i, j) / norm;
      const auto row = stretched_.row(first + i) / norm;
      x_dot.row(i) = -own * row(j) * row;
      x_dot(i, j) += own;
    }
  }

 private:
  RowScaling scaling_;
  Vector scale_, norms_;
  Matrix stretched_;
};

}  // namespace

std::vector<Index> numeric_inputs(const Schema& schema) {
  std::vector<Index> places;
  Index at = 0;
  for (const InputColumn& column : schema.input_columns()) {
    if (!column.categorical) places.push_back(at);
    at += column.width();
  }
  return places;
}

std::string why_no_gradient(const FittedModel& model) {
  if (model.target() == TargetKind::classes) return "predicts classes: gradients are those of numbers";
  if (model.target() == TargetKind::counts) return "predicts counts: gradients are those of numbers";
  if (model.standardizer.is_sparse()) return "was trained on sparse rows: gradients need dense ones";
  for (const Member& member : model.members)
    if (const FunctionPosterior* function = member.posterior->as_function(); !function || !function->has_tangent())
      return fmt::format("has no gradient: the {} '{}' is not smooth", member.map ? "map" : "kernel",
                         name_of(member.recipe));
  return "";
}

GradientPrediction predict_gradient(const FittedModel& model, const InputView& raw, const std::vector<Index>& inputs,
                                    bool variance, int threads) {
  if (const std::string why = why_no_gradient(model); !why.empty()) throw ConfigError("the model", why);
  for (const Index j : inputs) require(j >= 0 && j < raw.cols(), "predict_gradient: there is no such input");
  const Matrix x = model.standardizer.inputs(raw.dense());
  const ScalingTangent scaling(model.standardizer, raw.dense());
  const Index rows = x.rows(), k = static_cast<Index>(inputs.size());
  const double share = 1 / static_cast<double>(model.members.size());
  GradientPrediction result{Matrix::Zero(rows, k), Matrix::Zero(variance ? rows : 0, variance ? k : 0)};
  std::vector<Matrix> means;
  for (const Member& member : model.members) {
    const FunctionPosterior& posterior = function_of(*member.posterior);
    Matrix mean(rows, k), own(result.variance.rows(), result.variance.cols());
    for_each_chunk(rows, kPosteriorRows, threads, [&](int, Index first, Index count) {
      Matrix own_mean(count, k), own_variance(variance ? count : 0, variance ? k : 0);
      const auto direction = [&](Index input, Index from, MatRef x_dot) {
        scaling(inputs[static_cast<std::size_t>(input)], first + from, x_dot);
      };
      posterior.predict_tangents(x.middleRows(first, count), k, direction, own_mean, own_variance);
      mean.middleRows(first, count) = own_mean;
      if (variance) own.middleRows(first, count) = own_variance;
    });
    result.mean += share * member.weight * mean;
    result.variance += share * member.weight * own;
    means.push_back(std::move(mean));
  }
  for (std::size_t j = 0; variance && j < means.size(); ++j)
    result.variance += share * model.members[j].weight * (means[j] - result.mean).cwiseAbs2();
  const double scale = model.standardizer.target_scale();
  result.mean *= scale;
  result.variance *= scale * scale;
  return result;
}

}  // namespace alacarte
