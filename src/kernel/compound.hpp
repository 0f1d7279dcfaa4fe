#pragma once
// Sums and products of kernels.
#include <memory>
#include <string>
#include <vector>

#include "alacarte/kernel/kernel.hpp"

namespace alacarte {

class CompoundKernel final : public Kernel {
 public:
  enum class Operation { sum, product };
  struct Term {
    std::string model;
    std::unique_ptr<Kernel> kernel;
  };

  /// At least one term, all on the same inputs. The slots of term t begin with "term[t].".
  CompoundKernel(Operation operation, std::vector<Term> terms);

  const ParameterLayout& parameters() const override { return layout_; }
  Index input_count() const override { return terms_.front().kernel->input_count(); }
  void gram(ConstVec theta, ConstMat x1, ConstMat x2, MatRef gram, int threads) const override;
  void row(ConstVec theta, ConstVec point, ConstMat rows, VecRef values) const override;
  void diagonal(ConstVec theta, ConstMat x, VecRef diagonal) const override;
  void backward(ConstVec theta, ConstMat x, ConstMat gram, ConstMat gram_bar, VecRef theta_bar,
                int threads) const override;
  void backward_cross(ConstVec theta, ConstMat x1, ConstMat x2, ConstMat gram, ConstMat gram_bar,
                      VecRef theta_bar) const override;
  Index scratch_grams() const override;
  std::vector<TermKernel> terms() const override;
  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const override;
  nlohmann::json describe(ConstVec theta) const override;

 private:
  Eigen::Ref<const Vector> part(ConstVec theta, std::size_t term) const;
  /// Each term's Gram matrix and its cotangent, in turn, to pull(term, gram, gram_bar, theta_bar).
  template <class Pull>
  void each_cotangent(ConstVec theta, ConstMat x1, ConstMat x2, ConstMat gram_bar, VecRef theta_bar, int threads,
                      Pull&& pull) const;

  Operation operation_;
  std::vector<Term> terms_;
  std::vector<Index> offsets_;
  ParameterLayout layout_;
};

}  // namespace alacarte
