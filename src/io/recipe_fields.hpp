#pragma once
// The one table of a recipe's fields, from which recipes are parsed, written and documented.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>
#include <vector>

#include "alacarte/core/model_info.hpp"

namespace alacarte {

using FieldPointer = std::variant<Index*, double*, bool*, std::string*, std::vector<std::string>*, std::vector<double>*,
                                  Scaling*, MeanKind*, EvidenceForm*, Precision*>;

/// What kind of recipe a field is given in: the whole, a member of a mixture, or a term of a sum or product.
enum class RecipePart { whole, member, term };

/// Which recipes may set the field. Fields of the sections features and kernel belong to the models whose
/// ModelInfo::keys lists them.
struct FieldScope {
  bool maps_only = false;  ///< not for exact kernels
  bool in_member = true;   ///< a member of a mixture may give it
  bool in_mixture = true;  ///< the mixture itself may give it
};

struct RecipeField {
  std::string section;  ///< "" = the recipe itself
  std::string key;
  FieldPointer (*at)(Recipe&);
  double minimum = 0, maximum = 0;   ///< of numbers
  std::vector<std::string> choices;  ///< of strings and enums; empty = any string
  FieldScope scope;
  std::string meaning;

  /// Whether only the models whose ModelInfo::keys lists the field use it.
  bool is_listed() const { return section == "features" || section == "kernel"; }
  std::string name() const { return section.empty() ? key : section + "." + key; }
};

const std::vector<RecipeField>& recipe_fields();

nlohmann::json field_value(const RecipeField& field, Recipe& recipe);

/// The fields of the sections features and kernel.
void add_function_fields(std::vector<RecipeField>& table);

/// Why the field does not apply here ("means nothing for model 'rbf'"), or "" if it does. info: of the recipe's model;
/// nullptr for "mixture".
std::string inapplicable_reason(const RecipeField& field, const ModelInfo* info, RecipePart part);

}  // namespace alacarte
