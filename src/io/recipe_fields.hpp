#pragma once
// The one table of a recipe's fields, which parses, writes and documents recipes.
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "alacarte/core/model_info.hpp"

namespace alacarte {

/// Place of a value of any enum of recipe_words.hpp, read and written by its number in the list of words.
class EnumPointer {
 public:
  template <class Enum>
  requires std::is_enum_v<Enum> EnumPointer(
      Enum* value)  // NOLINT(google-explicit-constructor): the table lists plain addresses
      : value_(value),
        read_([](const void* at) { return static_cast<std::size_t>(*static_cast<const Enum*>(at)); }),
        write_([](void* at, std::size_t index) { *static_cast<Enum*>(at) = static_cast<Enum>(index); }) {}

  std::size_t index() const { return read_(value_); }
  void set_index(std::size_t index) const { write_(value_, index); }

 private:
  void* value_;
  std::size_t (*read_)(const void*);
  void (*write_)(void*, std::size_t);
};

using FieldPointer = std::variant<Index*, double*, bool*, std::string*, std::vector<std::string>*, std::vector<double>*,
                                  std::vector<Index>*, EnumPointer>;

/// Kind of recipe that contains a field: the whole, a member of a mixture, or a term of a sum or product.
enum class RecipePart { whole, member, term };

/// Recipes that may set the field: all; all except exact kernels; all except members of a mixture; all except the
/// mixture itself. No term has a field but those of its model. Fields of features, kernel and network belong to the
/// models whose ModelInfo::keys lists them.
enum class FieldScope { anywhere, maps_only, whole_only, not_in_mixture };

/// Valid values of a field.
struct FieldDomain {
  std::vector<std::string> choices = {};  ///< strings, or names of enums in their order; empty = any string
  double minimum = 0, maximum = 0;        ///< range of numbers
};

struct RecipeField {
  std::string section;  ///< "" = root of the recipe
  std::string key;
  FieldPointer value;  ///< points into the recipe
  FieldScope scope;
  std::string_view meaning;
  FieldDomain domain = {};

  /// Returns true if only the models whose ModelInfo::keys lists the field use it.
  bool is_listed() const {
    return section == "features" || section == "network" || (section == "kernel" && !is_by_hand());
  }
  /// Returns true for hyperparameters that a recipe and its terms give by hand.
  bool is_by_hand() const {
    return section == "kernel" && (key == "lengthscale" || key == "amplitude" || key == "period" || key == "trained");
  }
  std::string name() const { return section.empty() ? key : section + "." + key; }
};

/// Returns the fields, with their values in `recipe`, which must not move.
std::vector<RecipeField> recipe_fields(Recipe& recipe);

nlohmann::json field_value(const RecipeField& field);
/// Returns the word of an enum as recipes write it: "true" and "false" as booleans.
nlohmann::json json_of_word(const std::string& word);

/// Returns the reason why the field does not apply ("means nothing for model 'rbf'"), or "". info: ModelInfo of the
/// recipe; nullptr for "mixture".
std::string inapplicable_reason(const RecipeField& field, const ModelInfo* info, RecipePart part);

}  // namespace alacarte
