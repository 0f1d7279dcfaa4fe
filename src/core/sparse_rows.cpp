#include "alacarte/core/input_view.hpp"

namespace alacarte {

void SparseRows::clear(Index new_width) {
  width = new_width;
  starts.assign(1, 0);
  columns.clear();
  values.clear();
}

void SparseRows::append(const SparseView& rows) {
  if (rows.rows == 0) return;
  const Index first = rows.starts[0], last = rows.starts[rows.rows], shift = starts.back() - first;
  columns.insert(columns.end(), rows.columns + first, rows.columns + last);
  values.insert(values.end(), rows.values + first, rows.values + last);
  for (Index i = 1; i <= rows.rows; ++i) starts.push_back(rows.starts[i] + shift);
}

void to_sparse(ConstMat x, SparseRows& rows) {
  rows.clear(x.cols());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j)
      if (x(i, j) != 0) rows.add(j, x(i, j));
    rows.end_row();
  }
}

SparseRows select_rows(const SparseView& x, const std::vector<Index>& order) {
  SparseRows rows;
  rows.clear(x.width);
  for (const Index i : order) rows.append(x.middle(i, 1));
  return rows;
}

SparseRows to_sparse(ConstMat x) {
  SparseRows rows;
  to_sparse(x, rows);
  return rows;
}

Matrix to_dense(const SparseView& x) {
  Matrix rows = Matrix::Zero(x.rows, x.width);
  for (Index i = 0; i < x.rows; ++i)
    for (Index e = x.starts[i]; e < x.starts[i + 1]; ++e) rows(i, x.columns[e]) = x.values[e];
  return rows;
}

}  // namespace alacarte
