#include "cmd/stat_terminal.hpp"

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace h2park::cmd {
namespace {

struct Colour {
  Tone tone;
  short many;  ///< of 256
  short few;   ///< of 8
};
constexpr std::array<Colour, 7> kColours = {{{Tone::kActive, 208, COLOR_YELLOW},
                                             {Tone::kIdle, 107, COLOR_GREEN},
                                             {Tone::kParked, 68, COLOR_BLUE},
                                             {Tone::kFrozen, 152, COLOR_CYAN},
                                             {Tone::kGraph, 74, COLOR_CYAN},
                                             {Tone::kGood, 107, COLOR_GREEN},
                                             {Tone::kAlert, 203, COLOR_RED}}};

/// https://no-color.org: set, and not empty.
bool colours_wanted() {
  const char* no = std::getenv("NO_COLOR");
  return no == nullptr || *no == '\0';
}

attr_t style_of(Tone tone) {
  switch (tone) {
    case Tone::kBar:
      return A_REVERSE;
    case Tone::kTitle:
    case Tone::kGood:
    case Tone::kAlert:
      return A_BOLD;
    case Tone::kDim:
      return A_DIM;
    default:
      return A_NORMAL;
  }
}

}  // namespace

struct Terminal::Curses {
  SCREEN* screen = nullptr;
  std::FILE* keyboard = nullptr;  ///< standard input, or nullptr
  const Symbols* symbols = nullptr;
  std::array<attr_t, 16> styles{};
  std::array<short, 16> pairs{};

  void set_up_colours() {
    if (!colours_wanted() || !::has_colors() || ::start_color() == ERR) return;
    const bool own_background = ::use_default_colors() == OK;
    short pair = 0;
    for (const Colour& colour : kColours) {
      ++pair;
      const short shown = COLORS >= 256 ? colour.many : colour.few;
      if (::init_pair(pair, shown, static_cast<short>(own_background ? -1 : COLOR_BLACK)) == ERR) continue;
      pairs[static_cast<std::size_t>(colour.tone)] = pair;
    }
  }
};

std::unique_ptr<Terminal> Terminal::open() {
  if (::isatty(STDOUT_FILENO) == 0 || std::getenv("TERM") == nullptr) return nullptr;
  std::setlocale(LC_ALL, "");
  auto curses = std::make_unique<Curses>();
  curses->symbols =
      std::string_view(::nl_langinfo(CODESET)) == "UTF-8" ? &unicode_symbols() : &ascii_symbols();
  // What we measure is in plain digits, whatever the locale.
  std::setlocale(LC_NUMERIC, "C");
  if (::isatty(STDIN_FILENO) != 0) curses->keyboard = stdin;
  curses->screen = ::newterm(nullptr, stdout, stdin);
  if (curses->screen == nullptr) return nullptr;
  if (::tigetstr("cup") == nullptr) {
    ::endwin();
    ::delscreen(curses->screen);
    return nullptr;
  }
  for (std::size_t i = 0; i < curses->styles.size(); ++i) curses->styles[i] = style_of(static_cast<Tone>(i));
  curses->set_up_colours();
  ::cbreak();
  ::noecho();
  ::curs_set(0);
  ::nodelay(::stdscr, TRUE);
  ::keypad(::stdscr, TRUE);
  return std::unique_ptr<Terminal>(new Terminal(std::move(curses)));
}

Terminal::Terminal(std::unique_ptr<Curses> curses) : curses_(std::move(curses)) {}

Terminal::~Terminal() {
  ::endwin();
  ::delscreen(curses_->screen);
}

Size Terminal::size() {
  winsize window{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_row > 0 && window.ws_col > 0 &&
      (window.ws_row != LINES || window.ws_col != COLS)) {
    ::resizeterm(window.ws_row, window.ws_col);
    // What the terminal has made of the old screen is not known.
    ::clearok(::stdscr, TRUE);
  }
  return {static_cast<std::size_t>(std::max(LINES, 0)), static_cast<std::size_t>(std::max(COLS, 0))};
}

void Terminal::draw(const Grid& grid) {
  ::werase(::stdscr);
  std::wstring run;
  for (std::size_t row = 0; row < grid.size().rows; ++row) {
    for (std::size_t start = 0; start < grid.size().columns;) {
      const Tone tone = grid.at(row, start).tone;
      std::size_t end = start;
      for (run.clear(); end < grid.size().columns && grid.at(row, end).tone == tone; ++end) {
        run += static_cast<wchar_t>(grid.at(row, end).glyph);
      }
      const auto index = static_cast<std::size_t>(tone);
      ::wattr_set(::stdscr, curses_->styles[index], curses_->pairs[index], nullptr);
      ::mvwaddnwstr(::stdscr, static_cast<int>(row), static_cast<int>(start), run.data(),
                    static_cast<int>(run.size()));
      start = end;
    }
  }
  ::wrefresh(::stdscr);
}

void Terminal::repaint() { ::clearok(::stdscr, TRUE); }

int Terminal::keyboard() const { return curses_->keyboard != nullptr ? STDIN_FILENO : -1; }

char Terminal::key() {
  for (;;) {
    const int code = ::wgetch(::stdscr);
    if (code == ERR) return 0;
    if (code > 0 && code < 0x80) return static_cast<char>(code);
  }
}

const Symbols& Terminal::symbols() const { return *curses_->symbols; }

}  // namespace h2park::cmd
