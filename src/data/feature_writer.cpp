#include "feature_writer.hpp"

#include <bit>
#include <cmath>

#include "csv_writer.hpp"
#include "data/cells.hpp"

namespace alacarte {
namespace {

/// Base of formats that store zeros: sparse rows are densified a few at a time.
class DenseWriter : public FeatureWriter {
 public:
  using FeatureWriter::add;
  void add(const SparseView& psi, ConstVec target) final {
    constexpr Index kMaxCells = Index{1} << 20;
    const Index step = std::max<Index>(1, kMaxCells / std::max<Index>(1, psi.width));
    for (Index first = 0; first < psi.rows; first += step) {
      const Index rows = std::min(step, psi.rows - first);
      add(to_dense(psi.middle(first, rows)),
          target.segment(target.size() == 0 ? 0 : first, target.size() == 0 ? 0 : rows));
    }
  }
};

class CsvFeatures final : public DenseWriter {
 public:
  using DenseWriter::add;
  CsvFeatures(const std::string& path, Index features, FeatureTarget target)
      : writer_(path), target_(std::move(target)) {
    std::vector<std::string> names;
    for (Index j = 0; j < features; ++j) names.push_back(std::string("psi").append(std::to_string(j)));
    if (target_.present) names.push_back(target_.name);
    writer_.header(names);
  }
  void add(ConstMat psi, ConstVec target) override {
    for (Index i = 0; i < psi.rows(); ++i) {
      for (Index j = 0; j < psi.cols(); ++j) writer_.cell(psi(i, j));
      if (target_.present) add_target(target[i]);
      writer_.end_row();
    }
  }
  void commit() override { writer_.commit(); }

 private:
  void add_target(double value) {
    if (target_.classes.empty()) return writer_.cell(value);
    writer_.cell(std::isnan(value) ? std::string_view() : target_.classes[static_cast<std::size_t>(value)]);
  }

  CsvWriter writer_;
  FeatureTarget target_;
};

class NpyFeatures final : public DenseWriter {
 public:
  using DenseWriter::add;
  NpyFeatures(const std::string& path, Index features, bool target)
      : writer_(path, features + (target ? 1 : 0)), target_(target) {}
  void add(ConstMat psi, ConstVec target) override {
    if (!target_) return writer_.add(psi);
    Matrix rows(psi.rows(), psi.cols() + 1);
    rows << psi, target;
    writer_.add(rows);
  }
  void commit() override { writer_.commit(); }

 private:
  NpyWriter writer_;
  bool target_;
};

class LibsvmFeatures final : public FeatureWriter {
 public:
  LibsvmFeatures(const std::string& path, FeatureTarget target) : writer_(path), target_(std::move(target)) {
    double number = 0;
    for (const std::string& name : target_.classes)
      named_ = named_ && data_detail::parse_number(name, number) && std::isfinite(number);
  }
  void add(ConstMat psi, ConstVec target) override { add(to_sparse(psi).view(), target); }
  void add(const SparseView& psi, ConstVec target) override {
    for (Index i = 0; i < psi.rows; ++i) {
      line_ = label(target.size() > 0 ? target[i] : 0);
      for (Index e = psi.starts[i]; e < psi.starts[i + 1]; ++e) {
        if (psi.values[e] == 0) continue;
        line_ += ' ' + std::to_string(psi.columns[e] + 1) + ':' + data_detail::shortest(psi.values[e]);
      }
      writer_.line(line_);
    }
  }
  void commit() override { writer_.commit(); }

 private:
  std::string label(double value) const {
    const bool named = !target_.classes.empty() && named_ && !std::isnan(value);
    return named ? target_.classes[static_cast<std::size_t>(value)] : data_detail::shortest(value);
  }

  CsvWriter writer_;
  FeatureTarget target_;
  bool named_ = true;
  std::string line_;
};

enum class FeatureFormat { csv, npy, libsvm };

FeatureFormat format_of(const std::string& path) {
  const std::string bare = data_detail::without_gz(path);
  if (path == "-" || bare.ends_with(".csv")) return FeatureFormat::csv;
  if (path.ends_with(".npy")) return FeatureFormat::npy;
  if (bare.ends_with(".libsvm") || bare.ends_with(".svm")) return FeatureFormat::libsvm;
  throw ConfigError("--out",
                    "'" + path + "' does not end in .csv, .npy, .libsvm or .svm (or these, but for .npy, with .gz)");
}

static_assert(std::endian::native == std::endian::little, "NPY data are written as they lie in memory");

// Bytes of the preamble and the header. The format puts the data at a multiple of 64 bytes, after a newline. A fixed
// length allows the header to be written again once the number of rows is known.
constexpr std::size_t kPreamble = 10, kHeader = 128 - kPreamble;

}  // namespace

void check_feature_path(const std::string& path) { format_of(path); }

std::unique_ptr<FeatureWriter> make_feature_writer(const std::string& path, Index features, FeatureTarget target) {
  switch (format_of(path)) {
    case FeatureFormat::csv: return std::make_unique<CsvFeatures>(path, features, std::move(target));
    case FeatureFormat::npy: return std::make_unique<NpyFeatures>(path, features, target.present);
    case FeatureFormat::libsvm: break;
  }
  return std::make_unique<LibsvmFeatures>(path, std::move(target));
}

NpyWriter::NpyWriter(const std::string& path, Index columns, Index expected_rows)
    : file_(path), columns_(columns), expected_rows_(expected_rows) {
  write_header(expected_rows);
}

void NpyWriter::write_header(Index rows) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                       std::to_string(columns_) + "), }";
  header.resize(kHeader - 1, ' ');
  header += '\n';
  std::ostream& out = file_.stream();
  out.write("\x93NUMPY\x01\x00", 8);
  out.put(static_cast<char>(kHeader)).put(0);
  out << header;
}

void NpyWriter::add(ConstMat rows) {
  require(rows.cols() == columns_, "NpyWriter: another number of columns");
  constexpr Index kBlock = 1024;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> block;
  for (Index first = 0; first < rows.rows(); first += kBlock) {
    block = rows.middleRows(first, std::min(kBlock, rows.rows() - first));
    file_.write(block.data(), static_cast<std::size_t>(block.size()) * sizeof(double));
  }
  rows_ += rows.rows();
}

void NpyWriter::commit() {
  if (rows_ != expected_rows_) {
    file_.stream().seekp(0);
    write_header(rows_);
  }
  file_.commit();
}

void write_npy(const std::string& path, ConstMat values) {
  NpyWriter writer(path, values.cols(), values.rows());
  writer.add(values);
  writer.commit();
}

}  // namespace alacarte
