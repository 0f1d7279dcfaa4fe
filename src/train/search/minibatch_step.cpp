#include "minibatch_step.hpp"

#include "core/workers.hpp"
#include "linalg/dense.hpp"
#include "optimise/fit_context.hpp"

namespace alacarte {
namespace {

// Number of rows that one thread takes at a time: enough for the BLAS, few enough to share a batch.
constexpr Index kPartRows = 128;
// Number of entries that one thread moves at a time.
constexpr Index kMoved = 8192;

struct ParameterUnits {
  Vector unit, centre, decay;
};

/// Returns the units of theta by its priors, then those of `weights` weights and `constants` constants.
ParameterUnits units_of(const ParameterLayout& layout, Index weights, Index constants, double decay) {
  const Index own = layout.size(), size = own + weights + constants;
  ParameterUnits all{Vector::Ones(size), Vector::Zero(size), Vector::Zero(size)};
  for (const ParameterSlot& slot : layout.slots()) {
    auto unit = all.unit.segment(slot.offset, slot.size);
    if (!slot.trainable || slot.scale_power != 0) {
      unit.setZero();
    } else if (slot.prior.kind != ParameterPrior::Kind::none) {
      unit.setConstant(slot.prior.sd);
    }
    if (slot.prior.kind != ParameterPrior::Kind::normal || unit.size() == 0 || unit[0] == 0) continue;
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
                               int threads, bool is_shared)
    : map_(map),
      likelihood_(target.likelihood),
      outputs_(target.outputs),
      batch_(batch),
      threads_(threads),
      is_shared_(is_shared),
      parameters_(Vector::Zero(theta.size() + (map.feature_count() + 1) * target.outputs)),
      gradient_(parameters_.size()),
      adam_(make_adam(map, target.outputs, decay)),
      parts_(static_cast<std::size_t>((batch + kPartRows - 1) / kPartRows)) {
  parameters_.head(theta.size()) = theta;
  parameters_.tail(outputs_).setConstant(target.start);
}

double MinibatchSteps::weight_size() const { return std::sqrt(weights().cwiseAbs2().mean()); }

void MinibatchSteps::read(const BatchRows& rows, Index first, Index count, Part& part) const {
  const Index features = map_.feature_count();
  const Index* places = rows.places + first;
  part.x.resize(count, rows.x.cols());
  part.psi.resize(count, features);
  part.y.resize(count);
  for (Index j = 0; j < rows.x.cols(); ++j) {
    const auto column = rows.x.col(j);
    for (Index i = 0; i < count; ++i) part.x(i, j) = column[places[i]];
  }
  for (Index i = 0; i < count; ++i) part.y[i] = rows.y[places[i]];
  if (rows.offsets.size() == 0) return;
  part.offsets.resize(count);
  for (Index i = 0; i < count; ++i) part.offsets[i] = rows.offsets[places[i]];
}

double MinibatchSteps::read_out(Part& part) const {
  const Index count = part.psi.rows();
  part.f.resize(count, outputs_);
  part.f.rowwise() = parameters_.tail(outputs_).transpose();
  gemm(1, part.psi, Op::none, weights(), Op::none, 1, part.f);
  if (part.offsets.size() > 0) part.f.colwise() += part.offsets;
  part.ones.setOnes(count);
  part.f_bar.resize(count, outputs_);
  part.curvature.resize(outputs_ == 1 ? count : 0, 1);  // not computed for several outputs
  return likelihood_.derivatives(part.f, part.y, part.ones, part.f_bar, part.curvature);
}

void MinibatchSteps::add_part(const PreparedMap& map, const BatchRows& rows, Index first, Index count,
                              Part& part) const {
  const Index features = map_.feature_count();
  const double scale = 1 / static_cast<double>(batch_);
  read(rows, first, count, part);
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

/// Sums the parts of all ranks that share the batch into the first part.
MinibatchSteps::Part& MinibatchSteps::sum_of_parts(const PreparedMap& map, const BatchRows& rows) {
  const Index count = (rows.count + kPartRows - 1) / kPartRows;
  Part& all = parts_.front();
  if (count == 0) {  // other ranks have all rows of this batch
    all.sums.setZero(map.accumulator_size());
    all.weight_bar.setZero(map_.feature_count(), outputs_);
    all.bias_bar.setZero(outputs_);
  } else {
    run_dealt(static_cast<int>(std::min<Index>(threads_, count)), count, 1, [&](Index p) {
      const Index first = p * kPartRows;
      add_part(map, rows, first, std::min(kPartRows, rows.count - first), parts_[static_cast<std::size_t>(p)]);
    });
  }
  for (Index p = 1; p < count; ++p) {
    const Part& part = parts_[static_cast<std::size_t>(p)];
    all.sums += part.sums;
    all.weight_bar += part.weight_bar;
    all.bias_bar += part.bias_bar;
  }
  if (is_shared_) {
    FitContext::Sums sums;
    sums.add(all.sums);
    sums.add(all.weight_bar);
    sums.add(all.bias_bar);
    sums.run();
  }
  return all;
}

void MinibatchSteps::step(const BatchRows& batch, double length) {
  const Index own = map_.parameters().size(), features = map_.feature_count();
  const auto prepared = map_.prepare_single(theta());
  const Part& all = sum_of_parts(*prepared, batch);
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

double MinibatchSteps::mean_loss(const BatchRows& rows) {
  const auto prepared = map_.prepare_single(theta());
  const Index pieces = (rows.count + kPartRows - 1) / kPartRows;
  // Each piece is computed on one rank, so the sum is that of one process, to the bit.
  const Index begin = is_shared_ ? FitContext::own_rank() : 0, step = is_shared_ ? FitContext::ranks() : 1;
  const auto workers = static_cast<int>(std::min<Index>(threads_, (pieces - begin + step - 1) / step));
  std::vector<Part> parts(static_cast<std::size_t>(workers));
  Vector scores = Vector::Zero(pieces);
  if (workers > 0)
    run_workers(workers, [&](int w) {
      Part& part = parts[static_cast<std::size_t>(w)];
      for (Index piece = begin + w * step; piece < pieces; piece += workers * step) {
        const Index first = piece * kPartRows;
        read(rows, first, std::min(kPartRows, rows.count - first), part);
        prepared->forward(part.x, part.psi);
        scores[piece] = read_out(part);
      }
    });
  if (is_shared_) FitContext::add_over_ranks(scores);
  return -scores.sum() / static_cast<double>(rows.count);
}

}  // namespace alacarte
