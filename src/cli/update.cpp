// alacarte update: adds rows to a trained model.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "alacarte/app/train_file.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/io/target_models.hpp"
#include "command.hpp"
#include "core/pipes.hpp"
#include "core/spelling.hpp"
#include "io/documents.hpp"

namespace alacarte::cli {
namespace {

struct UpdateArguments {
  std::string model, data, out;
  UpdateOptions options;
};

int update_model(const UpdateArguments& a, const CommonOptions& common) {
  const std::string data_path = find_one_table(a.data);
  const std::vector<FittedModel> models = load_models(read_bundle(a.model));
  if (models.size() > 1 && is_stream(data_path))
    throw ConfigError("--data", "several targets are read one after the other; give a file");
  require_writable({a.out}, {data_path, a.model});
  UpdateOptions options = a.options;
  options.name = a.model;
  options.data = a.data;
  ProgressReporter reporter(common.threads);
  std::vector<FittedModel> updated;
  for (const FittedModel& model : models)
    updated.push_back(update_from_file(model, data_path, options, reporter.job()));
  write_bundle(a.out, save_models(updated));
  for (const FittedModel& model : updated) {
    const UpdateRecord& record = model.training.updates.back();
    const std::string target = updated.size() > 1 ? one_line(model.schema.target_name()) + ": " : "";
    if (&model == &updated.front())
      log_event("updated", to_json(record), fmt::format("learned {} rows; saved {}", record.rows, one_line(a.out)));
    log_event("before_learning", to_json(record).at("before_learning"), target + update_text(model.training));
  }
  return kSuccess;
}

}  // namespace

Command update_command(CommonOptions& common) {
  const auto a = std::make_shared<UpdateArguments>();
  return {
      .name = "update",
      .summary = "Teach a model further rows, without training",
      .footer =
          R"(The result is the model of all rows at the hyperparameters, the scaling and the weights of fits that MODEL has: exactly,
for models of numbers. Classes and counts are trained anew (alacarte train --from MODEL).

Before they are learned, the rows are scored by the model as it was: its drift. The scores go to standard error and into
the model, and alacarte inspect shows them.

Examples:
  alacarte update price.model --data june.csv --out price-june.model
  alacarte update price.model --data june.csv --out price-june.model --forget 0.1)",
      .options = {model_argument(a->model),
                  {"--data", &a->data, "Rows with the target column; - is standard input; read once, in flat memory",
                   "FILE", kRequired},
                  {"--out", &a->out, "Model file to write", "OUT", kRequired | kNoStream},
                  {"--forget", &a->options.forget,
                   "Rows learned before lose this share of their weights: 0.1 in every update is to remember some ten "
                   "(default: none)",
                   "SHARE", kShare},
                  threads_option(common)},
      .run = [a, &common] { return update_model(*a, common); }};
}

}  // namespace alacarte::cli
