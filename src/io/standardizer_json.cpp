// Standardisers as JSON, read strictly.
#include <nlohmann/json.hpp>
#include <string>

#include "alacarte/data/dataset.hpp"
#include "data/libsvm_reader.hpp"
#include "documents.hpp"
#include "json_fields.hpp"

namespace alacarte {

/// Accesses the private members of a standardiser.
class StandardizerCodec {
 public:
  static nlohmann::json write(const Standardizer& scales) {
    if (scales.sparse_) {
      nlohmann::json sparse = {
          {"sparse_inputs", scales.shift_.size()}, {"roots", scales.rows_.roots}, {"unit_rows", scales.rows_.unit}};
      if (scales.target_shift_ != 0) sparse["target_shift"] = scales.target_shift_;
      if (scales.target_scale_ != 1) sparse["target_scale"] = scales.target_scale_;
      write_transform(scales, sparse);
      return sparse;
    }
    nlohmann::json document = {{"shift", number_list(scales.shift_)},     {"scale", number_list(scales.scale_)},
                               {"minimum", number_list(scales.minimum_)}, {"maximum", number_list(scales.maximum_)},
                               {"target_shift", scales.target_shift_},    {"target_scale", scales.target_scale_}};
    if (scales.rows_.roots) document["roots"] = true;
    if (scales.rows_.unit) document["unit_rows"] = true;
    if (scales.levels_ > 0) document["levels"] = scales.levels_;
    write_transform(scales, document);
    return document;
  }

  static Standardizer read(const nlohmann::json& json) {
    JsonFields fields(json, "standardizer");
    if (json.contains("sparse_inputs")) {
      const Index inputs = fields.integer("sparse_inputs", 1, data_detail::kMaxLibsvmInputs);
      Standardizer result = Standardizer::sparse(inputs, {fields.is_set("roots"), fields.is_set("unit_rows")});
      if (json.contains("target_shift")) result.target_shift_ = fields.number("target_shift");
      if (json.contains("target_scale")) result.target_scale_ = fields.number("target_scale");
      read_transform(json, fields, result);
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
    result.rows_ = {fields.is_set("roots"), fields.is_set("unit_rows")};
    read_transform(json, fields, result);
    const Index d = result.shift_.size();
    if (json.contains("levels")) result.levels_ = fields.integer("levels", 1, d);
    fields.done();
    if (result.scale_.size() != d || result.minimum_.size() != d || result.maximum_.size() != d)
      fields.refuse("lists of different lengths");
    if ((result.scale_.array() <= 0).any() || result.target_scale_ <= 0) fields.refuse("a scale is not positive");
    if ((result.minimum_.array() > result.maximum_.array()).any()) fields.refuse("a minimum is above its maximum");
    return result;
  }

 private:
  /// Adds the transform of the target, if there is one.
  static void write_transform(const Standardizer& scales, nlohmann::json& document) {
    const TargetTransform& transform = scales.transform_;
    if (transform.is_identity()) return;
    document["target_spread"] = scales.target_spread_;
    if (transform.kind() == TargetTransform::Kind::log) {
      document["target_transform"] = "log";
      return;
    }
    document["target_transform"] = "yeo-johnson";
    document["target_lambda"] = transform.lambda();
    document["target_unit"] = transform.unit();
    if (transform.minimum() == 0) document["target_minimum"] = 0.0;
  }

  static void read_transform(const nlohmann::json& json, JsonFields& fields, Standardizer& result) {
    if (!json.contains("target_transform")) return;
    const std::string kind = fields.text("target_transform");
    result.target_spread_ = fields.number("target_spread");
    if (!(result.target_spread_ > 0)) fields.refuse("a scale is not positive");
    if (kind == "log") {
      result.transform_ = TargetTransform::log();
      return;
    }
    if (kind != "yeo-johnson") fields.refuse("an unknown transform of the target");
    const double lambda = fields.number("target_lambda"), unit = fields.number("target_unit");
    const bool is_bounded = json.contains("target_minimum");
    if (!(lambda >= 0 && lambda <= 2 && unit > 0)) fields.refuse("target_lambda or target_unit");
    if (is_bounded && fields.number("target_minimum") != 0) fields.refuse("target_minimum must be 0");
    result.transform_ =
        is_bounded ? TargetTransform::yeo_johnson(lambda, unit, 0) : TargetTransform::yeo_johnson(lambda, unit);
  }
};

nlohmann::json to_json(const Standardizer& standardizer) { return StandardizerCodec::write(standardizer); }
Standardizer standardizer_from_json(const nlohmann::json& json) { return StandardizerCodec::read(json); }

}  // namespace alacarte
