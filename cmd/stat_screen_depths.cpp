#include "cmd/stat_screen_lines.hpp"

#include <algorithm>
#include <array>

namespace h2park::cmd {
namespace {

constexpr std::size_t kMargin = 1;
constexpr std::array<Tone, 4> kTones = {Tone::kActive, Tone::kIdle, Tone::kParked, Tone::kFrozen};
constexpr std::array<const char*, 4> kLabels = {"active", "idle", "parked", "frozen"};

using Depths = std::array<std::uint64_t, 4>;

std::uint64_t count_of(const stats::Reading& reading, const char* name) {
  return static_cast<std::uint64_t>(reading.number(name).value_or(0));
}

/// Each connection once. The server counts as active what is neither parked nor frozen, and as idle what has
/// no open stream, sleeping or not; so at least idle - parked - frozen of the active ones have nothing to do.
/// With
/// --park=off that is exact.
Depths depths_in(const stats::Reading& reading) {
  const std::uint64_t active = count_of(reading, "connections.active");
  const std::uint64_t parked = count_of(reading, "connections.parked");
  const std::uint64_t frozen = count_of(reading, "connections.frozen");
  const std::uint64_t idle = count_of(reading, "connections.idle");
  const std::uint64_t idle_awake = std::min(active, idle - std::min(idle, parked + frozen));
  return {active - idle_awake, idle_awake, parked, frozen};
}

void draw_headline(Grid& grid, std::size_t row, const stats::Reading& reading) {
  std::size_t at = grid.put(row, kMargin, with_commas(count_of(reading, "connections.open")), Tone::kTitle);
  at = grid.put(row, at, " connections", Tone::kTitle);
  const std::array<std::pair<const char*, const char*>, 4> parts = {{{"h1", "connections.h1"},
                                                                     {"h2", "connections.h2"},
                                                                     {"tls", "connections.tls"},
                                                                     {"no stream", "connections.idle"}}};
  for (const auto& [label, name] : parts) {
    const std::string text = number_text(reading.number(name), NumberStyle::kCount);
    at = grid.put(row, at + 3, label, Tone::kDim);
    at = grid.put(row, at + 1, text, Tone::kPlain);
  }
}

void draw_bar(Grid& grid, std::size_t row, const Depths& depths, const ScreenContext& context) {
  if (context.columns <= 2 * kMargin) return;
  const std::size_t width = context.columns - 2 * kMargin;
  const auto cells = divide(depths, width);
  std::size_t at = kMargin;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    at = grid.put(row, at, std::u32string(cells[i], context.symbols.depths[i]), kTones[i]);
  }
  // Nobody is connected.
  if (at == kMargin) grid.put(row, at, std::u32string(width, context.symbols.depths.back()), Tone::kDim);
}

void draw_legend(Grid& grid, std::size_t row, const Depths& depths, const ScreenContext& context) {
  std::size_t at = kMargin;
  for (std::size_t i = 0; i < depths.size(); ++i) {
    const std::string count = with_commas(depths[i]);
    const std::size_t end = at + 2 + std::string_view(kLabels[i]).size() + 1 + count.size();
    if (end > context.columns) return;
    at = grid.put(row, at, std::u32string(1, context.symbols.depths[i]), kTones[i]);
    at = grid.put(row, at + 1, kLabels[i], Tone::kDim);
    at = grid.put(row, at + 1, count, Tone::kPlain) + 3;
  }
}

}  // namespace

ScreenLine blank_line() {
  return {.priority = 9, .draw = [](Grid&, std::size_t) {}};
}

void add_depths(ScreenLines& lines, const ScreenContext& context) {
  const stats::Reading& reading = *context.history.reading();
  const Depths depths = depths_in(reading);
  lines.push_back({2, [&reading](Grid& grid, std::size_t row) { draw_headline(grid, row, reading); }});
  lines.push_back({1, [=](Grid& grid, std::size_t row) { draw_bar(grid, row, depths, context); }});
  lines.push_back({1, [=](Grid& grid, std::size_t row) { draw_legend(grid, row, depths, context); }});
}

}  // namespace h2park::cmd
