#include "alacarte/data/fingerprint.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "alacarte/core/error.hpp"
#include "data/byte_source.hpp"

namespace alacarte {
namespace {

static_assert(std::endian::native == std::endian::little, "doubles are hashed as they lie in memory");

class Sha256 {
 public:
  Sha256() { check(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr)); }

  void add(const void* bytes, std::size_t count) { check(EVP_DigestUpdate(context_.get(), bytes, count)); }

  std::string hex() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    check(EVP_DigestFinal_ex(context_.get(), digest, &size));
    return fmt::format("{:02x}", fmt::join(digest, digest + size, ""));
  }

 private:
  static void check(int good) {
    if (good != 1) throw IoError("SHA-256", "the OpenSSL library refused");
  }
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
};

void add_sparse(const SparseView& rows, ConstVec targets, Sha256& sum) {
  for (Index i = 0; i <= rows.rows; ++i) {
    const std::int64_t start = rows.starts[i] - rows.starts[0];
    sum.add(&start, sizeof start);
  }
  const auto entries = static_cast<std::size_t>(rows.nonzeros());
  sum.add(rows.columns + rows.starts[0], entries * sizeof(Index));
  sum.add(rows.values + rows.starts[0], entries * sizeof(double));
  sum.add(targets.data(), static_cast<std::size_t>(targets.size()) * sizeof(double));
}

}  // namespace

std::string file_sha256(const std::string& path) {
  const auto source = data_detail::Origin::file(path).open_raw();
  std::vector<char> buffer(std::size_t{1} << 17);
  Sha256 sum;
  while (const std::size_t count = source->read(buffer.data(), buffer.size())) sum.add(buffer.data(), count);
  return sum.hex();
}

std::string text_sha256(const std::string& text) {
  Sha256 sum;
  sum.add(text.data(), text.size());
  return sum.hex();
}

std::string rows_sha256(const RowSource& rows) {
  Sha256 sum;
  const std::int64_t shape[2] = {rows.rows(), rows.inputs()};
  if (rows.is_sparse()) sum.add("sparse", 6);
  sum.add(shape, sizeof shape);
  RowScratch scratch;
  if (rows.is_sparse()) {
    const RowBlock all = rows.read(0, rows.rows(), scratch);
    add_sparse(all.x.sparse(), all.y, sum);
    return sum.hex();
  }
  constexpr Index kBlockRows = 2048;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> values;
  for (Index first = 0; first < rows.rows(); first += kBlockRows) {
    const RowBlock block = rows.read(first, std::min(kBlockRows, rows.rows() - first), scratch);
    values.resize(block.y.size(), rows.inputs() + 1 + (rows.has_weights() ? 1 : 0));
    if (rows.has_weights())
      values << block.x.dense(), block.y, block.weights;
    else
      values << block.x.dense(), block.y;
    sum.add(values.data(), static_cast<std::size_t>(values.size()) * sizeof(double));
  }
  const Matrix& more = rows.more_targets();
  sum.add(more.data(), static_cast<std::size_t>(more.size()) * sizeof(double));
  return sum.hex();
}

}  // namespace alacarte
