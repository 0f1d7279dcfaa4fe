#pragma once
// What the target is, given f: the registry of likelihoods, and how outputs of a fit become values of classes.
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/types.hpp>
#include <string>
#include <vector>

namespace alacarte {

/// One line of the registry.
struct LikelihoodEntry {
  std::string name;         ///< the recipe's "likelihood"
  std::string description;  ///< one sentence
  std::string formula;
  bool classes = false;  ///< the target is a class, not a number
};

const std::vector<LikelihoodEntry>& likelihoods();
/// nullptr when there is none of that name.
const LikelihoodEntry* find_likelihood(const std::string& name);

/// Whether the target of a recipe is a class: that of a likelihood of classes, or of a classifier.
bool learns_classes(const Recipe& recipe);
/// Whether its class_values() are probabilities; svm has decision values alone.
bool gives_probabilities(const Recipe& recipe);

/// From the outputs of one fit, latent means and variances (rows, outputs; no variances: empty), the values (rows, K)
/// of its K classes: each row's sum to 1 where they are probabilities. A fit of one output and two classes speaks for
/// the second one. logistic: the logistic function of each output, divided by their sum (one against the rest, as
/// LIBLINEAR has it); svm: the outputs themselves. Throws std::invalid_argument on shapes.
Matrix class_values(const Recipe& recipe, ConstMat means, ConstMat variances, Index classes);

/// What follows from likelihood and learner: a class is of any text (data.labels), and is not scaled; so for the
/// members of a mixture. Throws ConfigError for a likelihood that is not registered, and for options that likelihood or
/// learner does not use. fit() does it to its recipe; who reads the data by a recipe must do it before.
Recipe resolved(Recipe recipe);

}  // namespace alacarte
