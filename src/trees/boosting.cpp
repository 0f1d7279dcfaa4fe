#include "boosting.hpp"

#include "alacarte/core/error.hpp"

#ifdef ALACARTE_HAVE_XGBOOST
#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <queue>
#include <string>
#include <utility>
#include <vector>
#endif

namespace alacarte {

#ifdef ALACARTE_HAVE_XGBOOST
namespace {

using Json = nlohmann::json;

void check(int code) {
  if (code != 0) throw NumericalError("boosted trees", XGBGetLastError());
}

/// Rows as XGBoost keeps them.
class Table {
 public:
  explicit Table(const BoostingRows& rows) {
    using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Floats x = rows.x.cast<float>();
    check(XGDMatrixCreateFromMat_omp(x.data(), static_cast<bst_ulong>(x.rows()), static_cast<bst_ulong>(x.cols()),
                                     std::numeric_limits<float>::quiet_NaN(), &handle_, 1));
    put("label", rows.y);
    if (rows.weights.size() > 0) put("weight", rows.weights);
  }
  ~Table() { XGDMatrixFree(handle_); }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  void put(const char* name, const Vector& values) {
    const Eigen::VectorXf floats = values.cast<float>();
    check(XGDMatrixSetFloatInfo(handle_, name, floats.data(), static_cast<bst_ulong>(floats.size())));
  }
  DMatrixHandle handle() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

class Booster {
 public:
  Booster(const Table& table, const BoostingSettings& settings) {
    const DMatrixHandle handle = table.handle();
    check(XGBoosterCreate(&handle, 1, &handle_));
    const bool is_softmax = settings.outputs() > 1;
    switch (settings.loss) {
      case BoostingLoss::squares:
        set("objective", "reg:squarederror");
        set("eval_metric", "rmse");
        break;
      case BoostingLoss::classes:
        set("objective", is_softmax ? "multi:softprob" : "binary:logistic");
        set("eval_metric", is_softmax ? "mlogloss" : "logloss");
        if (is_softmax) set("num_class", std::to_string(settings.classes));
        break;
      case BoostingLoss::counts:
        set("objective", "count:poisson");
        set("eval_metric", "poisson-nloglik");
        break;
    }
    set("base_score", "0.5");  // a margin of 0 for classes; numbers and counts have base_margin in place of it
    set("verbosity", "0");
    set("tree_method", "hist");
    set("nthread", "1");
    set("seed", std::to_string(settings.seed % 2'000'000'000));
    set("max_depth", std::to_string(settings.depth));
    set("max_bin", std::to_string(settings.bins));
    set("eta", fmt::format("{}", settings.step));
    set("subsample", fmt::format("{}", settings.rows));
    set("colsample_bytree", fmt::format("{}", settings.columns));
  }
  ~Booster() { XGBoosterFree(handle_); }
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;

  void add_round(int round, const Table& rows) { check(XGBoosterUpdateOneIter(handle_, round, rows.handle())); }
  double score(int round, const Table& held) {
    DMatrixHandle tables[] = {held.handle()};
    const char* names[] = {"held"};
    const char* text = nullptr;
    check(XGBoosterEvalOneIter(handle_, round, tables, names, 1, &text));
    const std::string line = text;  // "[3]\theld-rmse:0.25"
    return std::strtod(line.c_str() + line.rfind(':') + 1, nullptr);
  }
  Json document() {
    bst_ulong size = 0;
    const char* text = nullptr;
    check(XGBoosterSaveModelToBuffer(handle_, R"({"format": "json"})", &size, &text));
    return Json::parse(text, text + size);
  }

 private:
  void set(const char* name, const std::string& value) { check(XGBoosterSetParam(handle_, name, value.c_str())); }

  BoosterHandle handle_ = nullptr;
};

/// Returns a tree of XGBoost's document with its nodes level by level, where the children of each are neighbours.
DecisionTree tree_of(const Json& json) {
  const auto left = json.at("left_children").get<std::vector<int>>();
  const auto right = json.at("right_children").get<std::vector<int>>();
  const auto inputs = json.at("split_indices").get<std::vector<int>>();
  const auto numbers = json.at("split_conditions").get<std::vector<float>>();
  DecisionTree tree;
  tree.nodes.emplace_back();
  std::queue<std::pair<int, std::size_t>> waiting;  // node there, place here
  waiting.emplace(0, 0);
  while (!waiting.empty()) {
    const auto [there, here] = waiting.front();
    waiting.pop();
    const auto k = static_cast<std::size_t>(there);
    tree.nodes[here].number = static_cast<double>(numbers.at(k));
    if (left.at(k) < 0) continue;
    tree.nodes[here].input = inputs.at(k);
    tree.nodes[here].left = static_cast<std::int32_t>(tree.nodes.size());
    waiting.emplace(left[k], tree.nodes.size());
    waiting.emplace(right.at(k), tree.nodes.size() + 1);
    tree.nodes.resize(tree.nodes.size() + 2);
  }
  return tree;
}

}  // namespace

bool can_boost() { return true; }

BoostingResult boost(BoostingRows rows, BoostingRows held, const BoostingSettings& settings,
                     const std::function<bool()>& stops) {
  require(rows.x.rows() > 0 && rows.x.cols() == held.x.cols() && held.x.rows() > 0,
          "boost: no rows of the same inputs");
  Table table(rows), other(held);
  BoostingResult result{BoostedTrees(rows.x.cols(), settings.outputs())};
  // Trees begin at this constant of each output, and what a row has beside it.
  double constant = 0;
  if (settings.loss != BoostingLoss::classes) {
    const Vector weights = rows.weights.size() > 0 ? rows.weights : Vector::Ones(rows.y.size());
    const Vector exposures = rows.offsets.size() > 0 ? Vector(rows.offsets.array().exp()) : Vector::Ones(rows.y.size());
    constant = settings.loss == BoostingLoss::squares
                   ? weights.dot(rows.y) / weights.sum()
                   : std::log(std::max(weights.dot(rows.y), 0.5) / weights.dot(exposures));
    const auto margin = [&](const BoostingRows& of, Table& into) {
      into.put("base_margin",
               of.offsets.size() > 0 ? Vector(of.offsets.array() + constant) : Vector::Constant(of.y.size(), constant));
    };
    margin(rows, table);
    margin(held, other);
    result.trees.add_constants(Vector::Constant(1, constant));
  }
  rows.x.resize(0, 0), held.x.resize(0, 0);  // the tables have them
  Booster booster(table, settings);
  result.score = std::numeric_limits<double>::infinity();
  const Index patience = settings.keeps_all ? settings.rounds : settings.patience;
  for (Index round = 0; round < settings.rounds && round < result.rounds + patience; ++round) {
    booster.add_round(static_cast<int>(round), table);
    const double score = booster.score(static_cast<int>(round), other);
    if (score < result.score || settings.keeps_all) {
      result.score = score;
      result.rounds = round + 1;
    }
    if (stops && stops()) break;
  }
  const Json document = booster.document();
  const Json& trees = document.at("learner").at("gradient_booster").at("model").at("trees");
  for (Index k = 0; k < result.rounds * settings.outputs(); ++k)
    result.trees.add(tree_of(trees.at(static_cast<std::size_t>(k))), k % settings.outputs());
  return result;
}

#else

bool can_boost() { return false; }

BoostingResult boost(BoostingRows, BoostingRows, const BoostingSettings&, const std::function<bool()>&) {
  require_boosting();
  return {BoostedTrees(0, 0)};
}

#endif

void require_boosting() {
  if (!can_boost())
    throw ConfigError("/data/trees", "this build is without XGBoost, which trains the trees (libxgboost-dev)");
}

}  // namespace alacarte
