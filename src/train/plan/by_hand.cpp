#include "by_hand.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <string_view>

#include "alacarte/core/error.hpp"
#include "core/kernel_keys.hpp"

namespace alacarte {
namespace {

enum class Given { nothing, lengthscale, circle, amplitude, period };

/// Returns the kind of a slot; `circle` is a length-scale in the unit of a periodic kernel's circle. No recipe speaks
/// of the effects of levels.
Given kind_of(const ParameterSlot& slot) {
  if (slot.name.starts_with("effect[")) return Given::nothing;
  if (slot.is_lengthscale()) return Given::lengthscale;
  if (slot.name.ends_with("log_lengthscale")) return Given::circle;
  if (slot.name.ends_with("log_amplitude")) return Given::amplitude;
  return slot.name.ends_with("log_period") ? Given::period : Given::nothing;
}

/// A recipe, or a term inside it, with its place ("/terms/1").
struct Level {
  const Recipe* recipe;
  std::string place;
  bool operator==(const Level& other) const { return recipe == other.recipe; }
};

/// Returns the recipe and the terms that a slot belongs to, the whole recipe first. Sums and products begin the names
/// of a term's slots with "term[1].", models with one term with their own name.
std::vector<Level> levels_of(const Recipe& recipe, std::string_view name) {
  std::vector<Level> levels = {{&recipe, ""}};
  while (!levels.back().recipe->terms.empty()) {
    const Recipe& outer = *levels.back().recipe;
    std::size_t term = 0;
    std::string prefix = outer.model + ".";
    while (!name.starts_with(prefix) && term < outer.terms.size()) prefix = fmt::format("term[{}].", term++);
    if (!name.starts_with(prefix)) break;
    name.remove_prefix(prefix.size());
    term = term > 0 ? term - 1 : 0;
    levels.push_back({&outer.terms[term], fmt::format("{}/terms/{}", levels.back().place, term)});
  }
  return levels;
}

/// Returns true if the level gives values to slots of the kind. The circle's unit is not that of any input, so only a
/// periodic kernel itself gives its length-scales.
bool gives(const Level& level, Given kind) {
  const KernelConfig& kernel = level.recipe->kernel;
  switch (kind) {
    case Given::lengthscale: return !kernel.lengthscale.empty();
    case Given::circle: return !kernel.lengthscale.empty() && level.recipe->terms.empty();
    case Given::amplitude: return kernel.amplitude > 0;
    case Given::period: return !kernel.period.empty();
    case Given::nothing: return false;
  }
  return false;
}

/// Returns the innermost level that gives the values of a slot; its recipe is null if none does.
Level giver_of(const Recipe& recipe, const ParameterSlot& slot) {
  const std::vector<Level> levels = levels_of(recipe, slot.name);
  const Given kind = kind_of(slot);
  const auto giver = std::find_if(levels.rbegin(), levels.rend(), [&](const Level& one) { return gives(one, kind); });
  return giver == levels.rend() ? Level{nullptr, ""} : *giver;
}

/// Returns true if the recipe holds a slot. Without any value by hand, "trained" speaks of the length-scales.
bool is_held(const Recipe& recipe, const ParameterSlot& slot) {
  const std::vector<Level> levels = levels_of(recipe, slot.name);
  const Given kind = kind_of(slot);
  for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
    const KernelConfig& kernel = level->recipe->kernel;
    if (gives(*level, kind)) return !kernel.trained;
    if (kind == Given::lengthscale && !kernel.trained && !gives_value(kernel)) return true;
  }
  return false;
}

void check_level(const Recipe& whole, const Level& level, const ParameterLayout& layout) {
  const Recipe& recipe = *level.recipe;
  const auto refuse_unless_taken = [&](const std::string& key, const std::string& word, Given kind, Given other) {
    for (const ParameterSlot& slot : layout.slots()) {
      const Given own = kind_of(slot);
      const std::vector<Level> levels = levels_of(whole, slot.name);
      if ((own == kind || own == other) && gives(level, own) &&
          std::find(levels.begin(), levels.end(), level) != levels.end())
        return;
    }
    throw ConfigError(level.place + "/kernel/" + key, fmt::format("model '{}' has no {}", recipe.model, word));
  };
  for (const auto& [key, values] :
       {std::pair("lengthscale", &recipe.kernel.lengthscale), std::pair("period", &recipe.kernel.period)})
    if (const FitView view = view_of(whole); !view.is_plain() && !values->empty())
      throw ConfigError(level.place + "/kernel/" + key,
                        fmt::format("is in the unit of an input, and the fit sees {} in place of them; leave one of "
                                    "them out",
                                    text_of(view)));
  if (!recipe.kernel.lengthscale.empty())
    refuse_unless_taken("lengthscale", "length-scales", Given::lengthscale, Given::circle);
  if (!recipe.kernel.period.empty()) refuse_unless_taken("period", "period", Given::period, Given::period);
  if (recipe.kernel.amplitude > 0) {
    const Recipe* part = &recipe;
    while (part->terms.size() == 1) part = &part->terms.front();
    if (!part->terms.empty())
      throw ConfigError(level.place + "/kernel/amplitude",
                        fmt::format("each term of '{}' has an amplitude of its own; give it there", part->model));
    refuse_unless_taken("amplitude", "amplitude", Given::amplitude, Given::amplitude);
  }
  for (std::size_t t = 0; t < recipe.terms.size(); ++t)
    check_level(whole, {&recipe.terms[t], fmt::format("{}/terms/{}", level.place, t)}, layout);
}

/// Returns the logarithms of values by hand, one for each input or one for all, in the unit of the rows if they have
/// the unit of the inputs.
Vector input_logs(const std::vector<double>& values, const std::string& place, const TrainingRows& rows,
                  bool has_input_unit) {
  const Index inputs = rows.statistics.smooth_count(), given = static_cast<Index>(values.size());
  if (given != 1 && given != inputs)
    throw ConfigError(place,
                      fmt::format("has {} values; give one for all inputs, or one for each of the {}", given, inputs));
  Vector logs(inputs);
  for (Index j = 0; j < inputs; ++j) {
    const double unit = has_input_unit && rows.input_scale.size() > 0 ? rows.input_scale[j] : 1;
    logs[j] = std::log(values[given == 1 ? 0 : static_cast<std::size_t>(j)] / unit);
  }
  return logs;
}

/// Returns the log amplitude of a slot, one of those that share the level's variance.
double log_amplitude(const Recipe& recipe, const ParameterLayout& layout, const Level& giver, const ParameterSlot& slot,
                     const TrainingRows& rows) {
  if (rows.source->more_targets().size() > 0)
    throw ConfigError(giver.place + "/kernel/amplitude",
                      "is in the unit of one target, and there are several; leave it out");
  const auto shares = std::count_if(layout.slots().begin(), layout.slots().end(), [&](const ParameterSlot& other) {
    return kind_of(other) == Given::amplitude && giver_of(recipe, other) == giver;
  });
  return std::log(giver.recipe->kernel.amplitude) - slot.scale_power * std::log(rows.target_scale) -
         0.5 * std::log(static_cast<double>(shares));
}

}  // namespace

