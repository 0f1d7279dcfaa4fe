#pragma once
// The forms of an inference; make_inference() chooses among them.
#include "inference/inference.hpp"

namespace alacarte {

class MergedRows;

/// Makes the gaussian likelihood's inference on D x D matrices, in passes over the rows; one target or several.
std::unique_ptr<Inference> make_gaussian_primal(std::shared_ptr<const FeatureMap> map,
                                                std::shared_ptr<const RowSource> rows, const InferenceOptions& options);
/// Makes the gaussian likelihood's inference on the n x n Gram matrix of features.
std::unique_ptr<Inference> make_gaussian_dual(std::shared_ptr<const FeatureMap> map,
                                              std::shared_ptr<const RowSource> rows, const InferenceOptions& options);
/// Makes the gaussian likelihood's inference on the n x n Gram matrix of a kernel.
std::unique_ptr<Inference> make_gaussian_exact(std::shared_ptr<const Kernel> kernel,
                                               std::shared_ptr<const RowSource> rows, const InferenceOptions& options);
/// Makes the inference on the original rows from `merged`, the inference on merged rows.
std::unique_ptr<Inference> make_merged(std::unique_ptr<Inference> merged, std::shared_ptr<const MergedRows> rows,
                                       const InferenceOptions& options);
/// Makes the inference of other likelihoods, by Laplace's approximation.
std::unique_ptr<Inference> make_laplace(std::shared_ptr<const FeatureMap> map, std::shared_ptr<const RowSource> rows,
                                        const InferenceOptions& options);

}  // namespace alacarte
