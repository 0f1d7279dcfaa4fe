// Weights, known noise and exposures of rows, which a schema reads beside inputs and target.
#include <cmath>

#include "alacarte/core/error.hpp"
#include "alacarte/data/dataset.hpp"
#include "data/cells.hpp"

namespace alacarte {

using data_detail::in_quotes;

bool Schema::reads_weights(bool need_target, RowWeights weights) const {
  return need_target || weights == RowWeights::all || (weights == RowWeights::known_noise && knows_noise());
}

bool Schema::check_weight(const TableReader& reader, const TableChunk& chunk, Index place, Index row) const {
  const double value = chunk.numbers(row, place);
  const auto refuse = [&](const std::string& advice) {
    throw DataError(reader.path(), chunk.line_numbers[static_cast<std::size_t>(row)], place + 1,
                    in_quotes(weights_name_) + " is " + advice);
  };
  const char* part = knows_noise() ? "known noise" : "weight";
  if (std::isnan(value) && config_.strict && !drops_gaps())
    refuse(std::string("missing and is the ") + part + remedy(" (data.missing can be \"drop\")"));
  if (knows_noise() && (value <= 0 || std::isinf(value)))
    refuse("a noise of " + data_detail::shortest(value) + "; known noise is a standard deviation above 0");
  if (const double precision = 1 / (value * value); knows_noise() && !std::isnan(value) && !std::isnormal(precision))
    refuse("a noise of " + data_detail::shortest(value) +
           "; its square, or one over it, is beyond the range of a double");
  constexpr double kMaxWeight = 1e100;  // sums and squares of the others stay in the range of a double
  if (value < 0 || value > kMaxWeight || (value > 0 && value < 1 / kMaxWeight))
    refuse("a weight of " + data_detail::shortest(value) + "; weights are 0, or from 1e-100 to 1e100");
  return value > 0;
}

bool Schema::check_exposure(const TableReader& reader, const TableChunk& chunk, Index place, Index row,
                            bool need_target) const {
  const double value = chunk.numbers(row, place);
  const auto refuse = [&](const std::string& advice) {
    throw DataError(reader.path(), chunk.line_numbers[static_cast<std::size_t>(row)], place + 1,
                    in_quotes(exposure_name_) + " is " + advice);
  };
  if (!std::isnan(value) && !(value > 0 && std::isfinite(value)))
    refuse("an exposure of " + data_detail::shortest(value) + "; exposures are finite and above 0");
  if (!std::isnan(value)) return true;
  if (config_.strict && !drops_gaps())
    refuse("missing and is the exposure" + remedy(" (data.missing can be \"drop\")"));
  return !need_target && !drops_gaps();
}

void Schema::encode_exposures(const TableChunk& chunk, Index place, const std::vector<Index>& rows, Dataset& data) {
  data.offsets = chunk.numbers.col(place)(rows).array().log();
  for (Index i = 0; i < data.offsets.size(); ++i) {
    if (!std::isnan(data.offsets[i])) continue;
    data.offsets[i] = 0;
    if (!data.unseen.empty()) ++data.unseen[static_cast<std::size_t>(i)];
  }
}

}  // namespace alacarte
