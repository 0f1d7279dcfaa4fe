#pragma once
// Predictions of rows: numbers, classes or counts, by the kind of the target.
#include <alacarte/core/predictive_distribution.hpp>
#include <alacarte/model/likelihood.hpp>
#include <utility>
#include <variant>
#include <vector>

namespace alacarte {

/// Predicted class values of rows.
struct ClassPrediction {
  Matrix values;              ///< (rows, K) in the order of Schema::classes()
  bool probabilities = true;  ///< rows of `values` sum to 1; otherwise decision values, the largest wins

  Index rows() const { return values.rows(); }  ///< number of rows predicted
  std::vector<Index> labels() const;            ///< (rows) the class of the largest value, the first of equal ones
};

/// Predictions of rows, all of one kind. Code for every kind visits `value`.
struct Prediction {
 private:
  template <std::size_t Kind, class Self>
  static auto&& get(Self&& self) {
    self.require_kind(static_cast<TargetKind>(Kind));
    return std::get<Kind>(std::forward<Self>(self).value);
  }
  void require_kind(TargetKind asked) const;

 public:
  /// Alternatives in the order of TargetKind.
  std::variant<PredictiveDistribution, ClassPrediction, CountDistribution> value;

  TargetKind kind() const { return static_cast<TargetKind>(value.index()); }  ///< kind of the target
  /// Returns the number of rows predicted.
  Index rows() const {
    return std::visit([](const auto& own) { return own.rows(); }, value);
  }
  /// The value for one kind of target. Throws std::invalid_argument, which names the kind, where it is another.
  const PredictiveDistribution& distribution() const& { return get<0>(*this); }
  const ClassPrediction& classes() const& { return get<1>(*this); }              ///< value for classes
  const CountDistribution& counts() const& { return get<2>(*this); }             ///< value for counts
  PredictiveDistribution distribution() && { return get<0>(std::move(*this)); }  ///< value for numbers, moved out
  ClassPrediction classes() && { return get<1>(std::move(*this)); }              ///< value for classes, moved out
  CountDistribution counts() && { return get<2>(std::move(*this)); }             ///< value for counts, moved out
};

}  // namespace alacarte
