#pragma once
// What a measurement must say of where it was made, and how much memory the process took.
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace alacarte::bench {

/// {"cpu", "caches": [{"level", "type", "kib"}], "processors", "memory_mib", "isa"}; what the system does not tell is
/// left out.
nlohmann::json machine();

/// {"version", "commit", "compiler", "flags", "blas"}.
nlohmann::json build();

/// Bytes of memory that a new allocation could have; nothing where the system does not say (Linux does).
std::optional<double> available_memory();

/// Bytes that this process holds by malloc(); nothing where the system's library does not say (glibc does).
std::optional<double> held_memory();

/// The largest resident memory of this process since the object was made, beyond what it had then.
class PeakMemory {
 public:
  PeakMemory();
  /// Bytes; nothing where the system cannot say or reset it.
  std::optional<double> extra() const;

 private:
  std::optional<double> start_;
};

}  // namespace alacarte::bench
