// Nearest-name suggestion for error messages.
#pragma once

#include <string>
#include <vector>

namespace edgenpu {

// Number of single-character insertions, deletions, substitutions and swaps of neighbours (optimal string
// alignment) between two words.
int edit_distance(const std::string& a, const std::string& b);

// The candidate nearest to `word`: one that differs in case and punctuation only, else the fewest edits; an
// empty string if none is near enough to be meant (more than half of the word would have to change).
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

// "; did you mean 'x'?" or "".
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

// "a, b, c"
std::string join(const std::vector<std::string>& words);

}  // namespace edgenpu
