#include "minibatch_step.hpp"

#include <algorithm>
#include <string_view>

#include "alacarte/linalg/dense.hpp"
#include "core/workers.hpp"

namespace alacarte {
namespace {

// Rows that one thread takes at a time: enough for the BLAS, few enough to share a batch.
constexpr Index kPartRows = 128;
// Entries that one thread moves at a time.
constexpr Index kMoved = 8192;

struct ParameterUnits {
  Vector unit, centre, decay;
};

/// Of theta by its priors, then `weights` weights and a constant.
ParameterUnits units_of(const ParameterLayout& layout, Index weights, double decay) {
  const Index own = layout.size(), size = own + weights + 1;
  ParameterUnits all{Vector::Ones(size), Vector::Zero(size), Vector::Zero(size)};
  for (const ParameterSlot& slot : layout.slots()) {
    auto unit = all.unit.segment(slot.offset, slot.size);
    if (!slot.trainable || slot.name.ends_with("log_amplitude")) {
      unit.setZero();
    } else if (slot.prior.kind != Prior::Kind::none) {
      unit.setConstant(slot.prior.sd);
    }
    if (slot.prior.kind != Prior::Kind::normal || unit.size() == 0 || unit[0] == 0) continue;
    auto centre = all.centre.segment(slot.offset, slot.size);
    if (slot.prior.mean.size() == 1) {
      centre.setConstant(slot.prior.mean[0]);
    } else {
      centre = slot.prior.mean;
    }
    all.decay.segment(slot.offset, slot.size).setConstant(decay);
  }
  all.decay.segment(own, weights).setConstant(decay);
  return all;
}

Adam make_adam(const FeatureMap& map, double decay) {
  ParameterUnits units = units_of(map.parameters(), map.feature_count(), decay);
  return Adam(std::move(units.unit), std::move(units.centre), std::move(units.decay));
}

}  // namespace

MinibatchSteps::MinibatchSteps(const FeatureMap& map, ConstMat x, ConstVec y, ConstVec theta, double decay, Index batch,
                               int threads)
    : map_(map),
      x_(x),
      y_(y),
      batch_(batch),
      threads_(threads),
      parameters_(Vector::Zero(theta.size() + map.feature_count() + 1)),
      gradient_(parameters_.size()),
      adam_(make_adam(map, decay)),
      parts_(static_cast<std::size_t>((batch + kPartRows - 1) / kPartRows)) {
  parameters_.head(theta.size()) = theta;
}

void MinibatchSteps::read(const Index* rows, Index count, Part& part) const {
  const Index features = map_.feature_count();
  part.x.resize(count, x_.cols());
  part.psi.resize(count, features);
  part.y.resize(count);
  for (Index j = 0; j < x_.cols(); ++j) {
    const auto column = x_.col(j);
    for (Index i = 0; i < count; ++i) part.x(i, j) = column[rows[i]];
  }
  for (Index i = 0; i < count; ++i) part.y[i] = y_[rows[i]];
}

void MinibatchSteps::add_part(const PreparedMap& map, const Index* rows, Index count, double scale, Part& part) const {
  const Index own = map_.parameters().size(), features = map_.feature_count();
  read(rows, count, part);
  part.psi_bar.resize(count, features);
  part.sums.setZero(map.accumulator_size());
  part.weight_bar.resize(features);
  const auto weights = parameters_.segment(own, features);
  const auto between = [&] {
    part.residual = -part.y;
    part.residual.array() += parameters_[own + features];
    gemv(1, part.psi, Op::none, weights, 1, part.residual);
    part.residual *= scale;
    part.psi_bar.noalias() = part.residual * weights.transpose();
    gemv(1, part.psi, Op::transpose, part.residual, 0, part.weight_bar);
    part.bias_bar = part.residual.sum();
  };
  map.forward_backward(part.x, part.psi, part.psi_bar, between, part.sums);
}

void MinibatchSteps::step(const Index* batch, double length) {
  const Index own = map_.parameters().size(), features = map_.feature_count();
  const auto prepared = map_.prepare_single(theta());
  const auto count = static_cast<Index>(parts_.size());
  run_dealt(static_cast<int>(std::min<Index>(threads_, count)), count, 1, [&](Index p) {
    const Index first = p * kPartRows, rows = std::min(kPartRows, batch_ - first);
    add_part(*prepared, batch + first, rows, 1 / static_cast<double>(batch_), parts_[static_cast<std::size_t>(p)]);
  });
  Part& all = parts_.front();
  for (std::size_t p = 1; p < parts_.size(); ++p) {
    all.sums += parts_[p].sums;
    all.weight_bar += parts_[p].weight_bar;
    all.bias_bar += parts_[p].bias_bar;
  }
  gradient_.setZero();
  prepared->finish(all.sums, gradient_.head(own));
  gradient_.segment(own, features) = all.weight_bar;
  gradient_[own + features] = all.bias_bar;
  adam_.begin_step(length);
  const Index pieces = (parameters_.size() + kMoved - 1) / kMoved;
  run_dealt(static_cast<int>(std::min<Index>(threads_, pieces)), pieces, 1, [&](Index piece) {
    const Index first = piece * kMoved;
    adam_.move(first, std::min(kMoved, parameters_.size() - first), parameters_, gradient_);
  });
}

double MinibatchSteps::mean_square(const std::vector<Index>& rows) {
  const Index own = map_.parameters().size(), features = map_.feature_count();
  const auto prepared = map_.prepare_single(theta());
  const auto n = static_cast<Index>(rows.size());
  const Index pieces = (n + kPartRows - 1) / kPartRows;
  std::vector<Part> workers(static_cast<std::size_t>(threads_));
  Vector squares(pieces);
  run_workers(static_cast<int>(std::min<Index>(threads_, pieces)), [&](int w) {
    Part& part = workers[static_cast<std::size_t>(w)];
    for (Index piece = w; piece < pieces; piece += std::min<Index>(threads_, pieces)) {
      const Index first = piece * kPartRows, count = std::min(kPartRows, n - first);
      read(rows.data() + first, count, part);
      prepared->forward(part.x, part.psi);
      part.residual = -part.y;
      part.residual.array() += parameters_[own + features];
      gemv(1, part.psi, Op::none, parameters_.segment(own, features), 1, part.residual);
      squares[piece] = part.residual.squaredNorm();
    }
  });
  return squares.sum() / static_cast<double>(n);
}

}  // namespace alacarte
