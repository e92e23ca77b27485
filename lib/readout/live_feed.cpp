#include "readout/live_feed.hpp"

#include "base/log.hpp"
#include "readout/live_text.hpp"
#include "stats/json.hpp"

#include <exception>

namespace h2park::readout {

LiveStream::LiveStream(LiveFeed& feed) : feed_(feed) { ++feed_.open_; }

LiveStream::~LiveStream() {
  if (--feed_.open_ == 0) feed_.sample_.reset();
}

std::optional<std::string> LiveStream::next_event() {
  try {
    return describe();
  } catch (const std::exception& e) {
    log::error(std::string("stats endpoint: /live: ") + e.what());
    return std::nullopt;
  }
}

std::string LiveStream::describe() {
  const LiveFeed::Sample& sample = feed_.sample();
  std::vector<std::string> places;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < sample.threads.size(); ++i) {
    const stats::ThreadDepths& thread = sample.threads[i];
    if (i == seen_.size()) seen_.emplace_back();
    places.push_back(places_text(thread, seen_[i]));
    left_out += thread.left_out;
    if (thread.taken != CoarseTime{}) seen_[i] = thread.taken;  // it has answered
  }
  return live_event(sample.stats, places, left_out);
}

const LiveFeed::Sample& LiveFeed::sample() {
  const TimePoint now = time_.now();
  if (sample_ && now - sample_->taken < kFresh) return *sample_;
  stats::Depths depths = sources_.depths();
  Sample next{.taken = now, .stats = stats::to_json(sources_.snapshot()), .threads = {}};
  // A thread that had no time to answer is shown as it was.
  if (sample_) next.threads = std::move(sample_->threads);
  if (next.threads.size() < depths.size()) next.threads.resize(depths.size());
  for (std::size_t i = 0; i < depths.size(); ++i) {
    if (depths[i]) next.threads[i] = std::move(*depths[i]);
  }
  return sample_.emplace(std::move(next));
}

}  // namespace h2park::readout
