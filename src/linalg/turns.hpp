#pragma once
// Sine and cosine of a phase in turns, as the kernels inline it.
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "linalg/multiversion.hpp"

namespace alacarte {

// sin(2 pi r) = r * sine(r²) and cos(2 pi r) = cosine(r²) for |r| <= 1/8: best approximations among polynomials with
// such coefficients (Brisebarre and Chevillard's fpminimax). kRound: adding and subtracting it rounds to a quarter, and
// its sum has the number of quarters in its lowest bits.
template <class Real>
struct Turn;

template <>
struct Turn<double> {
  using Bits = std::uint64_t;
  static constexpr double kRound = 0x1.8p50;
  // Absolute errors 2.3e-18 and 5.4e-17 before rounding.
  ALACARTE_INLINE static double sine(double z) {
    double s = 3.77729227188997196407;
    s = s * z - 15.0936199927855785318;
    s = s * z + 42.0586813534181871432;
    s = s * z - 76.7058596689712004490;
    s = s * z + 81.6052492757805367773;
    s = s * z - 41.3417022403992359836;
    return s * z + 6.28318530717958623200;
  }
  ALACARTE_INLINE static double cosine(double z) {
    double c = 7.81132457949089520355;
    c = c * z - 26.4243094812875831678;
    c = c * z + 60.2446211092637682327;
    c = c * z - 85.4568170999227163520;
    c = c * z + 64.9393940224089618596;
    c = c * z - 19.7392088021785063745;
    return c * z + 1.0;
  }
};

template <>
struct Turn<float> {
  using Bits = std::uint32_t;
  static constexpr float kRound = 0x1.8p21F;
  // 5.5e-9 and 3.4e-8.
  ALACARTE_INLINE static float sine(float z) {
    float s = -74.93680572509765625F;
    s = s * z + 81.57900238037109375F;
    s = s * z - 41.34154510498046875F;
    return s * z + 6.28318500518798828125F;
  }
  ALACARTE_INLINE static float cosine(float z) {
    float c = -83.65789031982421875F;
    c = c * z + 64.92304229736328125F;
    c = c * z - 19.739166259765625F;
    return c * z + 1.0F;
  }
};

template <class Real>
struct SinCos {
  Real sine, cosine;
};

// Two exact reductions: to half a turn by the processor's own rounding, which takes any finite argument, then to an
// eighth. Quarter k swaps the two (bit 0) and sets their signs (bit 1 of k and of k + 1), all on bits: no branch. Only
// 14 operations are products; on processors with two units for these they are what the time goes by.
template <class Real>
ALACARTE_INLINE SinCos<Real> sincos_of(Real t) {
  using Bits = typename Turn<Real>::Bits;
  constexpr int kTop = 8 * sizeof(Real) - 1;
  constexpr Bits kSign = Bits{1} << kTop;
  const Real turn = t - std::rint(t);
  const Real quarters = turn + Turn<Real>::kRound;
  const Real r = turn - (quarters - Turn<Real>::kRound);
  const Real z = r * r;
  const Bits k = std::bit_cast<Bits>(quarters);
  const Bits s = std::bit_cast<Bits>(r * Turn<Real>::sine(z)), c = std::bit_cast<Bits>(Turn<Real>::cosine(z));
  const bool swap = static_cast<std::make_signed_t<Bits>>(k << kTop) < 0;
  return {std::bit_cast<Real>((swap ? c : s) ^ ((k << (kTop - 1)) & kSign)),
          std::bit_cast<Real>((swap ? s : c) ^ (((k + 1) << (kTop - 1)) & kSign))};
}

}  // namespace alacarte
