#pragma once
// Decision functions of classifiers that have no posterior distribution; the largest value decides the class.
#include <alacarte/model/posterior.hpp>

namespace alacarte {

/// Linear decision functions f = psi^T weights + offsets: weights (D, K), offsets (K); K = 1 for two classes, whose
/// second is f > 0.
struct LinearFunctions {
  Matrix weights;
  Vector offsets;
};

/// Votes of support vectors, one for each pair of classes (LIBSVM's layout). Vectors lie class by class: counts[p] of
/// the class order[p]. The decision of places p < q,
///
///   sum over p's vectors of coefficients(i, q - 1) k(x_i, x) + sum over q's of coefficients(j, p) k(x_j, x) - rho,
///
/// is for order[p] where it is positive.
struct SupportVotes {
  std::vector<std::int32_t> order, counts;  ///< (K)
  Matrix coefficients;                      ///< (vectors, K - 1)
  Vector rho;                               ///< (K (K - 1) / 2), pairs in the order (0,1), (0,2), .., (1,2), ..

  Index classes() const { return static_cast<Index>(order.size()); }
  /// Computes values (rows, K or 1 for two classes) from kernel values (rows, vectors): for two classes the decision,
  /// positive for the second class; for more the votes of each class plus a margin term below one half in all, so that
  /// the class with most votes has the largest value and ties go to the clearer one.
  void values(ConstMat kernel, MatRef values) const;
};

std::unique_ptr<Posterior> make_posterior(std::shared_ptr<const FeatureMap> map, ConstVec theta, LinearFunctions state);
/// Makes the posterior of support vectors. `vectors` (v, d): standardised inputs of these.
std::unique_ptr<Posterior> make_posterior(std::shared_ptr<const Kernel> kernel, ConstVec theta, SupportVotes votes,
                                          Matrix vectors);

/// Load what save() wrote; throw IoError naming a tensor that does not fit. `classes`: K >= 2.
std::unique_ptr<Posterior> load_linear_functions(const TensorBundle& bundle, const std::string& prefix,
                                                 std::shared_ptr<const FeatureMap> map, ConstVec theta, Index classes);
std::unique_ptr<Posterior> load_support_votes(const TensorBundle& bundle, const std::string& prefix,
                                              std::shared_ptr<const Kernel> kernel, ConstVec theta, Index classes);

}  // namespace alacarte
