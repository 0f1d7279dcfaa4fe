#include "report/svg_scale.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace alacarte::report_detail {

Scale::Scale(const ChartAxis& axis, const std::vector<std::string>& categories, std::vector<double> numbers)
    : base_(axis.log_base) {
  if (!categories.empty()) {
    low_ = -0.5;
    high_ = static_cast<double>(categories.size()) - 0.5;
    return;
  }
  if (axis.domain) numbers = {axis.domain->first, axis.domain->second};
  if (axis.from_zero || numbers.empty()) numbers.push_back(0);
  const auto [minimum, maximum] = std::minmax_element(numbers.begin(), numbers.end());
  // A margin keeps points off the frame.
  const double factor = base_ > 0 ? std::pow(*maximum / *minimum, 0.08) * 1.05 : 1;
  const double margin = base_ > 0 ? 0 : 0.08 * (*maximum - *minimum) + (*maximum == *minimum ? 0.5 : 0.0);
  low_ = *minimum / factor - margin;
  high_ = *maximum * factor + margin;
}

double Scale::place(double value) const {
  if (base_ > 0) return std::log(value / low_) / std::log(high_ / low_);
  return (value - low_) / (high_ - low_);
}

Ticks Scale::log_ticks(int wanted) const {
  Ticks ticks;
  const double powers = std::log(high_ / low_) / std::log(base_);
  const double step = std::pow(base_, std::max(1.0, std::ceil(powers / wanted)));
  const bool between = base_ == 10 && 3 * powers <= 1.5 * wanted;  // adds 2 and 5
  for (double power = std::pow(base_, std::floor(std::log(low_) / std::log(base_))); power <= high_; power *= step)
    for (const double digit : {1.0, 2.0, 5.0})
      if (const double tick = power * digit; tick >= low_ && tick <= high_ && (digit == 1 || between))
        ticks.emplace_back(tick, fmt::format("{:.4g}", tick));
  return ticks;
}

Ticks Scale::ticks(int wanted) const {
  if (base_ > 0 && high_ / low_ > 8) return log_ticks(wanted);
  Ticks ticks;
  const double raw = (high_ - low_) / wanted, power = std::pow(10, std::floor(std::log10(raw)));
  const double step = power * (raw / power > 5 ? 10 : raw / power > 2 ? 5 : raw / power > 1 ? 2 : 1);
  for (double k = std::ceil(low_ / step); k * step <= high_; ++k)
    ticks.emplace_back(k * step, fmt::format("{:.4g}", k == 0 ? 0.0 : k * step));
  return ticks;
}

Ticks category_ticks(const std::vector<std::string>& categories, std::size_t max_ticks, std::size_t max_letters) {
  Ticks ticks;
  const std::size_t step = (categories.size() + max_ticks - 1) / max_ticks;
  for (std::size_t i = 0; i < categories.size(); i += step)
    ticks.emplace_back(static_cast<double>(i), shortened(categories[i], max_letters));
  return ticks;
}

std::string shortened(const std::string& text, std::size_t max_letters) {
  std::size_t letters = 0, cut = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xc0) == 0x80) continue;  // continuation byte of a character
    if (++letters == max_letters) cut = i;
  }
  return letters <= max_letters ? text : text.substr(0, cut) + "\u2026";
}

}  // namespace alacarte::report_detail
