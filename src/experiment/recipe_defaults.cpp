#include "experiment/recipe_defaults.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "alacarte/core/recipe.hpp"
#include "io/recipe_fields.hpp"

namespace alacarte {

using Json = nlohmann::json;

void forget_defaults(Json& recipe) {
  static const std::set<std::string> later = {"precision",
                                              "likelihood",
                                              "features.phase",
                                              "features.normalized",
                                              "features.landmarks",
                                              "features.sketch",
                                              "features.buckets",
                                              "features.samples",
                                              "features.bits",
                                              "features.code",
                                              "noise.prior_rows",
                                              "training.start",
                                              "scale.roots",
                                              "scale.unit_rows",
                                              "learner.kind",
                                              "learner.costs",
                                              "learner.scales",
                                              "learner.folds",
                                              "learner.class_weights",
                                              "kernel.isotropic",
                                              "kernel.alpha",
                                              "kernel.learn_shape",
                                              "kernel.degree",
                                              "kernel.offset",
                                              "kernel.balls",
                                              "kernel.quantiles",
                                              "kernel.coefficients",
                                              "kernel.learn_coefficients",
                                              "learner.search",
                                              "learner.search_rows",
                                              "training.start_rows",
                                              "training.start_iterations",
                                              "weights",
                                              "targets",
                                              "data.decimal",
                                              "data.missing_words",
                                              "data.dates",
                                              "data.text",
                                              "data.weights",
                                              "data.noise_sd",
                                              "kernel.lengthscale",
                                              "kernel.trained",
                                              "noise.sd",
                                              "noise.trained",
                                              "noise.degrees",
                                              "training.subsample_growth",
                                              "training.carry_curvature",
                                              "training.samples",
                                              "training.drawn_rows",
                                              "training.drawn_steps",
                                              "noise.dispersion",
                                              "noise.varies",
                                              "noise.shape",
                                              "network.residual",
                                              "network.inputs",
                                              "noise.rounds",
                                              "noise.rows",
                                              "calibration.kind",
                                              "calibration.share"};
  Recipe defaults;
  for (const RecipeField& field : recipe_fields(defaults)) {
    if (later.count(field.name()) == 0 || (!field.section.empty() && !recipe.contains(field.section))) continue;
    Json& section = field.section.empty() ? recipe : recipe[field.section];
    if (!section.contains(field.key) || section[field.key] != field_value(field)) continue;
    section.erase(field.key);
    if (section.empty()) recipe.erase(field.section);
  }
  if (recipe.contains("members"))
    for (Json& member : recipe["members"]) forget_defaults(member);
  if (!recipe.contains("training") || recipe["training"].value("subsample", 0) != 0) return;
  recipe["training"].erase("subsample");
  recipe["training"].erase("subsample_iterations");
}

}  // namespace alacarte
