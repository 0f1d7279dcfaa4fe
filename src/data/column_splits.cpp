#include "data/column_splits.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "alacarte/core/error.hpp"
#include "alacarte/data/dataset.hpp"
#include "alacarte/data/rows_file.hpp"
#include "core/pipes.hpp"
#include "data/cells.hpp"
#include "data/row_parts.hpp"

namespace alacarte {
namespace {

std::string column_text(const std::string& name) { return "the column " + data_detail::in_quotes(name); }

/// Numbers texts in order of appearance.
class GroupCodes {
 public:
  void add(const std::string& cell) {
    const std::string text = data_detail::is_missing_word(cell) ? "" : data_detail::label_of(cell);
    codes_.push_back(seen_.emplace(text, static_cast<Index>(seen_.size())).first->second);
  }
  std::vector<Index> finish() { return std::move(codes_); }

 private:
  std::unordered_map<std::string, Index> seen_;
  std::vector<Index> codes_;
};

/// Reads times, which are all numbers or all dates.
class TimeCells {
 public:
  TimeCells(const TableReader& reader, Index column)
      : reader_(reader),
        column_(column),
        parse_(reader.has_decimal_comma() ? data_detail::parse_with_comma : data_detail::parse_number) {}

  void add(const std::string& cell, std::int64_t line) {
    const auto refuse = [&](const std::string& why) {
      throw DataError(reader_.path(), line, column_ + 1, column_text(name()) + " orders the rows in time: " + why);
    };
    if (data_detail::is_missing_word(cell)) refuse("a row without a time has no place; fill it in, or leave it out");
    double value = 0;
    const bool is_number = parse_(cell, value);
    if (!is_number && !parse_date(cell, value))
      refuse(data_detail::in_quotes(data_detail::printable(cell)) + " is no number and no date (" + kDateForms + ")");
    if (!std::isfinite(value)) refuse(data_detail::in_quotes(cell) + " is no finite number");
    if (times_.empty()) are_numbers_ = is_number;
    if (is_number != are_numbers_)
      refuse(data_detail::in_quotes(cell) + (is_number ? " is a number, and the rows before have dates"
                                                       : " is a date, and the rows before have numbers"));
    times_.push_back(value);
  }
  Vector finish() const { return Eigen::Map<const Vector>(times_.data(), static_cast<Index>(times_.size())); }

 private:
  const std::string& name() const { return reader_.columns()[static_cast<std::size_t>(column_)]; }

