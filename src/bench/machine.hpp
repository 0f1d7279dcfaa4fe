#pragma once
// Provenance of a measurement, and the memory of the process.
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace alacarte::bench {

/// Returns {"cpu", "caches": [{"level", "type", "kib"}], "processors", "memory_mib", "isa"}, without unknown entries.
nlohmann::json machine();

/// Returns {"version", "commit", "compiler", "flags", "blas"}.
nlohmann::json build();

/// Returns the bytes available to a new allocation; nullopt if unknown (Linux reports them).
std::optional<double> available_memory();

/// Returns the bytes held by malloc() in this process; nullopt if unknown (glibc reports them).
std::optional<double> held_memory();

/// Peak resident memory of this process since construction, beyond what it had then.
class PeakMemory {
 public:
  PeakMemory();
  /// Returns bytes; nullopt if the system cannot report or reset it.
  std::optional<double> extra() const;

 private:
  std::optional<double> start_;
};

}  // namespace alacarte::bench
