#pragma once
// The registries of feature maps and kernels combined: which models a recipe may name, and their construction.
#include <alacarte/core/model_info.hpp>
#include <alacarte/model/prior.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// Descriptions of all registered models: the maps, then the kernels.
const std::vector<ModelInfo>& model_infos();

/// Checks a recipe that was not parsed: throws ConfigError for a model that is not among `models`, and for a key that
/// its model does not use and that is not at its default. The room io, which has the table of keys, defines it.
void refuse_unused_keys(const Recipe& recipe, const std::vector<ModelInfo>& models);

/// Draws the map, or makes the kernel, of one model (no mixture). `inputs`: d after encoding; `statistics`: of the
/// training rows. Codes of levels, the last inputs, are not seen by it: each has a random effect beside it. Throws
/// ConfigError for a model that is not registered, for a key that it does not use and that is not at its default, and
/// for settings that do not fit.
Prior make_prior(const Recipe& recipe, Index inputs, const RandomStreams& streams,
                 const TrainingStatistics& statistics);

/// Restores the map that save() wrote under `prefix`, or constructs the kernel; level_counts: Schema::level_counts().
/// Throws IoError for a model that is not registered, or for tensors that do not fit.
Prior load_prior(const Recipe& recipe, Index inputs, const std::vector<Index>& level_counts, const TensorBundle& bundle,
                 const std::string& prefix);

}  // namespace alacarte
