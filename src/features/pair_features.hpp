#pragma once
// Cosine and sine features of phases, and their adjoint.
#include "alacarte/core/types.hpp"
#include "linalg/sincos.hpp"

namespace alacarte {

/// Computes psi (n, 2m) = amplitude [cos u, sin u] in place: on entry its first m columns hold u / 2 pi. Cost O(n m).
inline void pairs_of_turns(double amplitude, MatRef psi) {
  const Index m = psi.cols() / 2;
  for (Index j = 0; j < m; ++j) {
    sincos_turns(psi.col(j).data(), psi.rows(), psi.col(m + j).data(), psi.col(j).data());
    psi.col(j) *= amplitude;
    psi.col(m + j) *= amplitude;
  }
}

/// Pulls psi = amplitude [cos u, sin u] back: computes from psi and psi_bar (n, 2m) the cotangent phase_bar (n, m) of
/// the phases in radians. Returns that of the log amplitude. Cost O(n m).
inline double phase_cotangent(ConstMat psi, ConstMat psi_bar, MatRef phase_bar) {
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

/// Computes the tangent of psi = amplitude [cos u, sin u] along u_dot (n, m) in radians: psi_dot (n, 2m), overwritten,
/// whose first m columns may hold u_dot on entry. Cost O(n m).
inline void pair_tangent(ConstMat psi, ConstMat phase_dot, MatRef psi_dot) {
  const Index m = psi.cols() / 2;
  for (Index j = 0; j < m; ++j) {
    psi_dot.col(m + j) = psi.col(j).cwiseProduct(phase_dot.col(j));
    psi_dot.col(j) = -psi.col(m + j).cwiseProduct(phase_dot.col(j));
  }
}

}  // namespace alacarte
