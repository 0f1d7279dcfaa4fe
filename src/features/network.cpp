#include "features/network.hpp"

#include <cmath>
#include <numeric>

#include "alacarte/core/error.hpp"
#include "features/slots.hpp"
#include "features/thread_work.hpp"
#include "linalg/dense.hpp"

namespace alacarte {
namespace {

constexpr double kBiasSd = 0.3;
constexpr double kMaxParameter = 1e4;  // bound of a parameter

double weight_sd(const NetworkShape& shape, Index layer) {
  const double gain = shape.activation == Activation::silu ? 2 : 1;
  return std::sqrt(gain / static_cast<double>(shape.fan_in(layer)));
}

/// Replaces u by h = a(u), and computes the slopes a'(u) unless `slope` is null; `count` numbers each.
template <class Scalar>
void activate(Activation activation, Index count, Scalar* h, Scalar* slope) {
  using Numbers = Eigen::Array<Scalar, Eigen::Dynamic, 1>;
  constexpr Index kTile = 512;  // size that stays in the first-level cache between steps
  Eigen::Array<Scalar, kTile, 1> work;
  for (Index first = 0; first < count; first += kTile) {
    const Index size = std::min(kTile, count - first);
    Eigen::Map<Numbers> u(h + first, size);
    auto s = work.head(size);
    if (activation == Activation::silu) {
      s = (1 + (-u).exp()).inverse();
      if (slope != nullptr) Eigen::Map<Numbers>(slope + first, size) = s * (1 + u * (1 - s));
      u *= s;
    } else if (activation == Activation::tanh) {
      u = u.tanh();
      if (slope != nullptr) Eigen::Map<Numbers>(slope + first, size) = 1 - u.square();
    } else {
      if (slope != nullptr) Eigen::Map<Numbers>(slope + first, size) = u.cos();
      u = u.sin();
    }
  }
}

}  // namespace

Index NetworkShape::widest() const {
  return std::accumulate(widths.begin(), widths.end(), inputs, [](Index a, Index b) { return std::max(a, b); });
}

Index NetworkShape::parameters() const {
  Index count = 0;
  for (Index k = 0; k < layers(); ++k) count += (fan_in(k) + 1) * units(k);
  return count;
}

void NetworkShape::add_slots(const std::string& name, ParameterLayout& layout) const {
  for (Index k = 0; k < layers(); ++k) {
    const std::string layer = name + ".layer[" + std::to_string(k) + "].";
    const Vector zero = Vector::Zero(1);
    layout.add(
        normal_slot(layer + "weight", fan_in(k) * units(k), zero, weight_sd(*this, k), -kMaxParameter, kMaxParameter));
    layout.add(normal_slot(layer + "bias", units(k), zero, kBiasSd, -kMaxParameter, kMaxParameter));
  }
}

Vector NetworkShape::start(RandomStream& stream) const {
  Vector theta = Vector::Zero(parameters());
  Index at = 0;
  for (Index k = 0; k < layers(); at += (fan_in(k) + 1) * units(k), ++k)
    theta.segment(at, fan_in(k) * units(k)) = weight_sd(*this, k) * stream.normals(fan_in(k) * units(k));
  return theta;
}

double NetworkShape::flops_per_row() const {
  const double units = static_cast<double>(std::accumulate(widths.begin(), widths.end(), Index{0}));
  return 8.0 * static_cast<double>(parameters()) + 40.0 * units;
}

template <class Scalar>
PreparedNetwork<Scalar>::PreparedNetwork(NetworkShape shape, ConstVec parameters) : shape_(std::move(shape)) {
  require(parameters.size() == shape_.parameters(), "network: parameters of another shape");
  const double* at = parameters.data();
  for (Index k = 0; k < shape_.layers(); ++k) {
    const Index in = shape_.fan_in(k), out = shape_.units(k);
    weights_.push_back(Eigen::Map<const Matrix>(at, in, out).template cast<Scalar>());
    biases_.push_back(Eigen::Map<const Eigen::RowVectorXd>(at + in * out, out).template cast<Scalar>());
    at += (in + 1) * out;
  }
}

// Counts x, then the outputs and the slopes of each layer, then two buffers for cotangents.
template <class Scalar>
Index PreparedNetwork<Scalar>::tape_size(Index rows) const {
  const Index units = std::accumulate(shape_.widths.begin(), shape_.widths.end(), Index{0});
  return rows * (shape_.inputs + 2 * units + 2 * shape_.widest());
}

template <class Scalar>
typename PreparedNetwork<Scalar>::View PreparedNetwork<Scalar>::forward(ConstMat x, bool slopes, Scalar* tape) const {
  require(x.cols() == shape_.inputs, "network: shapes");
  const Index n = x.rows();
  View in(tape, n, shape_.inputs);
  in = x.template cast<Scalar>();
  Scalar* at = tape + in.size();
  for (Index k = 0; k < shape_.layers(); ++k) {
    View out(at, n, shape_.units(k));
    out.rowwise() = biases_[static_cast<std::size_t>(k)];
    gemm(Scalar(1), in, Op::none, weights_[static_cast<std::size_t>(k)], Op::none, Scalar(1), out);
    activate(shape_.activation, out.size(), out.data(), slopes ? at + out.size() : nullptr);
    if (shape_.adds(k)) out += in;
    at += 2 * out.size();
    new (&in) View(out.data(), n, out.cols());
  }
  return in;
}

// Computes u_bar = h_bar * a'(u); W_bar = in^T u_bar; b_bar = 1^T u_bar; in_bar = u_bar W^T, plus h_bar in residual
// layers: the h_bar of the layer below.
template <class Scalar>
void PreparedNetwork<Scalar>::backward(ConstMat h_bar, Scalar* tape, VecRef sums, MatRef x_bar) const {
  const Index n = h_bar.rows();
  require(h_bar.cols() == shape_.outputs() && sums.size() == shape_.parameters(), "network: shapes");
  Scalar* const buffer = tape + cotangent_at(n);
  View bar(buffer, n, shape_.outputs());
  bar = h_bar.template cast<Scalar>();
  Scalar* end = buffer;
  Index parameters = shape_.parameters();
  for (Index k = shape_.layers() - 1; k >= 0; --k) {
    const Index in_count = shape_.fan_in(k), size = n * shape_.units(k);
    const View slope(end - size, n, shape_.units(k));
    end -= 2 * size;
    const View in(k == 0 ? tape : end - 2 * n * in_count, n, in_count);
    View next(bar.data() == buffer ? buffer + n * shape_.widest() : buffer, n, in_count);
    if (shape_.adds(k) && (k > 0 || x_bar.size() > 0)) next = bar;
    bar.array() *= slope.array();
    parameters -= (in_count + 1) * shape_.units(k);
    add_layer_gradient(k, in, bar, sums.data() + parameters);
    if (k == 0 && x_bar.size() == 0) break;
    gemm(Scalar(1), bar, Op::none, weights_[static_cast<std::size_t>(k)], Op::transpose, Scalar(shape_.adds(k)), next);
    new (&bar) View(next.data(), n, in_count);
  }
  if (x_bar.size() > 0) x_bar += bar.template cast<double>();
}

// Computes u_dot = in_dot W, h_dot = a'(u) * u_dot, plus in_dot in residual layers; the two buffers alternate.
template <class Scalar>
typename PreparedNetwork<Scalar>::View PreparedNetwork<Scalar>::tangent(ConstMat x_dot, Scalar* tape) const {
  require(x_dot.cols() == shape_.inputs, "network: shapes");
  const Index n = x_dot.rows();
  Scalar* const buffer = tape + cotangent_at(n);
  View in(buffer, n, shape_.inputs);
  in = x_dot.template cast<Scalar>();
  const Scalar* at = tape + in.size();
  for (Index k = 0; k < shape_.layers(); ++k) {
    const Index units = shape_.units(k);
    View out(in.data() == buffer ? buffer + n * shape_.widest() : buffer, n, units);
    gemm(Scalar(1), in, Op::none, weights_[static_cast<std::size_t>(k)], Op::none, Scalar(0), out);
    out.array() *= Eigen::Map<const Values>(at + out.size(), n, units).array();
    if (shape_.adds(k)) out += in;
    at += 2 * out.size();
    new (&in) View(out.data(), n, units);
  }
  return in;
}

template <class Scalar>
void PreparedNetwork<Scalar>::add_layer_gradient(Index layer, const View& in, const View& bar, double* sums) const {
  const Index from = shape_.fan_in(layer), to = shape_.units(layer);
  Eigen::Map<Matrix> weight_bar(sums, from, to);
  Eigen::Map<Eigen::RowVectorXd>(sums + from * to, to) += bar.colwise().sum().template cast<double>();
  if constexpr (std::is_same_v<Scalar, double>) {
    gemm(1, in, Op::transpose, bar, Op::none, 1, weight_bar);
  } else {
    View product(thread_work<PreparedNetwork, Scalar>(from * to), from, to);
    gemm(Scalar(1), in, Op::transpose, bar, Op::none, Scalar(0), product);
    weight_bar += product.template cast<double>();
  }
}

template class PreparedNetwork<double>;
template class PreparedNetwork<float>;

}  // namespace alacarte
