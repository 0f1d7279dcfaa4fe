#pragma once
// Everything that a program needs to train models, predict with them, and keep them: include this header alone.
//
//   const FittedModel model = fit(read_table("prices.csv"));
//   const Prediction prediction = model.predict(read_table("flats.csv", model.schema));
//
// app/workflow.hpp has these calls, app/train_file.hpp those for files larger than memory; recipes are in
// core/recipe.hpp. Public headers are at most 45, and each compiles by itself.
#include <alacarte/app/evaluate_file.hpp>
#include <alacarte/app/explain_file.hpp>
#include <alacarte/app/export_c.hpp>
#include <alacarte/app/job.hpp>
#include <alacarte/app/predict_file.hpp>
#include <alacarte/app/train_file.hpp>
#include <alacarte/app/workflow.hpp>
#include <alacarte/core/error.hpp>
#include <alacarte/core/input_view.hpp>
#include <alacarte/core/model_info.hpp>
#include <alacarte/core/observer.hpp>
#include <alacarte/core/parameter_layout.hpp>
#include <alacarte/core/predictive_distribution.hpp>
#include <alacarte/core/random.hpp>
#include <alacarte/core/recipe.hpp>
#include <alacarte/core/recipe_words.hpp>
#include <alacarte/core/tensor_bundle.hpp>
#include <alacarte/core/threads.hpp>
#include <alacarte/core/training_statistics.hpp>
#include <alacarte/core/types.hpp>
#include <alacarte/core/version.hpp>
#include <alacarte/data/dataset.hpp>
#include <alacarte/data/row_source.hpp>
#include <alacarte/data/rows_file.hpp>
#include <alacarte/data/table.hpp>
#include <alacarte/eval/metrics.hpp>
#include <alacarte/features/fastfood.hpp>
#include <alacarte/features/feature_map.hpp>
#include <alacarte/inference/objective.hpp>
#include <alacarte/io/model_file.hpp>
#include <alacarte/io/recipe_io.hpp>
#include <alacarte/io/target_models.hpp>
#include <alacarte/kernel/kernel.hpp>
#include <alacarte/model/calibration.hpp>
#include <alacarte/model/explanation.hpp>
#include <alacarte/model/fitted_model.hpp>
#include <alacarte/model/likelihood.hpp>
#include <alacarte/model/posterior.hpp>
#include <alacarte/model/prediction.hpp>
#include <alacarte/model/prior.hpp>
#include <alacarte/model/registered.hpp>
#include <alacarte/model/training_record.hpp>
#include <alacarte/model/update.hpp>
#include <alacarte/train/fit.hpp>
