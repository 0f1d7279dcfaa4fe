#pragma once
#include <alacarte/core/model_card.hpp>
#include <string>

namespace alacarte::cli {

/// What `kernels show` prints: the card, and the parameters of the model that the card's recipe makes.
std::string model_reference(const ModelCard& card);

}  // namespace alacarte::cli
