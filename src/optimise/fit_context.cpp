#include "fit_context.hpp"

namespace alacarte {

WorkKey WorkKey::from_text(const std::string& text) {
  const auto colon = text.find(": ");
  const std::string name = text.substr(0, colon);
  const auto part = std::min(name.find(" on "), name.find(", "));
  return {name.substr(0, part), part == std::string::npos ? "" : name.substr(part),
          colon == std::string::npos ? "" : text.substr(colon + 2)};
}

WorkRecord::WorkRecord(const std::optional<Stages>& stages) : repeats_(stages.has_value()) {
  if (stages)
    for (const auto& [text, work] : *stages) work_[WorkKey::from_text(text)] = work;
}

bool WorkRecord::has_fit(const std::string& fit) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(work_.begin(), work_.end(), [&](const auto& one) { return one.first.fit == fit; });
}

bool WorkRecord::has_part(const std::string& fit, const std::string& part) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(work_.begin(), work_.end(),
                     [&](const auto& one) { return one.first.fit == fit && one.first.part == part; });
}

Index WorkRecord::of(const WorkKey& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = work_.find(key);
  return found == work_.end() ? 0 : found->second;
}

void WorkRecord::record(const WorkKey& key, Index work) {
  const std::lock_guard lock(mutex_);
  work_[key] = work;
}

WorkRecord::Stages WorkRecord::stages() const {
  const std::lock_guard lock(mutex_);
  Stages stages;
  for (const auto& [key, work] : work_) stages[key.text()] = work;
  return stages;
}

std::function<double()> FitContext::clock_from(std::chrono::steady_clock::time_point began) {
  return [began] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); };
}

FitContext FitContext::of_part(const std::string& more) const {
  FitContext own = *this;
  own.part += more;
  own.save = nullptr;
  return own;
}

FitContext FitContext::until_share(double share) const {
  FitContext own = *this;
  if (deadline > 0) own.deadline = now() + share * (deadline - now());
  return own;
}

}  // namespace alacarte
