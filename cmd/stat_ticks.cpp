#include "cmd/stat_ticks.hpp"

#include <optional>

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>

namespace h2park::cmd {
namespace {

std::string json_error(const std::string& message) {
  return "{\"error\":" + boost::json::serialize(boost::json::string(message)) + "}\n";
}

/// Turns each tick's answer into text.
class TickText {
 public:
  explicit TickText(const StatSettings& settings) : settings_(settings) {}

  Result<std::string> of(Sample& sample, std::chrono::system_clock::time_point time) {
    complete(sample.reading, before_ ? &*before_ : nullptr, time);
    auto text = settings_.format == StatFormat::kText ? columns(sample.reading) : whole(sample);
    before_ = std::move(sample.reading);
    return text;
  }
  std::string of(const Error& error, std::chrono::system_clock::time_point time) {
    before_.reset();
    if (settings_.format == StatFormat::kText) return lines_->line_without_answer(time);
    if (settings_.format == StatFormat::kJson) return json_error(error.message);
    return "# " + error.message + "\n\n";
  }

 private:
  Result<std::string> columns(const stats::Reading& reading) {
    std::string header;
    if (!lines_) {
      const auto paths = settings_.fields.empty() ? default_columns(settings_.place) : settings_.fields;
      auto chosen = ColumnLines::choose(reading, paths);
      if (!chosen) return std::unexpected(chosen.error());
      lines_ = std::move(*chosen);
      header = lines_->header();
    }
    return header + lines_->line(reading);
  }
  Result<std::string> whole(const Sample& sample) const {
    auto text = format_sample(sample, settings_);
    if (text && settings_.format == StatFormat::kProm) *text += '\n';
    return text;
  }

  const StatSettings& settings_;
  std::optional<ColumnLines> lines_;
  std::optional<stats::Reading> before_;
};

}  // namespace

Result<> print_ticks(StatSource& source, const StatSettings& settings, StatPace& pace, const Sink& output,
                     const std::function<void(const std::string&)>& complain) {
  TickText texts(settings);
  Ticks ticks(pace.now(), *settings.watch);
  std::optional<Error> away;
  for (std::uint64_t tick = 1;; ++tick) {
    auto sample = source.read({});
    if (!sample && (tick == 1 || !source.may_come_back())) return std::unexpected(sample.error());
    if (!sample && !away) complain(sample.error().message + "; trying again");
    if (sample && away) complain(source.name() + " answers again");
    away = sample ? std::nullopt : std::optional(sample.error());

    const Result<std::string> text = sample ? texts.of(*sample, pace.wall()) : texts.of(*away, pace.wall());
    if (!text) return std::unexpected(text.error());
    if (auto written = output(*text); !written) return written;
    if (settings.count && tick >= *settings.count) break;
    pace.sleep_until(ticks.after(pace.now()));
  }
  return away ? Result<>(std::unexpected(*away)) : Result<>();
}

}  // namespace h2park::cmd
