#include "readout/stats_site.hpp"

#include "base/log.hpp"
#include "http/date.hpp"
#include "stats/json.hpp"

#include <chrono>
#include <exception>
#include <iterator>

namespace h2park::readout {
namespace {

namespace http = boost::beast::http;

constexpr std::string_view kText = "text/plain; charset=utf-8";
constexpr std::string_view kStatsPath = "/stats.json";
constexpr std::string_view kHealthPath = "/healthz";

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
                     std::function<bool()> healthy)
    : hosts_(std::move(hosts)), snapshot_(std::move(snapshot)), healthy_(std::move(healthy)) {}

StatsResponse StatsSite::refusal(http::status status, std::string_view reason) {
  return make(status, kText, std::string(reason) + '\n');
}

StatsResponse StatsSite::answer(const StatsRequest& request) const {
  StatsResponse response = route(request);
  // RFC 9110 9.3.2: the fields of a GET, Content-Length included, without the content.
  if (request.method() == http::verb::head) response.body().clear();
  return response;
}

StatsResponse StatsSite::route(const StatsRequest& request) const {
  const Target target = split(request.target());
  const auto [first, last] = request.equal_range(http::field::host);
  const auto hosts = std::distance(first, last);
  // RFC 9112 3.2. HTTP/1.0 had no Host, and no browser speaks it.
  if (hosts > 1 || (hosts == 0 && request.version() >= 11)) {
    return refusal(http::status::bad_request, "a request has one Host field");
  }
  const auto foreign = [&](std::string_view host) { return !hosts_.allow(host); };
  if ((hosts == 1 && foreign(first->value())) || (!target.authority.empty() && foreign(target.authority))) {
    return refusal(http::status::forbidden,
                   "this host name is not served here; use localhost or the address");
  }
  if (target.path != kStatsPath && target.path != kHealthPath) {
    return refusal(http::status::not_found, "there is /stats.json and /healthz");
  }
  if (request.method() != http::verb::get && request.method() != http::verb::head) {
    StatsResponse response = refusal(http::status::method_not_allowed, "only GET and HEAD");
    response.set(http::field::allow, "GET, HEAD");
    return response;
  }
  return content(target.path);
}

StatsResponse StatsSite::content(std::string_view path) const {
  try {
    if (path == kStatsPath) return make(http::status::ok, "application/json", stats::to_json(snapshot_()));
    if (healthy_()) return make(http::status::ok, kText, "ok\n");
    return refusal(http::status::service_unavailable, "shutting down");
  } catch (const std::exception& e) {
    log::error("stats endpoint: " + std::string(path) + ": " + e.what());
    return refusal(http::status::internal_server_error, "the figures could not be taken");
  }
}

}  // namespace h2park::readout
