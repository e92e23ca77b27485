#include "cmd/get_progress.hpp"

#include <spdlog/fmt/fmt.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace h2park::cmd {
namespace {

constexpr std::size_t kUsualColumns = 80;

std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualColumns;
}

double seconds_of(Duration duration) { return std::chrono::duration<double>(duration).count(); }

/// By whichever end is nearer; negative if that cannot be told yet.
double seconds_left(const ProgressFigures& figures) {
  double left = -1;
  if (figures.planned > 0 && figures.done > 0) {
    left = seconds_of(figures.elapsed) *
           static_cast<double>(figures.planned - std::min(figures.done, figures.planned)) /
           static_cast<double>(figures.done);
  }
  if (figures.duration > Duration::zero()) {
    const double rest = std::max(seconds_of(figures.duration - figures.elapsed), 0.0);
    left = left < 0 ? rest : std::min(left, rest);
  }
  return left;
}

}  // namespace

std::string progress_line(const ProgressFigures& figures, std::size_t columns) {
  std::string line = fmt::format("  {}", figures.done);
  if (figures.planned > 0) line += fmt::format("/{}", figures.planned);
  line += " requests";
  if (figures.planned > 0) line += fmt::format(" ({} %)", figures.done * 100 / figures.planned);
  const double seconds = seconds_of(figures.elapsed);
  if (seconds > 0) line += fmt::format(", {:.1f}/s", static_cast<double>(figures.done) / seconds);
  if (figures.errors > 0) line += fmt::format(", {} errors", figures.errors);
  line += fmt::format(", {} connections", figures.connections);
  if (const double left = seconds_left(figures); left >= 0) line += fmt::format(", {:.0f} s left", left);
  // One column is left free: a full line would wrap, and could not be drawn over.
  return line.substr(0, columns > 0 ? columns - 1 : 0);
}

void Progress::show(const ProgressFigures& figures) {
  if (!wanted_ || figures.elapsed < kFirst) return;
  std::fputs(("\r" + progress_line(figures, terminal_columns()) + "\x1b[K").c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace h2park::cmd
