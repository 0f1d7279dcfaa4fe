#pragma once
// The functions of C that export_c() writes.

namespace alacarte::exported {

// Only those that a model needs are written. Phases beyond 2^48 lose all precision.
inline constexpr const char* kSinusoids = R"(
/* sum over k of c[k] cos(w z) + s[k] sin(w z), w the k-th row of `frequencies`. */
static double sinusoids(long m, int d, const double *frequencies, const double *c, const double *s, const double *z) {
  double value = 0;
  long k;
  for (k = 0; k < m; ++k) {
    double phase = 0;
    int j;
    for (j = 0; j < d; ++j) phase += frequencies[k * d + j] * z[j];
    value += c[k] * cos(phase) + s[k] * sin(phase);
  }
  return value;
}
)";
inline constexpr const char* kOutOfDigits = R"(
/* Whether typical phases of the standardised inputs are too large for a double to tell their cosines. */
static int out_of_digits(int d, const double *rates, const double *v) {
  double phase = 0;
  int j;
  for (j = 0; j < d; ++j) phase += fabs(v[j]) * rates[j];
  return phase > 281474976710656.0;
}
)";
inline constexpr const char* kLinear = R"(
static double linear(int d, const double *slopes, const double *z) {
  double value = 0;
  int j;
  for (j = 0; j < d; ++j) value += slopes[j] * z[j];
  return value;
}
)";
inline constexpr const char* kDistance = R"(
/* sum over j of ((a[j] - b[j]) inverse[j])^2. */
static double distance(int d, const double *inverse, const double *a, const double *b) {
  double value = 0;
  int j;
  for (j = 0; j < d; ++j) {
    const double difference = (a[j] - b[j]) * inverse[j];
    value += difference * difference;
  }
  return value;
}
)";
inline constexpr const char* kLayer = R"(
/* out[k] = a(bias[k] + sum over j of in[j] weights[k fan_in + j]). */
static void layer(int fan_in, int units, const double *weights, const double *bias, const double *in, double *out) {
  int j, k;
  for (k = 0; k < units; ++k) {
    double u = bias[k];
    for (j = 0; j < fan_in; ++j) u += in[j] * weights[(long)k * fan_in + j];
    out[k] = ACTIVATION;
  }
}
)";
inline constexpr const char* kTails = R"(
/* v: u, of inputs with heavy tails asinh, by rows of {median, width, mean, deviation}; a width of 0: none. */
static void without_tails(int n, const double *tails, const double *u, double *v) {
  int j;
  for (j = 0; j < n; ++j, tails += 4)
    v[j] = tails[1] > 0 ? (asinh((u[j] - tails[0]) / tails[1]) - tails[2]) / tails[3] : u[j];
}
)";

inline constexpr const char* kCurves = R"(
/* v: the values of curves at w, each of counts[j] points {knot, value, slope}: cubics between them, lines beyond. */
static void bend(const int *counts, const double *points, const double *w, double *v) {
  int j;
  for (j = 0; j < D; points += 3L * counts[j], ++j) {
    const double *p = points, *last = points + 3L * (counts[j] - 1);
    if (counts[j] == 0) {
      v[j] = w[j];
    } else if (w[j] <= p[0] || w[j] >= last[0]) {
      if (w[j] > p[0]) p = last;
      v[j] = p[1] + p[2] * (w[j] - p[0]);
    } else {
      double step, t, rest;
      while (p + 3 < last && !(w[j] < p[3])) p += 3;
      step = p[3] - p[0], t = (w[j] - p[0]) / step, rest = 1 - t;
      v[j] = p[1] + t * t * (3 - 2 * t) * (p[4] - p[1]) + step * t * rest * (rest * p[2] - t * p[5]);
    }
  }
}
)";

inline constexpr const char* kTrees = R"(
/* z: for each output, the sum of the leaves that w reaches in its trees. Of a node: the input that it asks for, or -1 for
   a leaf; its left child in the tree, before the right one; the threshold, or the value of a leaf. */
static void boosted(const double *w, double *z) {
  long t, first = 0;
  int k;
  for (k = 0; k < TREE_OUTPUTS; ++k) z[k] = 0;
  for (t = 0; t < TREES; first += tree_sizes[t], ++t) {
    long at = first;
    while (tree_inputs[at] >= 0)
      at = first + tree_left[at] + ((float)w[tree_inputs[at]] >= (float)tree_numbers[at] ? 1 : 0);
    z[tree_outputs[t]] += tree_numbers[at];
  }
  for (k = 0; k < TREE_OUTPUTS; ++k) z[k] = tree_base[k] + z[k] / tree_scale[k];
}
)";

}  // namespace alacarte::exported
