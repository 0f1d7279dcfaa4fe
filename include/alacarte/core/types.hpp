#pragma once
// Types shared by all rooms. Rows are points everywhere; matrices are column-major, so one column (one feature, one
// input) over many points is contiguous.
#include <Eigen/Core>
#include <cstdint>
#include <numbers>

namespace alacarte {

using Index = Eigen::Index;                        ///< rows, columns and sizes; signed
using Matrix = Eigen::MatrixXd;                    ///< doubles, column-major
using Vector = Eigen::VectorXd;                    ///< doubles, a column
using ConstMat = const Eigen::Ref<const Matrix>&;  ///< a matrix or block to read, without a copy
using ConstVec = const Eigen::Ref<const Vector>&;  ///< a vector or column to read, without a copy
using MatRef = Eigen::Ref<Matrix>;                 ///< a matrix or block to write to
using VecRef = Eigen::Ref<Vector>;                 ///< a vector or column to write to

inline constexpr double kTwoPi = 2 * std::numbers::pi;  ///< radians of a turn

}  // namespace alacarte
