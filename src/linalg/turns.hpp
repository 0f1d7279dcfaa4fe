#pragma once
// Sine and cosine of a phase in turns, inlined into kernels.
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "linalg/multiversion.hpp"

namespace alacarte {

// sin(2 pi r) = r * sine(r²) and cos(2 pi r) = cosine(r²) for |r| <= 1/8: best approximations among polynomials with
// such coefficients (Brisebarre and Chevillard's fpminimax), from the highest power down. Adding and subtracting kRound
// rounds to a quarter, and the sum has the number of quarters in its lowest bits.
template <class Real>
struct Turn;

template <>
struct Turn<double> {
  using Bits = std::uint64_t;
  static constexpr double kRound = 0x1.8p50;
  static constexpr int kTerms = 7;
  // Absolute errors 2.3e-18 and 5.4e-17 before rounding.
  static constexpr double kSine[kTerms] = {3.77729227188997196407,  -15.0936199927855785318, 42.0586813534181871432,
                                           -76.7058596689712004490, 81.6052492757805367773,  -41.3417022403992359836,
                                           6.28318530717958623200};
  static constexpr double kCosine[kTerms] = {7.81132457949089520355,
                                             -26.4243094812875831678,
                                             60.2446211092637682327,
                                             -85.4568170999227163520,
                                             64.9393940224089618596,
                                             -19.7392088021785063745,
                                             1.0};
};

template <>
struct Turn<float> {
  using Bits = std::uint32_t;
  static constexpr float kRound = 0x1.8p21F;
  static constexpr int kTerms = 4;
  // Absolute errors 5.5e-9 and 3.4e-8.
  static constexpr float kSine[kTerms] = {-74.93680572509765625F, 81.57900238037109375F, -41.34154510498046875F,
                                          6.28318500518798828125F};
  static constexpr float kCosine[kTerms] = {-83.65789031982421875F, 64.92304229736328125F, -19.739166259765625F, 1.0F};
};

// The two polynomials times an amplitude, which then costs no products in a loop. A factor of 1 leaves constants.
template <class Real>
class TurnPolynomials {
 public:
  explicit ALACARTE_INLINE TurnPolynomials(Real factor) {
    for (int k = 0; k < kTerms; ++k) {
      sine_[k] = factor * Turn<Real>::kSine[k];
      cosine_[k] = factor * Turn<Real>::kCosine[k];
    }
  }
  ALACARTE_INLINE Real sine(Real z) const { return at(sine_, z); }
  ALACARTE_INLINE Real cosine(Real z) const { return at(cosine_, z); }

 private:
  static constexpr int kTerms = Turn<Real>::kTerms;

  // Unrolls by hand: a loop over the terms would keep loops over the points from being vectorised.
  static ALACARTE_INLINE Real at(const Real (&c)[kTerms], Real z) {
    if constexpr (kTerms == 4)
      return ((c[0] * z + c[1]) * z + c[2]) * z + c[3];
    else
      return (((((c[0] * z + c[1]) * z + c[2]) * z + c[3]) * z + c[4]) * z + c[5]) * z + c[6];
  }

  Real sine_[kTerms], cosine_[kTerms];
};

template <class Real>
struct SinCos {
  Real sine, cosine;
};

// Reduces exactly, twice: to half a turn by the processor's own rounding, for any finite argument, then to an eighth.
// Quarter k swaps the two (bit 0) and sets their signs (bit 1 of k and of k + 1), on bits without a branch. The 14
// products bound the time on processors with two units for them.
template <class Real>
ALACARTE_INLINE SinCos<Real> sincos_of(Real t, const TurnPolynomials<Real>& polynomials = TurnPolynomials<Real>(1)) {
  using Bits = typename Turn<Real>::Bits;
  constexpr int kTop = 8 * sizeof(Real) - 1;
  constexpr Bits kSign = Bits{1} << kTop;
  const Real turn = t - std::rint(t);
  const Real quarters = turn + Turn<Real>::kRound;
  const Real r = turn - (quarters - Turn<Real>::kRound);
  const Real z = r * r;
  const Bits k = std::bit_cast<Bits>(quarters);
  const Bits s = std::bit_cast<Bits>(r * polynomials.sine(z)), c = std::bit_cast<Bits>(polynomials.cosine(z));
  const bool swap = static_cast<std::make_signed_t<Bits>>(k << kTop) < 0;
  return {std::bit_cast<Real>((swap ? c : s) ^ ((k << (kTop - 1)) & kSign)),
          std::bit_cast<Real>((swap ? s : c) ^ (((k + 1) << (kTop - 1)) & kSign))};
}

}  // namespace alacarte
