#include "fold_predictions.hpp"

#include <charconv>
#include <tuple>

#include "core/text_file.hpp"
#include "data/csv_record.hpp"
#include "data/csv_writer.hpp"

namespace alacarte {
namespace {

constexpr double kLower = 0.025, kUpper = 0.975;  // probabilities of the interval

std::vector<std::string> column_names(const Prediction& prediction, const Schema& schema) {
  std::vector<std::string> names = {"row", "fold", "target"};
  if (prediction.kind() != TargetKind::classes) {
    names.insert(names.end(), {"mean", "sd_observation", "lower_observation", "upper_observation"});
    return names;
  }
  names.emplace_back("label");
  const std::string value = prediction.classes().probabilities ? "p(" : "value(";
  for (const std::string& name : schema.classes()) names.push_back(value + name + ')');
  return names;
}

template <class Body>
void write_rows(CsvWriter& out, Index fold, const Dataset& test, const Body& body) {
  for (Index i = 0; i < test.rows(); ++i) {
    out.cell(test.source_rows[static_cast<std::size_t>(i)] + 1);
    out.cell(fold);
    body(i);
    out.end_row();
  }
}

template <class Distribution>
void write_moments(CsvWriter& out, Index fold, const Dataset& test, const Distribution& prediction) {
  const Vector columns[] = {test.target, prediction.mean(), prediction.variance().cwiseSqrt(),
                            prediction.quantile(kLower), prediction.quantile(kUpper)};
  write_rows(out, fold, test, [&](Index i) {
    for (const Vector& column : columns) out.cell(column[i]);
  });
}

void write_classes(CsvWriter& out, Index fold, const Dataset& test, const ClassPrediction& prediction,
                   const Schema& schema) {
  const std::vector<Index> labels = prediction.labels();
  const auto name = [&](Index label) { return std::string_view(schema.classes()[static_cast<std::size_t>(label)]); };
  write_rows(out, fold, test, [&](Index i) {
    out.cell(name(static_cast<Index>(test.target[i])));
    out.cell(name(labels[static_cast<std::size_t>(i)]));
    for (Index k = 0; k < prediction.values.cols(); ++k) out.cell(prediction.values(i, k));
  });
}

/// Takes the first record; class names may contain line breaks, which do not end it.
std::string take_record(std::string_view& rest) {
  const data_detail::RecordEnd end = data_detail::find_record_end(rest, ',', true);
  std::string record(rest.substr(0, end.size));
  rest.remove_prefix(std::max<std::size_t>(1, end.length));
  return record;
}

}  // namespace

void write_fold_predictions(const std::string& path, Index fold, const Dataset& test, const Prediction& prediction,
                            const Schema& schema) {
  CsvWriter out(path);
  out.header(column_names(prediction, schema));
  if (prediction.kind() == TargetKind::classes)
    write_classes(out, fold, test, prediction.classes(), schema);
  else if (prediction.kind() == TargetKind::counts)
    write_moments(out, fold, test, prediction.counts());
  else
    write_moments(out, fold, test, prediction.distribution());
  out.commit();
}

void join_fold_predictions(const std::vector<std::string>& paths, const std::string& out) {
  std::string header;
  std::vector<std::tuple<Index, std::size_t, std::string>> rows;  // data row, index of its file, record
  for (std::size_t k = 0; k < paths.size(); ++k) {
    const std::string text = read_text_file(paths[k]);
    std::string_view rest = text;
    const std::string first = take_record(rest);
    if (k == 0) header = first;
    if (first != header) throw DataError(paths[k], "its classes are not those of the other folds");
    while (!rest.empty()) {
      std::string record = take_record(rest);
      Index row = 0;
      std::from_chars(record.data(), record.data() + record.size(), row);
      rows.emplace_back(row, k, std::move(record));
    }
  }
  std::sort(rows.begin(), rows.end());
  CsvWriter file(out);
  file.line(header);
  for (const auto& [row, place, record] : rows) file.line(record);
  file.commit();
}

}  // namespace alacarte
