#pragma once
// The negative log evidence of class indicators under Gaussian processes that share kernel and noise: a cheap stand-in
// for the evidence of softmax, to learn kernels by. With the indicators Y (n, K), centred and divided by one number so
// that their mean variance is 1, and A = k(X, X) + s^2 I,
//
//   NL = (K-1)/K (K log|A| + sum_k y_k^T A^-1 y_k + n K log 2 pi) / 2;
//
// K columns that sum to zero are K - 1 observations. One factor serves all classes, so an evaluation costs what one of
// the gaussian likelihood does: 3 n D^2 + D^3 flops of a map, n^3 of an exact kernel.
#include <memory>

#include "alacarte/data/row_source.hpp"
#include "alacarte/inference/objective.hpp"
#include "alacarte/model/prior.hpp"

namespace alacarte {

/// Makes the evidence of rows whose targets are places of classes in [0, classes). The parameters are those of the map
/// or kernel, its amplitude in the unit of the indicators, and "noise.log_sd" with a wide prior. A map takes its rows
/// in chunks; a kernel lays them out and takes 3 n^2 numbers. Equal `threads` give the same bits. Throws
/// std::invalid_argument on shapes and for fewer than two classes.
std::unique_ptr<Objective> make_label_evidence(const Prior& prior, std::shared_ptr<const RowSource> rows, Index classes,
                                               int threads);

}  // namespace alacarte
