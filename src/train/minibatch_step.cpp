#include "minibatch_step.hpp"

#include <algorithm>
#include <cmath>
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

/// Of theta by its priors, then `weights` weights and `constants` constants.
ParameterUnits units_of(const ParameterLayout& layout, Index weights, Index constants, double decay) {
  const Index own = layout.size(), size = own + weights + constants;
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

Adam make_adam(const FeatureMap& map, Index outputs, double decay) {
  ParameterUnits units = units_of(map.parameters(), map.feature_count() * outputs, outputs, decay);
  return Adam(std::move(units.unit), std::move(units.centre), std::move(units.decay));
}

}  // namespace

MinibatchSteps::MinibatchSteps(const FeatureMap& map, const Target& target, ConstVec theta, double decay, Index batch,
                               int threads)
    : map_(map),
      x_(target.x),
      y_(target.y),
      likelihood_(target.likelihood),
      outputs_(target.outputs),
      batch_(batch),
      threads_(threads),
      parameters_(Vector::Zero(theta.size() + (map.feature_count() + 1) * target.outputs)),
      gradient_(parameters_.size()),
      adam_(make_adam(map, target.outputs, decay)),
      parts_(static_cast<std::size_t>((batch + kPartRows - 1) / kPartRows)) {
  parameters_.head(theta.size()) = theta;
  parameters_.tail(outputs_).setConstant(target.start);
}

double MinibatchSteps::weight_size() const { return std::sqrt(weights().cwiseAbs2().mean()); }

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

double MinibatchSteps::read_out(Part& part) const {
  const Index count = part.psi.rows();
  part.f.resize(count, outputs_);
  part.f.rowwise() = parameters_.tail(outputs_).transpose();
  gemm(1, part.psi, Op::none, weights(), Op::none, 1, part.f);
  part.ones.setOnes(count);
  part.f_bar.resize(count, outputs_);
  part.curvature.resize(outputs_ == 1 ? count : 0, 1);  // of several outputs it is not computed where there is no room
  return likelihood_.derivatives(part.f, part.y, part.ones, part.f_bar, part.curvature);
}

void MinibatchSteps::add_part(const PreparedMap& map, const Index* rows, Index count, double scale, Part& part) const {
  const Index features = map_.feature_count();
  read(rows, count, part);
  part.psi_bar.resize(count, features);
  part.sums.setZero(map.accumulator_size());
  part.weight_bar.resize(features, outputs_);
  const auto between = [&] {
    read_out(part);
    part.f_bar *= -scale;
    gemm(1, part.f_bar, Op::none, weights(), Op::transpose, 0, part.psi_bar);
    gemm(1, part.psi, Op::transpose, part.f_bar, Op::none, 0, part.weight_bar);
    part.bias_bar = part.f_bar.colwise().sum().transpose();
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
  gradient_.segment(own, features * outputs_) = all.weight_bar.reshaped();
  gradient_.tail(outputs_) = all.bias_bar;
  adam_.begin_step(length);
  const Index pieces = (parameters_.size() + kMoved - 1) / kMoved;
  run_dealt(static_cast<int>(std::min<Index>(threads_, pieces)), pieces, 1, [&](Index piece) {
    const Index first = piece * kMoved;
    adam_.move(first, std::min(kMoved, parameters_.size() - first), parameters_, gradient_);
  });
}

double MinibatchSteps::mean_loss(const std::vector<Index>& rows) {
  const auto prepared = map_.prepare_single(theta());
  const auto n = static_cast<Index>(rows.size());
  const Index pieces = (n + kPartRows - 1) / kPartRows;
  std::vector<Part> workers(static_cast<std::size_t>(threads_));
  Vector scores(pieces);
  run_workers(static_cast<int>(std::min<Index>(threads_, pieces)), [&](int w) {
    Part& part = workers[static_cast<std::size_t>(w)];
    for (Index piece = w; piece < pieces; piece += std::min<Index>(threads_, pieces)) {
      const Index first = piece * kPartRows, count = std::min(kPartRows, n - first);
      read(rows.data() + first, count, part);
      prepared->forward(part.x, part.psi);
      scores[piece] = read_out(part);
    }
  });
  return -scores.sum() / static_cast<double>(n);
}

}  // namespace alacarte
