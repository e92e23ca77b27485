// LiveFeed: what /live tells those who watch, however many there are.
//
// 1. A watcher opens a stream, at most so many at a time.
// 2. At its pace it asks for the next event. The figures are taken from the server then, unless they were
//    taken for another watcher a moment ago.
// 3. With the last stream the figures go too: nothing is asked, kept or run while nobody watches.
#pragma once

#include "base/clock.hpp"
#include "stats/depths.hpp"
#include "stats/snapshot.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace h2park::readout {

class LiveFeed;

/// One watcher's events. Lifetime: the feed outlives it. Thread: the feed's.
class LiveStream {
 public:
  explicit LiveStream(LiveFeed& feed);
  ~LiveStream();
  LiveStream(const LiveStream&) = delete;
  LiveStream& operator=(const LiveStream&) = delete;

  /// The figures of now. nullopt: they could not be taken, which was logged.
  std::optional<std::string> next_event();

 private:
  std::string describe();

  LiveFeed& feed_;
  // By thread: when its places were looked at that the last event told of. Nothing: it has not answered yet.
  std::vector<std::optional<CoarseTime>> seen_;
};

/// Thread: one.
class LiveFeed {
 public:
  struct Sources {
    std::function<stats::Snapshot()> snapshot;
    std::function<stats::Depths()> depths;
  };
  /// What one watcher has cost may serve another for so long: the server is asked five times a second at
  /// most.
  static constexpr Duration kFresh = std::chrono::milliseconds(200);

  /// `most`: streams at a time. Lifetime: `time` outlives the feed.
  LiveFeed(Sources sources, std::size_t most, const TimeSource& time)
      : sources_(std::move(sources)), most_(most), time_(time) {}

  bool is_full() const { return open_ >= most_; }
  /// Requires: not full.
  std::unique_ptr<LiveStream> open() { return std::make_unique<LiveStream>(*this); }

 private:
  friend class LiveStream;

  struct Sample {
    TimePoint taken;
    std::string stats;
    std::vector<stats::ThreadDepths> threads;
  };
  const Sample& sample();

  // constant after construction
  const Sources sources_;
  const std::size_t most_;
  const TimeSource& time_;

  std::size_t open_ = 0;
  std::optional<Sample> sample_;
};

}  // namespace h2park::readout
