#pragma once
// Types shared by all rooms. Rows are points everywhere; matrices are column-major, so one column (one feature, one
// input) over many points is contiguous.
#include <Eigen/Core>
#include <cstdint>
#include <numbers>

namespace alacarte {

using Index = Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using ConstMat = const Eigen::Ref<const Matrix>&;
using ConstVec = const Eigen::Ref<const Vector>&;
using MatRef = Eigen::Ref<Matrix>;
using VecRef = Eigen::Ref<Vector>;

inline constexpr double kTwoPi = 2 * std::numbers::pi;

}  // namespace alacarte
