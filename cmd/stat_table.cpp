// The options of `h2park stat`.
#include "cmd/option_table.hpp"
#include "stats/fields.hpp"

namespace h2park::cmd {
namespace {

std::string meaning(const stats::Field& field) {
  std::string text(field.help);
  if (!field.key.empty()) text += ": an object, with a number for each " + std::string(field.key);
  if (field.kind == stats::Kind::kCounter) text += ", since the start";
  if (field.unit == stats::Unit::kBytes) text += ", in bytes";
  if (field.unit == stats::Unit::kSeconds) text += ", in seconds";
  return text + ".";
}

/// The fields of /stats.json, as "connections.open".
Section fields() {
  Section section{
      .title = "Statistics",
      .intro =
          "The fields of /stats.json, which --format json prints; the table has them under the same "
          "names. null, or a dash in the table, is what the server cannot measure.",
      .rows = {},
      .in_help = false};
  for (const stats::Field& field : stats::fields()) {
    const std::string group = field.group.empty() ? "" : std::string(field.group) + ".";
    section.rows.push_back({group + std::string(field.name), meaning(field)});
  }
  return section;
}

}  // namespace

CommandSpec stat_command() {
  return {
      .name = "stat",
      .summary = "print the statistics of a running server once",
      .description =
          {"Reads /stats.json of a server's --stats address and prints it as an aligned table: connections "
           "open, active, idle and parked, live tasks, memory, parking events and requests. A figure that "
           "the server cannot measure is shown as a dash."},
      .options = {{.name = "ADDR",
                   .value = "HOST:PORT",
                   .fallback = "127.0.0.1:8081",
                   .section = "Arguments",
                   .help =
                       "The server's --stats address: HOST:PORT, a port alone (on 127.0.0.1) or unix:PATH.",
                   .positional = true},
                  {.name = "format",
                   .letter = 'f',
                   .value = "text|json",
                   .fallback = "text",
                   .section = "Output",
                   .help = "A table, or the JSON as it comes.",
                   .choices = {"text", "json"}},
                  help_option(),
                  version_option()},
      .more = {fields()},
      .exit_codes = {{"0", "The statistics were printed."},
                     {"1", "No server answers there, or not with statistics."},
                     {"2", "The command line is wrong."}},
      .examples = {{"h2park stat", "The server on this machine, with its default address."},
                   {"h2park stat --format json unix:/run/h2park/stats.sock", "JSON for a script."}},
  };
}

}  // namespace h2park::cmd
