#include "summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <set>

#include "alacarte/core/error.hpp"
#include "alacarte/data/table.hpp"
#include "core/special_functions.hpp"
#include "core/spelling.hpp"
#include "report.hpp"

namespace alacarte {
namespace {

using Names = std::vector<std::string>;

/// Returns P(range of k standard normal numbers <= q) = k int phi(z) (Phi(z) - Phi(z - q))^(k-1) dz, z the largest of
/// them. The trapezoidal rule is exact to rounding here: the integrand is smooth and vanishes at both ends.
double range_probability(double q, Index k) {
  constexpr double kStep = 0.02, kEnd = 9;
  double sum = 0;
  for (double z = -kEnd; z < kEnd + q; z += kStep)
    sum += normal_density(z) * std::pow(normal_cdf(z) - normal_cdf(z - q), static_cast<double>(k - 1));
  return static_cast<double>(k) * sum * kStep;
}

void add_once(Names& names, const std::string& name) {
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// Returns the names that occur in the runs: in the given order, then as they occur.
Names present_names(Names order, const ResultSet& results, std::string RunResult::*name) {
  for (const RunResult& run : results.runs) add_once(order, run.*name);
  std::erase_if(order, [&](const std::string& one) {
    return std::none_of(results.runs.begin(), results.runs.end(), [&](const auto& run) { return run.*name == one; });
  });
  return order;
}

/// Averages one method's runs on one data set over folds.
MethodResults method_results(const std::vector<const RunResult*>& runs) {
  MethodResults result;
  std::map<Measure, std::map<Index, std::vector<double>>> seeds;
  for (const RunResult* run : runs) {
    if (!run->done) ++result.failed;
    for (const auto& [measure, value] : run->values) seeds[measure][run->fold].push_back(value);
  }
  for (const auto& [measure, folds] : seeds) {
    FoldSummary& summary = result.measures[measure];
    std::vector<double> means;
    for (const auto& [fold, values] : folds) means.push_back(summary.folds[fold] = moments_of(values).mean);
    const Moments moments = moments_of(means);
    summary.mean = moments.mean;
    if (means.size() > 1) summary.sd = std::sqrt(moments.variance);
  }
  return result;
}

void mark_best(DatasetSummary& row, Measure measure) {
  std::vector<FoldSummary*> all;
  for (auto& [name, method] : row.methods)
    if (const auto found = method.measures.find(measure); found != method.measures.end()) all.push_back(&found->second);
  const auto best = std::min_element(all.begin(), all.end(), [](const FoldSummary* a, const FoldSummary* b) {
    return a->folds.size() != b->folds.size() ? a->folds.size() > b->folds.size() : a->mean < b->mean;
  });
  if (best == all.end() || (*best)->folds.size() < 2) return;
  (*best)->marked = true;
  for (FoldSummary* const one : all) {
    const std::vector<double> differences = paired_differences(*one, **best);
    if (one == *best || differences.size() < 2) continue;
    one->p_value = paired_t_p_value(differences);
    one->marked = *one->p_value >= kSignificance || moments_of(differences).mean < 0;
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
  const auto table = results.tables.find(name);
  if (table != results.tables.end())
    row.folds = std::max(row.folds, table->second);
  else if (catalogue != nullptr)
    for (const DatasetEntry& entry : catalogue->entries())
      if (entry.name == name) {
        row.title = entry.title;
        row.folds = std::max(row.folds, entry.split.folds);
      }
  for (const auto& [label, list] : runs) row.methods[label] = method_results(list);
  for (const Measure measure : {Measure::rmse, Measure::nlpd, Measure::log_loss}) mark_best(row, measure);
  return row;
}

/// Returns the means of the methods over their common folds; empty if there are none.
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

void add_ranking(Summary& summary, Measure measure) {
  Names methods = summary.methods;
  std::erase_if(methods, [&](const std::string& method) {
    return std::none_of(summary.datasets.begin(), summary.datasets.end(),
                        [&](const auto& row) { return row.find(method, measure) != nullptr; });
  });
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
  for (const std::size_t i : order_of(average)) {
    ranking.methods.push_back(methods[i]);
    ranking.ranks.push_back(average[i]);
  }
  const FriedmanTest test = friedman(ranks);
  ranking.friedman = test.statistic;
  ranking.p_value = test.p_value;
  ranking.critical_difference =
      nemenyi_critical_difference(static_cast<Index>(methods.size()), static_cast<Index>(ranks.size()));
  summary.rankings.push_back(std::move(ranking));
}

/// CSV with all cells kept as text.
class TextTable {
 public:
  TextTable(const std::string& path, const std::vector<std::string>& columns) : path_(path) {
    DataConfig config;
    config.header = HeaderLine::yes;
    config.separator = Separator::comma;
    const auto reader = open_table(path, config);
    if (reader->columns() != columns)
      throw DataError(path, fmt::format("must have the columns {}", fmt::join(columns, ", ")));
    reader->set_kind(ColumnKind::text);
    chunk_ = read_all(*reader);
  }

  Index rows() const { return chunk_.rows(); }
  const std::string& text(Index row, std::size_t column) const {
    return chunk_.text[column][static_cast<std::size_t>(row)];
  }
  const std::string& filled(Index row, std::size_t column) const {
    if (text(row, column).empty()) refuse(row, column, "must not be empty");
    return text(row, column);
  }
  double number(Index row, std::size_t column) const {
    const std::string& cell = filled(row, column);
    double value = 0;
    const auto end = cell.data() + cell.size();
    const auto [stop, error] = std::from_chars(cell.data(), end, value);
    if (error != std::errc() || stop != end || !std::isfinite(value))
      refuse(row, column, fmt::format("'{}' is not a finite number", cell));
    return value;
  }
  [[noreturn]] void refuse(Index row, std::size_t column, const std::string& what) const {
    throw DataError(path_, chunk_.line_numbers[static_cast<std::size_t>(row)], static_cast<Index>(column + 1), what);
  }

 private:
  std::string path_;
  TableChunk chunk_;
};

Measure measure_at(const TextTable& table, Index row, std::size_t column) {
  std::vector<std::string> names;
  const std::string& given = table.filled(row, column);
  for (const Measure measure : kMeasures) {
    if (given == name_of(measure)) return measure;
    names.emplace_back(name_of(measure));
  }
  table.refuse(row, column,
               fmt::format("'{}' is not one of {}{}", given, fmt::join(names, ", "), did_you_mean(given, names)));
}

}  // namespace

Moments moments_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  Moments moments{std::accumulate(values.begin(), values.end(), 0.0) / n, 0};
  for (const double value : values) moments.variance += (value - moments.mean) * (value - moments.mean);
  if (n > 1) moments.variance /= n - 1;
  return moments;
}

double paired_t_p_value(const std::vector<double>& differences, double test_share) {
  require(differences.size() >= 2, "a paired test needs two differences");
  const auto n = static_cast<double>(differences.size());
  const Moments moments = moments_of(differences);
  if (moments.variance == 0) return moments.mean == 0 ? 1 : 0;
  const double t = std::abs(moments.mean) / std::sqrt(moments.variance * (1 / n + test_share));
  return 2 * student_upper_tail(n - 1, t);
}

std::vector<std::size_t> order_of(const std::vector<double>& values, bool falling) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return falling ? values[a] > values[b] : values[a] < values[b];
  });
  return order;
}

