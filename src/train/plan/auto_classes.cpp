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

/// Returns the operations of a fit of such a kernel; frequencies 0: exact.
double class_fit_flops(const Recipe& recipe, const TableSize& size, Index frequencies) {
  const double n = static_cast<double>(size.rows), inputs = static_cast<double>(size.inputs);
  const double outputs = static_cast<double>(likelihood_of(recipe).outputs(size.classes));
  const double features = frequencies > 0 ? 2.0 * static_cast<double>(frequencies) : n;
  const double gram = frequencies > 0 ? 0 : exact_flops({}, n, inputs);
  return (kClassIterations + kEvaluationsBeside) * (class_flops(n, features, outputs) + gram);
}

}  // namespace

std::vector<Recipe> class_kernels(const Recipe& recipe, const TableSize& size, double flops) {
  std::vector<Recipe> members;
  if (size.classes == 0 || size.rows > kMaxKernelClassRows) return members;
  // Two kernels, of which one has a length-scale for each input; learned frequencies and a linear function, which are
  // wrong on other tables, cost little beside them.
  const bool is_exact = 2 * class_fit_flops(recipe, size, 0) <= flops;
  Index frequencies = kMaxClassFrequencies;
  while (!is_exact && 2 * class_fit_flops(recipe, size, frequencies) > flops)
    if ((frequencies /= 2) < kMinFrequencies) return members;
  for (const char* model : is_exact ? kExactClassKernels : kClassKernels)
    members.push_back(class_member(recipe, model, is_exact ? 0 : frequencies));
  members.push_back(class_member(recipe, "ssgpr", kMinFrequencies));
  members.push_back(class_member(recipe, "linear", 0));
  return members;
}

}  // namespace alacarte::auto_detail
