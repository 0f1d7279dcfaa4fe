#include <fmt/format.h>

#include <filesystem>

#include "alacarte/app/find_files.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/core/text_file.hpp"
#include "alacarte/experiment/runner.hpp"
#include "alacarte/io/recipe_io.hpp"

namespace alacarte {
namespace {

std::filesystem::path beside(const ExperimentFile& file, const std::string& name) {
  return std::filesystem::path(file.path).parent_path() / name;
}

}  // namespace

ExperimentFile read_experiment_file(const std::string& path) {
  std::string text = read_text_file(path);
  Experiment experiment = parse_experiment(parse_json(text, path));
  return {path, std::move(text), std::move(experiment)};
}

std::vector<Run> expand(const ExperimentFile& file, const RunFilter& filter, std::vector<std::string>& remarks) {
  ExperimentSources sources;
  sources.recipe = [&](const std::string& name, const std::vector<std::string>& overrides) {
    std::error_code error;
    const std::string own = beside(file, name).string();
    return read_recipe_with(find_recipe(std::filesystem::is_regular_file(own, error) ? own : name), overrides);
  };
  sources.data = [](const DatasetEntry& entry) { return find_data(entry.data_file()); };
  sources.mask = [](const DatasetEntry& entry) { return find_file(entry.mask_file()); };
  return expand(file.experiment, shipped_catalogue(), sources, filter, remarks);
}

void keep_experiment(const ExperimentFile& file, const std::string& folder) {
  std::error_code error;
  const std::filesystem::path place(folder);
  std::filesystem::create_directories(place, error);
  if (error) throw IoError(folder, "cannot be made: " + error.message());
  const std::string kept = (place / "experiment.json").string();
  if (std::filesystem::exists(kept, error)) {
    const std::string other = read_experiment_file(kept).experiment.name;
    if (other != file.experiment.name)
      throw ConfigError("--out", fmt::format("{} holds the results of another experiment, '{}'", folder, other));
  }
  write_text_file(kept, file.text);
  if (const std::string& paper = file.experiment.paper; !paper.empty())
    write_text_file((place / "paper.csv").string(), read_text_file(beside(file, paper).string()));
}

}  // namespace alacarte
