#pragma once
// A handmade result in the format of alacarte run.
#include <nlohmann/json.hpp>
#include <string>

namespace alacarte::test {

inline nlohmann::json result_document(const std::string& dataset, const std::string& label, int fold, double rmse,
                                      double nlpd, int seed = 0) {
  const nlohmann::json scores = {{"n", 3},
                                 {"rmse", rmse},
                                 {"mae", 0.1},
                                 {"r2", 0.5},
                                 {"smse", 0.5},
                                 {"nlpd", nlpd},
                                 {"nlpd_median", nlpd},
                                 {"crps", 0.1},
                                 {"coverage", {{"50", 0.5}, {"90", 0.8}, {"95", 0.9}}},
                                 {"standardised", {{"rmse", 0.1}, {"mae", 0.1}, {"nlpd", 0.1}, {"crps", 0.1}}}};
  return {{"format", 1},
          {"status", "done"},
          {"reason", ""},
          {"experiment", "toy"},
          {"unit", {{"dataset", dataset}, {"recipe", "gm"}, {"label", label}, {"fold", fold}, {"seed", seed}}},
          {"hash", std::string(64, 'a')},
          {"data",
           {{"rows", 167},
            {"inputs", 4},
            {"train_rows", 150},
            {"test_rows", 17},
            {"data_sha256", "b"},
            {"mask_sha256", nullptr}}},
          {"program", {{"version", "0.1.0"}, {"commit", "abc"}, {"compiler", "g++"}, {"flags", "-O2"}}},
          {"machine", {{"cpu", "a processor"}, {"cores", 2}, {"threads", 1}}},
          {"recipe", nullptr},
          {"train", scores},
          {"test", scores},
          {"training",
           {{"log_evidence", -3.5},
            {"iterations", 2},
            {"evaluations", 3},
            {"stop", "converged"},
            {"fits",
             {{{"name", "gm 1/1"},
               {"log_evidence", -3.5},
               {"noise_sd", 0.1},
               {"trace", {9.0, 4.0, 3.5}},
               {"parameters",
                {{"gm[0].log_amplitude", {0.1}},
                 {"gm[0].log_lengthscale", {0.5, 1.5, 0.5, 20}},
                 {"gm[0].mean_frequency", {0.5, 0, -3, 0}}}},
               {"relevance", {0.7, 0.3, 0.2, 1e-6}}}}}}},
          {"seconds", {{"train", 1.5}, {"predict", 0.25}}},
          {"peak_mb", 50.0},
          {"predictions", {{"target", {1.0, 2.0, 3.0}}, {"mean", {1.1, 2.2, 2.5}}, {"sd", {0.2, 0.2, 0.2}}}}};
}

inline nlohmann::json failed_document(const std::string& dataset, const std::string& label, int fold,
                                      const std::string& reason) {
  nlohmann::json document = result_document(dataset, label, fold, 1, 1);
  for (const char* key :
       {"data", "program", "machine", "recipe", "train", "test", "training", "seconds", "peak_mb", "predictions"})
    document.erase(key);
  document["status"] = "failed";
  document["reason"] = reason;
  return document;
}

}  // namespace alacarte::test
