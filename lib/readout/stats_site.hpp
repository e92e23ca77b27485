// StatsSite: what the stats endpoint answers, without a socket.
#pragma once

#include "readout/allowed_hosts.hpp"
#include "stats/snapshot.hpp"

#include <functional>

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

namespace h2park::readout {

using StatsRequest = boost::beast::http::request<boost::beast::http::empty_body>;
using StatsResponse = boost::beast::http::response<boost::beast::http::string_body>;

/// Thread: one.
class StatsSite {
 public:
  StatsSite(AllowedHosts hosts, std::function<stats::Snapshot()> snapshot, std::function<bool()> healthy);

  /// GET and HEAD of /stats.json and /healthz. Complete but for the Connection field.
  /// Errors: none; what `snapshot` or `healthy` throws becomes 500 and is logged.
  StatsResponse answer(const StatsRequest& request) const;
  /// The answer to what could not be read as a request: `reason` is one line.
  static StatsResponse refusal(boost::beast::http::status status, std::string_view reason);

 private:
  StatsResponse route(const StatsRequest& request) const;
  StatsResponse content(std::string_view path) const;

  AllowedHosts hosts_;
  std::function<stats::Snapshot()> snapshot_;
  std::function<bool()> healthy_;
};

}  // namespace h2park::readout
