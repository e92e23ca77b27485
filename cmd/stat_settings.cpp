#include "cmd/stat_settings.hpp"

#include "cmd/option_reader.hpp"
#include "readout/stats_token.hpp"

#include <algorithm>
#include <limits>

namespace h2park::cmd {
namespace {

using namespace std::chrono_literals;

// Shorter, and the reading itself is what one sees.
constexpr Duration kShortestInterval = 10ms;
// Linux's own limit (PID_MAX_LIMIT).
constexpr std::uint64_t kLargestPid = 4 * 1024 * 1024;

/// nullopt if the option is not there, or wrong.
template <class Parse>
auto parsed(OptionReader& reader, std::string_view option, Parse parse)
    -> std::optional<std::decay_t<decltype(*parse(""))>> {
  if (!reader.given(option)) return std::nullopt;
  auto value = parse(reader.text(option));
  if (value) return std::move(*value);
  reader.wrong(option, value.error().message, value.error().exit);
  return std::nullopt;
}

void read_place(OptionReader& reader, StatSettings& settings) {
  if (reader.given("pid")) reader.count("pid", 1, kLargestPid, settings.place.emplace<Pid>());
  if (reader.given("pid") && reader.given("ADDR")) reader.wrong("pid", "does not go with ADDR");
  for (const char* other : {"stats-token", "diff"}) reader.refuse_together("pid", other);
  if (reader.given("pid")) return;
  const auto endpoint = net::parse_endpoint(reader.text("ADDR"));
  if (!endpoint) return reader.wrong("ADDR", endpoint.error().message);
  if (!endpoint->is_unix() && endpoint->port == 0) return reader.wrong("ADDR", "port 0 is nobody's");
  settings.place = *endpoint;
  settings.token = parsed(reader, "stats-token", readout::parse_stats_token).value_or("");
}

Result<std::vector<stats::FieldPath>> field_list(std::string_view list, const stats::KnownFields& known) {
  std::vector<stats::FieldPath> fields;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    const std::string_view name = list.substr(at, comma - at);
    if (name.empty()) return usage_error("a name is empty");
    auto field = stats::parse_field(name, known);
    if (!field) return std::unexpected(field.error());
    fields.push_back(std::move(*field));
    at = comma + 1;
  }
  return fields;
}

void read_fields(OptionReader& reader, StatSettings& settings) {
  const auto& known = fields_of(settings.place);
  settings.format = reader.text("format") == "json"   ? StatFormat::kJson
                    : reader.text("format") == "prom" ? StatFormat::kProm
                                                      : StatFormat::kText;
  settings.format_given = reader.given("format");
  settings.fields = parsed(reader, "fields", [&](std::string_view text) {
                      return field_list(text, known);
                    }).value_or(std::vector<stats::FieldPath>{});
  const auto rate = std::ranges::find(settings.fields, true, &stats::FieldPath::per_second);
  if (rate == settings.fields.end()) return;
  if (settings.format == StatFormat::kProm) {
    reader.wrong("fields",
                 "'" + rate->text + "' does not go with --format prom: Prometheus makes rates itself");
  }
  if (!settings.watch && !settings.until) {
    reader.wrong("fields", "'" + rate->text + "' needs --watch: a rate takes two readings");
  }
}

void read_times(OptionReader& reader, StatSettings& settings) {
  if (reader.given("count")) {
    settings.watch = 1s;
    reader.count("count", 1, std::numeric_limits<std::uint32_t>::max(), settings.count.emplace());
  }
  if (reader.given("watch")) reader.duration("watch", kShortestInterval, settings.watch.emplace());
  settings.until = parsed(reader, "until", [&](std::string_view text) {
    return Condition::parse(text, fields_of(settings.place));
  });
  if (reader.given("timeout")) reader.duration("timeout", Duration::zero(), settings.timeout.emplace());
  if (reader.given("timeout") && !reader.given("until")) reader.wrong("timeout", "needs --until");
  reader.refuse_together("count", "until");
}

void read_diff(OptionReader& reader, StatSettings& settings) {
  settings.diff_file = reader.given("diff") ? std::string(reader.text("diff")) : "";
  for (const char* other : {"watch", "count", "until"}) reader.refuse_together("diff", other);
  if (reader.given("diff") && settings.format == StatFormat::kProm) {
    reader.wrong("diff", "does not go with --format prom");
  }
}

}  // namespace

Result<StatSettings> parse_stat(const Values& values) {
  OptionReader reader(values);
  StatSettings settings;
  read_place(reader, settings);
  read_times(reader, settings);
  read_fields(reader, settings);
  read_diff(reader, settings);
  if (reader.fault()) return std::unexpected(*reader.fault());
  return settings;
}

}  // namespace h2park::cmd
