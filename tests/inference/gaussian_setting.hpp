#pragma once
// A map or kernel, its parameters and options, for tests that compare the algebras of the gaussian evidence.
#include <memory>

#include "alacarte/kernel/kernel.hpp"
#include "inference/inference.hpp"
#include "support/cosine_map.hpp"
#include "support/example_recipe.hpp"

namespace alacarte {

enum class GaussianAlgebra { primal, dual, exact };

struct GaussianSetting {
  Prior prior;
  InferenceOptions options;
  Vector theta;  ///< with a noise for each target

  GaussianSetting(GaussianAlgebra algebra, MeanKind mean, Index inputs, Index features, Index targets) {
    options.mean = mean;
    options.form = algebra == GaussianAlgebra::primal ? EvidenceForm::primal : EvidenceForm::dual;
    options.noise.floor = 0.05;
    options.chunk_rows = 16;
    if (algebra == GaussianAlgebra::exact)
      prior = find_kernel("exact-ard")->make(example_recipe("exact-ard", 1), inputs);
    else
      prior = std::make_shared<CosineMap>(inputs, features, 14);
    theta = Vector::LinSpaced(prior.parameters().size() + targets, -0.3, 0.4);
    theta.tail(targets).array() -= 1;
  }
};

}  // namespace alacarte
