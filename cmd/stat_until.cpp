#include "cmd/stat_until.hpp"

#include "base/units.hpp"

#include <algorithm>

namespace h2park::cmd {
namespace {

std::unexpected<Error> too_late(const Condition& condition, Duration timeout, const std::string& last) {
  return fail("stat: not within " + format_duration(timeout) + ": " + condition.text() + " (" + last + ")");
}

}  // namespace

Result<Sample> wait_until(StatSource& source, const Condition& condition, const UntilOptions& options,
                          StatPace& pace) {
  const TimePoint start = pace.now();
  const TimePoint deadline = options.timeout ? start + *options.timeout : kNever;
  Ticks ticks(start, options.interval);
  std::optional<stats::Reading> before;
  for (;;) {
    // Even a deadline that is now leaves a server the time that an answer takes.
    const Duration left = std::max<Duration>(deadline - pace.now(), std::chrono::milliseconds(100));
    auto sample = source.read({.timeout = std::min<Duration>(SampleLimits{}.timeout, left)});
    std::string last;
    if (sample) {
      complete(sample->reading, before ? &*before : nullptr, pace.wall());
      const auto holds = condition.holds(sample->reading);
      if (!holds) return usage_error("stat: --until: " + holds.error().message);
      if (*holds) return sample;
      last = condition.values_in(sample->reading);
      before = std::move(sample->reading);
    } else {
      if (!source.may_come_back()) return std::unexpected(sample.error());
      last = sample.error().message;
      before.reset();
    }
    if (pace.now() >= deadline) return too_late(condition, *options.timeout, last);
    pace.sleep_until(std::min(ticks.after(pace.now()), deadline));
  }
}

}  // namespace h2park::cmd
