#include "client/retry.hpp"

#include "http/date_reader.hpp"

#include <algorithm>
#include <charconv>

namespace h2park::client {
namespace {

std::optional<Duration> asked_for(std::string_view retry_after, std::chrono::system_clock::time_point wall) {
  constexpr std::int64_t kLongest = 10LL * 365 * 24 * 3600;
  std::int64_t seconds = 0;
  const char* end = retry_after.data() + retry_after.size();
  const auto [stop, error] = std::from_chars(retry_after.data(), end, seconds);
  if (error == std::errc() && stop == end) {
    if (seconds < 0) return std::nullopt;
    return std::chrono::seconds(std::min(seconds, kLongest));
  }
  const auto date = http::parse_date(retry_after, wall);
  if (!date) return std::nullopt;
  return std::max<Duration>(std::chrono::duration_cast<Duration>(*date - wall), Duration::zero());
}

}  // namespace

bool is_transient(const Record& record) {
  if (record.failure) {
    return record.failure->kind == FailureKind::kTimeout || record.failure->kind == FailureKind::kResolve;
  }
  switch (record.status) {
    case 408:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
      return true;
    default:
      return false;
  }
}

Duration retry_delay(const RetryOptions& options, unsigned retry, std::string_view retry_after,
                     std::chrono::system_clock::time_point wall) {
  if (const auto asked = asked_for(retry_after, wall)) return *asked;
  const unsigned doublings = std::min(retry - 1, 20U);
  return std::min<Duration>(options.first_delay * (1 << doublings), options.longest_delay);
}

}  // namespace h2park::client
