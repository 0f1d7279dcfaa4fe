#include "train/fit_learner.hpp"

#include <algorithm>
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/core/version.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

Json training_record(const LearnerInputs& inputs, const ClassifierRows& rows, const TrainingPlan& plan,
                     const FittedModel& model, double seconds, int threads, bool cut_short) {
  return {{"rows", rows.rows()},
          {"inputs", rows.statistics->input_count()},
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
  result.source = rows.source.get();
  result.statistics = &rows.statistics;
  result.class_count = classes;
  result.bytes = rows.source->memory_bytes();
  for_each_block(*rows.source, [&](const RowBlock& block) { add_classes(block.y, result); });
  return result;
}

namespace {

bool has_lengthscale(const ParameterLayout& layout) {
  return std::any_of(layout.slots().begin(), layout.slots().end(), is_lengthscale);
}

}  // namespace

bool takes_sparse_rows(const Recipe& recipe) {
  DataConfig plain;
  plain.labels = recipe.data.labels;
  if (recipe.scale_inputs != Scaling::none || recipe.data != plain) return false;
  // Decided on maps with few inputs, since it is a property of the constructed map.
  const TrainingStatistics statistics = sparse_training_statistics(1, 2, 2);
  const std::vector<FitJob> jobs = make_jobs(recipe, statistics, 0);
  return std::all_of(jobs.begin(), jobs.end(), [&](const FitJob& job) {
    return job.map && !has_lengthscale(job.map->parameters()) && job.map->sparse_support().inputs;
  });
}

FittedModel fit_learner(LearnerInputs inputs, const ClassifierRows& rows, const FitOptions& options,
                        Clock::time_point began) {
  const std::function<double()> seconds = [began] {
    return std::chrono::duration<double>(Clock::now() - began).count();
  };
  const std::vector<FitJob> jobs = make_jobs(inputs.recipe, *rows.statistics, options.seed);
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
