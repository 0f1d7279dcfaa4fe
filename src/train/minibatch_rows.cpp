#include "minibatch_rows.hpp"

#include <cmath>
#include <numeric>

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

void standardise_target(MinibatchRows& rows) {
  const double n = static_cast<double>(rows.kept_rows());
  const auto own = rows.y.head(rows.kept_rows());
  rows.mean = own.mean();
  const double sd = std::sqrt((own.array() - rows.mean).square().sum() / n);
  if (sd > 0) rows.sd = sd;
  rows.y = ((rows.y.array() - rows.mean) / rows.sd).matrix().eval();
}

}  // namespace

MinibatchRows make_minibatch_rows(const TrainingRows& rows, Index most, bool is_number, RandomStream& stream) {
  require(rows.held_out != nullptr, "minibatches need rows that are held out");
  const MemoryRows& held = *rows.held_out;
  const Index kept = std::min(rows.source->rows(), most), count = held.rows();
  const auto drawn = gather_rows(*rows.source, draw_rows(stream, rows.source->rows(), kept));
  MinibatchRows made;
  made.x.resize(kept + count, held.inputs());
  made.x << drawn->x().dense(), held.x().dense();
  made.y.resize(kept + count);
  made.y << drawn->y(), held.y();
  made.kept.resize(static_cast<std::size_t>(kept));
  made.held.resize(static_cast<std::size_t>(count));
  std::iota(made.kept.begin(), made.kept.end(), Index{0});
  std::iota(made.held.begin(), made.held.end(), kept);
  if (is_number) standardise_target(made);
  return made;
}

}  // namespace alacarte
