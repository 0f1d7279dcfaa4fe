#include "core/ranks.hpp"

#include <algorithm>
#include <utility>

#include "alacarte/core/error.hpp"

namespace alacarte::ranks {
namespace {

std::unique_ptr<Transport> transport;
bool is_single = false;
Traffic sent;
Pace own_pace;

}  // namespace

void join(std::unique_ptr<Transport> joined) {
  transport = std::move(joined);
  sent = {};
  own_pace = {};
}

void abort(int code) {
  if (transport && transport->count() > 1) transport->abort(code);
}

int count() { return transport && !is_single ? transport->count() : 1; }
int own() { return transport && !is_single ? transport->own() : 0; }
int on_this_machine() { return transport ? transport->on_this_machine() : 1; }

void sum(double* values, std::size_t size) {
  if (count() == 1 || size == 0) return;
  ++sent.sums;
  sent.sum_bytes += static_cast<double>(size * sizeof(double));
  transport->sum(values, size);
}

void minimum(VecRef values) {
  if (count() == 1 || values.size() == 0) return;
  ++sent.small;
  sent.small_bytes += static_cast<double>(values.size()) * sizeof(double);
  transport->minimum(values.data(), static_cast<std::size_t>(values.size()));
}

void maximum(VecRef values) {
  values = -values;
  minimum(values);
  values = -values;
}

void share(void* bytes, std::size_t size, int from) {
  if (count() == 1 || size == 0) return;
  ++sent.small;
  sent.small_bytes += static_cast<double>(size);
  transport->share(bytes, size, from);
}

double sum(double value) {
  sum(&value, 1);
  return value;
}

double minimum(double value) {
  if (count() > 1) minimum(Eigen::Map<Vector>(&value, 1));
  return value;
}

double of_first(double value) {
  share(&value, sizeof value, 0);
  return value;
}

std::string of_first(std::string text) {
  text.resize(static_cast<std::size_t>(of_first(static_cast<double>(text.size()))));
  share(text.data(), text.size(), 0);
  return text;
}

bool any(bool value) { return minimum(value ? -1.0 : 0.0) < 0; }

Vector of_each(double value) {
  Vector all = Vector::Zero(count());
  all[own()] = value;
  if (count() == 1) return all;
  ++sent.small;
  sent.small_bytes += static_cast<double>(all.size()) * sizeof(double);
  transport->sum(all.data(), static_cast<std::size_t>(all.size()));
  return all;
}

std::vector<std::string> of_each(const std::string& text) {
  const Vector sizes = of_each(static_cast<double>(text.size()));
  std::vector<std::string> all;
  for (int rank = 0; rank < count(); ++rank) {
    all.push_back(rank == own() ? text : std::string(static_cast<std::size_t>(sizes[rank]), ' '));
    share(all.back().data(), all.back().size(), rank);
  }
  return all;
}

std::string machine_of(int rank) {
  std::string name = transport ? transport->machine() : "";
  name.resize(256);
  share(name.data(), name.size(), rank);
  return name.c_str();
}

void Sums::add(Eigen::Ref<Matrix> values) {
  require(values.outerStride() == values.rows() || values.cols() <= 1, "ranks: sums of a part of a matrix");
  parts_.push_back({values.data(), values.size(), 1, false});
}

void Sums::add_triangle(Eigen::Ref<Matrix> values) {
  require(values.outerStride() == values.rows() && values.rows() == values.cols(), "ranks: no square matrix");
  parts_.push_back({values.data(), values.rows(), values.cols(), true});
}

void Sums::run() {
  if (count() == 1) return;
  std::size_t size = counts_.size();
  for (const Part& part : parts_)
    size += static_cast<std::size_t>(part.triangle ? part.rows * (part.rows + 1) / 2 : part.rows * part.columns);
  std::vector<double> packed(size);
  double* const counts = packed.data() + (size - counts_.size());
  const auto for_columns = [&](const auto& body) {
    double* at = packed.data();
    for (const Part& part : parts_)
      for (Index j = 0; j < part.columns; ++j) {
        const Index first = part.triangle ? j : 0, length = part.rows - first;
        body(part.values + j * part.rows + first, length, at);
        at += length;
      }
  };
  for_columns([](double* values, Index length, double* at) { std::copy_n(values, length, at); });
  for (std::size_t k = 0; k < counts_.size(); ++k) counts[k] = static_cast<double>(*counts_[k]);
  sum(packed.data(), size);
  for_columns([](double* values, Index length, double* at) { std::copy_n(at, length, values); });
  for (std::size_t k = 0; k < counts_.size(); ++k) *counts_[k] = static_cast<Index>(counts[k]);
}

// With one rank nothing is written here: such a program may train on several threads.
SingleRankScope::SingleRankScope() : had_others_(count() > 1) {
  if (had_others_) is_single = true;
}
SingleRankScope::~SingleRankScope() {
  if (had_others_) is_single = false;
}

const Traffic& traffic() { return sent; }

Pace& pace() { return own_pace; }

Vector speeds() {
  if (count() == 1) return {};
  const Vector all = of_each(own_pace.seconds > 0 ? own_pace.rows / own_pace.seconds : 0);
  return all.maxCoeff() > 0 ? all : Vector();
}

}  // namespace alacarte::ranks
