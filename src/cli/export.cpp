// alacarte export: writes a model for programs without this library.
#include <fmt/format.h>

#include "alacarte/app/export_c.hpp"
#include "alacarte/io/model_file.hpp"
#include "alacarte/io/target_models.hpp"
#include "command.hpp"

namespace alacarte::cli {

Command export_command() {
  struct ExportArguments {
    std::string model, c, prefix = "alacarte";
  };
  const auto a = std::make_shared<ExportArguments>();
  return {
      .name = "export",
      .summary = "Write a model's mean as one C file",
      .footer =
          R"(The file is C99 and needs libm alone: NAME_mean(x) is the mean of the target in its unit, x the inputs in their units,
in the order of NAME_input_names. Text columns are indicators there ("colour=red" is 1 or 0), dates are days.
Exported are maps whose features are sinusoids (gm, ard, rbf, matern, fsard, ssgpr and their like), linear ones,
sums and deep kernels of these, exact-rbf, -ard, -rq, -matern and their sums with all training rows, mixtures; what
cannot be is refused. Error bars stay with alacarte predict.

Example:
  alacarte export price.model --c price.c --name price && cc -std=c99 -O2 -c price.c)",
      .options = {model_argument(a->model),
                  {"--c", &a->c, "C file to write; it appears whole or not at all", "FILE.c", kRequired | kNoStream},
                  {"--name", &a->prefix, "What the names in the file begin with", "NAME", kShowDefault}},
      .run = [a] {
        require_writable({a->c}, {a->model});
        export_c(load_one_model(a->model), a->c, a->prefix);
        log_info(fmt::format("wrote {}", one_line(a->c)));
        return kSuccess;
      }};
}

}  // namespace alacarte::cli
