#include "comparison.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/quantities.hpp"
#include "report/report.hpp"

namespace alacarte {
namespace {

using Json = nlohmann::json;

/// Measures whose differences are tested; for the others neither direction is better.
constexpr Measure kTestedScores[] = {Measure::rmse, Measure::nlpd, Measure::accuracy, Measure::log_loss};
constexpr Measure kComparedScores[] = {Measure::rmse,     Measure::nlpd, Measure::coverage95,   Measure::accuracy,
                                       Measure::log_loss, Measure::ece,  Measure::train_seconds};

bool more_is_better(Measure measure) { return measure == Measure::accuracy; }

const ComparedScore* find_score(const ComparedMethod& method, Measure measure) {
  const auto found = method.scores.find(measure);
  return found == method.scores.end() ? nullptr : &found->second;
}

/// Returns the index of the best among the methods with the most folds.
std::size_t place_of_best(const std::vector<ComparedScore*>& scores, Measure measure) {
  const double sign = more_is_better(measure) ? -1 : 1;
  const auto best = std::min_element(scores.begin(), scores.end(), [&](const auto* a, const auto* b) {
    if (a->folds.folds.size() != b->folds.folds.size()) return a->folds.folds.size() > b->folds.folds.size();
    return sign * a->folds.mean < sign * b->folds.mean;
  });
  return static_cast<std::size_t>(best - scores.begin());
}

void test_differences(Comparison& comparison, Measure measure, double test_share) {
  std::vector<ComparedScore*> scores;
  for (ComparedMethod& method : comparison.methods)
    if (const auto found = method.scores.find(measure); found != method.scores.end()) scores.push_back(&found->second);
  if (scores.size() < 2) return;
  const std::size_t best = place_of_best(scores, measure);
  scores[best]->best = true;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (i == best) continue;
    const std::vector<double> differences = paired_differences(scores[i]->folds, scores[best]->folds);
    if (differences.size() >= 2) scores[i]->p_value = paired_t_p_value(differences, test_share);
  }
}

std::string title_of(Measure measure) {
  std::string name = name_of(measure);
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string mean_and_error(const FoldSummary& score) {
  return score.sd ? fmt::format("{:.4g} ± {:.2g}", score.mean, score.standard_error())
                  : fmt::format("{:.4g}", score.mean);
}

std::string headline(const Comparison& comparison) {
  return fmt::format("{}: {} rows, {} inputs, {} folds", comparison.dataset, comparison.rows, comparison.inputs,
                     comparison.folds);
}

std::string missing_folds(const FoldSummary& score, Index folds) {
  return report_detail::folds_note(static_cast<Index>(score.folds.size()), folds);
}

}  // namespace

Comparison compare_methods(const ResultSet& results, Index folds) {
  Comparison comparison;
  comparison.folds = folds;
  const Summary summary = summarise(results, nullptr);
  if (summary.datasets.empty()) return comparison;
  const DatasetSummary& row = summary.datasets.front();
  comparison.dataset = row.name;
  comparison.rows = row.rows;
  comparison.inputs = row.inputs;
  for (const std::string& label : summary.methods) {
    const MethodResults& method = row.methods.at(label);
    ComparedMethod compared{label, method.failed, {}};
    for (const auto& [measure, score] : method.measures) compared.scores[measure].folds = score;
    comparison.methods.push_back(std::move(compared));
  }
  double test = 0, train = 0;
  for (const RunResult& run : results.runs) {
    test += static_cast<double>(run.test_rows);
    train += static_cast<double>(run.rows - run.test_rows);
  }
  for (const Measure measure : kTestedScores) test_differences(comparison, measure, train > 0 ? test / train : 0);
  return comparison;
}

std::string scores_text(const Comparison& comparison) {
  std::vector<std::vector<std::string>> rows = {{"", "mean", "standard error", "least fold", "largest fold"}};
  const ComparedMethod& method = comparison.methods.front();
  for (const Measure measure : kMeasures) {
    const ComparedScore* score = find_score(method, measure);
    if (score == nullptr) continue;
    const auto by_value = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto [least, largest] = std::minmax_element(score->folds.folds.begin(), score->folds.folds.end(), by_value);
    rows.push_back({title_of(measure) + missing_folds(score->folds, comparison.folds),
                    fmt::format("{:.4g}", score->folds.mean),
                    score->folds.sd ? fmt::format("{:.2g}", score->folds.standard_error()) : "",
                    fmt::format("{:.4g}", least->second), fmt::format("{:.4g}", largest->second)});
  }
  return fmt::format("{}, {}\n", headline(comparison), method.label) + text_table(rows, "lrrrr", 2);
}

std::string comparison_text(const Comparison& comparison) {
  std::vector<std::vector<std::string>> rows(1 + comparison.methods.size());
  rows[0].push_back("");
  for (std::size_t i = 0; i < comparison.methods.size(); ++i) rows[i + 1].push_back(comparison.methods[i].label);
  std::string alignment = "l";
  for (const Measure measure : kComparedScores) {
    const auto has = [&](const ComparedMethod& method) { return find_score(method, measure) != nullptr; };
    if (std::none_of(comparison.methods.begin(), comparison.methods.end(), has)) continue;
    const bool tested =
        std::find(std::begin(kTestedScores), std::end(kTestedScores), measure) != std::end(kTestedScores);
    rows[0].push_back(title_of(measure));
    if (tested) rows[0].push_back("p");
    alignment += tested ? "rr" : "r";
    for (std::size_t i = 0; i < comparison.methods.size(); ++i) {
      const ComparedScore* score = find_score(comparison.methods[i], measure);
      rows[i + 1].push_back(score ? mean_and_error(score->folds) + missing_folds(score->folds, comparison.folds)
                                  : "failed");
      if (!tested) continue;
      rows[i + 1].push_back(!score           ? ""
                            : score->best    ? "*"
                            : score->p_value ? fmt::format("{:.2g}", *score->p_value)
                                             : "");
    }
  }
  return headline(comparison) + '\n' + text_table(rows, alignment, 2) +
         "  mean ± its standard error over folds; * the best, p: corrected paired t test against it\n";
}

Json to_json(const Comparison& comparison) {
  Json methods = Json::array();
  for (const ComparedMethod& method : comparison.methods) {
    Json scores = Json::object();
    for (const auto& [measure, score] : method.scores) {
      Json folds = Json::array();
      for (Index fold = 0; fold < comparison.folds; ++fold) {
        const auto found = score.folds.folds.find(fold);
        folds.push_back(found == score.folds.folds.end() ? Json() : Json(found->second));
      }
      scores[name_of(measure)] = {{"mean", score.folds.mean},
                                  {"standard_error", score.folds.sd ? Json(score.folds.standard_error()) : Json()},
                                  {"folds", std::move(folds)},
                                  {"best", score.best},
                                  {"p_value", score.p_value ? Json(*score.p_value) : Json()}};
    }
    methods.push_back({{"recipe", method.label}, {"failed", method.failed}, {"scores", std::move(scores)}});
  }
  return {{"data", comparison.dataset},
          {"rows", comparison.rows},
          {"inputs", comparison.inputs},
          {"folds", comparison.folds},
          {"methods", std::move(methods)}};
}

}  // namespace alacarte
