#pragma once
// "Did you mean ...?" for names that people type.
#include <string>
#include <vector>

namespace alacarte {

/// The candidate with the least edit distance (insertions, deletions, substitutions, swaps of neighbours; letter case
/// is free) to `word`, the first of equals; "" if none is within a third of the word's length (at least 1;
/// a single letter only matches itself). Cost
/// O(sum of |word| |candidate|).
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// " (did you mean 'x'?)" or "" when nothing is near: the tail of an error message.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace alacarte
