#pragma once
// A function drawn from the prior of a feature map or exact kernel: what `generate kernel-draw` writes.
#include <alacarte/model/registered.hpp>

namespace alacarte::cli {

/// One function drawn from the prior at `theta`, at the rows of x (n, d): (n). Feature maps: psi w, w ~ N(0, I). Exact
/// kernels: a Cholesky factor, cost n^3/3, memory n^2; throws NumericalError when no jitter helps.
Vector draw_function(const ModelFunction& model, ConstVec theta, ConstMat x, RandomStream& stream);

}  // namespace alacarte::cli
