// alacarte convert: a table becomes numbers on disk, once.
#include "alacarte/data/convert.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "command.hpp"

namespace alacarte::cli {
namespace {

struct ConvertArguments {
  std::string data, out;
  RecipeSource recipe;
};

int convert_rows(const ConvertArguments& a) {
  Recipe recipe;
  if (!a.recipe.path.empty()) {
    recipe = read_recipe_source(a.recipe);
  } else {
    if (!a.recipe.overrides.empty()) throw UsageError("--set needs --recipe");
    recipe.data.target = a.recipe.target;
  }
  const std::string table = find_data(a.data);
  if (is_rows_file(table)) throw DataError(table, "is a rows file already");
  require_writable({a.out}, {table, a.recipe.path});
  Conversion conversion;
  conversion.path = a.out;
  ProgressReporter reporter(1);
  const Job job = reporter.job();
  conversion.progress = [&](double share, Index rows) { job.report_rows("converting", share, rows); };
  const auto file = convert_table(table, recipe.data, conversion);
  std::error_code error;
  const auto bytes = std::filesystem::file_size(a.out, error);
  const Index left_out = file->table_rows() - file->rows();
  log_event("converted", {{"rows", file->rows()}, {"dropped", left_out}, {"out", a.out}},
            fmt::format("{}: {} rows{}, {} inputs, target '{}', {}", one_line(a.out), file->rows(),
                        left_out > 0 ? fmt::format(" ({} dropped)", left_out) : "", file->inputs(),
                        one_line(file->schema().target_name()), format_bytes(error ? 0 : static_cast<double>(bytes))));
  return kSuccess;
}

}  // namespace

Command convert_command() {
  const auto a = std::make_shared<ConvertArguments>();
  return {
      .name = "convert",
      .summary = "Turn a table into a rows file, which is read faster",
      .footer =
          R"(A rows file holds the encoded inputs and the target as numbers, every chunk with its checksum. train, predict
and evaluate take it wherever they take a table, and read it much faster. Categories and fill values are learned
from all rows. Memory stays flat, whatever the size of the table.

Example:
  alacarte convert houses.csv --target price --out houses.rows)",
      .options = {{"DATA", &a->data, "Table: CSV or CSV.gz, LIBSVM or NPY; - is standard input", "", kRequired},
                  {"--out", &a->out, "Rows file to write; it appears whole or not at all", "FILE.rows",
                   kRequired | kNoStream},
                  {"--recipe", &a->recipe.path, "Recipe whose data section says how the table is read", "RECIPE"},
                  override_option(a->recipe),
                  target_option(a->recipe)},
      .run = [a] { return convert_rows(*a); }};
}

}  // namespace alacarte::cli
