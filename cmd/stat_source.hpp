// StatSource: where `h2park stat` has its figures from, a server or a process.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "net/endpoint.hpp"
#include "stats/field_path.hpp"
#include "stats/reading.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>

namespace h2park::cmd {

struct Sample {
  stats::Reading reading;
  std::string json;  ///< one line and a newline: what a server sent, or the process's figures
};

/// How long one answer may take, and what ends it early.
struct SampleLimits {
  Duration timeout = std::chrono::seconds(5);
  int stop_fd = -1;  ///< readable: give up; -1: never
};

/// Thread: one at a time.
class StatSource {
 public:
  virtual ~StatSource() = default;
  /// Errors: one line that names the source.
  virtual Result<Sample> read(const SampleLimits& limits) = 0;
  /// "127.0.0.1:8081", "process 4242"
  virtual std::string name() const = 0;
  virtual const stats::KnownFields& fields() const = 0;
  /// False where a failure is final: a process that has ended stays away, a server may be started again.
  virtual bool may_come_back() const = 0;
};

using Pid = std::uint64_t;
using Place = std::variant<net::Endpoint, Pid>;

/// `token`: as in readout::StatsQuery.
std::unique_ptr<StatSource> open_source(const Place& place, const std::string& token);
const stats::KnownFields& fields_of(const Place& place);

/// "2026-01-02T03:04:05.678Z"
std::string time_text(std::chrono::system_clock::time_point time);
/// Puts the "time" in front, and the rates since `before` (nullptr: null) behind.
void complete(stats::Reading& reading, const stats::Reading* before,
              std::chrono::system_clock::time_point time);

}  // namespace h2park::cmd
