// Logarithms of the laws of counts, beside numbers of 60 digits (mpmath 1.3).
#include "core/count_laws.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace alacarte {
namespace {

struct Case {
  double count, log_rate, value;
};

TEST(CountLaws, PoissonKeepsItsDigitsForAnyCount) {
  for (const Case& at :
       {Case{0, 0.5, -1.6487212707001281}, Case{1, -3.0, -3.0497870683678639}, Case{3, 1.25, -1.5321024266898964},
        Case{15, 2.5, -2.581765344544365}, Case{16, 2.75, -2.3144919902688444}, Case{1000, 7.0, -8.7613369166219481},
        Case{1000000, 13.8125, -12.35387926610835}, Case{1000000000, 20.75, -360574.96940017823},
        Case{1000000000000, 27.625, -18090606.519340783}, Case{1000000000000000.0, 34.5, -742180455479.85908},
        Case{5, -40.0, -204.78749174278205}, Case{20, 6.0, -325.76440995348861}})
    EXPECT_NEAR(poisson_log(at.count, at.log_rate), at.value, 1e-12 * std::abs(at.value)) << at.count;
}

TEST(CountLaws, NegativeBinomialKeepsItsDigitsForAnyCount) {
  const std::pair<Case, double> cases[] = {{Case{0.0, 1.0, -1.7165950667442116}, 2.0},
                                           {Case{1.0, 0.5, -6.9157699874022485}, 0.001},
                                           {Case{7.0, 2.0, -3.7247843079173722}, 0.3},
                                           {Case{7.0, 2.0, -1.914251702061147}, 100000.0},
                                           {Case{1000.0, 7.0, -7.3189088138397488}, 3.0},
                                           {Case{1000000.0, 13.75, -12.88979610631466}, 50.0},
                                           {Case{1000000000.0, 20.75, -22.14238146757827}, 0.5},
                                           {Case{1000000000000.0, 27.625, -24.609833094481905}, 100000.0},
                                           {Case{1000000000000.0, 27.625, -34.546107774754739}, 0.001},
                                           {Case{30.0, -5.0, -167.46805417142148}, 2.0}};
  for (const auto& [at, shape] : cases)
    EXPECT_NEAR(NegativeBinomialLaw(shape).log_probability(at.count, at.log_rate), at.value, 1e-11 * std::abs(at.value))
        << at.count << ' ' << shape;
}

}  // namespace
}  // namespace alacarte
