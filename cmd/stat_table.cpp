// The options of `h2park stat`.
#include "cmd/option_table.hpp"
#include "cmd/stat_manual.hpp"

namespace h2park::cmd {
namespace {

std::vector<OptionSpec> source_options() {
  return {
      {.name = "ADDR",
       .value = "HOST:PORT",
       .fallback = "127.0.0.1:8081",
       .section = "Arguments",
       .help = "The server's --stats address: HOST:PORT, a port alone (on 127.0.0.1) or unix:PATH.",
       .positional = true},
      {.name = "pid",
       .letter = 'p',
       .value = "PID",
       .section = "Source",
       .help =
           "Read any process of this machine from /proc instead: its memory, threads, descriptors and what "
           "the kernel keeps for its TCP sockets. Its fields are process.*."},
      {.name = "stats-token",
       .value = "TOKEN|@FILE",
       .section = "Source",
       .help = "Send 'Authorization: Bearer TOKEN' to a server that wants it. @FILE reads the token from the "
               "first line of a file, which keeps it out of the process list.",
       .completion = Completion::kFile}};
}

std::vector<OptionSpec> output_options() {
  return {
      {.name = "format",
       .letter = 'f',
       .value = "text|json|prom",
       .fallback = "text",
       .section = "Output",
       .help = "A table, the JSON as it comes, or Prometheus's text format.",
       .choices = {"text", "json", "prom"}},
      {.name = "fields",
       .value = "NAME,...",
       .section = "Output",
       .help =
           "Only these fields, in this order, as in connections.open,tasks: a field, a key of it, or "
           "a whole group. With --watch and --until a counter's NAME/s is its increase per second, and time "
           "is when the figures were read."},
      {.name = "diff",
       .value = "FILE",
       .section = "Output",
       .help =
           "Compare with an earlier snapshot, which --format json has written: the old and the new value of "
           "every field, the difference, and for counters the increase per second. - is standard input.",
       .completion = Completion::kFile}};
}

std::vector<OptionSpec> time_options() {
  return {
      {.name = "watch",
       .letter = 'w',
       .value = "[DUR]",
       .section = "Watching",
       .help =
           "Read every DUR, 1s if it is not given. On a terminal a screen shows what is going on; q quits, p "
           "pauses, r resets means, peaks and graphs. Elsewhere, and with --format or --fields, it prints a "
           "line per reading. A server that goes away is waited for.",
       .bare = "1s"},
      {.name = "count",
       .letter = 'n',
       .value = "N",
       .section = "Watching",
       .help = "End after N readings; --watch is implied."},
      {.name = "until",
       .letter = 'u',
       .value = "EXPR",
       .section = "Waiting",
       .help =
           "Read again and again, every 100ms or as --watch says, until EXPR holds. Nothing is printed "
           "unless "
           "--format or --fields asks for the reading for which it holds. A server that does not answer yet "
           "is waited for."},
      {.name = "timeout",
       .value = "DUR",
       .section = "Waiting",
       .help =
           "With --until: give up after DUR, with a line that has the last values. Without it there is no "
           "limit."}};
}

std::vector<OptionSpec> options() {
  std::vector<OptionSpec> all = source_options();
  for (auto&& part : {output_options(), time_options(), {help_option(), version_option()}}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace

CommandSpec stat_command() {
  return {
      .name = "stat",
      .summary = "show the statistics of a running server",
      .description =
          {"Reads /stats.json of a server's --stats address and shows it: connections open, active, idle, "
           "parked and frozen, live tasks, memory, parking events and requests; once as an aligned table, or "
           "again and again. A figure that the server cannot measure is shown as a dash.",
           "For scripts there are JSON, lines with stable columns, an expression to wait for, and the "
           "difference to an earlier snapshot."},
      .options = options(),
      .more = {stat_expressions(), stat_fields(), stat_process_fields(), stat_environment()},
      .exit_codes =
          {{"0", "The statistics were printed, or EXPR holds, or q was pressed."},
           {"1",
            "No server answers there, or not with statistics; no such process, or it may not be read; "
            "EXPR did not hold within --timeout; the last reading of --count failed."},
           {"2", "The command line is wrong, an unknown field or an EXPR that cannot be read included."},
           {"128+N", "A screen was ended by signal number N; the terminal is as it was."}},
      .examples = {{"h2park stat", "The server on this machine, with its default address."},
                   {"h2park stat --format json unix:/run/h2park/stats.sock", "JSON for a script."},
                   {"h2park stat --watch", "A screen that is refreshed every second."},
                   {"h2park stat -w 500ms --fields time,connections.parked,requests.total/s >log",
                    "Columns for a plot."},
                   {"h2park stat --until 'connections.parked>=5000 && tasks.live<=8' --timeout 30s",
                    "Wait in a load script until all connections are parked."},
                   {"h2park stat -f json > before; ...; h2park stat --diff before",
                    "What a load test has done."},
                   {"h2park stat --pid $(pgrep -o nginx) --fields process.pss_bytes",
                    "Another server's memory."}},
  };
}

}  // namespace h2park::cmd
