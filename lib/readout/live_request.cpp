#include "readout/live_request.hpp"

#include "base/units.hpp"

namespace h2park::readout {
namespace {

using namespace std::chrono_literals;

constexpr Duration kUsual = 1s;
constexpr Duration kShortest = 250ms;
constexpr Duration kLongest = 1min;
static_assert(kShortest >= LiveFeed::kFresh, "an event never repeats the one before");

}  // namespace

Result<Duration> live_interval(std::string_view target) {
  constexpr std::string_view kName = "interval=";
  const std::size_t question = target.find('?');
  std::string_view query = question == std::string_view::npos ? "" : target.substr(question + 1);
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (!pair.starts_with(kName)) continue;
    auto every = parse_duration(pair.substr(kName.size()));
    if (!every) return fail("interval: " + every.error().message);
    if (*every < kShortest || *every > kLongest) return fail("interval: from 250ms to 1m");
    return every;
  }
  return kUsual;
}

bool is_cross_site(const boost::beast::http::fields& fields) {
  const auto site = fields["Sec-Fetch-Site"];
  return site == "cross-site" || site == "same-site";
}

}  // namespace h2park::readout
