// The stage lengthscales: what classes, counts and numbers with outliers say about the length-scales before any fit.
#include "train/search/response_lengthscales.hpp"
#include "training.hpp"

namespace alacarte {

void find_lengthscales(Training& training) {
  const RandomStreams streams = RandomStreams(training.options.seed).scope("lengthscales");
  training.rows.for_each_view([&](TrainingRows& rows) {
    if (const auto found = response_lengthscales(training.resolved.planned, rows, streams.stream("rows")))
      rows.statistics.lengthscale = *found, rows.statistics.from_rows = true;
  });
}

}  // namespace alacarte
