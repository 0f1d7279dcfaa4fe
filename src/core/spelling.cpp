#include "spelling.hpp"

#include <algorithm>
#include <cctype>

namespace alacarte {
namespace {

// Nobody types a longer word, and a distance takes the square of the letters.
constexpr std::size_t kMaxLetters = 100;

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Returns the optimal string alignment distance, from three rows of the table.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  if (word.size() > kMaxLetters) return {};
  const std::string sought = lower_case(word);
  // A single letter is only near its other case.
  const std::size_t allowed = word.size() == 1 ? 0 : std::max<std::size_t>(1, word.size() / 3);
  std::size_t minimum = allowed + 1;
  std::string best;
  for (const std::string& candidate : candidates) {
    const std::size_t gap = std::max(candidate.size(), word.size()) - std::min(candidate.size(), word.size());
    if (gap >= minimum || candidate.empty()) continue;
    const std::size_t distance = edit_distance(sought, lower_case(candidate));
    if (distance >= minimum) continue;
    minimum = distance;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string name = nearest(word, candidates);
  return name.empty() ? std::string() : " (did you mean '" + name + "'?)";
}

std::string one_line(const std::string& text) {
  std::string result;
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    if (character == '\n') {
      result += "; ";
    } else if (code < 0x20 || code == 0x7f) {
      result += {'\\', 'x', "0123456789abcdef"[code >> 4], "0123456789abcdef"[code & 15]};
    } else {
      result += character;
    }
  }
  return result;
}

}  // namespace alacarte
