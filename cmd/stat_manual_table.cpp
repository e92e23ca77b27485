#include "cmd/stat_manual.hpp"
#include "stats/fields.hpp"
#include "stats/process_reading.hpp"

namespace h2park::cmd {
namespace {

std::string meaning(const stats::FieldInfo& field) {
  std::string text(field.help);
  if (!field.key.empty()) text += ": an object, with a number for each " + std::string(field.key);
  if (field.kind == stats::Kind::kCounter) text += ", since the start";
  if (field.unit == stats::Unit::kBytes) text += ", in bytes";
  if (field.unit == stats::Unit::kSeconds) text += ", in seconds";
  text += ".";
  if (!field.metric.empty()) text += " Prometheus: " + std::string(field.metric) + ".";
  return text;
}

Text row_of(const stats::FieldInfo& field) {
  const std::string group = field.group.empty() ? "" : std::string(field.group) + ".";
  return {group + std::string(field.name), meaning(field)};
}

}  // namespace

Section stat_expressions() {
  return {.title = "Expressions",
          .intro = "What --until waits for.",
          .rows = {{"FIELD OP NUMBER",
                    "A comparison: OP is <, <=, >, >=, == or !=. Either side may be a field, as in "
                    "connections.parked == connections.open."},
                   {"NUMBER",
                    "A plain number; with a unit where the field has one, as in memory.rss_bytes < 64MiB and "
                    "uptime_s > 1m30s; on or off for parking."},
                   {"FIELD",
                    "A name of the statistics below, of a key as in parking_events.wakes_by.timer, or of a "
                    "counter's increase per second as in requests.total/s."},
                   {"&&, ||, !, ( )", "And, or, not, and what belongs together; && binds closer than ||."},
                   {"null",
                    "A comparison with a figure that is null, a rate in the first reading included, is false "
                    "whatever "
                    "OP is; so its negation by ! is true."}},
          .in_help = false};
}

Section stat_fields() {
  Section section{
      .title = "Statistics",
      .intro =
          "The fields of /stats.json, which --format json prints; the table has them under the same "
          "names. null, or a dash in the table, is what the server cannot measure; --format prom leaves it "
          "out. The histograms of /metrics are not in it: see h2park-serve(1).",
      .rows = {},
      .in_help = false};
  for (const stats::Field& field : stats::fields()) section.rows.push_back(row_of(field));
  return section;
}

Section stat_process_fields() {
  Section section{.title = "Process statistics",
                  .intro =
                      "The fields of --pid. The sockets' are null if the process lives in another network "
                      "namespace.",
                  .rows = {},
                  .in_help = false};
  for (const stats::FieldInfo* field : stats::process_fields()) {
    if (field != &stats::time_field()) section.rows.push_back(row_of(*field));
  }
  return section;
}

Section stat_environment() {
  return {.title = "Environment",
          .intro = "",
          .rows = {{"NO_COLOR", "If set to anything, the screen of --watch has no colours."},
                   {"TERM", "The terminal's kind. Where the cursor cannot be moved, --watch prints lines."}},
          .in_help = false};
}

}  // namespace h2park::cmd
