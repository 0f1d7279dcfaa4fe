#include "model_start.hpp"

#include <fmt/format.h>

#include "data/fingerprint.hpp"
#include "io/documents.hpp"
#include "train/plan/by_hand.hpp"

namespace alacarte {
namespace {

// Largest length-scale in sqrt(d) ranges, as for the ARD fit: irrelevant inputs stay within reach of the gradient.
constexpr double kFarthest = 10;

bool is_lengthscale(const ParameterSlot& slot) { return slot.is_lengthscale(); }
bool is_amplitude(const ParameterSlot& slot) { return slot.scale_power != 0; }

/// Returns true if a slot's values are taken over. Fixed shapes of a recipe stay; fixed length-scales are only a unit.
bool is_taken(const ParameterSlot& slot) { return slot.trainable || is_lengthscale(slot); }

bool has_lengthscales(const Member& member) {
  const auto& slots = member.prior.parameters().slots();
  return std::any_of(slots.begin(), slots.end(), is_lengthscale);
}

Index entries(const auto& slots) {
  Index sum = 0;
  for (const auto& [slot, values] : slots) sum += slot.size;
  return sum;
}

Index entries_to_take(const ParameterLayout& layout) {
  Index sum = 0;
  for (const ParameterSlot& slot : layout.slots())
    if (is_taken(slot)) sum += slot.size;
  return sum;
}

/// Returns the shift of a scale within one unit, and 0 beyond: the unit itself is another, and hyperparameters stay in
/// terms of the scale. Started in the old unit, they would be so far off that training ends at noise alone.
double shift_in_one_unit(double shift) {
  constexpr double kOtherUnit = 9.2;  // log of 10^4
  return std::abs(shift) < kOtherUnit ? shift : 0;
}

}  // namespace

ModelStart::ModelStart(const FittedModel& model, std::string name, const Recipe& recipe, const Schema& schema,
                       const Standardizer& standardizer, const std::vector<FitJob>& jobs)
    : model_(model), name_(std::move(name)) {
  check_inputs(recipe, schema, standardizer.input_scale().size());
  const Standardizer &from = model.standardizer, &to = standardizer;
  levels_ = static_cast<Index>(schema.level_counts().size());
  input_shift_ = (from.input_scale().array() / to.input_scale().array()).log().unaryExpr(&shift_in_one_unit);
  same_target_ = model.target() == target_kind(recipe);
  const bool same_unit = from.transform() == to.transform();
  if (same_target_ && same_unit && model.schema.target_name() == schema.target_name())
    target_shift_ = shift_in_one_unit(std::log(from.target_scale() / to.target_scale()));
  find_lengthscales();
  std::map<std::pair<std::string, FitView>, std::size_t> copies;
  for (const FitJob& job : jobs)
    sources_.push_back(find_source(job, copies[{job.recipe.model, view_of(job.recipe)}]++));
}

void ModelStart::check_inputs(const Recipe& recipe, const Schema& schema, Index wanted) const {
  const auto is_classifier = [](const Recipe& one) { return one.learner.kind != LearnerKind::gp; };
  if (is_classifier(model_.recipe) || is_classifier(recipe))
    throw ConfigError(name_, "learners svm and logistic search over costs: there are no hyperparameters to begin at");
  const auto &own = model_.schema.input_names(), &asked = schema.input_names();
  const Index inputs = model_.standardizer.input_scale().size();
  std::string other;
  if (!own.empty() && !asked.empty())
    for (const std::string& input : asked)
      if (std::find(own.begin(), own.end(), input) == own.end()) other = other.empty() ? input : other;
  if (!other.empty()) throw ConfigError(name_, "has other inputs: it was not trained on '" + other + "'");
  if (inputs != wanted)
    throw ConfigError(name_, fmt::format("has other inputs: {} of them, and the rows have {}", inputs, wanted));
  if (own != asked && !own.empty() && !asked.empty())
    throw ConfigError(name_, "has the inputs of these rows in another order, which data.inputs of the recipe can set");
}

void ModelStart::find_lengthscales() {
  Vector square = Vector::Zero(input_shift_.size());
  Index count = 0;
  for (const Member& member : model_.members) {
    if (!has_lengthscales(member) || !view_of(member.recipe).is_plain()) continue;
    const Vector theta = member.theta.head(member.prior.parameters().size());
    const Vector relevance = member.prior.describe(theta).relevance;
    if (relevance.size() != square.size()) continue;
    ++count;
    for (Index j = 0; j < square.size(); ++j)
      if (!model_.standardizer.is_constant(j)) square[j] += relevance[j] * relevance[j];
  }
  if (count > 0) lengthscale_ = (square.array() / static_cast<double>(count)).rsqrt() * input_shift_.array().exp();
}

Vector ModelStart::converted(const ParameterSlot& slot, Vector values) const {
  values.array() += slot.scale_power * target_shift_;
  if (!is_lengthscale(slot) && !slot.name.ends_with("log_period")) return values;
  const Index smooth = input_shift_.size() - levels_;
  return slot.size == smooth ? values + input_shift_.head(smooth)
                             : Vector(values.array() + input_shift_.head(smooth).mean());
}

ModelStart::Slots ModelStart::matching_slots(const FitJob& job, const Member& member) const {
  Slots slots;
  const ParameterLayout& layout = member.prior.parameters();
  for (const ParameterSlot& slot : job.prior.parameters().slots()) {
    if (!is_taken(slot) || is_by_hand(job.recipe, slot) || !layout.contains(slot.name) ||
        (is_amplitude(slot) && !same_target_))
      continue;
    const ParameterSlot& own = layout.find(slot.name);
    if (own.size != slot.size) continue;
    const Vector values = member.theta.segment(own.offset, own.size);
    // A curve has no unit.
    const bool is_bent = !view_of(job.recipe).is_plain() || !view_of(member.recipe).is_plain();
    slots.emplace_back(slot, is_bent && (is_lengthscale(slot) || slot.name.ends_with("log_period"))
                                 ? values
                                 : converted(slot, values));
  }
  return slots;
}

double ModelStart::noise_sd(const Member& member) const {
  return same_target_ ? std::sqrt(member.posterior->noise_variance()) * std::exp(target_shift_) : 0;
}

/// Finds the fit of the model that fit `copy` continues: copies of one member continue its fits in turn; other jobs
/// take the fit that shares most hyperparameters.
ModelStart::Source ModelStart::find_source(const FitJob& job, std::size_t copy) const {
  const auto of_model = [&](bool same_scale) {
    std::vector<const Member*> found;
    for (const Member& member : model_.members)
      if (member.recipe.model == job.recipe.model && (!same_scale || view_of(member.recipe) == view_of(job.recipe)))
        found.push_back(&member);
    return found;
  };
  std::vector<const Member*> candidates = of_model(true);
  if (candidates.empty()) candidates = of_model(false);
  const Member* best = candidates.empty() ? &model_.members.front() : candidates[copy % candidates.size()];
  Slots slots = matching_slots(job, *best);
  for (const Member& member : model_.members)
    if (Slots own = matching_slots(job, member); candidates.empty() && entries(own) > entries(slots)) {
      slots = std::move(own);
      best = &member;
    }
  Source source{&job, std::move(slots), job.recipe.noise.sd > 0 ? 0 : noise_sd(*best), {}};
  source.taken = describe(source);
  return source;
}

std::string ModelStart::describe(const Source& source) const {
  const Slots& slots = source.slots;
  const Index taken = entries(slots), all = entries_to_take(source.job->prior.parameters());
  std::string text = taken == all ? all == 1 ? "its hyperparameter" : fmt::format("all {} hyperparameters", all)
                     : taken > 0 ? fmt::format("{} of {} hyperparameters", taken, all)
                                  : "";
  const auto is_matched = [](const auto& slot) { return is_lengthscale(slot.first); };
  const auto is_given = [&](const ParameterSlot& slot) {
    return is_lengthscale(slot) && is_by_hand(source.job->recipe, slot);
  };
  const auto& own = source.job->prior.parameters().slots();
  if (lengthscale_.size() > 0 && taken < all && std::none_of(own.begin(), own.end(), is_given) &&
      std::none_of(slots.begin(), slots.end(), is_matched))
    text += text.empty() ? "length-scales" : ", length-scales";
  if (source.noise_sd > 0) text += text.empty() ? "noise" : " and noise";
  return text.empty() ? "nothing" : text;
}

Vector ModelStart::point(std::size_t k, const TrainingRows& rows, const ParameterLayout& layout) const {
  const Source& source = sources_[k];
  FitJob job = *source.job;
  job.recipe.training.starts = 1;
  job.recipe.training.start = StartPoint::ard;
  const Vector farthest =
      kFarthest * std::sqrt(static_cast<double>(rows.statistics.smooth_count())) * rows.statistics.range;
  TrainingRows warm{rows.source, rows.statistics, {}, {}, rows.input_scale, rows.target_scale};
  // Length-scales of the inputs say nothing of the columns that boosted trees predict.
  const bool has_lengthscales = lengthscale_.size() > 0 && view_of(job.recipe).trees == TreeInputs::none;
  warm.statistics.lengthscale = has_lengthscales ? Vector(lengthscale_.cwiseMin(farthest)) : Vector();
  Vector theta = make_job_starts(job, warm, layout, job.recipe.noise.start).front();
  for (const ParameterSlot& slot : job.prior.parameters().slots())
    if (is_lengthscale(slot) && slot.size == 1 && has_lengthscales && !is_by_hand(job.recipe, slot))
      theta[slot.offset] = warm.statistics.lengthscale.head(rows.statistics.smooth_count()).array().log().mean();
  for (const auto& [slot, values] : source.slots) theta.segment(slot.offset, slot.size) = values;
  if (source.noise_sd > 0 && job.recipe.noise.sd == 0 && layout.contains("noise.log_sd"))
    theta[layout.find("noise.log_sd").offset] = log_noise(source.noise_sd, job, rows);
  return theta;
}

StartRecord ModelStart::record() const {
  StartRecord record{name_, text_sha256(hyperparameters_text(model_)), {}};
  for (const Source& source : sources_) record.fits[source.job->name] = source.taken;
  return record;
}

std::string ModelStart::text() const {
  std::string text = "begins at " + name_ + ":";
  for (const Source& source : sources_)
    text += fmt::format("{} {}: {}", &source == &sources_.front() ? "" : ";", source.job->name, source.taken);
  return text;
}

}  // namespace alacarte
