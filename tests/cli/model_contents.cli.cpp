// Model files with a right checksum and wrong contents: any document and tensors are refused with one line (exit code
// 4) or shown. 70 would be a fault of the program.
#include <limits>
#include <map>

#include "alacarte/core/random.hpp"
#include "alacarte/io/model_file.hpp"
#include "cli/program_test.hpp"

namespace alacarte::test {
namespace {

using Json = nlohmann::json;

const std::string kModels = ALACARTE_SOURCE_DIR "/tests/golden/models/";

class ModelContents : public ProgramTest {
 protected:
  std::string write(const ModelFile& model) const {
    write_bundle(folder_ / "changed.model", model);
    return folder_ / "changed.model";
  }

  void expect_shown_or_refused(const ModelFile& model, const std::string& what) {
    const std::string path = write(model);
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"inspect", path}, {"inspect", path, "--html", folder_ / "page.html"}}) {
      const RunResult result = run(arguments);
      EXPECT_TRUE(result.code == 0 || result.code == 4) << what << ": " << result.code << ' ' << result.err;
      ++codes_[result.code];
    }
  }

  std::map<int, int> codes_;
};

void list_places(const Json& json, const std::string& at, std::vector<std::string>& places) {
  if (!at.empty()) places.push_back(at);
  if (json.is_object())
    for (const auto& [key, value] : json.items()) list_places(value, at + '/' + key, places);
  if (json.is_array())
    for (std::size_t i = 0; i < json.size(); ++i) list_places(json[i], at + '/' + std::to_string(i), places);
}

std::size_t below(RandomStream& stream, std::size_t count) {
  return static_cast<std::size_t>(stream.below(static_cast<std::int64_t>(count)));
}

std::string change_document(ModelFile& model, RandomStream& stream) {
  static const std::vector<Json> kValues = {
      nullptr, true,          0,    -1,      2.5,           1e308,          -1e308,        1e-320,
      "",      "x",           {{}}, {1, 2},  Json::array(), Json::object(), {{"stop", 1}}, 9007199254740993LL,
      1000000, "2147483648a", 1e10, {"a", 1}};
  std::vector<std::string> places;
  list_places(model.document, "", places);
  const std::string place = places[below(stream, places.size())];
  const Json value = kValues[below(stream, kValues.size())];
  model.document[Json::json_pointer(place)] = value;
  return place + " = " + value.dump();
}

std::string change_tensor(ModelFile& model, RandomStream& stream) {
  static const std::vector<double> kValues = {0, -1, 1e300, -1e300, 5e-324, 1e15, 800., -800, 1e-30, -20, 20};
  auto at = std::next(model.tensors.begin(), static_cast<std::ptrdiff_t>(below(stream, model.tensors.size())));
  Tensor& tensor = at->second;
  const double value = kValues[below(stream, kValues.size())];
  const bool all = stream.uniform() < 0.5;
  if (!tensor.f64.empty()) {
    const std::size_t one = below(stream, tensor.f64.size());
    for (std::size_t i = 0; i < tensor.f64.size(); ++i)
      if (all || i == one) tensor.f64[i] = value;
  } else if (!tensor.i32.empty()) {
    tensor.i32[below(stream, tensor.i32.size())] = value > 1e9 ? std::numeric_limits<std::int32_t>::max() : -7;
  }
  return at->first + " = " + std::to_string(value);
}

TEST_F(ModelContents, ChangedAtRandom) {
  RandomStream stream(2024);
  for (const std::string name : {"gm", "ard-dual", "exact-sum", "sum", "softmax", "poisson", "svm-exact",
                                 "sparse-gcws-logistic", "matern-isotropic", "mixture-auto", "pwl-knots"}) {
    const ModelFile good = read_bundle(kModels + name + ".alacarte");
    for (int k = 0; k < 10; ++k) {
      ModelFile changed = good;
      std::string what = name;
      what += ": " + (k % 5 == 4 ? change_tensor(changed, stream) : change_document(changed, stream));
      expect_shown_or_refused(changed, what);
    }
  }
  EXPECT_GT(codes_[0], 5);
  EXPECT_GT(codes_[4], 50);
}

TEST_F(ModelContents, RecordsAndParametersAreNamed) {
  const ModelFile good = read_bundle(kModels + "gm.alacarte");
  const auto refused = [&](const std::string& place, const Json& value, const std::string& word) {
    ModelFile changed = good;
    changed.document[Json::json_pointer(place)] = value;
    expect_failure(run({"inspect", write(changed)}), 4, {word});
  };
  for (const Json& stop : {Json::object(), Json("never")})
    refused("/members/0/summary/stop", stop, "member[0]/summary/stop");
  refused("/members/0/summary/trace", "long", "member[0]/summary/trace");
  refused("/members/0/summary/best_start", 1e300, "member[0]/summary/best_start");
  refused("/members/0/summary", 3, "member[0]/summary");
  refused("/training/notes", 3, "training/notes");
  refused("/training/leave_one_out", "good", "training/leave_one_out");
  ModelFile changed = good;
  for (double& value : changed.tensors.at("member[0]/parameters/gm[1].log_lengthscale").f64) value = -800;
  expect_failure(run({"inspect", write(changed)}), 4, {"gm[1].log_lengthscale", "range"});
}

}  // namespace
}  // namespace alacarte::test
