#pragma once
// Arrays for NumPy.
#include <alacarte/core/types.hpp>
#include <string>

namespace alacarte {

/// Writes values (n, d) as an NPY file (numpy.lib.format 1.0, '<f8', C order, shape (n, d)) that appears whole or not
/// at all. Throws IoError. Memory: one block of rows.
void write_npy(const std::string& path, ConstMat values);

}  // namespace alacarte
