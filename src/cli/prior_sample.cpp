#include "prior_sample.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "alacarte/core/error.hpp"

namespace alacarte::cli {
namespace {

constexpr Index kPriorChunkRows = 1024;

Vector draw_from_kernel(const Kernel& kernel, ConstVec theta, ConstMat x, RandomStream& stream) {
  Matrix gram(x.rows(), x.rows());
  kernel.gram(theta, x, x, gram);
  // Smooth kernels are singular to rounding; the jitter stays far below any noise a problem would have.
  const double scale = gram.diagonal().mean();
  const Vector z = stream.normals(x.rows());
  for (double jitter = 1e-12; jitter < 1e-5; jitter *= 10) {
    Matrix shifted = gram;
    shifted.diagonal().array() += jitter * scale;
    const Eigen::LLT<Eigen::Ref<Matrix>> factor(shifted);
    if (factor.info() == Eigen::Success) return factor.matrixL() * z;
  }
  throw NumericalError("drawing from the kernel", "its Gram matrix is not positive definite");
}

}  // namespace

Vector draw_function(const ModelFunction& model, ConstVec theta, ConstMat x, RandomStream& stream) {
  if (model.kernel) return draw_from_kernel(*model.kernel, theta, x, stream);
  const auto prepared = model.map->prepare(theta);
  const Vector w = stream.normals(model.map->feature_count());
  Vector f(x.rows());
  Matrix psi;
  for (Index begin = 0; begin < x.rows(); begin += kPriorChunkRows) {
    const Index rows = std::min(kPriorChunkRows, x.rows() - begin);
    psi.resize(rows, model.map->feature_count());
    prepared->forward(x.middleRows(begin, rows), psi);
    f.segment(begin, rows).noalias() = psi * w;
  }
  return f;
}

}  // namespace alacarte::cli