std::vector<double> ranks_of(const std::vector<double>& values) {
  const std::vector<std::size_t> order = order_of(values);
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (std::size_t i = first; i <= last; ++i) ranks[order[i]] = 0.5 * static_cast<double>(first + last) + 1;
    first = last + 1;
  }
  return ranks;
}

FriedmanTest friedman(const std::vector<std::vector<double>>& ranks) {
  require(!ranks.empty() && ranks.front().size() >= 2, "Friedman's test needs a data set and two methods");
  const auto n = static_cast<double>(ranks.size()), k = static_cast<double>(ranks.front().size());
  double between = 0, within = 0;  // squared deviations of the rank sums, and of each rank, from the mean rank
  for (std::size_t method = 0; method < ranks.front().size(); ++method) {
    double sum = 0;
    for (const auto& row : ranks) {
      sum += row[method] - (k + 1) / 2;
      within += (row[method] - (k + 1) / 2) * (row[method] - (k + 1) / 2);
    }
    between += sum * sum / n;
  }
  if (within == 0) return {};  // all methods tied on all data sets
  // Without ties `within` is n k (k^2 - 1) / 12, which gives the textbook form.
  FriedmanTest test;
  test.statistic = n * (k - 1) * between / within;
  test.p_value = chi_squared_upper_tail(k - 1, test.statistic);
  return test;
}

