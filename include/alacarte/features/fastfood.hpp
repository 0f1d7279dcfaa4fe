#pragma once
// Fastfood: the products of n points with m random frequencies in R^d at O(n m log d) instead of O(n m d), the cosine
// and sine features of these phases, and the exact adjoint of both.
//
//   u = (1/sqrt l) S H G Pi H B (x ./ lengthscale),   l = the next power of two >= d
//
// B is diagonal with random signs, Pi a random permutation, G diagonal Gaussian, H the Walsh-Hadamard matrix, and
// S_ii = s_i / |G|_F, so that row i of a block has length exactly s_i; with s_i ~ chi(l) each row is N(0, I_l).
// ceil(m/l) independent blocks are stacked and cut to m rows. Le, Sarlos, Smola 2013 (section 3); Yang et al. 2015
// (section 3). The lengths are chi(l), not chi(d): d coordinates of a standard Gaussian in R^l are one in R^d.
//
// n is the number of points, x (n, d) are standardised inputs, u are phases in radians. Every method throws
// std::invalid_argument if shapes do not fit.
#include <alacarte/core/random.hpp>
#include <alacarte/core/tensor_bundle.hpp>
#include <alacarte/core/types.hpp>
#include <alacarte/features/feature_map.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace alacarte {

/// The random part of a stack of blocks, drawn once.
struct FastfoodDraws {
  Index inputs = 0;       ///< d
  Index frequencies = 0;  ///< m
  Index length = 1;       ///< l, rows and columns of a block
  Index blocks = 0;       ///< ceil(m / l)
  Vector signs;           ///< (blocks l) the diagonals of B, +1 or -1; entries beyond d of a block meet only zeros
  Vector gaussian;        ///< (blocks l) the diagonals of G
  std::vector<std::int32_t> permutation;  ///< (blocks l) within each block, (Pi t)_i = t[permutation[i]]

  /// Draws from the streams "fastfood.signs", "fastfood.gaussian" and "fastfood.permutation". Memory 20 bytes for each
  /// of the blocks l rows.
  FastfoodDraws(Index inputs, Index frequencies, const RandomStreams& streams);
  /// Reads the tensors of save(). Throws IoError for a wrong shape, a value that is not finite, or indices that are no
  /// permutation.
  FastfoodDraws(Index inputs, Index frequencies, const TensorBundle& bundle, const std::string& prefix);
  /// Saves the tensors that this constructor reads, under names that begin with prefix.
  void save(TensorBundle& bundle, const std::string& prefix) const;

  /// Returns (blocks) 1/|G|_F of each block as drawn, the factor in S. It stays fixed while G is learned.
  Vector inverse_norms() const;

 private:
  FastfoodDraws(Index inputs, Index frequencies);
};

/// Diagonals that are parameters, besides log amplitude and length-scales; backward passes differentiate by these.
struct FastfoodLearned {
  bool lengths = false;   ///< s_i
  bool gaussian = false;  ///< G
  bool signs = false;     ///< B, whose entries are then any real numbers
};

/// Offsets of one stack's sums over rows within a vector of sums. Diagonals that are not learned have no entries.
struct FastfoodSums {
  Index log_amplitude;  ///< 1 number, sum of psi_bar psi
  Index inputs;         ///< (d) cotangent of the scaled inputs times x, for the length-scales
  Index lengths;        ///< (m) cotangent of the length times the length of an unscaled row
  Index gaussian;       ///< (blocks l) cotangent of G
  Index signs;          ///< (blocks, d) row by row, cotangent of B times the length-scale
  Index end;            ///< one past the last
  FastfoodSums(Index first, const FastfoodDraws& draws, FastfoodLearned learned);  ///< first: offset of the first sum
};

/// A stack of blocks at fixed values of its diagonals. Const and shared by threads; each thread keeps some work space.
class Fastfood {
 public:
  /// Takes signs, gaussian (blocks l): the diagonals B and G, as drawn or learned; lengths (m): s_i; lengthscale (d) >
  /// 0 in units of the inputs.
  Fastfood(std::shared_ptr<const FastfoodDraws> draws, ConstVec signs, ConstVec gaussian, ConstVec lengths,
           ConstVec lengthscale, FastfoodLearned learned);

