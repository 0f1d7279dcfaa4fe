#include "kernel/tiled.hpp"

#include <cmath>
#include <iterator>
#include <utility>

#include "alacarte/core/error.hpp"
#include "core/workers.hpp"

namespace alacarte {
namespace {

constexpr Index kMirrorBlock = 64;

void mirror_lower(MatRef matrix, int threads) {
  const Index n = matrix.rows(), blocks = (n + kMirrorBlock - 1) / kMirrorBlock;
  run_dealt(threads, blocks, 1, [&](Index b) {
    const Index j0 = b * kMirrorBlock, j1 = std::min(n, j0 + kMirrorBlock);
    for (Index i0 = j0; i0 < n; i0 += kMirrorBlock)
      for (Index j = j0; j < j1; ++j)
        for (Index i = std::max(i0, j + 1); i < std::min(n, i0 + kMirrorBlock); ++i) matrix(j, i) = matrix(i, j);
  });
}

/// Returns thread-local memory; it never shrinks, since models of different sizes alternate.
double* constant_work(Index numbers) {
  thread_local std::vector<double> memory;
  if (static_cast<Index>(memory.size()) < numbers) memory.resize(static_cast<std::size_t>(numbers));
  return memory.data();
}

}  // namespace

TiledKernel::TiledKernel(Index input_count) : inputs_(input_count) {
  require(input_count >= 1, "a kernel needs at least one input");
}

void TiledKernel::gram(ConstVec theta, ConstMat x1, ConstMat x2, MatRef gram, int threads) const {
  threads = std::max(1, threads);
  if (x1.data() == x2.data() && x1.rows() == x2.rows() && x1.outerStride() == x2.outerStride()) {
    fill_lower(theta, x1, gram, threads, &TiledKernel::values);
    mirror_lower(gram, threads);
    return;
  }
  require(theta.size() == layout_.size(), "theta does not fit the kernel");
  require(x1.cols() == inputs_ && x2.cols() == inputs_, "kernel: inputs do not fit");
  require(gram.rows() == x1.rows() && gram.cols() == x2.rows(), "kernel: Gram matrix has the wrong shape");
  Vector constants(constant_count());
  prepare(theta, constants);
  const Index n1 = x1.rows();
  run_dealt(threads, x2.rows(), 8, [&](Index c) {
    for (Index first = 0; first < n1; first += kTileRows)
      values(constants, x1, first, x2, c, gram.col(c).segment(first, std::min(kTileRows, n1 - first)).array());
  });
}

void TiledKernel::gram_lower(ConstVec theta, ConstMat x, MatRef gram, int threads) const {
  fill_lower(theta, x, gram, threads, &TiledKernel::training_values);
}

void TiledKernel::fill_lower(ConstVec theta, ConstMat x, MatRef gram, int threads, Values of_tile) const {
  const Index n = x.rows();
  require(theta.size() == layout_.size(), "theta does not fit the kernel");
  require(x.cols() == inputs_, "kernel: inputs do not fit");
  require(gram.rows() == n && gram.cols() == n, "kernel: Gram matrix has the wrong shape");
  Vector constants(constant_count());
  prepare(theta, constants);
  run_dealt(std::max(1, threads), n, 8, [&](Index c) {
    gram(c, c) = variance(constants, x, c);
    for (Index first = c + 1; first < n; first += kTileRows)
      (this->*of_tile)(constants, x, first, x, c, gram.col(c).segment(first, std::min(kTileRows, n - first)).array());
  });
}

void TiledKernel::row(ConstVec theta, ConstVec point, ConstMat rows, VecRef out) const {
  require(theta.size() == layout_.size(), "theta does not fit the kernel");
  require(point.size() == inputs_ && rows.cols() == inputs_ && out.size() == rows.rows(), "kernel: shapes of a row");
  Eigen::Map<Vector> constants(constant_work(constant_count()), constant_count());
  prepare(theta, constants);
  const Eigen::Map<const Matrix> lone(point.data(), 1, inputs_);
  for (Index first = 0; first < rows.rows(); first += kTileRows)
    values(constants, rows, first, lone, 0, out.segment(first, std::min(kTileRows, rows.rows() - first)).array());
}

void TiledKernel::diagonal(ConstVec theta, ConstMat x, VecRef diagonal) const {
  require(theta.size() == layout_.size() && x.cols() == inputs_ && diagonal.size() == x.rows(),
          "kernel: shapes of the diagonal");
  Eigen::Map<Vector> constants(constant_work(constant_count()), constant_count());
  prepare(theta, constants);
  for (Index i = 0; i < x.rows(); ++i) diagonal[i] = variance(constants, x, i);
}

void TiledKernel::backward(ConstVec theta, ConstMat x, ConstMat gram, ConstMat gram_bar, VecRef theta_bar,
                           int threads) const {
  const Index n = x.rows(), workers = std::max(1, threads);
  require(theta.size() == layout_.size() && x.cols() == inputs_ && theta_bar.size() == layout_.size(),
          "kernel: inputs or gradient do not fit");
  require(gram.rows() == n && gram.cols() == n && gram_bar.rows() == n && gram_bar.cols() == n,
          "kernel: Gram matrices have the wrong shape");
  Vector constants(constant_count());
  prepare(theta, constants);
  // Each worker has a column, merged in order, so that a rerun gives the same bits.
  Matrix sums = Matrix::Zero(sum_count(), workers);
  run_workers(static_cast<int>(workers), [&](int worker) {
    Eigen::ArrayXXd scratch(kTileRows, scratch_count() + 1);
    for (Index c = worker; c < n; c += workers) {
      for (Index first = c; first < n; first += kTileRows) {
        const Index rows = std::min(kTileRows, n - first);
        auto weight = scratch.col(scratch_count()).head(rows);
        weight = 2.0 * gram_bar.col(c).segment(first, rows).array();
        if (first == c) weight[0] *= 0.5;
        collect(constants, x, first, x, c, gram.col(c).segment(first, rows).array(), weight,
                scratch.topLeftCorner(rows, scratch_count()), sums.col(worker));
      }
    }
  });
  const Vector total = sums.rowwise().sum();
  finish(constants, total, theta_bar);
}

void TiledKernel::backward_cross(ConstVec theta, ConstMat x1, ConstMat x2, ConstMat gram, ConstMat gram_bar,
                                 VecRef theta_bar) const {
  require(theta.size() == layout_.size() && theta_bar.size() == layout_.size(), "theta does not fit the kernel");
  require(x1.cols() == inputs_ && x2.cols() == inputs_, "kernel: inputs do not fit");
  require(gram.rows() == x1.rows() && gram.cols() == x2.rows() && gram_bar.rows() == gram.rows() &&
              gram_bar.cols() == gram.cols(),
          "kernel: Gram matrices have the wrong shape");
  Vector constants(constant_count()), sums = Vector::Zero(sum_count());
  prepare(theta, constants);
  Eigen::ArrayXXd scratch(kTileRows, scratch_count());
  for (Index c = 0; c < x2.rows(); ++c)
    for (Index first = 0; first < x1.rows(); first += kTileRows) {
      const Index rows = std::min(kTileRows, x1.rows() - first);
      collect(constants, x1, first, x2, c, gram.col(c).segment(first, rows).array(),
              gram_bar.col(c).segment(first, rows).array(), scratch.topRows(rows), sums);
    }
  finish(constants, sums, theta_bar);
}

void TiledKernel::tangent(ConstVec theta, ConstMat x1, ConstMat x1_dot, ConstMat x2, MatRef slope) const {
  require(theta.size() == layout_.size() && x1.cols() == inputs_ && x2.cols() == inputs_ && x1_dot.cols() == inputs_ &&
              x1_dot.rows() == x1.rows() && slope.rows() == x1.rows() && slope.cols() == x2.rows(),
          "kernel: shapes of a tangent");
  Vector constants(constant_count());
  prepare(theta, constants);
  for (Index c = 0; c < x2.rows(); ++c)
    for (Index first = 0; first < x1.rows(); first += kTileRows)
      tangents(constants, x1, x1_dot, first, x2, c,
               slope.col(c).segment(first, std::min(kTileRows, x1.rows() - first)).array());
}

void TiledKernel::tangent_variance(ConstVec theta, ConstMat x, ConstMat x_dot, VecRef variance) const {
  require(theta.size() == layout_.size() && x.cols() == inputs_ && x_dot.cols() == inputs_ &&
              x_dot.rows() == x.rows() && variance.size() == x.rows(),
          "kernel: shapes of a tangent");
  Vector constants(constant_count());
  prepare(theta, constants);
  for (Index i = 0; i < x.rows(); ++i) variance[i] = slope_variance(constants, x, x_dot, i);
}

void TiledKernel::tangents(ConstVec, ConstMat, ConstMat, Index, ConstMat, Index, Array) const {
  require(false, "the kernel has no derivative by its inputs");
}
double TiledKernel::slope_variance(ConstVec, ConstMat, ConstMat, Index) const {
  require(false, "the kernel has no derivative by its inputs");
  return 0;
}

ParameterSlot distance_scale_slot(const std::string& name, Index size, Index inputs) {
  const double mean = std::log(2.0 * std::sqrt(static_cast<double>(inputs)));
  return {.name = name,
          .size = size,
          .prior = {ParameterPrior::Kind::lower_normal, Vector::Constant(1, mean), 1.0},
          .lower = -10,
          .upper = 12};
}

ParameterSlot product_scale_slot(const std::string& name, Index size, Index inputs) {
  ParameterSlot slot = distance_scale_slot(name, size, inputs);
  slot.prior = {ParameterPrior::Kind::normal, Vector::Constant(1, 0.5 * std::log(static_cast<double>(inputs))), 1.5};
  return slot;
}

ParameterSlot amplitude_slot(const std::string& name) {
  return {.name = name, .prior = {ParameterPrior::Kind::normal, Vector::Zero(1), 1.5}, .scale_power = 1};
}

KernelDescription describe_scales(double amplitude, ConstVec log_lengthscale, Index inputs) {
  KernelDescription report{.amplitude = amplitude, .relevance = Vector(inputs), .lengthscale = Vector(log_lengthscale)};
  for (double& value : report.lengthscale) value = std::exp(value);
  for (Index j = 0; j < inputs; ++j)
    report.relevance[j] = std::exp(-log_lengthscale[log_lengthscale.size() == 1 ? 0 : j]);
  return report;
}

KernelDescription describe_terms(std::vector<KernelDescription> terms, Index inputs, bool product) {
  Vector power = Vector::Zero(inputs);
  double variance = product ? 1 : 0;
  for (const KernelDescription& term : terms) {
    const double own = std::pow(term.amplitude, 2);
    variance = product ? variance * own : variance + own;
    for (Index j = 0; j < inputs; ++j) power[j] += (product ? 1 : own) * std::pow(term.relevance[j], 2);
  }
  if (!product && variance > 0) power /= variance;
  return {.amplitude = std::sqrt(variance), .relevance = power.cwiseSqrt(), .terms = std::move(terms)};
}

void place_inputs(KernelDescription& term, Index first, Index inputs) {
  const Index own = term.relevance.size();
  if (own == inputs) return;
  const Vector relevance = std::exchange(term.relevance, Vector::Zero(inputs));
  term.relevance.segment(first, own) = relevance;
  for (KernelDescription& part : term.terms) place_inputs(part, first, inputs);
}

void open_first_term(KernelDescription& whole) {
  std::vector<KernelDescription> parts = std::move(whole.terms.front().terms);
  parts.insert(parts.end(), std::make_move_iterator(whole.terms.begin() + 1),
               std::make_move_iterator(whole.terms.end()));
  whole.terms = std::move(parts);
}

void keep_inside(const ParameterLayout& layout, VecRef theta) {
  for (const ParameterSlot& slot : layout.slots()) {
    auto entries = theta.segment(slot.offset, slot.size);
    entries = entries.cwiseMax(slot.lower).cwiseMin(slot.upper);
  }
}

}  // namespace alacarte
