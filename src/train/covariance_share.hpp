#pragma once
// How much of Laplace's covariance probabilities of classes take.
//
// Where classes are almost separable the mode lies where the likelihood is flat, and the curvature there says nearly
// nothing: Laplace's covariance is then close to the prior's, far wider than the posterior, and averaged probabilities
// are too even (Kuss & Rasmussen 2005, JMLR 6; 500 digits of 8 x 8: log loss 0.53, without the covariance 0.24). Rows
// left out see the same, so one number, the share of the covariance that is taken, is chosen by their log loss.
#include <alacarte/core/recipe.hpp>
#include <alacarte/train/objective.hpp>

namespace alacarte {

/// 1, 1/2, 1/4, .. 1/1024 or 0: the share of left_out's covariances with which the classes y (n) have the least log
/// loss by class_values(), the larger of two that are equal. 2000 rows at most, evenly spaced, have a say. Cost 12
/// times that of their probabilities.
double best_covariance_share(const Recipe& recipe, const LeaveOneOut& left_out, ConstVec y, Index classes);

}  // namespace alacarte
