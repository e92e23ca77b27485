// StatsSite: what the stats endpoint answers, without a socket.
#pragma once

#include "readout/allowed_hosts.hpp"
#include "readout/live_feed.hpp"
#include "readout/token_guard.hpp"
#include "stats/snapshot.hpp"

#include <functional>
#include <memory>
#include <optional>

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

namespace h2park::readout {

using StatsRequest = boost::beast::http::request<boost::beast::http::empty_body>;
using StatsResponse = boost::beast::http::response<boost::beast::http::string_body>;

/// Thread: one.
class StatsSite {
 public:
  StatsSite(AllowedHosts hosts, std::function<stats::Snapshot()> snapshot, std::function<bool()> healthy,
            TokenGuard guard = TokenGuard(""));

  /// `feed`: what /live tells; null: there is no /live. Before the first request.
  void watch(std::unique_ptr<LiveFeed> feed) { feed_ = std::move(feed); }

  /// GET and HEAD of /stats.json, /metrics, /healthz, the dashboard's files and /live; only /healthz is for
  /// everybody where there is a token. Complete but for the Connection field.
  /// Errors: none; what `snapshot` or `healthy` throws becomes 500 and is logged.
  StatsResponse answer(const StatsRequest& request) const;
  /// The events that follow `response`, and how often; nullopt unless it begins a stream.
  struct Following {
    std::unique_ptr<LiveStream> stream;
    Duration every;
  };
  std::optional<Following> follow(const StatsRequest& request, const StatsResponse& response) const;
  /// The answer to what could not be read as a request: `reason` is one line.
  static StatsResponse refusal(boost::beast::http::status status, std::string_view reason);

 private:
  StatsResponse route(const StatsRequest& request) const;
  StatsResponse content(std::string_view path) const;
  StatsResponse live(const StatsRequest& request) const;
  /// What keeps it from being answered: its Host, or that it shows no token.
  std::optional<StatsResponse> refuse(const StatsRequest& request, std::string_view authority,
                                      std::string_view path) const;

  AllowedHosts hosts_;
  std::function<stats::Snapshot()> snapshot_;
  std::function<bool()> healthy_;
  std::unique_ptr<LiveFeed> feed_;
  TokenGuard guard_;
};

}  // namespace h2park::readout
