#include "features/scale_laws.hpp"

#include <cmath>

#include "features/slots.hpp"

namespace alacarte {
namespace {

class FixedLengths final : public RadialParameters {
 public:
  FixedLengths(Vector lengths, double mean_square) : lengths_(std::move(lengths)), mean_square_(mean_square) {}
  void add_slots(ParameterLayout&, const std::string&) override {}
  void start(double, VecRef) const override {}
  bool learned() const override { return false; }
  Vector lengths(ConstVec) const override { return lengths_; }
  void pullback(ConstVec, ConstVec, ConstVec, VecRef) const override {}
  double mean_square(ConstVec) const override { return mean_square_; }
  nlohmann::json describe(ConstVec) const override { return nlohmann::json::object(); }

 private:
  Vector lengths_;
  double mean_square_;
};

class GammaScales final : public RadialParameters {
 public:
  GammaScales(GammaScale::Kind kind, ConstVec levels, double shape, bool learned)
      : law_(kind, levels),
        name_(kind == GammaScale::Kind::matern ? "nu" : "alpha"),
        log_shape_(std::log(shape)),
        learned_(learned) {}

  // The bounds hold every shape that a recipe may name.
  void add_slots(ParameterLayout& layout, const std::string& prefix) override {
    ParameterSlot slot = normal_slot(prefix + "log_" + name_, 1, Vector::Constant(1, log_shape_), 1, -3.3, 7.2);
    slot.trainable = learned_;
    at_ = layout.add(std::move(slot));
  }
  void start(double, VecRef theta) const override { theta[at_] = log_shape_; }
  bool learned() const override { return learned_; }
  Vector lengths(ConstVec theta) const override { return law_.scales(std::exp(theta[at_])); }
  void pullback(ConstVec theta, ConstVec lengths, ConstVec length_bar, VecRef theta_bar) const override {
    theta_bar[at_] += length_bar.cwiseProduct(lengths).dot(law_.slopes(std::exp(theta[at_]), lengths));
  }
  // Of the Gaussian rows: Matern's own is infinite up to nu = 1, where the inverse length-scale still says how fast the
  // kernel falls.
  double mean_square(ConstVec) const override { return 1; }
  nlohmann::json describe(ConstVec theta) const override {
    return nlohmann::json::object({{name_, std::exp(theta[at_])}});
  }

 private:
  GammaScale law_;
  std::string name_;
  double log_shape_;
  bool learned_;
  Index at_ = 0;
};

}  // namespace

std::unique_ptr<RadialParameters> fixed_lengths(Vector lengths, double mean_square) {
  return std::make_unique<FixedLengths>(std::move(lengths), mean_square);
}

std::unique_ptr<RadialParameters> gamma_scales(GammaScale::Kind kind, ConstVec levels, double shape, bool learned) {
  return std::make_unique<GammaScales>(kind, levels, shape, learned);
}

}  // namespace alacarte
