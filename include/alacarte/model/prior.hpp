#pragma once
// The prior of a function, before it has seen any rows: a feature map or an exact kernel.
#include <alacarte/core/error.hpp>
#include <alacarte/features/feature_map.hpp>
#include <alacarte/kernel/kernel.hpp>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace alacarte {

/// A feature map or a kernel, shared with its copies. One made by default has neither: its functions, except map() and
/// kernel(), throw std::invalid_argument.
class Prior {
  using Map = std::shared_ptr<const FeatureMap>;
  using Covariance = std::shared_ptr<const Kernel>;

  template <class Visitor>
  decltype(auto) visit(const Visitor& visitor) const {
    require(map() || kernel(), "a prior without a map or kernel");
    return std::visit(visitor, function_);
  }

 public:
  Prior() = default;
  /// Holds a map or kernel, whose unique or shared pointer becomes a shared one.
  template <class Function>
  requires std::is_constructible_v<std::variant<Map, Covariance>, Function> Prior(Function function)
      : function_(std::move(function)) {}

  /// Returns the map, null for an exact kernel.
  Map map() const { return function_.index() == 0 ? std::get<0>(function_) : nullptr; }
  /// Returns the kernel, null for a feature map.
  Covariance kernel() const { return function_.index() == 1 ? std::get<1>(function_) : nullptr; }

  /// Returns the parameters of the map or kernel.
  const ParameterLayout& parameters() const {
    return visit([](const auto& function) -> const ParameterLayout& { return function->parameters(); });
  }
  /// Returns the number of inputs d.
  Index input_count() const {
    return visit([](const auto& function) { return function->input_count(); });
  }
  /// Returns the k-th starting point, drawn from `stream`.
  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const {
    return visit([&](const auto& function) { return function->start(statistics, k, stream); });
  }
  /// Describes theta, parameters().size().
  KernelDescription describe(ConstVec theta) const {
    return visit([&](const auto& function) { return function->describe(theta); });
  }
  /// Writes what was drawn at random: that of a map, nothing for a kernel.
  void save(TensorBundle& bundle, const std::string& prefix) const {
    if (const Map drawn = map()) drawn->save(bundle, prefix);
  }

 private:
  std::variant<Map, Covariance> function_;
};

}  // namespace alacarte
