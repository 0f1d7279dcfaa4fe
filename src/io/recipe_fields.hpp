#pragma once
// The one table of a recipe's fields, from which recipes are parsed, written and documented.
#include <string>
#include <variant>
#include <vector>

#include "alacarte/core/recipe.hpp"

namespace alacarte {

using FieldPointer = std::variant<Index*, double*, bool*, std::string*, std::vector<std::string>*, Scaling*, MeanKind*,
                                  EvidenceForm*, Precision*>;

/// Which recipes may give the field.
struct FieldScope {
  /// empty = every model, "features" = every feature map, "frequencies" = every map that has random frequencies
  std::vector<std::string> models = {};
  bool in_member = true;   ///< a member of a mixture may give it
  bool in_mixture = true;  ///< the mixture itself may give it
};

struct RecipeField {
  std::string section;  ///< "" = the recipe itself
  std::string key;
  FieldPointer (*at)(Recipe&);
  double least = 0, most = 0;        ///< of numbers
  std::vector<std::string> choices;  ///< of strings and enums; empty = any string
  FieldScope scope;
  std::string meaning;
};

const std::vector<RecipeField>& recipe_fields();

/// "" when the field means something here, otherwise why not ("means nothing for model 'rbf'").
std::string why_meaningless(const RecipeField& field, const std::string& model, bool is_member);

}  // namespace alacarte