double nemenyi_critical_difference(Index methods, Index datasets) {
  require(methods >= 2 && datasets >= 1, "a critical difference needs two methods and a data set");
  const double level = 1 - kSignificance;
  const auto excess = [&](double q) { return range_probability(q, methods) - level; };
  const double q = find_root(excess, 0, 20, -level, kSignificance) / std::sqrt(2.0);
  return q * std::sqrt(static_cast<double>(methods * (methods + 1)) / (6.0 * static_cast<double>(datasets)));
}

std::vector<double> paired_differences(const FoldSummary& one, const FoldSummary& other) {
  std::vector<double> differences;
  for (const auto& [fold, value] : one.folds) {
    const auto found = other.folds.find(fold);
    if (found != other.folds.end()) differences.push_back(value - found->second);
  }
  return differences;
}

double FoldSummary::standard_error() const { return sd ? *sd / std::sqrt(static_cast<double>(folds.size())) : 0.0; }

const FoldSummary* DatasetSummary::find(const std::string& method, Measure measure) const {
  const auto results = methods.find(method);
  if (results == methods.end()) return nullptr;
  const auto found = results->second.measures.find(measure);
  return found == results->second.measures.end() ? nullptr : &found->second;
}

Summary summarise(const ResultSet& results, const Catalogue* catalogue) {
  Summary summary;
  summary.methods = present_names(results.labels, results, &RunResult::label);
  Names order = results.datasets;
  if (catalogue != nullptr)
    for (const DatasetEntry& entry : catalogue->entries()) add_once(order, entry.name);
  for (const std::string& name : present_names(order, results, &RunResult::dataset))
    summary.datasets.push_back(dataset_summary(results, catalogue, name));
  for (const Measure measure : {Measure::rmse, Measure::nlpd}) add_ranking(summary, measure);
  for (const RunResult& run : results.runs) {
    add_once(summary.programs, run.program);
    add_once(summary.machines, run.machine);
    if (!run.done) summary.failed.push_back(run);
  }
  return summary;
}

void add_outside_results(const std::string& path, ResultSet& results) {
  const TextTable table(path, {"dataset", "method", "fold", "metric", "value"});
  std::map<std::pair<std::pair<std::string, std::string>, Index>, RunResult> added;
  for (Index row = 0; row < table.rows(); ++row) {
    const std::string &dataset = table.filled(row, 0), &method = table.filled(row, 1);
    for (const RunResult& run : results.runs)
      if (run.label == method)
        throw ConfigError("method", fmt::format("'{}' of {} is also in {}", method, path, run.file));
    const double fold = table.number(row, 2);
    if (fold < 0 || fold > 1e6 || fold != std::floor(fold)) table.refuse(row, 2, "must be an integer from 0");
    RunResult& run = added[{{dataset, method}, static_cast<Index>(fold)}];
    run.file = path.substr(path.find_last_of('/') + 1);
    run.dataset = dataset;
    run.label = method;
    run.fold = static_cast<Index>(fold);
    run.done = true;
    if (!run.values.insert({measure_at(table, row, 3), table.number(row, 4)}).second)
      table.refuse(row, 3, "was given before for this data set, method and fold");
  }
  for (auto& [key, run] : added) results.runs.push_back(std::move(run));
}

const PaperNumber* PaperNumbers::find(const std::string& dataset, const std::string& method) const {
  const auto found = rmse.find({dataset, method});
  return found == rmse.end() ? nullptr : &found->second;
}

PaperNumbers read_paper(const std::string& path) {
  const TextTable table(path, {"dataset", "table", "method", "metric", "mean", "sd", "remark"});
  PaperNumbers paper;
  for (Index row = 0; row < table.rows(); ++row) {
    if (table.filled(row, 3) != "rmse") table.refuse(row, 3, "must be rmse");
    if (paper.table.empty()) paper.table = table.filled(row, 1);
    const std::string& method = table.filled(row, 2);
    if (!table.text(row, 5).empty()) table.number(row, 5);  // throws if it is not a number
    const PaperNumber number{table.filled(row, 4), table.text(row, 5), table.text(row, 6), table.number(row, 4)};
    if (!paper.rmse.insert({{table.filled(row, 0), method}, number}).second)
      table.refuse(row, 2, "was given before for this data set");
    if (std::find(paper.methods.begin(), paper.methods.end(), method) == paper.methods.end())
      paper.methods.push_back(method);
  }
  return paper;
}

}  // namespace alacarte
