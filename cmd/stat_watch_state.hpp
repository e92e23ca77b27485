// WatchState: what the screen of --watch knows, fed by readings and keys; without a terminal and without a
// clock of its own.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "cmd/stat_series.hpp"
#include "cmd/stat_source.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace h2park::cmd {

/// What has been read so far.
class WatchHistory {
 public:
  WatchHistory(std::string name, Duration interval) : name_(std::move(name)), interval_(interval) {}

  void add(Result<Sample> sample, TimePoint now);
  /// Forgets the series; the present figures stay.
  void reset();

  const std::string& name() const { return name_; }
  Duration interval() const { return interval_; }
  /// The last answer, with its rates; nullptr before the first.
  const stats::Reading* reading() const { return reading_ ? &*reading_ : nullptr; }
  /// Of a figure by its dotted name; an empty one for a name that never came.
  const Series& series(std::string_view name) const;
  /// Readings, failed ones included, since the beginning or reset().
  std::size_t ticks() const { return ticks_; }
  /// Why there is no answer; nullptr while there is.
  const std::string* away() const { return away_ ? &*away_ : nullptr; }
  /// Since when it has not answered, or since when a restarted one answers.
  TimePoint since() const { return since_; }
  /// For a while after another run of the server has begun to answer.
  bool restarted_lately(TimePoint now) const;

 private:
  void take(stats::Reading reading, TimePoint now);

  std::string name_;
  Duration interval_;
  std::optional<stats::Reading> reading_;
  std::map<std::string, Series, std::less<>> series_;
  std::size_t ticks_ = 0;
  std::optional<std::string> away_;
  TimePoint since_;
  bool restarted_ = false;
};

class WatchState {
 public:
  WatchState(std::string name, Duration interval) : live_(std::move(name), interval) {}

  void add(Result<Sample> sample, TimePoint now) { live_.add(std::move(sample), now); }
  /// Holds what is shown; reading goes on, so that nothing is missing afterwards.
  void toggle_pause();
  void reset();

  bool paused() const { return held_ != nullptr; }
  const WatchHistory& shown() const { return held_ ? *held_ : live_; }

 private:
  WatchHistory live_;
  std::shared_ptr<WatchHistory> held_;
};

}  // namespace h2park::cmd