  const TableReader& reader_;
  Index column_;
  bool (*parse_)(std::string_view, double&);
  bool are_numbers_ = true;
  std::vector<double> times_;
};

/// Calls visit(cell, line) for each cell of a column, read as text.
template <class Visit>
void for_each_cell(TableReader& reader, Index column, const Visit& visit) {
  reader.set_kind(ColumnKind::skipped);
  reader.set_kind({column}, ColumnKind::text);
  TableChunk chunk;
  while (reader.read(chunk, 8192)) {
    const auto& cells = chunk.text[static_cast<std::size_t>(column)];
    for (std::size_t i = 0; i < cells.size(); ++i) visit(cells[i], chunk.line_numbers[i]);
  }
}

std::vector<Index> order_in_time(const Vector& times) {
  std::vector<Index> order(static_cast<std::size_t>(times.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return times[a] < times[b]; });
  return order;
}

/// Returns the numbers of rows, in order of time, at whose end the time changes: increasing, the last is n.
std::vector<Index> ends_of_times(const Vector& times, const std::vector<Index>& order) {
  std::vector<Index> ends;
  for (std::size_t i = 1; i < order.size(); ++i)
    if (times[order[i]] != times[order[i - 1]]) ends.push_back(static_cast<Index>(i));
  ends.push_back(static_cast<Index>(order.size()));
  return ends;
}

[[noreturn]] void refuse_few_groups(std::size_t count) {
  throw ConfigError("/data/group", "the rows have " + std::to_string(count) + " group; a split needs two at least");
}

[[noreturn]] void refuse_constant_time(Index rows) {
  throw ConfigError("/data/time",
                    "all " + std::to_string(rows) + " rows have one time, so that none is the past of the others");
}

void require_share(double share) {
  if (!(share > 0 && share < 1)) throw ConfigError("hold_out", "the test share must lie between 0 and 1");
}

Index rows_of_share(Index rows, double share) {
  require_share(share);
  return std::clamp<Index>(static_cast<Index>(std::llround(share * static_cast<double>(rows))), 1, rows);
}

std::vector<bool> mask_of(const std::vector<Index>& rows, Index count) {
  std::vector<bool> mask(static_cast<std::size_t>(count), false);
  for (const Index row : rows) mask[static_cast<std::size_t>(row)] = true;
  return mask;
}

void require_fold(Index folds, Index fold) {
  if (fold < 0 || fold >= folds)
    throw ConfigError("fold",
                      "there is no fold " + std::to_string(fold) + " of " + std::to_string(folds) + ", counted from 0");
}

std::vector<Index> sizes_of_groups(const std::vector<Index>& groups) {
  std::vector<Index> sizes;
  for (const Index group : groups) {
    if (group >= static_cast<Index>(sizes.size())) sizes.resize(static_cast<std::size_t>(group) + 1, 0);
    ++sizes[static_cast<std::size_t>(group)];
  }
  return sizes;
}

/// Returns the groups that have rows, in an order drawn from the stream.
std::vector<Index> drawn_order(RandomStream& stream, const std::vector<Index>& sizes) {
  std::vector<Index> groups;
  for (const std::int32_t group : stream.permutation(static_cast<Index>(sizes.size())))
    if (sizes[static_cast<std::size_t>(group)] > 0) groups.push_back(group);
  if (groups.size() < 2) refuse_few_groups(groups.size());
  return groups;
}

}  // namespace

SplitColumns SplitColumns::of_rows(const std::vector<Index>& rows) const {
  SplitColumns some;
  if (times.size() > 0) some.times = times(rows);
  if (!groups.empty())
    for (const Index row : rows) some.groups.push_back(groups[static_cast<std::size_t>(row)]);
  return some;
}

SplitColumns read_split_columns(const std::string& path, const DataConfig& config) {
  if (config.group.empty() && config.time.empty()) return {};
  if (!config.group.empty() && !config.time.empty())
    throw ConfigError("/data/time", "rows are split by group or by time, not by both");
  const bool by_group = !config.group.empty();
  const std::string& name = by_group ? config.group : config.time;
  if (is_stream(path))
    throw DataError(path == "-" ? "standard input" : path,
                    "cannot be read twice, as splits by " + column_text(name) + " need; write it to a file");
  if (is_pattern(path) || is_rows_file(path))
    throw DataError(path, "a rows file keeps no column to split by; give the table, or take data." +
                              std::string(by_group ? "group" : "time") + " out");
  const auto reader = open_table(path, config);
  const Index column = find_column(*reader, name, by_group ? "/data/group" : "/data/time");
  SplitColumns columns;
  if (by_group) {
    GroupCodes codes;
    for_each_cell(*reader, column, [&](const std::string& cell, std::int64_t) { codes.add(cell); });
    columns.groups = codes.finish();
  } else {
    TimeCells cells(*reader, column);
    for_each_cell(*reader, column, [&](const std::string& cell, std::int64_t line) { cells.add(cell, line); });
    columns.times = cells.finish();
  }
  require_splittable(columns);
  return columns;
}

void require_splittable(const SplitColumns& columns) {
  if (!columns.groups.empty() && count_groups(columns.groups) < 2) refuse_few_groups(1);
  if (columns.times.size() > 0 && columns.times.minCoeff() == columns.times.maxCoeff())
    refuse_constant_time(columns.times.size());
}

std::vector<bool> group_fold(const std::vector<Index>& groups, Index folds, Index fold, std::uint64_t seed) {
  const std::vector<Index> sizes = sizes_of_groups(groups);
  RandomStream stream = RandomStreams(seed).stream("k_fold.groups");
  std::vector<Index> order = drawn_order(stream, sizes);
  if (folds < 2 || folds > static_cast<Index>(order.size()))
    throw ConfigError("folds", std::to_string(folds) + " folds of " + std::to_string(order.size()) +
                                   " groups; there must be at least 2 and no more than groups");
  require_fold(folds, fold);
  const auto size = [&](Index group) { return sizes[static_cast<std::size_t>(group)]; };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return size(a) > size(b); });
  std::vector<Index> rows(static_cast<std::size_t>(folds), 0), fold_of(sizes.size(), 0);
  for (const Index group : order) {
    const auto least = std::min_element(rows.begin(), rows.end());
    *least += size(group);
    fold_of[static_cast<std::size_t>(group)] = least - rows.begin();
  }
  std::vector<bool> test(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) test[i] = fold_of[static_cast<std::size_t>(groups[i])] == fold;
  return test;
}

