#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>

#include "alacarte/experiment/dataset_files.hpp"

namespace alacarte {
namespace {

std::string split_text(const DatasetEntry& entry) {
  if (entry.split.kind == "split") return "one given split into training and test rows";
  if (entry.split.kind == "mask") return fmt::format("{} given folds", entry.split.folds);
  return fmt::format("no given folds; {} seeded random ones", entry.split.folds);
}

std::string sum_text(const std::optional<std::string>& sum) { return sum ? *sum : "not known (not verified)"; }

}  // namespace

bool is_present(const DatasetEntry& entry) {
  const char* root = std::getenv("ALACARTE_DATA_DIR");
  std::error_code error;
  return root != nullptr && std::filesystem::exists(std::filesystem::path(root) / entry.data_file(), error);
}

std::string target_text(const DatasetEntry& entry) {
  const bool plain = entry.transform == "none" || entry.transform == "unknown";
  return plain ? entry.target : fmt::format("{} of {}", entry.transform, entry.target);
}

std::vector<std::pair<std::string, std::string>> describe(const DatasetEntry& e) {
  std::vector<std::pair<std::string, std::string>> lines;
  const auto line = [&](const char* name, const std::string& value) {
    if (!value.empty()) lines.emplace_back(name, value);
  };
  line("name", e.name == e.title ? e.name : fmt::format("{} ({})", e.name, e.title));
  line("group", e.group + (e.group == e.task ? "" : ", " + e.task));
  line("size", fmt::format("{} rows, {} inputs", e.rows, e.inputs));
  line("inputs", fmt::format("{}", fmt::join(e.columns, "; ")));
  line("target", target_text(e));
  line("identified", e.identified);
  line("target sd", e.target_sd ? fmt::format("{:.5g}", *e.target_sd) : "");
  line("split", split_text(e));
  line("file", e.data_file() + (is_present(e) ? " (here)" : " (not here)"));
  line("sha256", sum_text(e.sha256));
  line("split file", e.mask_file());
  line("sha256", e.mask_file().empty() ? "" : sum_text(e.mask_sha256));
  line("source", e.source);
  for (const std::string& url : e.data_urls) line("address", url);
  line("address", e.mask_url.value_or(""));
  line("original", e.original);
  line("conversion", e.conversion);
  line("licence", e.licence);
  for (const std::string& note : e.notes) line("note", note);
  return lines;
}

}  // namespace alacarte
