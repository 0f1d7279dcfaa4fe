#include "fingerprint.hpp"

#define OPENSSL_SUPPRESS_DEPRECATED  // see Sha256
#include <fmt/format.h>
#include <openssl/sha.h>
#include <bit>

#include "core/ranks.hpp"
#include "data/byte_source.hpp"
#include "data/formats.hpp"

namespace alacarte {
namespace {

/// Uses OpenSSL's own functions of this digest, which never allocate. Its newer ones fetch an implementation first, and
/// without memory for it the process dies of a missing lock.
class Sha256 {
 public:
  Sha256() { ::SHA256_Init(&state_); }

  void add(const void* bytes, std::size_t count) { ::SHA256_Update(&state_, bytes, count); }

  /// Returns the digest of all bytes so far, as 64 hexadecimal digits. Call once.
  std::string hex() {
    unsigned char digest[SHA256_DIGEST_LENGTH];
    ::SHA256_Final(digest, &state_);
    return fmt::format("{:02x}", fmt::join(digest, digest + SHA256_DIGEST_LENGTH, ""));
  }

 private:
  SHA256_CTX state_;
};

static_assert(std::endian::native == std::endian::little, "doubles are hashed as they lie in memory");

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

constexpr Index kBlockRows = 2048;

/// Calls add(bytes, count) for the rows of this process, row by row.
template <class Add>
void for_row_bytes(const RowSource& rows, const Add& add) {
  RowScratch scratch;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> values;
  const Index end = rows.own_first() + rows.own_rows();
  for (Index first = rows.own_first(); first < end; first += kBlockRows) {
    const RowBlock block = rows.read(first, std::min(kBlockRows, end - first), scratch);
    values.resize(block.y.size(), rows.inputs() + 1 + (rows.has_weights() ? 1 : 0) + (rows.has_offsets() ? 1 : 0));
    values.leftCols(rows.inputs()) = block.x.dense();
    values.col(rows.inputs()) = block.y;
    if (rows.has_weights()) values.col(rows.inputs() + 1) = block.weights;
    if (rows.has_offsets()) values.rightCols(1) = block.offsets;
    add(values.data(), static_cast<std::size_t>(values.size()) * sizeof(double));
  }
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // the state of EVP cannot be sent

/// Returns the sum of a single process: each rank continues from the state of the one before.
std::string distributed_sha256(const RowSource& rows) {
  SHA256_CTX state;
  ::SHA256_Init(&state);
  const std::int64_t shape[2] = {rows.rows(), rows.inputs()};
  ::SHA256_Update(&state, shape, sizeof shape);
  for (int rank = 0; rank < ranks::count(); ++rank) {
    if (rank == ranks::own())
      for_row_bytes(rows, [&](const void* bytes, std::size_t count) { ::SHA256_Update(&state, bytes, count); });
    ranks::share(&state, sizeof state, rank);
  }
  unsigned char digest[SHA256_DIGEST_LENGTH];
  ::SHA256_Final(digest, &state);
  return fmt::format("{:02x}", fmt::join(digest, digest + SHA256_DIGEST_LENGTH, ""));
}

#pragma GCC diagnostic pop

}  // namespace

std::string file_sha256(const std::string& path) {
  const auto source = data_detail::Origin::file(path).open_raw();
  std::vector<char> buffer(std::size_t{1} << 17);
  Sha256 sum;
  while (const std::size_t count = source->read(buffer.data(), buffer.size())) sum.add(buffer.data(), count);
  return sum.hex();
}

std::string table_sha256(const std::string& path) {
  const std::string sum = file_sha256(path), labels = data_detail::find_idx_labels(path);
  const bool has_labels =
      !labels.empty() && data_detail::looks_like_idx(data_detail::Origin::file(path).open()->peek(4));
  return has_labels ? text_sha256(sum + file_sha256(labels)) : sum;
}

std::string text_sha256(const std::string& text) {
  Sha256 sum;
  sum.add(text.data(), text.size());
  return sum.hex();
}

std::string rows_sha256(const RowSource& rows) {
  if (rows.is_distributed()) return distributed_sha256(rows);
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
  for_row_bytes(rows, [&](const void* bytes, std::size_t count) { sum.add(bytes, count); });
  const Matrix& more = rows.more_targets();
  sum.add(more.data(), static_cast<std::size_t>(more.size()) * sizeof(double));
  return sum.hex();
}

}  // namespace alacarte