std::vector<Index> draw_group_rows(RandomStream& stream, const std::vector<Index>& groups, Index wanted) {
  const std::vector<Index> sizes = sizes_of_groups(groups);
  const std::vector<Index> order = drawn_order(stream, sizes);
  std::vector<bool> taken(sizes.size(), false);
  Index count = 0, left = static_cast<Index>(order.size());
  for (const Index group : order) {
    const Index size = sizes[static_cast<std::size_t>(group)];
    if (left == 1 || std::abs(count + size - wanted) >= std::abs(count - wanted)) continue;
    taken[static_cast<std::size_t>(group)] = true;
    count += size;
    --left;
  }
  // Every group is larger than twice the wanted rows: the smallest is nearest.
  if (count == 0)
    taken[static_cast<std::size_t>(*std::min_element(order.begin(), order.end(), [&](Index a, Index b) {
      return sizes[static_cast<std::size_t>(a)] < sizes[static_cast<std::size_t>(b)];
    }))] = true;
  std::vector<Index> rows;
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (taken[static_cast<std::size_t>(groups[i])]) rows.push_back(static_cast<Index>(i));
  return rows;
}

std::vector<bool> group_hold_out(const std::vector<Index>& groups, double share, std::uint64_t seed) {
  const auto rows = static_cast<Index>(groups.size());
  RandomStream stream = RandomStreams(seed).stream("hold_out.groups");
  return mask_of(draw_group_rows(stream, groups, rows_of_share(rows, share)), rows);
}

SplitSides time_fold(const Vector& times, Index folds, Index fold) {
  require_fold(folds, fold);
  const std::vector<Index> order = order_in_time(times), ends = ends_of_times(times, order);
  const Index rows = times.size(), count = static_cast<Index>(ends.size());
  if (count < 2) refuse_constant_time(rows);
  if (folds < 1 || folds >= count)
    throw ConfigError("folds",
                      std::to_string(folds) + " folds in time need more distinct times than " + std::to_string(count));
  // Part k ends with the time whose end is nearest, such that each part, and each behind it, has a time.
  const Index size = rows / (folds + 1);
  std::vector<Index> parts{0};
  Index place = -1;
  for (Index k = 0; k <= folds; ++k) {
    const Index wanted = rows - (folds - k) * size, last = count - 1 - (folds - k);
    for (++place; place < last; ++place)
      if (std::abs(ends[static_cast<std::size_t>(place) + 1] - wanted) >=
          std::abs(ends[static_cast<std::size_t>(place)] - wanted))
        break;
    parts.push_back(ends[static_cast<std::size_t>(place)]);
  }
  SplitSides sides{std::vector<bool>(order.size(), false), std::vector<bool>(order.size(), false)};
  const Index from = parts[static_cast<std::size_t>(fold) + 1], to = parts[static_cast<std::size_t>(fold) + 2];
  for (Index i = 0; i < to; ++i)
    (i < from ? sides.train : sides.test)[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = true;
  return sides;
}

std::vector<Index> last_rows(const Vector& times, Index wanted) {
  const std::vector<Index> order = order_in_time(times), ends = ends_of_times(times, order);
  if (ends.size() < 2) refuse_constant_time(times.size());
  const Index asked = times.size() - wanted;
  const Index from = *std::min_element(ends.begin(), ends.end() - 1,
                                       [&](Index a, Index b) { return std::abs(a - asked) < std::abs(b - asked); });
  std::vector<Index> rows(order.begin() + from, order.end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<bool> time_hold_out(const Vector& times, double share) {
  return mask_of(last_rows(times, rows_of_share(times.size(), share)), times.size());
}

std::vector<Index> draw_held_rows(RandomStream& stream, const SplitColumns& columns, Index rows, Index wanted) {
  if (!columns.groups.empty()) return draw_group_rows(stream, columns.groups, wanted);
  if (columns.times.size() > 0) return last_rows(columns.times, wanted);
  std::vector<Index> drawn = draw_rows(stream, rows, wanted);
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

Index count_groups(const std::vector<Index>& groups) {
  const std::vector<Index> sizes = sizes_of_groups(groups);
  return std::count_if(sizes.begin(), sizes.end(), [](Index size) { return size > 0; });
}

std::vector<std::vector<Index>> rows_of_groups(const std::vector<Index>& groups, const std::vector<Index>& which) {
  std::vector<std::vector<Index>> rows(sizes_of_groups(groups).size());
  const Index count = static_cast<Index>(which.empty() ? groups.size() : which.size());
  for (Index i = 0; i < count; ++i) {
    const Index row = which.empty() ? i : which[static_cast<std::size_t>(i)];
    rows[static_cast<std::size_t>(groups[static_cast<std::size_t>(row)])].push_back(row);
  }
  std::erase_if(rows, [](const std::vector<Index>& own) { return own.empty(); });
  return rows;
}

}  // namespace alacarte
