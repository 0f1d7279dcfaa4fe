#include "alacarte/model/explanation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "alacarte/core/threads.hpp"
#include "core/workers.hpp"
#include "data/row_pass.hpp"
#include "model/posteriors.hpp"

namespace alacarte {
namespace {

/// Returns `rows` with one input set.
Matrix with_value(ConstMat rows, const ExplainedInput& input, const InputValue& value) {
  Matrix set = rows;
  set.middleCols(input.first, input.width).rowwise() = value.encoded.transpose();
  return set;
}

/// Returns a quantile of ascending numbers, linear between neighbours.
double quantile(const std::vector<double>& sorted, double level) {
  const double place = level * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

InputValue number_value(double number) { return {Vector::Constant(1, number), number, fmt::format("{:.6g}", number)}; }

InputValue category_value(const ExplainedInput& input, Index place) {
  return {Vector::Unit(input.width, place), static_cast<double>(place),
          input.categories[static_cast<std::size_t>(place)]};
}

void check_rows(const FittedModel& model, ConstMat rows) {
  require(why_no_explanation(model).empty(), "the model cannot be explained");
  require(rows.rows() > 0 && rows.cols() == model.schema.input_count(), "explanations need rows of the model's inputs");
}

/// Returns the name of a recipe's model with its members: "gcws", or "exact-product of exact-rbf, exact-minmax".
std::string name_of(const Recipe& recipe) {
  std::vector<std::string> terms;
  for (const Recipe& term : recipe.terms) terms.push_back(term.model);
  return terms.empty() ? recipe.model : fmt::format("{} of {}", recipe.model, fmt::join(terms, ", "));
}

/// The derivative of a standardised row by one raw input, for the rows of a batch.
class ScalingTangent {
 public:
  ScalingTangent(const Standardizer& standardizer, ConstMat all)
      : scaling_(standardizer.rows()), smooth_(standardizer.smooth_count()) {
    scale_ = standardizer.input_scale();
    if (!scaling_.roots && !scaling_.unit) return;
    // The steps of standardise() for a row.
    const auto raw = all.leftCols(smooth_);
    stretched_ = raw;
    for (Index j = 0; j < smooth_; ++j)
      stretched_.col(j) = (raw.col(j).array() - standardizer.input_shift()[j]) / scale_[j];
    if (scaling_.roots && (stretched_.array() == 0).any())
      throw NumericalError("gradient", "an input is 0, where the root that it is scaled by has no slope");
    if (scaling_.roots) stretched_ = stretched_.array().sign() * stretched_.array().abs().sqrt();
    if (scaling_.unit) norms_ = stretched_.rowwise().stableNorm();
  }

  /// Fills x_dot (m, d) for input j at the rows first .. first + m - 1.
  void operator()(Index j, Index first, MatRef x_dot) const {
    x_dot.setZero();
    if (j >= smooth_) return;  // codes of levels
    x_dot.col(j).setConstant(1 / scale_[j]);
    if (scaling_.roots) x_dot.col(j).array() /= 2 * stretched_.col(j).segment(first, x_dot.rows()).array().abs();
    for (Index i = 0; scaling_.unit && i < x_dot.rows(); ++i) {
      const double norm = norms_[first + i], own = x_dot(i, j) / norm;
      const auto row = stretched_.row(first + i) / norm;
      x_dot.row(i).head(smooth_) = -own * row(j) * row;
      x_dot(i, j) += own;
    }
  }

 private:
  RowScaling scaling_;
  Index smooth_;
  Vector scale_, norms_;
  Matrix stretched_;
};

}  // namespace

std::string why_no_explanation(const FittedModel& model) {
  if (model.target() == TargetKind::classes) return "predicts classes: functions of numbers alone are explained";
  if (model.target() == TargetKind::counts) return "predicts counts: functions of numbers alone are explained";
  if (model.standardizer.is_sparse()) return "was trained on sparse rows: explanations need dense ones";
  return "";
}

std::vector<ExplainedInput> explained_inputs(const Schema& schema) {
  std::vector<ExplainedInput> inputs;
  Index at = 0;
  for (const InputColumn& column : schema.input_columns()) {
    // Gaps, cycles of dates and frequencies of levels are inputs of their own; levels themselves are not explained.
    const Index width = column.width();
    if (column.form == InputForm::onehot)
      inputs.push_back({column.name, at, width, column.categories});
    else
      for (Index k = 0; k < width; ++k)
        inputs.push_back({schema.input_names()[static_cast<std::size_t>(at + k)], at + k, 1, {}});
    at += width;
  }
  return inputs;
}

InputValue value_of(const ExplainedInput& input, ConstMat row) {
  if (input.categories.empty()) return number_value(row(0, input.first));
  Index place = 0;
  const Vector encoded = row.row(0).segment(input.first, input.width);
  if (encoded.maxCoeff(&place) > 0) return category_value(input, place);
  return {encoded, -1, "(none)"};
}

std::vector<InputValue> typical_values(const ExplainedInput& input, ConstMat rows, Index count) {
  require(rows.rows() > 0 && count >= 2, "typical values need rows, and to be two at least");
  std::vector<InputValue> values;
  if (!input.categories.empty()) {
    for (Index place = 0; place < input.width; ++place) values.push_back(category_value(input, place));
    return values;
  }
  const Vector column = rows.col(input.first);
  std::vector<double> sorted(column.begin(), column.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> distinct = sorted;
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (static_cast<Index>(distinct.size()) > count) {
    distinct.clear();
    for (Index k = 0; k < count; ++k)
      distinct.push_back(quantile(sorted, 0.05 + 0.9 * static_cast<double>(k) / static_cast<double>(count - 1)));
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  }
  for (const double number : distinct) values.push_back(number_value(number));
  return values;
}

Estimate estimate_sum(const FittedModel& model, ConstMat rows, ConstVec weights) {
  check_rows(model, rows);
  const Matrix x = model.standardizer.inputs(rows);
  const bool variance = model.has_variance();
  const auto count = static_cast<Index>(model.members.size());
  Vector means(count), variances(count);
  for (Index j = 0; j < count; ++j) {
    const auto& posterior = function_of(*model.members[static_cast<std::size_t>(j)].posterior);
    const auto moments = posterior.functional(x, weights, variance);
    means[j] = moments.mean;
    variances[j] = moments.variance;
  }
  const Eigen::ArrayXd shares = model.component_weights().array();
  const double mean = (shares * means.array()).mean(), scale = model.standardizer.target_scale();
  const double spread = (shares * (means.array() - mean).square()).mean();
  return {mean * scale + weights.sum() * model.standardizer.target_shift(),
          variance ? std::sqrt((shares * variances.array()).mean() + spread) * scale : 0.0};
}

PartialDependence partial_dependence(const FittedModel& model, ConstMat rows, const ExplainedInput& input, Index count,
                                     int threads) {
  check_rows(model, rows);
  PartialDependence result{input, typical_values(input, rows, count), {}, 0};
  const auto size = static_cast<Index>(result.values.size());
  result.f.resize(result.values.size());
  const Vector weights = Vector::Constant(rows.rows(), 1 / static_cast<double>(rows.rows()));
  const BlasThreads single(1);
  run_dealt(std::max(1, threads), size, 1, [&](Index k) {
    const auto at = static_cast<std::size_t>(k);
    result.f[at] = estimate_sum(model, with_value(rows, input, result.values[at]), weights);
  });
  Vector means(size);
  for (Index k = 0; k < size; ++k) means[k] = result.f[static_cast<std::size_t>(k)].mean;
  result.spread = std::sqrt((means.array() - means.mean()).square().mean());
  return result;
}

Interaction interaction(const FittedModel& model, ConstMat rows, const ExplainedInput& first,
                        const ExplainedInput& second, Index count, int threads) {
  check_rows(model, rows);
  Interaction result{first, second, typical_values(first, rows, count), typical_values(second, rows, count), {}, {}, 0};
  const auto own = static_cast<Index>(result.first_values.size());
  const auto other = static_cast<Index>(result.second_values.size());
  const Index n = rows.rows();
  result.mean.resize(own, other);
  result.sd.resize(own, other);
  Vector weights(4 * n);
  weights << Vector::Ones(n), -Vector::Ones(2 * n), Vector::Ones(n);
  weights /= static_cast<double>(n);
  const BlasThreads single(1);
  run_dealt(std::max(1, threads), own * other, 1, [&](Index k) {
    const InputValue& a = result.first_values[static_cast<std::size_t>(k % own)];
    const InputValue& b = result.second_values[static_cast<std::size_t>(k / own)];
    Matrix all(4 * n, rows.cols());
    all.topRows(n) = with_value(with_value(rows, first, a), second, b);
    all.middleRows(n, n) = with_value(rows, first, a);
    all.middleRows(2 * n, n) = with_value(rows, second, b);
    all.bottomRows(n) = rows;
    const Estimate estimate = estimate_sum(model, all, weights);
    result.mean(k % own, k / own) = estimate.mean;
    result.sd(k % own, k / own) = estimate.sd;
  });
  result.strength = std::sqrt(result.mean.array().square().mean());
  return result;
}

std::vector<Index> numeric_inputs(const Schema& schema) {
  std::vector<Index> places;
  Index at = 0;
  for (const InputColumn& column : schema.input_columns()) {
    const bool is_number = column.form == InputForm::number || column.form == InputForm::styled || column.is_date();
    if (is_number && column.cycles.empty()) places.push_back(at);
    at += column.width();
  }
  return places;
}

std::string why_no_gradient(const FittedModel& model) {
  if (model.target() == TargetKind::classes) return "predicts classes: gradients are those of numbers";
  if (model.target() == TargetKind::counts) return "predicts counts: gradients are those of numbers";
  if (!model.standardizer.transform().is_identity())
    return fmt::format("transforms its target (scale.target '{}'): gradients are those of a target that is not",
                       word(model.recipe.scale_target));
  if (model.standardizer.is_sparse()) return "was trained on sparse rows: gradients need dense ones";
  for (const Member& member : model.members)
    if (const FunctionPosterior* function = member.posterior->as_function(); !function || !function->has_tangent())
      return fmt::format("has no gradient: the {} '{}' is not smooth", member.prior.map() ? "map" : "kernel",
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
