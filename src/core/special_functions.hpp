#pragma once
// Special functions, laws and quadrature by Boost.Math, whose slow headers are compiled here once. Accurate to about
// the last digits unless a function says otherwise. Not for inner loops.
#include <functional>

namespace alacarte {

constexpr double kLogTwoPi = 1.8378770664093454836;

/// Returns z with P(Z <= z) = probability in (0, 1), Z ~ N(0, 1).
double normal_quantile(double probability);
double normal_density(double z);
double normal_cdf(double z);

double log_gamma(double x);
double digamma(double x);
/// Returns regularised incomplete gamma functions: P(shape, x), its inverse in x, and Q = 1 - P. x >= 0, shape > 0,
/// level in (0, 1). 0 or infinity outside the range of doubles. Beyond shape 1e5 P and Q are off by up to 1e-10.
double gamma_p(double shape, double x);
double gamma_p_inverse(double shape, double level);
double gamma_q(double shape, double x);
/// Returns the regularised incomplete beta function I_x(a, b), a, b > 0, x in [0, 1], and 1 - I_x(a, b).
double beta_p(double a, double b, double x);
double beta_q(double a, double b, double x);
/// Returns K_order(x), x > 0; infinity on overflow.
double bessel_k(double order, double x);

/// Returns P(X > x) for Student's t and chi-squared with `degrees` degrees of freedom.
double student_upper_tail(double degrees, double x);
double chi_squared_upper_tail(double degrees, double x);

/// Returns densities and quantiles for plots only: the last partial sum if a series does not converge.
double student_density(double degrees, double x);
double student_quantile(double degrees, double probability);
double fisher_density(double degrees1, double degrees2, double x);
double fisher_quantile(double degrees1, double degrees2, double probability);
double non_central_chi_squared_density(double degrees, double non_centrality, double x);

/// Integrates f from a to b by 31 Gauss-Kronrod points, halved at most 6 times, relative error 1e-7 for smooth f.
double integrate(const std::function<double(double)>& f, double a, double b);

/// Returns a root of f in [low, high], whose ends have different signs, to 50 bits (TOMS 748).
double find_root(const std::function<double(double)>& f, double low, double high, double at_low, double at_high);

}  // namespace alacarte
