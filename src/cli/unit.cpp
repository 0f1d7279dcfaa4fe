// alacarte unit: what `alacarte run` starts for each run; also by hand, to see one fail.
#include <fmt/format.h>

#include "alacarte/core/atomic_file.hpp"
#include "alacarte/core/error.hpp"
#include "alacarte/core/text_file.hpp"
#include "alacarte/experiment/run.hpp"
#include "alacarte/io/recipe_io.hpp"
#include "command.hpp"
#include "guard.hpp"
#include "log.hpp"
#include "output.hpp"

namespace alacarte::cli {
namespace {

struct UnitArguments {
  std::string run, result;
};

int run_one(const UnitArguments& a) {
  require_writable({a.result}, {a.run});
  const Run run = run_from_json(parse_json(read_text_file(a.run), a.run));
  nlohmann::json result = result_frame(run, "done", "");
  result.update(execute_run(run));
  AtomicFile file(a.result);
  file.stream() << result.dump() << '\n';
  file.commit();
  log_info(fmt::format("{}: rmse {:.6g} on {} test rows", run.id, result["test"].value("rmse", 0.0),
                       result["data"].value("test_rows", 0)));
  return kSuccess;
}

}  // namespace

Command unit_command(CommonOptions& common) {
  const auto a = std::make_shared<UnitArguments>();
  Command command{"unit", "Run one unit of an experiment (alacarte run calls this)"};
  command.add({"UNIT", &a->run, "Unit file, as alacarte run leaves them in OUT/units", "", true});
  command.add({"RESULT", &a->result, "Result file to write", "", true}).no_stream = true;
  add_log_options(command, common);
  command.footer =
      "Trains and scores one unit of an experiment in this process. alacarte run calls it; by hand it shows why a unit "
      "failed:\n"
      "  alacarte unit OUT/units/servo.GM.f0.s0.json again.json";
  command.run = [a] { return run_one(*a); };
  return command;
}

}  // namespace alacarte::cli
