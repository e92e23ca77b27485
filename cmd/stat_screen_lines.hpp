// The lines that the screen of --watch is made of.
#pragma once

#include "cmd/stat_graph.hpp"
#include "cmd/stat_grid.hpp"
#include "cmd/stat_numbers.hpp"
#include "cmd/stat_watch_state.hpp"

#include <functional>
#include <string>
#include <vector>

namespace h2park::cmd {

struct ScreenLine {
  int priority;  ///< 0: the last to go
  std::function<void(Grid&, std::size_t row)> draw;
};
using ScreenLines = std::vector<ScreenLine>;

/// Lifetime: within the history's and the symbols'; `draw` functions keep both by reference.
struct ScreenContext {
  const WatchHistory& history;
  const Symbols& symbols;
  std::size_t columns;  ///< of the screen
};

ScreenLine blank_line();

/// Open connections, a bar of them by depth, and its legend.
void add_depths(ScreenLines& lines, const ScreenContext& context);

/// One figure: label, now, mean, peak, sparkline.
struct Metric {
  std::string label;
  std::string name;  ///< dotted
  NumberStyle style;
  int priority;
};
void add_metrics(ScreenLines& lines, const ScreenContext& context, const std::string& title, int priority,
                 const std::vector<Metric>& metrics);

/// `height` lines with the graph of a figure, under a line with its label.
void add_graph(ScreenLines& lines, const ScreenContext& context, const Metric& metric, std::size_t height);

/// How many ticks a column of a graph stands for, so that `width` of them cover all ticks so far, and in the
/// end the last minutes.
std::size_t ticks_per_column(const WatchHistory& history, std::size_t width);

}  // namespace h2park::cmd
