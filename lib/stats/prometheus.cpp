#include "stats/prometheus.hpp"

#include "stats/decimal.hpp"

namespace h2park::stats {
namespace {

/// Prometheus knows no constants: what never changes is a gauge.
std::string_view type_of(const FieldInfo& field) {
  return field.kind == Kind::kCounter ? "counter" : "gauge";
}

void append_head(std::string& out, const FieldInfo& field) {
  out.append("# HELP ").append(field.metric).append(" ").append(field.help).append(".\n");
  out.append("# TYPE ").append(field.metric).append(" ").append(type_of(field)).append("\n");
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

}  // namespace

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
    if (entry.field != last) append_head(out, *entry.field);
    last = entry.field;
    append_sample(out, entry);
  }
  return out;
}

}  // namespace h2park::stats
