#pragma once
// Decompositions of small matrices by Eigen, whose slow headers are compiled here once. Draws and leave-one-out scores
// depend on their last digits, so they are the same with OpenBLAS and without.
#include "alacarte/core/types.hpp"

namespace alacarte {

struct SymmetricEigen {
  Vector values;   ///< (n), increasing
  Matrix vectors;  ///< (n, n), one in each column
};
/// Decomposes a symmetric matrix (n, n), whose lower triangle is read. Cost about 9 n^3.
SymmetricEigen symmetric_eigen(const Matrix& matrix);

/// Returns the Q of a square matrix (n, n) = Q R with a positive diagonal of R: uniform over the orthogonal matrices if
/// the entries are independent N(0, 1) (Mezzadri 2007). Cost about 3 n^3.
Matrix orthogonal_factor(const Matrix& matrix);

/// Returns S (n, n) with S S^T = matrix, symmetric and positive semidefinite; negative pivots are set to 0. Uses LDL^T
/// with pivots. Cost about n^3.
Matrix square_root_factor(const Matrix& matrix);

}  // namespace alacarte
