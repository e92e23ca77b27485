#include "cmd/stat_graph.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace h2park::cmd {

const Symbols& unicode_symbols() {
  static constexpr Symbols kSymbols{.levels = U" ▁▂▃▄▅▆▇█", .depths = U"█▓▒░"};
  return kSymbols;
}

const Symbols& ascii_symbols() {
  static constexpr Symbols kSymbols{.levels = U" _.:-=+*#", .depths = U"#=-."};
  return kSymbols;
}

// 1. Everything gets its share rounded down, or one cell.
// 2. Cells that are left go where the most was rounded off; cells too many are taken from the largest.
std::vector<std::size_t> divide(std::span<const std::uint64_t> counts, std::size_t width) {
  std::vector<std::size_t> cells(counts.size());
  double total = 0;
  for (const std::uint64_t count : counts) total += static_cast<double>(count);
  if (total == 0) return cells;
  const auto share = [&](std::size_t i) {
    return static_cast<double>(counts[i]) / total * static_cast<double>(width);
  };
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (counts[i] > 0) cells[i] = std::max<std::size_t>(1, static_cast<std::size_t>(share(i)));
  }
  const auto sum = [&] { return std::accumulate(cells.begin(), cells.end(), std::size_t{0}); };
  while (sum() > width) --*std::ranges::max_element(cells);
  while (sum() < width) {
    std::size_t best = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto lack = [&](std::size_t j) {
        return counts[j] == 0 ? -1 : share(j) - static_cast<double>(cells[j]);
      };
      if (lack(i) > lack(best)) best = i;
    }
    ++cells[best];
  }
  return cells;
}

std::vector<std::u32string> draw_graph(std::span<const std::optional<double>> values, double peak,
                                       std::size_t height, const Symbols& symbols) {
  const std::size_t steps = symbols.levels.size() - 1;
  std::vector<std::u32string> rows(height, std::u32string(values.size(), symbols.levels.front()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i]) continue;
    const double part = peak > 0 ? std::clamp(*values[i] / peak, 0.0, 1.0) : 0;
    // The lowest level is zero; anything more is a level above.
    const std::size_t most = height * steps;
    const std::size_t level =
        part == 0 ? 1 : 1 + static_cast<std::size_t>(std::ceil(part * static_cast<double>(most - 1)));
    for (std::size_t row = 0; row < height; ++row) {
      const std::size_t below = (height - 1 - row) * steps;
      rows[row][i] = symbols.levels[level <= below ? 0 : std::min(level - below, steps)];
    }
  }
  return rows;
}

}  // namespace h2park::cmd
