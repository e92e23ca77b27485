// What the client's words mean, for people.
#pragma once

#include "cmd/option_table.hpp"

#include <string>
#include <vector>

namespace h2park::cmd {

/// Rows of a man page: the word, its meaning.
std::vector<Text> miss_words();
std::vector<Text> close_words();
std::vector<Text> drain_words();

struct FailureWord {
  int exit_code;
  std::string word;  ///< "resolve", "connect", ...
  std::string meaning;
};
std::vector<FailureWord> failure_words();

}  // namespace h2park::cmd
