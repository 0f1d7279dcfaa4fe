#pragma once
// What every result must satisfy on its way out.
#include <alacarte/core/types.hpp>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace alacarte::cli {

/// Throws IoError when standard output took less than was written to it.
void flush_standard_output();

/// Throws IoError now when `path` cannot be written later, and UsageError when it is one of `others`, files that the
/// command reads or writes besides, which would be lost; nothing is left behind. "-" is standard output.
void require_writable(const std::string& path, const std::vector<std::string>& others = {});

/// The value itself; throws NumericalError(stage) unless it is finite.
double finite(double value, const char* stage);

/// What `write` puts into the stream, whole or not at all; says so in the log. Throws IoError.
void write_file(const std::string& path, const std::function<void(std::ostream&)>& write);

/// The array as an NPY file; throws NumericalError unless every entry is finite.
void write_finite_npy(const std::string& path, ConstMat values);

}  // namespace alacarte::cli
