#include "kernel/tiled.hpp"

#include <gtest/gtest.h>

#include <new>
#include <nlohmann/json.hpp>

namespace alacarte {
namespace {

/// A kernel that runs out of memory at one row of x2.
class Exhausted final : public TiledKernel {
 public:
  explicit Exhausted(Index fails_at) : TiledKernel(2), fails_at_(fails_at) {
    layout_.add(amplitude_slot("test.log_amplitude"));
  }
  Vector start(const TrainingStatistics&, Index, RandomStream&) const override { return Vector::Zero(1); }
  KernelDescription describe(ConstVec) const override { return {}; }

 protected:
  Index constant_count() const override { return 1; }
  void prepare(ConstVec, VecRef constants) const override { constants[0] = 1; }
  void values(ConstVec, ConstMat, Index, ConstMat, Index row, Array out) const override {
    if (row == fails_at_) throw std::bad_alloc();
    out.setOnes();
  }
  double variance(ConstVec, ConstMat, Index) const override { return 1; }
  Index sum_count() const override { return 1; }
  void collect(ConstVec, ConstMat, Index, ConstMat, Index row, ConstArray, ConstArray, Eigen::Ref<Eigen::ArrayXXd>,
               VecRef) const override {
    if (row == fails_at_) throw std::bad_alloc();
  }
  void finish(ConstVec, ConstVec, VecRef) const override {}

 private:
  Index fails_at_;
};

TEST(TiledKernel, WantOfMemoryInAWorkerReachesTheCaller) {
  const Matrix x = Matrix::Random(40, 2), ones = Matrix::Ones(40, 40);
  const Vector theta = Vector::Zero(1);
  Matrix gram(40, 40);
  Vector bar = Vector::Zero(1);
  for (const int threads : {1, 2, 3}) {
    const Exhausted kernel(17);
    EXPECT_THROW(kernel.gram(theta, x, x, gram, threads), std::bad_alloc);
    EXPECT_THROW(kernel.backward(theta, x, ones, ones, bar, threads), std::bad_alloc);
    Exhausted(-1).gram(theta, x, x, gram, threads);
    EXPECT_EQ(gram, ones);
  }
}

}  // namespace
}  // namespace alacarte
