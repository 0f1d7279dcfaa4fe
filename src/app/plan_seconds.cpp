#include "plan_seconds.hpp"

#include <chrono>

#include "alacarte/core/threads.hpp"
#include "linalg/dense.hpp"
#include "linalg/pair_loops.hpp"

namespace alacarte {
namespace {

// Number of timed runs; the first sees cold caches, a low clock and BLAS allocations.
constexpr int kRuns = 8;

template <class Work>
double min_seconds(const Work& work) {
  using Clock = std::chrono::steady_clock;
  double least = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) {
    const auto begin = Clock::now();
    work();
    least = std::min(least, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return std::max(least, 1e-9);
}

/// Measures flops per second of a product as large as the blocks of factors.
double product_rate() {
  constexpr Index kSize = 320;
  const Matrix a = Matrix::Constant(kSize, kSize, 0.5), b = Matrix::Constant(kSize, kSize, 0.25);
  Matrix c(kSize, kSize);
  const double flops = 2.0 * kSize * kSize * kSize;
  return flops / min_seconds([&] { gemm(1, a, Op::none, b, Op::none, 0, c); });
}

/// Measures the seconds per pair in a tile of a Gram matrix, forward and back.
double pair_seconds(Index inputs) {
  constexpr Index kRows = 256, kPoints = 128;
  // Matrix::Random() would disturb std::rand(), which LIBLINEAR uses.
  const auto entry = [](Index i, Index j) { return std::sin(static_cast<double>(i + 7 * j)); };
  const Matrix x = Matrix::NullaryExpr(kRows, inputs, entry);
  const Vector inverse = Vector::Ones(inputs), weight = Vector::Ones(kRows);
  Vector r2(kRows), value(kRows), sums = Vector::Zero(inputs);
  const double seconds = min_seconds([&] {
    for (Index i = 0; i < kPoints; ++i) {
      const RowsAndPoint rows{x.data(), kRows, kRows, inputs, x.data() + i, kRows};
      scaled_square_distances(rows, inverse.data(), r2.data());
      value = r2;
      pair_values(PairProfile::squared_exponential, kRows, 1, 0, value.data());
      pair_slopes(PairProfile::squared_exponential, kRows, 0, value.data(), weight.data(), r2.data());
      add_weighted_squares(rows, r2.data(), sums.data());
    }
  });
  return seconds / static_cast<double>(kRows * kPoints);
}

/// Returns the operations of feature maps, up to a factor.
double feature_flops(double rows, double width) {
  const double lesser = std::min(rows, width), larger = std::max(rows, width);
  return lesser * lesser * (3 * larger + lesser);
}

/// Returns the evaluation's speed as a share of the rate of large products, given products with `width` features.
double share_of_products(const EvaluationPlan& e, double rows, double width) {
  if (e.form == EvaluationForm::laplace || e.form == EvaluationForm::laplace_bound) return 0.6;
  if (e.form == EvaluationForm::linear) return 0.13;  // LIBLINEAR's passes are limited by memory bandwidth
  if (rows < width) return 0.7 / (1 + 100 / rows);
  return 0.85 / (1 + 50 / width);
}

/// Estimates the single-thread seconds of a value and gradient on `rows` of the plan's rows.
double evaluation_seconds(const EvaluationPlan& e, double rows, const MachineRates& rates) {
  constexpr double kCallSeconds = 4e-5;  // fixed seconds per evaluation
  // Factors of few rows cost as much as if there were kExactRows more.
  constexpr double kExactShare = 0.9, kExactRows = 330, kSupportShare = 0.4;
  // Ratio to the measured kernel, for the loops only; Matern and rational quadratic take longer.
  constexpr double kPairTime = 2.2;
  const double all = static_cast<double>(e.rows), inputs = static_cast<double>(e.inputs), share = rows / all;
  if (e.form == EvaluationForm::svm)  // LIBSVM's own loops, without the BLAS
    return kCallSeconds + e.flops * share * share / (kSupportShare * rates.products);
  if (e.form == EvaluationForm::exact) {
    const double factors = (e.flops - e.pair_flops) * share * share * share * (1 + kExactRows / rows);
    const double pairs = e.pair_flops * share * share / pair_flops(inputs);
    return kCallSeconds + factors / (kExactShare * rates.products) +
           kPairTime * pairs * (rates.pair_seconds + inputs * rates.input_seconds);
  }
  const double width = static_cast<double>(std::max<Index>(1, e.features));
  const double flops = e.flops * feature_flops(rows, width) / feature_flops(all, width);
  return kCallSeconds + flops / (share_of_products(e, rows, width) * rates.products);
}

double fit_seconds(const TrainingPlan::Fit& fit, const MachineRates& rates) {
  // Evaluations that the posterior and the leave-one-out predictions cost; the last factor is reused.
  constexpr double kPosteriorEvaluations = 0.7;
  // Minibatches are counted as float operations at five times the rate of doubles; the real rate depends on the width.
  constexpr double kMinibatchWidth = 370;
  constexpr double kMinMinibatchTime = 2;
  const double minibatch_time =
      std::max(kMinMinibatchTime, kMinibatchWidth / static_cast<double>(std::max<Index>(1, fit.evaluation.features)));
  const double evaluations = static_cast<double>(std::max<Index>(1, fit.planned_evaluations)) + kPosteriorEvaluations +
                             (minibatch_time - 1) * static_cast<double>(fit.minibatches);
  double seconds = evaluations * evaluation_seconds(fit.evaluation, static_cast<double>(fit.evaluation.rows), rates);
  for (const auto& [rows, count] : fit.subsamples)
    seconds += static_cast<double>(count) * evaluation_seconds(fit.evaluation, static_cast<double>(rows), rates);
  return seconds;
}

/// Estimates the seconds until the last fit ends: side by side on one thread each, long ones first, or in turn on all.
double all_fit_seconds(const TrainingPlan& plan, int threads, const MachineRates& rates) {
  // Flops of an evaluation at which threads give half of their full gain.
  constexpr double kSharedFlops = 3.5e9;
  std::vector<double> of_fits;
  for (const TrainingPlan::Fit& fit : plan.fits) {
    const double flops = fit.evaluation.flops;
    const double gain = plan.concurrent_fits > 1 ? 1 : 1 + (threads - 1) * flops / (flops + kSharedFlops);
    of_fits.push_back(fit_seconds(fit, rates) / gain);
  }
  std::sort(of_fits.rbegin(), of_fits.rend());
  std::vector<double> ends(static_cast<std::size_t>(std::max(1, plan.concurrent_fits)), 0.0);
  for (const double seconds : of_fits) *std::min_element(ends.begin(), ends.end()) += seconds;
  return *std::max_element(ends.begin(), ends.end());
}

}  // namespace

MachineRates measure_machine() {
  constexpr Index kFew = 4, kMany = 24;
  const BlasThreads one(1);
  MachineRates rates;
  rates.products = product_rate();
  const double few = pair_seconds(kFew), many = pair_seconds(kMany);
  rates.input_seconds = std::max(0.0, (many - few) / static_cast<double>(kMany - kFew));
  rates.pair_seconds = std::max(0.0, few - static_cast<double>(kFew) * rates.input_seconds);
  return rates;
}

double plan_seconds(const TrainingPlan& plan, int threads, const MachineRates& rates) {
  constexpr double kOtherSeconds = 0.03;  // outside fits, e.g. for files
  // Time factor of the noise prior: some fits start twice (noise_prior.cpp), which their plan omits.
  constexpr double kPriorTime = 1.5;
  const TrainingPlan::Fit& prior = plan.noise_prior;
  const double seconds = kOtherSeconds + all_fit_seconds(plan, threads, rates) +
                         (prior.planned_evaluations > 0 ? kPriorTime * fit_seconds(prior, rates) : 0);
  return plan.seconds > 0 ? std::min(seconds, plan.seconds) : seconds;
}

}  // namespace alacarte
