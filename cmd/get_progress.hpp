// The line that tells on a terminal how far a run is.
#pragma once

#include "base/clock.hpp"

#include <cstdint>
#include <string>

namespace h2park::cmd {

struct ProgressFigures {
  std::uint64_t done = 0;
  std::uint64_t planned = 0;  ///< 0: as many as come within `duration`
  std::uint64_t errors = 0;
  std::uint64_t connections = 0;  ///< opened
  Duration elapsed{};
  Duration duration{};  ///< planned; 0: none
};

/// "  1234/20000 requests (6 %), 812.0/s, 3 errors, 2 connections, 23 s left", cut to `columns`.
std::string progress_line(const ProgressFigures& figures, std::size_t columns);

/// Writes it to standard error, over itself. Nothing before the run has taken kFirst, and then at most five
/// times a second: faster nobody reads, and each one is a system call.
class Progress {
 public:
  static constexpr Duration kFirst = std::chrono::seconds(1);
  static constexpr Duration kEvery = std::chrono::milliseconds(200);

  /// `wanted`: somebody watches.
  explicit Progress(bool wanted) : wanted_(wanted) {}

  bool wanted() const { return wanted_; }
  void show(const ProgressFigures& figures);
  /// Takes the line away, for what is to be written in its place.
  void clear();

 private:
  const bool wanted_;
  bool shown_ = false;
};

}  // namespace h2park::cmd
