// The rank at which a low-rank predictive variance stays within 1 % of the full one, on a trained model and real rows.
//
// With B = I + Psi^T Psi / s2 = I + V diag(lambda) V^T, the latent variance at centred features psi is
//   psi^T B^-1 psi = |psi|^2 - sum_i lambda_i / (1 + lambda_i) (v_i . psi)^2;
// keeping the r largest lambda costs 2 D r flops a row against D^2 for the triangular solve, so r < D/2 is where it
// would pay. Exact eigenvectors are used: the randomised ones of Halko, Martinsson and Tropp (2011) do no better, so
// the ranks printed are lower bounds for them.
//
//   low_rank_variance MODEL DATA [ROWS]       one JSON line for each fit of the model
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "alacarte/core/error.hpp"
#include "alacarte/data/dataset.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/model/fitted_model.hpp"
#include "linalg/dense.hpp"

namespace {

using namespace alacarte;

Matrix unpack(const Vector& packed, Index size) {
  Matrix factor = Matrix::Zero(size, size);
  Index at = 0;
  for (Index j = 0; j < size; at += size - j, ++j) factor.col(j).tail(size - j) = packed.segment(at, size - j);
  return factor;
}

/// Returns the smallest rank from which every row's error is at most `share` of its own variance plus `noise`.
Index rank_within(const Matrix& parts, const Vector& latent, double noise, double share) {
  Vector left = Vector::Zero(latent.size());
  Index rank = parts.cols();
  for (; rank > 0; --rank) {
    left += parts.col(rank - 1);
    if (((left.array() / (latent.array() + noise)) > share).any()) break;
  }
  return rank;
}

nlohmann::json measure(const Member& member, const Matrix& x) {
  TensorBundle state;
  member.posterior->save(state, "", false);
  const Index count = member.prior.map()->feature_count();
  require(!state.contains("training_inputs"), "a dual posterior: more features than rows");
  const Matrix factor = unpack(state.vector("factor", count * (count + 1) / 2), count);
  Matrix psi(x.rows(), count);
  member.prior.map()->prepare(member.theta)->forward(x, psi);
  psi.rowwise() -= state.vector("centre", count).transpose();

  Matrix b(count, count);
  syrk_lower(1.0, factor, Op::none, 0.0, b);
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(b);  // increasing
  Matrix parts = (psi * eigen.eigenvectors().rowwise().reverse()).cwiseAbs2();
  const Vector inverse = eigen.eigenvalues().reverse().cwiseInverse();
  const Vector latent = parts * inverse;
  for (Index i = 0; i < count; ++i) parts.col(i) *= 1.0 - inverse[i];
  const double noise = member.posterior->noise_variance();
  return {{"model", member.recipe.model},
          {"D", count},
          {"test_rows", x.rows()},
          {"noise_variance", noise},
          {"median_latent_over_noise",
           [&] {
             std::vector<double> sorted(latent.data(), latent.data() + latent.size());
             std::nth_element(sorted.begin(), sorted.begin() + latent.size() / 2, sorted.end());
             return sorted[static_cast<std::size_t>(latent.size() / 2)] / noise;
           }()},
          {"rank_observation_1_percent", rank_within(parts, latent, noise, 0.01)},
          {"rank_latent_1_percent", rank_within(parts, latent, 0, 0.01)},
          {"rank_observation_5_percent", rank_within(parts, latent, noise, 0.05)}};
}

int run(int argc, char** argv) {
  if (argc < 3) throw std::runtime_error("usage: low_rank_variance MODEL DATA [ROWS]");
  const FittedModel model = FittedModel::load(read_bundle(argv[1]));
  DatasetStream stream(argv[2], model.schema, false);
  Dataset rows;
  stream.next(rows, argc > 3 ? std::stol(argv[3]) : 2000);
  const Matrix x = model.standardizer.inputs(rows.inputs);
  for (const Member& member : model.members)
    if (member.prior.map()) std::cout << measure(member, x).dump() << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "low_rank_variance: " << error.what() << '\n';
    return 1;
  }
}
