// Nystrom: psi(x) = L^-1 k(Z, x) with K_ZZ = L L^T, so psi(x).psi(x') = k(x, Z) K_ZZ^-1 k(Z, x'), the best
// approximation of k in the span of k(z, .) (Williams and Seeger 2001). The landmarks Z are training rows and stay.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alacarte/core/config_at.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/kernel/kernel.hpp"
#include "features/landmarks.hpp"
#include "features/maps.hpp"
#include "features/nystrom.hpp"
#include "features/slots.hpp"

namespace alacarte {
namespace {

class NystromMap final : public FeatureMap {
 public:
  NystromMap(std::shared_ptr<const Kernel> kernel, Matrix landmarks)
      : kernel_(std::move(kernel)), landmarks_(std::make_shared<Matrix>(std::move(landmarks))) {
    layout_.append(kernel_->parameters(), "nystrom.");
  }

  const ParameterLayout& parameters() const override { return layout_; }
  Index input_count() const override { return landmarks_->cols(); }
  Index feature_count() const override { return landmarks_->rows(); }
  std::unique_ptr<PreparedMap> prepare(ConstVec theta) const override {
    require(theta.size() == layout_.size(), "theta does not fit the feature map");
    return std::make_unique<PreparedNystrom>(kernel_, landmarks_, theta);
  }
  Vector start(const TrainingStatistics& statistics, Index k, RandomStream& stream) const override {
    return inside_bounds(layout_, kernel_->start(statistics, k, stream));
  }
  nlohmann::json describe(ConstVec theta) const override {
    nlohmann::json report = kernel_->describe(theta);
    report["landmarks"] = landmarks_->rows();
    return report;
  }
  FrequencyRows frequencies(ConstVec) const override { return {}; }
  void save(TensorBundle& bundle, const std::string& prefix) const override {
    bundle.put(prefix + "landmarks", *landmarks_);
  }
  double work_bytes(int threads) const override { return landmark_bytes(feature_count(), threads); }
  double flops_per_row() const override { return landmark_flops(feature_count(), input_count()); }

 private:
  std::shared_ptr<const Kernel> kernel_;
  std::shared_ptr<const Matrix> landmarks_;
  ParameterLayout layout_;
};

std::shared_ptr<const Kernel> kernel_of(const Recipe& recipe, Index inputs) {
  if (recipe.terms.size() != 1)
    throw ConfigError("/terms", "nystrom takes one kernel; 'exact-sum' and 'exact-product' make one of several");
  const Recipe& term = recipe.terms.front();
  const KernelEntry* entry = find_kernel(term.model);
  if (entry == nullptr) throw ConfigError("/terms/0/model", fmt::format("there is no exact kernel '{}'", term.model));
  return config_at("/terms/0", [&] { return entry->make(term, inputs); });
}

MapPointer make_nystrom(const Recipe& recipe, Index inputs, const RandomStreams& streams,
                        const TrainingStatistics& statistics) {
  require(inputs > 0 && recipe.features.frequencies > 0, "a feature map needs inputs and frequencies");
  auto kernel = kernel_of(recipe, inputs);
  Matrix landmarks =
      choose_landmarks(recipe.features.landmarks, *kernel, statistics, recipe.features.frequencies, streams);
  return std::make_unique<NystromMap>(std::move(kernel), std::move(landmarks));
}

MapPointer load_nystrom(const Recipe& recipe, Index inputs, const TensorBundle& bundle, const std::string& prefix) {
  Matrix landmarks = bundle.matrix(prefix + "landmarks", -1, inputs);
  if (landmarks.rows() < 1) throw IoError("model file", "tensor '" + prefix + "landmarks' has no rows");
  return std::make_unique<NystromMap>(kernel_of(recipe, inputs), std::move(landmarks));
}

}  // namespace

FeatureMapEntry nystrom_entry() {
  return {
      {.name = "nystrom",
       .description = "Nystrom approximation of an exact kernel, the one of terms, on landmark rows.",
       .formula = "k(x, x') ~ k(x, Z) K_ZZ^-1 k(Z, x');  psi(x) = L^-1 k(Z, x),  L L^T = K_ZZ, Z up to "
                  "features.frequencies training rows",
       .cost = "features n m (10 d + m), since differences are no matrix product; D = m; memory 2 m^2 + m d, and m^2 "
               "for the gradient of each thread",
       .reference = "Williams and Seeger 2001; landmarks: Arthur and Vassilvitskii 2007 (kmeans: D^2 sampling), "
                    "Alaoui and Mahoney 2015 (leverage)",
       .accuracy = "never above k(x, x), exact at the landmarks (to a ridge of 1e-6 of the variance)",
       .fixed = "the landmarks stay the rows they were chosen as",
       .keys = {"features.frequencies", "features.landmarks", "terms"},
       .recipe =
           R"({"model": "nystrom", "features": {"frequencies": 512, "landmarks": "kmeans"}, "terms": [{"model": "exact-ard"}]})"},
      make_nystrom,
      load_nystrom};
}

}  // namespace alacarte
