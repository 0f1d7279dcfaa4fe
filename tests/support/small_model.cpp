#include "support/small_model.hpp"

#include <cmath>

#include "alacarte/model/registered.hpp"
#include "inference/inference.hpp"
#include "support/example_recipe.hpp"

namespace alacarte {
namespace {

Member make_member(const std::string& name, std::size_t k, const Matrix& x, const Vector& y) {
  Member member;
  member.recipe = example_recipe(name, 6);
  const RandomStreams streams = RandomStreams(99).scope("member[" + std::to_string(k) + "]");
  RandomStream stream = streams.stream("start");
  const TrainingStatistics statistics = training_statistics(x, y, stream);
  member.prior = make_prior(member.recipe, x.cols(), streams, statistics);
  member.theta = member.prior.start(statistics, 0, stream);
  Vector theta(member.theta.size() + 1);
  theta << member.theta, std::log(0.2);
  member.posterior = make_inference(member.prior, x, y, {})->posterior(theta);
  member.summary.stop = Stop::iterations;
  member.summary.objective = 1.25;
  return member;
}

}  // namespace

std::vector<std::string> registered_models() {
  std::vector<std::string> names;
  for (const ModelInfo& info : model_infos()) names.push_back(info.name);
  return names;
}

SmallProblem small_problem(Index rows) {
  RandomStream stream(7);
  std::string text = "a,b,y\n";
  for (Index i = 0; i < rows; ++i) {
    const double a = stream.normal(), b = 100 + 20 * stream.normal();
    text += std::to_string(a) + "," + std::to_string(b) + "," +
            std::to_string(50 + 5 * std::sin(2 * a) + 0.1 * b + 0.3 * stream.normal()) + "\n";
  }
  const auto reader = open_table_from_memory("rows.csv", text, {});
  Schema::prepare(*reader, {});
  const TableChunk table = read_all(*reader);
  SmallProblem problem;
  problem.schema = Schema::learn(*reader, table, {}, {});
  problem.rows = problem.schema.encode(*reader, table, true);
  return problem;
}

FittedModel small_model(const std::vector<std::string>& names, const SmallProblem& problem) {
  FittedModel model;
  model.recipe.model = names.front();
  model.seed = 18446744073709551615ULL;
  model.schema = problem.schema;
  model.standardizer =
      Standardizer::learn(problem.rows.inputs, problem.rows.target, Scaling::zscore, TargetScaling::zscore);
  const Matrix x = model.standardizer.inputs(problem.rows.inputs);
  const Vector y = model.standardizer.target(problem.rows.target);
  for (std::size_t k = 0; k < names.size(); ++k) model.members.push_back(make_member(names[k], k, x, y));
  model.recipe.terms = model.members.front().recipe.terms;
  model.training.rows = problem.rows.rows();
  return model;
}

}  // namespace alacarte
