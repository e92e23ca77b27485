#include "cmd/stat_screen_lines.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace h2park::cmd {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMargin = 1;
constexpr std::size_t kLabel = 19;
constexpr std::size_t kNow = 11;
constexpr std::size_t kOther = 11;  // mean, peak
// Fewer columns show no course of anything.
constexpr std::size_t kLeastGraph = 8;
constexpr Duration kGraphSpan = 3min;

/// Where the columns end; 0: left out.
struct Columns {
  std::size_t now = 0;
  std::size_t mean = 0;
  std::size_t peak = 0;
  std::size_t graph = 0;  ///< where it begins
  std::size_t graph_width = 0;
};

Columns columns_of(std::size_t width) {
  Columns columns{.now = kMargin + kLabel + kNow};
  columns.now = std::min(columns.now, width);
  std::size_t end = columns.now;
  if (end + 2 * kOther + 2 + kLeastGraph + kMargin <= width) {
    columns.mean = end + kOther;
    columns.peak = end = columns.mean + kOther;
  }
  if (end + 2 + kLeastGraph + kMargin <= width) {
    columns.graph = end + 2;
    columns.graph_width = width - columns.graph - kMargin;
  }
  return columns;
}

/// "last 3m"
std::string span_text(const WatchHistory& history, std::size_t width) {
  const auto ticks = static_cast<Duration::rep>(width * ticks_per_column(history, width));
  const Duration span = history.interval() * ticks;
  if (span < 100s)
    return "last " + std::to_string(std::chrono::round<std::chrono::seconds>(span).count()) + "s";
  return "last " + std::to_string(std::chrono::round<std::chrono::minutes>(span).count()) + "m";
}

void draw_titles(Grid& grid, std::size_t row, const std::string& title, const ScreenContext& context) {
  const Columns columns = columns_of(context.columns);
  grid.put_right(row, columns.now, "now", Tone::kDim);
  if (columns.mean > 0) grid.put_right(row, columns.mean, "mean", Tone::kDim);
  if (columns.peak > 0) grid.put_right(row, columns.peak, "peak", Tone::kDim);
  if (columns.graph > 0) {
    grid.put(row, columns.graph, span_text(context.history, columns.graph_width), Tone::kDim);
  }
  grid.put(row, kMargin, title, Tone::kTitle);
}

/// The largest value that is drawn; the peak may have been long ago.
double highest(const std::vector<std::optional<double>>& values) {
  double most = 0;
  for (const auto& value : values) most = std::max(most, value.value_or(0));
  return most;
}

void draw_metric(Grid& grid, std::size_t row, const Metric& metric, const ScreenContext& context) {
  const Columns columns = columns_of(context.columns);
  const Series& series = context.history.series(metric.name);
  const auto put = [&](std::size_t end, std::optional<double> number, Tone tone) {
    // What does not happen need not be read.
    if (number.value_or(0) == 0) tone = Tone::kDim;
    const std::string text = number_text(number, metric.style);
    // On a narrow screen the number covers the end of the label.
    const bool covers = end == columns.now && kMargin + metric.label.size() + text.size() >= end;
    if (end > 0) grid.put_right(row, end, (covers ? " " : "") + text, tone);
  };
  grid.put(row, kMargin, metric.label, Tone::kPlain);
  put(columns.now, context.history.reading()->number(metric.name), Tone::kTitle);
  put(columns.mean, series.mean(), Tone::kPlain);
  put(columns.peak, series.peak(), Tone::kPlain);
  if (columns.graph == 0) return;
  const auto values =
      series.columns(columns.graph_width, ticks_per_column(context.history, columns.graph_width));
  const auto graph = draw_graph(values, highest(values), 1, context.symbols);
  grid.put(row, columns.graph, graph.front(), Tone::kGraph);
}

}  // namespace

// Twice as many each time that the graph is full, so that columns stay whole as they grow together.
std::size_t ticks_per_column(const WatchHistory& history, std::size_t width) {
  const auto span = static_cast<std::size_t>(kGraphSpan / history.interval());
  const std::size_t ticks = std::min({history.ticks(), std::max<std::size_t>(span, 1), Series::kKept});
  const std::size_t least = (ticks + width - 1) / width;
  return std::bit_ceil(std::max<std::size_t>(least, 1));
}

void add_metrics(ScreenLines& lines, const ScreenContext& context, const std::string& title, int priority,
                 const std::vector<Metric>& metrics) {
  lines.push_back({priority, [=](Grid& grid, std::size_t row) { draw_titles(grid, row, title, context); }});
  for (const Metric& metric : metrics) {
    lines.push_back(
        {metric.priority, [=](Grid& grid, std::size_t row) { draw_metric(grid, row, metric, context); }});
  }
}

void add_graph(ScreenLines& lines, const ScreenContext& context, const Metric& metric, std::size_t height) {
  if (context.columns <= 2 * kMargin + kLeastGraph || height == 0) return;
  const std::size_t width = context.columns - 2 * kMargin;
  const auto values =
      context.history.series(metric.name).columns(width, ticks_per_column(context.history, width));
  const double most = highest(values);
  const auto graph = draw_graph(values, most, height, context.symbols);
  const std::string scale = span_text(context.history, width) + ", up to " + number_text(most, metric.style);
  lines.push_back({metric.priority, [=](Grid& grid, std::size_t row) {
                     grid.put(row, kMargin, metric.label, Tone::kTitle);
                     grid.put_right(row, kMargin + width, scale, Tone::kDim);
                   }});
  for (const std::u32string& cells : graph) {
    lines.push_back(
        {metric.priority, [=](Grid& grid, std::size_t row) { grid.put(row, kMargin, cells, Tone::kGraph); }});
  }
}

}  // namespace h2park::cmd
