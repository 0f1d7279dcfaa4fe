// The file of an experiment: reading, expansion with the files beside it, and its copy in the results folder.
#include <fmt/format.h>
#include <filesystem>

#include "alacarte/core/error.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "app/find_files.hpp"
#include "core/text_file.hpp"
#include "experiment/leases.hpp"
#include "runner.hpp"

namespace alacarte {
namespace {

namespace fs = std::filesystem;

fs::path beside(const ExperimentFile& file, const std::string& name) {
  return fs::path(file.path).parent_path() / name;
}

}  // namespace

ExperimentFile read_experiment_file(const std::string& path) {
  std::string text = read_text_file(path);
  const Json json = parse_json(text, path);
  try {
    return {path, std::move(text), parse_experiment(json)};
  } catch (const ConfigError& error) {
    throw error.in_file(path);
  }
}

std::vector<Run> expand(const ExperimentFile& file, const RunFilter& filter, ExpandRemarks& remarks) {
  ExperimentSources sources;
  sources.recipe = [&](const std::string& name, const std::vector<std::string>& overrides) {
    std::error_code error;
    const std::string own = beside(file, name).string();
    return read_recipe_with(find_recipe(fs::is_regular_file(own, error) ? own : name), overrides);
  };
  sources.data = [](const DatasetEntry& entry) { return find_data(entry.data_file()); };
  sources.mask = [](const DatasetEntry& entry) { return find_file(entry.mask_file()); };
  sources.file = [&](const std::string& name) {
    std::error_code error;
    const std::string own = beside(file, name).string();
    return fs::is_regular_file(own, error) ? own : find_data(name);
  };
  return expand(file.experiment, shipped_catalogue(), sources, filter, remarks);
}

void keep_experiment(const ExperimentFile& file, const std::string& folder) {
  make_folders(folder);
  std::error_code error;
  const std::string kept = (fs::path(folder) / "experiment.json").string();
  if (fs::exists(kept, error)) {
    const std::string other = read_experiment_file(kept).experiment.name;
    if (other != file.experiment.name)
      throw ConfigError("--out", fmt::format("{} holds the results of another experiment, '{}'", folder, other));
  }
  write_shared_file(folder, "experiment.json", file.text);
  if (const std::string& paper = file.experiment.paper; !paper.empty())
    write_shared_file(folder, "paper.csv", read_text_file(beside(file, paper).string()));
}

}  // namespace alacarte
