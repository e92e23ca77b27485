#include "cmd/stat_grid.hpp"

#include <algorithm>

namespace h2park::cmd {
namespace {

void append_utf8(std::string& out, char32_t c) {
  const auto byte = [&out](std::uint32_t value) { out += static_cast<char>(value); };
  const std::uint32_t code = c;
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xc0 | (code >> 6));
  } else {
    byte(0xe0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3f));
  }
  byte(0x80 | (code & 0x3f));
}

}  // namespace

std::size_t Grid::put(std::size_t row, std::size_t column, std::u32string_view text, Tone tone) {
  if (row < size_.rows) {
    for (std::size_t i = 0; i < text.size() && column + i < size_.columns; ++i) {
      cells_[row * size_.columns + column + i] = {text[i], tone};
    }
  }
  return column + text.size();
}

std::size_t Grid::put(std::size_t row, std::size_t column, std::string_view ascii, Tone tone) {
  std::u32string wide;
  for (const char c : ascii) wide += c >= 0x20 && c < 0x7f ? static_cast<char32_t>(c) : U'?';
  return put(row, column, wide, tone);
}

void Grid::put_right(std::size_t row, std::size_t end, std::string_view ascii, Tone tone) {
  if (ascii.size() > end) ascii.remove_prefix(ascii.size() - end);
  put(row, end - ascii.size(), ascii, tone);
}

void Grid::paint(std::size_t row, Tone tone) {
  if (row >= size_.rows) return;
  for (std::size_t i = 0; i < size_.columns; ++i) cells_[row * size_.columns + i].tone = tone;
}

std::string Grid::line(std::size_t row) const {
  std::string out;
  for (std::size_t i = 0; i < size_.columns; ++i) append_utf8(out, at(row, i).glyph);
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

std::string Grid::text() const {
  std::string out;
  for (std::size_t row = 0; row < size_.rows; ++row) out += line(row) + '\n';
  return out;
}

}  // namespace h2park::cmd
