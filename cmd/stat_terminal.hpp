// Terminal: shows a Grid with ncurses. The only file that names it.
#pragma once

#include "base/error.hpp"
#include "cmd/stat_graph.hpp"
#include "cmd/stat_grid.hpp"

#include <memory>

namespace h2park::cmd {

/// Lifetime: one at a time. The destructor gives the terminal back as it was. Thread: one.
class Terminal {
 public:
  /// nullptr if standard output is not a terminal on which the cursor can be moved.
  static std::unique_ptr<Terminal> open();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// What the kernel says now.
  Size size();
  void draw(const Grid& grid);
  /// The next draw() writes every cell again.
  void repaint();
  /// Readable when a key was pressed; -1: there is no keyboard.
  int keyboard() const;
  /// The next key, 0 if there is none. What is not a character is skipped.
  char key();
  /// What it can show: its locale may lack the characters.
  const Symbols& symbols() const;

 private:
  struct Curses;
  explicit Terminal(std::unique_ptr<Curses> curses);

  std::unique_ptr<Curses> curses_;
};

}  // namespace h2park::cmd
