#include "cmd/docs/completions.hpp"

namespace h2park::cmd::docs {
namespace {

constexpr std::string_view kBegin = R"(_h2park() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev="" command="" i
  COMPREPLY=()
  ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD - 1]}
  # Bash makes words of its own of "--name=value": the '=' is one.
  if [[ $cur == '=' ]]; then
    cur=""
  elif [[ $prev == '=' ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
)";

constexpr std::string_view kEnd = R"(  esac
}
complete -F _h2park h2park
)";

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

/// "serve,--cert | serve,-c", what the word before the cursor is compared with.
std::string pattern(const CommandSpec& command, const OptionSpec& option) {
  const std::string start = std::string(command.name) + ",-";
  std::string text = start + "-" + std::string(option.name);
  if (option.letter != 0) text += " | " + start + option.letter;
  return text;
}

/// What follows an option that takes a value.
std::string value_case(const CommandSpec& command, const OptionSpec& option) {
  std::string action = "return";
  if (!option.choices.empty()) {
    std::vector<std::string> words(option.choices.begin(), option.choices.end());
    action = "mapfile -t COMPREPLY < <(compgen -W '" + joined(words, " ") + "' -- \"$cur\")";
  } else if (option.completion != Completion::kNone) {
    const char* kind = option.completion == Completion::kDirectory ? "-d" : "-f";
    action = "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen " + std::string(kind) +
             " -- \"$cur\")";
  }
  return "    " + pattern(command, option) + ")\n      " + action + " ;;\n";
}

std::string words_case(const CommandSpec& command) {
  std::vector<std::string> words;
  for (const OptionSpec& option : command.options) {
    if (!option.positional) words.push_back("--" + std::string(option.name));
  }
  if (command.name.empty()) {
    for (const CommandSpec& each : commands()) words.emplace_back(each.name);
  }
  return "    " + std::string(command.name) + ",*)\n      mapfile -t COMPREPLY < <(compgen -W '" +
         joined(words, " ") + "' -- \"$cur\") ;;\n";
}

}  // namespace

std::string bash_completion() {
  std::vector<std::string> names;
  for (const CommandSpec& command : commands()) names.emplace_back(command.name);
  std::string text = "# bash completion for h2park\n" + std::string(kMadeBy) + std::string(kBegin);
  text += "      " + joined(names, " | ") +
          ")\n        command=${COMP_WORDS[i]}\n        break\n        ;;\n    esac\n  done\n";
  text += "  case $command,$prev in\n";
  for (const CommandSpec& command : commands()) {
    for (const OptionSpec& option : command.options) {
      // What may stand without its value is followed by anything.
      if (option.takes_value() && !option.positional && option.bare.empty())
        text += value_case(command, option);
    }
  }
  for (const CommandSpec& command : commands()) text += words_case(command);
  return text + words_case(program()) + std::string(kEnd);
}

}  // namespace h2park::cmd::docs
