#include "cmd/option_table.hpp"

#include <algorithm>

namespace h2park::cmd {

std::string CommandSpec::full_name() const { return name.empty() ? "h2park" : "h2park " + std::string(name); }

std::string CommandSpec::page_name() const { return name.empty() ? "h2park" : "h2park-" + std::string(name); }

std::string CommandSpec::synopsis() const {
  if (name.empty()) return "[OPTIONS] COMMAND [ARGUMENTS]";
  std::string text = "[OPTIONS]";
  for (const OptionSpec& option : options) {
    if (!option.positional) continue;
    // What has no default has to be there.
    const std::string word = std::string(option.name) + (option.repeatable ? "..." : "");
    text += option.fallback.empty() ? " " + word : " [" + word + "]";
  }
  return text;
}

const OptionSpec* CommandSpec::find(std::string_view option) const {
  const auto found = std::ranges::find(options, option, &OptionSpec::name);
  return found == options.end() ? nullptr : &*found;
}

std::vector<std::string_view> CommandSpec::sections() const {
  std::vector<std::string_view> found;
  for (const OptionSpec& option : options) {
    if (std::ranges::find(found, option.section) == found.end()) found.push_back(option.section);
  }
  return found;
}

OptionSpec help_option() {
  return {.name = "help", .letter = 'h', .section = "Help", .help = "Print this help and exit."};
}

OptionSpec version_option() {
  return {.name = "version", .letter = 'V', .section = "Help", .help = "Print the version and exit."};
}

const CommandSpec& program() {
  static const CommandSpec spec{
      .name = "",
      .summary = "HTTP server that parks idle connections, and a client that reuses its own",
      .description = {"h2park serves HTTP/2 and HTTP/1.1 to many mostly idle clients. A connection with "
                      "nothing to do is "
                      "parked: it keeps its protocol state and its deadlines, but no coroutine and no "
                      "buffer, until its socket, "
                      "a handler, a timer or a shutdown wakes it.",
                      "Its client has curl's letters. It drains what was not read of a response, so that the "
                      "connection can be used again, and says why a connection was reused or was not."},
      .options =
          {help_option(),
           {.name = "version", .letter = 'V', .section = "Help", .help = "Print the version and exit."}},
      .exit_codes =
          {{"0", "The command did its work."},
           {"1", "The system or a peer refused something; one line on standard error says what and why."},
           {"2", "The command line is wrong; one line on standard error says where. Nothing was started."},
           {"others", "get has curl's; see h2park-get(1)."}},
      .examples = {{"h2park serve", "Serve on 127.0.0.1:8080, statistics on 127.0.0.1:8081."},
                   {"h2park get -v http://127.0.0.1:8080/bytes/100", "Ask it for something."},
                   {"h2park stat", "Print the statistics of that server."}},
  };
  return spec;
}

const std::vector<CommandSpec>& commands() {
  static const std::vector<CommandSpec> all{serve_command(), get_command(), stat_command()};
  return all;
}

const CommandSpec* find_command(std::string_view name) {
  const auto found = std::ranges::find(commands(), name, &CommandSpec::name);
  return found == commands().end() ? nullptr : &*found;
}

std::string usage_of(const OptionSpec& option) {
  if (option.positional) return std::string(option.name);
  std::string text = option.letter != 0 ? std::string("-") + option.letter + ", --" : "--";
  text += option.name;
  if (!option.takes_value()) return text;
  // A switch with a value is written with '=', as in --park=off.
  return text + (option.value == "on|off" ? "=" : " ") + std::string(option.value);
}

std::string help_of(const OptionSpec& option) {
  std::string text(option.help);
  if (option.repeatable) text += " May be repeated.";
  if (!option.fallback.empty()) text += " Default: " + std::string(option.fallback) + ".";
  return text;
}

}  // namespace h2park::cmd
