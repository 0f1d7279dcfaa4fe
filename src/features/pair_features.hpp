#pragma once
// Cosine and sine features of phases, and their adjoint.
#include "alacarte/core/types.hpp"

namespace alacarte {

/// psi (n, 2m) = amplitude [cos u, sin u] in place: on entry its first m columns hold u / 2 pi. Cost O(n m).
void pairs_of_turns(double amplitude, MatRef psi);

/// The adjoint of psi = amplitude [cos u, sin u]: from psi and psi_bar (n, 2m) the cotangent u_bar (n, m) of the phases
/// in radians, written to phase_bar. Returns that of the log amplitude. Cost O(n m).
double phase_cotangent(ConstMat psi, ConstMat psi_bar, MatRef phase_bar);

}  // namespace alacarte
