#pragma once
// The features of a prepared map, for posteriors: where a row is so far out that its phases have no digits left,
// cosines and sines would be those of the origin, and the model as sure as amid its training rows. Such features are
// taken out.
#include <alacarte/features/feature_map.hpp>
#include <mutex>

namespace alacarte {

/// A term of the map is out of digits at a row x when its typical phase sum_j |x_j| rate_j (FeatureMap::phase_rates())
/// is above 2^48 radians, where doubles are a 32nd apart. There the term's function is one that the training rows say
/// nothing of: mean 0, the prior's variance, the same wherever it is asked. Const and shared by threads.
class BoundedFeatures {
 public:
  /// theta begins with the parameters of the map; further entries are ignored.
  BoundedFeatures(std::shared_ptr<const FeatureMap> map, ConstVec theta);

  const FeatureMap& map() const { return *map_; }
  const PreparedMap& prepared() const { return *prepared_; }

  /// Computes psi (n, D) of x (n, d) as PreparedMap::forward(), with zeros for terms that are out of digits. Returns
  /// the prior variances (n) of these terms, empty if there are none. Rows near the origin cost a look at each input.
  Vector forward(const InputView& x, MatRef psi) const;
  /// Returns true if no input of x is large enough for any term of any map to be out of digits: a quick check.
  bool near(const InputView& x) const;

 private:
  struct Term {
    Index first, count;
    Vector rates;  // (d)
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
