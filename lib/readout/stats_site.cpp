#include "readout/stats_site.hpp"

#include "base/log.hpp"
#include "http/date.hpp"
#include "readout/dashboard.hpp"
#include "readout/live_request.hpp"
#include "stats/json.hpp"
#include "stats/prometheus.hpp"

#include <chrono>
#include <exception>
#include <iterator>

namespace h2park::readout {
namespace {

namespace http = boost::beast::http;

constexpr std::string_view kText = "text/plain; charset=utf-8";
constexpr std::string_view kStatsPath = "/stats.json";
constexpr std::string_view kMetricsPath = "/metrics";
constexpr std::string_view kHealthPath = "/healthz";
constexpr std::string_view kLivePath = "/live";
constexpr std::string_view kEvents = "text/event-stream";

StatsResponse make(http::status status, std::string_view type, std::string body) {
  StatsResponse response(status, 11, std::move(body));
  response.set(http::field::server, "h2park/" H2PARK_VERSION);
  response.set(http::field::date, h2park::http::date_text(std::chrono::system_clock::now()));
  response.set(http::field::content_type, type);
  response.set(http::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  response.prepare_payload();
  return response;
}

StatsResponse page(const DashboardFile& file) {
  StatsResponse response = make(http::status::ok, dashboard_type(file), std::string(file.content));
  response.set("Content-Security-Policy", kDashboardPolicy);
  response.set("Cross-Origin-Resource-Policy", "same-origin");
  response.set("Referrer-Policy", "no-referrer");
  return response;
}

/// The request's target in its two forms (RFC 9112 3.2.1, 3.2.2).
struct Target {
  std::string_view authority;  // "" in the origin form
  std::string_view path;       // without the query
};

Target split(std::string_view target) {
  constexpr std::string_view kScheme = "http://";
  Target out;
  if (target.starts_with(kScheme)) {
    target.remove_prefix(kScheme.size());
    const std::size_t slash = std::min(target.find_first_of("/?"), target.size());
    out.authority = target.substr(0, slash);
    target.remove_prefix(slash);
  }
  out.path = target.substr(0, target.find('?'));
  return out;
}

}  // namespace

StatsSite::StatsSite(AllowedHosts hosts, std::function<stats::Snapshot()> snapshot,
                     std::function<bool()> healthy, TokenGuard guard)
    : hosts_(std::move(hosts)),
      snapshot_(std::move(snapshot)),
      healthy_(std::move(healthy)),
      guard_(std::move(guard)) {}

StatsResponse StatsSite::refusal(http::status status, std::string_view reason) {
  return make(status, kText, std::string(reason) + '\n');
}

StatsResponse StatsSite::answer(const StatsRequest& request) const {
  StatsResponse response = route(request);
  // RFC 9110 9.3.2: the fields of a GET, Content-Length included, without the content.
  if (request.method() == http::verb::head) response.body().clear();
  return response;
}

std::optional<StatsResponse> StatsSite::refuse(const StatsRequest& request, std::string_view authority,
                                               std::string_view path) const {
  const auto [first, last] = request.equal_range(http::field::host);
  const auto hosts = std::distance(first, last);
  // RFC 9112 3.2. HTTP/1.0 had no Host, and no browser speaks it.
  if (hosts > 1 || (hosts == 0 && request.version() >= 11)) {
    return refusal(http::status::bad_request, "a request has one Host field");
  }
  const auto foreign = [&](std::string_view host) { return !hosts_.allow(host); };
  if ((hosts == 1 && foreign(first->value())) || (!authority.empty() && foreign(authority))) {
    return refusal(http::status::forbidden,
                   "this host name is not served here; use localhost or the address");
  }
  if (path == kHealthPath) return std::nullopt;
  const std::string_view shown = request[http::field::authorization];
  if (request.count(http::field::authorization) <= 1 && guard_.admits(shown)) return std::nullopt;
  StatsResponse response = refusal(http::status::unauthorized, "the token of --stats-token is needed here");
  const bool takes_pages = request[http::field::accept].find("text/html") != std::string_view::npos;
  for (const std::string& challenge : TokenGuard::challenges(shown, takes_pages)) {
    response.insert(http::field::www_authenticate, challenge);
  }
  return response;
}

StatsResponse StatsSite::route(const StatsRequest& request) const {
  const Target target = split(request.target());
  if (auto refused = refuse(request, target.authority, target.path)) return std::move(*refused);
  const DashboardFile* file = find_dashboard_file(target.path.empty() ? "/" : target.path);
  if (file == nullptr && target.path != kStatsPath && target.path != kMetricsPath &&
      target.path != kHealthPath && target.path != kLivePath) {
    return refusal(http::status::not_found, "there is /, /live, /stats.json, /metrics and /healthz");
  }
  if (request.method() != http::verb::get && request.method() != http::verb::head) {
    StatsResponse response = refusal(http::status::method_not_allowed, "only GET and HEAD");
    response.set(http::field::allow, "GET, HEAD");
    return response;
  }
  if (file != nullptr) return page(*file);
  return target.path == kLivePath ? live(request) : content(target.path);
}

StatsResponse StatsSite::live(const StatsRequest& request) const {
  if (is_cross_site(request)) return refusal(http::status::forbidden, "only pages from here may watch");
  if (const auto every = live_interval(request.target()); !every) {
    return refusal(http::status::bad_request, every.error().message);
  }
  if (feed_ == nullptr || feed_->is_full()) {
    StatsResponse response = refusal(http::status::service_unavailable, "too many are watching already");
    response.set(http::field::retry_after, "10");
    return response;
  }
  StatsResponse response = make(http::status::ok, kEvents, "");
  response.content_length(boost::none);  // it ends with the connection
  return response;
}

std::optional<StatsSite::Following> StatsSite::follow(const StatsRequest& request,
                                                      const StatsResponse& response) const {
  if (request.method() != http::verb::get || response[http::field::content_type] != kEvents)
    return std::nullopt;
  return Following{.stream = feed_->open(), .every = *live_interval(request.target())};
}

StatsResponse StatsSite::content(std::string_view path) const {
  try {
    if (path == kStatsPath) return make(http::status::ok, "application/json", stats::to_json(snapshot_()));
    if (path == kMetricsPath) {
      return make(http::status::ok, stats::kPrometheusType, stats::to_prometheus(snapshot_()));
    }
    if (healthy_()) return make(http::status::ok, kText, "ok\n");
    return refusal(http::status::service_unavailable, "shutting down");
  } catch (const std::exception& e) {
    log::error("stats endpoint: " + std::string(path) + ": " + e.what());
    return refusal(http::status::internal_server_error, "the figures could not be taken");
  }
}

}  // namespace h2park::readout
