#include "data/input_curves.hpp"

#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "core/special_functions.hpp"

namespace alacarte {
namespace {

constexpr Index kMaxKnots = 65;
// Rows for each knot of normal scores: the distances of single rows are chance, and would be the slopes of the curve.
constexpr Index kRowsPerKnot = 8;
constexpr double kMinStep = 1e-9;  // smallest distance of two knots, as a share of the range
constexpr double kClip = 3;        // bound of the smooth clip

/// The distinct values of a column, ascending, with the middles of their ranks in (0, 1).
struct RankedValues {
  std::vector<double> values, ranks;
};

RankedValues ranked(std::vector<double> column) {
  std::sort(column.begin(), column.end());
  RankedValues result;
  const auto n = static_cast<double>(column.size());
  const double least = kMinStep * (column.back() - column.front());
  for (std::size_t first = 0; first < column.size();) {
    std::size_t last = first + 1;
    while (last < column.size() && column[last] - column[first] <= least) ++last;
    result.values.push_back(column[first]);
    result.ranks.push_back((static_cast<double>(first + last) / 2) / n);
    first = last;
  }
  return result;
}

/// Returns the places of at most so many values, nearly evenly spaced in normal scores, the first and last among them.
std::vector<std::size_t> knot_places(const RankedValues& ranks, Index most) {
  std::vector<std::size_t> places;
  const std::size_t count = ranks.values.size();
  if (count <= static_cast<std::size_t>(most)) {
    for (std::size_t i = 0; i < count; ++i) places.push_back(i);
    return places;
  }
  const double first = normal_quantile(ranks.ranks.front()), last = normal_quantile(ranks.ranks.back());
  std::size_t at = 0;
  for (Index k = 0; k < most; ++k) {
    const double score = first + (last - first) * static_cast<double>(k) / static_cast<double>(most - 1);
    while (at + 1 < count && normal_quantile(ranks.ranks[at]) < score) ++at;
    if (k + 1 == most) at = count - 1;
    if (places.empty() || at > places.back()) places.push_back(at);
  }
  return places;
}

double quantile(const std::vector<double>& sorted, double level) {
  return sorted[static_cast<std::size_t>(std::lround(level * static_cast<double>(sorted.size() - 1)))];
}

/// The curve before it is scaled, as a function of a value and the middle of its rank.
class Shape {
 public:
  Shape(Scaling kind, std::vector<double> column) : kind_(kind) {
    std::sort(column.begin(), column.end());
    median_ = quantile(column, 0.5);
    width_ = quantile(column, 0.75) - quantile(column, 0.25);
    if (kind == Scaling::asinh) {
      width_ /= 2;
      if (width_ > 0) return;
      for (const double value : column) width_ += std::abs(value - median_) / static_cast<double>(column.size());
    } else if (!(width_ > 0)) {
      width_ = (column.back() - column.front()) / 2;
    }
  }
  double operator()(double value, double rank) const {
    const double u = (value - median_) / width_;
    switch (kind_) {
      case Scaling::normal_scores: return normal_quantile(rank);
      case Scaling::asinh: return std::asinh(u);
      default: return u / std::sqrt(1 + (u / kClip) * (u / kClip));
    }
  }

