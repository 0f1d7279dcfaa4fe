// alacarte predict: rows in, predictions out.
#include <fmt/format.h>

#include "alacarte/app/predict_file.hpp"
#include "alacarte/io/model_file.hpp"
#include "command.hpp"

namespace alacarte::cli {
namespace {

struct PredictArguments {
  std::string model, data;
  PredictFileOptions options;
};

int predict_rows(const PredictArguments& a, const CommonOptions& common) {
  PredictFileOptions options = a.options;
  if ((options.draws > 0) != !options.draws_out.empty()) throw UsageError("--draws and --draws-out go together");
  options.seed = common.seed();
  options.model_name = a.model;
  options.data_name = a.data;
  const std::string data_path = find_data(a.data);
  const FittedModel model = FittedModel::load(read_bundle(a.model));
  require_writable({options.out, options.covariance, options.draws_out}, {data_path, a.model});
  ProgressReporter reporter(common.threads);
  const Index rows = predict_file(model, data_path, options, reporter.job());
  log_event("predicted", {{"rows", rows}, {"out", options.out}}, fmt::format("predicted {} rows", rows));
  return kSuccess;
}

}  // namespace

Command predict_command(CommonOptions& common) {
  const auto a = std::make_shared<PredictArguments>();
  PredictFileOptions& o = a->options;
  return {
      .name = "predict",
      .summary = "Predict rows with error bars, streaming",
      .footer =
          R"(Columns are matched by name where the model and the file have names: order is free, extra columns are ignored, a
missing one is an error. Without names they are matched by position, without the target.

Output columns: [row,] [key,] mean, sd_KIND, lower_KIND, upper_KIND, share_outside. KIND says what the error
bars cover: observation (noise included) or latent. share_outside is the share of the row's inputs outside the
range seen in training: expect error bars to be too small there. row (data row, from 1) is there when the model
drops rows with missing values, key when the recipe names one. Of classes, in place of mean and error bars: label
and, for each class NAME, its probability p(NAME), or value(NAME), the decision value of a model without any.

Example:
  alacarte predict price.model --data new.csv --out predictions.csv --interval 0.9)",
      .options = {model_argument(a->model),
                  {"--data", &a->data, "Rows to predict, of any length; - is standard input", "FILE", kRequired},
                  {"--out", &o.out, "CSV to write; - is standard output", "FILE.csv", kRequired},
                  {"--interval", &o.interval, "Probability inside [lower, upper] (default: 0.95)", "", kShare},
                  {"--latent", &o.latent, "Error bars of the function itself, without the observation noise"},
                  {"--covariance", &o.covariance, "Also write the full covariance of the rows (memory: rows^2 doubles)",
                   "FILE.npy", kNoStream},
                  {"--draws", &o.draws, "Also draw this many functions from the posterior, without observation noise",
                   "N", kPositive},
                  {"--draws-out", &o.draws_out, "Where the draws go, as an array (rows, N)", "FILE.npy", kNoStream},
                  seed_option(common, "Seed of --draws"),
                  threads_option(common)},
      .run = [a, &common] { return predict_rows(*a, common); }};
}

}  // namespace alacarte::cli
