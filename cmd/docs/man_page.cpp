#include "cmd/docs/man_page.hpp"

namespace h2park::cmd::docs {
namespace {

/// Text that roff prints as it is: '-' as the ASCII character that can be copied, no escapes, no control
/// lines.
std::string roff(std::string_view text) {
  std::string out = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '~':
        out += "\\(ti";
        break;
      case '^':
        out += "\\(ha";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

std::string heading(std::string_view title) { return ".SH " + roff(upper(title)) + "\n"; }
std::string tagged(std::string_view term, std::string_view meaning) {
  return ".TP\n" + std::string(term) + "\n" + roff(meaning) + "\n";
}

/// "\fB\-\-listen\fR \fIHOST:PORT\fR"
std::string option_term(const OptionSpec& option) {
  if (option.positional) return italic(option.name);
  std::string term = option.letter != 0 ? bold(std::string("-") + option.letter) + ", " : "";
  term += bold("--" + std::string(option.name));
  if (!option.takes_value()) return term;
  const std::string usage = usage_of(option);
  const char joint = usage[usage.size() - option.value.size() - 1];
  return term + joint + (option.choices.empty() ? italic(option.value) : bold(option.value));
}

std::string paragraphs(const CommandSpec& command) {
  std::string text = heading("Description");
  bool first = true;
  for (const std::string_view paragraph : command.description) {
    text += (first ? "" : ".PP\n") + roff(paragraph) + "\n";
    first = false;
  }
  return text;
}

std::string command_list() {
  std::string text = heading("Commands");
  for (const CommandSpec& command : commands()) {
    text +=
        tagged(bold(command.name), std::string(command.summary) + "; see " + command.page_name() + "(1).");
  }
  return text;
}

std::string options(const CommandSpec& command) {
  std::string text = heading("Options");
  const auto sections = command.sections();
  for (const std::string_view section : sections) {
    if (sections.size() > 1) text += ".SS " + roff(section) + "\n";
    for (const OptionSpec& option : command.options) {
      if (option.section == section) text += tagged(option_term(option), help_of(option));
    }
  }
  return text;
}

std::string rows(std::string_view title, const std::vector<Text>& terms, std::string_view intro = {}) {
  std::string text = heading(title);
  if (!intro.empty()) text += roff(intro) + "\n";
  for (const Text& row : terms) text += tagged(bold(row.term), row.meaning);
  return text;
}

std::string examples(const CommandSpec& command) {
  std::string text = heading("Examples");
  bool first = true;
  for (const Text& example : command.examples) {
    text += (first ? "" : ".PP\n") + roff(example.meaning) + "\n.PP\n.RS 4\n.nf\n" + roff(example.term) +
            "\n.fi\n.RE\n";
    first = false;
  }
  return text;
}

std::string see_also(const CommandSpec& command) {
  std::string text = heading("See also");
  std::string list;
  if (!command.name.empty()) list = bold("h2park") + "(1)";
  for (const CommandSpec& other : commands()) {
    if (other.name != command.name) list += (list.empty() ? "" : ", ") + bold(other.page_name()) + "(1)";
  }
  return text + list + "\n";
}

}  // namespace

std::string man_page(const CommandSpec& command) {
  std::string text = ".\\\" Made from the option table by tools/docs; do not edit.\n";
  text +=
      ".TH " + upper(roff(command.page_name())) + " 1 \"\" \"h2park " H2PARK_VERSION "\" \"User Commands\"\n";
  text += heading("Name") + roff(command.page_name()) + " \\- " + roff(command.summary) + "\n";
  text += heading("Synopsis") + bold(command.full_name()) + " " + roff(command.synopsis()) + "\n";
  text += paragraphs(command);
  if (command.name.empty()) text += command_list();
  text += options(command);
  for (const Section& section : command.more) text += rows(section.title, section.rows, section.intro);
  text += rows("Exit status", command.exit_codes);
  return text + examples(command) + see_also(command);
}

}  // namespace h2park::cmd::docs
