// What tests of `h2park stat` share: a source of given answers and a clock that is moved by hand.
#pragma once

#include "cmd/stat_pace.hpp"
#include "cmd/stat_source.hpp"
#include "stats/json.hpp"

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace h2park::cmd {

/// A server after `seconds` with so many connections, all parked but one, and so many requests.
inline stats::Snapshot server_at(double seconds, std::uint64_t connections, std::uint64_t requests,
                                 std::uint64_t pid = 42) {
  stats::Snapshot s;
  s.server = {.version = "1.2.3", .pid = pid, .uptime_s = seconds, .parking = true, .threads = 2};
  const std::uint64_t active = connections > 0 ? 1 : 0;
  s.connections = {.open = connections,
                   .accepted = 1'000'000,
                   .h1 = 0,
                   .h2 = connections,
                   .tls = 0,
                   .active = active,
                   .idle = connections - active,
                   .parked = connections - active,
                   .frozen = 0,
                   .closed = {{{"client", 0}, {"idle", 0}}}};
  s.tasks = {.live = 3, .created = requests};
  s.memory = {.rss_bytes = 10 * 1024 * 1024, .bytes_per_parked_connection = 219};
  s.parking_events = {.parks = requests,
                      .wakes = requests,
                      .wakes_by = {{{"readable", requests}, {"timer", 0}}},
                      .freezes = 0,
                      .thaws = 0};
  s.requests = {.total = requests, .in_flight = 1};
  return s;
}

inline Result<Sample> sample_of(const stats::Snapshot& snapshot) {
  return Sample{.reading = stats::to_reading(snapshot), .json = stats::to_json(snapshot)};
}

/// Answers with what it was given, in order; afterwards with the last of it again.
class ScriptedSource final : public StatSource {
 public:
  explicit ScriptedSource(std::vector<Result<Sample>> answers, bool may_come_back = true)
      : answers_(std::make_move_iterator(answers.begin()), std::make_move_iterator(answers.end())),
        may_come_back_(may_come_back) {}

  Result<Sample> read(const SampleLimits& limits) override {
    ++reads;
    last_timeout = limits.timeout;
    if (on_read) on_read();
    Result<Sample> answer = answers_.front();
    if (answers_.size() > 1) answers_.pop_front();
    return answer;
  }
  std::string name() const override { return "127.0.0.1:8081"; }
  const stats::KnownFields& fields() const override { return stats::server_fields(); }
  bool may_come_back() const override { return may_come_back_; }

  std::size_t reads = 0;
  Duration last_timeout{};
  std::function<void()> on_read;

 private:
  std::deque<Result<Sample>> answers_;
  bool may_come_back_;
};

/// Sleeping moves it.
class ManualPace final : public StatPace {
 public:
  TimePoint now() const override { return time_.now(); }
  std::chrono::system_clock::time_point wall() const override { return time_.wall(); }
  void sleep_until(TimePoint time) override {
    slept.push_back(time - now());
    if (time > now()) time_.advance(time - now());
  }
  void advance(Duration by) { time_.advance(by); }

  std::vector<Duration> slept;

 private:
  ManualTime time_;
};

}  // namespace h2park::cmd
