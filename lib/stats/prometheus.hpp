// A Reading in Prometheus's text format, version 0.0.4.
#pragma once

#include "stats/reading.hpp"

#include <span>
#include <string>
#include <string_view>

namespace h2park::stats {

inline constexpr std::string_view kPrometheusType = "text/plain; version=0.0.4; charset=utf-8";

/// Every figure that has a metric (FieldInfo::metric), each metric with # HELP and # TYPE. Left out: null,
/// and rates, which Prometheus makes itself. A tally is one metric with a label for its keys; a text is a
/// metric of the value 1 with the text as its label, as in h2park_build_info{version="1.2.3"} 1.
std::string to_prometheus(const Reading& reading);

/// A metric of many series, of which /stats.json knows nothing. Lifetime: static.
struct HistogramInfo {
  std::string_view metric;
  std::string_view help;   ///< one line, no full stop
  std::string_view label;  ///< what tells its series apart; "" if there is one only
};
/// In the order in which they are written.
std::span<const HistogramInfo> histograms();

/// The figures, and behind them the histograms if the snapshot has timings.
std::string to_prometheus(const Snapshot& snapshot);

/// A label's value between its quotes: backslash, quote and newline escaped.
std::string escaped_label(std::string_view value);

}  // namespace h2park::stats
