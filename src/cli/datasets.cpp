// alacarte datasets: lists the catalogue, checks the files of data sets, and fetches missing ones.
#include <fmt/format.h>
#include <iostream>

#include "command.hpp"
#include "download.hpp"
#include "experiment/dataset_files.hpp"

namespace alacarte::cli {
namespace {

struct DatasetsArguments {
  std::vector<std::string> names;
  std::string name, group, to;
  bool json = false;
  int stall_seconds = 30;
};

nlohmann::json document(const DatasetEntry& entry) {
  nlohmann::json json = to_json(entry);
  json["present"] = is_present(entry);
  return json;
}

/// Returns the data sets of --group, the named ones, or all.
std::vector<DatasetEntry> chosen(const DatasetsArguments& a) {
  const Catalogue catalogue = shipped_catalogue();
  if (!a.group.empty()) return catalogue.of_group(a.group, "--group");
  if (a.names.empty()) return catalogue.entries();
  std::vector<DatasetEntry> entries;
  for (const std::string& name : a.names) entries.push_back(catalogue.find(name));
  return entries;
}

int list_datasets(const DatasetsArguments& a) {
  nlohmann::json all = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows = {{"name", "group", "rows", "inputs", "folds", "here", "target"}};
  for (const DatasetEntry& e : chosen(a)) {
    all.push_back(document(e));
    rows.push_back({e.name, e.group, std::to_string(e.rows), std::to_string(e.inputs), std::to_string(e.split.folds),
                    is_present(e) ? "yes" : "-", target_text(e)});
  }
  std::cout << (a.json ? all.dump(2) + '\n' : text_table(rows, "llrrrll"));
  return kSuccess;
}

int show_dataset(const DatasetsArguments& a) {
  const DatasetEntry entry = shipped_catalogue().find(a.name);
  if (a.json)
    std::cout << document(entry).dump(2) << '\n';
  else
    for (const auto& [name, value] : describe(entry)) std::cout << fmt::format("{:<12} {}\n", name, value);
  return kSuccess;
}

int verify_datasets(const DatasetsArguments& a) {
  const std::string root = data_root();
  int wrong = 0, missing = 0;
  for (const DatasetEntry& entry : chosen(a)) {
    const DatasetCheck check = check_dataset(entry, root, stop_if_interrupted);
    wrong += check.state == DatasetState::wrong;
    missing += check.state == DatasetState::missing;
    std::cout << fmt::format("{:<22} {}\n", entry.name, check.text) << std::flush;
  }
  if (wrong > 0)
    throw DataError(root,
                    fmt::format("{} data set{} not agree with the catalogue", wrong, wrong == 1 ? " does" : "s do"));
  if (missing > 0 && !a.names.empty())
    throw IoError(root, fmt::format("{} data set{} missing", missing, missing == 1 ? " is" : "s are"));
  return kSuccess;
}

/// Returns the progress line that a terminal shows during a download.
std::string download_line(const std::string& name, double here, double whole) {
  const std::string text = fmt::format("{}  {}", name, format_bytes(here));
  return whole > 0 ? text + fmt::format(" of {}  {:.0f} %", format_bytes(whole), 100 * here / whole) : text;
}

int fetch_datasets(const DatasetsArguments& a) {
  if (a.names.empty() == a.group.empty()) throw UsageError("say which data sets: either names or --group");
  const auto entries = chosen(a);
  const std::string root = a.to.empty() ? data_root() : a.to;
  std::size_t failed = 0;
  for (const DatasetEntry& entry : entries) {
    const auto download_to = [&](const std::string& url, const std::string& path, const std::string& label) {
      log_info(fmt::format("{}: {}", entry.name, url));
      download(url, path, a.stall_seconds,
               [&](double here, double whole) { show_live_line(download_line(label, here, whole)); });
      clear_live_line();
    };
    try {
      const std::string done = fetch_dataset(entry, root, download_to, stop_if_interrupted);
      std::cout << fmt::format("{:<22} {}\n", entry.name, done) << std::flush;
    } catch (const Interrupted&) {
      throw Interrupted("what came is kept, the same command goes on from there");
    } catch (const Error& error) {
      if (entries.size() == 1) throw;
      log_error(fmt::format("{}: {}", entry.name, error.what()));
      ++failed;
    }
  }
  if (failed > 0) throw IoError(root, fmt::format("{} of {} data sets were not fetched", failed, entries.size()));
  return kSuccess;
}

}  // namespace

Command datasets_command() {
  const auto a = std::make_shared<DatasetsArguments>();
  const Option json{"--json", &a->json, "Everything, as JSON"}, name{"NAME", &a->name, "Data set", "", kRequired},
      group{"--group", &a->group, "Only small, medium, large (classes of the paper), regression or classification",
            "GROUP"},
      stall{"--stall", &a->stall_seconds, "Give up when less than 100 bytes a second came for so many seconds",
            "SECONDS", kShowDefault,      {{1, 3600}}};
  return {
      .name = "datasets",
      .summary = "List, describe, verify and fetch the data sets of the catalogue",
      .footer =
          R"(A data set lies in $ALACARTE_DATA_DIR/FOLDER/data.csv.gz: no header, target last; its folds beside it.

Examples:
  alacarte datasets list --group small
  alacarte datasets show servo
  alacarte datasets verify servo housing
  alacarte datasets fetch --group small --to data)",
      .subcommands = {
          {.name = "list",
           .summary = "One line for each data set of the catalogue",
           .options = {group, json},
           .run = [a] { return list_datasets(*a); }},
          {.name = "show",
           .summary = "All that is known of one data set",
           .options = {name, json},
           .run = [a] { return show_dataset(*a); }},
          {.name = "verify",
           .summary = "Compare files below $ALACARTE_DATA_DIR with the catalogue",
           .footer =
               R"(Sums, rows, columns and folds are looked at. Exit code 0: all that are here agree, and all that were named are here.)",
           .options = {{"NAME", &a->names, "Data sets (default: all)"}},
           .run = [a] { return verify_datasets(*a); }},
          {.name = "fetch",
           .summary = "Download data sets of the catalogue and compare them with it",
           .footer =
               R"(Files that are there are left alone. A download that ended early is kept as *.part and resumed by the same
command. A file with another sum than the catalogue's is removed. Proxies: https_proxy, http_proxy, no_proxy.)",
           .options = {{"NAME", &a->names, "Data sets"},
                       group,
                       {"--to", &a->to, "Data folder to write to (default: $ALACARTE_DATA_DIR)", "FOLDER"},
                       stall},
           .run = [a] { return fetch_datasets(*a); }}}};
}

}  // namespace alacarte::cli
