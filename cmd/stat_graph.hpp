// Bars and sparklines in characters.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::cmd {

/// The characters that a terminal can show.
struct Symbols {
  std::u32string_view levels;  ///< an empty cell, then from the lowest to the full one
  std::u32string_view depths;  ///< active, idle, parked, frozen: told apart without colours
};
const Symbols& unicode_symbols();
const Symbols& ascii_symbols();

/// How many of `width` cells each count gets, in proportion; what is not zero gets one at least, as long as
/// there are cells. The sum is `width`, or 0 if all counts are.
std::vector<std::size_t> divide(std::span<const std::uint64_t> counts, std::size_t width);

/// `height` rows from top to bottom, a column for each value, full at `peak`. A value of 0 is a line at the
/// bottom, so that it differs from nullopt, which stays blank.
/// Requires: height > 0.
std::vector<std::u32string> draw_graph(std::span<const std::optional<double>> values, double peak,
                                       std::size_t height, const Symbols& symbols);

}  // namespace h2park::cmd
