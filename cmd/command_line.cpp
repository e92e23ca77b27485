#include "cmd/command_line.hpp"

#include "base/units.hpp"

#include <algorithm>
#include <numeric>

#include <CLI/CLI.hpp>

namespace h2park::cmd {
namespace {

/// Configures CLI11 from the table. Whatever CLI11 would check or print itself is left to us: its messages
/// run over several lines and exit codes of its own.
void add_options(CLI::App& app, const CommandSpec& spec) {
  app.set_help_flag();
  app.allow_extras();
  for (const OptionSpec& option : spec.options) {
    const std::string letter = option.letter != 0 ? std::string("-") + option.letter + "," : "";
    const std::string name = (option.positional ? "" : letter + "--") + std::string(option.name);
    if (!option.takes_value()) {
      app.add_flag(name)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      continue;
    }
    CLI::Option* added = app.add_option(name)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if (option.positional && option.repeatable) {
      added->expected(-1);
    } else {
      added->allow_extra_args(false);
    }
  }
}

std::string cli_name(const OptionSpec& option) {
  return (option.positional ? "" : "--") + std::string(option.name);
}

/// Levenshtein's distance, for "did you mean".
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
    }
  }
  return row.back();
}

/// " (did you mean --listen?)", or "" if nothing is near: two slips, or one in a short word.
std::string suggestion(std::string_view written, const std::vector<std::string>& known) {
  std::size_t least = written.size() < 5 ? 1 : 2;
  std::string best;
  for (const std::string& name : known) {
    const std::size_t slips = distance(written, name);
    if (slips <= least && (best.empty() || slips < least)) {
      least = slips;
      best = name;
    }
  }
  return best.empty() ? "" : " (did you mean " + best + "?)";
}

std::string prefix(const CommandSpec& command) {
  return command.name.empty() ? "" : std::string(command.name) + ": ";
}

std::unexpected<Error> unknown(const CommandSpec& command, std::string written) {
  const bool option = written.starts_with('-') && written.size() > 1;
  std::vector<std::string> known;
  if (option) {
    written = written.substr(0, written.find('='));
    for (const OptionSpec& spec : command.options) known.push_back(cli_name(spec));
  } else if (command.name.empty()) {
    for (const CommandSpec& spec : commands()) known.emplace_back(spec.name);
  }
  const char* what = option                 ? "unknown option"
                     : command.name.empty() ? "unknown command"
                                            : "unexpected argument";
  return usage_error(prefix(command) + what + " '" + written + "'" + suggestion(written, known));
}

/// Takes `option`'s values over from CLI11 and checks what the table says about them.
Result<> take(const CLI::Option& parsed, const OptionSpec& option, const CommandSpec& command,
              Values& values) {
  if (parsed.count() == 0) return {};
  const auto wrong = [&](std::string_view why) { return usage_error(complaint(command, option.name, why)); };
  if (!option.takes_value()) {
    values.set(option.name, {});
    return {};
  }
  if (parsed.count() > 1 && !option.repeatable) return wrong("given more than once");
  for (const std::string& value : parsed.results()) {
    if (option.any_text) continue;
    if (value.empty()) return wrong("the value is empty, " + std::string(option.value) + " is expected");
    // "--cert --key k.pem": CLI11 takes what follows, whatever it is.
    if (value.starts_with("--")) return wrong("needs a value, " + std::string(option.value));
    if (option.choices.empty() || std::ranges::find(option.choices, value) != option.choices.end()) continue;
    std::string list;
    for (const std::string_view choice : option.choices)
      list += (list.empty() ? "" : ", ") + std::string(choice);
    return wrong("'" + value + "' is not one of " + list);
  }
  values.set(option.name, parsed.results());
  return {};
}

/// CLI11 reads "--cert= x" as "--cert x" and "--help=no" as no help: neither is what was written.
Result<> check_equals_signs(const CommandSpec& command, const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    const std::size_t equals = argument.find('=');
    if (!argument.starts_with("--") || equals == std::string::npos) continue;
    const OptionSpec* option = command.find(std::string_view(argument).substr(2, equals - 2));
    if (option == nullptr) continue;
    if (!option->takes_value()) return usage_error(complaint(command, option->name, "takes no value"));
    if (equals + 1 == argument.size()) {
      return usage_error(complaint(command, option->name,
                                   "the value is empty, " + std::string(option->value) + " is expected"));
    }
  }
  return {};
}

const CommandSpec* command_in(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (const CommandSpec* command = find_command(argument)) return command;
  }
  return nullptr;
}

