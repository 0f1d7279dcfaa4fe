// alacarte schema: JSON schemas of the files that people write, for their editors.
#include <iostream>

#include "alacarte/model/registered.hpp"
#include "command.hpp"
#include "experiment/experiment.hpp"
#include "io/documents.hpp"

namespace alacarte::cli {

Command schema_command() {
  const auto of = std::make_shared<std::string>();
  Option file{"OF", of.get(), "recipe or experiment", "", kRequired};
  file.choices = {"recipe", "experiment"};
  return {
      .name = "schema",
      .summary = "Print the JSON schema of recipes or experiments, for editors",
      .footer =
          R"(Draft 7, made from the tables that read these files: every key with type, range, default and meaning, and what each
model takes. Editors complete and check by it; alacarte check says the last word.

Example:
  alacarte schema recipe >recipe.schema.json)",
      .options = {file},
      .run = [of] {
        std::cout << (*of == "recipe" ? recipe_schema(model_infos()) : experiment_schema()).dump(2) << '\n';
        return kSuccess;
      }};
}

}  // namespace alacarte::cli
