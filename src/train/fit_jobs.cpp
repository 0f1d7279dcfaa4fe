#include "fit_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "alacarte/core/config_at.hpp"
#include "alacarte/data/fingerprint.hpp"
#include "alacarte/model/likelihood.hpp"
#include "alacarte/model/registered.hpp"
#include "standardized_rows.hpp"

namespace alacarte {

void check_training_rows(const Dataset& training) {
  require(training.target.size() == training.rows(), "one target for each training row");
  if (training.rows() == 0) throw DataError("training data", "there are no rows to train on");
  if (training.view().cols() == 0) throw DataError("training data", "there are no input columns");
  for (Index j = 0; j < training.inputs.cols(); ++j)
    if (!training.inputs.col(j).allFinite())
      throw DataError("training data", "input " + std::to_string(j) + " holds a value that is not finite");
  const std::vector<double>& entries = training.sparse.values;
  if (!std::all_of(entries.begin(), entries.end(), [](double value) { return std::isfinite(value); }))
    throw DataError("training data", "an input holds a value that is not finite");
  if (!training.target.allFinite()) throw DataError("training data", "the target holds a value that is not finite");
}

TrainingRows make_training_rows(std::shared_ptr<const RowSource> source, const RandomStreams& streams) {
  RandomStream pairs = streams.stream("training_view.pairs");
  TrainingStatistics statistics = training_statistics(*source, pairs);
  return {std::move(source), std::move(statistics), 0, {}};
}

void count_classes(const Recipe& recipe, Index classes, TrainingRows& rows) {
  const bool any = classes == kAnyClasses, labels = recipe.learner.kind != "gp";
  rows.classes.assign(static_cast<std::size_t>(any ? 1 + labels : classes), 0);
  if (classes == 0) return;
  constexpr Index kBlock = 4096;
  constexpr double kMaxClasses = 1e6;
  RowScratch scratch;
  for (Index first = 0; first < rows.source->rows(); first += kBlock)
    for (const double place : rows.source->read(first, std::min(kBlock, rows.source->rows() - first), scratch).y) {
      if (!(place >= 0 && place < (any ? kMaxClasses : static_cast<double>(classes))) || place != std::floor(place))
        throw DataError("training data", fmt::format("{:g} is the place of no class", place));
      const auto label = static_cast<std::size_t>(place);
      if (label >= rows.classes.size()) rows.classes.resize(label + 1, 0);
      ++rows.classes[label];
      if (labels) rows.labels.push_back(static_cast<Index>(place));
    }
  const LikelihoodEntry* entry = laplace_likelihood(recipe) ? find_likelihood(recipe.likelihood) : nullptr;
  if (entry != nullptr && entry->max_classes > 0 && static_cast<Index>(rows.classes.size()) > entry->max_classes)
    throw ConfigError("/likelihood", fmt::format("'{}' is of {} classes, and the target has {}; take softmax",
                                                 entry->name, entry->max_classes, rows.classes.size()));
}

void set_start_sd(const Recipe& recipe, TrainingStatistics& statistics) {
  if (const Likelihood* likelihood = laplace_likelihood(recipe)) statistics.target_sd = likelihood->start_sd();
  // Classifiers keep the amplitude fixed: the cost C alone determines the size of the function.
  if (recipe.learner.kind != "gp") statistics.target_sd = 1;
}

namespace {

/// (K) n / (K rows of the class); empty without class weights.
Vector class_weights(const Recipe& recipe, const TrainingRows& rows) {
  if (recipe.learner.class_weights == "none") return {};
  Vector weights = Vector::Ones(static_cast<Index>(rows.classes.size()));
  for (Index k = 0; k < weights.size(); ++k)
    if (const Index own = rows.classes[static_cast<std::size_t>(k)]; own > 0)
      weights[k] = static_cast<double>(rows.source->rows()) / static_cast<double>(weights.size() * own);
  return weights;
}

}  // namespace

namespace {

/// Sparse rows stay sparse.
PreparedRows prepare_sparse_rows(const Recipe& recipe, Dataset training, std::uint64_t seed) {
  if (!takes_sparse_rows(recipe))
    throw ConfigError("/model", "'" + recipe.model + "' with these settings takes no sparse rows");
  PreparedRows prepared;
  prepared.sha256 = [sum = rows_sha256(training.sparse.view(), training.target)] { return sum; };
  prepared.standardizer =
      Standardizer::sparse(training.sparse.width, recipe.scale_rows, training.target, recipe.scale_target);
  prepared.standardizer.standardise(training.sparse);
  const double bytes = 16.0 * static_cast<double>(training.sparse.values.size()) +
                       40.0 * static_cast<double>(training.rows() + training.sparse.width);
  auto source = std::make_shared<MemoryRows>(std::move(training.sparse), prepared.standardizer.target(training.target));
  prepared.rows = make_training_rows(std::move(source), RandomStreams(seed));
  prepared.rows.bytes = bytes;
  set_start_sd(recipe, prepared.rows.statistics);
  prepared.targets = [target = std::move(training.target)](const std::vector<Index>& rows) {
    return rows.empty() ? target : Vector(target(rows));
  };
  return prepared;
}

}  // namespace

PreparedRows prepare_rows(const Recipe& recipe, Dataset training, std::uint64_t seed) {
  check_training_rows(training);
  if (training.is_sparse()) return prepare_sparse_rows(recipe, std::move(training), seed);
  PreparedRows prepared;
  prepared.sha256 = [sum = rows_sha256(DatasetRows(training))] { return sum; };
  auto& standardizer = prepared.standardizer;
  standardizer = Standardizer::learn(training.inputs, training.target, recipe.scale_inputs, recipe.scale_target,
                                     recipe.scale_rows);
  standardizer.standardise(training.inputs);
  const double numbers = static_cast<double>(training.inputs.size() + 2 * training.target.size());
  auto source = std::make_shared<MemoryRows>(std::move(training.inputs), standardizer.target(training.target));
  prepared.rows = make_training_rows(std::move(source), RandomStreams(seed));
  prepared.rows.bytes = 8.0 * numbers;
  set_start_sd(recipe, prepared.rows.statistics);
  prepared.targets = [target = std::move(training.target)](const std::vector<Index>& rows) {
    return rows.empty() ? target : Vector(target(rows));
  };
  return prepared;
}

namespace {

/// In the user's unit; `scored`: empty = all.
Vector targets_of(const EncodedRows& training, const std::vector<Index>& scored) {
  const Index count = scored.empty() ? training.rows() : static_cast<Index>(scored.size());
  Vector target(count);
  Matrix x(1, training.inputs());
  std::vector<double> scratch;
  for (Index i = 0; i < count; ++i)
    training.read(scored.empty() ? i : scored[static_cast<std::size_t>(i)], 1, x, target.segment(i, 1), scratch);
  return target;
}

}  // namespace

PreparedRows prepare_rows(const Recipe& recipe, const EncodedRows& training, std::uint64_t seed) {
  PreparedRows prepared;
  prepared.sha256 = [&training] { return rows_sha256(training); };
  prepared.targets = [&training](const std::vector<Index>& rows) { return targets_of(training, rows); };
  prepared.standardizer = Standardizer::learn(training, recipe.scale_inputs, recipe.scale_target, recipe.scale_rows);
  auto source = std::make_shared<StandardizedRows>(training, prepared.standardizer);
  prepared.rows = make_training_rows(std::move(source), RandomStreams(seed));
  set_start_sd(recipe, prepared.rows.statistics);
  return prepared;
}

FitJob make_job(const Recipe& recipe, const TrainingStatistics& statistics, const RandomStreams& streams) {
  FitJob job{recipe.model, 0, recipe, streams, nullptr, nullptr};
  job.recipe.members.clear();
  job.recipe.copies = 1;
  const ModelFunction function = make_function(job.recipe, statistics.input_count(), streams, statistics);
  job.map = function.map;
  job.kernel = function.kernel;
  return job;
}

namespace {

/// Random frequencies of one map; 0 for other models.
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

std::vector<FitJob> make_jobs(const Recipe& recipe, const TrainingStatistics& statistics, std::uint64_t seed) {
  const std::vector<Recipe> members = recipe.members.empty() ? std::vector<Recipe>{recipe} : recipe.members;
  const RandomStreams streams(seed);
  std::map<std::string, Index> of_model, numbered;
  for (const Recipe& member : members) of_model[member.model] += member.copies;
  std::vector<FitJob> jobs;
  for (std::size_t m = 0; m < members.size(); ++m) {
    for (Index copy = 0; copy < members[m].copies; ++copy) {
      const std::string place = recipe.members.empty() ? "" : fmt::format("/members/{}", m);
      const RandomStreams own = streams.scope(fmt::format("member[{}]", jobs.size()));
      jobs.push_back(config_at(place, [&] { return make_job(members[m], statistics, own); }));
      jobs.back().member = m;
      const std::string& model = members[m].model;
      if (of_model[model] > 1) jobs.back().name = fmt::format("{} {}/{}", model, ++numbered[model], of_model[model]);
    }
  }
  return jobs;
}

namespace {

// Waking threads costs microseconds, and milliseconds on a busy machine: an evaluation of less than this is faster on
// one.
constexpr double kWorthThreads = 3e7;

int useful_threads(const FitJob& job, Index rows, int threads) {
  const double n = static_cast<double>(rows);
  const double features = job.map ? static_cast<double>(job.map->feature_count()) : n;
  return 3 * n * features * std::min(n, features) < kWorthThreads ? 1 : threads;
}

}  // namespace

std::unique_ptr<Inference> make_job_inference(const FitJob& job, const TrainingRows& rows, double noise_center,
                                              int threads, double memory_bytes) {
  InferenceOptions options;
  options.memory_bytes = memory_bytes;
  options.mean = job.recipe.mean;
  options.form = job.recipe.evidence;
  options.precision = job.recipe.precision;
  options.noise = job.recipe.noise;
  options.noise.prior_value = noise_center;
  options.threads = useful_threads(job, rows.source->rows(), threads);
  options.likelihood = laplace_likelihood(job.recipe);
  options.classes = static_cast<Index>(rows.classes.size());
  options.class_weights = class_weights(job.recipe, rows);
  return job.map ? make_inference(job.map, rows.source, options) : make_inference(job.kernel, rows.source, options);
}

Vector job_start(const FitJob& job, const TrainingStatistics& statistics, Index k) {
  RandomStream stream = job.streams.stream(fmt::format("start[{}]", k));
  return job.map ? job.map->start(statistics, k, stream) : job.kernel->start(statistics, k, stream);
}

std::vector<Vector> make_job_starts(const FitJob& job, const TrainingRows& rows, const ParameterLayout& layout) {
  std::vector<Vector> starts;
  for (Index k = 0; k < job.recipe.training.starts; ++k) {
    const Vector own = job_start(job, rows.statistics, k);
    Vector theta = Vector::Zero(layout.size());
    theta.head(own.size()) = own;
    if (layout.contains("noise.log_sd"))
      theta[layout.find("noise.log_sd").offset] = std::log(job.recipe.noise.start * rows.statistics.target_sd);
    if (layout.contains("constant.log_sd")) theta[layout.find("constant.log_sd").offset] = std::log(3.0);
    starts.push_back(std::move(theta));
  }
  return starts;
}

}  // namespace alacarte
