#include "core/special_functions.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/non_central_chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/roots.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cstdint>
#include <numbers>
#include <numeric>

namespace alacarte {
namespace {

namespace math = boost::math;
using math::policies::evaluation_error;
using math::policies::ignore_error;
using math::policies::overflow_error;
using math::policies::promote_double;
using math::policies::underflow_error;

// The choice to compute in long doubles (Boost's default) changes the last digits of predictions, so it is fixed for
// each function.
using InDoubles = math::policies::policy<promote_double<false>, evaluation_error<ignore_error>,
                                         overflow_error<ignore_error>, underflow_error<ignore_error>>;
using OutOfRange = math::policies::policy<overflow_error<ignore_error>, underflow_error<ignore_error>>;

using Student = math::students_t_distribution<double, InDoubles>;
using Fisher = math::fisher_f_distribution<double, InDoubles>;

// Shape above which Boost's series and fractions are slow in the tails, and give up at 1e10.
constexpr double kLargeShape = 1e5;

/// Returns the incomplete gamma function P(a, x), or Q(a, x) = 1 - P, for large a: the first two terms of Temme's
/// uniform expansion (1979; DLMF 8.12), with an error of the order of a^(-3/2).
double large_gamma_p(double a, double x, bool upper) {
  const double apart = (x - a) / a, half_square = apart - std::log1p(apart);  // eta^2 / 2
  const double eta = std::copysign(std::sqrt(2 * std::max(0.0, half_square)), apart);
  const double first = std::abs(eta) < 1e-3 ? -1.0 / 3 + eta / 12 : 1 / apart - 1 / eta;
  const double rest = std::exp(-a * half_square) / std::sqrt(2 * std::numbers::pi * a) * first;
  const double sign = upper ? 1 : -1;
  return std::clamp(0.5 * std::erfc(sign * eta * std::sqrt(0.5 * a)) + sign * rest, 0.0, 1.0);
}

}  // namespace

double normal_quantile(double probability) { return -std::numbers::sqrt2 * math::erfc_inv(2.0 * probability); }
double normal_density(double z) { return math::pdf(math::normal_distribution<double>(), z); }
double normal_cdf(double z) { return math::cdf(math::normal_distribution<double>(), z); }

double log_gamma(double x) { return math::lgamma(x); }
double digamma(double x) { return math::digamma(x, InDoubles()); }
double gamma_p(double shape, double x) {
  return shape > kLargeShape && x > 0 ? large_gamma_p(shape, x, false) : math::gamma_p(shape, x, InDoubles());
}
double gamma_p_inverse(double shape, double level) { return math::gamma_p_inv(shape, level, InDoubles()); }
double gamma_q(double shape, double x) {
  return shape > kLargeShape && x > 0 ? large_gamma_p(shape, x, true) : math::gamma_q(shape, x, OutOfRange());
}
double beta_p(double a, double b, double x) { return math::ibeta(a, b, x, InDoubles()); }
double beta_q(double a, double b, double x) { return math::ibetac(a, b, x, InDoubles()); }
double bessel_k(double order, double x) { return math::cyl_bessel_k(order, x, OutOfRange()); }

double student_upper_tail(double degrees, double x) {
  return math::cdf(math::complement(math::students_t_distribution<double>(degrees), x));
}
double chi_squared_upper_tail(double degrees, double x) {
  return math::cdf(math::complement(math::chi_squared_distribution<double>(degrees), x));
}

double student_density(double degrees, double x) { return math::pdf(Student(degrees), x); }
double student_quantile(double degrees, double probability) { return math::quantile(Student(degrees), probability); }
double fisher_density(double degrees1, double degrees2, double x) { return math::pdf(Fisher(degrees1, degrees2), x); }
double fisher_quantile(double degrees1, double degrees2, double probability) {
  return math::quantile(Fisher(degrees1, degrees2), probability);
}
double non_central_chi_squared_density(double degrees, double non_centrality, double x) {
  return math::pdf(math::non_central_chi_squared_distribution<double, InDoubles>(degrees, non_centrality), x);
}

double integrate(const std::function<double(double)>& f, double a, double b) {
  return math::quadrature::gauss_kronrod<double, 31>::integrate(f, a, b, 6, 1e-7);
}

double find_root(const std::function<double(double)>& f, double low, double high, double at_low, double at_high) {
  math::tools::eps_tolerance<double> close(50);
  std::uintmax_t steps = 200;
  auto bracket = math::tools::toms748_solve(f, low, high, at_low, at_high, close, steps);
  // It may stall if f is flat nearly everywhere.
  if (!close(bracket.first, bracket.second)) {
    steps = 2000;
    bracket = math::tools::bisect(f, bracket.first, bracket.second, close, steps);
  }
  return std::midpoint(bracket.first, bracket.second);
}

}  // namespace alacarte
