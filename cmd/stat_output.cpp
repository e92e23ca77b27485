#include "cmd/stat_output.hpp"

#include "stats/decimal.hpp"
#include "stats/json.hpp"
#include "stats/prometheus.hpp"
#include "stats/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace h2park::cmd {
namespace {

using stats::Entry;
using stats::FieldPath;

constexpr std::array<std::string_view, 11> kServerColumns = {"time",
                                                             "connections.open",
                                                             "connections.active",
                                                             "connections.parked",
                                                             "connections.frozen",
                                                             "tasks.live",
                                                             "memory.rss_bytes",
                                                             "memory.bytes_per_parked_connection",
                                                             "parking_events.parks/s",
                                                             "parking_events.wakes/s",
                                                             "requests.total/s"};
constexpr std::array<std::string_view, 8> kProcessColumns = {"time",
                                                             "process.cpu_s/s",
                                                             "process.threads",
                                                             "process.descriptors",
                                                             "process.rss_bytes",
                                                             "process.pss_bytes",
                                                             "process.tcp_sockets",
                                                             "process.socket_kernel_bytes"};

// What values have that stay narrow: 99,999 connections, 99 GiB in bytes.
constexpr std::size_t kLeastWidth = 5;

/// What was read, without what complete() has added.
stats::Reading as_read(const stats::Reading& reading) {
  stats::Reading plain;
  std::ranges::copy_if(reading.entries, std::back_inserter(plain.entries), [](const Entry& entry) {
    return !entry.per_second && entry.field != &stats::time_field();
  });
  return plain;
}

}  // namespace

Sink standard_output() {
  return [](std::string_view text) -> Result<> {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
      return system_failure("cannot write to standard output", errno);
    }
    return {};
  };
}

Result<std::string> format_sample(const Sample& sample, const StatSettings& settings) {
  if (settings.fields.empty()) {
    if (settings.format == StatFormat::kJson) return sample.json;
    const stats::Reading plain = as_read(sample.reading);
    return settings.format == StatFormat::kProm ? stats::to_prometheus(plain) : stats::to_text(plain);
  }
  auto chosen = stats::select(sample.reading, settings.fields);
  if (!chosen) return usage_error("stat: --fields: " + chosen.error().message);
  if (settings.format == StatFormat::kJson) return stats::to_json(*chosen);
  if (settings.format == StatFormat::kProm) return stats::to_prometheus({std::move(*chosen)});
  return stats::to_table(*chosen);
}

std::vector<FieldPath> default_columns(const Place& place) {
  const bool process = std::holds_alternative<Pid>(place);
  const std::span<const std::string_view> names =
      process ? std::span<const std::string_view>(kProcessColumns) : kServerColumns;
  std::vector<FieldPath> paths;
  for (const std::string_view name : names)
    paths.push_back(stats::parse_field(name, fields_of(place)).value());
  return paths;
}

Result<ColumnLines> ColumnLines::choose(const stats::Reading& first, std::span<const FieldPath> paths) {
  const auto chosen = stats::select(first, paths);
  if (!chosen) return usage_error("stat: --fields: " + chosen.error().message);
  ColumnLines lines;
  for (const Entry& entry : *chosen) {
    const std::string name = entry.name();
    const bool time = entry.field == &stats::time_field();
    lines.widths_.push_back(time ? stats::exact_text(entry).size() : std::max(name.size(), kLeastWidth));
    lines.names_.push_back(name);
  }
  return lines;
}

std::string ColumnLines::join(const std::vector<std::string>& cells) const {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string blanks(widths_[i] - std::min(widths_[i], cells[i].size()), ' ');
    const bool time = names_[i] == stats::time_field().name;
    line += (i > 0 ? "  " : "") + (time ? cells[i] + blanks : blanks + cells[i]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

std::string ColumnLines::header() const {
  std::vector<std::string> cells;
  for (const std::string& name : names_) cells.push_back(stats::printable(name));
  return join(cells);
}

std::string ColumnLines::line(const stats::Reading& reading) const {
  std::vector<std::string> cells;
  for (const std::string& name : names_) {
    const Entry* entry = reading.find(name);
    cells.push_back(entry != nullptr ? stats::exact_text(*entry) : "-");
  }
  return join(cells);
}

std::string ColumnLines::line_without_answer(std::chrono::system_clock::time_point time) const {
  std::vector<std::string> cells;
  for (const std::string& name : names_) {
    cells.push_back(name == stats::time_field().name ? time_text(time) : "-");
  }
  return join(cells);
}

}  // namespace h2park::cmd
