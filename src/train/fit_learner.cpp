#include "train/fit_learner.hpp"

#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/core/version.hpp"
#include "alacarte/data/fingerprint.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

Json training_record(const LearnerInputs& inputs, const ClassifierRows& rows, const TrainingPlan& plan,
                     const FittedModel& model, double seconds, int threads, bool cut_short) {
  return {{"rows", rows.rows()},
          {"inputs", rows.view->input_count()},
          {"target", inputs.schema.target_name()},
          {"data_sha256", inputs.sha256()},
          {"seconds", seconds},
          {"threads", threads},
          {"planned_fits", plan.fits.size()},
          {"fits", model.members.size()},
          {"cut_short", cut_short},
          {"notes", plan.notes},
          {"leave_one_out", nullptr},
          {"program_version", version()}};
}

}  // namespace

namespace {

void add_classes(ConstVec targets, ClassifierRows& rows) {
  for (const double target : targets) {
    require(target >= 0 && target < static_cast<double>(rows.class_count) && target == std::floor(target),
            "fit: a class that the schema does not have");
    rows.classes.push_back(static_cast<int>(target));
  }
}

}  // namespace

ClassifierRows classifier_rows(const TrainingRows& rows, Index classes) {
  ClassifierRows result;
  result.dense = rows.source.get();
  result.view = &rows.view;
  result.class_count = classes;
  result.bytes = rows.bytes;
  RowScratch scratch;
  constexpr Index kChunk = 2048;
  for (Index first = 0; first < rows.source->rows(); first += kChunk) {
    const RowBlock block = rows.source->read(first, std::min(kChunk, rows.source->rows() - first), scratch);
    add_classes(block.y, result);
  }
  return result;
}

TrainingView sparse_view(Index rows, Index inputs, double mean_square) {
  TrainingView view;
  view.rows = rows;
  view.range = Vector::Ones(inputs);
  view.pair_differences = Matrix::Ones(1, inputs);
  view.sample = Matrix::Zero(1, inputs);
  view.sample(0, 0) = std::sqrt(mean_square);
  return view;
}

namespace {

bool has_lengthscale(const ParameterLayout& layout) {
  return std::any_of(layout.slots().begin(), layout.slots().end(), is_lengthscale);
}

}  // namespace

bool maps_take_sparse_rows(const Recipe& recipe) {
  DataConfig plain;
  plain.labels = recipe.data.labels;
  if (recipe.scale_inputs != Scaling::none || recipe.data != plain) return false;
  // Asked of maps of a few inputs, since only a map in hand knows.
  const TrainingView view = sparse_view(1, 2, 2);
  const std::vector<FitJob> jobs = make_jobs(recipe, view, 0);
  return std::all_of(jobs.begin(), jobs.end(), [&](const FitJob& job) {
    return job.map && !has_lengthscale(job.map->parameters()) && job.map->sparse_support().inputs;
  });
}

bool takes_sparse_rows(const Recipe& recipe) { return recipe.learner.kind != "gp" && maps_take_sparse_rows(recipe); }

FittedModel fit_sparse(const Recipe& recipe, const Schema& schema, Dataset training, const FitOptions& options,
                       Clock::time_point began) {
  if (!takes_sparse_rows(recipe))
    throw ConfigError("/model", "'" + recipe.model + "' with these settings takes no sparse rows");
  require(schema.is_sparse() && training.target.size() == training.rows(), "fit: sparse rows and schema");
  LearnerInputs inputs{recipe, schema, Standardizer::sparse(training.sparse.width, recipe.scale_rows), {}};
  inputs.sha256 = [sum = rows_sha256(training.sparse.view(), training.target)] { return sum; };
  inputs.standardizer.standardise(training.sparse);
  const SparseView sparse = training.sparse.view();
  const double squares = Eigen::Map<const Vector>(sparse.values, sparse.nonzeros()).squaredNorm();
  const TrainingView view =
      sparse_view(sparse.rows, sparse.width, squares / static_cast<double>(std::max<Index>(1, sparse.rows)));
  ClassifierRows rows;
  rows.sparse = &sparse;
  rows.view = &view;
  rows.class_count = schema.class_count();
  rows.bytes = 16.0 * static_cast<double>(sparse.nonzeros()) + 40.0 * static_cast<double>(sparse.rows + sparse.width);
  add_classes(training.target, rows);
  return fit_learner(std::move(inputs), rows, options, began);
}

FittedModel fit_learner(LearnerInputs inputs, const ClassifierRows& rows, const FitOptions& options,
                        Clock::time_point began) {
  const std::function<double()> seconds = [began] {
    return std::chrono::duration<double>(Clock::now() - began).count();
  };
  const std::vector<FitJob> jobs = make_jobs(inputs.recipe, *rows.view, options.seed);
  const TrainingPlan plan = plan_classifiers(inputs.recipe, jobs, rows, options);
  if (options.observer != nullptr) {
    options.observer->on_plan(plan);
    for (const std::string& note : plan.notes) options.observer->on_message(note);
  }
  FittedModel model;
  model.recipe = inputs.recipe;
  model.seed = options.seed;
  model.schema = inputs.schema;
  bool cut_short = false;
  for (const FitJob& job : jobs) {
    if (cut_short) break;
    ClassifierOutcome outcome = fit_classifier(job, rows, options, seconds);
    cut_short = outcome.cut_short;
    if (!outcome.posterior && !model.members.empty()) break;  // the fits before it are worth a model
    if (!outcome.posterior)
      throw NumericalError("training of '" + job.name + "'", "interrupted before anything was fitted");
    Member member;
    member.recipe = job.recipe;
    member.map = job.map;
    member.kernel = job.kernel;
    member.theta = std::move(outcome.theta);
    member.posterior = std::move(outcome.posterior);
    member.summary = std::move(outcome.summary);
    model.members.push_back(std::move(member));
  }
  model.training = training_record(inputs, rows, plan, model, seconds(), options.threads, cut_short);
  model.standardizer = std::move(inputs.standardizer);
  return model;
}

}  // namespace alacarte
