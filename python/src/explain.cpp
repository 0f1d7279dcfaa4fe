// Gradients and explanations of models.
#include <nlohmann/json.hpp>

#include "alacarte/app/explain_file.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/model/explanation.hpp"
#include "io/documents.hpp"
#include "jobs.hpp"
#include "model.hpp"

namespace alacarte::python {

std::pair<Matrix, std::optional<Matrix>> Model::gradient(const Rows& given, bool with_sd, int threads) const {
  Matrix buffer;
  const InputView rows = inputs(given).all(buffer);
  GradientPrediction slopes;
  run_job(
      [&](const std::atomic<bool>&) {
        slopes = predict_gradient(model_, rows, numeric_inputs(model_.schema), with_sd, thread_count(threads));
        if (!slopes.mean.allFinite() || !slopes.variance.allFinite())
          throw NumericalError("prediction", "is not finite");
      },
      false);
  if (!with_sd) return {std::move(slopes.mean), {}};
  return {std::move(slopes.mean), Matrix(slopes.variance.cwiseSqrt())};
}

std::string Model::explain(const Rows& given, const Vector& target, Index row, Index inputs_count, Index interactions,
                           Index background, Index repeats, std::uint64_t seed, int threads) const {
  Matrix buffer;
  const InputView rows = inputs(given).all(buffer);
  ExplainOptions options;
  options.inputs = inputs_count;
  options.interactions = interactions;
  options.background = background;
  options.repeats = repeats;
  options.seed = seed;
  options.model_name = "the model";
  options.data_name = "X";
  if (row >= 0) options.row = row + 1;
  std::string text;
  run_job(
      [&](const std::atomic<bool>& interrupt) {
        if (const std::string why = why_no_explanation(model_); !why.empty()) throw ConfigError("the model", why);
        Dataset data;
        data.inputs = rows.dense();
        data.target = target;
        Job job;
        job.threads = thread_count(threads);
        job.interrupt = &interrupt;
        nlohmann::json result = to_json(alacarte::explain(model_, data, options, job));
        if (row >= 0) result["shapley"]["row"] = row;  // counted from 0, like rows of arrays
        text = result.dump();
      },
      false);
  return text;
}

}  // namespace alacarte::python
