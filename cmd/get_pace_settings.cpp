#include "cmd/get_pace_settings.hpp"

#include <charconv>
#include <cmath>
#include <limits>

namespace h2park::cmd {
namespace {

using namespace std::chrono_literals;

// One descriptor each.
constexpr std::uint64_t kMostWorkers = 65'536;
constexpr std::uint64_t kMostRequests = std::numeric_limits<std::int64_t>::max();
// No faster than the clock can tell apart, no slower than anybody waits.
constexpr double kMostPerSecond = 10'000'000;
constexpr double kLeastPerSecond = 1.0 / (24 * 3600);

/// "200", "0.5", "30/m", "1/h"; 0: it is none of them.
double per_second(std::string_view text) {
  double unit = 1;
  if (text.size() > 2 && text[text.size() - 2] == '/') {
    unit = text.back() == 's' ? 1 : text.back() == 'm' ? 60 : text.back() == 'h' ? 3600 : 0;
    text.remove_suffix(2);
  }
  double number = 0;
  const auto parsed =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  const bool whole = parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
  return whole && unit > 0 && std::isfinite(number) ? number / unit : 0;
}

void read_rate(OptionReader& reader, GetPace& pace) {
  if (!reader.given("rate")) return;
  const std::string text(reader.text("rate"));
  const double rate = per_second(text);
  if (rate <= 0) return reader.wrong("rate", "'" + text + "' is not a rate (try 100, 0.5, 30/m)");
  if (rate > kMostPerSecond) return reader.wrong("rate", "'" + text + "' is too fast (at most 10000000)");
  if (rate < kLeastPerSecond) return reader.wrong("rate", "'" + text + "' is too slow (at least one a day)");
  pace.interval = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1 / rate));
}

}  // namespace

void read_pace(OptionReader& reader, GetSettings& settings) {
  GetPace& pace = settings.pace;
  const bool counted = reader.given("requests");
  const bool timed = reader.given("duration");
  pace.requests = timed && !counted ? kMostRequests : reader.all("URL").size();
  if (counted) reader.count("requests", 1, kMostRequests, pace.requests);
  if (timed) reader.seconds("duration", 1ms, pace.duration.emplace());
  settings.repeated = timed || (counted && pace.requests > 1);

  reader.count("concurrency", 1, kMostWorkers, pace.concurrency);
  if (pace.concurrency > 1 && !settings.repeated) {
    reader.wrong("concurrency", "needs --requests above 1, or --duration");
  }
  read_rate(reader, pace);
  reader.seconds("think", Duration::zero(), pace.think);
}

}  // namespace h2park::cmd