  /// Computes the phases u (n, m) of x (n, d), overwritten. Cost O(n m log l).
  void project(ConstMat x, MatRef u) const;
  /// Returns (m, d) the frequencies as a dense matrix W with u = x W^T, in radians per unit of x. Cost O(d m log l).
  Matrix frequencies() const;

  /// Adds the adjoint of project(), for u_bar (n, m), to `sums`, at the offsets `at`. Cost O(n m log l).
  void backward_project(ConstMat x, ConstMat u_bar, const FastfoodSums& at, VecRef sums) const;

  /// Computes psi (n, 2m) = amplitude [cos u, sin u], overwritten. A single row takes another path. Cost O(n m log l).
  void forward(ConstMat x, double amplitude, MatRef psi) const;
  /// Adds the adjoint of forward() to `sums`, at the offsets `at`: psi is the output of forward(), psi_bar (n, 2m).
  /// Costs about as much as forward(), twice if lengths or G are learned.
  void backward(ConstMat x, ConstMat psi, ConstMat psi_bar, const FastfoodSums& at, VecRef sums) const;

  /// Computes psi (n, 4m) = amplitude [cos(u + z), sin(u + z), cos(u - z), sin(u - z)] with z = x shift (n),
  /// overwritten; shift (d) in radians per unit of x.
  void forward_shifted(ConstMat x, ConstVec shift, double amplitude, MatRef psi) const;
  /// Adds the adjoint of forward_shifted(), for psi_bar (n, 4m), to `sums`, at the offsets `at`, and the cotangent of
  /// shift to shift_sums (d).
  void backward_shifted(ConstMat x, ConstMat psi, ConstMat psi_bar, const FastfoodSums& at, VecRef sums,
                        VecRef shift_sums) const;

  /// Returns a predictor of forward(x) w for fixed weights w (2m), no features stored: one sine, one cosine and two
  /// products for each row and frequency, besides the transforms. It keeps copies, so it may outlive this stack.
  std::unique_ptr<LinearPredictor> linear_predictor(double amplitude, ConstVec weights, FloatType type) const;
  /// Returns a predictor of forward_shifted(x) w for w (4m), in the same way.
  std::unique_ptr<LinearPredictor> shifted_predictor(ConstVec shift, double amplitude, ConstVec weights,
                                                     FloatType type) const;

  /// Cotangents of the stack's parameters; a vector is empty if its diagonal is not learned.
  struct Pullback {
    double log_amplitude = 0;  ///< cotangent of the logarithm of the amplitude
    Vector log_lengthscale;    ///< (d)
    Vector log_lengths;        ///< (m)
    Vector gaussian;           ///< (blocks l)
    Vector signs;              ///< (blocks, d) row by row: only the entries of B that multiply inputs
  };
  /// Turns the sums over all rows into these cotangents. Cost O(m + d).
  Pullback finish(const FastfoodSums& at, ConstVec sums) const;

  /// Returns the floating-point operations of forward() and backward() for one row, without sines and cosines.
  static double flops(const FastfoodDraws& draws, FastfoodLearned learned);

 private:
  struct Group;                          // consecutive blocks handled together
  struct BackwardTiles;                  // scratch of a backward pass
  static constexpr Index kMaxParts = 4;  // families of m columns: cosine and sine, or those of two shifts

  Group group(Index first_block) const;
  template <class Emit>
  void forward_parts(ConstMat x, Index parts, MatRef psi, Emit&& emit) const;
  template <class Pull>
  void backward_parts(ConstMat x, ConstMat psi, ConstMat psi_bar, Index parts, const FastfoodSums& at, VecRef sums,
                      Pull&& pull) const;
  void project_tile(const double* x, Index stride, const Group& group, double* hidden, double* out) const;
  const double* project_point(ConstMat x) const;
  void forward_point(ConstMat x, const double* shift_turn, double amplitude, MatRef psi) const;
  void pull_back_tile(const double* x, Index stride, const Group& group, double* phase_bar,
                      const BackwardTiles& tiles) const;
  void collect(const Group& group, const BackwardTiles& tiles, const FastfoodSums& at, VecRef sums) const;

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
