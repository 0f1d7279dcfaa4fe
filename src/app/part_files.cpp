#include "app/part_files.hpp"

#include <fmt/format.h>
#include <filesystem>
#include <fstream>

#include "alacarte/app/predict_file.hpp"
#include "alacarte/data/rows_file.hpp"
#include "core/atomic_file.hpp"
#include "data/row_parts.hpp"
#include "optimise/fit_context.hpp"

namespace alacarte {
namespace {

/// Appends the file, without its header line unless it is the first.
void append(const std::string& path, bool is_first, std::ostream& out) {
  std::ifstream file(path, std::ios::binary);
  std::string header;
  std::getline(file, header);
  if (is_first) out << header << '\n';
  std::array<char, std::size_t{1} << 16> buffer;
  while (file.read(buffer.data(), buffer.size()) || file.gcount() > 0) out.write(buffer.data(), file.gcount());
  if (!file.eof()) throw IoError(path, "cannot be read");
}

void check(const PredictFileOptions& options) {
  if (!options.covariance.empty()) throw ConfigError("--covariance", "is of one file; --data names several");
  if (options.draws > 0) throw ConfigError("--draws", "are of one file; --data names several");
  if (options.out == "-") throw ConfigError("--out", "of several files is a file; a star in its name makes one a part");
  if (options.out.find('*') == std::string::npos && options.out.ends_with(".gz"))
    throw ConfigError("--out", "of several files in one is not compressed; a star in its name makes one a part");
}

/// Throws if an output of this rank's parts exists; other ranks may have written theirs already.
void check_free(const std::string& outs, std::size_t count) {
  std::error_code error;
  for (std::size_t k = 0; k < count; ++k) {
    const std::string part = numbered_path(outs, k + 1, count);
    if (has_file(k) && std::filesystem::exists(part, error))
      throw IoError(part, "is in the way: the predictions of a part have this name until all are there");
  }
}

}  // namespace

std::vector<std::string> files_of(const std::string& path) {
  return is_pattern(path) ? matching_files(path) : std::vector<std::string>{path};
}

std::string numbered_path(const std::string& path, std::size_t number, std::size_t count) {
  const auto star = path.find('*');
  require(star != std::string::npos, "numbered_path: no star");
  return path.substr(0, star) + fmt::format("{:0{}}", number, std::to_string(count).size()) + path.substr(star + 1);
}

std::vector<Index> rows_before(const std::vector<std::string>& files, const Schema& schema) {
  Vector rows = Vector::Zero(static_cast<Index>(files.size()));
  for (std::size_t k = 0; k < files.size(); ++k)
    if (has_file(k))
      rows[static_cast<Index>(k)] = static_cast<double>(is_rows_file(files[k]) ? RowsFile(files[k]).table_rows()
                                                                               : count_rows(files[k], schema.config()));
  FitContext::add_over_ranks(rows);
  std::vector<Index> before = {0};
  for (const double own : rows) before.push_back(before.back() + static_cast<Index>(own));
  return before;
}

Index predict_parts(const std::vector<FittedModel>& models, const std::string& pattern,
                    const PredictFileOptions& options, const Job& job) {
  check(options);
  const std::vector<std::string> files = files_of(pattern);
  const bool in_one = options.out.find('*') == std::string::npos;
  const std::string outs = in_one ? options.out + ".*.part" : options.out;
  if (in_one) check_free(outs, files.size());
  std::vector<std::unique_ptr<TemporaryFile>> own;
  Index rows = 0;
  for (std::size_t k = 0; k < files.size(); ++k) {
    if (!has_file(k)) continue;
    PredictFileOptions how = options;
    how.out = numbered_path(outs, k + 1, files.size());
    how.data_name = files[k];
    if (in_one) own.push_back(std::make_unique<TemporaryFile>(how.out));
    rows += predict_file(models, files[k], how, job);
  }
  rows = static_cast<Index>(FitContext::sum(static_cast<double>(rows)));  // waits until all parts are there
  if (in_one && FitContext::is_first()) {
    AtomicFile out(options.out);
    for (std::size_t k = 0; k < files.size(); ++k)
      append(numbered_path(outs, k + 1, files.size()), k == 0, out.stream());
    out.commit();
  }
  FitContext::of_first(0);  // the first rank has read the parts of the others
  return rows;
}

}  // namespace alacarte
