#include "base/log.hpp"

#include <spdlog/details/console_globals.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <memory>
#include <string>

namespace h2park::log {
namespace {

constexpr std::array<std::string_view, 4> kNames{"error", "warn", "info", "debug"};

spdlog::level::level_enum spdlog_level(Level level) {
  switch (level) {
    case Level::kError:
      return spdlog::level::err;
    case Level::kWarn:
      return spdlog::level::warn;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kDebug:
      return spdlog::level::debug;
  }
  return spdlog::level::err;
}

class FileSink final : public spdlog::sinks::stdout_sink_base<spdlog::details::console_mutex> {
 public:
  explicit FileSink(std::FILE* file) : stdout_sink_base(file) {}
};

std::unique_ptr<spdlog::logger> make_logger(Level level, std::FILE* out) {
  auto logger = std::make_unique<spdlog::logger>("h2park", std::make_shared<FileSink>(out));
  // %v carries our own level name: spdlog's are "warning" and "error".
  logger->set_formatter(std::make_unique<spdlog::pattern_formatter>("%Y-%m-%dT%H:%M:%S.%eZ %v",
                                                                    spdlog::pattern_time_type::utc, "\n"));
  logger->set_level(spdlog_level(level));
  logger->flush_on(spdlog::level::trace);
  return logger;
}

std::unique_ptr<spdlog::logger>& logger() {
  static std::unique_ptr<spdlog::logger> instance = make_logger(Level::kInfo, stderr);
  return instance;
}

std::string one_line(Level level, std::string_view message) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string line(kNames[static_cast<std::size_t>(level)]);
  line += ' ';
  for (const char c : message) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      line += c;
    } else {
      line += "\\x";
      line += kHex[byte >> 4];
      line += kHex[byte & 15];
    }
  }
  return line;
}

}  // namespace

std::optional<Level> parse_level(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Level>(i);
  }
  return std::nullopt;
}

void set_up(Level level, std::FILE* out) { logger() = make_logger(level, out); }

bool enabled(Level level) { return logger()->should_log(spdlog_level(level)); }

void write(Level level, std::string_view message) {
  if (!enabled(level)) return;
  logger()->log(spdlog_level(level), one_line(level, message));
}

void Limited::write(Level level, TimePoint now, std::string_view message) {
  const Duration::rep time = now.time_since_epoch().count();
  Duration::rep next = next_.load(std::memory_order_relaxed);
  const Duration::rep after =
      now > kNever - every_ ? kNever.time_since_epoch().count() : (now + every_).time_since_epoch().count();
  // Of several threads one writes; the others count themselves as left out.
  if (time < next || !next_.compare_exchange_strong(next, after, std::memory_order_relaxed)) {
    left_out_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  const std::uint64_t left_out = left_out_.exchange(0, std::memory_order_relaxed);
  if (left_out == 0) return log::write(level, message);
  log::write(level,
             std::string(message) + " (and " + std::to_string(left_out) + " more since the last line)");
}

}  // namespace h2park::log
