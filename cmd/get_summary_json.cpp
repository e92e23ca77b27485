#include "cmd/get_json.hpp"
#include "cmd/get_summary.hpp"

#include <spdlog/fmt/fmt.h>

#include <iterator>

namespace h2park::cmd {
namespace {

/// {"name":number,...}, without those that are 0.
class Counts {
 public:
  explicit Counts(std::string& to) : to_(to) { to_ += '{'; }
  ~Counts() { to_ += '}'; }
  void add(std::string_view name, std::uint64_t number) {
    if (number == 0) return;
    to_.append(first_ ? "\"" : ",\"").append(name).append("\":").append(std::to_string(number));
    first_ = false;
  }

 private:
  std::string& to_;
  bool first_ = true;
};

void append_requests(std::string& to, const Summary& summary, const SummaryContext& context) {
  const double seconds = std::chrono::duration<double>(context.duration).count();
  fmt::format_to(std::back_inserter(to), "\"requests\":{},\"errors\":", summary.requests());
  {
    Counts errors(to);
    for (const auto& [cause, number] : summary.errors()) errors.add(cause, number);
    errors.add(to_string(client::FailureKind::kCancelled), summary.cancelled());
  }
  to += ",\"statuses\":";
  {
    Counts statuses(to);
    for (std::size_t i = 1; i < summary.statuses().size(); ++i)
      statuses.add(std::to_string(i) + "xx", summary.statuses()[i]);
  }
  const double rate = seconds > 0 ? static_cast<double>(summary.requests()) / seconds : 0;
  fmt::format_to(std::back_inserter(to), ",\"duration_s\":{:.6f},\"requests_per_second\":{:.3f},\"bytes\":{}",
                 seconds, rate, summary.bytes());
}

void append_connections(std::string& to, const client::ClientCounts& counts) {
  fmt::format_to(std::back_inserter(to),
                 ",\"connections\":{{\"opened\":{},\"reused\":{},\"closed\":", counts.opened, counts.reused);
  {
    Counts closed(to);
    for (std::size_t i = 1; i < client::kCloseReasons; ++i)
      closed.add(to_string(static_cast<client::CloseReason>(i)), counts.closed[i]);
  }
  to += "},\"drains\":";
  Counts drains(to);
  for (std::size_t i = 1; i < client::kDrainResults; ++i)
    drains.add(to_string(static_cast<client::DrainResult>(i)), counts.drains[i]);
}

void append_phase(std::string& to, std::string_view name, const stats::Histogram& phase) {
  to.append("\"").append(name).append("\":");
  if (phase.count() == 0) {
    to += "null";
    return;
  }
  to.append("{\"count\":").append(std::to_string(phase.count()));
  const auto add = [&](std::string_view what, Duration value) {
    append_milliseconds(to.append(",\"").append(what).append("\":"), value);
  };
  add("min", phase.min());
  add("mean", phase.mean());
  add("p50", phase.quantile(0.50));
  add("p90", phase.quantile(0.90));
  add("p99", phase.quantile(0.99));
  add("max", phase.max());
  to += '}';
}

}  // namespace

std::string summary_json(const Summary& summary, const SummaryContext& context) {
  std::string json = "{\"summary\":{";
  append_requests(json, summary, context);
  append_connections(json, context.counts);
  json += ",\"timings\":{";
  for (std::size_t i = 0; i < kPhases; ++i) {
    const auto phase = static_cast<Phase>(i);
    append_phase(json, to_string(phase), summary.phase(phase));
    json += ',';
  }
  append_phase(json, "latency", summary.latency());
  return json + "}}}\n";
}

}  // namespace h2park::cmd
