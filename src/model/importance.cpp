// Importance by permutation, and Shapley values by sampling.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "alacarte/core/error.hpp"
#include "alacarte/core/threads.hpp"
#include "alacarte/model/explanation.hpp"
#include "core/workers.hpp"

namespace alacarte {
namespace {

constexpr Index kBatchRows = 4096;  // rows that are predicted together

Prediction means_of(const FittedModel& model, ConstMat rows, int threads) {
  PredictOptions options;
  options.variance = false;
  options.threads = threads;
  return model.predict(rows, options);
}

/// Returns the mean of the target, in its unit.
Vector target_mean_of(const FittedModel& model, ConstMat rows, int threads) {
  return means_of(model, rows, threads).distribution().mean();
}

/// Returns the mean of the function, in the unit of the transformed target if it is transformed.
Vector mean_of(const FittedModel& model, ConstMat rows, int threads) {
  return means_of(model, rows, threads).distribution().of_transformed().mean();
}

/// Returns `rows` with the values of one input permuted.
Matrix permuted(ConstMat rows, const ExplainedInput& input, RandomStream& stream) {
  Matrix mixed = rows;
  const std::vector<std::int32_t> order = stream.permutation(rows.rows());
  for (Index i = 0; i < rows.rows(); ++i)
    mixed.row(i).segment(input.first, input.width) =
        rows.row(order[static_cast<std::size_t>(i)]).segment(input.first, input.width);
  return mixed;
}

double root_mean_square(const Vector& errors, ConstVec weights) {
  if (weights.size() == 0) return std::sqrt(errors.squaredNorm() / static_cast<double>(errors.size()));
  return std::sqrt(weights.dot(errors.cwiseAbs2()) / weights.sum());
}

/// One order in which the inputs of a row become those of the explained one.
struct Order {
  Index row;
  std::vector<std::int32_t> inputs;
};

class Sampler {
 public:
  Sampler(const FittedModel& model, ConstMat rows, ConstMat row, Index pairs, std::uint64_t seed)
      : model_(model), rows_(rows), row_(row), inputs_(explained_inputs(model.schema)), pairs_(pairs) {
    RandomStream stream = RandomStreams(seed).stream("shapley");
    for (Index i = 0; i < rows.rows(); ++i)
      for (Index pair = 0; pair < pairs; ++pair) {
        Order order{i, stream.permutation(count())};
        orders_.push_back(order);
        std::reverse(order.inputs.begin(), order.inputs.end());
        orders_.push_back(std::move(order));
      }
  }

  Index count() const { return static_cast<Index>(inputs_.size()); }
  Index orders() const { return static_cast<Index>(orders_.size()); }
  const std::vector<ExplainedInput>& inputs() const { return inputs_; }

  /// Returns the change of the mean by each input in each order, (orders, inputs).
  Matrix contributions(int threads) const {
    Matrix added(orders(), count());
    const Index steps = count() + 1, batch = std::max<Index>(1, kBatchRows / steps);
    Matrix rows(batch * steps, rows_.cols());
    for (Index first = 0; first < orders(); first += batch) {
      const Index some = std::min(batch, orders() - first);
      for (Index s = 0; s < some; ++s)
        for (Index k = 0; k < steps; ++k) rows.row(s * steps + k) = partly(first + s, k);
      const Vector f = mean_of(model_, rows.topRows(some * steps), threads);
      for (Index s = 0; s < some; ++s)
        for (Index k = 0; k < count(); ++k)
          added(first + s, order(first + s)[static_cast<std::size_t>(k)]) = f[s * steps + k + 1] - f[s * steps + k];
    }
    return added;
  }

  /// Returns posterior mean and standard deviation of the average of contributions() for an input.
  Estimate estimate(Index input) const {
    Matrix rows(2 * orders(), rows_.cols());
    Vector weights(2 * orders());
    for (Index s = 0; s < orders(); ++s) {
      const auto& own = order(s);
      const auto place = static_cast<Index>(std::find(own.begin(), own.end(), input) - own.begin());
      rows.row(2 * s) = partly(s, place + 1);
      rows.row(2 * s + 1) = partly(s, place);
      weights[2 * s] = 1 / static_cast<double>(orders());
      weights[2 * s + 1] = -weights[2 * s];
    }
    return estimate_sum(model_, rows, weights);
  }

  /// Returns the standard error for each input, (inputs): all rows are taken, so it is that of the orders drawn for
  /// each.
  Vector standard_errors(const Matrix& contributions) const {
    Vector squares = Vector::Zero(count());
    for (Index i = 0; i < rows_.rows(); ++i) {
      Matrix own(pairs_, count());
      for (Index p = 0; p < pairs_; ++p) {
        const Index at = 2 * (i * pairs_ + p);
        own.row(p) = 0.5 * (contributions.row(at) + contributions.row(at + 1));
      }
      own.rowwise() -= own.colwise().mean().eval();
      squares += own.colwise().squaredNorm().transpose() / static_cast<double>((pairs_ - 1) * pairs_);
    }
    return squares.cwiseSqrt() / static_cast<double>(rows_.rows());
  }

