#pragma once
// Layout of the flat unconstrained parameter vector theta: named slots, which of them are trained, their soft bounds
// and optional log priors. Positive quantities are stored as logarithms, and their slot names say so
// ("gm[0].log_lengthscale").
#include <alacarte/core/types.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// Negative log density up to a constant, added to the objective for MAP-II, with z = theta - mean:
///   normal             half (z / sd)^2
///   lower_normal       normal below the mean, zero above (punishes short length-scales, leaves long ones free)
///   log_inverse_gamma  a (2 z + exp(-2 z) - 1), a = 1 / (4 sd^2): inverse gamma law of a variance, theta = log sd.
///                      Like `normal` near the mean, but a barrier below: a model with more parameters than rows
///                      gains n nats for every unit that log noise falls, which no quadratic stops.
struct ParameterPrior {
  /// Kind of prior, defined above.
  enum class Kind { none, normal, lower_normal, log_inverse_gamma };
  Kind kind = Kind::none;  ///< none: a flat prior
  Vector mean = {};        ///< one entry, or one for each entry of the slot
  double sd = 1;           ///< standard deviation of the normal kinds, in the unit of the entry
};

/// A named run of entries of theta with one meaning.
struct ParameterSlot {
  std::string name;           ///< "ard.log_lengthscale"
  Index offset = 0;           ///< first entry in theta
  Index size = 1;             ///< number of entries
  bool trainable = true;      ///< false: held at its starting value
  ParameterPrior prior = {};  ///< prior of each entry
  double lower = -20;         ///< soft bounds: a quadratic wall outside keeps the search in the range of doubles
  double upper = 20;          ///< soft upper bound
  /// Power of a factor that multiplies the whole function by which exp(theta) is multiplied: 1 for amplitudes, but 0 in
  /// all terms of a product after the first; -1 for length-scales of a linear kernel without amplitude.
  double scale_power = 0;
  /// Returns true for logarithms of length-scales in the unit of the inputs; those of periodic kernels are in the unit
  /// of the circle.
  bool is_lengthscale() const {
    return name.ends_with("log_lengthscale") && name.find("periodic.") == std::string::npos;
  }
};

/// The ordered list of slots of one theta. Look-ups cost linear time in the number of slots.
class ParameterLayout {
 public:
  /// Appends a slot; returns its offset. Throws std::invalid_argument on a repeated name or size < 0.
  Index add(ParameterSlot slot);
  /// Appends all slots of another layout, each renamed prefix + name; returns the offset of the first.
  Index append(const ParameterLayout& other, const std::string& prefix = {});

  Index size() const { return size_; }                                ///< length of theta
  Index trainable_count() const;                                      ///< number of trained entries
  const std::vector<ParameterSlot>& slots() const { return slots_; }  ///< in the order of theta
  std::vector<ParameterSlot>& slots() { return slots_; }     ///< for changes of bounds, priors and trained flags
  const ParameterSlot& find(const std::string& name) const;  ///< throws std::invalid_argument if absent
  bool contains(const std::string& name) const;              ///< true if there is a slot of this name
  /// Returns "ard.log_lengthscale[3]" for an entry of theta; a slot of size one has no bracket.
  std::string entry_name(Index entry) const;

  /// Returns the indices into theta of the trained entries, in order.
  std::vector<Index> trainable_entries() const;

  /// Computes the negative log priors (if `with_priors`) and the penalties at the soft bounds, with their gradient.
  /// theta, gradient (size()): gradient is added to. Returns the value to add to the objective. Cost O(size()).
  double penalty(ConstVec theta, bool with_priors, VecRef gradient) const;

  /// Returns the names of the entries at or beyond a soft bound.
  std::vector<std::string> at_bound(ConstVec theta) const;

 private:
  std::vector<ParameterSlot> slots_;
  Index size_ = 0;
};

}  // namespace alacarte
