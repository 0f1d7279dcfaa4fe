// alacarte inspect: what a model has learned.
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "alacarte/app/evaluate_file.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/report/inspection.hpp"
#include "command.hpp"

namespace alacarte::cli {
namespace {

struct InspectArguments {
  std::string model, html, data, vega;
  bool json = false;
  Index inputs = 20;
};

void write_page(const InspectArguments& a, const FittedModel& model, int threads) {
  require_writable({a.html}, {a.model, a.data});
  const std::vector<std::string> scripts = find_vega_scripts(a.vega);
  PageData data;
  ProgressReporter reporter(threads);
  if (!a.data.empty() && model.target() == TargetKind::counts)
    throw ConfigError("--data", "the page shows no predictions of counts; alacarte evaluate scores this model");
  if (!a.data.empty() && model.target() == TargetKind::classes) {
    data.classes = std::get<ClassMetrics>(evaluate_file(model, find_data(a.data), {}, reporter.job()).metrics);
  } else if (!a.data.empty()) {
    LabelledRows rows = predict_labelled(model, find_data(a.data), reporter.job());
    data.rows = {rows.distribution(), std::move(rows.target)};
  }
  const Report page = model_page(model, std::filesystem::path(a.model).filename().string(), data, a.inputs);
  write_file(a.html, [&](std::ostream& file) { write_html(page, scripts, file); });
}

int inspect_model(const InspectArguments& a, const CommonOptions& common) {
  const FittedModel model = FittedModel::load(read_bundle(a.model));
  if (!a.html.empty()) write_page(a, model, common.threads);
  if (!a.html.empty() && !a.json) return kSuccess;
  const Inspection inspection = inspect(model);
  std::cout << (a.json ? to_json(inspection).dump(2) + '\n' : inspection_text(inspection, a.inputs));
  return kSuccess;
}

}  // namespace

Command inspect_command(CommonOptions& common) {
  const auto a = std::make_shared<InspectArguments>();
  Option data{"--data", &a->data, "Rows with the target column, for predictions and calibration in the page", "FILE"};
  data.needs = "--html";
  return {
      .name = "inspect",
      .summary = "Show what a model has learned",
      .footer =
          R"(Relevance of an input: root mean square frequency of the learned spectrum along it, in radians per unit of the
scaled input; 0 means no influence. Its inverse, the length-scale, is given in the input's own unit. Noise is in
units of the target. The leave-one-out scores come from the training rows, each predicted without itself.
The page shows relevances, learned spectra, evidence traces and amplitudes, and with --data predictions with
95 % intervals against true values and how many of them hold; of classes scores, confusions and the reliability of
the probabilities.

Examples:
  alacarte inspect price.model
  alacarte inspect price.model --html price.html --data test.csv)",
      .options = {model_argument(a->model),
                  {"--json", &a->json, "Everything, as JSON"},
                  {"--html", &a->html, "Instead of text, a page with tables and charts", "FILE", kNoStream},
                  data,
                  vega_option(a->vega),
                  {"--inputs", &a->inputs, "How many inputs the ranking shows", "N", kPositive | kShowDefault},
                  threads_option(common)},
      .run = [a, &common] { return inspect_model(*a, common); }};
}

}  // namespace alacarte::cli
