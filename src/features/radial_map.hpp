#pragma once
// Maps with a radial law of frequencies, ARD length-scales and an amplitude: {directions} x {law of lengths} x {phase}.
#include "features/frequency_stack.hpp"
#include "features/maps.hpp"
#include "features/radial_parameters.hpp"

namespace alacarte {

/// What makes one model of that family.
struct RadialModel {
  enum class Kept { nothing, levels, lengths };  ///< what a law draws once for each frequency
  std::string name;                              ///< slots begin with it
  RowLaw rows = RowLaw::gaussian;
  bool shared = false;  ///< one length-scale for all inputs, whatever kernel.isotropic says
  Kept kept = Kept::nothing;
  /// kept (m): levels or lengths; empty otherwise.
  std::unique_ptr<RadialParameters> (*law)(const Recipe& recipe, Index inputs, ConstVec kept) = nullptr;
};

MapPointer make_radial_map(const RadialModel& model, const Recipe& recipe, Index inputs, const RandomStreams& streams);
MapPointer load_radial_map(const RadialModel& model, const Recipe& recipe, Index inputs, const TensorBundle& bundle,
                           const std::string& prefix);

/// The features sqrt(2) cos(u + b) in place of the pairs of `map` (which come as all cosines, then all sines), with
/// fixed offsets b (m); normalized: each row scaled to the length of the pairs. The offsets are saved only if `stored`.
MapPointer with_offset_phase(MapPointer map, Vector offsets, bool normalized, bool stored);

}  // namespace alacarte
