#include "stats/prometheus.hpp"

#include "stats/decimal.hpp"

#include <array>

namespace h2park::stats {
namespace {

/// Prometheus knows no constants: what never changes is a gauge.
std::string_view type_of(const FieldInfo& field) {
  return field.kind == Kind::kCounter ? "counter" : "gauge";
}

void append_head(std::string& out, std::string_view metric, std::string_view help, std::string_view type) {
  out.append("# HELP ").append(metric).append(" ").append(help).append(".\n");
  out.append("# TYPE ").append(metric).append(" ").append(type).append("\n");
}

void append_sample(std::string& out, const Entry& entry) {
  const FieldInfo& field = *entry.field;
  const auto* text = std::get_if<std::string>(&entry.value);
  out += field.metric;
  if (text != nullptr) {
    out.append("{").append(field.name).append("=\"").append(escaped_label(*text)).append("\"} 1\n");
    return;
  }
  if (!entry.key.empty()) {
    out.append("{").append(field.key).append("=\"").append(escaped_label(entry.key)).append("\"}");
  }
  const auto* flag = std::get_if<bool>(&entry.value);
  out.append(" ").append(flag != nullptr ? (*flag ? "1" : "0") : decimal(entry.value)).append("\n");
}

constexpr HistogramInfo kRequestDuration{
    "h2park_request_duration_seconds",
    "Time from a request's complete head to the end of its exchange, when the last of the answer was "
    "written and its handler had returned",
    ""};
constexpr HistogramInfo kWakeLatency{
    "h2park_wake_latency_seconds",
    "Time from when a serving thread learnt that a connection was readable to the start of the first "
    "handler that this led to, by how deep the connection slept",
    "depth"};
constexpr std::array kHistograms = {kRequestDuration, kWakeLatency};

double seconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; }

/// `label`: `depth="parked"`, or "". The count is that of the buckets, whatever was counted meanwhile.
void append_series(std::string& out, std::string_view metric, const std::string& label,
                   const DurationTally& tally) {
  const std::string labels = label.empty() ? "" : "{" + label + "}";
  const std::string before_bound = label.empty() ? "{" : "{" + label + ",";
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < kDurationBuckets; ++i) {
    count += tally.counts[i];
    const bool last = i == kDurationBounds.size();
    const auto bound = last ? 0 : static_cast<std::uint64_t>(kDurationBounds[i].count());
    out.append(metric).append("_bucket").append(before_bound);
    out.append("le=\"").append(last ? "+Inf" : decimal(seconds(bound))).append("\"} ");
    out.append(std::to_string(count)).append("\n");
  }
  out.append(metric).append("_sum").append(labels).append(" ");
  out.append(decimal(seconds(tally.nanoseconds))).append("\n");
  out.append(metric).append("_count").append(labels).append(" ").append(std::to_string(count)).append("\n");
}

void append_timings(std::string& out, const Timings& timings) {
  append_head(out, kRequestDuration.metric, kRequestDuration.help, "histogram");
  append_series(out, kRequestDuration.metric, "", timings.request_duration);
  append_head(out, kWakeLatency.metric, kWakeLatency.help, "histogram");
  for (std::size_t i = 0; i < kDepths; ++i) {
    const std::string depth(to_string(static_cast<Depth>(i)));
    append_series(out, kWakeLatency.metric, std::string(kWakeLatency.label) + "=\"" + depth + "\"",
                  timings.wake_latency[i]);
  }
}

}  // namespace

std::span<const HistogramInfo> histograms() { return kHistograms; }

std::string escaped_label(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

std::string to_prometheus(const Reading& reading) {
  std::string out;
  const FieldInfo* last = nullptr;
  for (const Entry& entry : reading.entries) {
    if (entry.field->metric.empty() || entry.per_second || is_null(entry.value)) continue;
    if (entry.field != last) append_head(out, entry.field->metric, entry.field->help, type_of(*entry.field));
    last = entry.field;
    append_sample(out, entry);
  }
  return out;
}

std::string to_prometheus(const Snapshot& snapshot) {
  std::string out = to_prometheus(to_reading(snapshot));
  if (snapshot.timings) append_timings(out, *snapshot.timings);
  return out;
}

}  // namespace h2park::stats