/// Writes "--watch" as "--watch=1s" and "--watch 2s" as "--watch=2s": CLI11 would take what follows, an
/// address too.
std::vector<std::string> with_bare_values(const std::vector<std::string>& arguments) {
  const CommandSpec* command = command_in(arguments);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    out.push_back(arguments[i]);
    if (arguments[i] == "--") {
      out.insert(out.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
      break;
    }
    for (const OptionSpec& option : command != nullptr ? command->options : std::vector<OptionSpec>()) {
      if (option.bare.empty()) continue;
      const std::string name = cli_name(option);
      if (arguments[i] != name && arguments[i] != std::string("-") + option.letter) continue;
      const bool follows = i + 1 < arguments.size() && parse_duration(arguments[i + 1]);
      out.back() = name + "=" + (follows ? arguments[++i] : std::string(option.bare));
      break;
    }
  }
  return out;
}

/// The option at the end of the line that lacks its value.
std::unexpected<Error> missing_value(const CommandSpec& command, const std::vector<std::string>& arguments) {
  for (const OptionSpec& option : command.options) {
    const std::string letter = std::string("-") + option.letter;
    if (option.takes_value() &&
        (arguments.back() == "--" + std::string(option.name) || arguments.back() == letter)) {
      return usage_error(complaint(command, option.name, "needs a value, " + std::string(option.value)));
    }
  }
  return usage_error(prefix(command) + "'" + arguments.back() + "' lacks a value");
}

/// What was written, in its order.
std::vector<std::string_view> order_of(const CLI::App& app, const CommandSpec& command) {
  std::vector<std::string_view> order;
  for (const CLI::Option* parsed : app.parse_order()) {
    for (const OptionSpec& option : command.options) {
      if (cli_name(option) == parsed->get_name()) order.push_back(option.name);
    }
  }
  return order;
}

}  // namespace

std::size_t Values::count(std::string_view option) const {
  return static_cast<std::size_t>(std::ranges::count(order_, option));
}

std::vector<Values::Written> Values::in_order(std::initializer_list<std::string_view> options) const {
  std::vector<Written> found;
  std::map<std::string_view, std::size_t> seen;
  for (const std::string_view option : order_) {
    if (std::ranges::find(options, option) == options.end()) continue;
    const std::vector<std::string>& values = written_.find(option)->second;
    const std::size_t index = seen[option]++;
    found.push_back({option, index < values.size() ? values[index] : std::string()});
  }
  return found;
}

std::string_view Values::text(std::string_view option) const {
  if (const auto found = written_.find(option); found != written_.end() && !found->second.empty()) {
    return found->second.back();
  }
  return spec_->find(option)->fallback;
}

std::vector<std::string> Values::all(std::string_view option) const {
  const auto found = written_.find(option);
  return found == written_.end() ? std::vector<std::string>{} : found->second;
}

void Values::set(std::string_view option, std::vector<std::string> values) {
  written_.insert_or_assign(std::string(option), std::move(values));
}

std::string complaint(const CommandSpec& command, std::string_view option, std::string_view why) {
  const OptionSpec* spec = command.find(option);
  return prefix(command) + (spec != nullptr ? cli_name(*spec) : std::string(option)) + ": " +
         std::string(why);
}

Result<CommandLine> parse_command_line(const std::vector<std::string>& written) {
  const std::vector<std::string> arguments = with_bare_values(written);
  CLI::App app;
  add_options(app, program());
  app.require_subcommand(0, 1);
  for (const CommandSpec& spec : commands()) add_options(*app.add_subcommand(std::string(spec.name)), spec);

  bool complete = true;
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ArgumentMismatch&) {
    complete = false;
  } catch (const CLI::Error& error) {
    return usage_error(error.what());
  }

  const auto chosen = app.get_subcommands();
  const CommandSpec& command = chosen.empty() ? program() : *find_command(chosen.front()->get_name());
  CLI::App& parsed = chosen.empty() ? app : *chosen.front();
  CommandLine line{.command = &command, .values = Values(command)};
  if (auto good = check_equals_signs(command, arguments); !good) return std::unexpected(good.error());
  if (!complete) return missing_value(command, arguments);

  const auto asked = [&](const char* option) {
    return app.get_option(option)->count() + parsed.get_option(option)->count() > 0;
  };
  line.help = asked("--help");
  line.version = asked("--version");
  if (line.help || line.version) return line;
  for (const OptionSpec& option : command.options) {
    if (auto good = take(*parsed.get_option(cli_name(option)), option, command, line.values); !good) {
      return std::unexpected(good.error());
    }
  }
  line.values.set_order(order_of(parsed, command));
  for (const std::string& stranger : parsed.remaining()) {
    if (stranger != "--") return unknown(command, stranger);
  }
  // Options before the command, and arguments behind a "--", which CLI11 leaves over at the top.
  for (const std::string& stranger : app.remaining()) {
    if (stranger != "--") return unknown(stranger.starts_with('-') ? program() : command, stranger);
  }
  if (chosen.empty()) return usage_error("no command given (try 'h2park --help')");
  return line;
}

}  // namespace h2park::cmd
