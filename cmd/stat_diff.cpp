#include "cmd/stat_diff.hpp"

#include "stats/decimal.hpp"
#include "stats/json.hpp"
#include "stats/rates.hpp"
#include "stats/text.hpp"

#include <cerrno>
#include <cmath>
#include <fstream>
#include <iostream>
#include <sstream>

#include <boost/json.hpp>

namespace h2park::cmd {
namespace {

namespace json = boost::json;
using stats::Entry;
using stats::Kind;

double to_thousandth(double number) { return std::round(number * 1000) / 1000; }

DiffRow row_of(const Entry& now, const stats::Reading& old, const StatDiff& diff) {
  DiffRow row{.now = now, .old = {}, .difference = {}, .per_second = {}};
  if (const Entry* before = old.find(now.name())) row.old = before->value;
  const bool counter = now.field->kind == Kind::kCounter;
  const auto from = stats::number_of(row.old);
  const auto to = stats::number_of(now.value);
  if (now.field->kind == Kind::kInfo || !from || !to || (counter && diff.restarted)) return row;
  row.difference = to_thousandth(*to - *from);
  if (counter && diff.seconds) row.per_second = to_thousandth((*to - *from) / *diff.seconds);
  return row;
}

std::string signed_text(double number) { return (number > 0 ? "+" : "") + stats::decimal(number); }

std::string headline(const StatDiff& diff) {
  if (diff.restarted) {
    // In a container every server has pid 1.
    const std::string pids =
        diff.old_pid != diff.new_pid ? " (pid " + diff.old_pid + ", now " + diff.new_pid + ")" : "";
    return "the server was restarted" + pids + ": its counters began again at 0\n";
  }
  return diff.seconds ? stats::decimal(*diff.seconds) + " s between them\n" : "";
}

std::string quoted(std::string_view text) { return json::serialize(json::string_view(text)); }

std::string json_number(const std::optional<double>& number) {
  return number ? stats::decimal(*number) : "null";
}

std::string json_value(const stats::Value& value) {
  if (stats::is_null(value)) return "null";
  if (const auto* text = std::get_if<std::string>(&value)) return quoted(*text);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return stats::decimal(value);
}

std::string pid_in(const stats::Reading& reading) {
  const Entry* pid = reading.find("pid");
  return pid != nullptr ? stats::decimal(pid->value) : "-";
}

}  // namespace

Result<StatDiff> compare_readings(const stats::Reading& old, const stats::Reading& now,
                                  std::span<const stats::FieldPath> fields) {
  StatDiff diff{.restarted = stats::restarted(old, now),
                .seconds = stats::seconds_between(old, now),
                .old_pid = pid_in(old),
                .new_pid = pid_in(now),
                .rows = {}};
  if (diff.seconds) diff.seconds = to_thousandth(*diff.seconds);
  if (fields.empty()) {
    for (const Entry& entry : now.entries) diff.rows.push_back(row_of(entry, old, diff));
    return diff;
  }
  const auto chosen = stats::select(now, fields);
  if (!chosen) return usage_error("stat: --fields: " + chosen.error().message);
  for (const Entry& entry : *chosen) diff.rows.push_back(row_of(entry, old, diff));
  return diff;
}

std::string diff_text(const StatDiff& diff) {
  std::vector<std::vector<std::string>> rows{{"field", "old", "new", "difference", "per second"}};
  for (const DiffRow& row : diff.rows) {
    Entry old = row.now;
    old.value = row.old;
    rows.push_back({stats::printable(row.now.name()), stats::exact_text(old), stats::exact_text(row.now),
                    row.difference ? signed_text(*row.difference) : "",
                    row.per_second ? stats::decimal(*row.per_second) : ""});
  }
  return headline(diff) + stats::align(rows);
}

std::string diff_json(const StatDiff& diff) {
  std::string fields;
  for (const DiffRow& row : diff.rows) {
    fields += (fields.empty() ? "" : ",") + quoted(row.now.name()) + ":{\"old\":" + json_value(row.old) +
              ",\"new\":" + json_value(row.now.value) + ",\"difference\":" + json_number(row.difference);
    if (row.now.field->kind == Kind::kCounter) fields += ",\"per_second\":" + json_number(row.per_second);
    fields += "}";
  }
  return std::string("{\"restarted\":") + (diff.restarted ? "true" : "false") +
         ",\"elapsed_s\":" + json_number(diff.seconds) + ",\"fields\":{" + fields + "}}\n";
}

Result<stats::Reading> read_snapshot_file(const std::string& path) {
  std::ostringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
  } else {
    errno = 0;
    std::ifstream file(path);
    text << file.rdbuf();
    // A directory opens, and fails only when it is read.
    if (!file || (!text && errno != 0)) return system_failure(path, errno != 0 ? errno : EIO);
  }
  const auto snapshot = stats::from_json(text.view());
  if (!snapshot) return fail((path == "-" ? "standard input" : path) + ": " + snapshot.error().message);
  return stats::to_reading(*snapshot);
}

}  // namespace h2park::cmd
