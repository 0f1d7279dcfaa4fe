#pragma once
// The features of a prepared map, for posteriors. The phases of a row that is very far out have lost all precision: its
// cosines and sines would be like those near the origin, and the model as certain as between its training rows. Such
// features are set to zero, and their prior variance is added.
#include <alacarte/features/feature_map.hpp>
#include <mutex>

namespace alacarte {

/// A term of the map is out of digits at a row x when its typical phase sum_j |x_j| rate_j (FeatureMap::phase_rates())
/// is above 2^48 radians, where doubles are a 32nd apart. There the training rows do not determine the term's function,
/// which gets mean 0 and the prior's variance, and is the same at all such rows. Const and shared by threads.
class BoundedFeatures {
 public:
  /// theta begins with the parameters of the map; further entries are ignored.
  BoundedFeatures(std::shared_ptr<const FeatureMap> map, ConstVec theta);

  const FeatureMap& map() const { return *map_; }
  const PreparedMap& prepared() const { return *prepared_; }

  /// Computes psi (n, D) of x (n, d) as PreparedMap::forward(), with zeros for terms that are out of digits. Returns
  /// the prior variances (n) of these terms, empty if there are none. Rows near the origin cost one comparison for each
  /// input.
  Vector forward(const InputView& x, MatRef psi) const;
  /// Returns true if no input of x is large enough for any term of any map to be out of digits: a quick check.
  bool near(const InputView& x) const;

 private:
  struct Term {
    Index first, count, first_input;
    Vector rates;  // of its inputs
    double variance;
  };
  const std::vector<Term>& terms() const;

  std::shared_ptr<const FeatureMap> map_;
  std::unique_ptr<PreparedMap> prepared_;
  Vector theta_;
  mutable std::once_flag once_;  // guards terms_, which only a far row needs
  mutable std::vector<Term> terms_;
};

}  // namespace alacarte
