#include "alacarte/report/summary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "alacarte/report/statistics.hpp"

namespace alacarte {
namespace {

using Names = std::vector<std::string>;

void add_once(Names& names, const std::string& name) {
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// The names of the runs in the order of the experiment, then of the catalogue, then as they come.
Names dataset_order(const ResultSet& results, const Catalogue* catalogue) {
  Names order = results.datasets, present;
  if (catalogue != nullptr)
    for (const DatasetEntry& entry : catalogue->entries()) add_once(order, entry.name);
  for (const RunResult& run : results.runs) add_once(order, run.dataset);
  for (const std::string& name : order)
    if (std::any_of(results.runs.begin(), results.runs.end(), [&](const auto& u) { return u.dataset == name; }))
      present.push_back(name);
  return present;
}

Names method_order(const ResultSet& results) {
  Names order = results.labels, present;
  for (const RunResult& run : results.runs) add_once(order, run.label);
  for (const std::string& name : order)
    if (std::any_of(results.runs.begin(), results.runs.end(), [&](const auto& u) { return u.label == name; }))
      present.push_back(name);
  return present;
}

void finish(FoldSummary& summary) {
  std::vector<double> values;
  for (const auto& [fold, value] : summary.folds) values.push_back(value);
  const Moments moments = moments_of(values);
  summary.mean = moments.mean;
  if (values.size() > 1) summary.sd = std::sqrt(moments.variance);
}

/// Means over folds of one method, from its runs on one data set.
MethodResults method_results(const std::vector<const RunResult*>& runs) {
  MethodResults result;
  std::map<Measure, std::map<Index, std::vector<double>>> seeds;
  for (const RunResult* run : runs) {
    if (!run->done) ++result.failed;
    for (const auto& [measure, value] : run->values) seeds[measure][run->fold].push_back(value);
  }
  for (const auto& [measure, folds] : seeds) {
    FoldSummary& summary = result.measures[measure];
    for (const auto& [fold, values] : folds) summary.folds[fold] = moments_of(values).mean;
    finish(summary);
  }
  return result;
}

void mark_best(DatasetSummary& row, Measure measure) {
  FoldSummary* best = nullptr;
  const auto better = [](const FoldSummary& a, const FoldSummary& b) {
    return a.folds.size() != b.folds.size() ? a.folds.size() > b.folds.size() : a.mean < b.mean;
  };
  for (auto& [name, method] : row.methods) {
    const auto found = method.measures.find(measure);
    if (found != method.measures.end() && (best == nullptr || better(found->second, *best))) best = &found->second;
  }
  if (best == nullptr || best->folds.size() < 2) return;
  best->marked = true;
  for (auto& [name, method] : row.methods) {
    const auto found = method.measures.find(measure);
    if (found == method.measures.end() || &found->second == best) continue;
    const std::vector<double> differences = paired_differences(found->second, *best);
    if (differences.size() < 2) continue;
    found->second.p_value = paired_t_p_value(differences);
    found->second.marked = *found->second.p_value >= kSignificance || moments_of(differences).mean < 0;
  }
}

DatasetSummary dataset_summary(const ResultSet& results, const Catalogue* catalogue, const std::string& name) {
  DatasetSummary row;
  row.name = row.title = name;
  std::map<std::string, std::vector<const RunResult*>> runs;
  std::set<Index> folds;
  for (const RunResult& run : results.runs) {
    if (run.dataset != name) continue;
    runs[run.label].push_back(&run);
    folds.insert(run.fold);
    row.rows = std::max(row.rows, run.rows);
    row.inputs = std::max(row.inputs, run.inputs);
  }
  row.folds = static_cast<Index>(folds.size());
  if (catalogue != nullptr)
    for (const DatasetEntry& entry : catalogue->entries())
      if (entry.name == name) {
        row.title = entry.title;
        row.folds = std::max(row.folds, entry.split.folds);
      }
  for (const auto& [label, list] : runs) row.methods[label] = method_results(list);
  mark_best(row, Measure::rmse);
  mark_best(row, Measure::nlpd);
  mark_best(row, Measure::log_loss);
  return row;
}

/// Means of the methods over the folds all of them have; empty when there is none.
std::vector<double> common_means(const DatasetSummary& row, const Names& methods, Measure measure) {
  std::map<Index, std::vector<double>> folds;
  for (const std::string& method : methods)
    if (const FoldSummary* summary = row.find(method, measure))
      for (const auto& [fold, value] : summary->folds) folds[fold].push_back(value);
  std::vector<double> means(methods.size(), 0.0);
  double common = 0;
  for (const auto& [fold, values] : folds) {
    if (values.size() < methods.size()) continue;
    ++common;
    for (std::size_t i = 0; i < values.size(); ++i) means[i] += values[i];
  }
  if (common == 0) return {};
  for (double& mean : means) mean /= common;
  return means;
}

void order_by_rank(Ranking& ranking, const Names& methods, const std::vector<double>& average) {
  std::vector<std::size_t> order(methods.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return average[a] < average[b]; });
  for (const std::size_t i : order) {
    ranking.methods.push_back(methods[i]);
    ranking.ranks.push_back(average[i]);
  }
}

void add_ranking(Summary& summary, Measure measure) {
  Names methods;
  for (const std::string& method : summary.methods)
    if (std::any_of(summary.datasets.begin(), summary.datasets.end(),
                    [&](const DatasetSummary& row) { return row.find(method, measure) != nullptr; }))
      methods.push_back(method);
  Ranking ranking;
  ranking.measure = measure;
  std::vector<std::vector<double>> ranks;
  std::vector<double> average(methods.size(), 0.0);
  for (const DatasetSummary& row : summary.datasets) {
    const std::vector<double> means = common_means(row, methods, measure);
    if (means.empty()) continue;
    ranking.datasets.push_back(row.title);
    ranks.push_back(ranks_of(means));
    for (std::size_t i = 0; i < average.size(); ++i) average[i] += ranks.back()[i];
  }
  if (methods.size() < 2 || ranks.empty()) return;
  for (double& rank : average) rank /= static_cast<double>(ranks.size());
  order_by_rank(ranking, methods, average);
  const FriedmanTest test = friedman(ranks);
  ranking.friedman = test.statistic;
  ranking.p_value = test.p_value;
  ranking.critical_difference =
      nemenyi_critical_difference(static_cast<Index>(methods.size()), static_cast<Index>(ranks.size()));
  summary.rankings.push_back(std::move(ranking));
}

}  // namespace

std::vector<double> paired_differences(const FoldSummary& one, const FoldSummary& other) {
  std::vector<double> differences;
  for (const auto& [fold, value] : one.folds) {
    const auto found = other.folds.find(fold);
    if (found != other.folds.end()) differences.push_back(value - found->second);
  }
  return differences;
}

const FoldSummary* DatasetSummary::find(const std::string& method, Measure measure) const {
  const auto results = methods.find(method);
  if (results == methods.end()) return nullptr;
  const auto found = results->second.measures.find(measure);
  return found == results->second.measures.end() ? nullptr : &found->second;
}

Summary summarise(const ResultSet& results, const Catalogue* catalogue) {
  Summary summary;
  summary.methods = method_order(results);
  for (const std::string& name : dataset_order(results, catalogue))
    summary.datasets.push_back(dataset_summary(results, catalogue, name));
  add_ranking(summary, Measure::rmse);
  add_ranking(summary, Measure::nlpd);
  for (const RunResult& run : results.runs) {
    add_once(summary.programs, run.program);
    add_once(summary.machines, run.machine);
    if (!run.done) summary.failed.push_back(run);
  }
  return summary;
}

}  // namespace alacarte
