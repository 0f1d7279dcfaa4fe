#pragma once
// Spelling suggestions and one-line text for messages.
#include <string>
#include <vector>

namespace alacarte {

/// Returns the candidate with the smallest edit distance (insertions, deletions, substitutions, transpositions; case is
/// ignored) to `word`, the first in case of ties; "" if none is within a third of the length of the word (at least 1; a
/// single letter only matches itself) or the word has more than 100 letters. Cost O(sum of |word| |candidate|).
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// Returns " (did you mean 'x'?)" for the tail of an error message, or "" if nothing is near.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

/// Makes control characters visible and turns line ends into "; ", so that no file name or cell breaks a line.
std::string one_line(const std::string& text);

}  // namespace alacarte
