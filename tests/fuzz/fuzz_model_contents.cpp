// Any model file, treated as if its checksum were right, is an IoError or a usable model. Seeds are the golden models:
// fuzz_model_contents NEW_INPUTS_FOLDER tests/golden/models
#include <cstdint>
#include <string>

#include "alacarte/core/error.hpp"
#include "alacarte/io/model_file.hpp"
#include "io/bundle_text.hpp"
#include "report/inspection.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace alacarte;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    std::string digest;
    const FittedModel model = FittedModel::load(parse_bundle_unchecked(bytes, "input", digest));
    to_json(inspect(model)).dump();
    model_page(model, "input", {}, 20);
    PredictOptions options;
    options.variance = model.has_variance();
    const Matrix origin = Matrix::Zero(1, model.schema.input_count());
    model.predict(origin, options);
  } catch (const IoError&) {
    return 0;
  } catch (const NumericalError&) {
    return 0;
  }
  return 0;
}
