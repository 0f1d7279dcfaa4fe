#include "hyperparameter_samples.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "alacarte/core/error.hpp"
#include "fit_context.hpp"

namespace alacarte {
namespace {

/// Transitions before the first sample, and steps of each transition.
struct ChainLength {
  Index warm_up, leapfrog_steps;
};

constexpr ChainLength length_of(ChainStart start) {
  return start == ChainStart::at_mode ? ChainLength{10, 6} : ChainLength{40, 10};
}

/// Returns true if differences of gradients at the first point give the posterior's shape.
bool is_measured(ChainStart start, Index trained) {
  constexpr Index kMaxDifferences = 100;  // with more trained entries they would cost more than the chain
  return start == ChainStart::at_mode && trained <= kMaxDifferences;
}

constexpr double kFirstStep = 0.5, kStepJitter = 0.3;  // in posterior standard deviations
constexpr double kWantedAcceptance = 0.75, kAdaptation = 0.5;
constexpr double kDifference = 1e-3;      // log units
constexpr double kMinCurvature = 0.3;     // curvature of a prior with standard deviation 1.8
constexpr double kUnmeasuredScale = 0.2;  // standard deviation assumed where the posterior's shape is not measured

/// A position of the chain, in coordinates of the trained entries.
struct Position {
  Vector z, gradient;
  double value = 0, log_evidence = 0;
  Vector theta;
};

class Chain {
 public:
  Chain(Objective& objective, const Vector& first, RandomStream& stream, ChainStart start)
      : objective_(objective),
        first_(first),
        stream_(stream),
        start_(start),
        entries_(objective.parameters().trainable_entries()) {}

  HyperparameterSamples run(Index samples, const SamplingGoesOn& goes_on) {
    HyperparameterSamples result;
    objective_.set_warm_start(Vector());
    const auto trained = static_cast<Index>(entries_.size());
    std::optional<Position> now = at(Vector::Zero(trained));
    if (!now) throw NumericalError("samples of hyperparameters", "their first point cannot be evaluated");
    const bool begins = find_scales(*now, goes_on);
    for (Index t = -length_of(start_).warm_up; begins && t < samples; ++t) {
      if (!goes_on(evaluations_, now->value)) break;
      const double probability = transition(*now);
      if (t < 0) {
        step_ *= std::exp(kAdaptation * (probability - kWantedAcceptance));
        continue;
      }
      result.acceptance += probability;
      result.samples.push_back({now->theta, now->log_evidence, now->value});
    }
    if (!result.samples.empty()) result.acceptance /= static_cast<double>(result.samples.size());
    result.evaluations = evaluations_;
    return result;
  }

 private:
  /// Returns the position at z, on all ranks that of the first; nothing if it cannot be evaluated.
  std::optional<Position> at(Vector z) {
    Position position;
    position.theta = first_;
    const Vector moved = scales_.size() > 0 ? Vector(scales_ * z) : z;
    for (std::size_t i = 0; i < entries_.size(); ++i) position.theta[entries_[i]] += moved[static_cast<Index>(i)];
    position.z = std::move(z);
    ++evaluations_;
    Vector all(objective_.parameters().size()), priors = Vector::Zero(all.size());
    Vector message = Vector::Constant(moved.size() + 2, std::numeric_limits<double>::quiet_NaN());
    try {
      const double evidence = objective_.evaluate(position.theta, all);
      message[0] = -evidence;
      message[1] = evidence + objective_.parameters().penalty(position.theta, true, priors);
      for (std::size_t i = 0; i < entries_.size(); ++i)
        message[static_cast<Index>(i) + 2] = all[entries_[i]] + priors[entries_[i]];
    } catch (const NumericalError&) {  // rejected
    }
    FitContext::take_from_first(message);
    if (!message.allFinite()) return std::nullopt;
    position.log_evidence = message[0];
    position.value = message[1];
    const Vector gradient = message.tail(moved.size());
    position.gradient = scales_.size() > 0 ? Vector(scales_.transpose() * gradient) : gradient;
    return position;
  }

  /// Sets scales_ = H^-1/2 or its stand-in; returns false if it was told to stop.
  bool find_scales(Position& first, const SamplingGoesOn& goes_on) {
    const Index trained = first.z.size();
    if (!is_measured(start_, trained)) {
      scales_ = kUnmeasuredScale * Matrix::Identity(trained, trained);
    } else {
      Matrix hessian(trained, trained);
      for (Index j = 0; j < trained; ++j) {
        if (!goes_on(evaluations_, first.value)) return false;
        const auto beside = at(kDifference * Vector::Unit(trained, j));
        hessian.col(j) = beside ? Vector((beside->gradient - first.gradient) / kDifference)
                                : Vector(Vector::Unit(trained, j) / (kUnmeasuredScale * kUnmeasuredScale));
      }
      const Eigen::SelfAdjointEigenSolver<Matrix> eigen(0.5 * (hessian + hessian.transpose()));
      scales_ =
          eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(kMinCurvature).cwiseSqrt().cwiseInverse().asDiagonal();
    }
    first.gradient = scales_.transpose() * first.gradient;
    return true;
  }

  /// Makes one proposal; `now` moves if it is accepted. Returns the probability of acceptance.
  double transition(Position& now) {
    Vector momentum = stream_.normals(now.z.size());
    const double before = now.value + 0.5 * momentum.squaredNorm();
    const double step = step_ * (1 + kStepJitter * (2 * stream_.uniform() - 1));
    const double accept = stream_.uniform();
    std::optional<Position> next = now;
    for (Index k = 0; k < length_of(start_).leapfrog_steps && next; ++k) {
      momentum -= 0.5 * step * next->gradient;
      next = at(next->z + step * momentum);
      if (next) momentum -= 0.5 * step * next->gradient;
    }
    if (!next) return 0;
    const double probability = std::exp(std::min(0.0, before - next->value - 0.5 * momentum.squaredNorm()));
    if (accept < probability) now = *std::move(next);
    return probability;
  }

  Objective& objective_;
  const Vector& first_;
  RandomStream& stream_;
  const ChainStart start_;
  const std::vector<Index> entries_;
  Matrix scales_;  // (trained, trained) maps z to theta - first_; empty: the identity
  double step_ = kFirstStep;
  Index evaluations_ = 0;
};

}  // namespace

Index sampling_evaluations(Index trained, Index samples, ChainStart start) {
  if (samples <= 0) return 0;
  const ChainLength length = length_of(start);
  return 1 + (is_measured(start, trained) ? trained : 0) + (length.warm_up + samples) * length.leapfrog_steps + samples;
}

HyperparameterSamples sample_hyperparameters(Objective& objective, const Vector& first, Index samples,
                                             RandomStream& stream, const SamplingGoesOn& goes_on, ChainStart start) {
  return Chain(objective, first, stream, start).run(samples, goes_on);
}

}  // namespace alacarte
