// "auto" of classes on few rows: kernels with learned length-scales, exact or on features.
#include <algorithm>

#include "alacarte/model/likelihood.hpp"
#include "auto_members.hpp"
#include "cost_model.hpp"

namespace alacarte::auto_detail {
namespace {

/// A kernel that is learned by the evidence; features: 0 of an exact kernel.
Recipe class_member(const Recipe& recipe, const std::string& model, Index frequencies) {
  Recipe member = member_of(recipe, model);
  member.training.iterations = kClassIterations;
  if (frequencies > 0) member.features.frequencies = frequencies;
  return member;
}

/// Returns the operations of a fit of such a kernel, and of its fits in folds where it learns so many numbers that
/// these weigh it; frequencies 0: exact.
double class_fit_flops(const Recipe& recipe, const TableSize& size, Index frequencies, Index learned) {
  const double n = static_cast<double>(size.rows), inputs = static_cast<double>(size.inputs);
  const double outputs = static_cast<double>(likelihood_of(recipe).outputs(size.classes));
  const double features = frequencies > 0 ? 2.0 * static_cast<double>(frequencies) : n;
  const double gram = frequencies > 0 ? 0 : exact_flops({}, n, inputs);
  const bool has_folds = static_cast<double>(learned) > kMaxLearnedShare * n;
  const Index folds = size.rows < kRowsOfFewFolds ? kManyClassFolds : kFewClassFolds;
  const double fits = has_folds ? static_cast<double>(folds) : 1;  // one more, and each of fewer rows
  return fits * (kClassIterations + kEvaluationsBeside) * (class_flops(n, features, outputs) + gram);
}

/// Returns that of two kernels, one of which has a length-scale for each input.
double two_kernels_flops(const Recipe& recipe, const TableSize& size, Index frequencies) {
  return class_fit_flops(recipe, size, frequencies, size.inputs + 3) + class_fit_flops(recipe, size, frequencies, 3);
}

}  // namespace

std::vector<Recipe> class_kernels(const Recipe& recipe, const TableSize& size, double flops) {
  std::vector<Recipe> members;
  if (size.classes == 0 || size.rows > kMaxKernelClassRows) return members;
  const bool is_exact = two_kernels_flops(recipe, size, 0) <= flops;
  Index frequencies = is_exact ? 0 : kMaxClassFrequencies;
  while (!is_exact && two_kernels_flops(recipe, size, frequencies) > flops)
    if ((frequencies /= 2) < kMinFrequencies) return members;
  for (const char* model : is_exact ? kExactClassKernels : kClassKernels)
    members.push_back(class_member(recipe, model, frequencies));
  // Learned frequencies are wrong on other tables, and cost little.
  const double left = flops - two_kernels_flops(recipe, size, frequencies);
  const double of_frequencies = class_fit_flops(recipe, size, kMinFrequencies, kMinFrequencies * size.inputs);
  if (static_cast<double>(kClassCopies + 1) * of_frequencies > left) return members;
  members.push_back(class_member(recipe, "ssgpr", kMinFrequencies));
  members.back().copies = kClassCopies;
  members.push_back(class_member(recipe, "fsgbard", kMinFrequencies));
  return members;
}

}  // namespace alacarte::auto_detail
