#include "cmd/stat_source.hpp"

#include "readout/stats_reader.hpp"
#include "stats/json.hpp"
#include "stats/process_reading.hpp"
#include "stats/rates.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace h2park::cmd {
namespace {

/// A line break in JSON that could be read stands between its words.
std::string one_line(std::string json) {
  std::ranges::replace_if(
      json, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  json.erase(json.find_last_not_of(' ') + 1);
  return json + '\n';
}

class ServerSource final : public StatSource {
 public:
  ServerSource(net::Endpoint server, std::string token)
      : server_(std::move(server)), token_(std::move(token)) {}

  Result<Sample> read(const SampleLimits& limits) override {
    auto answer =
        readout::read_stats(server_, {.timeout = limits.timeout, .token = token_, .stop_fd = limits.stop_fd});
    if (!answer) return std::unexpected(answer.error());
    return Sample{.reading = stats::to_reading(answer->snapshot), .json = one_line(std::move(answer->json))};
  }
  std::string name() const override { return server_.text(); }
  const stats::KnownFields& fields() const override { return stats::server_fields(); }
  bool may_come_back() const override { return true; }

 private:
  net::Endpoint server_;
  std::string token_;
};

class ProcessSource final : public StatSource {
 public:
  explicit ProcessSource(Pid pid) : pid_(pid) {}

  Result<Sample> read(const SampleLimits&) override {
    auto reading = stats::read_process(pid_);
    if (!reading) return std::unexpected(reading.error());
    std::string json = stats::to_json(reading->entries);
    return Sample{.reading = std::move(*reading), .json = std::move(json)};
  }
  std::string name() const override { return "process " + std::to_string(pid_); }
  const stats::KnownFields& fields() const override { return stats::process_fields(); }
  bool may_come_back() const override { return false; }

 private:
  Pid pid_;
};

}  // namespace

std::unique_ptr<StatSource> open_source(const Place& place, const std::string& token) {
  if (const auto* pid = std::get_if<Pid>(&place)) return std::make_unique<ProcessSource>(*pid);
  return std::make_unique<ServerSource>(std::get<net::Endpoint>(place), token);
}

const stats::KnownFields& fields_of(const Place& place) {
  return std::holds_alternative<Pid>(place) ? stats::process_fields() : stats::server_fields();
}

std::string time_text(std::chrono::system_clock::time_point time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::milliseconds>(time - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

void complete(stats::Reading& reading, const stats::Reading* before,
              std::chrono::system_clock::time_point time) {
  stats::add_rates(reading, before);
  reading.entries.insert(reading.entries.begin(), {.field = &stats::time_field(), .value = time_text(time)});
}

}  // namespace h2park::cmd
