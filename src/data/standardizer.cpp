#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "alacarte/core/error.hpp"
#include "alacarte/data/dataset.hpp"
#include "core/ranks.hpp"

namespace alacarte {
namespace {

struct ShiftScale {
  double shift = 0, scale = 1;
};

double stable_mean(ConstVec values) {
  const double mean = values.mean();
  return std::isfinite(mean) ? mean : (values / static_cast<double>(values.size())).sum();
}

// Statistics of a column from two passes over blocks, within the range of doubles.
struct ColumnSums {
  double minimum = std::numeric_limits<double>::infinity(), maximum = -minimum;
  double mean = 0, squares = 0;  // squares: of deviations over the largest one
  bool finite = true;

  void add(ConstVec values, double share) {
    minimum = std::min(minimum, values.minCoeff());
    maximum = std::max(maximum, values.maxCoeff());
    finite = finite && values.allFinite();
    mean += stable_mean(values) * share;
  }
  double largest() const { return std::max(maximum - mean, mean - minimum); }
  void add_squares(ConstVec values) { squares += ((values.array() - mean) / largest()).square().sum(); }

  ShiftScale learn(Scaling scaling, Index count, const std::string& name) const {
    if (!finite) throw NumericalError("standardise", name + " is not finite");
    if (scaling == Scaling::none) return {};
    if (minimum == maximum) return {minimum, 1};
    if (scaling == Scaling::center) return {mean, 1};
    const double sd = largest() * std::sqrt(squares / static_cast<double>(count - 1));
    const ShiftScale result = scaling == Scaling::range ? ShiftScale{minimum, maximum - minimum} : ShiftScale{mean, sd};
    if (!std::isfinite(result.scale))
      throw NumericalError("standardise", name + " spans more than the range of doubles", result.scale);
    return result.scale > 0 ? result : ShiftScale{result.shift, 1};
  }
};

/// Scaling after the transform that a scaling of the target stands for.
Scaling scaling_after_transform(TargetScaling scaling) {
  switch (scaling) {
    case TargetScaling::none: return Scaling::none;
    case TargetScaling::center: return Scaling::center;
    case TargetScaling::range: return Scaling::range;
    default: return Scaling::zscore;
  }
}

constexpr Index kMaxTransformRows = 20'000;

/// Learns the transform of the target from rows spread evenly; its minimum is that of the rows read.
TargetTransform transform_of(const RowSource& rows, TargetScaling scaling) {
  if (scaling != TargetScaling::yeo_johnson) return learn_transform(scaling, Vector());
  const Index count = std::min(kMaxTransformRows, rows.rows());
  std::vector<Index> places;
  for (Index k = 0; k < count; ++k) places.push_back(k * rows.rows() / count);
  const Vector targets = gather_rows(rows, places)->y();
  if (!targets.allFinite()) throw NumericalError("standardise", "the target is not finite");
  return learn_transform(scaling, targets);
}

/// Refuses targets that have no logarithm, of which `smallest` is one.
[[noreturn]] void refuse_smallest(const RowSource& rows, double smallest) {
  std::string place;
  if (!rows.is_distributed()) {
    Index first = 0, row = 0;
    for_each_block(rows, [&](const RowBlock& block) {
      for (Index i = block.y.size() - 1; i >= 0; --i)
        if (block.y[i] == smallest) row = first + i;
      first += block.y.size();
    });
    place = fmt::format(", in row {} of those that are trained on", row + 1);
  }
  throw DataError("training data", fmt::format("scale.target 'log' needs targets above 0, and the smallest is {:g}{}; "
                                               "take 'yeo-johnson' or 'zscore'",
                                               smallest, place));
}

void add_over_ranks(std::vector<ColumnSums>& columns) {
  const auto count = static_cast<Index>(columns.size());
  Vector least(3 * count);
  ranks::Sums means;
  for (Index j = 0; j < count; ++j) {
    ColumnSums& own = columns[static_cast<std::size_t>(j)];
    least.segment(3 * j, 3) << own.minimum, -own.maximum, own.finite ? 1.0 : 0.0;
    means.add(own.mean);
  }
  ranks::minimum(least);
  means.run();
  for (Index j = 0; j < count; ++j) {
    ColumnSums& own = columns[static_cast<std::size_t>(j)];
    own.minimum = least[3 * j];
    own.maximum = -least[3 * j + 1];
    own.finite = least[3 * j + 2] > 0;
  }
}

void add_squares_over_ranks(std::vector<ColumnSums>& columns) {
  ranks::Sums squares;
  for (ColumnSums& own : columns) squares.add(own.squares);
  squares.run();
}

// Divides by the largest entry first, so that squares stay in the range of doubles.
template <class Row>
void to_unit_row(Row&& row) {
  const double largest = row.size() > 0 ? row.cwiseAbs().maxCoeff() : 0;
  if (!(largest > 0)) return;
  row /= largest;
  row /= std::sqrt(row.squaredNorm());
}

template <class Values>
void to_roots(Values&& z) {
  z = z.array().sign() * z.array().abs().sqrt();
}

void scale_rows(const RowScaling& rows, MatRef z) {
  if (rows.roots) to_roots(z);
  for (Index i = 0; rows.unit && i < z.rows(); ++i) to_unit_row(z.row(i));
}

}  // namespace

Standardizer Standardizer::learn(const RowSource& rows, Scaling scale_inputs, TargetScaling scale_target,
                                 RowScaling row_scaling) {
  require(rows.rows() > 0, "Standardizer::learn: no rows");
  if (is_curve(scale_inputs)) scale_inputs = Scaling::zscore;
  const Index d = rows.is_sparse() ? 0 : rows.inputs(), n = rows.rows();
  TargetTransform transform = transform_of(rows, scale_target);
  const bool is_plain = transform.is_identity();
  // The target comes after the inputs, followed by the target before its transform.
  std::vector<ColumnSums> sums(static_cast<std::size_t>(is_plain ? d + 1 : d + 2));
  const auto for_columns = [&](const auto& body) {
    for_each_block(rows, [&](const RowBlock& block) {
      for (Index j = 0; j < d; ++j) body(sums[static_cast<std::size_t>(j)], block.x.dense().col(j));
      if (is_plain) return body(sums.back(), block.y);
      body(sums[static_cast<std::size_t>(d)], transform.forward(block.y));
      body(sums.back(), block.y);
    });
  };
  for_columns([&](ColumnSums& column, ConstVec values) {
    column.add(values, static_cast<double>(values.size()) / static_cast<double>(n));
  });
  if (rows.is_distributed()) add_over_ranks(sums);
  if (scale_target == TargetScaling::log && sums.back().minimum <= 0) refuse_smallest(rows, sums.back().minimum);
  if (scale_target == TargetScaling::yeo_johnson && (sums.back().minimum >= 0) != (transform.minimum() == 0))
    transform = TargetTransform::yeo_johnson(transform.lambda(), transform.unit());
  if (scale_inputs == Scaling::zscore || scaling_after_transform(scale_target) == Scaling::zscore) {
    for_columns([](ColumnSums& column, ConstVec values) { column.add_squares(values); });
    if (rows.is_distributed()) add_squares_over_ranks(sums);
  }
  Standardizer result;
  if (rows.is_sparse()) result = sparse(rows.inputs(), row_scaling);
  result.rows_ = row_scaling;
  if (!rows.is_sparse())
    for (Vector* each : {&result.shift_, &result.scale_, &result.minimum_, &result.maximum_}) each->resize(d);
  result.levels_ = static_cast<Index>(rows.level_counts().size());
  for (Index j = 0; j < d; ++j) {
    const ColumnSums& column = sums[static_cast<std::size_t>(j)];
    const bool has_codes = j >= d - result.levels_;
    const ShiftScale learned =
        column.learn(has_codes ? Scaling::none : scale_inputs, n, "input column " + std::to_string(j));
    result.shift_[j] = learned.shift;
    result.scale_[j] = learned.scale;
    result.minimum_[j] = column.minimum;
    result.maximum_[j] = column.maximum;
  }
  const ShiftScale learned =
      sums[static_cast<std::size_t>(d)].learn(scaling_after_transform(scale_target), n, "the target");
  result.target_shift_ = learned.shift;
  result.target_scale_ = learned.scale;
  if (!is_plain) result.target_spread_ = sums.back().learn(Scaling::zscore, n, "the target").scale;
  result.transform_ = transform;
  return result;
}

Standardizer Standardizer::sparse(Index inputs, RowScaling rows) {
  require(inputs > 0, "Standardizer::sparse: no inputs");
  Standardizer result;
  result.sparse_ = true;
  result.rows_ = rows;
  result.shift_ = Vector::Zero(inputs);
  result.scale_ = Vector::Ones(inputs);
  return result;
}

void Standardizer::standardise(SparseRows& raw) const {
  require(sparse_ && raw.width == shift_.size(), "Standardizer::standardise: sparse rows of another model");
  if (rows_.roots) to_roots(Eigen::Map<Vector>(raw.values.data(), static_cast<Index>(raw.values.size())));
  for (Index i = 0; rows_.unit && i < raw.rows(); ++i) {
    const Index first = raw.starts[static_cast<std::size_t>(i)], last = raw.starts[static_cast<std::size_t>(i + 1)];
    to_unit_row(Eigen::Map<Vector>(raw.values.data() + first, last - first));
  }
}

Matrix Standardizer::inputs(ConstMat raw) const {
  Matrix z = raw;
  standardise(z);
  return z;
}

void Standardizer::standardise(MatRef raw) const {
  require(raw.cols() == shift_.size(), "Standardizer::standardise: another number of columns");
  for (Index j = 0; j < raw.cols(); ++j) raw.col(j) = (raw.col(j).array() - shift_[j]) / scale_[j];
  scale_rows(rows_, raw.leftCols(smooth_count()));
}

void Standardizer::standardise_row(ConstVec raw, VecRef z) const {
  require(raw.size() == shift_.size() && z.size() == raw.size(),
          "Standardizer::standardise_row: another number of columns");
  z = (raw - shift_).cwiseQuotient(scale_);
  scale_rows(rows_, Eigen::Map<Matrix>(z.data(), 1, smooth_count()));
}

Vector Standardizer::target(ConstVec raw) const {
  if (!transform_.is_identity()) return (transform_.forward(raw).array() - target_shift_) / target_scale_;
  return (raw.array() - target_shift_) / target_scale_;
}

Vector Standardizer::share_outside(ConstMat raw) const {
  require(raw.cols() == shift_.size(), "Standardizer::share_outside: another number of columns");
  Vector outside = Vector::Zero(raw.rows());
  if (sparse_) return outside;
  for (Index j = 0; j < raw.cols(); ++j)
    outside.array() += (raw.col(j).array() < minimum_[j] || raw.col(j).array() > maximum_[j]).cast<double>();
  return raw.cols() == 0 ? outside : Vector(outside / static_cast<double>(raw.cols()));
}

Standardizer Standardizer::with_target_of(const Standardizer& other) const {
  Standardizer result = *this;
  result.target_shift_ = other.target_shift_;
  result.target_scale_ = other.target_scale_;
  result.target_spread_ = other.target_spread_;
  result.transform_ = other.transform_;
  return result;
}

void Standardizer::widen(ConstMat raw) {
  if (sparse_ || raw.rows() == 0) return;
  require(raw.cols() == shift_.size(), "Standardizer::widen: another number of columns");
  minimum_ = minimum_.cwiseMin(raw.colwise().minCoeff().transpose());
  maximum_ = maximum_.cwiseMax(raw.colwise().maxCoeff().transpose());
}

}  // namespace alacarte
