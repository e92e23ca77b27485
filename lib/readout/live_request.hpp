// What a request for /live asks for.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "readout/live_feed.hpp"

#include <string_view>

#include <boost/beast/http/fields.hpp>

namespace h2park::readout {

/// "/live?interval=5s": how often an event is wanted; a second if it does not say.
/// Errors: one line; not a duration from a quarter of a second (faster than anybody reads) to a minute (what
/// lies between keeps a silent stream long enough).
Result<Duration> live_interval(std::string_view target);

/// True if a browser says that another site's page asks (Fetch Metadata, Sec-Fetch-Site). That page could not
/// read the events, but would hold a stream.
bool is_cross_site(const boost::beast::http::fields& fields);

}  // namespace h2park::readout
