#pragma once
// The one table of a recipe's fields, from which recipes are parsed, written and documented.
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

/// What kind of recipe a field is given in: the whole, a member of a mixture, or a term of a sum or product.
enum class RecipePart { whole, member, term };

/// Which recipes may set the field: all; none of an exact kernel; no member of a mixture; not the mixture itself.
/// Fields of the sections features, kernel and network belong to the models whose ModelInfo::keys lists them.
enum class FieldScope { anywhere, maps_only, whole_only, not_in_mixture };

/// The values that a field may have.
struct FieldDomain {
  std::vector<std::string> choices = {};  ///< of strings, and of enums in their order; empty = any string
  double minimum = 0, maximum = 0;        ///< of numbers
};

struct RecipeField {
  std::string section;  ///< "" = the recipe itself
  std::string key;
  FieldPointer value;  ///< in the recipe
  FieldScope scope;
  std::string_view meaning;
  FieldDomain domain = {};

  /// Whether only the models whose ModelInfo::keys lists the field use it.
  bool is_listed() const {
    return section == "features" || section == "network" ||
           (section == "kernel" && key != "lengthscale" && key != "trained");
  }
  std::string name() const { return section.empty() ? key : section + "." + key; }
};

/// The fields, with their values in `recipe`, which must stay where it is.
std::vector<RecipeField> recipe_fields(Recipe& recipe);

nlohmann::json field_value(const RecipeField& field);

/// Why the field does not apply here ("means nothing for model 'rbf'"), or "" if it does. info: of the recipe's model;
/// nullptr for "mixture".
std::string inapplicable_reason(const RecipeField& field, const ModelInfo* info, RecipePart part);

}  // namespace alacarte