 private:
  const std::vector<std::int32_t>& order(Index s) const { return orders_[static_cast<std::size_t>(s)].inputs; }

  /// Returns the row of an order with its first `changed` inputs replaced by those of the explained row.
  Eigen::RowVectorXd partly(Index s, Index changed) const {
    Eigen::RowVectorXd x = rows_.row(orders_[static_cast<std::size_t>(s)].row);
    for (Index k = 0; k < changed; ++k) {
      const ExplainedInput& input = inputs_[static_cast<std::size_t>(order(s)[static_cast<std::size_t>(k)])];
      x.segment(input.first, input.width) = row_.row(0).segment(input.first, input.width);
    }
    return x;
  }

  const FittedModel& model_;
  Eigen::Ref<const Matrix> rows_, row_;
  std::vector<ExplainedInput> inputs_;
  Index pairs_;
  std::vector<Order> orders_;
};

}  // namespace

PermutationImportance permutation_importance(const FittedModel& model, ConstMat rows, ConstVec target, ConstVec weights,
                                             Index repeats, std::uint64_t seed, int threads) {
  require(why_no_explanation(model).empty(), "the model cannot be explained");
  require(rows.rows() > 0 && target.size() == rows.rows() && (weights.size() == 0 || weights.size() == rows.rows()),
          "permutation importance: one target and weight for each row");
  require(repeats >= 2, "permutation importance: two permutations at least");
  const std::vector<ExplainedInput> inputs = explained_inputs(model.schema);
  const auto count = static_cast<Index>(inputs.size());
  const double rmse = root_mean_square(target_mean_of(model, rows, threads) - target, weights);
  Vector increase(count), error(count);
  for (Index j = 0; j < count; ++j) {
    RandomStream stream = RandomStreams(seed).stream(fmt::format("permutations[{}]", j));
    Vector own(repeats);
    for (Index r = 0; r < repeats; ++r) {
      const Matrix mixed = permuted(rows, inputs[static_cast<std::size_t>(j)], stream);
      own[r] = root_mean_square(target_mean_of(model, mixed, threads) - target, weights) - rmse;
    }
    increase[j] = own.mean();
    error[j] = std::sqrt((own.array() - own.mean()).square().sum() / static_cast<double>((repeats - 1) * repeats));
  }
  std::vector<Index> order(inputs.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return increase[a] > increase[b]; });
  PermutationImportance result{{}, increase(order), error(order), rmse};
  for (const Index j : order) result.inputs.push_back(inputs[static_cast<std::size_t>(j)]);
  return result;
}

Vector influence(const FittedModel& model, ConstMat rows, std::uint64_t seed, int threads) {
  const std::vector<ExplainedInput> inputs = explained_inputs(model.schema);
  const Vector f = mean_of(model, rows, threads), none;
  Vector changes(static_cast<Index>(inputs.size()));
  RandomStream stream = RandomStreams(seed).stream("influence");
  for (Index j = 0; j < changes.size(); ++j)
    changes[j] = root_mean_square(
        mean_of(model, permuted(rows, inputs[static_cast<std::size_t>(j)], stream), threads) - f, none);
  return changes;
}

ShapleyValues shapley_values(const FittedModel& model, ConstMat rows, ConstMat row, Index pairs, std::uint64_t seed,
                             int threads) {
  require(why_no_explanation(model).empty(), "the model cannot be explained");
  require(rows.rows() > 0 && rows.cols() == model.schema.input_count() && row.rows() == 1 && row.cols() == rows.cols(),
          "Shapley values need rows of the model's inputs, and one to explain");
  require(pairs >= 1, "Shapley values: at least one pair of permutations");
  const Sampler sampler(model, rows, row, pairs, seed);
  ShapleyValues result;
  result.inputs = sampler.inputs();
  result.prediction = mean_of(model, row, threads)[0];
  result.average = mean_of(model, rows, threads).mean();
  result.orders = sampler.orders();
  for (const ExplainedInput& input : result.inputs) result.values.push_back(value_of(input, row));
  const Matrix contributions = sampler.contributions(threads);
  if (pairs > 1) result.sampling_error = sampler.standard_errors(contributions);
  result.shapley.resize(result.inputs.size());
  const BlasThreads single(1);
  run_dealt(std::max(1, threads), sampler.count(), 1, [&](Index j) {
    Estimate& own = result.shapley[static_cast<std::size_t>(j)];
    if (model.has_variance()) own.sd = sampler.estimate(j).sd;
    own.mean = contributions.col(j).mean();
  });
  return result;
}

}  // namespace alacarte
