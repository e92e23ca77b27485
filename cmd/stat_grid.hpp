// Grid: what a screen shows, as cells, so that a layout can be tested without a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace h2park::cmd {

/// What a cell means; stat_terminal.cpp makes colours of it, or bold and dim where there are none.
enum class Tone : std::uint8_t {
  kPlain,
  kBar,  ///< the line across the top
  kTitle,
  kDim,
  kActive,
  kIdle,
  kParked,
  kFrozen,
  kGraph,
  kGood,
  kAlert,
};

struct Size {
  std::size_t rows = 0;
  std::size_t columns = 0;
  bool operator==(const Size&) const = default;
};

struct Cell {
  char32_t glyph = U' ';
  Tone tone = Tone::kPlain;
  bool operator==(const Cell&) const = default;
};

class Grid {
 public:
  explicit Grid(Size size) : size_(size), cells_(size.rows * size.columns) {}

  Size size() const { return size_; }
  const Cell& at(std::size_t row, std::size_t column) const { return cells_[row * size_.columns + column]; }

  /// Writes from left to right; what lies outside is cut off. Returns the column behind the text.
  /// Requires: every character is one column wide.
  std::size_t put(std::size_t row, std::size_t column, std::u32string_view text, Tone tone);
  /// `ascii`: as it stands, bytes outside of printable ASCII become '?'.
  std::size_t put(std::size_t row, std::size_t column, std::string_view ascii, Tone tone);
  /// So that the text ends before `end`; what does not fit is cut off at its front.
  void put_right(std::size_t row, std::size_t end, std::string_view ascii, Tone tone);
  /// The whole row, whose glyphs stay.
  void paint(std::size_t row, Tone tone);

  /// A row as UTF-8, without blanks at its end.
  std::string line(std::size_t row) const;
  /// All rows, each with a newline.
  std::string text() const;

 private:
  Size size_;
  std::vector<Cell> cells_;
};

}  // namespace h2park::cmd
