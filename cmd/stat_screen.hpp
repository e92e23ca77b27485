// The screen of --watch, laid out for any size.
//
// 1. Every line that there could be has a priority. While there are more than rows, the least important goes,
//    the lower of two equal ones first.
// 2. Columns that do not fit are left out whole: first mean and peak, then the sparklines.
// 3. Rows that are left over become a graph of requests per second.
#pragma once

#include "base/clock.hpp"
#include "cmd/stat_graph.hpp"
#include "cmd/stat_grid.hpp"
#include "cmd/stat_watch_state.hpp"

namespace h2park::cmd {

Grid draw_screen(const WatchState& state, TimePoint now, Size size, const Symbols& symbols);

}  // namespace h2park::cmd