void check_by_hand(const Recipe& recipe, const ParameterLayout& layout) { check_level(recipe, {&recipe, ""}, layout); }

bool is_by_hand(const Recipe& recipe, const ParameterSlot& slot) { return giver_of(recipe, slot).recipe != nullptr; }

std::vector<std::string> held_slots(const Recipe& recipe, const ParameterLayout& layout) {
  std::vector<std::string> names;
  for (const ParameterSlot& slot : layout.slots())
    if (is_held(recipe, slot)) names.push_back(slot.name);
  return names;
}

void set_kernel_by_hand(const Recipe& recipe, const ParameterLayout& layout, const TrainingRows& rows, Vector& theta) {
  for (const ParameterSlot& slot : layout.slots()) {
    const Level giver = giver_of(recipe, slot);
    if (giver.recipe == nullptr) continue;
    auto own = theta.segment(slot.offset, slot.size);
    const Given kind = kind_of(slot);
    if (kind == Given::amplitude) {
      own.setConstant(log_amplitude(recipe, layout, giver, slot, rows));
      continue;
    }
    const KernelConfig& kernel = giver.recipe->kernel;
    const Vector logs = kind == Given::period ? input_logs(kernel.period, giver.place + "/kernel/period", rows, true)
                                              : input_logs(kernel.lengthscale, giver.place + "/kernel/lengthscale",
                                                           rows, kind == Given::lengthscale);
    if (slot.size == logs.size())
      own = logs;
    else
      own.setConstant(logs.mean());
  }
}

}  // namespace alacarte
