// The one table of commands and options. The parser, --help, the man pages and the completions are all made
// from it, so they cannot say different things.
//
// A new command is a function that returns its CommandSpec, and a line in commands().
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace h2park::cmd {

/// What a shell offers for an option's value. Choices are offered wherever there are some.
enum class Completion { kNone, kFile, kDirectory };

struct OptionSpec {
  std::string_view name;      ///< without dashes; of a positional argument, as in the synopsis ("ADDR")
  char letter = 0;            ///< short form, 0: none
  std::string_view value;     ///< "DUR", "HOST:PORT", "on|off"; "" for a flag without a value
  std::string_view fallback;  ///< the default as one would write it; "" if there is none, or not a fixed one
  std::string_view section;   ///< heading in --help and the man page; the same ones stand together
  std::string_view help;      ///< one to three sentences
  std::vector<std::string_view> choices = {};
  bool repeatable = false;
  bool positional = false;
  Completion completion = Completion::kNone;
  bool any_text = false;       ///< the value may be empty or begin with dashes: -d '', -H '--x: y'
  std::string_view bare = {};  ///< the value may be left out, and then is this one; only for durations

  bool takes_value() const { return !value.empty(); }
};

struct Text {
  std::string term;
  std::string meaning;
};

/// What a man page has beside the usual: "Signals", "Environment".
struct Section {
  std::string_view title;
  std::string_view intro;  ///< a paragraph, or ""
  std::vector<Text> rows;
  bool in_help = true;  ///< --help prints it too
};

struct CommandSpec {
  std::string_view name;  ///< "" for h2park itself
  std::string_view summary;
  std::vector<std::string_view> description;  ///< paragraphs
  std::vector<OptionSpec> options;
  std::vector<Section> more = {};
  std::vector<Text> exit_codes;
  std::vector<Text> examples;  ///< command line, what it does

  /// "h2park serve"
  std::string full_name() const;
  /// "h2park-serve", the man page
  std::string page_name() const;
  /// "[OPTIONS] [ADDR]"
  std::string synopsis() const;
  const OptionSpec* find(std::string_view option) const;
  /// In order of first appearance.
  std::vector<std::string_view> sections() const;
};

/// Options before a command, and what `h2park` itself is.
const CommandSpec& program();
/// Every command, in the order of --help.
const std::vector<CommandSpec>& commands();
const CommandSpec* find_command(std::string_view name);

/// "--listen HOST:PORT", "--park=on|off", "-f, --format text|json", "ADDR"
std::string usage_of(const OptionSpec& option);

/// The help text with what the other fields say: "... May be repeated. Default: 3m."
std::string help_of(const OptionSpec& option);

CommandSpec serve_command();
CommandSpec get_command();
CommandSpec stat_command();
/// -h, --help and -V, --version, the last options of every command.
OptionSpec help_option();
OptionSpec version_option();

}  // namespace h2park::cmd
