#include "cmd/get_summary.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

namespace h2park::cmd {
namespace {

constexpr std::size_t kBars = 11;
constexpr std::size_t kBarWidth = 40;

using Named = std::pair<std::string, std::uint64_t>;

/// "  label     name 12, name 3": a line that is left out if there is nothing to say.
void append_counts(std::string& to, std::string_view label, const std::vector<Named>& counts) {
  std::string line;
  for (const auto& [name, number] : counts) {
    if (number > 0) line += fmt::format("{}{} {}", line.empty() ? "" : ", ", name, number);
  }
  if (!line.empty()) to += fmt::format("{:<13}{}\n", label, line);
}

void append_figures(std::string& to, const Summary& summary, const SummaryContext& context) {
  const double seconds = std::chrono::duration<double>(context.duration).count();
  const double rate = seconds > 0 ? static_cast<double>(summary.requests()) / seconds : 0;
  to += fmt::format("{:<13}{} in {}, {:.1f} per second, {} read\n", "Requests", summary.requests(),
                    short_duration(context.duration), rate, short_size(summary.bytes()));
  std::vector<Named> statuses;
  for (std::size_t i = 1; i < summary.statuses().size(); ++i)
    statuses.emplace_back(std::to_string(i) + "xx", summary.statuses()[i]);
  append_counts(to, "Status", statuses);

  std::vector<Named> errors(summary.errors().begin(), summary.errors().end());
  errors.emplace_back(to_string(client::FailureKind::kCancelled), summary.cancelled());
  append_counts(to, "Errors", errors);

  to += fmt::format("{:<13}opened {}, reused {} times\n", "Connections", context.counts.opened,
                    context.counts.reused);
  std::vector<Named> closed;
  for (std::size_t i = 1; i < client::kCloseReasons; ++i)
    closed.emplace_back(to_string(static_cast<client::CloseReason>(i)), context.counts.closed[i]);
  append_counts(to, "Closed", closed);
  std::vector<Named> drains;
  for (std::size_t i = 1; i < client::kDrainResults; ++i)
    drains.emplace_back(to_string(static_cast<client::DrainResult>(i)), context.counts.drains[i]);
  append_counts(to, "Drains", drains);
}

void append_row(std::string& to, std::string_view name, const stats::Histogram& phase) {
  if (phase.count() == 0) return;
  to += fmt::format("{:<11}", name);
  for (const Duration value : {phase.min(), phase.mean(), phase.quantile(0.50), phase.quantile(0.90),
                               phase.quantile(0.99), phase.max()}) {
    to += fmt::format("{:>11}", short_duration(value));
  }
  to += '\n';
}

void append_table(std::string& to, const Summary& summary, bool paced) {
  to += fmt::format("\n{:<11}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}\n", "Phase", "min", "mean", "p50", "p90",
                    "p99", "max");
  for (std::size_t i = 0; i < kPhases; ++i) {
    const auto phase = static_cast<Phase>(i);
    append_row(to, to_string(phase), summary.phase(phase));
  }
  if (paced) append_row(to, "latency", summary.latency());
}

/// Rows of equal width from the least value to the 99th percentile, and one for what is above: a single slow
/// request would otherwise push all others into the first row.
std::vector<Duration> bounds_of(const stats::Histogram& latency) {
  const Duration least = latency.min();
  const Duration most = std::max(latency.quantile(0.99), least + Duration(kBars - 1));
  std::vector<Duration> bounds;
  for (std::size_t i = 1; i < kBars; ++i)
    bounds.push_back(least +
                     (most - least) * static_cast<Duration::rep>(i) / static_cast<Duration::rep>(kBars - 1));
  bounds.push_back(latency.max());
  return bounds;
}

void append_histogram(std::string& to, const stats::Histogram& latency) {
  if (latency.count() < 2) return;
  const std::vector<Duration> bounds = bounds_of(latency);
  std::vector<std::uint64_t> rows(bounds.size());
  for (const stats::Histogram::Bucket& bucket : latency.buckets()) {
    const Duration middle = bucket.least + (bucket.below - bucket.least) / 2;
    const auto row = std::ranges::lower_bound(bounds, middle) - bounds.begin();
    rows[std::min(static_cast<std::size_t>(row), rows.size() - 1)] += bucket.count;
  }
  const std::uint64_t longest = std::ranges::max(rows);
  to += "\nLatency\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + 1 == rows.size() && rows[i] == 0) continue;
    // What happened at all is seen.
    const std::uint64_t length = (rows[i] * kBarWidth + longest - 1) / longest;
    to += fmt::format("{:>2}{:>10} {:>9} {}\n", i + 1 < rows.size() ? "<=" : "..", short_duration(bounds[i]),
                      rows[i], std::string(length, '#'));
    while (to.ends_with(" \n")) to.erase(to.size() - 2, 1);
  }
}

}  // namespace

std::string short_duration(Duration duration) {
  // Below a microsecond there is nothing that the clock, read once per turn, could tell.
  constexpr std::array<std::pair<double, std::string_view>, 3> kUnits{{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}}};
  for (const auto& [size, unit] : kUnits) {
    const double value = static_cast<double>(duration.count()) / size;
    if (value >= 1) return fmt::format("{:.{}f} {}", value, value < 10 ? 2 : value < 100 ? 1 : 0, unit);
  }
  return "0 us";
}

std::string short_size(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{:.{}f} {}", value, unit == 0 ? 0 : 1, kUnits[unit]);
}

std::string summary_text(const Summary& summary, const SummaryContext& context) {
  std::string text;
  append_figures(text, summary, context);
  if (summary.latency().count() == 0) return text;
  append_table(text, summary, context.paced);
  append_histogram(text, summary.latency());
  return text;
}

}  // namespace h2park::cmd
