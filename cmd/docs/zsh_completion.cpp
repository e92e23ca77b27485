#include "cmd/docs/completions.hpp"

namespace h2park::cmd::docs {
namespace {

/// Inside single quotes, and of _arguments: brackets and colons have meanings.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string action(const OptionSpec& option) {
  if (option.completion == Completion::kFile) return "_files";
  if (option.completion == Completion::kDirectory) return "_files -/";
  if (option.choices.empty()) return " ";
  std::string words;
  for (const std::string_view choice : option.choices)
    words += (words.empty() ? "" : " ") + std::string(choice);
  return "(" + words + ")";
}

/// One argument of _arguments.
std::string argument(const OptionSpec& option) {
  // A second colon in front: it may be left out.
  const std::string value = (option.bare.empty() ? "" : ":") + escaped(option.value) + ":" + action(option);
  if (option.positional) return "':" + value + "'";
  const std::string tail =
      "'[" + escaped(brief(option)) + "]" + (option.takes_value() ? ":" + value : "") + "'";
  const std::string name = "--" + std::string(option.name) + (option.takes_value() ? "=" : "");
  if (option.letter == 0) return "'" + std::string(option.repeatable ? "*" : "") + name + tail.substr(1);
  // Both forms are one option: one excludes the other, unless it may be repeated.
  const std::string letter = std::string("-") + option.letter;
  const std::string group =
      option.repeatable ? "'*'" : "'(" + letter + " --" + std::string(option.name) + ")'";
  return group + "{" + letter + (option.takes_value() ? "+" : "") + "," + name + "}" + tail;
}

std::string arguments_of(const CommandSpec& command, std::string_view indent) {
  std::string text;
  for (const OptionSpec& option : command.options) text += " \\\n" + std::string(indent) + argument(option);
  return text;
}

}  // namespace

std::string zsh_completion() {
  std::string text = "#compdef h2park\n" + std::string(kMadeBy);
  text += "_h2park() {\n  local curcontext=$curcontext state line\n  local -a commands=(\n";
  for (const CommandSpec& command : commands()) {
    text += "    '" + std::string(command.name) + ":" + escaped(command.summary) + "'\n";
  }
  text += "  )\n  _arguments -C" + arguments_of(program(), "    ");
  text += " \\\n    '1:command:->command' \\\n    '*::arguments:->arguments'\n";
  text +=
      "  case $state in\n    command) _describe -t commands 'h2park command' commands ;;\n    arguments)\n   "
      "   case $line[1] in\n";
  for (const CommandSpec& command : commands()) {
    text += "        " + std::string(command.name) + ")\n          _arguments -s" +
            arguments_of(command, "            ") + "\n          ;;\n";
  }
  return text + "      esac\n      ;;\n  esac\n}\n_h2park \"$@\"\n";
}

}  // namespace h2park::cmd::docs
