#include "cmd/docs/completions.hpp"

namespace h2park::cmd::docs {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string line(const std::string& condition, const OptionSpec& option) {
  std::string text = "complete -c h2park -n " + quoted(condition) + " -l " + std::string(option.name);
  if (option.letter != 0) text += std::string(" -s ") + option.letter;
  if (option.completion == Completion::kFile) {
    text += " -rF";
  } else if (option.completion == Completion::kDirectory) {
    text += " -xa '(__fish_complete_directories)'";
  } else if (!option.choices.empty()) {
    std::string words;
    for (const std::string_view choice : option.choices)
      words += (words.empty() ? "" : " ") + std::string(choice);
    text += " -xa " + quoted(words);
  } else if (option.takes_value() && option.bare.empty()) {
    text += " -x";
  }
  return text + " -d " + quoted(brief(option)) + "\n";
}

}  // namespace

std::string fish_completion() {
  std::string text = "# fish completion for h2park\n" + std::string(kMadeBy) + "complete -c h2park -f\n";
  for (const OptionSpec& option : program().options) text += line("__fish_use_subcommand", option);
  for (const CommandSpec& command : commands()) {
    text += "complete -c h2park -n '__fish_use_subcommand' -a " + std::string(command.name) + " -d " +
            quoted(command.summary) + "\n";
  }
  for (const CommandSpec& command : commands()) {
    for (const OptionSpec& option : command.options) {
      if (!option.positional)
        text += line("__fish_seen_subcommand_from " + std::string(command.name), option);
    }
  }
  return text;
}

}  // namespace h2park::cmd::docs
