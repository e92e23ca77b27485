// Sampler: reads a source at every tick on a thread of its own, so that a server that hangs does not hold up
// the keys.
#pragma once

#include "base/clock.hpp"
#include "cmd/stat_source.hpp"
#include "net/unique_fd.hpp"

#include <deque>
#include <mutex>
#include <optional>
#include <thread>

namespace h2park::cmd {

class Sampler {
 public:
  /// The first tick is now. Lifetime: `source` outlives the sampler, and is the sampler's until then.
  Sampler(StatSource& source, Duration interval);
  /// Ends a reading that is under way.
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  /// Readable when take() has something.
  int descriptor() const { return arrived_.get(); }
  /// The oldest answer that nobody has taken.
  std::optional<Result<Sample>> take();

 private:
  void run(StatSource& source, Duration interval);
  Result<Sample> read(StatSource& source) const;
  bool wait_until(TimePoint time) const;

  // constant after construction
  net::UniqueFd arrived_;
  net::UniqueFd stop_;

  // guarded by mutex_
  std::mutex mutex_;
  std::deque<Result<Sample>> samples_;

  std::jthread thread_;
};

}  // namespace h2park::cmd
