#include "features/pair_features.hpp"

#include "alacarte/linalg/sincos.hpp"

namespace alacarte {

void pairs_of_turns(double amplitude, MatRef psi) {
  const Index m = psi.cols() / 2;
  for (Index j = 0; j < m; ++j) {
    sincos_turns(psi.col(j).data(), psi.rows(), psi.col(m + j).data(), psi.col(j).data());
    psi.col(j) *= amplitude;
    psi.col(m + j) *= amplitude;
  }
}

double phase_cotangent(ConstMat psi, ConstMat psi_bar, MatRef phase_bar) {
  const Index m = phase_bar.cols();
  double log_amplitude_bar = 0;
  for (Index j = 0; j < m; ++j) {
    const auto c = psi.col(j).array(), s = psi.col(m + j).array();
    const auto c_bar = psi_bar.col(j).array(), s_bar = psi_bar.col(m + j).array();
    phase_bar.col(j) = c * s_bar - s * c_bar;
    log_amplitude_bar += (c * c_bar + s * s_bar).sum();
  }
  return log_amplitude_bar;
}

}  // namespace alacarte
