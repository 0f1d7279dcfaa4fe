#include "alacarte/data/encoded_rows.hpp"

#include "alacarte/core/error.hpp"

namespace alacarte {

DatasetRows::DatasetRows(const Dataset& data) : data_(data) {
  require(data.target.size() == data.rows(), "one target for each row");
}

void DatasetRows::read(Index first, Index count, MatRef x, VecRef y, std::vector<double>&) const {
  x = data_.inputs.middleRows(first, count);
  y = data_.target.segment(first, count);
}

Dataset load(const EncodedRows& rows) {
  Dataset data;
  data.inputs.resize(rows.rows(), rows.inputs());
  data.target.resize(rows.rows());
  Index at = 0;
  for_each_block(rows, [&](ConstMat x, ConstVec y) {
    data.inputs.middleRows(at, x.rows()) = x;
    data.target.segment(at, y.size()) = y;
    at += x.rows();
  });
  return data;
}

}  // namespace alacarte
