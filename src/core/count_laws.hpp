#pragma once
// Laws of counts from 0 to 1e15 as logarithms, by deviances and Stirling's errors, which do not cancel (Loader 2000,
// "Fast and accurate computation of binomial probabilities").

namespace alacarte {

/// The largest count: doubles beyond do not hold every whole number.
inline constexpr double kMaxCount = 1e15;

/// Returns e^z - 1 - z.
double exponential_excess(double z);

/// Returns the log probability of a count under Poisson's law of rate exp(log_rate).
double poisson_log(double count, double log_rate);

/// The negative binomial law: Poisson's, whose rate has a Gamma law of mean exp(log_mean) and this shape > 0.
class NegativeBinomialLaw {
 public:
  explicit NegativeBinomialLaw(double shape);
  /// Returns the log probability of a count.
  double log_probability(double count, double log_mean) const;

 private:
  double shape_, log_shape_, error_of_shape_;
};

}  // namespace alacarte
