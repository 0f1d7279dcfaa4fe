#include <gtest/gtest.h>

#include <set>

#include "features/maps_under_test.hpp"
#include "support/differences.hpp"

namespace alacarte {
namespace {

// Returns the gradient of phi(theta) = sum of psi ∘ r for fixed random r, by backward() in two chunks and finish().
Vector gradient_of(const FeatureMap& map, ConstVec theta, ConstMat x, ConstMat r, Index split) {
  const auto prepared = map.prepare(theta);
  Vector sums = Vector::Zero(prepared->accumulator_size()), bar = Vector::Zero(theta.size());
  for (const auto& [first, count] : {std::pair<Index, Index>{0, split}, {split, x.rows() - split}}) {
    Matrix psi(count, map.feature_count());
    prepared->forward(x.middleRows(first, count), psi);
    prepared->backward(x.middleRows(first, count), psi, r.middleRows(first, count), sums);
  }
  prepared->finish(sums, bar);
  return bar;
}

TEST(MapGradient, CentralDifferencesForEveryRegisteredMap) {
  for (const Index d : {1, 3, 5, 8})
    for (const MapCase& c : map_cases(11)) {
      const auto map = make_map(c, d);
      const Vector theta = test_theta(*map);
      const Matrix x = normal_matrix(37, d, 41), r = normal_matrix(37, map->feature_count(), 43);
      const auto phi = [&](ConstVec at) { return features(*map, at, x).cwiseProduct(r).sum(); };
      // Steps are small, since frequencies of laplace and matern are unbounded. nystrom is smooth, with more rounding.
      const double step = c.waves ? 1e-5 : 1e-3;
      const Vector numeric = central_differences(phi, theta, step), analytic = gradient_of(*map, theta, x, r, 20);
      const std::vector<Index> trained = map->parameters().trainable_entries();
      EXPECT_LT(worst_relative_error(Vector(analytic(trained)), Vector(numeric(trained))), 1e-6)
          << c.label << " d=" << d;
    }
}

TEST(MapGradient, InputGradientsEqualCentralDifferences) {
  std::set<std::string> with_gradient;
  for (const MapCase& c : map_cases(11)) {
    const auto map = make_map(c, 3);
    const auto prepared = map->prepare(test_theta(*map));
    const Matrix x = normal_matrix(7, 3, 41), r = normal_matrix(7, map->feature_count(), 43);
    Matrix psi(7, map->feature_count()), bar = Matrix::Ones(7, 3);
    prepared->forward(x, psi);
    if (!map->has_input_gradient()) {
      EXPECT_THROW(prepared->add_input_gradient(x, psi, r, bar), std::invalid_argument) << c.label;
      continue;
    }
    with_gradient.insert(c.name);
    prepared->add_input_gradient(x, psi, r, bar);
    const auto phi = [&](ConstVec at) {
      prepared->forward(Eigen::Map<const Matrix>(at.data(), 7, 3), psi);
      return psi.cwiseProduct(r).sum();
    };
    const Vector numeric = central_differences(phi, x.reshaped());
    EXPECT_LT(worst_relative_error(Vector((bar.array() - 1).matrix().reshaped()), numeric), 1e-6) << c.label;
  }
  EXPECT_EQ(with_gradient, (std::set<std::string>{"linear", "ssgpr"}));  // the possible last maps of `deep`
}

// One pass that keeps its intermediate results, in floats or doubles, equals forward() and backward().
TEST(MapGradient, ForwardAndBackwardInOnePass) {
  const Index n = 37;
  for (const MapCase& c : map_cases(11)) {
    const auto map = make_map(c, 4);
    const Vector theta = test_theta(*map);
    const Matrix x = normal_matrix(n, 4, 41), r = normal_matrix(n, map->feature_count(), 43);
    const Vector wanted = gradient_of(*map, theta, x, r, 20);
    for (const bool single : {false, true}) {
      const auto prepared = single ? map->prepare_single(theta) : map->prepare(theta);
      Matrix psi(n, map->feature_count()), bar(n, map->feature_count());
      Vector sums = Vector::Zero(prepared->accumulator_size()), gradient = Vector::Zero(theta.size());
      prepared->forward_backward(
          x, psi, bar, [&] { bar = r; }, sums);
      prepared->finish(sums, gradient);
      EXPECT_LT((psi - features(*map, theta, x)).norm(), (single ? 1e-5 : 1e-12) * psi.norm()) << c.label;
      EXPECT_LT((gradient - wanted).norm(), (single ? 1e-4 : 1e-11) * wanted.norm()) << c.label;
    }
  }
}

// Verifies the test above: an entry that backward() or finish() forgets, or takes with the wrong sign or factor, fails
// it for every map and every entry.
TEST(MapGradient, AWrongEntryIsCaughtInEveryRegisteredMap) {
  std::set<std::string> names;
  for (const MapCase& c : map_cases(11)) {
    const auto map = make_map(c, 5);
    const Vector theta = test_theta(*map);
    const Matrix x = normal_matrix(37, 5, 41), r = normal_matrix(37, map->feature_count(), 43);
    const std::vector<Index> trained = map->parameters().trainable_entries();
    const Vector right = gradient_of(*map, theta, x, r, 20)(trained);
    for (Index i = 0; i < right.size(); ++i) {
      // The weights of the only knot of a quantile function are normalised to 1.
      if (c.label == "pwl_one_knot" && right[i] == 0) continue;
      for (const double factor : {0.0, -1.0, 1.01}) {
        Vector wrong = right;
        wrong[i] *= factor;
        EXPECT_GT(worst_relative_error(wrong, right), 1e-6) << c.label << " entry " << trained[i];
      }
    }
    names.insert(c.name);
  }
  for (const FeatureMapEntry& entry : feature_maps()) EXPECT_EQ(names.count(entry.name), 1u) << entry.name;
}

}  // namespace
}  // namespace alacarte
