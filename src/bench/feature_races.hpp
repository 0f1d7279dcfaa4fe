#pragma once
// Fastfood features against dense ones, and predictive variances, on one core.
#include "bench/suite.hpp"

namespace alacarte::bench {

/// A batch of rows to features, by the map and by a matrix product.
void race_features(Suite& suite);

/// One vector to its prediction: Table 2 of Le, Sarlos and Smola (2013). Shapes whose matrix does not fit the free
/// memory are skipped.
void race_one_vector(Suite& suite);

/// Predictive variances of rows whose features are there (variance_races.cpp).
void race_variances(Suite& suite);

}  // namespace alacarte::bench
