// From argv to a command and the values of its options, by the option table.
#pragma once

#include "base/error.hpp"
#include "cmd/option_table.hpp"

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace h2park::cmd {

/// What was written for a command's options. Lifetime: the table's, which is static.
class Values {
 public:
  explicit Values(const CommandSpec& spec) : spec_(&spec) {}

  /// True if it stands on the command line.
  bool given(std::string_view option) const { return written_.contains(option); }
  /// How often it does.
  std::size_t count(std::string_view option) const;
  /// What was written, else the table's default; "" if there is neither.
  std::string_view text(std::string_view option) const;
  /// All values of a repeatable option; empty if it was not given.
  std::vector<std::string> all(std::string_view option) const;

  struct Written {
    std::string_view option;
    std::string value;  ///< "" for a flag
  };
  /// What was written of these options, in the order of the command line.
  std::vector<Written> in_order(std::initializer_list<std::string_view> options) const;

  void set(std::string_view option, std::vector<std::string> values);
  /// Each occurrence of any option.
  void set_order(std::vector<std::string_view> order) { order_ = std::move(order); }
  const CommandSpec& spec() const { return *spec_; }

 private:
  const CommandSpec* spec_;
  std::map<std::string, std::vector<std::string>, std::less<>> written_;
  std::vector<std::string_view> order_;
};

struct CommandLine {
  const CommandSpec* command;  ///< program() where only --help or --version was asked for
  Values values;
  bool help = false;
  bool version = false;
};

/// `arguments`: argv without the program's name.
/// Errors: a usage error for an unknown command or option, a missing, empty, repeated or not offered value.
/// The message is the whole line after "h2park: ", as in "serve: --park: 'maybe' is not one of on, off".
Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments);

/// The error line of one option: "serve: --park-after: WHY".
std::string complaint(const CommandSpec& command, std::string_view option, std::string_view why);

}  // namespace h2park::cmd
