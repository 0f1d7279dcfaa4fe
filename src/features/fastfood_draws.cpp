#include <cmath>
#include <limits>

#include "alacarte/core/error.hpp"
#include "alacarte/features/fastfood.hpp"
#include "features/slots.hpp"

namespace alacarte {

FastfoodDraws::FastfoodDraws(Index inputs, Index frequencies) : inputs(inputs), frequencies(frequencies) {
  require(inputs > 0 && frequencies > 0, "Fastfood needs inputs and frequencies");
  require(inputs <= (Index{1} << 30) && frequencies <= std::numeric_limits<std::int32_t>::max(),
          "Fastfood is too large");
  while (length < inputs) length *= 2;
  blocks = (frequencies + length - 1) / length;
}

FastfoodDraws::FastfoodDraws(Index inputs, Index frequencies, const RandomStreams& streams)
    : FastfoodDraws(inputs, frequencies) {
  RandomStream sign = streams.stream("fastfood.signs"), shuffle = streams.stream("fastfood.permutation");
  signs.resize(blocks * length);
  for (Index i = 0; i < signs.size(); ++i) signs[i] = sign.sign();
  gaussian = streams.stream("fastfood.gaussian").normals(blocks * length);
  permutation.reserve(static_cast<std::size_t>(blocks * length));
  for (Index block = 0; block < blocks; ++block) {
    const auto order = shuffle.permutation(length);
    permutation.insert(permutation.end(), order.begin(), order.end());
  }
}

FastfoodDraws::FastfoodDraws(Index inputs, Index frequencies, const TensorBundle& bundle, const std::string& prefix)
    : FastfoodDraws(inputs, frequencies) {
  signs = bundle.vector(prefix + "fastfood.signs", blocks * length);
  gaussian = bundle.vector(prefix + "fastfood.gaussian", blocks * length);
  permutation = bundle.integers(prefix + "fastfood.permutation", blocks * length);
  check_permutations(permutation, length, prefix + "fastfood.permutation");
  if (!inverse_norms().allFinite())
    throw IoError("model file", "tensor '" + prefix + "fastfood.gaussian' has a block without length");
}

void FastfoodDraws::save(TensorBundle& bundle, const std::string& prefix) const {
  bundle.put_vector(prefix + "fastfood.signs", signs);
  bundle.put_vector(prefix + "fastfood.gaussian", gaussian);
  bundle.put_integers(prefix + "fastfood.permutation", permutation);
}

Vector FastfoodDraws::inverse_norms() const {
  Vector inverse(blocks);
  for (Index block = 0; block < blocks; ++block) inverse[block] = 1 / gaussian.segment(block * length, length).norm();
  return inverse;
}

}  // namespace alacarte
