// alacarte datasets: the catalogue of data sets, and whether their files are here and right; fetching those that are
// not.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <filesystem>
#include <iostream>

#include "alacarte/core/error.hpp"
#include "alacarte/experiment/dataset_files.hpp"
#include "command.hpp"
#include "download.hpp"
#include "guard.hpp"
#include "log.hpp"
#include "paths.hpp"
#include "progress.hpp"
#include "signals.hpp"

namespace alacarte::cli {
namespace {

struct DatasetsArguments {
  std::vector<std::string> names;
  std::string group, to;
  bool json = false;
  int stall_seconds = 30;
};
using Arguments = std::shared_ptr<DatasetsArguments>;

/// Whether the data file is below $ALACARTE_DATA_DIR; which files are right is for verify to say.
bool is_present(const DatasetEntry& entry) {
  const char* root = std::getenv("ALACARTE_DATA_DIR");
  std::error_code error;
  return root != nullptr && std::filesystem::exists(std::filesystem::path(root) / entry.data_file(), error);
}

nlohmann::json document(const DatasetEntry& entry) {
  nlohmann::json json = to_json(entry);
  json["present"] = is_present(entry);
  return json;
}

std::string target_text(const DatasetEntry& entry) {
  const bool plain = entry.transform == "none" || entry.transform == "unknown";
  return plain ? entry.target : fmt::format("{} of {}", entry.transform, entry.target);
}

std::string split_text(const DatasetEntry& entry) {
  if (entry.split.kind == "split") return "one given split into training and test rows";
  if (entry.split.kind == "mask") return fmt::format("{} given folds", entry.split.folds);
  return fmt::format("no given folds; {} seeded random ones", entry.split.folds);
}

std::string sum_text(const std::optional<std::string>& sum) { return sum ? *sum : "not known (not verified)"; }

int list_datasets(const DatasetsArguments& a) {
  const Catalogue catalogue = shipped_catalogue();
  const auto entries = a.group.empty() ? catalogue.entries() : catalogue.of_group(a.group, "--group");
  if (a.json) {
    nlohmann::json all = nlohmann::json::array();
    for (const DatasetEntry& entry : entries) all.push_back(document(entry));
    std::cout << all.dump(2) << '\n';
    return kSuccess;
  }
  const std::string row = "{:<22} {:<14} {:>8} {:>6} {:>5}  {:<4}  {}\n";
  std::cout << fmt::format(fmt::runtime(row), "name", "group", "rows", "inputs", "folds", "here", "target");
  for (const DatasetEntry& e : entries)
    std::cout << fmt::format(fmt::runtime(row), e.name, e.group, e.rows, e.inputs, e.split.folds,
                             is_present(e) ? "yes" : "-", target_text(e));
  return kSuccess;
}

void line(const std::string& key, const std::string& value) {
  if (!value.empty()) std::cout << fmt::format("{:<12} {}\n", key, value);
}

int show_dataset(const DatasetsArguments& a) {
  const Catalogue catalogue = shipped_catalogue();
  const DatasetEntry& e = catalogue.find(a.names.front());
  if (a.json) {
    std::cout << document(e).dump(2) << '\n';
    return kSuccess;
  }
  line("name", e.name == e.title ? e.name : fmt::format("{} ({})", e.name, e.title));
  line("group", e.group + (e.group == e.task ? "" : ", " + e.task));
  line("size", fmt::format("{} rows, {} inputs", e.rows, e.inputs));
  line("inputs", fmt::format("{}", fmt::join(e.columns, "; ")));
  line("target", target_text(e));
  line("identified", e.identified);
  if (e.target_sd) line("target sd", fmt::format("{:.5g}", *e.target_sd));
  line("split", split_text(e));
  line("file", e.data_file() + (is_present(e) ? " (here)" : " (not here)"));
  line("sha256", sum_text(e.sha256));
  if (!e.mask_file().empty()) {
    line("split file", e.mask_file());
    line("sha256", sum_text(e.mask_sha256));
  }
  line("source", e.source);
  for (const std::string& url : e.data_urls) line("address", url);
  if (e.mask_url) line("address", *e.mask_url);
  line("original", e.original);
  line("conversion", e.conversion);
  line("licence", e.licence);
  for (const std::string& note : e.notes) line("note", note);
  return kSuccess;
}

std::vector<DatasetEntry> named(const Catalogue& catalogue, const std::vector<std::string>& names) {
  if (names.empty()) return catalogue.entries();
  std::vector<DatasetEntry> entries;
  for (const std::string& name : names) entries.push_back(catalogue.find(name));
  return entries;
}

int verify_datasets(const DatasetsArguments& a) {
  const std::string root = data_root();
  int wrong = 0, missing = 0;
  for (const DatasetEntry& entry : named(shipped_catalogue(), a.names)) {
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

constexpr double kDownloadLineSeconds = 0.1;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The line a terminal shows during one download.
class LiveDownload {
 public:
  explicit LiveDownload(std::string name) : name_(std::move(name)) {}
  ~LiveDownload() { clear_live_line(); }
  LiveDownload(const LiveDownload&) = delete;
  LiveDownload& operator=(const LiveDownload&) = delete;

  void show(std::int64_t here, std::int64_t whole) {
    if (first_ < 0) first_ = here;
    if (!live_line_possible() || seconds_since(shown_) < kDownloadLineSeconds) return;
    shown_ = std::chrono::steady_clock::now();
    const auto bytes = static_cast<double>(here);
    std::string text = fmt::format("{}  {}", name_, format_bytes(bytes));
    if (whole > 0)
      text += fmt::format(" of {}  {:.0f} %", format_bytes(static_cast<double>(whole)),
                          100 * bytes / static_cast<double>(whole));
    const double rate = static_cast<double>(here - first_) / std::max(seconds_since(start_), kDownloadLineSeconds);
    show_live_line(text + fmt::format("  {}/s", format_bytes(rate)));
  }

 private:
  std::string name_;
  std::int64_t first_ = -1;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), shown_{};
};

int fetch_datasets(const DatasetsArguments& a) {
  if (a.names.empty() == a.group.empty()) throw UsageError("say which data sets: either names or --group");
  const Catalogue catalogue = shipped_catalogue();
  const auto entries = a.group.empty() ? named(catalogue, a.names) : catalogue.of_group(a.group, "--group");
  const std::string root = a.to.empty() ? data_root() : a.to;
  std::size_t failed = 0;
  for (const DatasetEntry& entry : entries) {
    const auto download_to = [&](const std::string& url, const std::string& path, const std::string& label) {
      log_info(fmt::format("{}: {}", entry.name, url));
      LiveDownload live(label);
      DownloadOptions options;
      options.stall_seconds = a.stall_seconds;
      options.on_progress = [&](std::int64_t here, std::int64_t whole) { live.show(here, whole); };
      download(url, path, options);
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

void add_group_option(Command& command, DatasetsArguments& a) {
  command.add(
      {"--group", &a.group, "Only small, medium, large (classes of the paper), regression or classification", "GROUP"});
}

Command list_command(const Arguments& a) {
  Command command{"list", "One line for each data set of the catalogue"};
  add_group_option(command, *a);
  command.add({"--json", &a->json, "Everything, as JSON"});
  command.run = [a] { return list_datasets(*a); };
  return command;
}

Command show_command(const Arguments& a) {
  Command command{"show", "All that is known of one data set"};
  command.add({"NAME", &a->names, "Data set", "", true}).single = true;
  command.add({"--json", &a->json, "The same as JSON"});
  command.run = [a] { return show_dataset(*a); };
  return command;
}

Command verify_command(const Arguments& a) {
  Command command{"verify", "Compare files below $ALACARTE_DATA_DIR with the catalogue"};
  command.add({"NAME", &a->names, "Data sets (default: all)"});
  command.footer =
      "Sums, rows, columns and folds are looked at. Exit code 0: all that are here agree, and all that were named are "
      "here.";
  command.run = [a] { return verify_datasets(*a); };
  return command;
}

Command fetch_command(const Arguments& a) {
  Command command{"fetch", "Download data sets of the catalogue and compare them with it"};
  command.add({"NAME", &a->names, "Data sets"});
  add_group_option(command, *a);
  command.add({"--to", &a->to, "Data folder to write to (default: $ALACARTE_DATA_DIR)", "FOLDER"});
  Option& stall = command.add(
      {"--stall", &a->stall_seconds, "Give up when less than 100 bytes a second came for so many seconds", "SECONDS"});
  stall.range = {1, 3600};
  stall.show_default = true;
  command.footer =
      "Files that are there are left alone. A download that ended early is kept as *.part and resumed by the same\n"
      "command. A file with another sum than the catalogue's is removed. Proxies: https_proxy, http_proxy, no_proxy.";
  command.run = [a] { return fetch_datasets(*a); };
  return command;
}

}  // namespace

Command datasets_command(CommonOptions& common) {
  const auto a = std::make_shared<DatasetsArguments>();
  Command command{"datasets", "List, describe, verify and fetch the data sets of the catalogue"};
  command.subcommands = {list_command(a), show_command(a), verify_command(a), fetch_command(a)};
  for (Command& subcommand : command.subcommands) add_log_options(subcommand, common);
  command.footer =
      "A data set lies in $ALACARTE_DATA_DIR/FOLDER/data.csv.gz: no header, target last; its folds beside it.\n\n"
      "Examples:\n"
      "  alacarte datasets list --group small\n"
      "  alacarte datasets show servo\n"
      "  alacarte datasets verify servo housing\n"
      "  alacarte datasets fetch --group small --to data";
  return command;
}

}  // namespace alacarte::cli
