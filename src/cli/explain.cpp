// alacarte explain: explains a model's predictions.
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "alacarte/app/explain_file.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/io/target_models.hpp"
#include "command.hpp"
#include "core/pipes.hpp"
#include "io/documents.hpp"
#include "report/explanation.hpp"

namespace alacarte::cli {
namespace {

struct ExplainArguments {
  std::string model, data, html, vega;
  bool json = false;
  ExplainOptions options;
};

int explain_model(const ExplainArguments& a, const CommonOptions& common) {
  ExplainOptions options = a.options;
  options.seed = common.seed();
  options.model_name = a.model;
  options.data_name = a.data;
  const std::string data_path = find_one_table(a.data);
  const FittedModel model = load_one_model(a.model);
  if (!a.html.empty()) require_writable({a.html}, {a.model, data_path});
  const std::vector<std::string> scripts = a.html.empty() ? std::vector<std::string>() : find_vega_scripts(a.vega);
  ProgressReporter reporter(common.threads);
  const Explanation explanation = explain_file(model, data_path, options, reporter.job());
  if (!a.html.empty()) {
    const Report page = explanation_page(explanation, std::filesystem::path(a.model).filename().string());
    write_file(a.html, [&](std::ostream& file) { write_html(page, scripts, file); });
  }
  if (a.json)
    std::cout << to_json(explanation).dump(2) << '\n';
  else if (a.html.empty())
    std::cout << explanation_text(explanation);
  return kSuccess;
}

}  // namespace

Command explain_command(CommonOptions& common) {
  const auto a = std::make_shared<ExplainArguments>();
  ExplainOptions& o = a->options;
  Option vega = vega_option(a->vega);
  vega.needs = "--html";
  return {
      .name = "explain",
      .summary = "Show what the inputs do to the predictions of a model",
      .footer =
          R"(Importance: how much larger the RMSE becomes when an input is permuted among the rows; it needs the target, and is
left out without it. Partial dependence: the average of the function over rows with one input set to a value.
Interactions: what two inputs do together beyond what each does alone. Averages have the standard deviation of
the posterior, covariances between rows included. --row explains one prediction by Shapley values, sampled: what
each input adds to the average prediction; they add up to its difference from the row's. All in the unit of the
target. Models of numbers on dense rows.

Examples:
  alacarte explain price.model --data test.csv
  alacarte explain price.model --data test.csv --row 17 --html why.html)",
      .options =
          {model_argument(a->model),
           {"--data", &a->data, "Rows to explain by, held in memory; - is standard input", "FILE", kRequired},
           {"--row", &o.row, "Also explain the prediction of this data row, counted from 1", "K", kPositive},
           {"--inputs", &o.inputs, "Partial dependences of that many inputs, those that change predictions most", "N",
            kPositive | kShowDefault},
           {"--interactions", &o.interactions, "Inputs, the first of those, whose pairs are looked at", "N",
            kNotNegative | kShowDefault},
           {"--background", &o.background, "Rows, drawn from those given, to average over", "N",
            kPositive | kShowDefault},
           {"--repeats", &o.repeats, "Permutations of each input for its importance", "N", kShowDefault, {{2, 10000}}},
           {"--json", &a->json, "Everything, as JSON"},
           {"--html", &a->html, "Instead of text, a page with tables and charts", "FILE", kNoStream},
           vega,
           seed_option(common, "Seed of rows and permutations"),
           threads_option(common)},
      .run = [a, &common] { return explain_model(*a, common); }};
}

}  // namespace alacarte::cli
