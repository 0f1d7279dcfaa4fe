#include "bench/suite.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "alacarte/core/error.hpp"
#include "bench/machine.hpp"

namespace alacarte::bench {
namespace {

const Times& find(const std::vector<Times>& times, const std::string& name) {
  const auto at = std::find_if(times.begin(), times.end(), [&](const Times& t) { return t.name == name; });
  require(at != times.end(), "a ratio of a contestant that is not there");
  return *at;
}

nlohmann::json times_json(const Times& times, double work) {
  return {{"name", times.name},
          {"seconds", {{"minimum", times.minimum()}, {"median", times.median()}}},
          {"nanoseconds_per_unit", 1e9 * times.minimum() / work},
          {"rounds", times.seconds.size()},
          {"repetitions", times.repetitions}};
}

std::string duration(double seconds) {
  return seconds < 1e-6   ? fmt::format("{:.3g} ns", 1e9 * seconds)
         : seconds < 1e-3 ? fmt::format("{:.3g} us", 1e6 * seconds)
         : seconds < 1    ? fmt::format("{:.3g} ms", 1e3 * seconds)
                          : fmt::format("{:.3g} s", seconds);
}

}  // namespace

Suite::Suite(SuiteSettings settings) : settings_(std::move(settings)) {
  for (const char* list : {"races", "precision", "slopes", "memory", "fits", "skipped"})
    lists_[list] = nlohmann::json::array();
  if (!settings_.quick) return;
  settings_.race.min_rounds = settings_.race.max_rounds = 3;
  settings_.race.batch_seconds = 2e-4;
}

bool Suite::wants(const std::string& name) const { return name.find(settings_.only) != std::string::npos; }

std::vector<Times> Suite::run(const Race& race) {
  const std::vector<Times> times = bench::race(race.contestants, settings_.race);
  nlohmann::json json = {{"name", race.name},
                         {"shape", race.shape},
                         {"unit", race.unit},
                         {"work", race.work},
                         {"contestants", nlohmann::json::array()},
                         {"ratios", nlohmann::json::array()}};
  std::string line = race.name + ":";
  for (const Times& t : times) {
    json["contestants"].push_back(times_json(t, race.work));
    line += fmt::format(" {} {},", t.name, duration(t.minimum() / race.work));
  }
  line.back() = ' ';
  line += "a " + race.unit;
  for (const auto& [slower, faster] : race.ratios) {
    const Quartiles ratio = paired_ratio(find(times, slower), find(times, faster));
    json["ratios"].push_back({{"slower", slower},
                              {"faster", faster},
                              {"lower", ratio.lower},
                              {"median", ratio.median},
                              {"upper", ratio.upper}});
    line +=
        fmt::format("\n    {} / {} = {:.3g} [{:.3g}, {:.3g}]", slower, faster, ratio.median, ratio.lower, ratio.upper);
  }
  record("races", std::move(json), line);
  return times;
}

void Suite::record(const std::string& list, nlohmann::json fields, const std::string& line) {
  lists_.at(list).push_back(std::move(fields));
  ++results_;
  if (settings_.on_line) settings_.on_line(line);
}

void Suite::skip(const std::string& name, const std::string& reason) {
  lists_["skipped"].push_back({{"name", name}, {"reason", reason}});
  if (settings_.on_line) settings_.on_line(name + ": not measured, " + reason);
}

bool Suite::skip_for_memory(const std::string& name, const char* what, double bytes) {
  const auto free = available_memory();
  const bool lacking = free && *free < 1.3 * bytes;
  if (lacking) skip(name, fmt::format("its {} {:.0f} MiB and too little is free", what, bytes / 1048576));
  return lacking;
}

void Suite::grow(Race race, const std::string& variable, const std::vector<Index>& values,
                 double (Times::*time)() const, nlohmann::json fields, const std::string& remark) {
  race.shape.erase(variable);
  std::vector<double> seconds;
  for (const Times& times : run(race)) seconds.push_back((times.*time)());
  const double slope = log_log_slope({values.begin(), values.end()}, seconds);
  fields.update(race.shape);
  fields.update(
      {{"name", race.name}, {"variable", variable}, {"values", values}, {"seconds", seconds}, {"slope", slope}});
  record("slopes", std::move(fields), fmt::format("{}: time ~ {}^{:.2f}{}", race.name, variable, slope, remark));
}

nlohmann::json Suite::document() const {
  nlohmann::json document = lists_;
  document["format"] = "alacarte bench 1";
  document["machine"] = machine();
  document["build"] = build();
  document["settings"] = {{"threads", settings_.threads}, {"quick", settings_.quick}, {"only", settings_.only}};
  return document;
}

Dataset generated_rows(Index rows, Index inputs, std::uint64_t seed) {
  RandomStream stream(seed);
  Dataset data;
  data.inputs.resize(rows, inputs);
  for (Index j = 0; j < inputs; ++j)
    for (Index i = 0; i < rows; ++i) data.inputs(i, j) = stream.normal();
  data.target = data.inputs.col(0).array().sin() + 0.5 * (inputs > 1 ? 1.0 : 0.0) * data.inputs.col(inputs - 1).array();
  for (Index i = 0; i < rows; ++i) data.target[i] += 0.1 * stream.normal();
  return data;
}

Schema generated_schema(Index inputs) {
  std::string header, row;
  for (Index j = 0; j < inputs; ++j) {
    header += fmt::format("x{},", j);
    row += "1,";
  }
  DataConfig config;
  config.strict = true;  // one row is enough
  const auto reader = open_table_from_memory("generated", header + "y\n" + row + "1\n", config);
  Schema::prepare(*reader, config);
  const TableChunk table = read_all(*reader);
  return Schema::learn(*reader, table, config, {});
}

}  // namespace alacarte::bench
