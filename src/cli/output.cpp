#include "output.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <iostream>

#include "alacarte/core/atomic_file.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/data/npy_writer.hpp"
#include "log.hpp"

namespace alacarte::cli {

void flush_standard_output() {
  errno = 0;
  if (std::cout.flush()) return;
  const int error = errno;
  std::cout.clear();
  std::string message = "cannot be written";
  if (error != 0) message += std::string(": ") + std::strerror(error);
  throw IoError("standard output", message);
}

void require_writable(const std::string& path) { const AtomicFile probe(path); }

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  AtomicFile file(path);
  write(file.stream());
  file.commit();
  log_info("wrote " + path);
}

double finite(double value, const char* stage) {
  if (!std::isfinite(value)) throw NumericalError(stage, "a result is not a finite number", value);
  return value;
}

void write_finite_npy(const std::string& path, ConstMat values) {
  if (!values.allFinite()) throw NumericalError(path, "a result is not a finite number");
  write_npy(path, values);
}

}  // namespace alacarte::cli
