// alacarte inspect: what a model has learned.
#include <iostream>

#include "alacarte/io/model_file.hpp"
#include "command.hpp"
#include "guard.hpp"
#include "inspection.hpp"

namespace alacarte::cli {
namespace {

struct InspectArguments {
  std::string model;
  bool json = false;
  Index inputs = 20;
};

int inspect_model(const InspectArguments& a) {
  const FittedModel model = FittedModel::load(read_bundle(a.model));
  const nlohmann::json document = inspection(model);
  if (a.json) {
    std::cout << document.dump(2) << '\n';
  } else {
    std::cout << inspection_text(document, a.inputs);
  }
  return kSuccess;
}

std::function<int()> configure(CLI::App& app, CommonOptions& common) {
  auto a = std::make_shared<InspectArguments>();
  app.add_option("MODEL", a->model, "Model file made by alacarte train")->required();
  app.add_flag("--json", a->json, "Everything, as JSON");
  app.add_option("--inputs", a->inputs, "How many inputs the ranking shows")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->type_name("N");
  add_log_options(app, common);
  app.footer(
      "Relevance of an input: root mean square frequency of the learned spectrum along it, in radians per unit of the\n"
      "scaled input; 0 means no influence. Its inverse, the length-scale, is given in the input's own unit. Noise is "
      "in\n"
      "units of the target. The leave-one-out scores come from the training rows, each predicted without itself.\n\n"
      "Example:\n"
      "  alacarte inspect price.model");
  return [a] { return inspect_model(*a); };
}

}  // namespace

const Command kInspectCommand{"inspect", "Show what a model has learned", configure};

}  // namespace alacarte::cli
