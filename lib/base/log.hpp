// The process's own log: one line per event on standard error, "2026-01-02T03:04:05.678Z warn message".
//
// Not the access log. What peers do routinely is debug; what an operator should know is info; what costs
// service is warn; what is wrong with us is error. Control characters in a message are written as \xNN, so
// that text from a peer cannot forge a line. Thread: any.
#pragma once

#include "base/clock.hpp"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>

namespace h2park::log {

enum class Level : std::uint8_t { kError, kWarn, kInfo, kDebug };

/// "error", "warn", "info", "debug"; nullopt for anything else.
std::optional<Level> parse_level(std::string_view name);

/// Writes what is at least as important as `level` to `out`. Without it: info, standard error.
/// Requires: nobody logs meanwhile. Lifetime: `out` stays open.
void set_up(Level level, std::FILE* out = stderr);

/// Ask before building an expensive message.
bool enabled(Level level);

void write(Level level, std::string_view message);
inline void error(std::string_view message) { write(Level::kError, message); }
inline void warn(std::string_view message) { write(Level::kWarn, message); }
inline void info(std::string_view message) { write(Level::kInfo, message); }
inline void debug(std::string_view message) { write(Level::kDebug, message); }

/// For events that may come in floods: at most one line per `every`; the next one says how many were left
/// out. With Duration::max() once, until reset().
class Limited {
 public:
  explicit Limited(Duration every) : every_(every) {}
  void write(Level level, TimePoint now, std::string_view message);
  /// A new episode: the next message is written at once.
  void reset() { next_.store(TimePoint::min().time_since_epoch().count(), std::memory_order_relaxed); }

 private:
  const Duration every_;
  std::atomic<Duration::rep> next_{TimePoint::min().time_since_epoch().count()};
  std::atomic<std::uint64_t> left_out_{0};
};

}  // namespace h2park::log
