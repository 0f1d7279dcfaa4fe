#pragma once
#include <alacarte/report/inspection.hpp>
#include <string>

namespace alacarte::cli {

/// What a model has learned, for people; at most `max_inputs` lines of each ranking.
std::string inspection_text(const Inspection& inspection, Index max_inputs);

}  // namespace alacarte::cli
