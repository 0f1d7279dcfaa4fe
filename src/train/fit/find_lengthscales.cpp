// The stage lengthscales: what classes, counts and numbers with outliers say about the length-scales before any fit.
#include "train/search/response_lengthscales.hpp"
#include "training.hpp"

namespace alacarte {

void find_lengthscales(Training& training) {
  const RandomStreams streams = RandomStreams(training.options.seed).scope("lengthscales");
  if (const auto found = response_lengthscales(training.resolved.planned, training.rows, streams.stream("rows")))
    training.rows.statistics.lengthscale = *found, training.rows.statistics.from_rows = true;
}

}  // namespace alacarte
