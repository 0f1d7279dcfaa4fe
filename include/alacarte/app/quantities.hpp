#pragma once
// Quantities for people.
#include <string>

namespace alacarte {

/// "1.2 GFLOP", "3.4 MB", "12 s" or "3 min 20 s".
std::string format_flops(double flops);
std::string format_bytes(double bytes);
std::string format_seconds(double seconds);

}  // namespace alacarte
