#include "cmd/stat_watch_state.hpp"

#include "stats/rates.hpp"

namespace h2park::cmd {
namespace {

// Long enough to be seen by someone who looks up now and then.
constexpr Duration kShowRestart = std::chrono::seconds(10);

}  // namespace

void WatchHistory::add(Result<Sample> sample, TimePoint now) {
  ++ticks_;
  if (sample) return take(std::move(sample->reading), now);
  if (!away_) since_ = now;
  away_ = sample.error().message;
  for (auto& [name, series] : series_) series.add(std::nullopt);
}

void WatchHistory::reset() {
  series_.clear();
  ticks_ = 0;
}

void WatchHistory::take(stats::Reading reading, TimePoint now) {
  const bool anew = reading_ && stats::restarted(*reading_, reading);
  if (anew || away_) {
    since_ = now;
    restarted_ = anew;
  }
  // Over a time without answers the rate is the mean of that time, which no tick of it had.
  const bool rates = reading_ && !away_;
  stats::add_rates(reading, rates ? &*reading_ : nullptr);
  away_.reset();
  for (const stats::Entry& entry : reading.entries) {
    if (entry.field->kind != stats::Kind::kInfo) series_[entry.name()].add(stats::number_of(entry.value));
  }
  reading_ = std::move(reading);
}

const Series& WatchHistory::series(std::string_view name) const {
  static const Series kNone;
  const auto found = series_.find(name);
  return found == series_.end() ? kNone : found->second;
}

bool WatchHistory::restarted_lately(TimePoint now) const {
  return restarted_ && !away_ && now - since_ < kShowRestart;
}

void WatchState::toggle_pause() {
  if (held_) {
    held_.reset();
  } else {
    held_ = std::make_shared<WatchHistory>(live_);
  }
}

void WatchState::reset() {
  live_.reset();
  if (held_) held_->reset();
}

}  // namespace h2park::cmd
