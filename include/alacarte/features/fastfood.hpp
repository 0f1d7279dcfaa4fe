#pragma once
// Fastfood: m random frequencies in R^d at O(m log d) a point instead of O(m d), and its exact adjoint.
//
//   u = (1/sqrt l) S H G Pi H B (x ./ lengthscale),   l = the next power of two >= d
//
// B random signs, Pi a random permutation, G Gaussian, H Walsh-Hadamard, S_ii = s_i / |G|_F, so that row i of a block
// has length exactly s_i; with s_i ~ chi(l) each row is N(0, I_l). ceil(m/l) independent blocks are stacked, cut to m.
// Le, Sarlos, Smola 2013 (section 3); Yang et al. 2015 (section 3). l is the padded width, not d: a Gaussian in R^l
// restricts to a Gaussian in R^d, with chi(d) lengths it would not be standard.
#include <alacarte/core/random.hpp>
#include <alacarte/core/tensor_bundle.hpp>
#include <alacarte/core/types.hpp>
#include <alacarte/features/feature_map.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace alacarte {

/// Everything random in a stack of blocks, drawn once.
struct FastfoodDraws {
  Index inputs = 0;                       ///< d
  Index frequencies = 0;                  ///< m
  Index length = 1;                       ///< l
  Index blocks = 0;                       ///< ceil(m / l)
  Vector signs;                           ///< (blocks l) the diagonal of B; entries beyond d of a block meet only zeros
  Vector gaussian;                        ///< (blocks l) the diagonal of G
  std::vector<std::int32_t> permutation;  ///< (blocks l) row i of Pi t, within its block, is t[permutation[i]]

  /// From the streams "fastfood.signs", "fastfood.gaussian" and "fastfood.permutation".
  FastfoodDraws(Index inputs, Index frequencies, const RandomStreams& streams);
  /// Takes back what save() put. Throws IoError on a wrong shape, a non-finite value, or what is no permutation.
  FastfoodDraws(Index inputs, Index frequencies, const TensorBundle& bundle, const std::string& prefix);
  void save(TensorBundle& bundle, const std::string& prefix) const;

  Vector inverse_norms()
      const;  ///< (blocks) 1/|G|_F of each block as drawn: the divisor in S, frozen while G is learned

 private:
  FastfoodDraws(Index inputs, Index frequencies);
};

/// What a backward pass collects beside the sums for log amplitude and length-scales.
struct FastfoodLearned {
  bool lengths = false, gaussian = false, signs = false;
};

/// Where the row sums of one stack lie, from `first` on, in an accumulator.
struct FastfoodSums {
  Index log_amplitude, inputs, lengths, gaussian, signs, end;
  FastfoodSums(Index first, const FastfoodDraws& draws, FastfoodLearned learned);
};

/// A stack of blocks with its diagonals fixed. Const and shared by threads; scratch memory is the thread's own.
class Fastfood {
 public:
  /// signs, gaussian (blocks l): the diagonals in use (the draws', or learned); lengths (m): s_i; lengthscale (d).
  Fastfood(std::shared_ptr<const FastfoodDraws> draws, ConstVec signs, ConstVec gaussian, ConstVec lengths,
           ConstVec lengthscale, FastfoodLearned learned);

  /// u (n, m) in radians of x (n, d).
  void project(ConstMat x, MatRef u) const;
  /// (m, d): the frequency rows themselves, in radians per unit of x. Cost O(d m log l).
  Matrix frequencies() const;

  /// Adjoint of project() with respect to the length-scales: u_bar (n, m); adds to sums, `at` says where.
  void backward_project(ConstMat x, ConstMat u_bar, const FastfoodSums& at, VecRef sums) const;

  /// psi (n, 2m) = amplitude [cos u, sin u].
  void forward(ConstMat x, double amplitude, MatRef psi) const;
  /// Adds to sums; `at` says where. psi as forward() gave it.
  void backward(ConstMat x, ConstMat psi, ConstMat psi_bar, const FastfoodSums& at, VecRef sums) const;

  /// psi (n, 4m) = amplitude [cos(u + z), sin(u + z), cos(u - z), sin(u - z)], z = x shift (shift (d), radians per
  /// unit).
  void forward_shifted(ConstMat x, ConstVec shift, double amplitude, MatRef psi) const;
  /// As backward(); shift_sums (d) receives the cotangent of shift.
  void backward_shifted(ConstMat x, ConstMat psi, ConstMat psi_bar, const FastfoodSums& at, VecRef sums,
                        VecRef shift_sums) const;

  /// forward(x) w, w (2m), without features in memory: per row, besides the chain, one sine and cosine and two products
  /// a frequency. Owns copies of what it needs.
  std::unique_ptr<FeatureSum> sum(double amplitude, ConstVec weights, Arithmetic arithmetic) const;
  /// forward_shifted(x) w, w (4m).
  std::unique_ptr<FeatureSum> sum_shifted(ConstVec shift, double amplitude, ConstVec weights,
                                          Arithmetic arithmetic) const;

  /// The row sums of one stack, pulled back to its own parameters (each overwritten, where it is collected).
  struct Pullback {
    double log_amplitude = 0;
    Vector log_lengthscale;  ///< (d)
    Vector log_lengths;      ///< (m)
    Vector gaussian;         ///< (blocks l)
    Vector signs;            ///< (blocks, d) row by row: entries that meet inputs only
  };
  Pullback finish(const FastfoodSums& at, ConstVec sums) const;

  /// Floating-point operations of one forward + backward of one row, without sines.
  static double flops(const FastfoodDraws& draws, FastfoodLearned learned);

 private:
  struct Group;                           // consecutive blocks handled together
  struct Backed;                          // scratch of a backward pass
  static constexpr Index kMostParts = 4;  // families of m columns: cosine and sine, or those of two shifts

  Group group(Index first_block) const;
  template <class Emit>
  void forward_parts(ConstMat x, Index parts, MatRef psi, Emit&& emit) const;
  template <class Pull>
  void backward_parts(ConstMat x, ConstMat psi, ConstMat psi_bar, Index parts, const FastfoodSums& at, VecRef sums,
                      Pull&& pull) const;
  void project_tile(const double* x, Index stride, const Group& group, double* hidden, double* out) const;
  const double* project_lone(ConstMat x) const;
  void forward_lone(ConstMat x, const double* shift_turn, double amplitude, MatRef psi) const;
  void pull_back_tile(const double* x, Index stride, const Group& group, double* phase_bar, const Backed& tiles) const;
  void collect(const Group& group, const Backed& tiles, const FastfoodSums& at, VecRef sums) const;

  std::shared_ptr<const FastfoodDraws> draws_;
  FastfoodLearned learned_;
  Vector signs_, gaussian_, inverse_lengthscale_;
  Vector input_scale_;                // (blocks l) B_i / lengthscale_i, 0 in the padding
  Vector radians_, turns_;            // (blocks l) s_i / (sqrt l |G|), 0 beyond m; the same over 2 pi
  Vector inverse_gaussian_;           // (blocks l) G in the order of the inverse permutation
  std::vector<std::int32_t> inputs_;  // (blocks l) which input a row reads; 0 in the padding, where its scale is 0
  std::vector<std::int32_t> identity_, inverse_permutation_;  // within a block
};

}  // namespace alacarte
