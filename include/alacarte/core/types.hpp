#pragma once
// Types shared by all rooms. Rows are points everywhere; matrices are column-major, so one column (one feature, one
// input) over many points is contiguous.
#include <Eigen/Core>
#include <numbers>

namespace alacarte {

using Index = Eigen::Index;                        ///< rows, columns and sizes; signed
using Matrix = Eigen::MatrixXd;                    ///< doubles, column-major
using Vector = Eigen::VectorXd;                    ///< doubles, a column
using ConstMat = const Eigen::Ref<const Matrix>&;  ///< read-only matrix or block, without a copy
using ConstVec = const Eigen::Ref<const Vector>&;  ///< read-only vector or column, without a copy
using MatRef = Eigen::Ref<Matrix>;                 ///< writable matrix or block
using VecRef = Eigen::Ref<Vector>;                 ///< writable vector or column

inline constexpr double kTwoPi = 2 * std::numbers::pi;  ///< radians of a turn

}  // namespace alacarte
