#include "cmd/command_line.hpp"
#include "cmd/get.hpp"
#include "cmd/help.hpp"
#include "cmd/serve.hpp"
#include "cmd/stat.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

namespace {

using h2park::Result;
namespace cmd = h2park::cmd;

Result<> print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    return h2park::system_failure("standard output", errno);
  }
  return {};
}

/// The exit code of a command that has only one for success.
Result<int> plain(const Result<>& done) {
  if (!done) return std::unexpected(done.error());
  return EXIT_SUCCESS;
}

Result<int> run(const std::vector<std::string>& arguments) {
  const Result<cmd::CommandLine> line = cmd::parse_command_line(arguments);
  if (!line) return std::unexpected(line.error());
  if (line->version) return plain(print("h2park " H2PARK_VERSION "\n"));
  if (line->help) return plain(print(cmd::help_text(*line->command)));
  if (line->command->name == "serve") return plain(cmd::serve(line->values));
  if (line->command->name == "get") return cmd::get(line->values);
  return plain(cmd::stat(line->values));
}

/// The one line, whatever got into the message.
int report(const std::string& message, int code) {
  std::string line = "h2park: " + message;
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  line += '\n';
  std::fputs(line.c_str(), stderr);
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Result<int> done = run({argv + (argc > 0 ? 1 : 0), argv + argc});
    return done ? *done : report(done.error().message, static_cast<int>(done.error().exit));
  } catch (const std::exception& bug) {
    return report(std::string("unexpected: ") + bug.what(), EXIT_FAILURE);
  }
}
