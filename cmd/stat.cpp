#include "cmd/stat.hpp"

#include "cmd/stat_diff.hpp"
#include "cmd/stat_output.hpp"
#include "cmd/stat_settings.hpp"
#include "cmd/stat_ticks.hpp"
#include "cmd/stat_until.hpp"
#include "cmd/stat_watch.hpp"
#include "stats/decimal.hpp"

#include <cstdio>

namespace h2park::cmd {
namespace {

Result<> print_once(StatSource& source, const StatSettings& settings) {
  auto sample = source.read({});
  if (!sample) return std::unexpected(sample.error());
  complete(sample->reading, nullptr, std::chrono::system_clock::now());
  const auto text = format_sample(*sample, settings);
  return text ? standard_output()(*text) : std::unexpected(text.error());
}

Result<> print_diff(StatSource& source, const StatSettings& settings) {
  const auto old = read_snapshot_file(settings.diff_file);
  if (!old) return std::unexpected(old.error());
  const auto sample = source.read({});
  if (!sample) return std::unexpected(sample.error());
  const auto diff = compare_readings(*old, sample->reading, settings.fields);
  if (!diff) return std::unexpected(diff.error());
  return standard_output()(settings.format == StatFormat::kJson ? diff_json(*diff) : diff_text(*diff));
}

Result<> run_until(StatSource& source, const StatSettings& settings) {
  const UntilOptions options{.interval = settings.watch.value_or(UntilOptions{}.interval),
                             .timeout = settings.timeout};
  RealPace pace;
  const auto sample = wait_until(source, *settings.until, options, pace);
  if (!sample) return std::unexpected(sample.error());
  if (settings.is_plain()) return {};
  const auto text = format_sample(*sample, settings);
  return text ? standard_output()(*text) : std::unexpected(text.error());
}

Result<> run_watch(StatSource& source, const StatSettings& settings) {
  if (settings.is_plain()) {
    // Before the terminal is touched: a signal in between would leave it as it is.
    EndSignals signals;
    if (auto terminal = Terminal::open()) return watch_on(std::move(terminal), signals, source, settings);
  }
  RealPace pace;
  const auto complain = [](const std::string& message) {
    std::fprintf(stderr, "h2park: %s\n", stats::printable(message).c_str());
  };
  return print_ticks(source, settings, pace, standard_output(), complain);
}

}  // namespace

Result<> stat(const Values& values) {
  const Result<StatSettings> settings = parse_stat(values);
  if (!settings) return std::unexpected(settings.error());
  const auto source = open_source(settings->place, settings->token);
  if (settings->until) return run_until(*source, *settings);
  if (!settings->diff_file.empty()) return print_diff(*source, *settings);
  if (settings->watch) return run_watch(*source, *settings);
  return print_once(*source, *settings);
}

}  // namespace h2park::cmd
