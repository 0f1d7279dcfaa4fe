#include "fit_jobs.hpp"

#include <fmt/format.h>

#include "alacarte/model/registered.hpp"
#include "by_hand.hpp"
#include "core/config_at.hpp"
#include "cost_model.hpp"
#include "inference/gaussian_noise.hpp"
#include "minibatch_plan.hpp"

namespace alacarte {

namespace {

/// Returns n / (K rows of the class) for each class (K); empty without class weights.
Vector class_weights(const Recipe& recipe, const TrainingRows& rows) {
  if (recipe.learner.class_weights == ClassWeights::none) return {};
  Vector weights = Vector::Ones(static_cast<Index>(rows.classes.size()));
  for (Index k = 0; k < weights.size(); ++k)
    if (const Index own = rows.classes[static_cast<std::size_t>(k)]; own > 0)
      weights[k] = static_cast<double>(rows.source->rows()) / static_cast<double>(weights.size() * own);
  return weights;
}

void check_samples(const Recipe& recipe) {
  if (recipe.training.samples <= 0) return;
  const auto refuse = [](const std::string& why) { throw ConfigError("/training/samples", why); };
  if (!recipe.priors) refuse("are drawn from a posterior: set priors to true, or samples to 0");
  if (uses_minibatches(recipe))
    refuse("are of hyperparameters by evidence, and '" + recipe.model + "' is trained on minibatches");
}

}  // namespace

FitJob make_job(const Recipe& recipe, const TrainingStatistics& statistics, const RandomStreams& streams) {
  check_samples(recipe);
  FitJob job{recipe.model, 0, recipe, streams};
  job.recipe.members.clear();
  job.recipe.copies = 1;
  job.prior = make_prior(job.recipe, statistics.input_count(), streams, statistics);
  check_by_hand(job.recipe, job.prior.parameters());
  return job;
}

namespace {

/// Counts the random frequencies of one map; 0 for other models.
double frequencies_of(const Recipe& recipe) {
  double count = 0;
  for (const Recipe& term : recipe.terms) count += frequencies_of(term);
  const ModelInfo* info = find_model_info(model_infos(), recipe.model);
  // There are never more landmarks than rows.
  if (info == nullptr || !info->uses("features.frequencies") || info->uses("features.landmarks")) return count;
  const Index components = info->uses("features.components") ? recipe.features.components : 1;
  return count + static_cast<double>(recipe.features.frequencies) * static_cast<double>(components);
}

}  // namespace

void check_feature_sizes(const Recipe& recipe, Index rows, double limit) {
  constexpr double kMinChunkRows = 64;  // RowPass makes no smaller chunks
  const double chunk_rows = std::min(kMinChunkRows, static_cast<double>(rows));
  double features = 0, weights = 0;
  for (const Recipe& member : recipe.members.empty() ? std::vector<Recipe>{recipe} : recipe.members) {
    features = std::max(features, 8 * chunk_rows * frequencies_of(member));
    weights += 8 * static_cast<double>(member.copies) * frequencies_of(member);
  }
  const double megabytes = (features + weights) / 1e6;
  if (limit > 0 && 1e6 * megabytes > limit)
    throw ConfigError("--memory-limit",
                      fmt::format("{:.0f} MB are too little; the weights, and the features of {} rows, "
                                  "take at least {:.0f} MB",
                                  limit / 1e6, chunk_rows, megabytes));
}

namespace {

template <class StatisticsOf>
std::vector<FitJob> jobs_from(const Recipe& recipe, const StatisticsOf& statistics_of, std::uint64_t seed) {
  const std::vector<Recipe> members = recipe.members.empty() ? std::vector<Recipe>{recipe} : recipe.members;
  const RandomStreams streams(seed);
  std::map<std::string, Index> of_model, numbered;
  for (const Recipe& member : members) of_model[member.model] += member.copies;
  std::vector<FitJob> jobs;
  for (std::size_t m = 0; m < members.size(); ++m) {
    for (Index copy = 0; copy < members[m].copies; ++copy) {
      const std::string place = recipe.members.empty() ? "" : fmt::format("/members/{}", m);
      const RandomStreams own = streams.scope(fmt::format("member[{}]", jobs.size()));
      jobs.push_back(config_at(place, [&] { return make_job(members[m], statistics_of(members[m]), own); }));
      jobs.back().member = m;
      const std::string& model = members[m].model;
      if (of_model[model] > 1) jobs.back().name = fmt::format("{} {}/{}", model, ++numbered[model], of_model[model]);
    }
  }
  return jobs;
}

}  // namespace

std::vector<FitJob> make_jobs(const Recipe& recipe, const TrainingStatistics& statistics, std::uint64_t seed) {
  return jobs_from(
      recipe, [&](const Recipe&) -> const TrainingStatistics& { return statistics; }, seed);
}

std::vector<FitJob> make_jobs(const Recipe& recipe, const TrainingRows& rows, std::uint64_t seed) {
  const auto statistics_of = [&](const Recipe& member) -> const TrainingStatistics& {
    return rows.seen_as(view_of(member)).statistics;
  };
  return jobs_from(recipe, statistics_of, seed);
}

Vector noise_units(const FitJob& job, const TrainingRows& rows) {
  const Matrix& more = rows.source->more_targets();
  Vector units = Vector::Ones(1 + more.cols());
  if (has_unit_variance(job.recipe.scale_target) || !likelihood_of(job.recipe).is_conjugate()) return units;
  units[0] = rows.statistics.target_sd;
  for (Index t = 0; t < more.cols(); ++t) units[1 + t] = moments_of_target(more.col(t)).sd;
  return units;
}

std::unique_ptr<Inference> make_job_inference(const FitJob& job, const TrainingRows& rows, double noise_center,
                                              int threads, double memory_bytes, const std::vector<std::string>& held) {
  InferenceOptions options;
  options.classes = static_cast<Index>(rows.classes.size());
  options.memory_bytes = memory_bytes;
  options.mean = job.recipe.mean;
  options.form = job.recipe.evidence;
  options.precision = job.recipe.precision;
  const Vector units = noise_units(job, rows);
  const bool has_centers = job.recipe.noise.prior_center == PriorCenter::ard && rows.more_noise_centers.size() > 0;
  const auto noise_of = [&](Index target, double center) {
    NoiseConfig noise = job.recipe.noise;
    noise.prior_value = center * units[target];
    noise.floor *= units[target];
    return noise;
  };
  options.noise = noise_of(0, noise_center);
  // The prior is as wide as the ARD fit and neighbouring rows disagree: noise cannot exceed their differences.
  const bool is_found = job.recipe.noise.prior_center == PriorCenter::ard;
  if (const double bound = rows.statistics.structure.neighbour_sd; is_found && bound > 0)
    options.noise.prior_sd = std::max(options.noise.prior_sd, std::log(options.noise.prior_value / bound));
  for (Index t = 1; t < units.size(); ++t)
    options.more_noise.push_back(noise_of(t, has_centers ? rows.more_noise_centers[t - 1] : noise_center));
  options.held = held_slots(job.recipe, job.prior.parameters());
  options.held.insert(options.held.end(), held.begin(), held.end());
  options.threads = useful_threads(job, static_cast<double>(rows.source->rows()), options.classes, threads);
  options.likelihood = likelihood_of(job.recipe);
  options.class_weights = class_weights(job.recipe, rows);
  // Nothing of a network is learned by this evidence. Blocks predict as well (eight sets: log loss within 0.0025) and
  // cost a fraction for many classes (letter: a quarter of the whole time; experiments/frontier).
  if (uses_minibatches(job.recipe)) options.max_joint_features = 0;
  return make_inference(job.prior, rows.source, options);
}

Vector job_start(const FitJob& job, const TrainingStatistics& statistics, Index k) {
  RandomStream stream = job.streams.stream(fmt::format("start[{}]", k));
  return job.prior.start(statistics, k, stream);
}

void scale_amplitudes(const ParameterLayout& layout, double factor, Vector& theta) {
  for (const ParameterSlot& slot : layout.slots())
    if (slot.scale_power != 0) theta.segment(slot.offset, slot.size).array() += slot.scale_power * std::log(factor);
}

void clamp_scales(const ParameterLayout& layout, Vector& theta) {
  constexpr double kMargin = 1e-3;
  for (const ParameterSlot& slot : layout.slots())
    if (slot.scale_power != 0 || slot.name == "noise.log_sd")
      for (double& value : theta.segment(slot.offset, slot.size))
        value = std::clamp(value, slot.lower + kMargin, slot.upper - kMargin);
}

namespace {

/// Sets the values that the recipe gives by hand.
void set_by_hand(const FitJob& job, const TrainingRows& rows, const ParameterLayout& layout, Vector& theta) {
  set_kernel_by_hand(job.recipe, job.prior.parameters(), rows, theta);
  if (job.recipe.noise.sd > 0 && rows.source->more_targets().size() > 0)
    throw ConfigError("/noise/sd", "is in the unit of one target, and there are several; leave it out");
  if (const double sd = job.recipe.noise.sd / rows.target_scale; sd > 0 && layout.contains("noise.log_sd"))
    theta[layout.find("noise.log_sd").offset] = log_noise(sd, job, rows);
}

}  // namespace

double log_noise(double sd, const FitJob& job, const TrainingRows& rows) {
  const double floor = job.recipe.noise.trained ? job.recipe.noise.floor * noise_units(job, rows)[0] : 0;
  return 0.5 * std::log(std::max(sd * sd - floor * floor, 1e-6 * sd * sd));
}

namespace {

/// An input that an ARD fit of some of the rows takes for irrelevant may matter to all of them. Frequencies do not come
/// back to one whose length-scale is many times its range (pumadyn32nm: RMSE 0.27, and 0.20 from within the range);
/// exact kernels do better from the fit's own length-scales (parkinsons).
bool must_reach_all_inputs(const FitJob& job, const TrainingRows& rows) {
  return job.prior.map() != nullptr && job.recipe.noise.prior_rows < rows.source->rows();
}

Vector within_reach(const TrainingStatistics& statistics) {
  const Vector reach = std::sqrt(static_cast<double>(statistics.smooth_count())) * statistics.range;
  return statistics.lengthscale.cwiseMin(reach);
}

}  // namespace

std::vector<Vector> make_job_starts(const FitJob& job, const TrainingRows& rows, const ParameterLayout& layout,
                                    double noise_center) {
  const bool is_warm = job.recipe.training.start == StartPoint::ard && rows.statistics.lengthscale.size() > 0;
  TrainingStatistics own_statistics;
  if (rows.statistics.lengthscale.size() > 0 && (!is_warm || must_reach_all_inputs(job, rows))) {
    own_statistics = rows.statistics;
    own_statistics.lengthscale = is_warm ? within_reach(rows.statistics) : Vector();
  }
  const TrainingStatistics& statistics = own_statistics.rows > 0 ? own_statistics : rows.statistics;
  std::vector<Vector> starts;
  for (Index k = 0; k < job.recipe.training.starts; ++k) {
    const Vector own = job_start(job, statistics, k);
    Vector theta = Vector::Zero(layout.size());
    theta.head(own.size()) = own;
    const Likelihood& likelihood = likelihood_of(job.recipe);
    if (const Index size = likelihood.parameters(job.recipe.noise).size(); size > 0)
      for (const ParameterSlot& slot : layout.slots())
        if (slot.offset >= layout.size() - size) theta[slot.offset] = slot.prior.mean[0];
    if (likelihood.is_conjugate() && layout.contains("noise.log_sd")) {
      const ParameterSlot& slot = layout.find("noise.log_sd");
      theta.segment(slot.offset, slot.size)
          .setConstant(std::log((is_warm ? noise_center : job.recipe.noise.start) * statistics.target_sd) +
                       0.5 * std::log(statistics.mean_weight));
      if (const Vector units = noise_units(job, rows); !has_unit_variance(job.recipe.scale_target))
        theta.segment(slot.offset, slot.size).array() += (units.array() / units[0]).log();
    }
    if (layout.contains("constant.log_sd")) theta[layout.find("constant.log_sd").offset] = std::log(3.0);
    set_by_hand(job, rows, layout, theta);
    starts.push_back(std::move(theta));
  }
  return starts;
}

}  // namespace alacarte
