#pragma once
#include <alacarte/report/inspection.hpp>
#include <string>

namespace alacarte::cli {

/// The inspection of a model as text; at most `max_inputs` lines of each ranking.
std::string inspection_text(const Inspection& inspection, Index max_inputs);

}  // namespace alacarte::cli
