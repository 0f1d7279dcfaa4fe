#include <nlohmann/json.hpp>
#include <vector>

#include "alacarte/data/dataset.hpp"
#include "data/libsvm_reader.hpp"
#include "documents.hpp"
#include "io/json_fields.hpp"

namespace alacarte {
namespace {

nlohmann::json to_list(const Vector& values) {
  return std::vector<double>(values.data(), values.data() + values.size());
}

}  // namespace

/// Accesses the private members of a standardiser.
class StandardizerCodec {
 public:
  static nlohmann::json write(const Standardizer& scales);
  static Standardizer read(const nlohmann::json& json);
};

nlohmann::json StandardizerCodec::write(const Standardizer& scales) {
  if (scales.sparse_) {
    nlohmann::json sparse = {
        {"sparse_inputs", scales.shift_.size()}, {"roots", scales.rows_.roots}, {"unit_rows", scales.rows_.unit}};
    if (scales.target_shift_ != 0) sparse["target_shift"] = scales.target_shift_;
    if (scales.target_scale_ != 1) sparse["target_scale"] = scales.target_scale_;
    return sparse;
  }
  nlohmann::json document = {{"shift", to_list(scales.shift_)},      {"scale", to_list(scales.scale_)},
                             {"minimum", to_list(scales.minimum_)},  {"maximum", to_list(scales.maximum_)},
                             {"target_shift", scales.target_shift_}, {"target_scale", scales.target_scale_}};
  if (scales.rows_.roots) document["roots"] = true;
  if (scales.rows_.unit) document["unit_rows"] = true;
  return document;
}

Standardizer StandardizerCodec::read(const nlohmann::json& json) {
  JsonFields fields(json, "standardizer");
  const auto is_set = [&](const char* name) { return json.contains(name) && fields.boolean(name); };
  if (json.contains("sparse_inputs")) {
    const Index inputs = fields.integer("sparse_inputs", 1, data_detail::kMaxLibsvmInputs);
    Standardizer result = Standardizer::sparse(inputs, {is_set("roots"), is_set("unit_rows")});
    if (json.contains("target_shift")) result.target_shift_ = fields.number("target_shift");
    if (json.contains("target_scale")) result.target_scale_ = fields.number("target_scale");
    fields.done();
    if (result.target_scale_ <= 0) fields.refuse("a scale is not positive");
    return result;
  }
  Standardizer result;
  result.shift_ = fields.numbers("shift");
  result.scale_ = fields.numbers("scale");
  result.minimum_ = fields.numbers("minimum");
  result.maximum_ = fields.numbers("maximum");
  result.target_shift_ = fields.number("target_shift");
  result.target_scale_ = fields.number("target_scale");
  result.rows_ = {is_set("roots"), is_set("unit_rows")};
  fields.done();
  const Index d = result.shift_.size();
  if (result.scale_.size() != d || result.minimum_.size() != d || result.maximum_.size() != d)
    fields.refuse("lists of different lengths");
  if ((result.scale_.array() <= 0).any() || result.target_scale_ <= 0) fields.refuse("a scale is not positive");
  if ((result.minimum_.array() > result.maximum_.array()).any()) fields.refuse("a minimum is above its maximum");
  return result;
}

nlohmann::json to_json(const Standardizer& standardizer) { return StandardizerCodec::write(standardizer); }
Standardizer standardizer_from_json(const nlohmann::json& json) { return StandardizerCodec::read(json); }

}  // namespace alacarte
