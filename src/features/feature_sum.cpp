// What maps have without doing anything for it, and the sum of maps made of several stacks.
#include "features/feature_sum.hpp"

#include "alacarte/core/error.hpp"

namespace alacarte {
namespace {

constexpr Index kRows = 256;  // features of a chunk at a time

class StoredSum final : public FeatureSum {
 public:
  StoredSum(const PreparedMap& map, ConstVec weights) : map_(map), weights_(weights) {}
  void add(ConstMat x, VecRef f) const override {
    require(f.size() == x.rows(), "one sum for each row");
    thread_local std::vector<double> memory;  // grows only: a lone row after a batch allocates nothing
    const Index most = std::min(kRows, x.rows());
    if (static_cast<Index>(memory.size()) < most * weights_.size())
      memory.resize(static_cast<std::size_t>(most * weights_.size()));
    Eigen::Map<Matrix> psi(memory.data(), most, weights_.size());
    for (Index first = 0; first < x.rows(); first += kRows) {
      const Index rows = std::min(kRows, x.rows() - first);
      map_.forward(x.middleRows(first, rows), psi.topRows(rows));
      f.segment(first, rows).noalias() += psi.topRows(rows) * weights_;
    }
  }

 private:
  const PreparedMap& map_;
  Vector weights_;
};

class JoinedSum final : public FeatureSum {
 public:
  explicit JoinedSum(std::vector<std::unique_ptr<FeatureSum>> parts) : parts_(std::move(parts)) {}
  void add(ConstMat x, VecRef f) const override {
    for (const auto& part : parts_) part->add(x, f);
  }

 private:
  std::vector<std::unique_ptr<FeatureSum>> parts_;
};

}  // namespace

void PreparedMap::forward_part(Index, ConstMat, MatRef, VecRef) const { require(false, "the map has no parts"); }
void PreparedMap::backward_part(Index, ConstMat, ConstMat, ConstMat, ConstVec, VecRef) const {
  require(false, "the map has no parts");
}

void PreparedMap::forward_sparse(const SparseView&, MatRef) const { require(false, "the map takes no sparse rows"); }
void PreparedMap::sparse_features(ConstMat, SparseRows&) const { require(false, "the map gives no sparse features"); }
void PreparedMap::sparse_features(const SparseView&, SparseRows&) const {
  require(false, "the map gives no sparse features");
}

std::unique_ptr<FeatureSum> PreparedMap::sum(ConstVec weights, Arithmetic) const {
  return std::make_unique<StoredSum>(*this, weights);
}

std::unique_ptr<FeatureSum> join_sums(std::vector<std::unique_ptr<FeatureSum>> parts) {
  return std::make_unique<JoinedSum>(std::move(parts));
}

}  // namespace alacarte
