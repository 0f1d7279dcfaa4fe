#pragma once
// Words in messages: "Did you mean ...?" for names that people type, and text that must stay on one line.
#include <string>
#include <vector>

namespace alacarte {

/// The candidate with the smallest edit distance (insertions, deletions, substitutions, transpositions; case is
/// ignored) to `word`, the first in case of ties; "" if none is within a third of the length of the word (at least 1; a
/// single letter only matches itself). Cost O(sum of |word| |candidate|).
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// " (did you mean 'x'?)" or "" when nothing is near: the tail of an error message.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

/// Control characters made visible and ends of lines "; ", so that no file name or cell breaks the line it stands in.
std::string one_line(const std::string& text);

}  // namespace alacarte
