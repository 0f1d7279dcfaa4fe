#pragma once
// The library's plain results as JSON documents. The rooms below io know no JSON.
#include <alacarte/core/kernel_description.hpp>
#include <alacarte/eval/class_metrics.hpp>
#include <alacarte/eval/count_metrics.hpp>
#include <alacarte/eval/metrics.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// {"relevance": [d numbers], "amplitude": .., "components": [...], ...}: the members that are not empty. A relevance
/// of exactly 0 is written without a decimal point.
nlohmann::json to_json(const KernelDescription& description);

}  // namespace alacarte
