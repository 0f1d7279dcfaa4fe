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

// Whether a function computes in long doubles (Boost's default) changes the last digits of predictions, so the choice
// for each is fixed.
using InDoubles = math::policies::policy<promote_double<false>, evaluation_error<ignore_error>,
                                         overflow_error<ignore_error>, underflow_error<ignore_error>>;
using OutOfRange = math::policies::policy<overflow_error<ignore_error>, underflow_error<ignore_error>>;

using Student = math::students_t_distribution<double, InDoubles>;
using Fisher = math::fisher_f_distribution<double, InDoubles>;

}  // namespace

double normal_quantile(double probability) { return -std::numbers::sqrt2 * math::erfc_inv(2.0 * probability); }
double normal_density(double z) { return math::pdf(math::normal_distribution<double>(), z); }
double normal_cdf(double z) { return math::cdf(math::normal_distribution<double>(), z); }

double log_gamma(double x) { return math::lgamma(x); }
double digamma(double x) { return math::digamma(x, InDoubles()); }
double gamma_p(double shape, double x) { return math::gamma_p(shape, x, InDoubles()); }
double gamma_p_inverse(double shape, double level) { return math::gamma_p_inv(shape, level, InDoubles()); }
double gamma_q(double shape, double x) { return math::gamma_q(shape, x); }
double beta_p(double a, double b, double x) { return math::ibeta(a, b, x, InDoubles()); }
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
  std::uintmax_t iterations = 200;
  const auto bracket =
      math::tools::toms748_solve(f, low, high, at_low, at_high, math::tools::eps_tolerance<double>(50), iterations);
  return std::midpoint(bracket.first, bracket.second);
}

}  // namespace alacarte
