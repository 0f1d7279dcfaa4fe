#include "data/row_parts.hpp"

#include <glob.h>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "core/ranks.hpp"
#include "data/rows_format.hpp"
#include "fingerprint.hpp"

namespace alacarte {
namespace {

constexpr Index kEnds = 6;  // for each file: rows, rows of the table, schema, and its RowsPart

/// Returns the leading bits of the schema's SHA-256 that a double holds. Includes means of columns that fill gaps.
double schema_number(const Schema& schema) {
  const std::string sum = text_sha256(data_detail::rows_description_text({schema.encoding_alone()}));
  return static_cast<double>(std::strtoull(sum.substr(0, 13).c_str(), nullptr, 16));
}

}  // namespace

bool is_pattern(const std::string& path) {
  std::error_code error;
  return path.find_first_of("*?[") != std::string::npos && !std::filesystem::exists(path, error);
}

std::vector<std::string> matching_files(const std::string& pattern) {
  glob_t found{};
  const int failed = ::glob(pattern.c_str(), 0, nullptr, &found);
  std::vector<std::string> paths;
  if (failed == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  std::sort(paths.begin(), paths.end());
  // Another machine may list a folder differently, if it changes or its file system caches.
  std::string listed;
  for (const std::string& path : paths) listed += path + '\0';
  listed = ranks::of_first(std::move(listed));
  paths.clear();
  for (std::size_t first = 0; first < listed.size(); first += paths.back().size() + 1)
    paths.emplace_back(listed.c_str() + first);
  if (paths.empty()) throw IoError(pattern, "matches no file");
  return paths;
}

bool has_file(std::size_t place) {
  return place % static_cast<std::size_t>(ranks::count()) == static_cast<std::size_t>(ranks::own());
}

RowParts::RowParts(const std::vector<std::string>& paths) {
  require(!paths.empty(), "RowParts: no part");
  for (const std::string& path : paths) parts_.push_back({path, 0, 0, 0, 0, nullptr});
  read_ends();
  for (Part& part : parts_) {
    part.first = all_rows_;
    part.first_source = table_rows_;
    all_rows_ += part.rows;
    table_rows_ += part.table_rows;
  }
  const auto border = [&](int rank) {  // n r / K, without its product
    const Index whole = all_rows_ / ranks::count(), rest = all_rows_ % ranks::count();
    return whole * rank + rest * rank / ranks::count();
  };
  first_ = border(ranks::own());
  count_ = border(ranks::own() + 1) - first_;
  for (Part& part : parts_)
    if (part.first < first_ + count_ && part.first + part.rows > first_) open(part);
  schema_ = open(parts_.front()).schema();
  level_counts_ = schema_.level_counts();
}

const RowsFile& RowParts::open(Part& part) {
  if (!part.file) part.file = std::make_shared<const RowsFile>(part.path);
  return *part.file;
}

void RowParts::read_ends() {
  const auto count = static_cast<Index>(parts_.size());
  Matrix ends = Matrix::Zero(kEnds, count);
  for (Index k = ranks::own(); k < count; k += ranks::count()) {
    const RowsFile file(parts_[static_cast<std::size_t>(k)].path);
    ends.col(k) << static_cast<double>(file.rows()), static_cast<double>(file.table_rows()),
        schema_number(file.schema()), static_cast<double>(file.part().number), static_cast<double>(file.part().of),
        static_cast<double>(file.part().all_rows);
  }
  ranks::sum(ends.data(), static_cast<std::size_t>(ends.size()));
  std::vector<std::string> paths;
  for (const Part& part : parts_) paths.push_back(part.path);
  require_all(paths, ends);
  for (Index k = 0; k < count; ++k) {
    Part& part = parts_[static_cast<std::size_t>(k)];
    if (ends(2, k) != ends(2, 0))
      throw DataError(part.path, "was made with another schema than " + parts_.front().path +
                                     "; convert all parts in one go (alacarte convert --parts)");
    part.rows = static_cast<Index>(ends(0, k));
    part.table_rows = static_cast<Index>(ends(1, k));
  }
}

// Checks that the parts of a cut table occur equally often; several tables may be combined.
void RowParts::require_all(const std::vector<std::string>& paths, const Matrix& ends) {
  std::map<std::pair<Index, Index>, std::vector<Index>> tables;  // by parts and rows: files of each part
  std::map<std::pair<Index, Index>, std::size_t> one_of;
  for (Index k = 0; k < ends.cols(); ++k) {
    const auto number = static_cast<Index>(ends(3, k)), of = static_cast<Index>(ends(4, k));
    if (of == 0) continue;
    const auto key = std::pair(of, static_cast<Index>(ends(5, k)));
    auto& seen = tables[key];
    seen.resize(static_cast<std::size_t>(of), 0);
    ++seen[static_cast<std::size_t>(number - 1)];
    one_of[key] = static_cast<std::size_t>(k);
  }
  for (const auto& [key, seen] : tables) {
    const Index most = *std::max_element(seen.begin(), seen.end());
    for (std::size_t number = 0; number < seen.size(); ++number)
      if (seen[number] < most)
        throw DataError(paths[one_of.at(key)], "is one of " + std::to_string(key.first) +
                                                   " parts of a table, of which part " + std::to_string(number + 1) +
                                                   " is missing");
  }
}

template <class Body>
void RowParts::for_parts(Index first, Index count, const Body& body) const {
  require(first >= 0 && count >= 0 && first + count <= count_, "rows: read outside of them");
  Index at = first_ + first;
  const Index end = at + count;
  auto part =
      std::upper_bound(parts_.begin(), parts_.end(), at, [](Index row, const Part& p) { return row < p.first; });
  for (--part; at < end; ++part) {
    const Index own = std::min(end, part->first + part->rows) - at;
    if (own <= 0) continue;
    body(*part, at - part->first, own);
    at += own;
  }
}

RowBlock RowParts::read(Index first, Index count, RowScratch& scratch) const {
  scratch.reserve(count, inputs());
  if (has_weights() && scratch.weights.size() < count) scratch.weights.resize(count);
  if (has_offsets() && scratch.offsets.size() < count) scratch.offsets.resize(count);
  Index done = 0;
  RowScratch piece;
  for_parts(first, count, [&](const Part& part, Index begin, Index own) {
    if (own == count) {
      part.file->read(begin, own, scratch);
    } else {
      const RowBlock block = part.file->read(begin, own, piece);
      scratch.x.middleRows(done, own) = block.x.dense();
      scratch.y.segment(done, own) = block.y;
      if (has_weights()) scratch.weights.segment(done, own) = block.weights;
      if (has_offsets()) scratch.offsets.segment(done, own) = block.offsets;
    }
    done += own;
  });
  return scratch.block(count);
}

std::vector<Index> RowParts::source_rows(Index first, Index count) const {
  std::vector<Index> rows;
  for_parts(first, count, [&](const Part& part, Index begin, Index own) {
    for (const Index row : part.file->source_rows(begin, own)) rows.push_back(part.first_source + row);
  });
  return rows;
}

double RowParts::scratch_bytes(Index count) const {
  double most = 8.0 * static_cast<double>(count * (inputs() + 2));
  for (const Part& part : parts_)
    if (part.file) most = std::max(most, part.file->scratch_bytes(count));
  return most;
}

}  // namespace alacarte
