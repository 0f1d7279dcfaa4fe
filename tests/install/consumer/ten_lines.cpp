// The program that docs/library.md opens with, whole.
#include <alacarte/alacarte.hpp>
#include <iostream>

int main() {
  using namespace alacarte;
  const FittedModel model = fit(read_table("prices.csv"));
  const PredictiveDistribution price = model.predict(read_table("flats.csv", model.schema)).distribution();
  const Vector mean = price.mean(), variance = price.variance();
  for (Index i = 0; i < price.rows(); ++i) std::cout << mean[i] << ' ' << variance[i] << '\n';
}
