#include "cmd/help.hpp"

#include <algorithm>

namespace h2park::cmd {
namespace {

constexpr std::size_t kWidth = 80;

std::string term_and_meaning(std::string_view term, std::string_view meaning) {
  return "  " + std::string(term) + "\n" + wrapped(meaning, 6, kWidth);
}

/// A table of short terms: "  serve  serve HTTP/2 and HTTP/1.1".
std::string table(const std::vector<Text>& rows) {
  std::size_t longest = 0;
  for (const Text& row : rows) longest = std::max(longest, row.term.size());
  std::string text;
  for (const Text& row : rows) {
    std::string lines = wrapped(row.meaning, longest + 4, kWidth);
    text += lines.replace(2, row.term.size(), row.term);
  }
  return text;
}

std::string options(const CommandSpec& command) {
  std::string text;
  for (const std::string_view section : command.sections()) {
    text += "\n" + std::string(section) + ":\n";
    for (const OptionSpec& option : command.options) {
      if (option.section == section) text += term_and_meaning(usage_of(option), help_of(option));
    }
  }
  return text;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string lines;
  std::string line;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
      lines += std::string(indent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + std::string(word);
  }
  return lines + std::string(indent, ' ') + line + "\n";
}

std::string help_text(const CommandSpec& command) {
  std::string text = "Usage: " + command.full_name() + " " + command.synopsis() + "\n";
  for (const std::string_view paragraph : command.description) text += "\n" + wrapped(paragraph, 0, kWidth);
  if (command.name.empty()) {
    std::vector<Text> rows;
    for (const CommandSpec& each : commands())
      rows.push_back({std::string(each.name), std::string(each.summary)});
    text += "\nCommands ('h2park COMMAND --help' says more):\n" + table(rows);
  }
  text += options(command);
  for (const Section& section : command.more) {
    if (!section.in_help) continue;
    text += "\n" + std::string(section.title) + ":\n";
    for (const Text& row : section.rows) text += term_and_meaning(row.term, row.meaning);
  }
  text += "\nExit status:\n" + table(command.exit_codes);
  text += "\nExamples:\n";
  for (const Text& example : command.examples) text += term_and_meaning(example.term, example.meaning);
  return text;
}

}  // namespace h2park::cmd