 private:
  Scaling kind_;
  double median_ = 0, width_ = 0;
};

/// Sets slopes under which the cubics are monotone: inside, the weighted harmonic means of both sides' secants.
void set_slopes(InputCurves::Curve& curve) {
  const Index last = curve.knots.size() - 1;
  const Vector steps = curve.knots.tail(last) - curve.knots.head(last);
  const Vector secants = (curve.values.tail(last) - curve.values.head(last)).cwiseQuotient(steps);
  curve.slopes.resize(last + 1);
  curve.slopes[0] = secants[0];
  curve.slopes[last] = secants[last - 1];
  for (Index k = 1; k < last; ++k) {
    const double before = 2 * steps[k] + steps[k - 1], after = steps[k] + 2 * steps[k - 1];
    curve.slopes[k] = (before + after) / (before / secants[k - 1] + after / secants[k]);
  }
}

InputCurves::Curve learn_curve(Scaling kind, const Vector& column) {
  if (!column.allFinite() || column.size() < 3) return {};
  std::vector<double> values(column.begin(), column.end());
  const RankedValues ranks = ranked(values);
  if (ranks.values.size() < 3) return {};
  const Shape shape(kind, std::move(values));
  InputCurves::Curve curve;
  const bool by_ranks = kind == Scaling::normal_scores;
  const Index most = by_ranks ? std::clamp<Index>(column.size() / kRowsPerKnot, 3, kMaxKnots) : kMaxKnots;
  const std::vector<std::size_t> places = knot_places(ranks, most);
  curve.knots.resize(static_cast<Index>(places.size()));
  curve.values.resize(curve.knots.size());
  for (Index k = 0; k < curve.knots.size(); ++k) {
    const std::size_t place = places[static_cast<std::size_t>(k)];
    curve.knots[k] = ranks.values[place];
    curve.values[k] = shape(ranks.values[place], ranks.ranks[place]);
  }
  const auto last = curve.values.size() - 1;
  // An asinh or clip of an extreme value may round to that of the one before.
  if (!curve.values.allFinite() || !((curve.values.tail(last) - curve.values.head(last)).minCoeff() > 0)) return {};
  set_slopes(curve);
  Vector bent(column.size());
  for (Index i = 0; i < bent.size(); ++i) bent[i] = curve.value(column[i]);
  const double mean = bent.mean(), sd = std::sqrt((bent.array() - mean).square().mean());
  if (!(std::isfinite(sd) && sd > 0 && curve.slopes.allFinite())) return {};
  curve.values = (curve.values.array() - mean) / sd;
  curve.slopes /= sd;
  return curve;
}

/// Returns the number of the cubic around x, which lies between the outer knots.
Index piece_of(const Vector& knots, double x) {
  const auto above = std::upper_bound(knots.begin() + 1, knots.end() - 1, x);
  return static_cast<Index>(above - knots.begin()) - 1;
}

}  // namespace

double InputCurves::Curve::value(double x) const {
  if (is_identity()) return x;
  const Index last = knots.size() - 1;
  if (x <= knots[0]) return values[0] + slopes[0] * (x - knots[0]);
  if (x >= knots[last]) return values[last] + slopes[last] * (x - knots[last]);
  const Index k = piece_of(knots, x);
  const double step = knots[k + 1] - knots[k], t = (x - knots[k]) / step, rest = 1 - t;
  return values[k] + t * t * (3 - 2 * t) * (values[k + 1] - values[k]) +
         step * t * rest * (rest * slopes[k] - t * slopes[k + 1]);
}

double InputCurves::Curve::slope(double x) const {
  if (is_identity()) return 1;
  const Index last = knots.size() - 1;
  if (x <= knots[0]) return slopes[0];
  if (x >= knots[last]) return slopes[last];
  const Index k = piece_of(knots, x);
  const double step = knots[k + 1] - knots[k], t = (x - knots[k]) / step, rest = 1 - t;
  return 6 * t * rest * (values[k + 1] - values[k]) / step + rest * (1 - 3 * t) * slopes[k] +
         t * (3 * t - 2) * slopes[k + 1];
}

InputCurves InputCurves::learn(Scaling kind, const Matrix& sample, Index levels) {
  require(is_curve(kind), "InputCurves::learn: a scaling that is a curve");
  InputCurves result;
  for (Index j = 0; j < sample.cols(); ++j)
    result.curves_.push_back(j < sample.cols() - levels ? learn_curve(kind, sample.col(j)) : Curve{});
  return result;
}

void InputCurves::apply(MatRef x) const {
  require(x.cols() == inputs(), "InputCurves: rows of other inputs");
  for (Index j = 0; j < x.cols(); ++j) {
    const Curve& curve = curves_[static_cast<std::size_t>(j)];
    if (curve.is_identity()) continue;
    for (double& value : x.col(j)) value = curve.value(value);
  }
}

Matrix InputCurves::of(ConstMat x) const {
  Matrix bent = x;
  apply(bent);
  return bent;
}

void InputCurves::of_row(ConstVec x, VecRef z) const {
  require(x.size() == inputs() && z.size() == inputs(), "InputCurves: a row of other inputs");
  for (Index j = 0; j < x.size(); ++j) z[j] = curves_[static_cast<std::size_t>(j)].value(x[j]);
}

void InputCurves::multiply_slopes(ConstMat x, MatRef x_dot) const {
  require(x.cols() == inputs() && x_dot.cols() == inputs() && x.rows() == x_dot.rows(), "InputCurves: other shapes");
  for (Index j = 0; j < x.cols(); ++j) {
    const Curve& curve = curves_[static_cast<std::size_t>(j)];
    for (Index i = 0; !curve.is_identity() && i < x.rows(); ++i) x_dot(i, j) *= curve.slope(x(i, j));
  }
}

bool InputCurves::are_in(const TensorBundle& bundle, const std::string& prefix) {
  return bundle.contains(prefix + "counts");
}

void InputCurves::save(TensorBundle& bundle, const std::string& prefix) const {
  std::vector<std::int32_t> counts;
  Index all = 0;
  for (const Curve& curve : curves_) {
    counts.push_back(static_cast<std::int32_t>(curve.knots.size()));
    all += curve.knots.size();
  }
  Matrix points(all, 3);
  Index first = 0;
  for (const Curve& curve : curves_) {
    points.middleRows(first, curve.knots.size()) << curve.knots, curve.values, curve.slopes;
    first += curve.knots.size();
  }
  bundle.put_integers(prefix + "counts", counts);
  bundle.put(prefix + "points", points);
}

InputCurves InputCurves::load(const TensorBundle& bundle, const std::string& prefix, Index inputs) {
  const std::vector<std::int32_t> counts = bundle.integers(prefix + "counts", inputs);
  Index all = 0;
  for (const std::int32_t count : counts) {
    if (count != 0 && (count < 3 || count > kMaxKnots))
      throw IoError("model file", "tensor '" + prefix + "counts' is not of curves");
    all += count;
  }
  const Matrix points = bundle.matrix(prefix + "points", all, 3);
  InputCurves result;
  Index first = 0;
  for (const std::int32_t count : counts) {
    const auto own = points.middleRows(first, count);
    Curve curve{own.col(0), own.col(1), own.col(2)};
    const auto ascends = [](const Vector& at) {
      return at.size() == 0 || (at.tail(at.size() - 1) - at.head(at.size() - 1)).minCoeff() > 0;
    };
    if (!ascends(curve.knots) || !ascends(curve.values) || (curve.slopes.array() < 0).any())
      throw IoError("model file", "tensor '" + prefix + "points' is not of monotone curves");
    result.curves_.push_back(std::move(curve));
    first += count;
  }
  return result;
}

}  // namespace alacarte
