// The cost and the result of the search for the mode do not depend on its start.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "inference/inference.hpp"
#include "support/class_target.hpp"
#include "support/cosine_map.hpp"
#include "support/test_name.hpp"

namespace alacarte {
namespace {

class CountingRows final : public RowSource {
 public:
  CountingRows(const Matrix& x, const Vector& y) : rows_(x, y) {}
  Index rows() const override { return rows_.rows(); }
  Index inputs() const override { return rows_.inputs(); }
  RowBlock read(Index first, Index count, RowScratch& scratch) const override {
    ++reads_;
    return rows_.read(first, count, scratch);
  }
  double scratch_bytes(Index count) const override { return rows_.scratch_bytes(count); }
  Index take_reads() const { return reads_.exchange(0); }

 private:
  MemoryRows rows_;
  mutable std::atomic<Index> reads_ = 0;
};

struct ModeCase {
  const char* likelihood;
  bool bound;
};

class ModeSearch : public testing::TestWithParam<ModeCase> {
 protected:
  ModeSearch() {
    const LikelihoodEntry& entry = *find_likelihood(GetParam().likelihood);
    const Matrix x = normal_matrix(120, 3, 51);
    rows_ = std::make_shared<const CountingRows>(x, class_target(entry, x, 52));
    options_.likelihood = entry.likelihood;
    options_.classes = is_of_classes(entry) ? class_count_of(entry) : 0;
    options_.chunk_rows = 32;
    if (GetParam().bound) options_.max_joint_features = 1;
    inference_ = make_inference(map_, rows_, options_);
    theta_ = Vector::Zero(inference_->parameters().size());
    gradient_.resize(theta_.size());
    amplitude_ = inference_->parameters().find("test.log_amplitude").offset;
  }
  std::shared_ptr<const FeatureMap> map_ = std::make_shared<const CosineMap>(3, 20, 50);
  std::shared_ptr<const CountingRows> rows_;
  InferenceOptions options_;
  std::unique_ptr<Inference> inference_;
  Vector theta_, gradient_;
  Index amplitude_ = 0;
};

TEST_P(ModeSearch, LongMovesOfTheAmplitudeCostNoMoreThanAFreshStart) {
  for (const double move : {10.0, -10.0}) {
    theta_[amplitude_] = -0.5 * move;
    inference_->set_warm_start(Vector());
    inference_->evaluate(theta_, gradient_);
    theta_[amplitude_] = 0.5 * move;
    rows_->take_reads();
    const double warm = inference_->evaluate(theta_, gradient_);
    const Index warm_reads = rows_->take_reads();
    const Vector warm_gradient = gradient_;

    inference_->set_warm_start(Vector());
    const double fresh = inference_->evaluate(theta_, gradient_);
    const Index fresh_reads = rows_->take_reads();
    EXPECT_NEAR(warm, fresh, 1e-8 * std::abs(fresh)) << move;
    EXPECT_LE((warm_gradient - gradient_).norm(), 1e-6 * (1 + gradient_.norm())) << move;
    // Ten halvings, with the passes before and after.
    const Index chunks = (rows_->rows() + options_.chunk_rows - 1) / options_.chunk_rows;
    EXPECT_LE(warm_reads, fresh_reads + 12 * chunks) << move;
  }
}

INSTANTIATE_TEST_SUITE_P(Laplace, ModeSearch,
                         testing::Values(ModeCase{"logit", false}, ModeCase{"softmax", false},
                                         ModeCase{"softmax", true}, ModeCase{"poisson", false}),
                         [](const auto& info) {
                           return test_name(std::string(info.param.likelihood) + (info.param.bound ? "Bound" : ""));
                         });

}  // namespace
}  // namespace alacarte
