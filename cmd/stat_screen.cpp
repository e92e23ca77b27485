#include "cmd/stat_screen.hpp"

#include "base/units.hpp"
#include "cmd/stat_screen_lines.hpp"
#include "stats/counters.hpp"
#include "stats/decimal.hpp"

#include <algorithm>

namespace h2park::cmd {
namespace {

constexpr std::size_t kMargin = 1;
// A graph of fewer rows says no more than a sparkline, and a taller one no more than this.
constexpr std::size_t kLeastGraphRows = 3;
constexpr std::size_t kMostGraphRows = 12;

std::string text_of(const stats::Reading& reading, std::string_view name) {
  const stats::Entry* entry = reading.find(name);
  return entry != nullptr ? stats::decimal(entry->value) : "-";
}

void draw_header(Grid& grid, std::size_t row, const WatchHistory& history, bool process) {
  const stats::Reading& reading = *history.reading();
  const std::string group = process ? "process." : "";
  const std::string left =
      process ? text_of(reading, "process.name") + "   process " + text_of(reading, "process.pid")
              : "h2park " + text_of(reading, "version") + "   " + history.name();
  std::string right = "every " + format_duration(history.interval()) + " ";
  if (const auto uptime = reading.number(group + "uptime_s"))
    right = "up " + time_span_text(*uptime) + "   " + right;
  if (!process) right = "pid " + text_of(reading, "pid") + "   " + right;
  const std::size_t end = grid.put(row, kMargin, left, Tone::kBar);
  // What is read once has to give way to what one looks for.
  while (!right.empty() && end + 2 + right.size() > grid.size().columns) {
    const std::size_t gap = right.find("   ");
    right = gap == std::string::npos ? "" : right.substr(gap + 3);
  }
  grid.put_right(row, grid.size().columns, right, Tone::kBar);
  grid.paint(row, Tone::kBar);
}

/// What is unusual, in one line; an empty text if nothing is.
std::pair<std::string, Tone> notice(const WatchState& state, TimePoint now) {
  const WatchHistory& shown = state.shown();
  const std::string since = time_span_text(std::chrono::duration<double>(now - shown.since()).count());
  if (state.paused()) return {"paused; p goes on", Tone::kTitle};
  if (shown.away() != nullptr)
    return {"no answer for " + since + ", trying again: " + *shown.away(), Tone::kAlert};
  if (shown.restarted_lately(now)) return {"the server was restarted " + since + " ago", Tone::kGood};
  return {};
}

void draw_keys(Grid& grid, std::size_t row, bool paused) {
  std::size_t at = kMargin;
  for (const auto& [key, meaning] :
       {std::pair("q", "quit"), {"p", paused ? "go on" : "pause"}, {"r", "reset"}}) {
    at = grid.put(row, at, key, Tone::kTitle);
    at = grid.put(row, at + 1, meaning, Tone::kDim) + 3;
  }
}

std::vector<Metric> server_rates(const stats::Reading& reading) {
  using enum NumberStyle;
  std::vector<Metric> rates{{"requests", "requests.total/s", kRate, 2},
                            {"parks", "parking_events.parks/s", kRate, 4},
                            {"wakes", "parking_events.wakes/s", kRate, 4}};
  for (std::size_t i = 0; i < stats::kWakeReasons; ++i) {
    const std::string cause(stats::to_string(static_cast<stats::WakeReason>(i)));
    rates.push_back({"  by " + cause, "parking_events.wakes_by." + cause + "/s", kRate, 6});
  }
  for (const std::string name : {"freezes", "thaws"}) {
    if (reading.number("parking_events." + name)) {
      rates.push_back({name, "parking_events." + name + "/s", kRate, 5});
    }
  }
  return rates;
}

void add_server(ScreenLines& lines, const ScreenContext& context) {
  using enum NumberStyle;
  add_depths(lines, context);
  lines.push_back(blank_line());
  add_metrics(lines, context, "", 7,
              {{"tasks", "tasks.live", kCount, 3},
               {"memory (RSS)", "memory.rss_bytes", kSize, 3},
               {"per parked conn.", "memory.bytes_per_parked_connection", kSize, 3}});
  lines.push_back(blank_line());
  add_metrics(lines, context, "per second", 7, server_rates(*context.history.reading()));
}

void add_process(ScreenLines& lines, const ScreenContext& context) {
  using enum NumberStyle;
  add_metrics(lines, context, "", 7,
              {{"processor", "process.cpu_s/s", kPercent, 1},
               {"memory (RSS)", "process.rss_bytes", kSize, 1},
               {"memory (PSS)", "process.pss_bytes", kSize, 3},
               {"threads", "process.threads", kCount, 3},
               {"descriptors", "process.descriptors", kCount, 2},
               {"TCP sockets", "process.tcp_sockets", kCount, 2},
               {"  kernel, queued", "process.socket_kernel_bytes", kSize, 4},
               {"  kernel, reserved", "process.socket_reserved_bytes", kSize, 5}});
}

/// Takes the least important lines away until `rows` are left.
void shrink(ScreenLines& lines, std::size_t rows) {
  while (lines.size() > rows) {
    const auto last = std::ranges::max_element(lines.rbegin(), lines.rend(), {}, &ScreenLine::priority);
    lines.erase(std::next(last).base());
  }
}

ScreenLines all_lines(const WatchState& state, TimePoint now, Size size, const Symbols& symbols) {
  const WatchHistory& history = state.shown();
  const ScreenContext context{.history = history, .symbols = symbols, .columns = size.columns};
  const bool process = history.reading()->find("process.pid") != nullptr;
  ScreenLines lines;
  lines.push_back(
      {2, [&history, process](Grid& grid, std::size_t row) { draw_header(grid, row, history, process); }});
  const auto [text, tone] = notice(state, now);
  lines.push_back({text.empty() ? 9 : 0,
                   [text, tone](Grid& grid, std::size_t row) { grid.put(row, kMargin, text, tone); }});
  process ? add_process(lines, context) : add_server(lines, context);
  // A row for the keys, one for each of the blank lines around, one for the label.
  constexpr std::size_t kAround = 4;
  if (lines.size() + kAround + kLeastGraphRows <= size.rows) {
    const std::size_t height = std::min(size.rows - lines.size() - kAround, kMostGraphRows);
    const Metric metric = process ? Metric{"processor", "process.cpu_s/s", NumberStyle::kPercent, 8}
                                  : Metric{"requests per second", "requests.total/s", NumberStyle::kRate, 8};
    lines.push_back(blank_line());
    add_graph(lines, context, metric, height);
  }
  return lines;
}

}  // namespace

Grid draw_screen(const WatchState& state, TimePoint now, Size size, const Symbols& symbols) {
  Grid grid(size);
  if (state.shown().reading() == nullptr) {
    grid.put(0, 0, notice(state, now).first, Tone::kAlert);
    return grid;
  }
  ScreenLines lines = all_lines(state, now, size, symbols);
  lines.push_back(blank_line());
  lines.push_back({4, [&](Grid& target, std::size_t row) { draw_keys(target, row, state.paused()); }});
  shrink(lines, size.rows);
  const bool stale = state.shown().away() != nullptr;
  for (std::size_t row = 0; row < lines.size(); ++row) {
    // The keys stand at the bottom.
    const bool last = row + 1 == lines.size() && lines[row].priority == 4;
    const std::size_t place = last ? size.rows - 1 : row;
    lines[row].draw(grid, place);
    const Tone tone = grid.size().columns > kMargin ? grid.at(place, kMargin).tone : Tone::kPlain;
    if (stale && !last && tone != Tone::kBar && tone != Tone::kAlert) grid.paint(place, Tone::kDim);
  }
  return grid;
}

}  // namespace h2park::cmd
